package explicit_test

import (
	"context"
	"fmt"
	"math"
	"math/rand"
	"reflect"
	"slices"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"erelong.dev/erelong/internal/engine"
	"erelong.dev/erelong/internal/engine/explicit"
	"erelong.dev/erelong/internal/engine/explore"
	"erelong.dev/erelong/internal/logic"
	"erelong.dev/erelong/internal/result"
	"erelong.dev/erelong/internal/system"
	"erelong.dev/erelong/internal/system/systemtest"
	"erelong.dev/erelong/internal/system/systemtest/computed"
	"erelong.dev/erelong/internal/testkit"
)

// computedOf makes a computed system of a generated one.
func computedOf(t *testing.T, seed int64) (plain, same *system.System) {
	t.Helper()
	plain, err := systemtest.Generate(rand.New(rand.NewSource(seed)),
		systemtest.Options{Actions: 1 + int(seed%3), Bits: 7})
	if err != nil {
		t.Fatal(err)
	}
	same, err = computed.Of(plain, plain.Instances[0])
	if err != nil {
		t.Fatal(err)
	}
	return plain, same
}

// A computed system has the states, the steps, the verdicts and the lengths of runs of the system
// that it was made of, whatever the search.
func TestComputedAgrees(t *testing.T) {
	searches := []explicit.Options{
		{},
		{Threads: 3},
		{Strategy: explicit.Strategy{Stop: true}},
		{Limits: engine.Limits{Depth: 2}},
		{Limits: engine.Limits{States: 5}},
		{Strategy: explicit.Strategy{Search: explicit.DepthFirst}},
		{Storage: explicit.Storage{Store: explicit.Hash}},
		{Strategy: explicit.Strategy{Search: explicit.RandomWalks, Walks: 5, WalkLength: 10}},
	}
	for seed := range testkit.Size(30, 250) {
		plain, same := computedOf(t, seed)
		opts := searches[int(seed)%len(searches)]
		opts.Deadlock = true
		want, err := explicit.Explore(t.Context(), plain, plain.Instances[0], opts)
		if err != nil {
			t.Fatal(err)
		}
		got, err := explicit.Explore(t.Context(), same, same.Instances[0], opts)
		if err != nil {
			t.Fatalf("seed %d: %v", seed, err)
		}
		for i := range want.Results {
			w, g := &want.Results[i], &got.Results[i]
			if w.Verdict != g.Verdict || w.States != g.States || w.Depth != g.Depth ||
				w.Transitions != g.Transitions {
				t.Errorf("seed %d: %s is %s after %d states, %d transitions, depth %d; computed "+
					"it is %s after %d, %d, %d", seed, w.Property, w.Verdict, w.States,
					w.Transitions, w.Depth, g.Verdict, g.States, g.Transitions, g.Depth)
			}
		}
		w, g := want.Stats, got.Stats
		g.Generated, g.PeakBytes, g.Probes = 0, w.PeakBytes, w.Probes
		if !reflect.DeepEqual(w, g) {
			t.Errorf("seed %d: the search found\n%+v\ncomputed\n%+v", seed, w, g)
		}
	}
}

// naive explores a computed system in the plainest way.
type naive struct {
	t         *testing.T
	sys       *system.System
	computer  system.Computer
	judge     system.Computer // asked while the other one yields
	seen      map[string]bool
	generated int64
	deadlocks int64
	violated  map[string]int64 // the states on a shortest run to a violation, by property
}

func (n *naive) holds(term *logic.Term, state, next []int64) bool {
	switch term.Op {
	case logic.OpNot:
		return !n.holds(term.Args[0], state, next)
	case logic.OpApp:
		p := n.sys.DerivedOf(term.Symbol).Predicate
		if !p.OfStep {
			next = nil
		}
		holds, err := n.judge.Holds(p.Number, state, next)
		if err != nil {
			n.t.Fatal(err)
		}
		return holds
	}
	n.t.Fatalf("no formula: %s", term)
	return false
}

