//go:build unix

package smt

import (
	"slices"
	"testing"
)

// A reused conversation knows nothing of the one before, and a failed one is not reused.
func TestReuse(t *testing.T) {
	for _, d := range installed(t) {
		t.Run(d.Name(), func(t *testing.T) {
			driver, end := Reuse(d)
			defer end()
			pool := driver.(*pool)
			ask := func(config Config, name, body string) (Status, error) {
				s := NewSession(driver, config)
				defer s.Close()
				a, err := s.Check(t.Context(),
					Query{Base: []string{"(declare-fun " + name + " () Int)", "(assert (> " + name + " 3))"}, Body: []string{body}})
				return a.Status, err
			}
			const refused = Status(-1)
			large := 2 // z3 starts in the same way for large queries,
			if d.Name() == "cvc5" {
				large = 3 // and cvc5 does not
			}
			for _, step := range []struct {
				config     Config
				name, body string
				want       Status
				idle       int
			}{
				{Config{}, "n", "(assert (< n 3))", Unsat, 1},
				{Config{}, "n", "(assert (> n 5))", Sat, 1},
				{Config{}, "m", "(declare-fun n () Bool) (assert (and n (< m 3)))", Unsat, 1},
				{Config{}, "m", "(assert n)", refused, 0},
				{Config{}, "m", "(assert (< m 5))", Sat, 1},
				{Config{Seed: 1}, "m", "(assert (< m 5))", Sat, 2},
				{Config{Large: true}, "m", "(assert (< m 5))", Sat, large},
			} {
				got, err := ask(step.config, step.name, step.body)
				if err == nil && got != step.want || (err != nil) != (step.want == refused) {
					t.Errorf("%s: %v, %v instead of %v", step.body, got, err, step.want)
				}
				if len(pool.idle) != step.idle {
					t.Errorf("%s: %d idle conversations instead of %d", step.body, len(pool.idle),
						step.idle)
				}
			}
			kept := slices.Clone(pool.idle)
			end()
			for _, r := range kept {
				if _, err := r.conversation.exchange(t.Context(), []string{"(check-sat)"},
					NewSession(d, Config{}).config.Wall); err == nil {
					t.Error("a conversation goes on after the end")
				}
			}
		})
	}
}

// z3 refuses the next query in a process that was interrupted in another one. So a conversation
// that met a limit is not reused, neither by the same session nor by others.
func TestExhaustedProcessIsNotUsedAgain(t *testing.T) {
	hard := []string{"(declare-sort S 0)", "(declare-fun f (S S) S)",
		"(assert (forall ((x S) (y S) (z S)) (= (f (f x y) z) (f x (f y z)))))", "(assert (forall ((x S)) (exists ((y S)) (distinct (f x y) x))))",
		"(assert (exists ((x S) (y S)) (distinct (f x y) (f y x))))"}
	for _, d := range installed(t) {
		t.Run(d.Name(), func(t *testing.T) {
			driver, end := Reuse(d)
			defer end()
			s := NewSession(driver, Config{})
			a, err := s.Check(t.Context(), Query{Base: hard, Rlimit: 200_000})
			if err != nil || !a.Exhausted {
				t.Skipf("the query is not hard: %s, %v", a.Status, err)
			}
			if s.proc != nil {
				t.Error("the process goes on")
			}
			a, err = s.Check(t.Context(),
				Query{Base: hard, Body: []string{"(assert false)"}, Rlimit: 200_000})
			if err != nil || a.Status != Unsat {
				t.Errorf("the next query: %s, %v", a.Status, err)
			}
		})
	}
}

// A reused process counts its resources from zero, and spends the same on a query as a new process,
// also after a question about truth values alone, which has a logic of its own.
func TestReuseSpendsTheSame(t *testing.T) {
	for _, d := range installed(t) {
		t.Run(d.Name(), func(t *testing.T) {
			driver, end := Reuse(d)
			defer end()
			var spent []int64
			for range 3 {
				s := NewSession(driver, Config{})
				a, err := s.Check(t.Context(), Query{Base: base, Body: []string{"(assert (forall ((x S)) (p x))) (assert (exists ((x S)) (not (p x))))"}})
				if err != nil || a.Status != Unsat {
					t.Fatal(a.Status, err)
				}
				spent = append(spent, a.Rlimit)
				s.Close()
				s = NewSession(driver, Config{Propositional: true})
				a, err = s.Check(t.Context(), Query{Base: []string{"(declare-fun g () Bool)"}, Body: []string{"(assert g)"}})
				if err != nil || a.Status != Sat {
					t.Fatal(a.Status, err)
				}
				s.Close()
			}
			if n := len(driver.(*pool).idle); d.Name() == "z3" && n != 1 {
				t.Errorf("%d processes instead of one", n)
			}
			if spent[1] != spent[2] || max(spent[0]-spent[1], spent[1]-spent[0]) > 1 {
				t.Errorf("spent %d", spent)
			}
		})
	}
}
