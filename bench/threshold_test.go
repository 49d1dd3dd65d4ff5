package main

import (
	"maps"
	"testing"
)

// A claim is about liveness if it says <> beside its fairness. An automaton counts as decided for
// each kind of its claims alone.
func TestDecided(t *testing.T) {
	live := liveClaims(`locations (2) { a: [0]; b: [1]; } specifications (3) {
  /* liveness: <> */
  safe: <>[](a == 0) -> [](b == 0);
  soon: <>[](a == 0) -> ((b == 0)
     -> <>(b != 0)); }`)
	if want := map[string]bool{"safe": false, "soon": true}; !maps.Equal(live, want) {
		t.Errorf("%v, not %v", live, want)
	}
	d := &decided{}
	d.note(map[string]string{"safe": "violated", "soon": "unknown"}, live)
	d.note(map[string]string{"soon": "holds"}, live)
	if want := (decided{safe: 1, safety: 1, live: 1, liveness: 2}); *d != want {
		t.Errorf("%+v, not %+v", *d, want)
	}
}
