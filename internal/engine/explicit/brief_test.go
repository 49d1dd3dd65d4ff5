package explicit

import (
	"context"
	"testing"

	"github.com/google/go-cmp/cmp"

	"erelong.dev/erelong/internal/compile"
	"erelong.dev/erelong/internal/engine"
	"erelong.dev/erelong/internal/engine/explore/program"
	"erelong.dev/erelong/internal/front/ere"
	"erelong.dev/erelong/internal/interp"
	"erelong.dev/erelong/internal/logic"
	"erelong.dev/erelong/internal/testkit"
)

// A brief search and a compiled one agree, with limits and without.
func TestBrief(t *testing.T) {
	for seed := range testkit.Size(15, 80) {
		sys, inst := generate(t, seed)
		for _, most := range []int64{0, 5, 1000} {
			want, wantStats := explored(t, sys, inst,
				Options{Limits: engine.Limits{States: most}, Deadlock: true})
			got, stats := explored(t, sys, inst,
				Options{Limits: engine.Limits{States: most}, Deadlock: true,
					Strategy: Strategy{Brief: true}})
			if diff := cmp.Diff(want, got, ignoreTimes); diff != "" {
				t.Fatalf("seed %d, at most %d states: %s", seed, most, diff)
			}
			if stats.States != wantStats.States || stats.Complete != wantStats.Complete ||
				stats.Transitions != wantStats.Transitions {
				t.Fatalf("seed %d, at most %d states: %+v; want %+v", seed, most, stats, wantStats)
			}
		}
	}
}

// A short search is not compiled. A search with many states, or with many successors of one state,
// is compiled.
func TestBriefIsCompiledWhenItIsNot(t *testing.T) {
	for _, test := range []struct {
		name, text string
		compiled   bool
	}{
		{"short", "mutable constant n: 0..9\ninit n = 0\naction up() { require n < 9; n := n + 1; }\nsafety n < 10", false},
		{"long", "mutable constant n: 0..999\ninit n = 0\naction up() { require n < 999; n := n + 1; }\nsafety n < 1000", true},
		{"long, but violated early", "mutable constant n: 0..999\ninit n = 0\naction up() { require n < 999; n := n + 1; }\nsafety n < 50", false},
		{"wide", "mutable constant n: 0..3999\ninit n = 0\naction jump() { n := *; }\nsafety n < 4000", true},
	} {
		sys, list, err := ere.Compile("x.ere", test.text+"\ninstance i { }\n")
		if err != nil {
			t.Fatal(err, list)
		}
		compiled := false
		opts := Options{Strategy: Strategy{Brief: true}, Threads: 1}
		opts.program = func(
			ctx context.Context, m *interp.Model, claims []*logic.Term,
			forced map[int]compile.Interval,
		) (compile.Program, error) {
			compiled = true
			return program.Compiled(ctx, m, claims, forced)
		}
		if _, err := Check(t.Context(), sys, sys.Instances[0], opts); err != nil {
			t.Fatal(err)
		}
		if compiled != test.compiled {
			t.Errorf("%s: compiled %t", test.name, compiled)
		}
	}
}
