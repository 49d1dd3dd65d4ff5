package temporal

import (
	"fmt"
	"testing"

	"erelong.dev/erelong/internal/engine"
	"erelong.dev/erelong/internal/interp"
)

// flips has 3 * 2^n states. A bit that is flipped can be flipped back.
func flips(t *testing.T, n int) *interp.Model {
	t.Helper()
	return first(t, fmt.Sprintf(`
		type bit = 1..%d
		mutable relation up(bit)
		mutable constant turn: 0..2
		init !up(B) & turn = 0
		strong fair action next() { turn := if turn = 2 then 0 else turn + 1; }
		strong fair action flip(b: bit) { up(b) := !up(b); }
		temporal [turns] always eventually (turn = 1)
		instance i { }`, n))
}

// A graph is the same where successors are remembered with their numbers, as in a large
// exploration, at the limit of states, too.
func TestRememberedStates(t *testing.T) {
	m := flips(t, 11)
	for _, states := range []int64{0, 5501} {
		for threads := 1; threads <= 3; threads++ {
			l := limits{threads: threads, Limits: engine.Limits{States: states}}
			compare(t, fmt.Sprint(states, " states, threads: ", threads), m.System, m.Instance, l)
		}
	}
}

// Where a run stays away from turn 1, no step that takes a strong condition leads to turn 2: these
// nodes, and then all, are left out without a decomposition.
func TestUnreached(t *testing.T) {
	m := flips(t, 6)
	g, err := interpret(t.Context(), m, limits{})
	if err != nil {
		t.Fatal(err)
	}
	tr := newTranslator(m)
	f, err := tr.formula(m.System.Properties[0].Term, true)
	if err != nil {
		t.Fatal(err)
	}
	a, err := translate(f)
	if err != nil {
		t.Fatal(err)
	}
	e := newEmptiness(domainOf(t, g, tr.atoms.terms), a, 0)
	found, sure, err := e.search(t.Context())
	if err != nil || found || !sure {
		t.Fatalf("a fair cycle is found: %t, sure: %t, %v", found, sure, err)
	}
	if e.calls != nil {
		t.Error("the components are decomposed")
	}
}
