package sat

import (
	"context"
	"math/rand"
	"slices"
	"testing"
)

// Answers about random clauses agree with the enumeration of all values. Clauses come one after
// the other, and each question has assumptions: a model satisfies all, and a core is contradictory.
func TestAgainstEnumeration(t *testing.T) {
	answers := map[Status]int{}
	for seed := range int64(400) {
		rng := rand.New(rand.NewSource(seed))
		s, n := New(), 3+rng.Intn(8)
		if seed%3 == 0 {
			s.most = 2 // so that clauses are forgotten
		}
		for range n {
			s.Var()
		}
		var clauses [][]Lit
		for range 12 * n / 2 {
			var c []Lit
			for range 1 + rng.Intn(4) {
				c = append(c, Lit(rng.Intn(2*n)))
			}
			if len(c) == 1 && rng.Intn(4) > 0 {
				continue
			}
			clauses = append(clauses, c)
			s.Add(c...)
			var assumed []Lit
			for range rng.Intn(4) {
				assumed = append(assumed, Lit(rng.Intn(2*n)))
			}
			got := s.Solve(context.Background(), 0, assumed...)
			answers[got]++
			if want := possible(n, clauses, assumed); (got == Sat) != want || got == Unknown {
				t.Fatalf("seed %d: %v, possible is %v: %v assuming %v", seed, got, want, clauses,
					assumed)
			}
			if got == Sat {
				for _, c := range clauses {
					if !slices.ContainsFunc(c, s.Value) {
						t.Fatalf("seed %d: the model violates %v", seed, c)
					}
				}
				if slices.ContainsFunc(assumed, func(l Lit) bool { return !s.Value(l) }) {
					t.Fatalf("seed %d: the model violates an assumption", seed)
				}
				continue
			}
			core := s.Core()
			if possible(n, clauses, core) || slices.ContainsFunc(core, func(l Lit) bool {
				return !slices.Contains(assumed, l)
			}) {
				t.Fatalf("seed %d: %v assuming %v has no core %v", seed, clauses, assumed, core)
			}
		}
	}
	if answers[Sat] < 500 || answers[Unsat] < 500 {
		t.Errorf("the questions are one-sided: %v", answers)
	}
}

func possible(n int, clauses [][]Lit, assumed []Lit) bool {
	for bits := range 1 << n {
		is := func(l Lit) bool { return bits>>(l>>1)&1 == 1 != (l&1 == 1) }
		if !slices.ContainsFunc(clauses,
			func(c []Lit) bool { return !slices.ContainsFunc(c, is) }) &&
			!slices.ContainsFunc(assumed, func(l Lit) bool { return !is(l) }) {
			return true
		}
	}
	return false
}

// The pigeonhole principle needs many conflicts, and restarts.
func TestPigeons(t *testing.T) {
	s := pigeons(7)
	if got := s.Solve(context.Background(), 0); got != Unsat {
		t.Errorf("8 pigeons fit into 7 holes: %v", got)
	}
	if s.Conflicts < 200 {
		t.Errorf("%d conflicts are few", s.Conflicts)
	}
	if got := pigeons(9).Solve(context.Background(), 200); got != Unknown {
		t.Errorf("the limit does not end the search: %v", got)
	}
}

func pigeons(holes int) *Solver {
	s := New()
	in := make([][]Lit, holes+1)
	for p := range in {
		for range holes {
			in[p] = append(in[p], s.Var())
		}
		s.Add(in[p]...)
	}
	for h := range holes {
		for p := range in {
			for q := range p {
				s.Add(in[p][h].Not(), in[q][h].Not())
			}
		}
	}
	return s
}
