package synth

import (
	"hash"

	"erelong.dev/erelong/internal/logic"
)

// graph is the steps of an instance between states in which the property is pending for one tuple
// of values of its variables.
type graph struct {
	*sample
	given   []*value
	pending []int // the states
	between []int // the steps between them
	left    []int // of these steps, the ones that no measure explains yet
	tables  map[*scope]*table
}

// graphs are the graphs of an instance, where a condition says what is pending. There are none if
// the condition does not fit: it is false where the property is triggered, or a step ends it before
// it is good.
func (s *search) graphs(x *sample, pending *logic.Term) (out []*graph) {
	for _, tuple := range x.givens(s.vars) {
		good, start := x.column(with(s.good, s.vars, tuple)),
			x.column(with(s.trigger, s.vars, tuple))
		is := x.column(with(pending, s.vars, tuple))
		if good == nil || start == nil || is == nil {
			return nil
		}
		g := &graph{sample: x, given: tuple, tables: map[*scope]*table{}}
		for n := range x.States {
			if start[n] && !good[n] && !is[n] {
				return nil
			}
			if is[n] && !good[n] {
				g.pending = append(g.pending, n)
			}
		}
		for i, t := range x.Edges {
			if !is[t.From] || good[t.From] || good[t.To] {
				continue
			}
			if !is[t.To] {
				return nil
			}
			g.between = append(g.between, i)
		}
		if len(g.between) > 0 {
			out = append(out, g)
		}
	}
	return out
}

// table is the atoms of a scope for the tuples of values of its variables.
type table struct {
	tuples  [][]*value
	columns [][][]bool // of each atom, for each tuple; nil if the atom cannot be evaluated
}

// table is nil where there are too many tuples.
func (g *graph) table(s *search, sc *scope) *table {
	if t, ok := g.tables[sc]; ok {
		return t
	}
	t := &table{tuples: g.tuples(sc.vars)}
	if t.tuples == nil {
		g.tables[sc] = nil
		return nil
	}
	for _, atom := range sc.atoms {
		given := with(atom, s.vars, g.given)
		columns := make([][]bool, len(t.tuples))
		for i, tuple := range t.tuples {
			if columns[i] = g.column(with(given, sc.vars, tuple)); columns[i] == nil {
				columns = nil
				break
			}
		}
		t.columns = append(t.columns, columns)
	}
	g.tables[sc] = t
	return t
}

// mark adds where an atom is true of pending states to a signature, which tells atoms apart. It
// reports the truth values that it has seen.
func (g *graph) mark(h hash.Hash64, columns [][]bool) (isTrue, isFalse bool) {
	for _, c := range columns {
		b := byte(0)
		for i, n := range g.pending {
			b <<= 1
			if c[n] {
				b, isTrue = b|1, true
			} else {
				isFalse = true
			}
			if i%8 == 7 {
				_, _ = h.Write([]byte{b})
			}
		}
		_, _ = h.Write([]byte{b})
	}
	return isTrue, isFalse
}
