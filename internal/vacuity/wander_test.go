package vacuity_test

import (
	"context"
	"math/rand"
	"slices"
	"testing"

	"erelong.dev/erelong/internal/interp"
	"erelong.dev/erelong/internal/system/systemtest"
	"erelong.dev/erelong/internal/testkit"
	"erelong.dev/erelong/internal/vacuity"
)

// TestWanderDeep is about steps that are far from the initial state, and about what is impossible.
func TestWanderDeep(t *testing.T) {
	sys := testkit.Compile(t, `
sort s
mutable relation started(s), done(s)
mutable constant at: 0..12
init !started(X) & !done(X) & at = 0
action start(x: s) { started(x) := true; }
action advance(x: s) { require started(x) & at < 12; at := at + 1; }
action finish(x: s) { require at = 12; done(x) := true; }
action never(x: s) { require done(x) & at < 12; done(x) := false; }
invariant [deep] done(X) -> at = 12
invariant [impossible] done(X) & at = 3 -> started(X)
instance two { s = 2 }
`)
	signs, idle := vacuity.Wander(context.Background(), sys, sys.Instances[0],
		vacuity.Signs(sys), []string{"start", "advance", "finish", "never"})
	if len(signs) != 1 || signs[0].Property != "impossible" {
		t.Errorf("not seen: %v", signs)
	}
	if !slices.Equal(idle, []string{"never"}) {
		t.Errorf("not taken: %v", idle)
	}
}

// TestWanderIsPossible compares with all reachable states of generated systems: what a walk shows
// is possible.
func TestWanderIsPossible(t *testing.T) {
	ctx := context.Background()
	shown := 0
	for seed := range int64(40) {
		sys, err := systemtest.Generate(rand.New(rand.NewSource(seed)), systemtest.Options{})
		if err != nil {
			t.Fatal(err)
		}
		in := systemtest.Unnamed(sys)
		m, err := interp.NewModel(sys, in)
		if err != nil {
			t.Fatal(err)
		}
		var all []string
		for _, a := range sys.Actions {
			all = append(all, a.Name)
		}
		signs := vacuity.Signs(sys)
		unseen, idle := vacuity.Wander(ctx, sys, in, signs, all)
		found, err := m.Nearest(ctx, nil, func([]interp.Reached) error { return nil })
		if err != nil {
			t.Fatalf("seed %d: %v", seed, err)
		}
		for _, s := range signs {
			if slices.ContainsFunc(unseen, s.Equal) {
				continue
			}
			shown++
			if !slices.ContainsFunc(found, func(r interp.Reached) bool {
				holds, err := m.Holds(s.Term, r.State)
				return err == nil && holds
			}) {
				t.Errorf("seed %d: %s is true in no reachable state", seed, s)
			}
		}
		for _, a := range sys.Actions {
			if slices.Contains(idle, a.Name) {
				continue
			}
			shown++
			if !slices.ContainsFunc(found, func(r interp.Reached) bool {
				possible := false
				if err := m.Steps(ctx, r.State, a, func(interp.Step) error {
					possible = true
					return interp.ErrStop
				}); err != nil {
					t.Fatalf("seed %d: %v", seed, err)
				}
				return possible
			}) {
				t.Errorf("seed %d: %s is enabled in no reachable state", seed, a.Name)
			}
		}
	}
	if shown < 40 {
		t.Errorf("only %d of all signs and actions were seen", shown)
	}
}
