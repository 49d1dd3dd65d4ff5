package ranking

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"

	"erelong.dev/erelong/internal/engine"
	"erelong.dev/erelong/internal/engine/temporal"
	"erelong.dev/erelong/internal/interp"
	"erelong.dev/erelong/internal/logic"
	"erelong.dev/erelong/internal/result"
	"erelong.dev/erelong/internal/system"
)

// A proof knows the fairness of actions with the values that have names: the variables of the
// property, the choices, and constants. Where a run of an instance is pending for ever and fair to
// these values, no proof rests on them alone: another value must get a name. Where the property is
// pending in every state that is not good, since its trigger does not persist, and a fair run is
// never good, a condition that persists must be stated.

// endless is a run of an instance that is pending for ever, in a system with less fairness.
type endless struct {
	trace *result.Trace
	off   []result.Fairness // what its loop puts off for ever
}

// neglecting looks for a run that is pending for ever, and puts off actions with values that have
// no name, or nothing at all. Where there is none in any instance, and all were explored, the names
// suffice.
func (d *diagnosis) neglecting(
	ctx context.Context, instances []*system.Instance,
) (run *endless, suffice bool, err error) {
	claim := logic.Temporal(logic.OpLeadsTo, d.p.trigger, d.p.good)
	weak := d.about(claim)
	for i, a := range weak.Actions {
		if a.Fairness == system.Unfair {
			continue
		}
		b := *a
		b.FairIf = d.nameable(d.p.sys.Actions[i], a)
		if b.FairIf == nil {
			b.Fairness = system.Unfair
		}
		weak.Actions[i] = &b
	}
	suffice = len(instances) > 0
	for _, in := range instances {
		run, holds, err := d.endless(ctx, weak, in)
		suffice = suffice && holds
		if run != nil && len(run.off) == 0 { // fair to everything?
			run, _, err = d.endless(ctx, d.about(claim), in)
			if err == nil && run != nil {
				run.off, run.trace.Instance = nil, in.Name
				return run, false, d.settle(ctx, run.trace, "it is pending for ever", "")
			}
		}
		if err != nil {
			return nil, false, err
		}
		if run == nil {
			continue
		}
		return run, false, d.settle(ctx, run.trace, "it is pending for ever", ": the loop is fair "+
			"to the values that have names, and puts off "+calls(run.off))
	}
	return nil, suffice, nil
}

// unheld looks for a fair run that is never good, where the property counts as pending in every
// state that is not good, for want of a condition that persists.
func (d *diagnosis) unheld(
	ctx context.Context, instances []*system.Instance,
) (*endless, error) {
	if d.ends == "" {
		return nil, nil
	}
	claim := logic.Temporal(logic.OpLeadsTo, logic.True, d.p.good)
	for _, in := range instances {
		run, _, err := d.endless(ctx, d.about(claim), in)
		if err != nil {
			return nil, err
		}
		if run != nil {
			return run, d.settle(ctx, run.trace, "a fair run in which it is never good", "")
		}
	}
	return nil, nil
}

// nameable is a condition on the parameters of a fair action, over the user's system: it is true of
// values that have names or are among the places of a lexicographic order, and where fairness asks
// for the action. A choice is any value that satisfies its condition. The result is nil where no
// proof can rest on the action.
func (d *diagnosis) nameable(extended, a *system.Action) *logic.Term {
	p := d.p
	i := slices.IndexFunc(p.fair, func(f *fairness) bool { return f.action == extended })
	if i < 0 {
		return nil
	}
	are := func(args []*logic.Term) *logic.Term {
		var same []*logic.Term
		for j, x := range a.Params {
			same = append(same, logic.Eq(logic.Ref(x), args[j]))
		}
		return logic.And(same...)
	}
	var some []*logic.Term
	for _, args := range p.tuples(p.fair[i].left.Args) {
		some = append(some, are(args))
	}
	for _, v := range d.vars {
		for _, w := range v.left {
			if w.fairness == p.fair[i] && len(w.over) > 0 {
				some = append(some, logic.Exists(w.over, logic.And(w.when, are(w.args))))
			}
		}
		if l := v.lexicographic; l != nil && l.fair == p.fair[i] {
			some = append(some, logic.Exists([]*logic.Var{l.place},
				logic.And(l.such, are(l.args))))
		}
	}
	known := logic.Or(some...)
	for _, c := range slices.Backward(p.choices) {
		if !logic.Occurs(known, c.symbol, logic.Pre) {
			continue
		}
		known = logic.Exists([]*logic.Var{c.v}, replace(logic.And(c.such, known),
			[]*logic.Symbol{c.symbol}, []*logic.Term{logic.Ref(c.v)}))
	}
	return due(a, known)
}

