package explicit

import (
	"math/rand"
	"testing"

	"erelong.dev/erelong/internal/engine/explore"
	"erelong.dev/erelong/internal/engine/explore/program"
	"erelong.dev/erelong/internal/interp"
	"erelong.dev/erelong/internal/result"
	"erelong.dev/erelong/internal/system"
	"erelong.dev/erelong/internal/system/systemtest"
	"erelong.dev/erelong/internal/testkit"
)

// sameSearch compares a search whose initial states a compiled program enumerates with one that
// asks the interpreter. The runs to violations are replayed, and as long.
func sameSearch(
	t *testing.T, sys *system.System, in *system.Instance, opts Options,
) (violated int, stats Stats) {
	t.Helper()
	opts.Threads = 1
	slow, fast := opts, opts
	slow.manyInitial, fast.manyInitial = 1<<30, 1
	want, wantStats, err := checkStats(t.Context(), sys, in, slow)
	if err != nil {
		t.Fatal(err)
	}
	got, stats, err := checkStats(t.Context(), sys, in, fast)
	if err != nil {
		t.Fatal(err)
	}
	for i, w := range want {
		g := got[i]
		if g.Verdict != w.Verdict || g.Depth != w.Depth || g.States != w.States ||
			g.Transitions != w.Transitions {
			t.Errorf("%s: %s, %d states, %d transitions, depth %d, not %s, %d, %d, %d\n%s",
				w.Property, g.Verdict, g.States, g.Transitions, g.Depth, w.Verdict, w.States,
				w.Transitions, w.Depth, sys)
		}
		if g.Verdict == result.Violated {
			violated++
			if len(g.Trace.Steps) != len(w.Trace.Steps) {
				t.Errorf("%s: a run of %d states, not %d", w.Property, len(g.Trace.Steps),
					len(w.Trace.Steps))
			}
		}
	}
	if stats.Initial != wantStats.Initial || stats.States != wantStats.States {
		t.Errorf("%d states, %d of them initial, not %d, %d", stats.States, stats.Initial,
			wantStats.States, wantStats.Initial)
	}
	return violated, stats
}

// TestSymmetricInitialStates: with symmetry, both enumerations find the same representatives, also
// from all states that satisfy an invariant.
func TestSymmetricInitialStates(t *testing.T) {
	violated, seeds := 0, testkit.Size(6, 60)
	for seed := range seeds {
		sys, err := systemtest.Generate(rand.New(rand.NewSource(seed)), systemtest.Options{Bits: 8})
		if err != nil {
			t.Fatal(err)
		}
		if seed%2 > 0 {
			sys = system.Inductive(sys)
		}
		n, _ := sameSearch(t, sys, systemtest.Unnamed(sys),
			Options{Reduction: Reduction{Symmetry: true}})
		violated += n
	}
	if violated < int(seeds/4) {
		t.Errorf("%d violations", violated)
	}
}

// TestManyInitialStates: the compiled enumeration serves states of several words, too, for which
// there is no set of bits.
func TestManyInitialStates(t *testing.T) {
	sys := testkit.Compile(t, `
		mutable relation a(0..8)
		mutable constant x: 0..1000000000
		mutable constant y: 0..1000000000
		mutable constant z: 0..1000000000
		mutable constant bad: bool
		init !bad & x = 7 & y = 7 & z = 7
		action up(p: 0..8) { a(p) := true; }
		action count() { require x < 10; x := x + 1; y := y + 1; z := z + 1; }
		action spoil() { require x = 9 & forall P: 0..8. a(P) <-> P < 2; bad := true; }
		safety [ok] !bad
		invariant [low] x <= 10
		instance i { }`)
	violated, stats := sameSearch(t, sys, sys.Instances[0], Options{})
	if violated != 1 || stats.Initial != 512 || stats.Bits {
		t.Errorf("%d violated, %+v", violated, stats)
	}
	m, err := interp.NewModel(sys, sys.Instances[0])
	if err != nil {
		t.Fatal(err)
	}
	p, err := program.Compiled(t.Context(), m, nil, nil)
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = p.Close() }()
	s := &search{Search: &explore.Search{Space: &explore.Space{Model: m, Program: p}}}
	found := map[string]bool{}
	done, err := s.compiledInitial(t.Context(), func(packed []uint64) error {
		found[m.Key(p.Unpack(packed))] = true
		return nil
	})
	if !done || err != nil || len(found) != 512 {
		t.Errorf("%d initial states, all: %v, %v", len(found), done, err)
	}
}
