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

// Derived is a system that was derived from an algorithm, or the system of a file without one.
type Derived struct {
	Name       string // of the last pass
	Spec       *ere.Specification
	Properties []string // properties of the file that this system decides
	// Sufficient are the properties of states that imply a property of runs, and Safety is the
	// reason.
	Sufficient map[string][]string
	Safety     map[string]result.Reduction
	Reductions []result.Reduction
	// Assumptions are the file's assumptions about this system beyond the algorithm, other than its
	// trusted invariants.
	Assumptions []result.Assumption

	// InRounds derives the system in which a whole round is one step, for the properties that it
	// decides, too; nil where there is none. A proof there often needs fewer invariants.
	InRounds func(context.Context) (*Derived, error)

	legend    legend   // nil for a file without an algorithm
	variables []string // of the algorithm
}

// Reported is the name under which a property of the system is reported. A property of a derived
// system that is not the file's has the system's name in front.
func (d *Derived) Reported(property string) string {
	if d.Name == "" || slices.Contains(d.Properties, property) {
		return property
	}
	return d.Name + "/" + property
}

// Own is the system's own name for a reported property; false if the property is not this system's.
func (d *Derived) Own(reported string) (property string, ok bool) {
	if d.Name == "" || slices.Contains(d.Properties, reported) {
		return reported, true
	}
	return strings.CutPrefix(reported, d.Name+"/")
}

// Claims are the reported names of the system's results about the file's properties, in their
// order.
func (d *Derived) Claims() []string {
	if d.Name != "" {
		return d.Properties
	}
	var names []string
	for _, p := range d.Spec.System.Properties {
		names = append(names, p.Name)
	}
	for _, s := range d.Spec.System.Scenarios {
		names = append(names, s.Name)
	}
	return names
}

// OneWay is the name of the system with one sender and one receiver, without crashes, in sub-rounds
// and with the messages as a predicate. Other systems have longer names that state the difference.
const OneWay = "one_way"

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
			c := *d
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
			if slices.ContainsFunc(d.Items, func(i syntax.InstanceItem) bool {
				return i.Name.Text == ProcessSort
			}) {
				b.decls = append(b.decls, d)
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
	d := &Derived{Name: Processes, legend: w}
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
	return ere.Build(b.ctx, &syntax.File{Source: b.file.Source, Decls: b.decls}, b.errs)
}

