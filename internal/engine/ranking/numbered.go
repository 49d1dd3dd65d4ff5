package ranking

import (
	"fmt"
	"slices"

	"erelong.dev/erelong/internal/logic"
	"erelong.dev/erelong/internal/system"
)

// mostLooked is how many integers from the lowest on are looked at in a state, where a formula is
// about all integers between two.
const mostLooked = 4

// numbering is a function from values to integers, such as the ticket of each client, with the
// conditions on a value under which something may be true of its number. The first is no condition.
type numbering struct {
	sym        *logic.Symbol
	vars       []*logic.Var
	conditions []*logic.Term
	holds      func(*logic.Term) bool
}

// numberings lists the functions to integers, with the literals about the same values that are true
// of some and false of some.
func numberings(
	sys *system.System, open []literal, holds func(*logic.Term) bool,
) (out []*numbering) {
	for _, sym := range sys.Symbols {
		if !sym.Mutable || sym.Ghost || sym.Derived || len(sym.Args) == 0 ||
			sym.Result.Base() != logic.Int || slices.Contains(sym.Args, logic.Int) {
			continue
		}
		n := &numbering{sym: sym, vars: tuple(sym.Args, "V"), conditions: []*logic.Term{logic.True},
			holds: holds}
		for _, l := range open {
			if slices.EqualFunc(l.vars, n.vars, func(a, b *logic.Var) bool {
				return logic.SameSort(a.Sort, b.Sort)
			}) && !holds(logic.Forall(l.vars, logic.Not(l.term))) {
				n.conditions = append(n.conditions,
					instantiate(l.term, l.vars, logic.Refs(n.vars)))
			}
		}
		out = append(out, n)
	}
	return out
}

// clauses lists what a test finds true of the numbers.
func (n *numbering) clauses(integers []*logic.Term) (out []*logic.Term) {
	for _, i := range integers {
		out = append(out, n.compared(i)...)
	}
	out = append(out, n.unique()...)
	for _, low := range integers {
		for _, high := range integers {
			if !logic.Equal(low, high) && !n.holds(logic.Le(high, low)) {
				out = append(out, n.complete(low, high)...)
			}
		}
	}
	return out
}

// compared gives the strongest comparison with an integer under each condition. Under a condition
// it says nothing that is true without.
func (n *numbering) compared(i *logic.Term) (out []*logic.Term) {
	value := logic.App(n.sym, logic.Pre, logic.Refs(n.vars)...)
	stronger := []*logic.Term{logic.Eq(value, i), logic.Lt(value, i), logic.Lt(i, value),
		logic.Le(value, i), logic.Le(i, value)}
	for _, c := range n.conditions {
		for k, comparison := range stronger {
			t := logic.Forall(n.vars, logic.Implies(c, comparison))
			if !n.holds(t) {
				continue
			}
			out = append(out, t)
			if c.IsTrue() {
				stronger = stronger[:k]
			}
			break
		}
	}
	return out
}

// unique gives, under each condition, that no two values have the same number.
func (n *numbering) unique() (out []*logic.Term) {
	others := tuple(n.sym.Args, "W")
	a, b := logic.Refs(n.vars), logic.Refs(others)
	var same []*logic.Term
	for i := range a {
		same = append(same, logic.Eq(a[i], b[i]))
	}
	for _, c := range n.conditions {
		t := logic.Forall(slices.Concat(n.vars, others), logic.Implies(
			logic.And(c, instantiate(c, n.vars, b),
				logic.Eq(logic.App(n.sym, logic.Pre, a...), logic.App(n.sym, logic.Pre, b...))),
			logic.And(same...)))
		if n.holds(t) {
			out = append(out, t)
			if c.IsTrue() {
				break
			}
		}
	}
	return out
}

// complete gives, under each condition, that each integer from low to before high is the number of
// a value. Tests look at the first ones; that it is so for all is for solvers to prove.
func (n *numbering) complete(low, high *logic.Term) (out []*logic.Term) {
	for _, c := range n.conditions {
		at := func(i *logic.Term) *logic.Term {
			return logic.Implies(logic.And(logic.Le(low, i), logic.Lt(i, high)),
				logic.Exists(n.vars, logic.And(c,
					logic.Eq(logic.App(n.sym, logic.Pre, logic.Refs(n.vars)...), i))))
		}
		looked := make([]*logic.Term, mostLooked)
		for k := range looked {
			looked[k] = at(logic.Add(low, logic.IntLit(int64(k))))
		}
		if n.holds(logic.And(looked...)) {
			i := &logic.Var{Name: "N", Sort: logic.Int}
			out = append(out, logic.Forall([]*logic.Var{i}, at(logic.Ref(i))))
		}
	}
	return out
}

// integersOf are 0 and the integers without arguments.
func integersOf(sys *system.System) []*logic.Term {
	out := []*logic.Term{logic.IntLit(0)}
	for _, sym := range sys.Symbols {
		if !sym.Ghost && !sym.Derived && sym.Result.Base() == logic.Int && len(sym.Args) == 0 {
			out = append(out, logic.App(sym, logic.Pre))
		}
	}
	return out
}

// tuple makes variables of some sorts, whose names are numbered.
func tuple(sorts []*logic.Sort, name string) (vars []*logic.Var) {
	for i, sort := range sorts {
		vars = append(vars, &logic.Var{Name: fmt.Sprint(name, i+1), Sort: sort})
	}
	return vars
}
