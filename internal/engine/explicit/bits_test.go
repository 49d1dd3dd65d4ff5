package explicit

import (
	"context"
	"fmt"
	"math/rand"
	"path/filepath"
	"slices"
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

// Generated systems, and whether their properties are inductive: a search with a set of bits and
// the naive search agree.
func TestBitsAgreeWithNaiveSearch(t *testing.T) {
	used, left, words, shared, verdicts := 0, 0, 0, 0, map[result.Verdict]int{}
	runs := map[string][]string{} // for each violation, the states for each number of threads
	seeds := testkit.Size(45, 150)
	for seed := range seeds {
		sys, err := systemtest.Generate(rand.New(rand.NewSource(seed)), systemtest.Options{Bits: 8})
		if err != nil {
			t.Fatal(err)
		}
		if seed%3 > 0 {
			sys = system.Inductive(sys)
		}
		if seed%9 > 6 {
			sys.Actions = sys.Actions[:1]
		}
		base := Options{Deadlock: seed%4 == 0}
		switch seed % 5 {
		case 1:
			base.Limits.Depth = 1 + seed/5%3
		case 2:
			base.Only = []string{sys.Properties[len(sys.Properties)-1].Name}
		}
		m, err := interp.NewModel(sys, sys.Instances[0])
		if err != nil {
			t.Fatal(err)
		}
		want, wantStats, err := naively(m, base)
		if err != nil {
			t.Fatal(err)
		}
		for _, threads := range []int{1, 3} {
			opts := base
			opts.Threads, opts.manyInitial, opts.atomBits = threads, 1, int(1+10*(seed/2%2))
			got, stats, err := checkStats(t.Context(), sys, sys.Instances[0], opts)
			if err != nil {
				t.Fatalf("seed %d: %v\n%s", seed, err, sys)
			}
			// The run to a violation is as short, and may be another one; it was replayed.
			for i, r := range got {
				if stats.Bits && r.Verdict == result.Violated {
					if len(r.Trace.Steps) != len(want[i].Trace.Steps) {
						t.Fatalf("seed %d, %s: a run of %d states, not %d\n%s", seed, r.Property,
							len(r.Trace.Steps), len(want[i].Trace.Steps), sys)
					}
					runs[fmt.Sprint(seed, r.Property)] = append(runs[fmt.Sprint(seed, r.Property)],
						fmt.Sprint(r.Trace.Steps))
					got[i].Trace = want[i].Trace
				}
			}
			if diff := cmp.Diff(want, got, ignoreTimes); diff != "" {
				t.Fatalf("seed %d, %d threads: results (-naive +got)\n%s\n%s", seed, threads, diff,
					sys)
			}
			if diff := cmp.Diff(wantStats, stats, ignoreTimes); diff != "" {
				t.Fatalf("seed %d, %d threads: statistics (-naive +got)\n%s\n%s", seed, threads,
					diff, sys)
			}
			if !stats.Bits {
				left++
				continue
			}
			used++
			if stats.Words > 0 {
				words++
			}
			if stats.Words > 64 {
				shared++
			}
			for _, r := range got {
				verdicts[r.Verdict]++
			}
		}
	}
	for which, states := range runs {
		if len(slices.Compact(states)) > 1 {
			t.Errorf("seed and property %s: the run depends on the threads: %v", which, states)
		}
	}
	t.Logf("used %d times, %d by words, %d of many states; left %d times: %v",
		used, words, shared, left, verdicts)
	some := int(seeds / 3)
	if used < some || words < some || shared < some/4 || left < some/4 ||
		verdicts[result.Holds] < some ||
		verdicts[result.HoldsUpTo]+verdicts[result.HoldsInitially] < some/3 ||
		verdicts[result.Violated] < some {
		t.Errorf("used %d times, left to the ordinary search %d times: %v", used, left, verdicts)
	}
}

// The ordinary search runs with options about its store, and for states that no set of bits can
// hold.
func TestBitsLeft(t *testing.T) {
	const text = `
		mutable constant n: 0..9
		mutable constant m: %s
		init m = 3
		action up() { require n < 9; n := n + 1; }
		safety [low] n < 10
		instance i { }`
	for _, c := range []struct {
		name, sort string
		options    Options
		want       bool
	}{
		{"fits", "0..5", Options{}, true},
		{"unbounded, but given", "int", Options{}, true},
		{"too many bits", fmt.Sprint("0..", int64(1)<<50), Options{}, false},
		{"no memory", "0..5", Options{Storage: Storage{Memory: 1}}, false},
		{"limit", "0..5", Options{Limits: engine.Limits{States: 100}}, false},
		{"hashes", "0..5", Options{Storage: Storage{Store: Hash}}, false},
		{"bitstate", "0..5", Options{Storage: Storage{Store: Bitstate, Memory: 1 << 16}}, false},
		{"depth-first", "0..5", Options{Strategy: Strategy{Search: DepthFirst}}, false},
		{"checkpoint", "0..5", Options{Checkpoint: explore.Checkpoint{Dir: t.TempDir()}}, false},
		{"interpreted", "0..5", Options{tuning: tuning{program: program.Interpreted}}, false},
		{"partial order reduction", "0..5", Options{Reduction: Reduction{PartialOrder: true}}, false},
		{"symmetry, and nothing to permute", "0..5", Options{Reduction: Reduction{Symmetry: true}}, true},
	} {
		t.Run(c.name, func(t *testing.T) {
			sys, _, err := ere.Compile("test.ere", fmt.Sprintf(text, c.sort))
			if err != nil {
				t.Fatal(err)
			}
			c.options.manyInitial, c.options.SpillDir = 1, t.TempDir()
			_, stats, err := checkStats(t.Context(), sys, sys.Instances[0], c.options)
			if err != nil {
				t.Fatal(err)
			}
			if stats.Bits != c.want || stats.States != 10 || stats.Initial != 10 {
				t.Errorf("%+v", stats)
			}
		})
	}
}

// The set is given up where the required states are too rare to be found by trying.
func TestBitsPatience(t *testing.T) {
	sys, _, err := ere.Compile("test.ere", `
		mutable relation set(0..39)
		mutable constant n: 0..9
		init forall P: 0..39. set(P) <-> P = 3
		action up() { require n < 9; n := n + 1; }
		safety [low] n < 10
		instance i { }`)
	if err != nil {
		t.Fatal(err)
	}
	results, stats := explored(t, sys, sys.Instances[0],
		Options{tuning: tuning{manyInitial: 1, program: program.Compiled}})
	if stats.Bits || stats.Initial != 10 || results[0].Verdict != result.Holds {
		t.Errorf("%s, %+v", results[0].Verdict, stats)
	}
}

// The ordinary search reports terms without a value, in an action and in conditions on initial
// states.
func TestBitsFailures(t *testing.T) {
	for _, c := range []struct{ name, init, guard string }{
		{"action", "true", "n < 4 | n * 9223372036854775807 > 0"},
		{"action, before a guard", "true", "n < 4 | n * 9223372036854775807 > 0; require n < 4"},
		{"initial states", "f(n) >= 0", "true"},
	} {
		t.Run(c.name, func(t *testing.T) {
			sys, _, err := ere.Compile("test.ere", fmt.Sprintf(`
				mutable function f(0..3): 0..2
				mutable constant n: 0..5
				init %s
				action back() { require %s; n := 0; }
				safety [low] n < 10
				instance i { }`, c.init, c.guard))
			if err != nil {
				t.Fatal(err)
			}
			want, wantStats := explored(t, sys, sys.Instances[0], Options{})
			got, stats := explored(t, sys, sys.Instances[0],
				Options{tuning: tuning{manyInitial: 1, program: program.Compiled}})
			if diff := cmp.Diff(want, got, ignoreTimes); diff != "" ||
				got[0].Verdict != result.Unknown {
				t.Errorf("%s: %s", got[0].Verdict, diff)
			}
			if diff := cmp.Diff(wantStats, stats, ignoreTimes); diff != "" || stats.Bits ||
				stats.Initial == 0 {
				t.Errorf("%+v: %s", stats, diff)
			}
		})
	}
}

// cancelling is a program that cancels a context as soon as it expands states.
type cancelling struct {
	compile.Program
	cancel func()
}

func (p *cancelling) Initials(ctx context.Context) (*compile.Initials, error) {
	return p.Program.(enumerator).Initials(ctx)
}

func (p *cancelling) Worker() (compile.Worker, error) {
	w, err := p.Program.Worker()
	return &cancellingWorker{w, p.cancel}, err
}

type cancellingWorker struct {
	compile.Worker
	cancel func()
}

func (w *cancellingWorker) Expand(states []uint64) (*compile.Batch, error) {
	w.cancel()
	return w.Worker.Expand(states)
}

func TestBitsInterrupted(t *testing.T) {
	sys, _, err := ere.Load(filepath.Join("..", "..", "..", "examples", "failure_detector", "inductive.ere"))
	if err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	program := func(
		ctx context.Context, m *interp.Model, claims []*logic.Term, forced map[int]compile.Interval,
	) (compile.Program, error) {
		p, err := program.Compiled(ctx, m, claims, forced)
		return &cancelling{p, cancel}, err
	}
	results, stats, err := checkStats(ctx, sys, sys.Instance("d2p4"),
		Options{Threads: 2, tuning: tuning{program: program}, Strategy: Strategy{NoScout: true}})
	if err != nil {
		t.Fatal(err)
	}
	if r := results[0]; !stats.Bits || stats.Complete || stats.States < 18456 ||
		r.Verdict != []result.Verdict{result.Unknown, result.HoldsInitially}[min(r.Depth, 1)] ||
		r.Depth != stats.Depth || r.Depth > 1 ||
		!strings.HasPrefix(r.Reason.Text, "interrupted after ") {
		t.Errorf("%+v, %+v", r, stats)
	}
}
