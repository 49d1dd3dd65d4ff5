package explicit

import (
	"context"
	"errors"
	"fmt"
	"math/rand"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"erelong.dev/erelong/internal/compile"
	"erelong.dev/erelong/internal/engine"
	"erelong.dev/erelong/internal/engine/explore"
	"erelong.dev/erelong/internal/engine/explore/program"
	"erelong.dev/erelong/internal/front/ere"
	"erelong.dev/erelong/internal/interp"
	"erelong.dev/erelong/internal/logic"
	"erelong.dev/erelong/internal/result"
	"erelong.dev/erelong/internal/system"
	"erelong.dev/erelong/internal/system/systemtest"
	"erelong.dev/erelong/internal/testkit"
)

func generate(t *testing.T, seed int64) (*system.System, *system.Instance) {
	t.Helper()
	sys, err := systemtest.Generate(rand.New(rand.NewSource(seed)), systemtest.Options{Bits: 8})
	if err != nil {
		t.Fatal(err)
	}
	return sys, sys.Instances[0]
}

// checkStats is Check with all statistics.
func checkStats(
	ctx context.Context, sys *system.System, inst *system.Instance, opts Options,
) ([]result.Result, Stats, error) {
	opts.Vacuity = true
	x, err := Explore(ctx, sys, inst, opts)
	if err != nil {
		return nil, Stats{}, err
	}
	return x.Results, x.Stats, nil
}

func explored(
	t *testing.T, sys *system.System, inst *system.Instance, opts Options,
) ([]result.Result, Stats) {
	t.Helper()
	if opts.program == nil {
		opts.program = program.Interpreted
	}
	results, stats, err := checkStats(t.Context(), sys, inst, opts)
	if err != nil {
		t.Fatal(err)
	}
	return results, stats
}

// With hashes instead of states the search finds the same, but never says "holds".
func TestCompactStores(t *testing.T) {
	for _, kind := range []string{Hash, Bitstate} {
		for seed := range testkit.Size(10, 60) {
			sys, inst := generate(t, seed)
			want, wantStats := explored(t, sys, inst, Options{})
			for _, memory := range []int64{0, 1 << 16} {
				if kind == Hash && memory > 0 {
					memory = 1 // everything goes to disk
				}
				if kind == Bitstate && memory == 0 {
					memory = 1 << 22
				}
				got, stats := explored(t, sys, inst,
					Options{Storage: Storage{Store: kind, Memory: memory, SpillDir: t.TempDir()},
						Threads: 2})
				if stats.Complete || stats.States != wantStats.States ||
					stats.Transitions != wantStats.Transitions || stats.Depth != wantStats.Depth {
					t.Fatalf("%s, seed %d: %+v; want %+v", kind, seed, stats, wantStats)
				}
				for i, g := range got {
					w := want[i]
					if w.Verdict == result.Holds {
						w.Verdict = result.HoldsUpTo
						if !strings.Contains(g.Reason.Text, "the store "+kind+" kept") ||
							!strings.Contains(g.Reason.Text, "the odds that it missed one are about ") {
							t.Errorf("%s: %s", kind, g.Reason)
						}
						g.Reason = result.Reason{}
					}
					if diff := cmp.Diff(w, g, ignoreTimes); diff != "" {
						t.Fatalf("%s, seed %d: %s", kind, seed, diff)
					}
				}
			}
		}
	}
}

