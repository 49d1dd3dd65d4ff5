package eval

import (
	"slices"

	"erelong.dev/erelong/internal/front/tla/core"
)

// Which variables a step changes often tells the truth of a formula of the step: where UNCHANGED x
// stands and x changes, and of [A]_v and <<A>>_v where v stays what it is. There are few sets of
// variables that steps change, so this is found out once for each of them. As in unmoved, it does
// not matter whether the rest has a value.

// Settled is the truth of a formula of a step that changes some variables; known where that alone
// tells it.
type Settled func(moves []bool) (truth, known bool)

// Settled is what the variables that a step changes tell about a formula; nil for nothing.
func (p *Program) Settled(n core.Node) Settled {
	switch n := n.(type) {
	case *core.Named:
		return p.Settled(n.Body)
	case *core.Global:
		return p.Settled(n.Value)
	case *core.Let:
		return p.Settled(n.Body)
	case *core.Equal:
		v, ok := n.Left.(*core.Variable)
		if ok && v.Primed && isOld(v.Index, n.Right) && v.Index < len(p.Model.Variables) {
			return func(moves []bool) (bool, bool) { return !moves[v.Index], true }
		}
	case *core.Junction:
		return settledJunction(p.allSettled(n.Args), n.And)
	case *core.Implies:
		return settledJunction([]Settled{settledNot(p.Settled(n.Left)), p.Settled(n.Right)}, false)
	case *core.Not:
		return settledNot(p.Settled(n.Arg))
	case *core.Quantified:
		// For the elements of no set it is n.All.
		if body := p.Settled(n.Body); body != nil {
			return func(moves []bool) (bool, bool) {
				truth, known := body(moves)
				return truth, known && truth == n.All
			}
		}
	case *core.Action:
		return p.settledAction(n)
	}
	return nil
}

func (p *Program) allSettled(ns []core.Node) []Settled {
	out := make([]Settled, len(ns))
	for i, n := range ns {
		out[i] = p.Settled(n)
	}
	return out
}

func settledNot(s Settled) Settled {
	if s == nil {
		return nil
	}
	return func(moves []bool) (bool, bool) {
		truth, known := s(moves)
		return !truth, known
	}
}

// settledJunction is a conjunction or a disjunction, of which nil is not known.
func settledJunction(args []Settled, and bool) Settled {
	if !slices.ContainsFunc(args, func(s Settled) bool { return s != nil }) {
		return nil
	}
	return func(moves []bool) (bool, bool) {
		all := true
		for _, s := range args {
			if s == nil {
				all = false
				continue
			}
			truth, known := s(moves)
			if known && truth != and {
				return truth, true
			}
			all = all && known
		}
		return and, all
	}
}

// settledAction is [A]_v or <<A>>_v. Where nothing changes that v reads, v stays what it is.
func (p *Program) settledAction(n *core.Action) Settled {
	r := p.c.readingOf(n.Unchanged)
	same := p.Settled(n.Unchanged)
	stays := func(moves []bool) (bool, bool) {
		if !r.opaque && !slices.ContainsFunc(r.primes, func(v int) bool {
			return v >= len(moves) || moves[v]
		}) {
			return true, true
		}
		if same == nil {
			return false, false
		}
		return same(moves)
	}
	if n.Angle {
		return settledJunction([]Settled{settledNot(stays), p.Settled(n.Body)}, true)
	}
	return settledJunction([]Settled{stays, p.Settled(n.Body)}, false)
}