// visit looks at a state on a level, and reports whether it is a new one within the boundary.
func (n *naive) visit(from, state []int64, level int64) bool {
	n.generated++
	for _, p := range n.sys.Properties {
		if n.violated[p.Name] == 0 && !n.holds(p.Term, state, nil) {
			n.violated[p.Name] = level
		}
	}
	for _, b := range n.sys.Computed.Boundary {
		switch {
		case !n.sys.OfStep(b.Term):
			if !n.holds(b.Term, state, nil) {
				return false
			}
		case from != nil && !n.holds(b.Term, from, state):
			return false
		}
	}
	key := fmt.Sprint(state)
	if n.seen[key] {
		return false
	}
	n.seen[key] = true
	return true
}

func (n *naive) run() {
	var level [][]int64
	if err := n.computer.Initial(n.t.Context(), func(s []int64) error {
		if n.visit(nil, s, 1) {
			level = append(level, slices.Clone(s))
		}
		return nil
	}); err != nil {
		n.t.Fatal(err)
	}
	for depth := int64(2); len(level) > 0; depth++ {
		var next [][]int64
		for _, from := range level {
			steps := 0
			if err := n.computer.Steps(n.t.Context(), from, func(_ int, _, to []int64) error {
				if steps++; n.visit(from, to, depth) {
					next = append(next, slices.Clone(to))
				}
				return nil
			}); err != nil {
				n.t.Fatal(err)
			}
			if steps == 0 {
				n.deadlocks++
			}
		}
		level = next
	}
}

// A state outside of a boundary is generated and checked, and neither counted nor expanded.
func TestComputedBoundary(t *testing.T) {
	bounded, ofStep, violations := 0, 0, 0
	for seed := range testkit.Size(50, 400) {
		_, sys := computedOf(t, seed)
		term := sys.Properties[int(seed)%len(sys.Properties)].Term
		if c := sys.Computed.Conditions; seed%2 == 1 && len(c) > 0 {
			term = c[int(seed)%len(c)].Taken
		}
		if seed%3 == 0 {
			term = logic.Not(term)
		}
		sys.Computed.Boundary = []*system.Formula{{Name: "bound", Term: term}}
		n := &naive{t: t, sys: sys, computer: sys.Computed.Plain(),
			judge: sys.Computed.Plain(), seen: map[string]bool{}, violated: map[string]int64{}}
		n.run()
		x, err := explicit.Explore(t.Context(), sys, sys.Instances[0], explicit.Options{})
		if err != nil {
			t.Fatalf("seed %d: %v", seed, err)
		}
		stop := int64(math.MaxInt64) // the search ends with the first violations
		for _, r := range x.Results {
			if r.Verdict == result.Violated {
				stop = min(stop, r.Depth)
			}
		}
		for _, r := range x.Results {
			switch want := n.violated[r.Property]; {
			case want == 0 && r.Verdict != result.Holds && x.Stats.Complete && len(n.seen) > 0,
				want > 0 && want < max(stop, 2) && r.Verdict != result.Violated,
				r.Verdict == result.Violated && r.Depth != want:
				t.Errorf("seed %d: %s is %s at depth %d, want %d: %s", seed, r.Property, r.Verdict,
					r.Depth, want, r.Reason.Text)
			case want > 0:
				violations++
			}
		}
		if x.Stats.Complete {
			if x.Stats.States != int64(len(n.seen)) || x.Stats.Generated != n.generated ||
				x.Stats.Deadlocks != n.deadlocks {
				t.Errorf("seed %d: %d states of %d generated, %d deadlocks; want %d, %d, %d", seed,
					x.Stats.States, x.Stats.Generated, x.Stats.Deadlocks, len(n.seen), n.generated,
					n.deadlocks)
			}
			bounded++
			if sys.OfStep(term) {
				ofStep++
			}
		}
	}
	if bounded < 10 || ofStep < 3 || violations < 10 {
		t.Errorf("only %d complete explorations, %d with bounds of steps, and %d violations",
			bounded, ofStep, violations)
	}
}