// A depth-first search finds the same states and verdicts; its runs may be longer.
func TestDepthFirst(t *testing.T) {
	for seed := range testkit.Size(20, 100) {
		sys, inst := generate(t, seed)
		want, wantStats := explored(t, sys, inst, Options{Deadlock: true})
		got, stats := explored(t, sys, inst,
			Options{Strategy: Strategy{Search: DepthFirst}, Deadlock: true})
		if wantStats.Complete && stats.Complete &&
			(stats.States != wantStats.States || stats.Transitions != wantStats.Transitions ||
				stats.Deadlocks != wantStats.Deadlocks || stats.Depth < wantStats.Depth) {
			t.Fatalf("seed %d: %+v; want %+v", seed, stats, wantStats)
		}
		for i, g := range got {
			w := want[i]
			switch {
			// One of them stopped at a violation, possibly before this one.
			case upTo(g.Verdict) || upTo(w.Verdict):
				if g.Property != w.Property {
					t.Fatal("order of results")
				}
			case g.Verdict != w.Verdict:
				t.Errorf("seed %d: %s: %s; want %s", seed, g.Property, g.Verdict, w.Verdict)
			case g.Verdict == result.Violated:
				if int64(len(g.Trace.Steps)) != g.Depth || g.Depth < w.Depth ||
					!strings.Contains(g.Reason.Text, "need not be a shortest") {
					t.Errorf("seed %d: %s: a run of %d states, depth %d, shortest %d: %s", seed,
						g.Property, len(g.Trace.Steps), g.Depth, w.Depth, g.Reason)
				}
			}
		}
	}
	sys, _, err := ere.Compile("test.ere", `
		mutable constant n: 0..9
		init n = 0
		action up() { require n < 9; n := n + 1; }
		action jump() { n := 9; }
		safety [low] n < 9
		instance i { }`)
	if err != nil {
		t.Fatal(err)
	}
	results, _ := explored(t, sys, sys.Instances[0],
		Options{Strategy: Strategy{Search: DepthFirst}})
	if r := results[0]; r.Verdict != result.Violated || r.Depth != 10 && r.Depth != 2 {
		t.Errorf("%+v", r)
	}
}

// Random walks find some violations, nothing that does not exist, and never say "holds".
func TestRandomWalks(t *testing.T) {
	found := 0
	seeds := testkit.Size(15, 60)
	for seed := range seeds {
		sys, inst := generate(t, seed)
		want, _ := explored(t, sys, inst, Options{Deadlock: true})
		opts := Options{Strategy: Strategy{Search: RandomWalks, Walks: 20, WalkLength: 30,
			Seed: seed}, Deadlock: true}
		got, _ := explored(t, sys, inst, opts)
		again, _ := explored(t, sys, inst, opts)
		if diff := cmp.Diff(got, again, ignoreTimes); diff != "" {
			t.Fatalf("equal seeds, different walks: %s", diff)
		}
		for i, g := range got {
			switch {
			case g.Verdict == result.Violated:
				found++
				if w := want[i]; w.Verdict == result.Holds ||
					w.Verdict == result.Violated && g.Depth < w.Depth {
					t.Errorf("seed %d: %s violated after %d states; exhaustive: %s %d", seed,
						g.Property, g.Depth, w.Verdict, w.Depth)
				}
			case g.Verdict == result.HoldsUpTo:
				if !strings.Contains(g.Reason.Text, " random walks of at most 30 states were taken, ") {
					t.Error(g.Reason)
				}
			case g.Verdict != result.NothingChecked && g.Verdict != result.Unknown:
				t.Errorf("seed %d: %s: %s", seed, g.Property, g.Verdict)
			}
		}
	}
	if found < int(seeds/3) {
		t.Errorf("only %d violations were found", found)
	}
}

func TestOptionsThatDoNotGoTogether(t *testing.T) {
	sys, inst := generate(t, 1)
	for want, opts := range map[string]Options{
		`there is no store "x"`:                    {Storage: Storage{Store: "x"}},
		`there is no search "x"`:                   {Strategy: Strategy{Search: "x"}},
		"a folder with a checkpoint is needed":     {Checkpoint: explore.Checkpoint{Resume: true}},
		"checkpoints are written only of a search": {Checkpoint: explore.Checkpoint{Dir: t.TempDir()}, Storage: Storage{Store: Hash}},
		"the search dfs needs the store exact":     {Strategy: Strategy{Search: DepthFirst}, Storage: Storage{Store: Hash}},
		"says nothing in a depth-first search":     {Strategy: Strategy{Search: DepthFirst}, Limits: engine.Limits{Depth: 3}},
		"limits must not be negative":              {Storage: Storage{Memory: -1}},
		"reading it: stat ": {Checkpoint: explore.Checkpoint{
			Dir: filepath.Join(t.TempDir(), "none"), Resume: true}},
		"checkpoints are written only of a search bfs": {
			Checkpoint: explore.Checkpoint{Dir: t.TempDir()},
			Strategy:   Strategy{Search: RandomWalks},
		},
	} {
		if _, err := Check(t.Context(), sys, inst, opts); err == nil ||
			!strings.Contains(err.Error(), want) {
			t.Errorf("%v; want %s", err, want)
		}
	}
}

