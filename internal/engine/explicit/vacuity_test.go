package explicit_test

import (
	"strings"
	"testing"

	"erelong.dev/erelong/internal/engine"
	"erelong.dev/erelong/internal/engine/explicit"
	"erelong.dev/erelong/internal/front/ere"
)

func TestAntecedentsThatAreNeverTrue(t *testing.T) {
	sys, _, err := ere.Compile("x.ere", `
sort s
mutable constant x: 0..5
mutable relation a(s)
init x = 0 & !a(X)
action up() { require x < 4; x := x + 1; }
action mark(i: s) { require x = 2; a(i) := true; }
safety [never] x = 5 -> a(X)
safety [sometimes] x = 3 -> x < 4
safety [of_some] a(X) & x = 4 -> x > 1
safety [of_none] a(X) & x < 2 -> false
safety [nothing] x <= 5
instance i { s = 2 }
`)
	if err != nil {
		t.Fatal(err)
	}
	for _, symmetric := range []bool{false, true} {
		_, stats := checkStats(t, sys,
			explicit.Options{Reduction: explicit.Reduction{Symmetry: symmetric}})
		var got []string
		for _, v := range stats.Vacuous {
			got = append(got, v.Property)
		}
		if strings.Join(got, " ") != "never of_none" {
			t.Errorf("symmetry %t: %v", symmetric, got)
		}
	}
	// Only for checked properties, and not for an incomplete search.
	_, stats := checkStats(t, sys, explicit.Options{Only: []string{"of_none"}})
	if len(stats.Vacuous) != 1 || stats.Vacuous[0].Text() != "a(X) & x < 2" {
		t.Errorf("got %v", stats.Vacuous)
	}
	_, stats = checkStats(t, sys, explicit.Options{Limits: engine.Limits{States: 3}})
	if len(stats.Vacuous) != 0 {
		t.Errorf("got %v", stats.Vacuous)
	}
}

// If there are many states, a program evaluates them.
func TestAntecedentsAmongManyStates(t *testing.T) {
	sys, _, err := ere.Compile("x.ere", `
mutable constant x: 0..5000
init x = 0
action up() { require x < 4000; x := x + 1; }
safety [never] x = 4500 -> x > 1
safety [late] x = 3900 -> x > 1
safety [early] x = 3 -> x > 1
instance i { }
`)
	if err != nil {
		t.Fatal(err)
	}
	x, err := explicit.Explore(t.Context(), sys, sys.Instances[0],
		explicit.Options{Witnesses: explicit.Witnesses{Vacuity: true}})
	if err != nil {
		t.Fatal(err)
	}
	if len(x.Stats.Vacuous) != 1 || x.Stats.Vacuous[0].Property != "never" {
		t.Errorf("got %v", x.Stats.Vacuous)
	}
}
