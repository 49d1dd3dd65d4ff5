package system

import (
	"slices"

	"erelong.dev/erelong/internal/logic"
)

// What proofs know of recursive relations from one state to the next: a solver unfolds a definition
// a few times, and makes no induction. The law below is an induction over a number. It is true of
// any two relations over numbers with a least one, whatever defines them.

// Recursive lists the derived relations whose definitions read the relation itself, and that have a
// number as an argument.
func (s *System) Recursive() (out []*Derived) {
	for _, d := range s.Derived {
		if d.Fold == nil && d.Predicate == nil && d.Body == nil && d.Symbol.Mutable &&
			d.Symbol.Result.Kind == logic.KindBool &&
			slices.ContainsFunc(d.Symbol.Args, isNumber) && calls(d) > 1 {
			out = append(out, d)
		}
	}
	return out
}

func isNumber(s *logic.Sort) bool {
	return s.Kind == logic.KindInt || s.Kind == logic.KindRange
}

// calls counts how often the definition applies the relation: once is what is defined.
func calls(d *Derived) (n int) {
	for t := range logic.Applications(d.Axiom) {
		if t.Symbol == d.Symbol {
			n++
		}
	}
	return n
}

// Lasting are laws about a recursive relation in state Pre and in state Post, one for each number
// that it has as an argument: if a number has the relation before and not after, there is a least
// such one. For int, it is about the numbers from 0 on.
func (d *Derived) Lasting() (out []Law) {
	for i, s := range d.Symbol.Args {
		if !isNumber(s) {
			continue
		}
		vars := make([]*logic.Var, len(d.Symbol.Args))
		for j, sort := range d.Symbol.Args {
			vars[j] = &logic.Var{Name: "k", Sort: sort}
		}
		number := func(name string) *logic.Var { return &logic.Var{Name: name, Sort: s} }
		at := func(v *logic.Var, step int) *logic.Term {
			args := logic.Refs(vars)
			args[i] = logic.Ref(v)
			return logic.App(d.Symbol, step, args...)
		}
		lost := func(v *logic.Var) *logic.Term {
			x := logic.And(at(v, logic.Pre), logic.Not(at(v, logic.Post)))
			if s.Kind == logic.KindInt {
				x = logic.And(logic.Le(logic.IntLit(0), logic.Ref(v)), x)
			}
			return x
		}
		least, smaller := number("least"), number("smaller")
		first := logic.Exists([]*logic.Var{least}, logic.And(lost(least),
			logic.Forall([]*logic.Var{smaller}, logic.Implies(
				logic.Lt(logic.Ref(smaller), logic.Ref(least)), logic.Not(lost(smaller))))))
		out = append(out, Law{Term: logic.Forall(vars, logic.Implies(lost(vars[i]), first)),
			Triggers: []*logic.Term{at(vars[i], logic.Post)}, Of: []*Derived{d, d}})
	}
	return out
}
