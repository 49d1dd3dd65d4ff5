package explicit

import (
	"context"
	"errors"
	"fmt"
	"math/rand"
	"path/filepath"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"erelong.dev/erelong/internal/engine"
	"erelong.dev/erelong/internal/engine/explore/program"
	"erelong.dev/erelong/internal/front"
	"erelong.dev/erelong/internal/interp"
	"erelong.dev/erelong/internal/result"
	"erelong.dev/erelong/internal/system"
	"erelong.dev/erelong/internal/system/systemtest"
	"erelong.dev/erelong/internal/testkit"
)

var ignoreTimes = cmp.Options{
	cmpopts.IgnoreFields(result.Result{}, "Elapsed"),
	cmpopts.IgnoreFields(Stats{}, "PeakBytes", "Probes", "Bits", "Words", "Uncompiled"),
	cmpopts.EquateEmpty(),
}

// agree compares searches with the naive search: verdicts, counts, statistics and traces.
func agree(
	t *testing.T, sys *system.System, inst *system.Instance, base Options, variants ...func(
		*Options,
	),
) {
	t.Helper()
	m, err := interp.NewModel(sys, inst)
	if err != nil {
		t.Fatal(err)
	}
	want, wantStats, err := naively(m, base)
	if err != nil {
		t.Fatal(err)
	}
	for i, vary := range variants {
		opts := base
		vary(&opts)
		got, stats, err := checkStats(context.Background(), sys, inst, opts)
		var wide *wideError
		if errors.As(err, &wide) && len(variants) > 1 {
			continue
		}
		if err != nil {
			t.Fatalf("variant %d: %v\n%s", i, err, sys)
		}
		if diff := cmp.Diff(want, got, ignoreTimes); diff != "" {
			t.Fatalf("variant %d of %s: results (-naive +got)\n%s\n%s", i, inst.Name, diff, sys)
		}
		if diff := cmp.Diff(wantStats, stats, ignoreTimes); diff != "" {
			t.Fatalf("variant %d of %s: statistics (-naive +got)\n%s\n%s", i, inst.Name, diff, sys)
		}
	}
}

func threads(n int) func(*Options) {
	return func(o *Options) { o.Threads, o.program, o.recentFrom = n, program.Interpreted, 1 }
}

// compiled uses the program that users get.
func compiled(n int) func(*Options) { return func(o *Options) { o.Threads, o.recentFrom = n, 1 } }

// packed uses the packed store.
func packed(n int) func(*Options) {
	return func(o *Options) { threads(n)(o); o.Store = Packed }
}

func compiledPacked(o *Options) { o.Threads, o.recentFrom, o.Store = 2, 1, Packed }

// spilling has no memory for states.
func spilling(t *testing.T, n int) func(*Options) {
	dir := t.TempDir()
	return func(o *Options) { threads(n)(o); o.Memory, o.SpillDir = 1, dir }
}

// Generated systems, with many options: the search and the naive search agree, for any number of
// threads.
func TestSearchAgreesWithNaiveSearch(t *testing.T) {
	for seed := range testkit.Size(30, 100) {
		sys, err := systemtest.Generate(rand.New(rand.NewSource(seed)), systemtest.Options{Bits: 8})
		if err != nil {
			t.Fatal(err)
		}
		opts := Options{Deadlock: seed%2 == 0}
		switch seed % 5 {
		case 1:
			opts.Limits.States = 1 + seed/5
		case 2:
			opts.Limits.Depth = 1 + seed/20
		case 3:
			opts.Only = []string{sys.Properties[len(sys.Properties)-1].Name}
		}
		t.Run(fmt.Sprint("seed ", seed), func(t *testing.T) {
			agree(t, sys, sys.Instances[0], opts, threads(1), threads(2), threads(3), threads(5),
				spilling(t, 1), spilling(t, 3), packed(1), packed(3))
			// A compiled program may take the choices of a step in another order.
			opts.Limits.States = 0
			agree(t, sys, sys.Instances[0], opts, compiled(1), compiled(2), compiledPacked)
		})
	}
}

// The examples, within limits.
func TestSearchAgreesWithNaiveSearchOnExamples(t *testing.T) {
	root := filepath.Join("..", "..", "..", "examples")
	files, _ := filepath.Glob(filepath.Join(root, "*.ere"))
	more, _ := filepath.Glob(filepath.Join(root, "*", "*.ere"))
	if len(files)+len(more) == 0 {
		t.Fatal("no examples")
	}
	for i, file := range append(files, more...) {
		if !testkit.One(i, 3) {
			continue
		}
		read, err := front.Load(t.Context(), file, front.Options{})
		if err != nil {
			t.Error(err)
		}
		for _, d := range read.Systems {
			sys := d.Spec.System
			for i, inst := range sys.Instances {
				if i > 0 && !testkit.CI() {
					break
				}
				t.Run(filepath.Base(file)+" "+d.Name+" "+inst.Name, func(t *testing.T) {
					agree(t, sys, inst,
						Options{Limits: engine.Limits{States: testkit.Size(50, 400)},
							Deadlock: true, Strategy: Strategy{NoScout: true}},
						threads(1), threads(3), spilling(t, 2), packed(2))
				})
			}
		}
	}
}
