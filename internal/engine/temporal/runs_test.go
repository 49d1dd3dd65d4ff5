package temporal

import (
	"slices"
	"testing"

	"erelong.dev/erelong/internal/result"
	"erelong.dev/erelong/internal/testkit"
	"erelong.dev/erelong/internal/vacuity"
)

// An antecedent that speaks of several moments is never true where no fair run satisfies it.
func TestAntecedentsOfRuns(t *testing.T) {
	sys := testkit.Compile(t, `
		mutable constant n: 0..3
		init n = 0
		fair action up() { require n < 3; n := n + 1; }
		action reset() { require n = 3; n := 0; }
		temporal [stays] (eventually always (n = 1)) -> always eventually (n = 3)
		temporal [again] (always eventually (n = 0)) -> always eventually (n = 3)
		temporal [inner] always ((always (n = 2)) -> eventually (n = 0))
		temporal [late] always ((always (n <= 3)) -> eventually (n = 3))
		temporal [leads] (always eventually (n = 1)) ~> n = 3
		temporal [state] (n = 1) ~> n = 3
		temporal [both] ((eventually (n = 7)) -> n = 0) & ((eventually (n = 3)) -> n = 0)
		instance i { }`)
	d, err := Decide(t.Context(), sys, sys.Instances[0], Options{Signs: []vacuity.Sign{}})
	if err != nil {
		t.Fatal(err)
	}
	for _, r := range d.Results {
		if r.Verdict != result.Holds {
			t.Errorf("%s: %s %s", r.Property, r.Verdict, r.Reason.Text)
		}
	}
	var got []string
	for _, s := range d.Stats.Vacuous {
		got = append(got, s.Property+": "+s.Text())
	}
	want := []string{"stays: (eventually always (n = 1))", "inner: (always (n = 2))", "both: (eventually (n = 7))"}
	if !slices.Equal(got, want) {
		t.Errorf("never true: %q, want %q", got, want)
	}
}