// Options that need formulas are refused in the user's words.
func TestComputedRefusals(t *testing.T) {
	_, sys := computedOf(t, 1)
	for _, opts := range []explicit.Options{
		{Reduction: explicit.Reduction{Symmetry: true}},
		{Reduction: explicit.Reduction{PartialOrder: true}},
		{Strategy: explicit.Strategy{Search: explicit.Swarm}},
		{Storage: explicit.Storage{Store: explicit.Packed}},
		{Checkpoint: explore.Checkpoint{Dir: t.TempDir()}},
	} {
		_, err := explicit.Explore(t.Context(), sys, sys.Instances[0], opts)
		if err == nil || !strings.Contains(err.Error(), computed.Language) {
			t.Errorf("%+v: %v", opts, err)
		}
	}
}

// sorted are wheels, of which it does not matter which is which: states are in order.
type sorted struct{ wheels }

func (w sorted) Whole() (system.Computed, bool) { return w.wheels, true }

func (w sorted) Representative(state []int64) []int64 {
	return slices.Sorted(slices.Values(state))
}

func (sorted) Symmetric([]int) bool { return true }

func (w sorted) Computer(context.Context) system.Computer { return sortedComputer{w} }

// Holds is false where all wheels are in the last place.
func (w sorted) Holds(_ int, state, _ []int64) (bool, error) {
	return slices.Min(state) < w.places-1, nil
}

func (w sorted) Plain() system.Computer { return plainWheels{w.wheels, w} }

// plainWheels steps as wheels do, and judges as sorted ones.
type plainWheels struct {
	wheels
	judge sorted
}

func (w plainWheels) Holds(p int, state, next []int64) (bool, error) {
	return w.judge.Holds(p, state, next)
}

type sortedComputer struct{ sorted }

func (c sortedComputer) Steps(
	ctx context.Context, state []int64, yield func(action int, args, next []int64) error,
) error {
	return c.wheels.Steps(ctx, slices.Clone(state), func(action int, args, next []int64) error {
		return yield(action, args, next)
	})
}

func (c sortedComputer) Stand(state []int64) ([]int64, error) {
	return c.Representative(state), nil
}

// viewed are wheels with a view: which state stands for others depends on the order of the search.
type viewed struct {
	sorted
	running, together *atomic.Int32
}

func (v viewed) Whole() (system.Computed, bool) { return v.wheels, false }

func (v viewed) Computer(context.Context) system.Computer { return viewedComputer{v} }

type viewedComputer struct{ viewed }

func (c viewedComputer) Stand(state []int64) ([]int64, error) {
	return c.Representative(state), nil
}

func (c viewedComputer) Steps(
	ctx context.Context, state []int64, yield func(action int, args, next []int64) error,
) error {
	if c.running.Add(1) > 1 {
		c.together.Add(1)
	}
	defer c.running.Add(-1)
	time.Sleep(10 * time.Microsecond)
	return sortedComputer{c.sorted}.Steps(ctx, state, yield)
}

// With a view, the states are found in one order, whatever the threads.
func TestComputedViewHasOneOrder(t *testing.T) {
	v := viewed{sorted{wheels{4, 12}}, new(atomic.Int32), new(atomic.Int32)}
	sys := v.system()
	sys.Computed.Computed = v
	opts := explicit.Options{Threads: 4}
	if _, err := explicit.Explore(t.Context(), sys, sys.Instances[0], opts); err != nil {
		t.Fatal(err)
	}
	if n := v.together.Load(); n > 0 {
		t.Errorf("%d states were expanded beside others", n)
	}
}

// Where states are alike, one of them is explored, and a run to a violation is a real one.
func TestComputedRepresentatives(t *testing.T) {
	w := sorted{wheels{4, 3}}
	sys := w.system()
	sys.Computed.Computed = w
	x, err := explicit.Explore(t.Context(), sys, sys.Instances[0], explicit.Options{})
	if err != nil {
		t.Fatal(err)
	}
	r := x.Results[0]
	if r.Verdict != result.Violated || r.Depth != 9 || r.States != 15 {
		t.Errorf("%s is %s at depth %d after %d states", r.Property, r.Verdict, r.Depth, r.States)
	}
	found, err := (&explicit.Engine{}).Run(t.Context(), &engine.Task{Method: engine.Explore,
		System: sys, Instance: sys.Instances[0],
		Claims: []engine.Claim{{Name: "low", Property: sys.Properties[0]}}}, engine.Sink{})
	if err != nil || !slices.ContainsFunc(found.Notes, func(note string) bool {
		return strings.Contains(note, "not telling them apart")
	}) {
		t.Errorf("no note says what the verdict rests on: %+v, %v", found, err)
	}
	states := map[string]bool{}
	for _, step := range r.Trace.Steps {
		states[fmt.Sprint(step.State)] = true
	}
	if len(states) != 9 { // each step turns one wheel
		t.Errorf("the run has %d states", len(states))
	}
}

