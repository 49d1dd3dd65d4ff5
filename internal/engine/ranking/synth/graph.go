package synth

import (
	"encoding/binary"
	"hash"

	"erelong.dev/erelong/internal/interp"
	"erelong.dev/erelong/internal/logic"
)

// graph is the steps of an instance between states in which the property is pending for one tuple
// of values of its variables.
type graph struct {
	*sample
	given   []*value
	pending []int // the states
	between []link
	left    []int // of these steps, the ones that no measure explains yet, in ascending order
	isLeft  set
	tables  map[*scope]*table
	// Some of the steps that are left in which a measure grew: they refute most others, too, and
	// are looked at first.
	refuting []int
	last     int // the step in which the last candidate grew; never if it has no values
}

// never stands for a step that is left for ever.
const never = -1

// link is a step between pending states, by their places among these.
type link struct {
	*interp.Edge
	from, to int
}

// graphs are the graphs of an instance, where a condition says what is pending. There are none if
// the condition does not fit: it is false where the property is triggered, or a step ends it before
// it is good.
func (s *search) graphs(x *sample, pending *logic.Term) (out []*graph, fits bool) {
	for _, tuple := range x.givens(s.vars) {
		good, start := x.everywhere(with(s.good, s.vars, tuple)),
			x.everywhere(with(s.trigger, s.vars, tuple))
		is := x.everywhere(with(pending, s.vars, tuple))
		if good == nil || start == nil || is == nil {
			return nil, false
		}
		g := &graph{sample: x, given: tuple, tables: map[*scope]*table{}}
		places := map[int]int{}
		for n := range x.States {
			if start.has(n) && !good.has(n) && !is.has(n) {
				return nil, false
			}
			if is.has(n) && !good.has(n) {
				places[n] = len(g.pending)
				g.pending = append(g.pending, n)
			}
		}
		for i := range x.Edges {
			t := &x.Edges[i]
			if !is.has(t.From) || good.has(t.From) || good.has(t.To) {
				continue
			}
			if !is.has(t.To) {
				return nil, false
			}
			g.between = append(g.between, link{t, places[t.From], places[t.To]})
		}
		if len(g.between) > 0 {
			out = append(out, g)
		}
	}
	return out, true
}

// begin forgets what was explained.
func (g *graph) begin() {
	g.left, g.isLeft, g.refuting = g.left[:0], newSet(len(g.between)), nil
	for i := range g.between {
		g.left = append(g.left, i)
		g.isLeft.add(i)
	}
}

// explain leaves steps out of the ones that are left.
func (g *graph) explain(smaller set) {
	var rest []int
	for _, n := range g.left {
		if !smaller.has(n) {
			rest = append(rest, n)
		}
	}
	g.left = rest
	g.isLeft.keep(smaller, true)
}

// mostRefuting bounds the steps that are looked at first.
const mostRefuting = 8

// refutes notes a step in which a measure grew.
func (g *graph) refutes(step int) {
	g.last = step
	g.refuting = append([]int{step}, g.refuting...)
	g.refuting = g.refuting[:min(len(g.refuting), mostRefuting)]
}

// column is where a formula without free variables is true among the pending states; nil where it
// cannot be evaluated.
func (g *graph) column(t *logic.Term) set {
	of := g.truthIn(t, g.pending)
	if of == nil {
		return nil
	}
	c := newSet(len(g.pending))
	for i, n := range g.pending {
		if of.has(n) {
			c.add(i)
		}
	}
	return c
}

// table is the atoms of a scope for the tuples of values of its variables.
type table struct {
	tuples  [][]*value
	columns [][]set // of each atom, for each tuple; nil if the atom cannot be evaluated
	due     [][]set // of each fair action with the first values of each tuple, once it is asked
}

// table is the table of the atoms that count; nil where there are too many tuples.
func (g *graph) table(s *search, sc *scope) *table {
	t, ok := g.tables[sc]
	if !ok {
		if tuples := g.tuples(sc.vars); tuples != nil {
			t = &table{tuples: tuples, due: make([][]set, len(s.fair))}
		}
		g.tables[sc] = t
	}
	if t == nil || len(t.columns) >= s.size(sc) {
		return t
	}
	for _, atom := range sc.atoms[len(t.columns):s.size(sc)] {
		given := with(atom, s.vars, g.given)
		columns := make([]set, len(t.tuples))
		for i, tuple := range t.tuples {
			if columns[i] = g.column(with(given, sc.vars, tuple)); columns[i] == nil {
				columns = nil
				break
			}
		}
		t.columns = append(t.columns, columns)
	}
	return t
}

// dueIn says where a fair action is due with the first values of the tuples; nil if that cannot be
// evaluated.
func (g *graph) dueIn(s *search, t *table, fair int) []set {
	if t.due[fair] != nil {
		return t.due[fair]
	}
	a := s.fair[fair]
	out := make([]set, len(t.tuples))
	for i, values := range t.tuples {
		out[i] = g.column(with(s.Due[a], a.Params, values[:len(a.Params)]))
		if out[i] == nil {
			return nil
		}
	}
	t.due[fair] = out
	return out
}

// mark adds where an atom is true of pending states to a signature, which tells atoms apart. It
// reports the truth values that it has seen.
func (g *graph) mark(h hash.Hash64, columns []set) (isTrue, isFalse bool) {
	var word [8]byte
	for _, c := range columns {
		for _, w := range c {
			binary.LittleEndian.PutUint64(word[:], w)
			_, _ = h.Write(word[:])
		}
		n := c.len()
		isTrue, isFalse = isTrue || n > 0, isFalse || n < len(g.pending)
	}
	return isTrue, isFalse
}
