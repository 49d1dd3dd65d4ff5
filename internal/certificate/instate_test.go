package certificate

import (
	"slices"
	"testing"

	"erelong.dev/erelong/internal/logic"
	"erelong.dev/erelong/internal/result"
	"erelong.dev/erelong/internal/testkit"
)

// line has claims about arguments and values that follow from the range of at.
const line = `
mutable constant at: 0..3
mutable relation on
mutable relation seen(1..3)
init at = 0 & !on & !seen(X)
action go() { require at < 3; at := at + 1; on := true; }
action back() { require at > 1; at := at - 1; }
action mark() { require on; seen(at) := true; }
safety [never] at < 2
safety [least] at <= 1
safety [below] on -> at > 0
`

// What follows in one state has one obligation, and not one for each action.
func TestInOneState(t *testing.T) {
	sys := compile(t, line)
	c, _ := prove(t, sys)
	names := map[string]int{}
	for _, o := range c.Proofs[0].Obligations {
		names[o.Name]++
	}
	for about, want := range map[string]bool{
		inState("argument:seen"): true, "initiation of argument:seen": false,
		"go preserves argument:seen": false, inState("below"): false, "go preserves below": true,
	} {
		if got := names[about] > 0; got != want {
			t.Errorf("an obligation %q: %v, not %v; of %v", about, got, want, names)
		}
	}
	for _, r := range recheck(t, c, testkit.Solvers(t)...).Results {
		if r.Verdict != result.Holds {
			t.Errorf("%s is %s (%s)", r.Property, r.Verdict, r.Reason.Text)
		}
	}
	c.Proofs[0].Obligations = slices.DeleteFunc(c.Proofs[0].Obligations, func(o Obligation) bool {
		return o.Name == inState("argument:seen") && o.Conjunct == 0
	})
	if _, _, err := c.plans(t.Context()); err == nil {
		t.Error("a certificate without one of its obligations is accepted")
	}
}

// Claims that are false and follow from each other do not follow from what is proved by itself.
func TestInOneStateInCircles(t *testing.T) {
	sys := compile(t, line)
	of := []string{"range:at", "never", "least"}
	for _, said := range [][]string{{"never"}, {"least"}, {"never", "least"}, of} {
		c := claim(t, sys, []string{"never"}, of)
		p := &c.Proofs[0]
		following := map[identity]bool{}
		for _, name := range said {
			for i := range logic.Conjuncts(sys.Property(name).Term) {
				following[identity{inState(name), "", name, i}] = true
			}
		}
		props, err := find(sys, p.Invariant)
		if err != nil {
			t.Fatal(err)
		}
		p.Obligations = nil
		for _, q := range inductionQuestions(sys, props, following) {
			p.Obligations = append(p.Obligations, q.Obligation)
		}
		r := recheck(t, c, testkit.Solvers(t)...).Results[0]
		if r.Verdict == result.Holds || r.Verdict == result.NothingChecked {
			t.Errorf("with %v in one state: %s (%s)", said, r.Verdict, r.Reason.Text)
		}
	}
}