// about is the user's system with one claim, about the values of constants for the property's
// variables.
func (d *diagnosis) about(claim *logic.Term) *system.System {
	sys := *d.p.original
	sys.Symbols = append(slices.Clone(sys.Symbols), d.p.vars...)
	sys.Actions = slices.Clone(sys.Actions)
	sys.Scenarios, sys.Expectations, sys.Rankings = nil, nil, nil
	sys.Properties = slices.DeleteFunc(slices.Clone(sys.Properties),
		func(q *system.Property) bool {
			return q.Kind != system.Trusted && q.Kind != system.Range
		})
	sys.Properties = append(sys.Properties,
		&system.Property{Name: claimed, Kind: system.Liveness, Term: claim})
	return &sys
}

// endlessStates bounds the states of an instance that are looked at for a run without end.
const endlessStates = 200_000

// claimed is the name of a claim about a system; no name of the user's has a space.
const claimed = "the property"

// endless gives a run of an instance of a system that violates its claim; nil where there is none,
// which is then certain, or where none was found within the limits.
func (d *diagnosis) endless(
	ctx context.Context, sys *system.System, in *system.Instance,
) (run *endless, none bool, err error) {
	results, err := temporal.Check(ctx, sys, in,
		temporal.Options{Only: []string{claimed}, Limits: engine.Limits{States: endlessStates}})
	var wrong *interp.ActionError
	switch {
	case engine.IsRefusal(err) || errors.As(err, &wrong) || ctx.Err() != nil:
		return nil, false, nil
	case err != nil:
		return nil, false, fmt.Errorf("looking for a run that is pending for ever: %w", err)
	case results[0].Verdict != result.Violated:
		return nil, results[0].Verdict == result.Holds, nil
	}
	t := results[0].Trace
	run = &endless{trace: t}
	for _, f := range t.Fairness {
		a := actionOf(d.p.original, f.Action)
		if (f.Why == result.Excused || f.Why == result.NeverDue) && a.FairIf == nil &&
			!takenIn(t, f) {
			run.off = append(run.off, f)
		}
	}
	return run, false, nil
}

// takenIn reports whether a step of the loop is one of an action with given parameters.
func takenIn(t *result.Trace, f result.Fairness) bool {
	is := func(step result.Step) bool {
		return step.Action == f.Action && len(step.Args) >= len(f.Args) &&
			slices.EqualFunc(step.Args[:len(f.Args)], f.Args, func(a, b result.Binding) bool {
				return a.Value.Equal(b.Value)
			})
	}
	return is(t.Back) || slices.ContainsFunc(t.Steps[t.Loop+1:], is)
}

// settle makes the run one of the user's system: what was added to it is left out, but for the
// values of the property's variables, which what it shows names.
func (d *diagnosis) settle(ctx context.Context, t *result.Trace, shows, more string) error {
	t.Shows = shows + d.valuesIn(t) + more
	t.Kind, t.Violates, t.Why, t.Fairness, t.Line = result.Witness, "", nil, nil, d.p.line
	t.Params = slices.DeleteFunc(t.Params, func(b result.Binding) bool {
		return slices.ContainsFunc(d.p.vars, func(v *logic.Symbol) bool { return v.Name == b.Name })
	})
	if err := interp.Replay(ctx, d.p.original, t, nil); err != nil {
		return fmt.Errorf("internal error: a run that is pending for ever: %w", err)
	}
	return nil
}

// valuesIn says which values the property's variables have in a run.
func (d *diagnosis) valuesIn(t *result.Trace) string {
	var values []string
	for _, b := range t.Params {
		if slices.ContainsFunc(d.p.vars, func(v *logic.Symbol) bool { return v.Name == b.Name }) {
			values = append(values, b.Name+" = "+b.Value.String())
		}
	}
	if len(values) == 0 {
		return ""
	}
	return " for " + strings.Join(values, ", ")
}

// mostCalls bounds the actions that a sentence names.
const mostCalls = 4

// calls lists actions with their parameters.
func calls(of []result.Fairness) string {
	var out []string
	for i, f := range of {
		if i == mostCalls {
			out = append(out, fmt.Sprintf("%d more", len(of)-i))
			break
		}
		var args []string
		for _, b := range f.Args {
			args = append(args, b.Name+" = "+b.Value.String())
		}
		out = append(out, fmt.Sprintf("%s(%s)", f.Action, strings.Join(args, ", ")))
	}
	return strings.Join(out, ", ")
}