// When the disk is full, the search reports its depth and its results.
func TestDiskFailure(t *testing.T) {
	sys, inst := detectorInstance(t, 0, 4)
	results, stats := explored(t, sys, inst,
		Options{Storage: Storage{Memory: 1, SpillDir: filepath.Join(t.TempDir(), "none")},
			Only: []string{"strong_accuracy"}})
	r := results[0]
	if want := fmt.Sprintf("stopped after %d states: making a folder for states: ",
		stats.States); r.Verdict != result.Unknown || !strings.HasPrefix(r.Reason.Text, want) {
		t.Errorf("%s: %s", r.Verdict, r.Reason)
	}
}

// A packed store that needs more than its memory ends the search, and so do states that are too
// long for it.
func TestPackedLimits(t *testing.T) {
	sys, inst := detectorInstance(t, 10, 10)
	makes := func(
		context.Context, *interp.Model, []*logic.Term, map[int]compile.Interval,
	) (compile.Program, error) {
		return &detector{delta: 10, phi: 10}, nil
	}
	opts := Options{Storage: Storage{Store: Packed, Memory: 1}, Only: []string{"strong_accuracy"},
		tuning: tuning{program: makes}}
	results, _ := explored(t, sys, inst, opts)
	if r := results[0]; !upTo(r.Verdict) ||
		!strings.Contains(r.Reason.Text, "the store packed moves no states to disk") {
		t.Errorf("%s: %s", r.Verdict, r.Reason)
	}
	opts = Options{Storage: Storage{Store: Packed}, tuning: tuning{program: program.Interpreted}}
	sys, _, err := ere.Load(filepath.Join("..", "..", "..", "examples", "two_phase_commit.ere"))
	if err != nil {
		t.Fatal(err)
	}
	inst = sys.Instances[0]
	for sort := range inst.Sizes {
		inst.Sizes[sort] = 30
	}
	var wide *wideError
	if _, _, err := checkStats(t.Context(), sys, inst, opts); !errors.As(err, &wide) {
		t.Errorf("got %v, want a refusal", err)
	}
}

// The work of a search, in steps that do not depend on the machine. A change here is a change of
// speed.
func TestWork(t *testing.T) {
	sys, inst := detectorInstance(t, 4, 4)
	_, stats := explored(t, sys, inst, Options{Only: []string{"strong_accuracy"}, Threads: 1})
	got := fmt.Sprintf("%d inserts, %.3f buckets and %.3f comparisons each",
		stats.Probes.Inserts, float64(stats.Probes.Buckets)/float64(stats.Probes.Inserts),
		float64(stats.Probes.Compares)/float64(stats.Probes.Inserts))
	if want := "17494 inserts, 1.254 buckets and 0.053 comparisons each"; got != want {
		t.Errorf("%s; want %s", got, want)
	}
	if stats.PeakBytes < 1<<20 {
		t.Errorf("%d bytes at most", stats.PeakBytes)
	}
}

// Data that cannot move to disk ends the search when it takes more than the memory.
func TestMemoryOfWhatStaysThere(t *testing.T) {
	sys := testkit.Compile(t, `
		mutable function f(0..63): 0..255
		init f(X) = 0
		action set(x: 0..63, v: 0..255) { f(x) := v; }
		safety [s] f(0) <= 255
		instance i { }`)
	deep := testkit.Compile(t, `
		mutable constant n: 0..500000
		init n = 0
		action up() { require n < 400000; n := n + 1; }
		safety [s] n < 500000
		instance i { }`)
	for name, c := range map[string]struct {
		sys  *system.System
		opts Options
	}{
		"hash":     {sys, Options{Storage: Storage{Store: Hash, Memory: 1 << 22}}},
		"bitstate": {sys, Options{Storage: Storage{Store: Bitstate, Memory: 1 << 22}}},
		"dfs": {deep, Options{Strategy: Strategy{Search: DepthFirst},
			Storage: Storage{Memory: 1 << 22}}},
	} {
		opts := c.opts
		opts.SpillDir, opts.program, opts.Limits.States = t.TempDir(), program.Compiled, 5_000_000
		results, _ := explored(t, c.sys, c.sys.Instances[0], opts)
		if r := results[0]; !upTo(r.Verdict) || !strings.Contains(r.Reason.Text, "--memory does not suffice") {
			t.Errorf("%s: %s: %s after %d states", name, r.Verdict, r.Reason, r.States)
		}
	}
}

