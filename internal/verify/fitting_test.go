package verify

import (
	"testing"

	"erelong.dev/erelong/internal/result"
	"erelong.dev/erelong/internal/testkit"
)

// The alternating bit protocol is live without what its file says about it: the invariants of
// channels are found, because ranking functions that fit its runs need them.
func TestLiveWithoutInvariants(t *testing.T) {
	testkit.InLong(t)
	ctx := testkit.Solving(t)
	sys, o := withoutHelp(t, "alternating_bit.ere"), Default() // as the command live
	o.LiveOnly, o.Only, o.Instances = true, []string{"delivered"}, sys.Instances
	out, err := Run(ctx, sys, o)
	if err != nil {
		t.Fatal(err)
	}
	if len(out.Lemmas) == 0 {
		t.Error("no lemmas")
	}
	proved := false
	for _, r := range out.Results {
		proved = proved || r.Property == "delivered" && r.Verdict == result.Holds &&
			r.Scope == result.ScopeAll
	}
	if !proved {
		t.Errorf("no proof: %+v", out.Results)
	}
}
