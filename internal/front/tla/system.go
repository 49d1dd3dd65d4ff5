package tla

import (
	"context"
	"errors"
	"fmt"
	"path"
	"slices"
	"strings"

	"erelong.dev/erelong/internal/diag"
	"erelong.dev/erelong/internal/front/tla/core"
	"erelong.dev/erelong/internal/front/tla/eval"
	"erelong.dev/erelong/internal/logic"
	"erelong.dev/erelong/internal/system"
)

// builder makes the system of a model.
type builder struct {
	program *eval.Program
	made    *Made // nil for a file of TLA+
	out     *system.System
	model   *model
	sorts   map[string]*logic.Sort
	known   map[core.Node]*logic.Term // predicates that were made
}

// noError is the claim of a model that claims nothing else: all of its states can be computed, and
// no Assert fails.
const noError = "NoError"

// assumed is the claim of a module without variables: its assumptions are true of the constants. A
// model of which they are false is refused.
const assumed = "ASSUME"

// build makes a system whose steps a program computes. Made is nil for a file of TLA+. Where the
// context ends before the assumptions are evaluated, the system has no step that can be computed.
func build(
	ctx context.Context, p *eval.Program, src *diag.Source, config string, made *Made,
	errs *diag.List,
) *system.System {
	b := &builder{program: p, made: made, known: map[core.Node]*logic.Term{},
		sorts: map[string]*logic.Sort{}}
	b.model = newModel(p)
	if made != nil {
		b.model.what = made.Language
	}
	remarks := b.assumptions(ctx, errs)
	m, name := p.Model, strings.TrimSuffix(path.Base(config), path.Ext(config))
	b.out = &system.System{Name: src.Name, Source: src,
		Instances: []*system.Instance{{Name: name}},
		Caveats:   system.Caveats{Remarks: remarks},
		Computed: &system.Computation{Computed: b.model, Stutters: true, Deadlock: m.Deadlock,
			Unbounded: made != nil}}
	if len(b.model.perms) > 1 || b.model.views != nil {
		b.out.Computed.Computed = &quotient{model: b.model}
	}
	b.out.Included = m.Read
	for _, v := range m.Variables {
		b.out.Symbols = append(b.out.Symbols, &logic.Symbol{Name: v, Kind: logic.Constant,
			Result: b.sortOf(v), Mutable: true})
	}
	for _, a := range m.Actions {
		action := &system.Action{Name: a.Name, Span: a.Span}
		for _, n := range a.Params {
			action.Params = append(action.Params, &logic.Var{Name: n, Sort: b.sortOf(n)})
		}
		b.out.Actions = append(b.out.Actions, action)
	}
	for _, c := range m.Invariants {
		b.out.Properties = append(b.out.Properties, &system.Property{Name: c.Name,
			Kind: system.Safety, Term: b.predicate(c.Node), Span: b.own(c.Span),
			Possible: core.AsksPossible(c.Node)})
	}
	for _, c := range m.Tried {
		if c.Node.Level() <= core.State {
			b.out.Properties = append(b.out.Properties, &system.Property{Name: c.Name, Tried: true,
				Kind: system.Safety, Term: b.predicate(c.Node), Span: b.own(c.Span),
				Possible: core.AsksPossible(c.Node)})
		}
	}
	for _, c := range m.Constraints {
		b.out.Computed.Boundary = append(b.out.Computed.Boundary,
			&system.Formula{Name: c.Name, Term: b.predicate(c.Node), Span: c.Span})
		b.model.bounds[slices.Index(b.model.nodes, c.Node)] = true
	}
	for _, c := range m.ActionConstraints { // of steps, even where they speak of no state after one
		b.out.Computed.Boundary = append(b.out.Computed.Boundary,
			&system.Formula{Name: c.Name, Term: b.newPredicate(c.Node, true), Span: c.Span})
	}
	for i, c := range m.Postconditions {
		b.model.after = append(b.model.after, p.Test(c.Node))
		b.out.Computed.Postconditions = append(b.out.Computed.Postconditions,
			&system.Postcondition{Name: c.Name, Number: i, Span: b.own(c.Span)})
	}
	if len(m.Variables) == 0 && len(m.Assumptions) > 0 { // else nothing would be claimed
		b.out.Computed.Postconditions = append(b.out.Computed.Postconditions,
			&system.Postcondition{Name: assumed, Number: len(b.model.after)})
	}
	for _, f := range m.Fair {
		b.moves(f)
		b.out.Computed.Conditions = append(b.out.Computed.Conditions, &system.FairnessCondition{
			Name: f.Name, Strong: f.Strong, Enabled: b.predicate(f.Enabled),
			Taken: b.predicate(f.Taken), Span: f.Span()})
	}
	b.properties(errs)
	claimed := func(p *system.Property) bool { return !p.Tried }
	silent := m.Deadlock || made != nil && made.Silent
	if !slices.ContainsFunc(b.out.Properties, claimed) && !silent && len(m.Variables) > 0 {
		b.out.Properties = append(b.out.Properties, &system.Property{Name: noError,
			Kind: system.Safety, Term: b.predicate(core.True(p.Space))})
	}
	if errs.Err() != nil {
		return nil
	}
	return b.out
}

