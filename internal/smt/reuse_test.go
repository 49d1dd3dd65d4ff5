//go:build unix

package smt

import (
	"slices"
	"testing"
)

// A conversation that is used again knows nothing of the one before, and one that went wrong is not used again.
func TestReuse(t *testing.T) {
	for _, d := range installed(t) {
		t.Run(d.Name(), func(t *testing.T) {
			driver, end := Reuse(d)
			defer end()
			pool := driver.(*pool)
			ask := func(config Config, name, body string) (Status, error) {
				s := NewSession(driver, config)
				defer s.Close()
				a, err := s.Check(t.Context(), Query{Base: []string{"(declare-fun " + name + " () Int)", "(assert (> " + name + " 3))"}, Body: []string{body}})
				return a.Status, err
			}
			idle := func() (n int) {
				for _, some := range pool.idle {
					n += len(some)
				}
				return n
			}
			const refused = Status(-1)
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
			} {
				got, err := ask(step.config, step.name, step.body)
				if err == nil && got != step.want || (err != nil) != (step.want == refused) {
					t.Errorf("%s: %v, %v instead of %v", step.body, got, err, step.want)
				}
				if idle() != step.idle {
					t.Errorf("%s: %d idle conversations instead of %d", step.body, idle(), step.idle)
				}
			}
			var kept []*reused
			for _, some := range pool.idle {
				kept = slices.Concat(kept, some)
			}
			end()
			for _, r := range kept {
				if _, err := r.conversation.exchange(t.Context(), []string{"(check-sat)"}, NewSession(d, Config{}).config.Wall); err == nil {
					t.Error("a conversation goes on after the end")
				}
			}
		})
	}
}
