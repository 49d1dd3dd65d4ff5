package explicit

import (
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"erelong.dev/erelong/internal/engine"
	"erelong.dev/erelong/internal/engine/explore/store"
	"erelong.dev/erelong/internal/result"
	"erelong.dev/erelong/internal/testkit"
)

// A search of a swarm that is large enough sees every state, and what it says of properties is what
// the exact search says, but that nothing holds without reservation.
func TestSwarmSearch(t *testing.T) {
	sys := testkit.Compile(t, `mutable constant x: int
mutable constant y: int
init x = 0 & y = 0
action right() { require x < 20; x := x + 1; }
action up() { require y < 20; y := y + 1; }
safety [inside] x + y < 41
safety [never] x + y != 33
instance one {}
`)
	in := sys.Instances[0]
	exact, err := Explore(t.Context(), sys, in, Options{Only: []string{"inside"}})
	if err != nil {
		t.Fatal(err)
	}
	var samples [][]uint64
	for seed := range int64(4) {
		x, err := Explore(t.Context(), sys, in, Options{
			Strategy: Strategy{Search: Swarm, Seed: seed},
			Only:     []string{"inside"},
		})
		if err != nil {
			t.Fatal(err)
		}
		if r := x.Results[0]; r.Verdict != result.HoldsUpTo || r.States != exact.Stats.States ||
			len(x.Stats.Sample) != int(r.States) {
			t.Errorf("seed %d: %s with %d states, the exact search has %d", seed, r.Verdict, r.States,
				exact.Stats.States)
		}
		samples = append(samples, x.Stats.Sample)
	}
	if c := Cover(samples); c.States != exact.Stats.States || c.Each != 1 || c.Share != 1 {
		t.Errorf("%+v of %d states", c, exact.Stats.States)
	}
	x, err := Explore(t.Context(), sys, in,
		Options{Strategy: Strategy{Search: Swarm}, Only: []string{"never"}})
	if err != nil || x.Results[0].Verdict != result.Violated || x.Results[0].Depth < 34 {
		t.Errorf("%+v, %v", x, err)
	}
	few, err := Explore(t.Context(), sys, in, Options{
		Strategy: Strategy{Search: Swarm},
		Only:     []string{"inside"},
		Limits:   engine.Limits{States: 50},
	})
	if err != nil || few.Stats.States != 50 {
		t.Errorf("%d states with a limit of 50, %v", few.Stats.States, err)
	}
	if _, err := Explore(t.Context(), sys, in,
		Options{Strategy: Strategy{Search: Swarm},
			Reduction: Reduction{Symmetry: true}}); err == nil {
		t.Error("symmetry is not refused")
	}
}

// What searches saw together is estimated from samples: searches that see random parts of known
// sizes.
func TestCover(t *testing.T) {
	const all = 40_000
	for _, part := range []float64{0.02, 0.2, 0.7} {
		rng := rand.New(rand.NewPCG(7, 7))
		var samples [][]uint64
		union := map[uint64]bool{}
		const searches = 8
		for range searches {
			s := &sample{below: math.MaxUint64}
			for k := range uint64(all) {
				if rng.Float64() < part {
					s.add(store.Hash1(k))
					union[k] = true
				}
			}
			kept := slices.Clone(s.cut())
			if len(kept) > sampledStates || !slices.IsSorted(kept) {
				t.Fatalf("%d hashes are kept", len(kept))
			}
			samples = append(samples, kept)
		}
		c := Cover(samples)
		near := func(what string, got, want, within float64) {
			if math.Abs(got-want) > within*want {
				t.Errorf("parts of %g: %s: %g, and it is %g", part, what, got, want)
			}
		}
		near("states", float64(c.States), float64(len(union)), 0.1)
		near("one search of them", c.Each, part*all/float64(len(union)), 0.1)
		near("share of all", c.Share, float64(len(union))/all, 0.15)
	}
	if c := Cover([][]uint64{{1, 2}, {2}}); c.States != 2 || c.Each != 0.75 {
		t.Errorf("%+v", c)
	}
	if c := Cover(nil); c.States != 0 {
		t.Errorf("%+v", c)
	}
}