// Initial states go to disk, too.
func TestManyInitialStatesInLittleMemory(t *testing.T) {
	sys := testkit.Compile(t, `
		immutable constant c: 0..199
		mutable constant x: 0..2
		init x = 0
		action inc() { require x < 2; x := x + 1; }
		safety [s] x <= 2
		instance i { }`)
	for _, search := range []string{BreadthFirst, DepthFirst, RandomWalks} {
		dir := t.TempDir()
		results, stats := explored(t, sys, sys.Instances[0],
			Options{Strategy: Strategy{Search: search, Walks: 10},
				Storage: Storage{Memory: 1, SpillDir: dir}, Limits: engine.Limits{States: 1 << 20}})
		if search == RandomWalks {
			if stats.Initial != 1 || results[0].Verdict != result.HoldsUpTo {
				t.Errorf("%s: %+v", search, stats)
			}
		} else if stats.States != 600 || results[0].Verdict != result.Holds {
			t.Errorf("%s: %s: %s: %+v", search, results[0].Verdict, results[0].Reason, stats)
		}
		left, err := os.ReadDir(dir)
		if err != nil || len(left) > 0 {
			t.Errorf("%s: files are left: %v %v", search, left, err)
		}
	}
}

// A search with growing values begins again only a few times.
func TestValuesThatGrow(t *testing.T) {
	sys := testkit.Compile(t, `
		mutable constant n: int
		init n = 0
		action up() { n := n + 1; }
		safety [s] n >= 0
		instance i { }`)
	attempts := 0
	opts := Options{
		Limits: engine.Limits{States: 20_000},
		tuning: tuning{program: func(
			ctx context.Context, m *interp.Model, claims []*logic.Term,
			forced map[int]compile.Interval,
		) (compile.Program, error) {
			attempts++
			return program.Compiled(ctx, m, claims, forced)
		}},
	}
	_, stats := explored(t, sys, sys.Instances[0], opts)
	if stats.States != 20_000 || attempts > 2 {
		t.Errorf("%d states in %d attempts", stats.States, attempts)
	}
}

// upTo reports whether a verdict is about a part of the runs.
func upTo(v result.Verdict) bool { return v == result.HoldsUpTo || v == result.HoldsInitially }

// A limit of states that is never met costs nothing, however large it is.
func TestLimitOutOfReach(t *testing.T) {
	sys := testkit.Compile(t, `mutable constant x: 0..300
mutable constant y: 0..1
init x = 0 & y = 0
action a() { require x < 300; x := x + 1; y := 0; }
action b() { require y < 1; y := y + 1; }
safety [s] x <= 300
instance i { }
`)
	for _, search := range []string{BreadthFirst, DepthFirst} {
		allocated := func(most int64) uint64 {
			var before, after runtime.MemStats
			runtime.ReadMemStats(&before)
			rs, _ := explored(t, sys, sys.Instances[0],
				Options{Strategy: Strategy{Search: search}, Limits: engine.Limits{States: most},
					Threads: 1})
			runtime.ReadMemStats(&after)
			if rs[0].Verdict != result.Holds || rs[0].States != 602 {
				t.Fatalf("%s, %d states: %s", rs[0].Verdict, rs[0].States, rs[0].Reason)
			}
			return after.TotalAlloc - before.TotalAlloc
		}
		allocated(0)
		if none, large := allocated(0), allocated(2_000_000_000); large > 2*none {
			t.Errorf("%s: %d bytes with a large limit, %d without", search, large, none)
		}
	}
}

// Where memory is scarce the tables stay first, and then they go to disk, too. The results are the
// same, with the run to a violation.
func TestTablesInLittleMemory(t *testing.T) {
	sys := testkit.Compile(t, `
		mutable constant a: 0..1099
		mutable constant b: 0..1099
		init a = 0 & b = 0
		action up() { require a < 1099; a := a + 1; }
		action right() { require b < 1099; b := b + 1; }
		safety [holds] a <= 1099
		safety [violated] a < 1099 | b < 1090
		instance i { }`)
	var opts Options
	opts.program = program.Compiled
	want, wantStats := explored(t, sys, sys.Instances[0], opts)
	opts.Storage = Storage{Memory: 26 << 20, SpillDir: t.TempDir()}
	got, stats := explored(t, sys, sys.Instances[0], opts)
	if stats.States != wantStats.States || stats.Transitions != wantStats.Transitions {
		t.Errorf("%+v; want %+v", stats, wantStats)
	}
	if diff := cmp.Diff(want, got, ignoreTimes); diff != "" {
		t.Error(diff)
	}
}
