package induction_test

import (
	"strings"
	"testing"

	"erelong.dev/erelong/internal/engine/induction"
	"erelong.dev/erelong/internal/result"
	"erelong.dev/erelong/internal/testkit"
)

// TestCorollaries asks once, and not once for each action, about claims that follow from others in
// the same state. Where the claim from which they follow is not inductive, they are not proved.
func TestCorollaries(t *testing.T) {
	const text = `
immutable constant N: int
axiom N >= 1
mutable relation on(1..N)
mutable constant at: int
init !on(I) & at = START
action mark() { on(at) := true; }
action next() { require at < N; at := at + 1; }
action clear() { on(at) := false; }
action back() { require BACK; at := at - 1; }
safety [place] 1 <= at & at <= N
safety [there] on(at) | !on(at)
`
	for _, c := range []struct {
		start, back string
		verdict     result.Verdict
	}{
		{"1", "at > 1", result.Holds}, {"1", "at > 0", result.NotInductive},
		{"0", "at > 1", result.NotInductive},
	} {
		back, verdict := c.start+", "+c.back, c.verdict
		results, err := induction.Prove(testkit.Solving(t), testkit.Compile(t,
			strings.NewReplacer("BACK", c.back, "START", c.start).Replace(text)),
			induction.Options{})
		if err != nil {
			t.Fatal(err)
		}
		implied := 0
		for _, r := range results {
			rests := r.Property != "there"
			if r.Property == "place" && r.Verdict != verdict ||
				rests && (r.Verdict == result.Holds) != (verdict == result.Holds) {
				t.Errorf("%s: %s is %s", back, r.Property, r.Verdict)
			}
			for _, o := range r.Evidence.Obligations {
				if strings.Contains(o.Method, "of what implies it") && r.Verdict == result.Holds {
					implied++
				}
			}
		}
		if verdict == result.Holds && implied < 5 || len(results) < 3 {
			t.Errorf("%s: %d results, %d obligations are corollaries", back, len(results), implied)
		}
	}
}
