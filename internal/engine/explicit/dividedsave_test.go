package explicit

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"math/rand"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"erelong.dev/erelong/internal/engine"
	"erelong.dev/erelong/internal/front"
	"erelong.dev/erelong/internal/interp"
	"erelong.dev/erelong/internal/result"
	"erelong.dev/erelong/internal/system"
	"erelong.dev/erelong/internal/system/systemtest"
	"erelong.dev/erelong/internal/testkit"
)

// stoppedCrew saves each level, or none, and is stopped after some orders, or in the middle of one:
// after states were sent for it, or at the end of its level.
type stoppedCrew struct {
	*testCrew
	every  time.Duration
	left   int
	middle bool
	team   []byte // the key
	stop   func()
}

func (c *stoppedCrew) Every() time.Duration { return c.every }

func (c *stoppedCrew) Order(ctx context.Context, o Order) ([]*Answer, error) {
	if c.left--; c.left < 0 && !c.middle {
		c.stop()
	}
	if ctx.Err() != nil {
		return nil, ctx.Err()
	}
	answers, err := c.testCrew.Order(ctx, o)
	if ctx.Err() != nil {
		return nil, ctx.Err()
	}
	return answers, err
}

func (c *stoppedCrew) Send(ctx context.Context, member, level int, states []uint64) error {
	if err := c.testCrew.Send(ctx, member, level, states); err != nil {
		return err
	}
	return c.stopInMiddle(ctx)
}

func (c *stoppedCrew) Meet(ctx context.Context, level int, own Met) (Met, error) {
	if err := c.stopInMiddle(ctx); err != nil && level%2 == 0 {
		return own, err
	}
	return c.testCrew.Meet(ctx, level, own)
}

func (c *stoppedCrew) stopInMiddle(ctx context.Context) error {
	if c.left < 0 {
		c.stop()
	}
	return ctx.Err()
}

// resumed begins an exploration, stops it after some orders, and goes on with other members.
// Manifests counts the ones that there were to go on from.
func resumed(
	t *testing.T, sys *system.System, in *system.Instance, m *interp.Model, stopped stoppedCrew,
	manifests *int,
) func(*Options) {
	return func(o *Options) {
		o.Checkpoint.Dir = t.TempDir()
		first := *o
		crewed(t, m, 3, 1, false)(&first)
		saves := first.Crew.(*testCrew)
		ctx, cancel := context.WithCancel(t.Context())
		defer cancel()
		if stopped.testCrew, stopped.stop = saves, cancel; stopped.middle {
			saves.losses = 0
		}
		saves.key = stopped.team
		for _, x := range saves.members {
			x.peers = &stopped
		}
		first.Crew = &stopped
		_, err := Explore(ctx, sys, in, first)
		if err != nil && !errors.As(err, new(*UndividedError)) &&
			!errors.Is(err, context.Canceled) {
			t.Fatal(err)
		}
		if found, _ := filepath.Glob(filepath.Join(o.Checkpoint.Dir, "*", engine.ManifestName)); len(
			found) > 0 {
			*manifests++
		}
		crewed(t, m, 2, 2, true)(o)
		next := o.Crew.(*testCrew)
		next.saved, next.key = saves.saved, stopped.team
		o.Checkpoint.Resume = true
	}
}

