package system

import (
	"fmt"
	"slices"

	"erelong.dev/erelong/internal/logic"
)

// abstraction replaces what a goal says of the inputs of a step by variables that may have any
// value. So it makes a stronger goal without inputs. Equal terms become the same variable. For
// inputs without arguments the result is equivalent to the goal.
type abstraction struct {
	inputs []*logic.Symbol
	open   []*abstracted               // the ones that no quantifier binds yet
	done   map[*logic.Term]*logic.Term // with the open variables
}

// abstracted is a term and the variable in its place.
type abstracted struct {
	term   *logic.Term
	v      *logic.Var
	uses   int // how often it was asked for
	guards int // how often as a whole condition of a goal
}

// abstract makes a goal without inputs of a goal.
func abstract(goal *logic.Term, inputs []*logic.Symbol) *logic.Term {
	if len(inputs) == 0 {
		return goal
	}
	// What is true whatever an input is does not depend on it.
	goal = logic.Map(goal, logic.Simplified)
	x := &abstraction{inputs: inputs, done: map[*logic.Term]*logic.Term{}}
	return x.bind(x.goal(goal), func(*abstracted) bool { return true })
}

func (x *abstraction) goal(t *logic.Term) *logic.Term {
	switch t.Op {
	case logic.OpAnd:
		return logic.Simplified(logic.MapArgs(t, x.goal))
	case logic.OpImplies:
		return logic.Implies(x.condition(t.Args[0]), x.goal(t.Args[1]))
	case logic.OpForall:
		body := x.bind(x.goal(t.Args[0]), func(a *abstracted) bool {
			return slices.ContainsFunc(logic.FreeVars(a.term), func(v *logic.Var) bool {
				return slices.Contains(t.Vars, v)
			})
		})
		return logic.Forall(t.Vars, body)
	}
	return x.term(t)
}

// condition is a condition of a goal.
func (x *abstraction) condition(t *logic.Term) *logic.Term {
	if t.Op == logic.OpAnd {
		out := make([]*logic.Term, len(t.Args))
		for i, a := range t.Args {
			out[i] = x.condition(a)
		}
		return logic.And(out...).At(t.Span)
	}
	out := x.term(t)
	if i := slices.IndexFunc(x.open, func(a *abstracted) bool {
		return out.Op == logic.OpVar && out.Var == a.v
	}); i >= 0 {
		x.open[i].guards++
	}
	return out
}

// bind puts quantifiers over open variables around a goal. A variable that is nothing but a
// condition of goals is true in the strongest of them.
func (x *abstraction) bind(goal *logic.Term, here func(*abstracted) bool) *logic.Term {
	x.open = slices.DeleteFunc(x.open, func(a *abstracted) bool {
		if !here(a) {
			return false
		}
		if a.uses == a.guards {
			goal = logic.Subst(goal, map[*logic.Var]*logic.Term{a.v: logic.True})
		} else {
			goal = logic.Forall([]*logic.Var{a.v}, goal)
		}
		return true
	})
	clear(x.done)
	return goal
}

// term replaces the applications of inputs in a term. Where one depends on a variable that is bound
// within the term, it replaces the binder with all that is in it.
func (x *abstraction) term(t *logic.Term) *logic.Term {
	if out, ok := x.done[t]; ok {
		for _, a := range x.open {
			if out.Op == logic.OpVar && out.Var == a.v {
				a.uses++
			}
		}
		return out
	}
	out := t
	switch {
	case !x.has(t, nil):
	case t.Op == logic.OpApp && slices.Contains(x.inputs, t.Symbol), len(t.Vars) > 0 && x.has(t, t):
		out = logic.Ref(x.variable(t)).At(t.Span)
	default:
		out = logic.MapArgs(t, x.term)
	}
	x.done[t] = out
	return out
}

// has reports whether an input occurs in a term; with around, only whether one occurs that depends
// on a variable that is bound in around.
func (x *abstraction) has(t, around *logic.Term) bool {
	var free []*logic.Var
	if around != nil {
		free = logic.FreeVars(around)
	}
	return logic.Has(t, func(t *logic.Term) bool {
		return t.Op == logic.OpApp && slices.Contains(x.inputs, t.Symbol) &&
			(around == nil || slices.ContainsFunc(logic.FreeVars(t), func(v *logic.Var) bool {
				return !slices.Contains(free, v)
			}))
	})
}

// variable is the variable in the place of a term. Where the range of an input is empty, the step
// does not happen, or it does not depend on the input.
func (x *abstraction) variable(t *logic.Term) *logic.Var {
	for _, a := range x.open {
		if logic.Equal(a.term, t) {
			a.uses++
			return a.v
		}
	}
	v := &logic.Var{Name: fmt.Sprintf("any%d", len(x.open)+1), Sort: t.Sort, Span: t.Span}
	if t.Op == logic.OpApp && t.Symbol.Result.Kind == logic.KindRange {
		v.Sort = nonEmpty(t.Symbol.Result)
	}
	x.open = append(x.open, &abstracted{term: t, v: v, uses: 1})
	return v
}
