package eval

import (
	"slices"

	"erelong.dev/erelong/internal/front/tla/core"
)

// strict lists the places that a node reads whatever their values are, as p in p + 1 and in
// IF p = {} THEN .. ELSE ... What an operator is applied to, and what a LET stands for, is computed
// where it is read first. A node that reads it in any case has it computed before, so that its
// number tells what is remembered.
func (c *compiler) strict(n core.Node) (out []int) {
	switch n := n.(type) {
	case *core.Named:
		return c.readingOf(n.Body).strict
	case *core.Let:
		out = slices.Clone(c.readingOf(n.Body).strict)
		if slices.Contains(out, n.Slot) {
			out = append(out, c.readingOf(n.Value).strict...)
		}
		return slices.DeleteFunc(out, func(s int) bool { return s == n.Slot })
	case *core.If:
		return c.readingOf(n.Cond).strict
	case *core.Case:
		return c.readingOf(n.Conds[0]).strict
	case *core.Junction:
		if len(n.Args) > 0 { // UNCHANGED << >> has none
			return c.readingOf(n.Args[0]).strict
		}
	case *core.Implies:
		return c.readingOf(n.Left).strict
	case *core.Filter:
		return c.readingOf(n.Binding.Set).strict
	case *core.Choose:
		return c.readingOf(n.Binding.Set).strict
	case *core.Quantified:
		return c.readingOf(n.Bindings[0].Set).strict
	case *core.Image:
		return c.readingOf(n.Bindings[0].Set).strict
	case *core.Operator, *core.Equal, *core.In, *core.Not, *core.Equivalent, *core.Select,
		*core.Record:
		core.Parts(n, func(p core.Node) {
			for _, s := range c.readingOf(p).strict {
				out = insert(out, s)
			}
		})
	}
	return out
}
