package interp

import (
	"fmt"
	"math/rand"
	"regexp"
	"slices"
	"testing"

	"erelong.dev/erelong/internal/front/ere"
	"erelong.dev/erelong/internal/logic"
	"erelong.dev/erelong/internal/testkit"
)

// Integers that formulas bound, in any words, have the same values as integers of a wide range.
func TestIntegersBetween(t *testing.T) {
	wide := regexp.MustCompile(`([kjihz]): int`)
	steps, violated := 0, 0
	for seed := range int64(testkit.Size(25, 300)) {
		text := testkit.BoundedIntegers(rand.New(rand.NewSource(seed)))
		m, claim := compiled(t, text)
		ranged, same := compiled(t, wide.ReplaceAllString(text, "$1: -12..12"))
		seen := map[string]bool{}
		var queue []State
		meet := func(s State) error {
			if key := fmt.Sprint(s); !seen[key] && len(seen) < 100 {
				seen[key] = true
				queue = append(queue, slices.Clone(s))
			}
			return nil
		}
		if err := m.Initial(t.Context(), meet); err != nil {
			t.Fatalf("%v\n%s", err, text)
		}
		for i := 0; i < len(queue); i++ {
			s := queue[i]
			holds, err := m.Holds(claim, s)
			if want, _ := ranged.Holds(same, s); err != nil || holds != want {
				t.Fatalf("seed %d: the claim is %v, in a range %v (%v)\n%s", seed, holds, want, err,
					text)
			}
			if !holds {
				violated++
			}
			next := successors(t, m, s)
			if want := successors(t, ranged, s); !slices.EqualFunc(next, want, slices.Equal) {
				t.Fatalf("seed %d: %d steps, in a range %d, from %v\n%s", seed, len(next),
					len(want), s, text)
			}
			steps += len(next)
			for _, s := range next {
				_ = meet(s)
			}
		}
	}
	if steps < 2_000 || violated < 50 {
		t.Errorf("%d steps, %d violations", steps, violated)
	}
}

func compiled(t *testing.T, text string) (*Model, *logic.Term) {
	t.Helper()
	sys, list, err := ere.Compile("x.ere", text)
	if err != nil {
		t.Fatalf("%v\n%s", list, text)
	}
	m, err := NewModel(sys, sys.Instances[0])
	if err != nil {
		t.Fatal(err)
	}
	return m, sys.Property("none").Term
}

// successors lists the states after the steps from a state, in order.
func successors(t *testing.T, m *Model, s State) (out []State) {
	t.Helper()
	for _, a := range m.System.Actions {
		if err := m.Steps(t.Context(), s, a, func(s Step) error {
			out = append(out, slices.Clone(s.State))
			return nil
		}); err != nil {
			t.Fatal(err)
		}
	}
	slices.SortFunc(out, slices.Compare)
	return out
}