// failing are wheels of which something has no value where the first wheel is in place 1.
type failing struct {
	wheels
	where string
}

func (w failing) Computer(context.Context) system.Computer { return w }
func (w failing) Plain() system.Computer                   { return w }

func (w failing) fail(where string, state []int64) error {
	if w.where == where && state[0] == 1 {
		return &system.ComputedError{Message: "1 has no " + where}
	}
	return nil
}

func (w failing) Initial(ctx context.Context, yield func([]int64) error) error {
	if w.where == "start" {
		return w.fail("start", []int64{1})
	}
	return w.wheels.Initial(ctx, yield)
}

func (w failing) Steps(
	ctx context.Context, state []int64, yield func(action int, args, next []int64) error,
) error {
	if err := w.wheels.Steps(ctx, state, yield); err != nil {
		return err
	}
	return w.fail("step", state)
}

func (w failing) Holds(p int, state, next []int64) (bool, error) {
	if p == 1 {
		return true, w.fail("bound", state)
	}
	return true, w.fail("truth", state)
}

// Where something has no value, the verdict is unknown, and says why, with the run to the state.
func TestComputedErrors(t *testing.T) {
	for where, depth := range map[string]int{"start": 0, "step": 2, "truth": 2, "bound": 1} {
		w := failing{wheels{3, 4}, where}
		sys := w.system()
		sys.Computed.Computed = w
		bound := &logic.Symbol{Name: "bound", Kind: logic.Relation, Result: logic.Bool,
			Mutable: true, Derived: true}
		sys.Symbols = append(sys.Symbols, bound)
		sys.Derived = append(sys.Derived, &system.Derived{Symbol: bound,
			Predicate: &system.Predicate{Number: 1}})
		sys.Computed.Boundary = []*system.Formula{{Term: logic.App(bound, logic.Pre)}}
		if err := system.Validate(sys); err != nil {
			t.Fatal(err)
		}
		for _, search := range []string{explicit.BreadthFirst, explicit.DepthFirst,
			explicit.RandomWalks} {
			r, err := explicit.Check(t.Context(), sys, sys.Instances[0],
				explicit.Options{Strategy: explicit.Strategy{Search: search, WalkLength: 50}})
			if err != nil {
				t.Fatalf("%s: %s: %v", where, search, err)
			}
			steps := 0
			if r[0].Trace != nil {
				steps = len(r[0].Trace.Steps)
			}
			if r[0].Verdict != result.Unknown ||
				!strings.Contains(r[0].Reason.Text, "1 has no "+where) ||
				search == explicit.BreadthFirst && steps != depth {
				t.Errorf("%s: %s: %s: %s, a run of %d states", where, search, r[0].Verdict,
					r[0].Reason.Text, steps)
			}
		}
	}
}

// Variables may have any number of values: states become wider when there are many.
func TestComputedWide(t *testing.T) {
	for _, w := range []wheels{{1, 256}, {1, 257}, {3, 20}, {9, 2}, {2, 260}} {
		states := int64(1)
		for range w.count {
			states *= w.places
		}
		sys := w.system()
		x, err := explicit.Explore(t.Context(), sys, sys.Instances[0], explicit.Options{})
		if err != nil {
			t.Fatal(err)
		}
		if s := x.Stats; s.States != states || s.Generated != w.count*states+1 || !s.Complete {
			t.Errorf("%d wheels with %d places have %+v", w.count, w.places, s)
		}
	}
}
