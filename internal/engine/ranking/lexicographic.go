package ranking

import (
	"fmt"
	"slices"

	"erelong.dev/erelong/internal/logic"
	"erelong.dev/erelong/internal/system"
)

// lexicographic is one number for each place of a finite range: the steps that are left to a fair
// action of that place, and 0 where a condition is false; or, without an action, the digits of a
// number: 1 where the condition is true, and 0 elsewhere. In a step that makes it smaller, the
// number of some place decreases, and the numbers of the places before it stay the same. The
// numbers of the places after it may grow without bound. (Lotan, Shoham: Implicit rankings for
// verifying liveness properties in first-order logic, TACAS 2025, where it is the lexicographic
// constructor over a domain.)
//
// It serves where fair actions wait for each other in a row, of which nobody knows the length: a
// philosopher waits for the next one, who waits for the next one. Then each of them has an action
// of its own to wait for, and a sum of the numbers may grow.
//
// It is no integer. It is an ordinal below omega to the power of the number of places, and the
// solvers see an integer of which they know nothing but its growth: by at most -1 means that it is
// less, and by at most 0 that it is not more. A function may still add it to integers and multiply
// it by factors: with the natural sum of ordinals, which is commutative and cancels, the growth of
// the sum is at most the sum of the growths. So a function decreases only finitely often.
type lexicographic struct {
	place     *logic.Var // of a range
	such      *logic.Term
	fair      *fairness     // nil for digits
	args      []*logic.Term // of the fair action, over place
	downwards bool          // the highest place comes first
}

// at is the number of a place.
func (l *lexicographic) at(place *logic.Var) *countdown {
	out := &countdown{fairness: l.fair, when: l.of(place, l.such)}
	for _, arg := range l.args {
		out.args = append(out.args, l.of(place, arg))
	}
	return out
}

// of is a term over the place for another one.
func (l *lexicographic) of(place *logic.Var, t *logic.Term) *logic.Term {
	return instantiate(t, []*logic.Var{l.place}, []*logic.Term{logic.Ref(place)})
}

// grows is a formula over the two states of a step by an action which implies that it grows by at
// most h, for h of -1 or 0.
func (l *lexicographic) grows(by *system.Action, h int) *logic.Term {
	return l.ordered(h,
		func(place *logic.Var) *logic.Term { return l.growsAt(place, by, 0) },
		func(place *logic.Var) *logic.Term { return l.growsAt(place, by, -1) })
}

// ordered says the same with what the numbers of the places do: one does not grow, or it falls.
func (l *lexicographic) ordered(
	h int, still, falls func(place *logic.Var) *logic.Term,
) *logic.Term {
	here, before := l.named("K"), l.named("J")
	first, then := logic.Ref(before), logic.Ref(here)
	if l.downwards {
		first, then = then, first
	}
	out := logic.Forall([]*logic.Var{here}, logic.Or(still(here),
		logic.Exists([]*logic.Var{before}, logic.And(logic.Lt(first, then), falls(before)))))
	if h < 0 {
		some := l.named("K")
		out = logic.And(out, logic.Exists([]*logic.Var{some}, falls(some)))
	}
	return out
}

// growsAt is grows for the number of one place.
func (l *lexicographic) growsAt(place *logic.Var, by *system.Action, h int) *logic.Term {
	if l.fair != nil {
		return l.at(place).grows(by, h)
	}
	such := l.of(place, l.such)
	gone := logic.Not(logic.Shift(such, 1))
	if h < 0 {
		return logic.And(such, gone)
	}
	return logic.Or(such, gone)
}

func (l *lexicographic) named(name string) *logic.Var {
	return &logic.Var{Name: name, Sort: l.place.Sort}
}

// ticks is true in the steps that some of the numbers count.
func (l *lexicographic) ticks() *logic.Term {
	can := instantiate(l.fair.enabled, l.fair.action.Params, l.args)
	return logic.Exists([]*logic.Var{l.place}, logic.And(l.such, can))
}

func (l *lexicographic) String() string {
	order := "upwards"
	if l.downwards {
		order = "downwards"
	}
	place := logic.Printer{}.Vars([]*logic.Var{l.place})
	if l.fair == nil {
		return fmt.Sprintf("lexicographic{%s %s | %s}", place, order, l.such)
	}
	return fmt.Sprintf("lexicographic{%s %s | %s | %s}", place, order, l.such,
		logic.App(l.fair.left, logic.Pre, l.args...))
}

// inOrder are the lexicographic orders of the places that the user counts, upwards and downwards:
// of digits, and of each strongly fair action that has such a place. A weakly fair action that is
// waited for stays possible, so its place can be chosen.
func (c *candidates) inOrder() (out []*variable) {
	for _, v := range c.named {
		if v.count == nil || len(v.count.vars) != 1 || !finiteRange(v.count.vars[0].Sort) {
			continue
		}
		place := v.count.vars[0]
		add := func(f *fairness, args []*logic.Term, downwards bool) {
			order := c.lexicographic(&lexicographic{place, v.count.such, f, args, downwards})
			order.hint = v.hint
			out = append(out, order)
		}
		add(nil, nil, true)
		add(nil, nil, false)
		for _, f := range c.p.fair {
			if f.action.Fairness != system.Strong {
				continue
			}
			for i, param := range f.action.Params {
				if !logic.SameSort(param.Sort, place.Sort) {
					continue
				}
				others := slices.Delete(slices.Clone(f.left.Args), i, i+1)
				for _, args := range c.p.tuples(others) {
					args = slices.Insert(args, i, logic.Ref(place))
					add(f, args, false)
					add(f, args, true)
				}
			}
		}
	}
	return out
}

// lexicographic makes the variable for an order.
func (c *candidates) lexicographic(l *lexicographic) *variable {
	return &variable{term: logic.App(c.p.unseen(l.String()), logic.Pre), lexicographic: l,
		nonNegative: true}
}

// finiteRange reports whether a sort is a range that no step changes.
func finiteRange(s *logic.Sort) bool {
	return s.Kind == logic.KindRange && logic.MaxStep(s.Lo) < logic.Pre &&
		logic.MaxStep(s.Hi) < logic.Pre
}
