package derive

import (
	"context"
	"fmt"
	"math/big"
	"slices"
	"strings"

	"erelong.dev/erelong/internal/diag"
	"erelong.dev/erelong/internal/front/ere"
	"erelong.dev/erelong/internal/front/ere/syntax"
	"erelong.dev/erelong/internal/result"
)

// builder makes a file of a derived system.
type builder struct {
	ctx   context.Context
	file  *syntax.File
	alg   *algorithm
	errs  *diag.List
	decls []syntax.Decl
}

// shared adds the declarations that the derived system takes from the file.
func (b *builder) shared() {
	for _, d := range b.file.Decls {
		switch d := d.(type) {
		case *syntax.SortDecl, *syntax.EnumDecl, *syntax.TypeDecl, *syntax.SymbolDecl,
			*syntax.DefinitionDecl:
			b.decls = append(b.decls, d)
		case *syntax.FormulaDecl:
			if d.Word == "axiom" {
				b.decls = append(b.decls, d)
			}
		}
	}
}

// about adds the file's declarations about the system of this name.
func (b *builder) about(name string) {
	for _, d := range aboutBlocks(b.file) {
		if d.Name.Text == name {
			b.decls = append(b.decls, d.Decls...)
		}
	}
}

// template adds the text of a pass.
func (b *builder) template(name string, t *template) error {
	decls, err := t.decls(name, b.alg.decl.Name.Span)
	b.decls = append(b.decls, decls...)
	return err
}

// instances adds the instances and the expectations for the properties. If processes is not 0,
// every instance has this number of processes; otherwise the derived system has no processes to
// count.
func (b *builder) instances(properties []string, processes int64) {
	for _, d := range b.file.Decls {
		switch d := d.(type) {
		case *syntax.InstanceDecl:
			b.oneProcess(d)
			if d.Whole(b.file.Decls) == nil { // package check reports it
				b.decls = append(b.decls, d)
				continue
			}
			c := *d.Whole(b.file.Decls)
			c.Items = slices.DeleteFunc(slices.Clone(d.Items), func(i syntax.InstanceItem) bool {
				return i.Name.Text == ProcessSort
			})
			if processes > 0 {
				n := &syntax.Expr{Kind: syntax.ExprInt, Span: d.Span, Int: big.NewInt(processes)}
				c.Items = append(c.Items,
					syntax.InstanceItem{Name: syntax.Name{Text: ProcessSort, Span: d.Name.Span},
						Value: n})
			}
			b.decls = append(b.decls, &c)
		case *syntax.ExpectDecl:
			if slices.Contains(properties, d.Property.Text) {
				b.decls = append(b.decls, d)
			}
		}
	}
}

// oneProcess warns of an instance with one process: the theorems need at least two.
func (b *builder) oneProcess(d *syntax.InstanceDecl) {
	for _, i := range d.Items {
		if i.Name.Text == ProcessSort && i.Value != nil && i.Value.Kind == syntax.ExprInt &&
			i.Value.Int.IsInt64() && i.Value.Int.Int64() == 1 &&
			!slices.ContainsFunc(b.errs.All, func(x *diag.Diagnostic) bool {
				return x.Code == diag.NotReduced && x.Span == i.Name.Span
			}) {
			b.errs.Warnf(diag.NotReduced, i.Name.Span,
				"'%s' is explored with two processes: what is violated by two of them may hold "+
					"for one alone", d.Name.Text).
				Suggest("--pass=%s explores as many as an instance says.", Processes)
		}
	}
}

// unreduced adds the instances that give the number of processes, and the expectations for the
// properties in them.
func (b *builder) unreduced(properties []string) {
	known := map[string]bool{"": true}
	for _, d := range b.file.Decls {
		switch d := d.(type) {
		case *syntax.InstanceDecl:
			whole := d.Whole(b.file.Decls)
			if whole != nil && slices.ContainsFunc(whole.Items, func(i syntax.InstanceItem) bool {
				return i.Name.Text == ProcessSort
			}) {
				b.decls = append(b.decls, whole)
				known[d.Name.Text] = true
			}
		case *syntax.ExpectDecl:
			if slices.Contains(properties, d.Property.Text) && known[d.Instance.Text] {
				b.decls = append(b.decls, d)
			}
		}
	}
}

