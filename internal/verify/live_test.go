package verify

import (
	"testing"

	"erelong.dev/erelong/internal/engine/ranking"
	"erelong.dev/erelong/internal/result"
	"erelong.dev/erelong/internal/testkit"
)

// A proof of liveness uses the invariants that inference finds for a safety property; without them,
// there is none.
func TestLivenessWithLemmas(t *testing.T) {
	testkit.Solvers(t)
	sys := testkit.Compile(t, `
		mutable relation x, y, done, bad
		init !x & !y & !done & !bad
		fair action begin() { require !x; x := true; y := true; }
		fair action end() { require x & y & !done; done := true; }
		action fail() { require x & !y; bad := true; }
		safety [good] !bad
		liveness [ends] true ~> done
		instance one { }`)
	for _, infer := range []bool{true, false} {
		out, err := Run(t.Context(), sys, Options{Prove: true, Live: true, Infer: infer,
			InferEffort: InferEffort})
		if err != nil {
			t.Fatal(err)
		}
		proved := false
		for _, r := range out.Results {
			proved = proved || r.Property == "ends" && r.Engine == ranking.Name &&
				r.Verdict == result.Holds
		}
		if proved != infer {
			t.Errorf("proved is %v, with inference %v: %+v", proved, infer, out.Results)
		}
	}
}
