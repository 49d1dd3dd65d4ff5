package eval

import (
	"slices"

	"erelong.dev/erelong/internal/front/tla/core"
)

// A formula of a step often says of some variables that they stay what they are. Where one of them
// does not, it is false, whatever else it says. This is seen before the rest is computed: above
// all, before a quantifier tries all elements of a set. It does not matter whether the rest has a
// value: what is joined with FALSE is FALSE.

// unmoved lists the variables that stay what they are where a formula is true.
func unmoved(n core.Node) []int {
	switch n := n.(type) {
	case *core.Equal:
		if v, ok := n.Left.(*core.Variable); ok && v.Primed && isOld(v.Index, n.Right) {
			return []int{v.Index}
		}
	case *core.Junction:
		out := unmoved(n.Args[0])
		for _, a := range n.Args[1:] {
			of := unmoved(a)
			if n.And {
				out = append(slices.Clip(out), of...)
			} else {
				out = slices.DeleteFunc(slices.Clone(out), func(v int) bool {
					return !slices.Contains(of, v)
				})
			}
		}
		return out
	case *core.Named:
		return unmoved(n.Body)
	case *core.Let:
		return unmoved(n.Body)
	case *core.Quantified:
		if !n.All {
			return unmoved(n.Body)
		}
	case *core.Action:
		if n.Angle {
			return unmoved(n.Body)
		}
	}
	return nil
}

// refuted lists the variables of which one that moves makes a formula true.
func refuted(n core.Node) []int {
	switch n := n.(type) {
	case *core.Implies:
		return unmoved(n.Left)
	case *core.Not:
		return unmoved(n.Arg)
	case *core.Named:
		return refuted(n.Body)
	case *core.Quantified:
		if n.All {
			return refuted(n.Body)
		}
	}
	return nil
}

// early is a test that looks first at the variables that decide it where they move.
func early(c *compiler, n core.Node, t Test) Test {
	if n.Level() != core.Step {
		return t
	}
	value, of := false, unmoved(n)
	if of == nil {
		value, of = true, refuted(n)
	}
	slices.Sort(of)
	of = slices.DeleteFunc(slices.Compact(of), func(v int) bool {
		return v >= len(c.Model.Variables)
	})
	if len(of) == 0 {
		return t
	}
	return func(m *Machine) bool {
		if !m.forgets && moves(m, of) {
			return value
		}
		return t(m)
	}
}

// moves reports whether one of some variables has another value after the step, as their numbers
// tell.
func moves(m *Machine, variables []int) bool {
	if m.before == nil {
		return false
	}
	for _, v := range variables {
		before, after := m.old(v), m.after[v]
		if before == after || after == nil {
			continue
		}
		_, old := before.ID()
		if _, known := after.ID(); old && known {
			return true
		}
	}
	return false
}
