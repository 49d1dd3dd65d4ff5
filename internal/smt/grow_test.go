//go:build unix

package smt

import (
	"slices"
	"testing"
)

// A base that grows is read on from its previous end, with truth values only; any other base starts
// a new process.
func TestGrowingBase(t *testing.T) {
	first := []string{"(declare-fun a () Bool)", "(declare-fun b () Bool)", "(assert (or a b))"}
	for _, propositional := range []bool{true, false} {
		each(t, Config{Propositional: propositional}, func(t *testing.T, s *Session) {
			check := func(base []string, body string, want Status) {
				t.Helper()
				a, err := s.Check(t.Context(),
					Query{Base: base, Body: []string{"(assert " + body + ")"}, Rlimit: 1_000_000})
				if err != nil || a.Status != want {
					t.Fatalf("%s: %s instead of %s, %v", body, a.Status, want, err)
				}
			}
			check(first, "(not a)", Sat)
			values, err := s.Values(t.Context(), []string{"a", "b"})
			if err != nil || values[0].Atom != "false" || values[1].Atom != "true" {
				t.Errorf("values %v, %v", values, err)
			}
			proc := s.proc
			second := append(slices.Clone(first), "(declare-fun c () Bool)", "(assert (not b))", "(assert (= c (xor a b)))")
			check(second, "(not c)", Unsat)
			check(second, "c", Sat)
			if (s.proc == proc) != propositional {
				t.Errorf("propositional %t: same process %t", propositional, s.proc == proc)
			}
			proc = s.proc
			check(first, "b", Sat) // shorter again
			check([]string{first[0], "(assert a)"}, "(not a)", Unsat)
			if s.proc == proc {
				t.Error("a base that does not continue the last one was added to it")
			}
		})
	}
}
