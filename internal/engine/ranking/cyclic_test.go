package ranking

import (
	"strings"
	"testing"

	"erelong.dev/erelong/internal/result"
	"erelong.dev/erelong/internal/testkit"
)

// A token that goes round a ring of any length comes to everybody, in both directions, and from a
// first place other than 0. Where it skips places, nothing is proved.
func TestRing(t *testing.T) {
	const ring = `
		immutable constant first: int
		immutable constant last: int
		axiom first <= last
		type node = first..last
		mutable constant token: node
		init token = first
		fair action pass() { token := STEP; }
		liveness [comes] forall P: node. true ~> token = P
		`
	const plain = `
		immutable constant n: int
		axiom n >= 1
		type node = 0..n - 1
		mutable constant token: int
		init token = 0
		fair action pass() { token := STEP; }
		invariant [inside] 0 <= token & token < n
		liveness [comes] true ~> token = P & 0 <= P & P < n | P < 0 | n <= P
		`
	for _, c := range []struct {
		name, text, step string
		holds            bool
	}{
		{"up", ring, "if token = last then first else token + 1", true},
		{"down", ring, "if token = first then last else token - 1", true},
		{"not round", ring, "if token = last then last else token + 1", false},
		{"integers", plain, "if token = n - 1 then 0 else token + 1", true},
	} {
		t.Run(c.name, func(t *testing.T) {
			sys := testkit.Compile(t, strings.Replace(c.text, "STEP", c.step, 1))
			r := prove1(t, options(t), sys)
			if (r.Verdict == result.Holds) != c.holds {
				t.Errorf("%s: %s", r.Verdict, r.Reason.Text)
			}
		})
	}
}
