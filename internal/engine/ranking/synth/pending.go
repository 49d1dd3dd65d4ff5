package synth

import (
	"slices"

	"erelong.dev/erelong/internal/logic"
)

// pendings are conditions that may be true from the trigger to the good state: the trigger itself;
// a disjunction of few conjunctions that is true of the states that are pending in the samples, and
// of no other one; and true. The ones that do not fit are left out (graphs).
func (s *search) pendings(samples []*sample) []*logic.Term {
	out := []*logic.Term{s.trigger}
	if t := s.learn(samples); t != nil {
		out = append(out, t)
	}
	return append(out, logic.True)
}

// shape is what the states of a sample are for some values of the property's variables: pending,
// or neither pending nor good.
type shape struct {
	*sample
	given          []*value
	pending, other []bool
}

// shapes follows the steps from the trigger to the good state.
func (s *search) shapes(x *sample) (out []*shape) {
	for _, tuple := range x.givens(s.vars) {
		good, start := x.column(with(s.good, s.vars, tuple)),
			x.column(with(s.trigger, s.vars, tuple))
		if good == nil || start == nil {
			return nil
		}
		is := make([]bool, len(x.states))
		for n := range is {
			is[n] = start[n] && !good[n]
		}
		for again := true; again; {
			again = false
			for _, t := range x.steps {
				if is[t.from] && !is[t.to] && !good[t.to] {
					is[t.to], again = true, true
				}
			}
		}
		other := make([]bool, len(x.states))
		for n := range other {
			other[n] = !is[n] && !good[n]
		}
		out = append(out, &shape{x, tuple, is, other})
	}
	return out
}

// learn covers the pending states by conjunctions that are true of no other state that is not good,
// the one that covers most first; nil where few do not cover all.
func (s *search) learn(samples []*sample) *logic.Term {
	var shapes []*shape
	for _, x := range samples {
		shapes = append(shapes, s.shapes(x)...)
	}
	uncovered := 0
	for _, x := range shapes {
		for _, is := range x.pending {
			if is {
				uncovered++
			}
		}
	}
	if uncovered == 0 {
		return nil
	}
	ends := s.ends(shapes)
	var some []*logic.Term
	for range mostEnds {
		best, most := -1, 0
		for i, e := range ends {
			if n := e.covers(shapes); n > most {
				best, most = i, n
			}
		}
		if best < 0 {
			return nil
		}
		some = append(some, ends[best].term)
		ends[best].take(shapes)
		if uncovered -= most; uncovered == 0 {
			return logic.Or(some...)
		}
	}
	return nil
}

// end is a conjunction that is true of pending states alone, among the ones that are not good.
type end struct {
	term    *logic.Term
	columns [][]bool // of each shape
}

func (e *end) covers(shapes []*shape) (n int) {
	for i, x := range shapes {
		for j, is := range x.pending {
			if is && e.columns[i][j] {
				n++
			}
		}
	}
	return n
}

// take leaves the covered states out.
func (e *end) take(shapes []*shape) {
	for i, x := range shapes {
		x.pending = slices.Clone(x.pending)
		for j := range x.pending {
			x.pending[j] = x.pending[j] && !e.columns[i][j]
		}
	}
}

// ends lists such conjunctions: of one or two literals without variables, or with one variable of
// which they are true of some value.
func (s *search) ends(shapes []*shape) (out []*end) {
	seen := map[string]bool{}
	add := func(t *logic.Term) {
		text := t.String()
		if seen[text] || t.IsTrue() || t.IsFalse() {
			return
		}
		seen[text] = true
		e := &end{term: t}
		for _, x := range shapes {
			c := x.column(with(t, s.vars, x.given))
			if c == nil {
				return
			}
			for n, other := range x.other {
				if other && c[n] {
					return
				}
			}
			e.columns = append(e.columns, c)
		}
		if e.covers(shapes) > 0 {
			out = append(out, e)
		}
	}
	scopes := []*scope{s.scope()}
	for _, sort := range s.sorts() {
		scopes = append(scopes, s.scope(sort))
	}
	for _, k := range []int{1, 2} {
		for _, sc := range scopes {
			if k == 2 && len(sc.atoms) > mostPaired {
				continue
			}
			for i, a := range sc.atoms {
				if len(sc.vars) > 0 && !mentions(a, sc.vars) {
					continue // a scope without variables has it
				}
				for _, la := range []*logic.Term{a, logic.Not(a)} {
					if k == 1 {
						add(logic.Exists(sc.vars, la))
						continue
					}
					for _, b := range sc.atoms[i+1:] {
						add(logic.Exists(sc.vars, logic.And(la, b)))
						add(logic.Exists(sc.vars, logic.And(la, logic.Not(b))))
					}
				}
			}
		}
	}
	return out
}

// mentions reports whether a formula has some of the variables free.
func mentions(t *logic.Term, vars []*logic.Var) bool {
	return slices.ContainsFunc(logic.FreeVars(t), func(v *logic.Var) bool {
		return slices.Contains(vars, v)
	})
}

// mostPaired bounds the atoms of a scope of which pairs are tried.
const mostPaired = 60