// A divided exploration of which the command was stopped goes on from its checkpoint with other
// members, and gives what one thread gives.
func TestDividedResumes(t *testing.T) {
	manifests, atEnd := 0, 0
	try := func(
		sys *system.System, in *system.Instance, m *interp.Model, o Options, after int,
	) {
		agreeDivided(t, sys, in, o,
			resumed(t, sys, in, m, stoppedCrew{left: after}, &manifests),
			resumed(t, sys, in, m, stoppedCrew{left: 2 + after%3, middle: true,
				every: time.Hour}, &atEnd))
	}
	for seed := range int64(6) {
		sys, err := systemtest.Generate(rand.New(rand.NewSource(seed)), systemtest.Options{Bits: 8})
		if err != nil {
			t.Fatal(err)
		}
		m, err := interp.NewModel(sys, sys.Instances[0])
		if err != nil {
			t.Fatal(err)
		}
		try(sys, sys.Instances[0], m, Options{
			Deadlock:  seed%2 == 0,
			Witnesses: Witnesses{Vacuity: true},
			Limits:    engine.Limits{Depth: seed % 4},
		}, 4+int(seed)%5)
	}
	for file, instance := range map[string]string{
		"lease.ere": "two", "lease_without_drift.ere": "drift",
	} {
		sys, in, m := exampleModel(t, file, instance)
		for _, after := range []int{6, 14} {
			try(sys, in, m, Options{Witnesses: Witnesses{Vacuity: true}}, after)
		}
	}
	if manifests < 5 || atEnd < 5 {
		t.Errorf("there were only %d checkpoints, and %d of an interrupt", manifests, atEnd)
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
		"of another exploration": func(o *Options, _ string) { o.Limits.Depth = 100 },
		"without --resume":       func(o *Options, _ string) { o.Checkpoint.Resume = false },
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
			o, manifests := Options{Witnesses: Witnesses{Vacuity: true}}, 0
			resumed(t, sys, in, m, stoppedCrew{left: 9}, &manifests)(&o)
			found, _ := filepath.Glob(filepath.Join(o.Checkpoint.Dir, "*", engine.ManifestName))
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

// Somebody who can write to the folder takes the last level from a checkpoint, so that no state is
// left to go on from. Where the checkpoint is signed they lack the key. Where it is not, the
// violation is lost: who can write to the folder is believed.
func TestPoisonedCheckpoint(t *testing.T) {
	sys, in, m := exampleModel(t, "lease_without_drift.ere", "drift")
	for _, team := range [][]byte{nil, []byte("the key of the team")} {
		o, manifests := Options{}, 0
		resumed(t, sys, in, m, stoppedCrew{left: 9, team: team}, &manifests)(&o)
		found, _ := filepath.Glob(filepath.Join(o.Checkpoint.Dir, "*", engine.ManifestName))
		if len(found) != 1 {
			t.Fatalf("%d manifests", len(found))
		}
		text, err := os.ReadFile(found[0])
		if err != nil {
			t.Fatal(err)
		}
		if text, err = engine.Unseal(text, team); err != nil {
			t.Fatal(err)
		}
		x := &dividedSaved{}
		if err := json.Unmarshal(text, x); err != nil {
			t.Fatal(err)
		}
		x.States = 0
		x.Saved = slices.DeleteFunc(x.Saved, func(ref string) bool {
			return strings.HasPrefix(filepath.Base(ref), fmt.Sprintf("%d-", x.Level))
		})
		if err := engine.SaveManifest(filepath.Dir(found[0]), x, nil); err != nil {
			t.Fatal(err)
		}
		got, err := Explore(t.Context(), sys, in, o)
		switch {
		case team != nil && !errors.As(err, new(*engine.CheckpointError)):
			t.Errorf("the signed checkpoint is believed after a change: %v", err)
		case team == nil && (err != nil || got.Results[0].Verdict != result.Holds):
			t.Errorf("the change does not hide the violation: %v, %v", got, err)
		}
	}
}

// slowCrew takes its time for each level, and loses a member once.
type slowCrew struct {
	*testCrew
	saves, levels, again int
	loss                 int // the level at which a member is lost
}

func (c *slowCrew) Every() time.Duration { return time.Hour }
func (c *slowCrew) Joined() bool         { return false }

func (c *slowCrew) Order(ctx context.Context, o Order) ([]*Answer, error) {
	switch {
	case o.Kind == CloseOrder && o.Save != "":
		c.saves++
	case o.Kind == ExpandOrder:
		if time.Sleep(3 * together / 2); o.Level == c.loss {
			c.loss = 0
			return nil, ErrLost
		}
		if o.Level <= c.levels {
			c.again++
		}
		c.levels = max(c.levels, o.Last)
	}
	return c.testCrew.Order(ctx, o)
}

// Levels that take long are saved one by one: a member that is lost late takes one level with it.
func TestDividedSavesLevels(t *testing.T) {
	sys := testkit.Compile(t, "mutable constant n: 0..12\ninit n = 0\n"+
		"action up() { require n < 12; n := n + 1; }\nsafety n <= 12\ninstance one { }\n")
	in := sys.Instances[0]
	m, err := interp.NewModel(sys, in)
	if err != nil {
		t.Fatal(err)
	}
	opts := Options{}
	crewed(t, m, 2, 0, false)(&opts)
	crew := &slowCrew{testCrew: opts.Crew.(*testCrew), loss: 10}
	for _, x := range crew.members {
		x.peers = crew
	}
	opts.Crew = crew
	told := ""
	opts.Sink.Progress = func(p engine.Progress) { told += p.Text + "\n" }
	got, err := Explore(t.Context(), sys, in, opts)
	if err != nil || got.Stats.States != 13 {
		t.Fatalf("%v, %+v", err, got)
	}
	if crew.saves < 8 || crew.again > 1 {
		t.Errorf("%d saves of %d levels, %d levels again\n%s", crew.saves, crew.levels, crew.again,
			told)
	}
	if !strings.Contains(told, "they go on from what was saved") {
		t.Errorf("nothing is told of the loss:\n%s", told)
	}
}
