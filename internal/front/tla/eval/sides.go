package eval

import (
	"slices"

	"erelong.dev/erelong/internal/front/tla/core"
)

// A formula of a step is asked for the steps from one state one after the other, and often for many
// elements of a set. What it computes of one of the two states alone, and of an element, is the
// same for many of them. So it is remembered, even where it takes little work, if it is not
// trivial.

// let is a place that a LET gives a value.
type let struct {
	slot  int
	value core.Node
	outer *let
}

// leastWork is the number of operations from which on a side of a step is remembered.
const leastWork = 6

// markSides finds the parts of a formula of a step that are computed of one side.
func markSides(c *compiler, n core.Node) {
	if n.Level() < core.Step || !readingThrough(c, n).ofStep() {
		return
	}
	core.Parts(n, func(p core.Node) { markSide(c, p) })
}

func markSide(c *compiler, n core.Node) {
	n = unnamed(n)
	switch n.(type) {
	case *core.Shared, *core.Abstraction:
		return
	}
	r := readingThrough(c, n)
	if !r.ofStep() && !r.opaque && r.keys() > 0 && r.keys() <= mostKeys &&
		workOf(n, leastWork) >= leastWork {
		c.sides[n] = r
	}
}

// ofStep reports whether both states of a step are read.
func (r *reading) ofStep() bool { return len(r.variables) > 0 && len(r.primes) > 0 }

// readingThrough is what a node reads, where what LETs around it give values is read instead of
// their places.
func readingThrough(c *compiler, n core.Node) *reading {
	r := c.readingOf(n)
	for l := c.lets; l != nil; l = l.outer {
		if !slices.Contains(r.slots, l.slot) {
			continue
		}
		q, out := c.readingOf(l.value), *r
		out.variables = union(r.variables, q.variables)
		out.primes = union(r.primes, q.primes)
		out.slots = union(without(r.slots, l.slot), q.slots)
		out.opaque, out.heavy = r.opaque || q.opaque, r.heavy || q.heavy
		r = &out
	}
	return r
}

func union(a, b []int) []int {
	out := append([]int(nil), a...)
	for _, x := range b {
		out = insert(out, x)
	}
	return out
}

func without(list []int, x int) (out []int) {
	for _, y := range list {
		if x != y {
			out = append(out, y)
		}
	}
	return out
}

// workOf counts the operations of a node, up to a limit.
func workOf(n core.Node, limit int) int {
	work := 1
	switch n := n.(type) {
	case *core.Literal, *core.Slot, *core.Variable, *core.Shared:
		return 0
	case *core.Named:
		return workOf(n.Body, limit)
	}
	core.Parts(n, func(p core.Node) {
		if work < limit {
			work += workOf(p, limit-work)
		}
	})
	return work
}
