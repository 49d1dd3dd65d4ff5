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
func (s *search) explain(
	ctx context.Context, original *system.System, left []*part, instances []*system.Instance,
) (*result.Trace, *part, string, error) {
	var never, where []string
	for _, part := range left[:min(len(left), explainedParts)] {
		w, err := s.instrument(original, part)
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
	original   *system.System
	sys        *system.System
	part       *part
	action     *system.Action // the added action
	added      []*logic.Symbol
	values     []*logic.Var // of the property and of the choices: parameters of the action
	conditions []*logic.Term
	claim      *system.Property // the action is never taken
}

// instrument builds the instrumented system; nil where a condition of the part cannot be stated
// over the state before the step. The property is pending in a state when the trigger was true in
// it or before, and good has not been true since.
func (s *search) instrument(original *system.System, part *part) (*instrumented, error) {
	p := s.p
	sys := *original
	sys.Symbols, sys.Inits = slices.Clone(original.Symbols), slices.Clone(original.Inits)
	sys.Scenarios, sys.Expectations, sys.Rankings, sys.Actions = nil, nil, nil, nil
	sys.Properties = slices.DeleteFunc(slices.Clone(original.Properties), func(
		q *system.Property,
	) bool {
		return q.Kind != system.Trusted && q.Kind != system.Range
	})
	w := &instrumented{original: original, sys: &sys, part: part}

	// The constants of the property and the choices become parameters.
	// In a run arguments have names, so these are none of the action's parameters and choices.
	variables := map[*logic.Symbol]*logic.Var{}
	named := slices.Concat(part.action.Params, part.action.Relation.Choices)
	variable := func(sym *logic.Symbol) *logic.Var {
		v := &logic.Var{Name: sym.Name, Sort: sym.Result}
		for slices.ContainsFunc(named, func(x *logic.Var) bool {
			return x.Name == v.Name
		}) {
			v.Name += "'"
		}
		variables[sym] = v
		w.values = append(w.values, v)
		return v
	}
	free := func(t *logic.Term) *logic.Term {
		return logic.Map(t, func(t *logic.Term) *logic.Term {
			if t.Op == logic.OpApp && variables[t.Symbol] != nil {
				return logic.Ref(variables[t.Symbol])
			}
			return t
		})
	}
	for _, sym := range p.vars {
		variable(sym)
	}
	vars := slices.Clone(w.values)
	seen := &logic.Symbol{Name: p.fresh("triggered"), Kind: logic.Relation, Result: logic.Bool,
		Mutable: true}
	for _, v := range vars {
		seen.Args = append(seen.Args, v.Sort)
	}
	taken := &logic.Symbol{Name: p.fresh("taken"), Kind: logic.Relation, Result: logic.Bool,
		Mutable: true}
	w.added = []*logic.Symbol{seen, taken}
	sys.Symbols = append(sys.Symbols, w.added...)
	was := logic.App(seen, logic.Pre, logic.Refs(vars)...)
	never := logic.Not(logic.App(taken, logic.Pre))
	sys.Inits = append(sys.Inits, &system.Formula{Term: logic.Forall(vars, logic.Not(was))},
		&system.Formula{Term: never})
	pending := logic.And(logic.Or(was, free(p.trigger)), logic.Not(free(p.good)))

	conditions := []*logic.Term{pending}
	w.conditions = []*logic.Term{free(p.prerequisite())}
	for _, c := range p.choices {
		fits := instantiate(free(c.such), []*logic.Var{c.v},
			[]*logic.Term{logic.Ref(variable(c.symbol))})
		conditions, w.conditions = append(conditions, fits), append(w.conditions, fits)
	}
	for _, c := range part.conditions {
		if c = before(original, p.originals[part.action], c); c == nil {
			return nil, nil
		}
		conditions, w.conditions = append(conditions, free(c)), append(w.conditions, free(c))
	}

	see := system.Update{Symbol: seen, Vars: vars, Args: logic.Refs(vars), Value: pending}
	take := system.Update{Symbol: taken, Value: logic.True}
	for i, a := range original.Actions {
		sys.Actions = append(sys.Actions, withUpdates(a, nil, see))
		if p.sys.Actions[i] != part.action {
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
			if err := system.CodeOf(&sys, w.action); err != nil {
				return nil, nil
			}
		}
		sys.Actions = append(sys.Actions, w.action)
	}
	w.claim = &system.Property{Name: "never " + part.String(), Kind: system.Safety, Term: never}
	sys.Properties = append(sys.Properties, w.claim)
	if err := system.Validate(&sys); err != nil {
		return nil, fmt.Errorf("internal error: the watched system: %w", err)
	}
	return w, nil
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
			return slices.ContainsFunc(w.added, func(sym *logic.Symbol) bool {
				return sym.Name == b.Name
			})
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
	if err := interp.Replay(ctx, w.original, t, nil); err != nil {
		return nil, 0, fmt.Errorf("internal error: a run that takes %s: %w", w.part, err)
	}
	return t, 0, nil
}
