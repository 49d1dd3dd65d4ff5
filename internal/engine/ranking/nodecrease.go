package ranking

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"erelong.dev/erelong/internal/engine"
	"erelong.dev/erelong/internal/engine/explicit"
	"erelong.dev/erelong/internal/interp"
	"erelong.dev/erelong/internal/logic"
	"erelong.dev/erelong/internal/result"
	"erelong.dev/erelong/internal/system"
)

// Limits of the search for a step in which no function decreases.
const (
	explainedParts  = 8
	explainedStates = 20_000 // of an instance
)

// explain explores instances for steps of the parts in which nothing decreases. It gives a shortest
// run that takes a step of the first part that has one. If no part has one in explored instances,
// the text says so.
func (d *diagnosis) explain(
	ctx context.Context, instances []*system.Instance,
) (*result.Trace, *part, string, error) {
	var never, where []string
	for _, part := range d.left[:min(len(d.left), explainedParts)] {
		w, err := instrument(d.p, part)
		if err != nil {
			return nil, nil, "", err
		}
		if w == nil {
			continue
		}
		var none []string
		for _, in := range instances {
			t, states, err := w.run(ctx, in)
			if err != nil || t != nil {
				return t, part, "", err
			}
			if states > 0 {
				none = append(none, fmt.Sprintf("%s (%d states)", in.Name, states))
			}
		}
		if len(none) > 0 {
			never = append(never, part.String())
			if len(none) > len(where) {
				where = none
			}
		}
	}
	if len(never) == 0 {
		return nil, nil, "", ctx.Err()
	}
	areTaken := "are never taken"
	if len(never) == 1 {
		areTaken = "is never taken"
	}
	return nil, nil, fmt.Sprintf("%s %s while it is pending in %s", strings.Join(never, "; "),
		areTaken, strings.Join(where, ", ")), ctx.Err()
}

// instrumented is the user's system with one more action, which takes the steps of a part while the
// property is pending, and with relations that record the past which this needs.
type instrumented struct {
	p          *problem
	sys        *system.System
	part       *part
	seen       *logic.Symbol  // the relation of what has been triggered and was not good since
	taken      *logic.Symbol  // whether a step of the part was taken
	action     *system.Action // the added action
	values     []*logic.Var   // of the property and of the choices: parameters of the action
	of         []*logic.Symbol
	conditions []*logic.Term
	claim      *system.Property // the action is never taken
}

// instrument builds the instrumented system; nil where a condition of the part cannot be stated
// over the state before the step.
func instrument(p *problem, part *part) (*instrumented, error) {
	sys := *p.original
	sys.Symbols, sys.Inits = slices.Clone(sys.Symbols), slices.Clone(sys.Inits)
	sys.Scenarios, sys.Expectations, sys.Rankings, sys.Actions = nil, nil, nil, nil
	sys.Properties = slices.DeleteFunc(slices.Clone(sys.Properties), func(
		q *system.Property,
	) bool {
		return q.Kind != system.Trusted && q.Kind != system.Range
	})
	w := &instrumented{p: p, sys: &sys, part: part}
	see := w.record()
	w.conditions = []*logic.Term{w.free(p.prerequisite())}
	for _, c := range p.choices {
		w.conditions = append(w.conditions, instantiate(w.free(c.such), []*logic.Var{c.v},
			[]*logic.Term{logic.Ref(w.variable(c.symbol))}))
	}
	for _, c := range part.conditions {
		if c = before(p.original, p.originals[part.action], c); c == nil {
			return nil, nil
		}
		w.conditions = append(w.conditions, w.free(c))
	}
	if !w.watch(see) {
		return nil, nil
	}
	if err := system.Validate(&sys); err != nil {
		return nil, fmt.Errorf("internal error: the watched system: %w", err)
	}
	return w, nil
}

// variable is a parameter in the place of a constant of the property, or of a choice. In a run
// arguments have names, so it is none of the action's parameters and choices.
func (w *instrumented) variable(sym *logic.Symbol) *logic.Var {
	named := slices.Concat(w.part.action.Params, w.part.action.Relation.Choices)
	v := &logic.Var{Name: sym.Name, Sort: sym.Result}
	for slices.ContainsFunc(named, func(x *logic.Var) bool { return x.Name == v.Name }) {
		v.Name += "'"
	}
	w.of, w.values = append(w.of, sym), append(w.values, v)
	return v
}

// free has these parameters in the place of the constants.
func (w *instrumented) free(t *logic.Term) *logic.Term {
	return replace(t, w.of, logic.Refs(w.values))
}

