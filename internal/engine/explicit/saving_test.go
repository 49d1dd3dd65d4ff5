package explicit

import (
	"math/rand"
	"strings"
	"testing"

	"erelong.dev/erelong/internal/engine"
	"erelong.dev/erelong/internal/system/systemtest"
	"erelong.dev/erelong/internal/testkit"
)

// A sample of all states finds as many representatives as a search with symmetry has states, also
// where the search ends at a limit of depth.
func TestSaving(t *testing.T) {
	compared, saved := 0, 0
	for seed := range testkit.Size(40, 120) {
		sys, err := systemtest.Generate(rand.New(rand.NewSource(seed)), systemtest.Options{})
		if err != nil {
			t.Fatal(err)
		}
		in := systemtest.Unnamed(sys)
		opts := Options{Limits: engine.Limits{States: sampleSize, Depth: seed % 3 * 2},
			tuning: tuning{savingFrom: 1}}
		plain, err := Explore(t.Context(), sys, in, opts)
		if err != nil {
			t.Fatal(err)
		}
		opts.Symmetry, opts.Limits.States = true, 0
		reduced, err := Explore(t.Context(), sys, in, opts)
		if err != nil {
			t.Fatal(err)
		}
		v := plain.Stats.Symmetric
		if v.Sampled == 0 || !plain.Stats.Complete && opts.Limits.Depth == 0 ||
			int64(v.Sampled) != plain.Stats.States {
			continue
		}
		compared++
		if int64(v.Left) != reduced.Stats.States {
			t.Errorf("seed %d: %d of %d states are left, with symmetry %d", seed, v.Left,
				v.Sampled, reduced.Stats.States)
		}
		if v.Left < v.Sampled {
			saved++
		}
		if reduced.Stats.Symmetric != (Saving{}) {
			t.Errorf("seed %d: advice for a search with symmetry", seed)
		}
	}
	if compared < 15 || saved < 5 {
		t.Errorf("%d systems compared, %d with fewer states", compared, saved)
	}
}

// A program that does not say where it has slots is explored without advice, in each store.
func TestSavingWithoutLayout(t *testing.T) {
	const size = 4
	sys, inst := detectorInstance(t, size, size)
	for _, kind := range []string{Exact, Packed} {
		x, err := Explore(t.Context(), sys, inst, Options{
			Only:    []string{"strong_accuracy"},
			Storage: Storage{Store: kind},
			tuning:  tuning{savingFrom: 1, program: detectorProgram(size)},
		})
		if err != nil {
			t.Fatal(err)
		}
		if x.Stats.States != 16_590 || x.Stats.Symmetric != (Saving{}) {
			t.Errorf("%s: %d states, %+v", kind, x.Stats.States, x.Stats.Symmetric)
		}
	}
}

func TestSavingNote(t *testing.T) {
	for _, x := range []struct {
		Saving
		want string
	}{
		{Saving{}, ""},
		{Saving{1024, 1024}, ""},
		{Saving{1024, 257}, ""},
		{Saving{1024, 256}, "two: --symmetry explores about 1 in 4 of these states"},
		{Saving{1024, 45}, "two: --symmetry explores about 1 in 23 of these states"},
		{Saving{1024, 8}, "two: --symmetry explores about 1 in 128 of these states"},
		{Saving{1024, 7}, "two: --symmetry explores fewer than 1 in 64 of these states"},
		{Saving{1024, 0}, "two: --symmetry explores fewer than 1 in 64 of these states"},
	} {
		got, _, _ := strings.Cut(x.note("two"), ",")
		if got != x.want {
			t.Errorf("%d of %d: %q, want %q", x.Left, x.Sampled, got, x.want)
		}
	}
}
