package induction

import (
	"slices"
	"testing"

	"erelong.dev/erelong/internal/discharge"
	"erelong.dev/erelong/internal/result"
	"erelong.dev/erelong/internal/testkit"
	"erelong.dev/erelong/internal/vc"
)

// What a proof needed is known to a later one in which the invariants have other names, and nothing
// is left out but invariants. Where one of the needed invariants is gone, nothing is known.
func TestMemory(t *testing.T) {
	read := func(names ...string) []*claim {
		text := "mutable relation p\nmutable relation q\nmutable relation r\n" +
			"action a() { p := p & q; }\n"
		for i, name := range names {
			text += "invariant [" + name + "] " + string("pqr"[i]) + "\n"
		}
		return claimsOf(testkit.Compile(t, text))
	}
	first := read("one", "two", "three")
	first[0].consecution = []*discharge.Obligation{{Obligation: result.Obligation{Action: "a",
		Verdict: result.Holds, Needs: []string{"one", "two", "an axiom"}}}}
	m := Memory{}
	m.learn(first)
	theory := func(claims []*claim) *vc.Theory {
		th := &vc.Theory{}
		for _, c := range claims {
			th.AssumeConjuncts(c.prop.Name, c.conjuncts...)
		}
		th.AssumeAs("another axiom", first[0].conjuncts[0])
		return th
	}
	later := read("p_holds", "q_holds", "r_holds")
	got := m.likely("a", later[0].text(0), theory(later), textsOf(later))
	if want := []string{"p_holds", "q_holds", "another axiom"}; !slices.Equal(got, want) {
		t.Errorf("likely are %q, not %q", got, want)
	}
	if got := m.likely("b", later[0].text(0), theory(later), textsOf(later)); got != nil {
		t.Errorf("likely for another action are %q", got)
	}
	less := read("p_holds")
	if got := m.likely("a", less[0].text(0), theory(less), textsOf(less)); got != nil {
		t.Errorf("likely without what was needed are %q", got)
	}
}
