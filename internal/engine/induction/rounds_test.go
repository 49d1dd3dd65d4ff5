package induction_test

import (
	"strings"
	"testing"

	"erelong.dev/erelong/internal/discharge"
	"erelong.dev/erelong/internal/engine/induction"
	"erelong.dev/erelong/internal/result"
	"erelong.dev/erelong/internal/testkit"
)

// chain has an invariant that is not inductive, one that follows from it, and one that needs
// neither. What uses the first stands last.
const chain = `
mutable relation first
mutable relation second
mutable relation third
mutable relation other
init first & second & third & !other
invariant [one] first
invariant [two] second
invariant [three] third
action a() { other := true; second := second | other; third := third | other; }
action b() { other := true; second := second & other; third := third & other; }
action c() { second := second | other; third := third | other; }
action d() { third := third | other; second := second | other; }
action e() { other := third; second := second | other; third := third | other; }
action f() { other := second; second := second | other; third := third | other; }
action spoil() { first := other; }
action use() { second := first; }
`

// A round without a dropped invariant begins with the steps that are about it, and ends with the
// first of them that fails: the other steps are asked about without what fails, too, in the next
// round. What holds is proved in every step.
func TestRoundEndsWithItsFirstFailure(t *testing.T) {
	sys := testkit.Compile(t, chain)
	results, err := induction.Prove(testkit.Solving(t), sys, induction.Options{Raw: true,
		Options: discharge.Options{Jobs: 1}})
	if err != nil {
		t.Fatal(err)
	}
	verdicts := map[string]result.Verdict{}
	for _, r := range results {
		verdicts[r.Property] = r.Verdict
		for _, o := range r.Evidence.Obligations {
			if o.Verdict == "" {
				t.Errorf("%s: the obligation %s has no verdict", r.Property, o.Name)
			}
		}
		n := len(r.Evidence.Obligations)
		switch r.Property {
		case "two":
			if n != 3 || !strings.Contains(r.Reason.Text, "one") {
				t.Errorf("two has %d obligations, not its initiation and two steps; %s", n,
					r.Reason.Text)
				for _, o := range r.Evidence.Obligations {
					t.Log(o.Name, o.Verdict)
				}
			}
		case "three":
			if n != 1+len(sys.Actions) {
				t.Errorf("three has %d obligations", n)
			}
		}
	}
	if verdicts["one"] != result.NotInductive || verdicts["two"] != result.Unknown ||
		verdicts["three"] != result.Holds {
		t.Errorf("verdicts %v", verdicts)
	}
}
