package ranking

import (
	"fmt"

	"erelong.dev/erelong/internal/logic"
	"erelong.dev/erelong/internal/system"
)

// countdown is the number of steps that are left to a fair action with some values of its
// parameters, where a condition is true, and 0 elsewhere; or the sum of such numbers over all
// values of some variables. The sum is finite, since each instance has finitely many values.
type countdown struct {
	*fairness
	over []*logic.Var // empty for one number
	args []*logic.Term
	when *logic.Term
}

func (w *countdown) String() string {
	return fmt.Sprintf("sum{%s | %s | %s}", logic.Printer{}.Vars(w.over), w.when,
		logic.App(w.left, logic.Pre, w.args...))
}

// can is true where the action can be taken.
func (w *countdown) can() *logic.Term { return instantiate(w.enabled, w.action.Params, w.args) }

// ticks is true in the states that the number counts. There it is more than 0.
func (w *countdown) ticks() *logic.Term {
	return logic.Exists(w.over, w.counts())
}

// counts is ticks of one of the numbers that are added.
func (w *countdown) counts() *logic.Term { return logic.And(w.when, w.can()) }

// grows says, without the number, that it grows by at most h in a step by an action; h is -1 or 0.
// In a step that it counts it goes down by 1, until the action is taken or the number is about
// other values. Where a weakly fair action cannot be taken, it is 0; that of a strongly fair action
// stays the same. A sum does not grow if none of its numbers does, and goes down if one of them
// does, too.
func (w *countdown) grows(by *system.Action, h int) *logic.Term {
	out := logic.Forall(w.over, w.passes(by, min(h, 0)))
	if h < 0 && len(w.over) > 0 {
		out = logic.And(logic.Forall(w.over, w.passes(by, 0)),
			logic.Exists(w.over, w.passes(by, h)))
	}
	return out
}

// passes is grows of one of the numbers that are added.
func (w *countdown) passes(by *system.Action, h int) *logic.Term {
	goesOn, taken := logic.True, logic.BoolLit(by == w.action)
	for i, arg := range w.args {
		goesOn = logic.And(goesOn, logic.Eq(arg, logic.Shift(arg, 1)))
		if by == w.action {
			taken = logic.And(taken, logic.Eq(logic.Ref(by.Params[i]), arg))
		}
	}
	goesOn = logic.And(goesOn, logic.Not(taken))
	zero, counts := logic.Not(logic.Shift(w.when, 1)), w.when
	if w.action.Fairness == system.Weak {
		zero, counts = logic.Or(zero, logic.Not(logic.Shift(w.can(), 1))), w.counts()
	}
	if h < 0 {
		return logic.And(w.counts(), logic.Or(zero, goesOn))
	}
	return logic.Or(zero, logic.And(counts, goesOn))
}

// ticks is true in the states that one of the numbers of steps that are left counts.
func (v *variable) ticks() *logic.Term {
	out := logic.False
	for _, w := range v.left {
		out = logic.Or(out, w.ticks())
	}
	return out
}

// passes says that the sum of numbers of steps that are left grows by at most h, -1 or 0: none of
// them grows, and for -1 one goes down.
func (v *variable) passes(by *system.Action, h int) *logic.Term {
	if len(v.left) == 1 {
		return v.left[0].grows(by, h)
	}
	none, some := logic.True, logic.False
	for _, w := range v.left {
		none, some = logic.And(none, w.grows(by, 0)), logic.Or(some, w.grows(by, -1))
	}
	if h < 0 {
		return logic.And(none, some)
	}
	return none
}
