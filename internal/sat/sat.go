// Package sat decides propositional formulas, incrementally.
//
// In: clauses, and for each question literals that are assumed. Out: a model, or assumptions that
// the clauses contradict. The method is conflict-driven clause learning as in MiniSat (Eén and
// Sörensson, An extensible SAT-solver, SAT 2003): two watched literals, the first unique
// implication point, minimised clauses, activities, saved phases, and restarts after Luby's
// sequence; learned clauses are kept by their number of levels (Audemard and Simon, IJCAI 2009). A
// question starts no process and costs no text, so thousands of small ones can be asked.
package sat

import (
	"context"
	"slices"
)

// Lit is a variable or its negation: twice the number of the variable, plus 1 if negated.
type Lit int32

// Not is the negation of a literal.
func (l Lit) Not() Lit { return l ^ 1 }

// Status is the answer to a question.
type Status int

// The answers. Unknown means that the limit or the context ended the search.
const (
	Unknown Status = iota
	Sat
	Unsat
)

type truth int8

const (
	undecided truth = iota
	isTrue
	isFalse
)

// clause is a disjunction. Its first two literals are watched.
type clause struct {
	lits    []Lit
	learned bool
	levels  int // of decision, when it was learned
	deleted bool
}

// watch is a clause to visit when a literal becomes true whose negation it watches. If the blocker
// is true, so is the clause.
type watch struct {
	clause  *clause
	blocker Lit
}

// Solver is a growing set of clauses. Only one goroutine at a time may use it.
type Solver struct {
	values  []truth // by literal
	level   []int32
	reason  []*clause
	phase   []bool // the last value
	watches [][]watch
	order   order
	trail   []Lit // literals that are true, in the order in which they became true
	limits  []int // by decision: the length of the trail before it
	head    int   // the literals on the trail before it are propagated
	learned []*clause
	broken  bool // the clauses alone are contradictory
	model   []bool
	core    []Lit
	seen    []bool
	most    int // learned clauses that are kept
	// Conflicts and Assigned, the literals that became true, count the work of all questions.
	Conflicts, Assigned int64
}

// New makes a solver without clauses.
func New() *Solver { return &Solver{most: 4_000} }

// Var makes a variable.
func (s *Solver) Var() Lit {
	v := len(s.level)
	s.values = append(s.values, undecided, undecided)
	s.level = append(s.level, 0)
	s.reason = append(s.reason, nil)
	s.phase = append(s.phase, false)
	s.watches = append(s.watches, nil, nil)
	s.seen = append(s.seen, false)
	s.order.add(v)
	return Lit(2 * v)
}

func (s *Solver) value(l Lit) truth { return s.values[l] }

// Add adds a clause.
func (s *Solver) Add(lits ...Lit) {
	s.backtrack(0)
	c := make([]Lit, 0, len(lits))
	for _, l := range lits {
		switch {
		case s.value(l) == isTrue || slices.Contains(c, l.Not()):
			return
		case s.value(l) == isFalse || slices.Contains(c, l):
		default:
			c = append(c, l)
		}
	}
	switch len(c) {
	case 0:
		s.broken = true
	case 1:
		s.assign(c[0], nil)
		s.broken = s.broken || s.propagate() != nil
	default:
		s.attach(&clause{lits: c})
	}
}

func (s *Solver) attach(c *clause) {
	for i := range 2 {
		w := c.lits[i].Not()
		s.watches[w] = append(s.watches[w], watch{c, c.lits[1-i]})
	}
}

// Value is the value of a literal in the model of the last question.
func (s *Solver) Value(l Lit) bool { return s.model[l>>1] != (l&1 == 1) }

// Core lists assumptions of the last question that contradict the clauses.
func (s *Solver) Core() []Lit { return s.core }

// Prefer makes a value the one that a decision about a literal tries first.
func (s *Solver) Prefer(l Lit, is bool) { s.phase[l>>1] = is != (l&1 == 1) }

// Solve asks whether the clauses can be true together with some literals. A positive limit bounds
// the conflicts.
func (s *Solver) Solve(ctx context.Context, limit int64, assumptions ...Lit) Status {
	s.core = nil
	s.backtrack(0)
	if s.broken {
		return Unsat
	}
	end := s.Conflicts + limit
	for round := int64(1); ; round++ {
		switch status := s.search(100*luby(round), assumptions); {
		case status != Unknown:
			s.backtrack(0)
			return status
		case ctx.Err() != nil || limit > 0 && s.Conflicts >= end:
			s.backtrack(0)
			return Unknown
		}
	}
}