// record adds the relations that record the past, and gives the update of what has been triggered:
// the property is pending in a state when the trigger was true in it or before, and good has not
// been true since.
func (w *instrumented) record() (see system.Update) {
	for _, sym := range w.p.vars {
		w.variable(sym)
	}
	vars := slices.Clone(w.values)
	w.seen = &logic.Symbol{Name: w.p.fresh("triggered"), Kind: logic.Relation, Result: logic.Bool,
		Mutable: true}
	for _, v := range vars {
		w.seen.Args = append(w.seen.Args, v.Sort)
	}
	w.taken = &logic.Symbol{Name: w.p.fresh("taken"), Kind: logic.Relation, Result: logic.Bool,
		Mutable: true}
	w.sys.Symbols = append(w.sys.Symbols, w.seen, w.taken)
	was := logic.App(w.seen, logic.Pre, logic.Refs(vars)...)
	never := logic.Not(logic.App(w.taken, logic.Pre))
	w.sys.Inits = append(w.sys.Inits,
		&system.Formula{Term: logic.Forall(vars, logic.Not(was))}, &system.Formula{Term: never})
	w.claim = &system.Property{Name: "never " + w.part.String(), Kind: system.Safety, Term: never}
	w.sys.Properties = append(w.sys.Properties, w.claim)
	return system.Update{Symbol: w.seen, Vars: vars, Args: logic.Refs(vars), Value: logic.And(
		logic.Or(was, w.free(w.p.trigger)), logic.Not(w.free(w.p.good)))}
}

// watch has the actions record the past, and adds the one that takes the steps of the part. It
// reports whether that has a program.
func (w *instrumented) watch(see system.Update) bool {
	take := system.Update{Symbol: w.taken, Value: logic.True}
	conditions := append([]*logic.Term{see.Value}, w.conditions[1:]...)
	for i, a := range w.p.original.Actions {
		w.sys.Actions = append(w.sys.Actions, withUpdates(a, nil, see))
		if w.p.sys.Actions[i] != w.part.action {
			continue
		}
		w.action = withUpdates(a, conditions, see, take)
		w.action.Name += " watched"
		w.action.Params = append(slices.Clone(a.Params), w.values...)
		if slices.ContainsFunc(conditions, func(c *logic.Term) bool {
			return mentions(c, a.Relation.Choices)
		}) {
			// A value that the user's program chooses has no name before it is chosen.
			w.action.Imperative = false
			if err := system.CodeOf(w.sys, w.action); err != nil {
				return false
			}
		}
		w.sys.Actions = append(w.sys.Actions, w.action)
	}
	return true
}

// withUpdates gives a copy of an action with conditions added to its guard and with further
// updates, all over state Pre.
func withUpdates(a *system.Action, conditions []*logic.Term, more ...system.Update) *system.Action {
	b, rel := *a, *a.Relation
	rel.Guard = append(slices.Clone(rel.Guard), conditions...)
	rel.Updates = append(slices.Clone(rel.Updates), more...)
	b.Relation = &rel
	b.Modifies = slices.Clone(a.Modifies)
	for _, u := range more {
		b.Modifies = append(b.Modifies, u.Symbol)
	}
	b.Code = append([]system.Stmt{system.Require{Cond: logic.And(conditions...)},
		system.Assign{Updates: more}}, a.Code...)
	return &b
}

func mentions(t *logic.Term, vars []*logic.Var) bool {
	return slices.ContainsFunc(logic.FreeVars(t), func(v *logic.Var) bool {
		return slices.Contains(vars, v)
	})
}

// run gives a shortest run of an instance that ends with a step of the part. If there is none, it
// gives the number of states of the instance, or 0 when not all of them were explored.
func (w *instrumented) run(ctx context.Context, in *system.Instance) (*result.Trace, int64, error) {
	results, err := explicit.Check(ctx, w.sys, in,
		explicit.Options{Only: []string{w.claim.Name},
			Limits: engine.Limits{States: explainedStates}})
	switch {
	case engine.IsRefusal(err) || ctx.Err() != nil:
		return nil, 0, nil
	case err != nil:
		return nil, 0, fmt.Errorf("looking for a run that takes %s: %w", w.part, err)
	case results[0].Verdict == result.Holds:
		return nil, results[0].States, nil
	case results[0].Verdict != result.Violated:
		return nil, 0, nil
	}
	t := results[0].Trace
	t.Kind, t.Violates, t.Line = result.Witness, "", w.part.action.Span.Line()
	t.Shows = "no ranking function was found that decreases in this step: " + w.part.String()
	for i := range t.Steps {
		t.Steps[i].State = slices.DeleteFunc(t.Steps[i].State, func(b result.Binding) bool {
			return b.Name == w.seen.Name || b.Name == w.taken.Name
		})
	}
	last := &t.Steps[len(t.Steps)-1]
	last.Action = w.part.action.Name
	why := &result.Why{Text: logic.And(w.conditions...).String(), Value: result.Bool(true)}
	last.Args = slices.DeleteFunc(last.Args, func(b result.Binding) bool {
		value := slices.ContainsFunc(w.values, func(v *logic.Var) bool { return v.Name == b.Name })
		if value {
			why.Witness = append(why.Witness, b)
		}
		return value
	})
	for _, c := range w.conditions {
		why.Subformulas = append(why.Subformulas,
			&result.Why{Text: c.String(), Value: result.Bool(true)})
	}
	t.Why = why
	if err := interp.Replay(ctx, w.p.original, t, nil); err != nil {
		return nil, 0, fmt.Errorf("internal error: a run that takes %s: %w", w.part, err)
	}
	return t, 0, nil
}
