package induction_test

import (
	"strings"
	"testing"

	"erelong.dev/erelong/internal/discharge"
	"erelong.dev/erelong/internal/engine/induction"
	"erelong.dev/erelong/internal/result"
	"erelong.dev/erelong/internal/testkit"
)

// A draft does not ask again about steps whose proofs did without what was dropped; what needs the
// dropped invariant falls as it does otherwise.
func TestDraft(t *testing.T) {
	sys := testkit.Compile(t, chain)
	asked := map[bool]int{}
	for _, draft := range []bool{false, true} {
		results, err := induction.Prove(testkit.Solving(t), sys, induction.Options{Raw: true,
			Draft: draft, Options: discharge.Options{Jobs: 1, Cores: true,
				Begin: func(name string) {
					if strings.HasSuffix(name, "preserves three") {
						asked[draft]++
					}
				}}})
		if err != nil {
			t.Fatal(err)
		}
		for _, r := range results {
			if want := r.Property == "three"; want != (r.Verdict == result.Holds) {
				t.Errorf("draft %t: %s is %s", draft, r.Property, r.Verdict)
			}
		}
	}
	if asked[true] == 0 || asked[true] >= asked[false] {
		t.Errorf("a draft asked %d times about the steps of three, otherwise %d times",
			asked[true], asked[false])
	}
}
