package temporal

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"math/rand/v2"
	"os"
	"path/filepath"
	"reflect"
	"slices"
	"testing"
	"time"

	"erelong.dev/erelong/internal/engine"
	"erelong.dev/erelong/internal/interp"
	"erelong.dev/erelong/internal/testkit"
)

// after explores with a checkpoint until a number of rounds are done; nil if there are more.
func after(
	t *testing.T, m *interp.Model, l limits, rounds int, every time.Duration,
) (*graph, error) {
	t.Helper()
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	l.tell = func(int64, int64) {
		if rounds--; rounds < 0 {
			cancel()
		}
	}
	l.checkpoint.Every = every
	g, err := exploreCompiled(ctx, m, l)
	if errors.Is(err, context.Canceled) {
		return nil, nil
	}
	return g, err
}

// same compares what two graphs know, number by number.
func same(t *testing.T, what string, got, want *graph) {
	t.Helper()
	if a, b := describe(got, limits{}), describe(want, limits{}); a != b {
		t.Fatalf("%s:\n%s\nwithout an interruption\n%s", what, a, b)
	}
	for n := range uint32(want.count()) {
		if !slices.Equal(got.state(n), want.state(n)) || got.parentOf(n) != want.parentOf(n) {
			t.Fatalf("%s: state %d differs", what, n)
		}
	}
	if !reflect.DeepEqual(got.labels, want.labels) || got.edges.total != want.edges.total ||
		!reflect.DeepEqual(got.falses, want.falses) ||
		!slices.Equal(got.unexpanded, want.unexpanded) ||
		fmt.Sprint(got.predicates.failed) != fmt.Sprint(want.predicates.failed) {
		t.Fatalf("%s: what is known of the states differs", what)
	}
}

// An exploration that is interrupted and goes on, again and again, finds the graph of one that is
// not, with the same numbers.
func TestResume(t *testing.T) {
	resumed := 0
	for seed := range uint64(testkit.Size(15, 40)) {
		g := &generator{Rand: rand.New(rand.NewPCG(seed, 11))}
		sys, inst := g.system(t, 2+g.IntN(30))
		m, err := interp.NewModel(sys, inst)
		if err != nil {
			t.Fatal(err)
		}
		l := limits{threads: 1 + int(seed%3), predicates: predicatesOf(m, sys.Properties, nil)}
		if seed%5 == 1 {
			l.Depth = int64(2 + g.IntN(5))
		}
		want, err := exploreCompiled(t.Context(), m, l)
		if err != nil {
			t.Fatal(err)
		}
		l.checkpoint.Dir = t.TempDir()
		for {
			l.threads = 1 + g.IntN(3)
			every := []time.Duration{time.Nanosecond, time.Hour}[g.IntN(2)]
			got, err := after(t, m, l, g.IntN(3), every)
			if err != nil {
				t.Fatalf("seed %d: %v\n%s", seed, err, sys)
			}
			if got != nil {
				same(t, fmt.Sprint("seed ", seed), got, want)
				break
			}
			resumed++
			l.checkpoint.Resume = true
		}
		if want.failed != nil || l.Depth > 0 {
			continue
		}
		// What is complete is not explored again.
		l.checkpoint.Resume = true
		got, err := after(t, m, l, 0, 0)
		if err != nil || got == nil {
			t.Fatalf("seed %d: resuming at the end: %v, %v", seed, got, err)
		}
		same(t, fmt.Sprint("seed ", seed, " at the end"), got, want)
	}
	if resumed < 20 {
		t.Errorf("only %d explorations were resumed", resumed)
	}
}

// No file of a checkpoint is trusted.
func TestDamagedCheckpoint(t *testing.T) {
	m := counters(t, 12)
	l := limits{threads: 1, predicates: predicatesOf(m, m.System.Properties, nil)}
	want, err := exploreCompiled(t.Context(), m, l)
	if err != nil {
		t.Fatal(err)
	}
	l.checkpoint.Dir = t.TempDir()
	if g, err := after(t, m, l, 9, time.Hour); g != nil || err != nil {
		t.Fatalf("the exploration was not interrupted: %v", err)
	}
	dir := filepath.Join(l.checkpoint.Dir, "temporal-i")
	good := map[string][]byte{}
	for _, name := range []string{engine.ManifestName, "states", "parents", edgesName} {
		if good[name], err = os.ReadFile(filepath.Join(dir, name)); err != nil {
			t.Fatal(err)
		}
	}
	resume := func(files map[string][]byte, l limits) (*graph, error) {
		t.Helper()
		for name, text := range files {
			if err := os.WriteFile(filepath.Join(dir, name), text, 0o600); err != nil {
				t.Fatal(err)
			}
		}
		return after(t, m, l, 1000, time.Hour)
	}
	refused := func(what string, files map[string][]byte, l limits) {
		t.Helper()
		var e *engine.CheckpointError
		if g, err := resume(files, l); !errors.As(err, &e) {
			t.Errorf("%s: %v, %v", what, g, err)
		}
	}
	refused("without --resume", good, l)
	l.checkpoint.Resume = true
	other := l
	other.States = 1000
	refused("other options", good, other)
	r := rand.New(rand.NewPCG(1, 2))
	for _, name := range slices.Sorted(maps.Keys(good)) {
		text := good[name]
		for range 6 {
			at := r.IntN(len(text))
			changed := maps.Clone(good)
			changed[name] = slices.Clone(text)
			changed[name][at] ^= 1 << r.IntN(8)
			refused(fmt.Sprint("byte ", at, " of ", name), changed, l)
			changed[name] = text[:at]
			refused(fmt.Sprint(name, " without what follows byte ", at), changed, l)
		}
	}
	longer := maps.Clone(good)
	for _, name := range []string{"states", "parents", edgesName} {
		longer[name] = append(slices.Clone(longer[name]), 1, 2, 3, 4, 5, 6, 7, 8)
	}
	got, err := resume(longer, l)
	if err != nil {
		t.Fatalf("with unfinished writes: %v", err)
	}
	same(t, "with unfinished writes", got, want)
}

// An exploration that is interpreted is not saved, and says so.
func TestUnsaved(t *testing.T) {
	sys := testkit.Compile(t, `
		type wide = 0..256
		mutable relation on
		init !on
		fair action turn(j: wide, k: wide) { require j = 0; require k = 0; on := !on; }
		temporal [turns] always eventually on
		instance i { }`)
	m, err := interp.NewModel(sys, sys.Instances[0])
	if err != nil {
		t.Fatal(err)
	}
	l := limits{threads: 1}
	l.checkpoint.Dir = t.TempDir()
	g, err := exploreCompiled(t.Context(), m, l)
	if err != nil || !g.unsaved || g.count() != 2 {
		t.Fatalf("%+v, %v", g, err)
	}
}