// luby is the i-th member of Luby's sequence 1, 1, 2, 1, 1, 2, 4, ...
func luby(i int64) int64 {
	for {
		k := int64(1)
		for 2*k-1 < i {
			k *= 2
		}
		if 2*k-1 == i {
			return k
		}
		i -= k - 1
	}
}

// search goes on for a number of conflicts.
func (s *Solver) search(conflicts int64, assumptions []Lit) Status {
	for {
		if c := s.propagate(); c != nil {
			s.Conflicts++
			conflicts--
			if len(s.limits) == 0 {
				s.broken = true
				return Unsat
			}
			s.learn(c)
			s.order.decay()
			continue
		}
		if conflicts <= 0 {
			s.backtrack(0)
			return Unknown
		}
		if len(s.learned) > s.most {
			s.reduce()
		}
		next := Lit(-1)
		for next < 0 && len(s.limits) < len(assumptions) {
			switch a := assumptions[len(s.limits)]; s.value(a) {
			case isTrue:
				s.limits = append(s.limits, len(s.trail)) // a level without a decision
			case isFalse:
				s.explain(a)
				return Unsat
			default:
				next = a
			}
		}
		if next < 0 {
			if next = s.decision(); next < 0 {
				s.model = s.model[:0]
				for v := range s.level {
					s.model = append(s.model, s.values[2*v] == isTrue)
				}
				return Sat
			}
		}
		s.limits = append(s.limits, len(s.trail))
		s.assign(next, nil)
	}
}

// decision is an undecided literal of the most active variable, -1 if there is none.
func (s *Solver) decision() Lit {
	for {
		v := s.order.next()
		if v < 0 {
			return -1
		}
		if s.values[2*v] == undecided {
			l := Lit(2 * v)
			if !s.phase[v] {
				l++
			}
			return l
		}
	}
}

func (s *Solver) assign(l Lit, reason *clause) {
	s.Assigned++
	v := l >> 1
	s.values[l], s.values[l.Not()] = isTrue, isFalse
	s.level[v] = int32(len(s.limits))
	s.reason[v] = reason
	s.trail = append(s.trail, l)
}

// backtrack takes decisions back.
func (s *Solver) backtrack(level int) {
	if len(s.limits) <= level {
		return
	}
	for i := len(s.trail) - 1; i >= s.limits[level]; i-- {
		l := s.trail[i]
		v := l >> 1
		s.phase[v] = l&1 == 0
		s.values[l], s.values[l.Not()] = undecided, undecided
		s.order.insert(int(v))
	}
	s.trail = s.trail[:s.limits[level]]
	s.limits = s.limits[:level]
	s.head = len(s.trail)
}

// propagate assigns what follows, and gives a clause that is false, if there is one.
func (s *Solver) propagate() *clause {
	for s.head < len(s.trail) {
		p := s.trail[s.head]
		s.head++
		list := s.watches[p]
		kept := list[:0]
		for i, w := range list {
			if s.values[w.blocker] == isTrue {
				kept = append(kept, w)
				continue
			}
			c := w.clause
			if c.deleted {
				continue
			}
			if c.lits[0] == p^1 {
				c.lits[0], c.lits[1] = c.lits[1], c.lits[0]
			}
			first := c.lits[0]
			is := s.values[first]
			if is == isTrue || !s.rewatch(c) {
				kept = append(kept, watch{c, first})
				if is == isTrue {
					continue
				}
				if is == isFalse {
					s.watches[p] = append(kept, list[i+1:]...)
					s.head = len(s.trail)
					return c
				}
				s.assign(first, c)
			}
		}
		s.watches[p] = kept
	}
	return nil
}

// rewatch finds a literal that is not false to watch instead of the second.
func (s *Solver) rewatch(c *clause) bool {
	for k, l := range c.lits[2:] {
		if s.values[l] != isFalse {
			c.lits[1], c.lits[k+2] = l, c.lits[1]
			w := l ^ 1
			s.watches[w] = append(s.watches[w], watch{c, c.lits[0]})
			return true
		}
	}
	return false
}
