package ranking

import (
	"slices"

	"erelong.dev/erelong/internal/logic"
)

// maxModuli bounds the lengths that are tried for a ring of integers without a range.
const maxModuli = 4

// cyclic are the distances between two integers along a ring, in both directions: to what moves on
// and begins again, such as a token that is passed from 0 to n - 1 and then to 0. Each is an
// integer without any knowledge of rings, and is proved not to be negative like all variables.
func (c *candidates) cyclic() (out []*variable) {
	moving, fixed := c.integerTerms()
	for _, a := range moving {
		if !c.wraps(a.Symbol) {
			continue
		}
		for _, b := range slices.Concat(moving, fixed) {
			if a == b || !logic.SameSort(a.Symbol.Result, b.Symbol.Result) {
				continue
			}
			for _, n := range c.moduli(a.Symbol.Result, fixed) {
				out = append(out, &variable{term: around(a, b, n)},
					&variable{term: around(b, a, n)})
			}
		}
	}
	return out
}

// around is the distance from one place to another on a ring of n places.
func around(from, to, n *logic.Term) *logic.Term {
	return logic.Ite(logic.Le(from, to), logic.Sub(to, from), logic.Add(n, logic.Sub(to, from)))
}

// moduli are the possible lengths of a ring: the size of the range, and without one, the constants
// of the file, and one more.
func (c *candidates) moduli(s *logic.Sort, fixed []*logic.Term) (out []*logic.Term) {
	one := logic.IntLit(1)
	if s.Kind == logic.KindRange {
		if logic.MaxStep(s.Lo) >= 0 || logic.MaxStep(s.Hi) >= 0 {
			return nil
		}
		return []*logic.Term{logic.NormalValue(logic.Add(logic.Sub(s.Hi, s.Lo), one))}
	}
	for _, t := range fixed {
		if len(t.Args) == 0 && !slices.Contains(c.p.vars, t.Symbol) && len(out) < 2*maxModuli {
			out = append(out, t, logic.Add(t, one))
		}
	}
	return out
}

// wraps reports whether steps move an integer on, and set it to a constant, too.
func (c *candidates) wraps(sym *logic.Symbol) bool {
	moves, restarts := false, false
	var read func(t *logic.Term)
	read = func(t *logic.Term) {
		switch t.Op {
		case logic.OpIte:
			read(t.Args[1])
			read(t.Args[2])
		case logic.OpAdd, logic.OpSub:
			moves = true
		case logic.OpInt:
			restarts = true
		case logic.OpApp:
			restarts = restarts || logic.MaxStep(t) < 0
		}
	}
	for _, a := range c.p.sys.Actions {
		for _, u := range a.Relation.Updates {
			if u.Symbol == sym {
				read(u.Value)
			}
		}
	}
	return moves && restarts
}