// oneWay derives the system with one sender and one receiver for some properties that need the same
// crashes.
func (b *builder) oneWay(props []*property, p plan) (*Derived, error) {
	w := newOneWay(newNames(b.file), b.alg, p, props)
	w.write()
	d := &Derived{Name: p.name(), Sufficient: map[string][]string{},
		Safety: map[string]result.Reduction{}, Reductions: w.reductions(), legend: w}
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

// state translates a property to the symbols of the system.
func (w *oneWay) state(p *property) syntax.Decl {
	d := *p.FormulaDecl
	d.Expr = w.inTerms(p, p.Expr)
	return &d
}

// inTerms translates an expression of a property: the owner of the variables is the receiver, and
// the peer the sender.
func (w *oneWay) inTerms(p *property, x *syntax.Expr) *syntax.Expr {
	x = distinct(p.withoutProcesses(x), p)
	return replace(x, func(x *syntax.Expr) *syntax.Expr {
		n := x.Name.Text
		switch {
		case (n == correctWord || n == crashedWord) && len(x.Args) == 1:
			who := receiver
			if x.Args[0].Name.Text == p.peer {
				who = sender
			}
			return alive(x, slices.Contains(w.crashing(), who), w.down(who))
		case w.alg.variable(n) != nil:
			return &syntax.Expr{Kind: syntax.ExprName, Span: x.Span, Name: x.Name}
		}
		return nil
	})
}

// distinct adds the condition that the two processes of a property differ.
func distinct(x *syntax.Expr, p *property) *syntax.Expr {
	if x.Kind == syntax.ExprNe && len(x.Args[0].Args)+len(x.Args[1].Args) == 0 {
		a, b := x.Args[0].Name.Text, x.Args[1].Name.Text
		if a == p.owner && b == p.peer || a == p.peer && b == p.owner {
			return &syntax.Expr{Kind: syntax.ExprTrue, Span: x.Span}
		}
	}
	c := *x
	c.Args = slices.Clone(x.Args)
	for i, a := range c.Args {
		c.Args[i] = distinct(a, p)
	}
	return &c
}

// alive translates correct(..) and crashed(..); relation holds the crashed processes if there are
// crashes.
func alive(x *syntax.Expr, crashes bool, relation name) *syntax.Expr {
	correct := x.Name.Text == correctWord
	if !crashes {
		kind := syntax.ExprFalse
		if correct {
			kind = syntax.ExprTrue
		}
		return &syntax.Expr{Kind: kind, Span: x.Span}
	}
	down := variable(relation, x.Span)
	if correct {
		return &syntax.Expr{Kind: syntax.ExprNot, Span: x.Span, Args: []*syntax.Expr{down}}
	}
	return down
}

// withoutProcesses removes the quantifiers over the processes of the property.
func (p *property) withoutProcesses(x *syntax.Expr) *syntax.Expr {
	c := *x
	c.Args = slices.Clone(x.Args)
	for i, a := range c.Args {
		c.Args[i] = p.withoutProcesses(a)
	}
	if x.Kind != syntax.ExprForall {
		return &c
	}
	c.Binders = slices.DeleteFunc(slices.Clone(x.Binders), func(b *syntax.Binder) bool {
		return b.Name.Text == p.owner || b.Name.Text == p.peer ||
			b.Sort != nil && b.Sort.Name == ProcessSort
	})
	if len(c.Binders) == 0 {
		return c.Args[0]
	}
	return &c
}

// assumptions lists the file's assumptions about one sender and one receiver.
func (a *algorithm) assumptions() []result.Assumption {
	if a.senderStart == a.start {
		return nil
	}
	n := a.decl.SenderStart
	return []result.Assumption{{Name: "sender starts " + n.Text, Kind: "chosen start",
		Line: n.Span.Line(),
		Text: fmt.Sprintf("the sender starts at %s and the receiver at %s", n.Text,
			a.tasks[a.start].Location.Text)}}
}

// reductions lists the theorems on which the one-way system rests.
func (w *oneWay) reductions() []result.Reduction {
	const inStep = fromTwo + "; one process alone is a run of these two in step"
	cut := result.Reduction{Name: "cutoff", Theorem: "Theorem 6.2", Detail: inStep}
	if w.alg.gst != "" {
		cut = stabilising(inStep)
	}
	out := []result.Reduction{
		cut,
		{Name: OneWay, Theorem: "section 7.1",
			Detail: "the peer only sends, the owner of the variables only receives"},
		{Name: "timers", Theorem: "section 7.3", Detail: "PS2 by a timer for each process"},
	}
	if w.plan.counter {
		out = append(out,
			result.Reduction{Name: "counter", Theorem: "section 7.2.2",
				Detail: "the messages in transit as the bits of a number"})
	} else {
		out = append(out,
			result.Reduction{Name: "predicate", Theorem: "section 7.2.1",
				Detail: "the messages in transit as a predicate over their ages"})
	}
	switch {
	case w.plan.keepOld:
	case w.alg.gst != "":
		out = append(out,
			result.Reduction{Name: "old_messages", Theorem: "section 7.2.3 once delays are bounded",
				Detail: "then one message " +
					"that is Delta old stands for all older ones, which arrive at the same " +
					"receive; before, ages are exact"})
	default:
		out = append(out,
			result.Reduction{Name: "old_messages", Theorem: "section 7.2.3",
				Detail: "one message that is Delta old stands for all older ones"})
	}
	if w.plan.bigSteps {
		out = append(out,
			result.Reduction{Name: "rounds", Theorem: "a round is one step",
				Detail: "the properties do not speak of what lies within a round"})
	}
	if !w.plan.senderCrashes || !w.plan.receiverCrashes {
		out = append(out,
			result.Reduction{Name: "crashes",
				Theorem: "a process that the property requires to be correct need not crash",
				Detail:  "runs in which it does satisfy the property from then on"})
	}
	if w.alg.senderStart != w.alg.start {
		out = append(out,
			result.Reduction{Name: "sender_start", Assumed: true,
				Theorem: fmt.Sprintf("assumed by the file: the sender starts at %s, the "+
					"receiver at %s; so nothing is said of a process and itself",
					w.alg.tasks[w.alg.senderStart].Location.Text,
					w.alg.tasks[w.alg.start].Location.Text)})
	}
	return out
}