// sortOf is the sort of the values of a variable or a parameter: one for each form of values.
func (b *builder) sortOf(name string) *logic.Sort {
	var form Form
	key := "value"
	if b.made != nil && b.made.Shows != nil {
		if form = b.made.Shows(name); form != nil {
			key = form.String()
		}
	}
	s := b.sorts[key]
	if s == nil {
		s = &logic.Sort{Kind: logic.KindInterned, Name: key}
		b.sorts[key] = s
		b.out.Sorts = append(b.out.Sorts, s)
		if form != nil {
			b.model.forms[s] = form
		}
	}
	return s
}

// mostPrinted is how many lines of what the assumptions print are shown.
const mostPrinted = 100

// assumptions evaluates what the module assumes of its constants. It gives what they print.
func (b *builder) assumptions(
	ctx context.Context, errs *diag.List,
) (remarks []string) {
	var tests []eval.Test
	all := b.program.Model.Assumptions
	for _, a := range all {
		tests = append(tests, b.program.Test(a.Node))
	}
	printed := 0
	machine := b.program.Machine()
	machine.Within(ctx)
	machine.Printed = func(text string) {
		if printed++; printed <= mostPrinted {
			remarks = append(remarks, "printed: "+text)
		}
	}
	for i, a := range all {
		truth, err := machine.Holds(tests[i], nil, nil)
		switch {
		case errors.Is(err, eval.ErrInterrupted):
			b.model.unassumed = true
			return remarks
		case err != nil:
			at := a.Span
			var e *eval.Error
			if errors.As(err, &e) && e.Span.Source != nil {
				at = e.Span
			}
			errs.Errorf(diag.BadValue, at, "the assumption %s has no value: %v", a.Name, err)
		case !truth:
			errs.Errorf(diag.BadValue, a.Span, "the assumption %s is false of these constants",
				a.Name)
		}
	}
	if printed > mostPrinted {
		remarks = append(remarks, fmt.Sprintf("printed: %d more lines", printed-mostPrinted))
	}
	return remarks
}

// properties makes temporal formulas of the properties. What the specification assumes beside
// fairness is the premise of each.
func (b *builder) properties(errs *diag.List) {
	var premises []*logic.Term
	for _, c := range b.program.Model.Assumed {
		t, err := b.temporal(c.Node)
		if err != nil {
			errs.Errorf(diag.Unsupported, c.Span, "%v", err)
			return
		}
		premises = append(premises, t)
	}
	for i, c := range slices.Concat(b.program.Model.Properties, b.program.Model.Tried) {
		tried := i >= len(b.program.Model.Properties)
		if tried && c.Node.Level() <= core.State {
			continue
		}
		t, err := b.temporal(c.Node)
		switch {
		case err != nil && tried:
			continue
		case err != nil && b.made != nil: // a claim by its name, perhaps
			b.out.Unread = append(b.out.Unread, system.Unread{Name: c.Name, Why: err.Error(),
				Line: c.Span.Line()})
			continue
		case err != nil:
			errs.Errorf(diag.Unsupported, c.Span, "the property %s: %v", c.Name, err)
			continue
		}
		if len(premises) > 0 {
			t = logic.Implies(logic.And(premises...), t)
		}
		b.out.Properties = append(b.out.Properties, &system.Property{Name: c.Name, Tried: tried,
			Kind: system.Temporal, Term: t, Span: b.own(c.Span),
			Possible: core.AsksPossible(c.Node)})
	}
}

// own is a place in the module itself; a place in another file is none there.
func (b *builder) own(span diag.Span) diag.Span { return own(span, b.out.Source) }

func own(span diag.Span, module *diag.Source) diag.Span {
	if span.Source != module {
		return diag.Span{}
	}
	return span
}

// predicate is a formula of states or of steps that the program computes.
func (b *builder) predicate(n core.Node) *logic.Term {
	if b.known[n] == nil {
		_, action := n.(*core.Action)
		b.known[n] = b.newPredicate(n, action || n.Level() >= core.Step)
	}
	return b.known[n]
}