// population is the number of processes in a system of all processes.
type population int

const (
	two       population = iota // in every instance
	asGiven                     // the instances give it
	asWritten                   // there are no instances: the text is only checked
)

// processes derives the system of all processes for some properties.
func (b *builder) processes(props []*property, n population) (*Derived, error) {
	w := &processes{&template{names: newNames(b.file)}, b.alg}
	w.write()
	d := &Derived{Name: Processes, legend: processesLegend{w}}
	b.shared()
	if err := b.template(Processes, w.template); err != nil {
		return nil, err
	}
	b.decls = append(b.decls, b.alg.peerVariables(ProcessSort, ProcessSort)...)
	if n != asWritten {
		b.about(Processes)
		b.sameStart(props)
	}
	for _, p := range props {
		d.Properties = append(d.Properties, p.Name.Text)
		b.decls = append(b.decls, p.FormulaDecl)
	}
	switch n {
	case two:
		d.Reductions = []result.Reduction{b.alg.timing.cutoff(b.alg)}
		b.instances(d.Properties, 2)
	case asGiven:
		b.unreduced(d.Properties)
	}
	d.Reductions = append(d.Reductions, b.alg.network()...)
	var err error
	d.Spec, err = b.build()
	d.variables = b.alg.variables()
	return d, err
}

// network states the model of the messages in transit, where there is a choice.
func (a *algorithm) network() []result.Reduction {
	switch {
	case a.timing.aged():
		// Messages of different ages are different, and a process sends at most one in a round.
		return nil
	case a.copies != "":
		return []result.Reduction{{Name: "copies",
			Theorem: fmt.Sprintf("section 3.2 with %s in place of one", a.copies),
			Detail: fmt.Sprintf("at most %s copies of a message are in transit from one "+
				"process to another, and no process sends one more", a.copies)}}
	}
	return []result.Reduction{{Name: "set", Theorem: "section 3.2",
		Detail: "messages in transit are a set, so of a message that is sent while one like it " +
			"is in transit " +
			"one arrives; where copies arrive one by one there are more runs (network copies)"}}
}

// sameStart refuses an assumption about the sender where there is no such process.
func (b *builder) sameStart(props []*property) {
	if b.alg.senderStart == b.alg.start {
		return
	}
	var names []string
	for _, p := range props {
		names = append(names, p.Name.Text)
	}
	n := b.alg.decl.SenderStart
	b.errs.Errorf(diag.AlgorithmForm, n.Span,
		"%s is about all processes, which all start at %s: none of them is the sender that "+
			"starts at %s",
		strings.Join(names, ", "), b.alg.tasks[b.alg.start].Location.Text, n.Text).
		Suggest("Leave 'sender starts %s' out: it is an assumption about one sender and one "+
			"receiver.", n.Text)
}

// build makes a specification of the declarations.
func (b *builder) build() (*ere.Specification, error) {
	return ere.Build(b.ctx, &syntax.File{Source: b.file.Source, Decls: b.decls,
		Included: b.file.Included}, b.errs)
}

// oneWay derives the system with one sender and one receiver for some properties that need the same
// crashes.
func (b *builder) oneWay(props []*property, p plan) (*Derived, error) {
	w := newOneWay(newNames(b.file), b.alg, p, props)
	w.write()
	d := &Derived{Name: p.name(), Sufficient: map[string][]string{},
		Safety: map[string]result.Reduction{}, Reductions: w.reductions(),
		legend: oneWayLegend{w}}
	b.shared()
	if err := b.template(OneWay, w.template); err != nil {
		return nil, err
	}
	d.Assumptions = b.alg.assumptions()
	b.decls = append(b.decls, b.alg.peerVariables()...)
	b.about(d.Name)
	for _, prop := range props {
		d.Properties = append(d.Properties, prop.Name.Text)
		if parts := prop.parts(); parts != nil {
			d.Sufficient[prop.Name.Text] = parts
			d.Safety[prop.Name.Text] = prop.safety(b.alg)
		}
		b.decls = append(b.decls, w.state(prop))
	}
	b.instances(d.Properties, 0)
	var err error
	d.Spec, err = b.build()
	d.variables = b.alg.variables()
	return d, err
}
