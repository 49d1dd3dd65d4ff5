package explicit

import (
	"context"
	"errors"
	"math/rand"
	"os"
	"path/filepath"
	"testing"
	"time"

	"erelong.dev/erelong/internal/engine"
	"erelong.dev/erelong/internal/front"
	"erelong.dev/erelong/internal/interp"
	"erelong.dev/erelong/internal/system"
	"erelong.dev/erelong/internal/system/systemtest"
)

// stoppedCrew saves each level, and is stopped after some orders.
type stoppedCrew struct {
	*testCrew
	left int
	stop func()
}

func (c *stoppedCrew) Every() time.Duration { return 0 }

func (c *stoppedCrew) Order(ctx context.Context, o Order) ([]*Answer, error) {
	if c.left--; c.left < 0 {
		c.stop()
	}
	if ctx.Err() != nil {
		return nil, ctx.Err()
	}
	return c.testCrew.Order(ctx, o)
}

// resumed begins an exploration, stops it after some orders, and goes on with other members.
// Manifests counts the ones that there were to go on from.
func resumed(
	t *testing.T, sys *system.System, in *system.Instance, m *interp.Model, after int,
	manifests *int,
) func(*Options) {
	return func(o *Options) {
		o.Checkpoint = t.TempDir()
		first := *o
		crewed(t, m, 3, 1, false)(&first)
		saves := first.Crew.(*testCrew)
		ctx, cancel := context.WithCancel(t.Context())
		defer cancel()
		first.Crew = &stoppedCrew{saves, after, cancel}
		_, err := Explore(ctx, sys, in, first)
		if err != nil && !errors.As(err, new(*UndividedError)) &&
			!errors.Is(err, context.Canceled) {
			t.Fatal(err)
		}
		if found, _ := filepath.Glob(filepath.Join(o.Checkpoint, "*", engine.ManifestName)); len(
			found) > 0 {
			*manifests++
		}
		crewed(t, m, 2, 2, true)(o)
		o.Crew.(*testCrew).saved = saves.saved
		o.Resume = true
	}
}

// A divided exploration of which the command was stopped goes on from its checkpoint with other
// members, and gives what one thread gives.
func TestDividedResumes(t *testing.T) {
	manifests := 0
	for seed := range int64(6) {
		sys, err := systemtest.Generate(rand.New(rand.NewSource(seed)), systemtest.Options{Bits: 8})
		if err != nil {
			t.Fatal(err)
		}
		m, err := interp.NewModel(sys, sys.Instances[0])
		if err != nil {
			t.Fatal(err)
		}
		agreeDivided(t, sys, sys.Instances[0], Options{Deadlock: seed%2 == 0, Vacuity: true},
			resumed(t, sys, sys.Instances[0], m, 4+int(seed)%5, &manifests))
	}
	for _, c := range []struct{ file, instance string }{
		{"lease.ere", "two"}, {"lease_without_drift.ere", "drift"},
	} {
		sys, in, m := exampleModel(t, c.file, c.instance)
		for _, after := range []int{3, 6, 14} {
			agreeDivided(t, sys, in, Options{Vacuity: true},
				resumed(t, sys, in, m, after, &manifests))
		}
	}
	if manifests < 5 {
		t.Errorf("there were only %d checkpoints", manifests)
	}
}

func exampleModel(
	t *testing.T, file, instance string,
) (*system.System, *system.Instance, *interp.Model) {
	t.Helper()
	read, err := front.Load(t.Context(), filepath.Join("..", "..", "..", "examples", file),
		front.Options{})
	if err != nil {
		t.Fatal(err)
	}
	sys := read.Systems[0].Spec.System
	in := sys.Instance(instance)
	m, err := interp.NewModel(sys, in)
	if err != nil {
		t.Fatal(err)
	}
	return sys, in, m
}

// A checkpoint of another exploration, a damaged one, and one whose states are gone or changed, are
// refused. Without --resume nothing is overwritten.
func TestDividedCheckpointIsRefused(t *testing.T) {
	sys, in, m := exampleModel(t, "lease.ere", "two")
	for name, spoil := range map[string]func(o *Options, manifest string){
		"of another exploration": func(o *Options, _ string) { o.MaxDepth = 100 },
		"without --resume":       func(o *Options, _ string) { o.Resume = false },
		"damaged": func(_ *Options, manifest string) {
			text, err := os.ReadFile(manifest)
			if err != nil {
				t.Fatal(err)
			}
			text[len(text)/2] ^= 1
			if err := os.WriteFile(manifest, text, 0o600); err != nil {
				t.Fatal(err)
			}
		},
		"without states": func(o *Options, _ string) {
			o.Crew.(*testCrew).saved = map[string][]byte{}
		},
	} {
		t.Run(name, func(t *testing.T) {
			o, manifests := Options{Vacuity: true}, 0
			resumed(t, sys, in, m, 9, &manifests)(&o)
			found, _ := filepath.Glob(filepath.Join(o.Checkpoint, "*", engine.ManifestName))
			if len(found) != 1 {
				t.Fatalf("%d manifests", len(found))
			}
			spoil(&o, found[0])
			if _, err := Explore(t.Context(), sys, in, o); !errors.As(err,
				new(*engine.CheckpointError)) {
				t.Errorf("the exploration goes on: %v", err)
			}
		})
	}
}
