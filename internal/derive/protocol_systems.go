package derive

import (
	"context"
	"slices"
	"strings"

	"erelong.dev/erelong/internal/diag"
	"erelong.dev/erelong/internal/front/ere"
	"erelong.dev/erelong/internal/front/ere/build"
	"erelong.dev/erelong/internal/front/ere/syntax"
	"erelong.dev/erelong/internal/logic"
	"erelong.dev/erelong/internal/result"
	"erelong.dev/erelong/internal/system"
)

// protocolSystems makes the system of a protocol, which is made of layers.
func protocolSystems(
	ctx context.Context, file *syntax.File, decl *syntax.ProtocolDecl,
	layers []*syntax.ProtocolDecl, o Options, errs *diag.List,
) ([]*Derived, error) {
	p := readProtocol(file, decl, layers, errs)
	if err := errs.Err(); err != nil {
		return nil, err
	}
	name := Rounds
	if o.Untimed {
		name = Untimed
	}
	var block *syntax.AboutDecl // about the system without time
	for _, d := range aboutBlocks(file) {
		if d.Name.Text == Untimed {
			block = d
		}
	}
	d, err := p.system(ctx, file, name, errs)
	if err != nil {
		return nil, err
	}
	if assumed := d.assumed; !assumed.IsZero() && (o.Untimed || block != nil) {
		at := assumed
		if block != nil {
			at = block.Name.Span
		}
		errs.Errorf(diag.AlgorithmForm, at, "there is no system without time").
			Because(assumed, "%s", whyTimed)
		return nil, errs
	}
	if name != Rounds || !p.concernsStates(d.Spec.System) {
		return []*Derived{d}, err
	}
	switch {
	case !d.assumed.IsZero():
		errs.Warnf(diag.NotReduced, d.assumed, "nothing is proved without time").
			Because(diag.Span{}, "%s", whyTimed)
	case block == nil:
		d.Untimed = func(ctx context.Context) (*Derived, error) {
			return p.system(ctx, file, Untimed, &diag.List{})
		}
	default:
		list := &diag.List{}
		other, err := p.system(ctx, file, Untimed, list)
		for _, x := range list.All {
			if x.Severity == diag.Error || within(x.Span, block.Span) {
				errs.All = append(errs.All, x)
			}
		}
		if err != nil {
			return nil, err
		}
		d.Untimed = func(context.Context) (*Derived, error) { return other, nil }
	}
	return []*Derived{d}, nil
}

// whyTimed says why there is no system without time.
const whyTimed = "this assumption is about messages in transit, and without time they are all " +
	"that were ever sent"

// within reports whether a place is in another one.
func within(at, of diag.Span) bool {
	return at.Source == of.Source && of.Start <= at.Start && at.End <= of.End
}

// concernsStates reports whether something is claimed of all states that says nothing of time: of
// the messages of some age, or of the rounds.
func (p *protocol) concernsStates(sys *system.System) bool {
	return slices.ContainsFunc(sys.Properties, func(x *system.Property) bool {
		return x.Kind == system.Safety
	})
}

// system makes one of the systems of a protocol.
func (p *protocol) system(
	ctx context.Context, file *syntax.File, name string, errs *diag.List,
) (*Derived, error) {
	w := &rounds{template: &template{names: newNames(file)}, p: p, untimed: name == Untimed,
		errs: errs}
	w.write()
	if err := errs.Err(); err != nil {
		return nil, err
	}
	decls, err := w.decls(name, p.decl.Name.Span)
	if err != nil {
		return nil, err
	}
	decls = append(w.symbols(), decls...)
	decls = append(decls, w.ofFile(file, name)...)
	d := &Derived{Name: name, Reductions: w.reductions(), legend: roundsLegend{w}}
	d.Spec, err = ere.Build(ctx, &syntax.File{Source: file.Source, Decls: decls,
		Structured: file.Structured, Tight: file.Tight, Included: file.Included}, errs)
	if err != nil {
		return nil, err
	}
	d.assumed = w.assumption(file, d.Spec.System)
	for _, x := range d.Spec.System.Properties {
		if name == Rounds || w.carriesOver(d.Spec.System, x) && !slices.ContainsFunc(
			aboutBlocks(file), func(b *syntax.AboutDecl) bool {
				return within(x.Span, b.Span)
			}) {
			d.Properties = append(d.Properties, x.Name)
		}
	}
	for _, r := range p.roles {
		for _, v := range r.Vars {
			d.variables = append(d.variables, v.Name.Text)
		}
	}
	return d, nil
}

// ofFile gives the declarations of the file that a system takes, and then what the file says about
// this system; so claims without names are numbered in the same way in all systems. Without time
// there are no claims about runs.
func (w *rounds) ofFile(file *syntax.File, name string) (out []syntax.Decl) {
	var about []syntax.Decl
	dropped := map[string]bool{}
	for _, d := range file.Decls {
		if d, ok := d.(*syntax.FormulaDecl); ok && w.untimed &&
			(d.Word == "temporal" || d.Word == "liveness") {
			dropped[d.Name.Text] = true
		}
	}
	for _, d := range file.Decls {
		switch d := d.(type) {
		case *syntax.ProtocolDecl:
			continue
		case *syntax.AboutDecl:
			if d.Name.Text == name {
				about = append(about, d.Decls...)
			}
			continue
		case *syntax.FormulaDecl:
			if dropped[d.Name.Text] && (d.Word == "temporal" || d.Word == "liveness") {
				continue
			}
		case *syntax.RankDecl:
			if w.untimed {
				continue
			}
		case *syntax.ExpectDecl:
			if dropped[d.Property.Text] {
				continue
			}
		}
		out = append(out, d)
	}
	return append(out, about...)
}

