//go:build unix

package smt

import (
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"

	"erelong.dev/erelong/internal/logic"
)

// TestEnumsByConstants asks about formulas over three values of an enum, with both declarations.
// The oracle tries all values.
func TestEnumsByConstants(t *testing.T) {
	each(t, Config{Constants: true}, func(t *testing.T, s *Session) {
		r := rand.New(rand.NewPCG(1, 2))
		satisfiable := 0
		for n := range 60 {
			size := 1 + r.IntN(4)
			enum := &logic.Sort{Name: "of colours", Kind: logic.KindEnum,
				Members: []string{"red", "0", "deep blue", ")"}[:size]}
			script := NewScript()
			vars := make([]*logic.Var, 3)
			for i := range vars {
				vars[i] = &logic.Var{Name: fmt.Sprint("v", i), Sort: enum}
				if err := script.DeclareVar(vars[i]); err != nil {
					t.Fatal(err)
				}
			}
			clauses := make([][]func([]int) bool, 2+r.IntN(6))
			for c := range clauses {
				var terms []*logic.Term
				for range 1 + r.IntN(2) {
					i, j, is, other := r.IntN(3), r.IntN(3), r.IntN(3) == 0, r.IntN(2) == 0
					m := r.IntN(size)
					term := logic.Eq(logic.Ref(vars[i]), logic.Member(enum, m))
					if other {
						term = logic.Eq(logic.Ref(vars[i]), logic.Ref(vars[j]))
					}
					if !is {
						term = logic.Not(term)
					}
					terms = append(terms, term)
					clauses[c] = append(clauses[c], func(v []int) bool {
						if other {
							return (v[i] == v[j]) == is
						}
						return (v[i] == m) == is
					})
				}
				if err := script.Assert(logic.Or(terms...)); err != nil {
					t.Fatal(err)
				}
			}
			want := Unsat
			for k := range size * size * size {
				v := []int{k % size, k / size % size, k / size / size}
				all := true
				for _, clause := range clauses {
					some := false
					for _, literal := range clause {
						some = some || literal(v)
					}
					all = all && some
				}
				if all {
					want = Sat
				}
			}
			if want == Sat {
				satisfiable++
			}
			q := Query{Name: fmt.Sprint("colours ", n), Base: script.Lines()}
			if n%10 > 0 { // declarations in the body come back with each question
				q.Base, q.Body = nil, q.Base
			}
			a, err := s.Check(t.Context(), q)
			if err != nil || a.Status != want {
				t.Fatalf("%v, %v, and it is %v:\n%s", a.Status, err, want,
					strings.Join(script.Lines(), "\n"))
			}
		}
		if satisfiable < 10 || satisfiable > 50 {
			t.Errorf("%d of 60 are satisfiable", satisfiable)
		}
	})
}

// The declaration that is not a datatype means the same to a bare solver.
func TestConstantsOfEnum(t *testing.T) {
	got, err := byConstants([]string{"(declare-sort s 0)",
		"(declare-datatypes ((e@sort 0)) (((a@e) (|b c@e|))))", "(assert true)"})
	want := `(declare-sort s 0)
(declare-sort e@sort 0)
(declare-fun a@e () e@sort)
(declare-fun |b c@e| () e@sort)
(assert (distinct a@e |b c@e|))
(assert (forall ((x e@sort)) (or (= x a@e) (= x |b c@e|))))
(assert true)`
	if text := strings.Join(got, "\n"); err != nil || text != want {
		t.Errorf("%v\n%s", err, text)
	}
}
