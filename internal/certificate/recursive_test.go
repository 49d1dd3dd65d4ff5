package certificate

import (
	"strings"
	"testing"

	"erelong.dev/erelong/internal/result"
	"erelong.dev/erelong/internal/testkit"
	"erelong.dev/erelong/internal/vc"
)

// A recheck makes the inductions over numbers that a proof rests on: what a step keeps of a
// recursive relation is asked about without the definitions, and believed only where it is true.
func TestRecursive(t *testing.T) {
	for text, want := range map[string]bool{
		testkit.Climbed: true,
		strings.Replace(testkit.Climbed, "limit + 1", "limit - 1", 1): false,
	} {
		sys := compile(t, text)
		r := &rechecker{opts: Options{Drivers: testkit.Solvers(t), Rlimit: 1_000_000, Jobs: 1}}
		asked := 0
		for _, q := range inductionQuestions(sys, sys.Properties, nil) {
			if q.Action != "move" {
				continue
			}
			asked++
			for _, k := range q.theory.(*theory).kept {
				for _, x := range k.theory.terms {
					if vc.Leads(x, sys.Recursive()) {
						t.Errorf("an induction is asked about with the definition %s", x)
					}
				}
				if got := r.isKept(t.Context(), k); got != want {
					t.Errorf("what is in ok is kept: %t, not %t", got, want)
				}
			}
			if n := len(q.theory.(*theory).kept); n != 1 {
				t.Errorf("%d laws may be kept", n)
			}
		}
		if asked == 0 {
			t.Error("no question is about the step")
		}
	}
	c, _ := prove(t, compile(t, testkit.Climbed))
	for _, r := range recheck(t, c, testkit.Solvers(t)...).Results {
		if r.Verdict != result.Holds {
			t.Errorf("%s is %s (%s)", r.Property, r.Verdict, r.Reason.Text)
		}
	}
}