// carriesOver reports whether a claim about the states without time is one about the states in
// rounds. There fewer messages are in transit than were sent; so nothing may be claimed to be in
// transit.
func (w *rounds) carriesOver(sys *system.System, x *system.Property) bool {
	if x.Kind != system.Safety && x.Kind != system.Invariant {
		return false
	}
	by := map[*logic.Symbol]bool{} // the derived relations that depend on messages
	for range sys.Derived {
		for _, d := range sys.Derived {
			by[d.Symbol] = by[d.Symbol] || concerns(d.Axiom, func(s *logic.Symbol) bool {
				return w.isMessage(s) || by[s]
			})
		}
	}
	return !asserts(x.Term, true, w.isMessage) &&
		!concerns(x.Term, func(s *logic.Symbol) bool { return by[s] })
}

// asserts reports whether a formula may be true because one of some symbols is; under a negation,
// with positive false, because one of them is not.
func asserts(t *logic.Term, positive bool, is func(*logic.Symbol) bool) bool {
	switch t.Op {
	case logic.OpNot:
		return asserts(t.Args[0], !positive, is)
	case logic.OpAnd, logic.OpOr, logic.OpForall, logic.OpExists:
		return slices.ContainsFunc(t.Args, func(a *logic.Term) bool {
			return asserts(a, positive, is)
		})
	case logic.OpImplies:
		return asserts(t.Args[0], !positive, is) || asserts(t.Args[1], positive, is)
	case logic.OpApp:
		return is(t.Symbol) && positive || slices.ContainsFunc(t.Args,
			func(a *logic.Term) bool { return concerns(a, is) })
	}
	return concerns(t, is)
}

// concerns reports whether a term mentions one of some symbols.
func concerns(t *logic.Term, is func(*logic.Symbol) bool) bool {
	return logic.Has(t, func(t *logic.Term) bool { return t.Op == logic.OpApp && is(t.Symbol) })
}

// reductions says how the system stands to the file, where there is a choice.
func (w *rounds) reductions() []result.Reduction {
	if w.untimed {
		return []result.Reduction{{Name: Untimed,
			Theorem: "each run in rounds is a run without time (docs/partial-synchrony.md)",
			Detail: "steps come in any order, and a message that was sent may be received at any " +
				"time and any number of times; what holds of all states then, holds for every " +
				"model of time and all its bounds"}}
	}
	return w.p.network()
}

// network states the model of the messages in transit, where there is a choice.
func (p *protocol) network() []result.Reduction {
	if p.timed() {
		return nil
	}
	if c := p.copies(); c != nil {
		return []result.Reduction{{Name: "copies", Theorem: "the model of the messages in transit",
			Detail: "at most " + c.Span.Text() + " copies of a message are in transit from a " +
				"process to another, and what is sent beyond is lost"}}
	}
	return []result.Reduction{{Name: "set", Theorem: "the model of the messages in transit",
		Detail: "messages in transit are a set, so of a message that is sent while one like it " +
			"is in transit one arrives"}}
}

// symbols declares the variables of the processes, and the messages in transit.
func (w *rounds) symbols() (out []syntax.Decl) {
	sort := func(n name, span diag.Span) *syntax.SortExpr {
		return &syntax.SortExpr{Name: string(n), Span: span}
	}
	for _, r := range w.p.roles {
		for _, v := range r.Vars {
			d := &syntax.SymbolDecl{Span: v.Span, Word: "function", Mutable: true, Name: v.Name,
				Args:   append([]*syntax.SortExpr{sort(r.sort, v.Span)}, v.Args...),
				Result: v.Sort}
			if v.Sort.Name == "bool" {
				d.Word, d.Result = "relation", nil
			}
			out = append(out, d)
		}
	}
	for _, m := range w.p.messages {
		d := &syntax.SymbolDecl{Span: m.Span, Word: "relation", Mutable: true,
			Name:     syntax.Name{Text: string(w.transit(m)), Span: m.Name.Span},
			Declared: "message " + strings.Join(strings.Fields(m.Span.Text()), " "),
			Args:     []*syntax.SortExpr{sort(m.from.sort, m.Span), sort(m.to.sort, m.Span)}}
		for _, f := range m.Fields {
			d.Args = append(d.Args, f.Sort)
		}
		if m.recorded && !w.untimed {
			c := *d
			c.Name.Text, c.Args = m.Name.Text+sentWord, slices.Clone(d.Args)
			out = append(out, &c)
		}
		if w.aged() {
			d.Args = append(d.Args, sort(w.name("age"), m.Span))
		}
		if w.bag() {
			d.Word, d.Result = "function", &syntax.SortExpr{Lo: build.Number(0), Hi: w.p.copies(),
				Span: m.Span}
		}
		out = append(out, d)
		if own := w.itself(m); own != "" {
			c := *d
			c.Name.Text, c.Args = string(own), slices.Delete(slices.Clone(d.Args), 1, 2)
			out = append(out, &c)
		}
	}
	return out
}
