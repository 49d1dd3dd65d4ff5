package ranking

import (
	"slices"

	"erelong.dev/erelong/internal/logic"
	"erelong.dev/erelong/internal/system"
)

// mostInstances is how many instances of one formula atIntegers gives.
const mostInstances = 8

// atIntegers gives instances of what invariants say of every integer, at the integers that a goal
// speaks of. They follow from the invariants. Solvers have no pattern by which they would find
// them: in `forall N: int. 0 <= N & N < next -> exists I. number(I) = N` nothing but arithmetic
// tells which N.
func atIntegers(invariants []*system.Property, goal *logic.Term) (instances []*logic.Term) {
	var numbers []*logic.Term
	logic.Walk(goal, func(t *logic.Term) bool {
		if t.Sort.Kind == logic.KindInt && len(logic.FreeVars(t)) == 0 &&
			!slices.ContainsFunc(numbers, func(n *logic.Term) bool {
				return n.String() == t.String()
			}) {
			numbers = append(numbers, t)
		}
		return true
	})
	numbers = numbers[:min(len(numbers), mostInstances)]
	eachConjunct(invariants, func(_ string, c *logic.Term) {
		if c.Op != logic.OpForall || len(c.Vars) != 1 || c.Vars[0].Sort.Kind != logic.KindInt {
			return
		}
		for _, n := range numbers {
			instances = append(instances,
				logic.Subst(c.Args[0], map[*logic.Var]*logic.Term{c.Vars[0]: n}))
		}
	})
	return instances
}