func (b *builder) newPredicate(n core.Node, ofStep bool) *logic.Term {
	number := len(b.model.tests)
	b.model.tests = append(b.model.tests, b.program.Test(n))
	var claim *eval.Claim
	var settled eval.Settled
	if ofStep {
		settled = b.program.Settled(n)
	} else {
		claim = b.program.Claim(n)
	}
	b.model.nodes, b.model.claims = append(b.model.nodes, n), append(b.model.claims, claim)
	b.model.settled = append(b.model.settled, settled)
	sym := &logic.Symbol{Name: fmt.Sprintf("formula%d", number), Kind: logic.Relation,
		Result: logic.Bool, Mutable: true, Derived: true, Span: n.Span()}
	b.out.Symbols = append(b.out.Symbols, sym)
	b.out.Derived = append(b.out.Derived, &system.Derived{Symbol: sym,
		Predicate: &system.Predicate{Number: number, OfStep: ofStep}})
	t := logic.App(sym, logic.Pre)
	t.Span = n.Span()
	return t
}

// moves says of the formulas of a fairness condition that the steps tell them, if they do.
func (b *builder) moves(f *core.Fair) {
	for _, n := range []core.Node{f.Enabled, f.Taken} {
		if t := b.predicate(n); f.Any {
			b.out.DerivedOf(t.Symbol).Predicate.Moves = true
		}
	}
}

// temporal makes a temporal formula of a node.
func (b *builder) temporal(n core.Node) (*logic.Term, error) {
	switch n := n.(type) {
	case *core.Always:
		t, err := b.temporal(n.Arg)
		return logic.Temporal(logic.OpAlways, t), err
	case *core.Eventually:
		t, err := b.temporal(n.Arg)
		return logic.Temporal(logic.OpEventually, t), err
	case *core.LeadsTo:
		return b.two(n.Left, n.Right, func(x, y *logic.Term) *logic.Term {
			return logic.Temporal(logic.OpLeadsTo, x, y)
		})
	case *core.Implies:
		if n.Level() == core.Temporal {
			return b.two(n.Left, n.Right, logic.Implies)
		}
	case *core.Equivalent:
		if n.Level() == core.Temporal {
			return b.two(n.Left, n.Right, logic.Iff)
		}
	case *core.Not:
		if n.Level() == core.Temporal {
			t, err := b.temporal(n.Arg)
			if err != nil {
				return nil, err
			}
			return logic.Not(t), nil
		}
	case *core.Junction:
		if n.Level() == core.Temporal {
			return b.junction(n)
		}
	case *core.If:
		if n.Level() == core.Temporal {
			return b.choice(n)
		}
	case *core.Action:
		return b.predicate(n), nil
	case *core.Fair:
		return b.fair(n), nil
	}
	if n.Level() == core.Temporal {
		return nil, fmt.Errorf("a temporal formula within this kind of expression is not supported")
	}
	if n.Level() == core.Step {
		return nil, fmt.Errorf("a temporal formula has an action only as [A]_v or <<A>>_v")
	}
	return b.predicate(n), nil
}

func (b *builder) two(
	x, y core.Node, f func(x, y *logic.Term) *logic.Term,
) (*logic.Term, error) {
	s, err := b.temporal(x)
	if err != nil {
		return nil, err
	}
	t, err := b.temporal(y)
	if err != nil {
		return nil, err
	}
	return f(s, t), nil
}

func (b *builder) junction(n *core.Junction) (*logic.Term, error) {
	var parts []*logic.Term
	for _, a := range n.Args {
		t, err := b.temporal(a)
		if err != nil {
			return nil, err
		}
		parts = append(parts, t)
	}
	if n.And {
		return logic.And(parts...), nil
	}
	return logic.Or(parts...), nil
}

// choice is an IF: one of two formulas, by the state in which it is evaluated.
func (b *builder) choice(n *core.If) (*logic.Term, error) {
	cond := b.predicate(n.Cond)
	return b.two(n.Then, n.Else, func(yes, no *logic.Term) *logic.Term {
		return logic.Or(logic.And(cond, yes), logic.And(logic.Not(cond), no))
	})
}

// fair is a fairness condition as a formula: if the action is enabled from some time on (or, for a
// strong condition, again and again), it is taken again and again.
func (b *builder) fair(n *core.Fair) *logic.Term {
	again := func(t *logic.Term) *logic.Term {
		return logic.Temporal(logic.OpAlways, logic.Temporal(logic.OpEventually, t))
	}
	possible, taken := b.predicate(n.Enabled), again(b.predicate(n.Taken))
	// Not an implication: that the action is never enabled says nothing against the property.
	if n.Strong {
		return logic.Or(logic.Not(again(possible)), taken)
	}
	return logic.Or(logic.Not(logic.Temporal(logic.OpEventually,
		logic.Temporal(logic.OpAlways, possible))), taken)
}
