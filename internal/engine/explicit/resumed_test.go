package explicit

import (
	"context"
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"erelong.dev/erelong/internal/compile"
	"erelong.dev/erelong/internal/engine"
	"erelong.dev/erelong/internal/engine/explore"
	"erelong.dev/erelong/internal/engine/explore/program"
	"erelong.dev/erelong/internal/front/ere"
	"erelong.dev/erelong/internal/interp"
	"erelong.dev/erelong/internal/logic"
	"erelong.dev/erelong/internal/system"
	"erelong.dev/erelong/internal/testkit"
)

// halting cancels a search after a number of batches.
func halting(batches int, cancel func()) program.Make {
	return func(
		ctx context.Context, m *interp.Model, claims []*logic.Term, forced map[int]compile.Interval,
	) (compile.Program, error) {
		p, err := program.Interpreted(ctx, m, claims, forced)
		h := &halter{Program: p, cancel: cancel}
		h.left.Store(int64(batches))
		return h, err
	}
}

// A search that is interrupted and resumed many times ends like an uninterrupted one.
func TestResumedSearchIsLikeAnUninterruptedOne(t *testing.T) {
	interruptions := 0
	seeds := testkit.Size(10, 60)
	for seed := range seeds {
		sys, inst := generate(t, seed)
		opts := Options{Deadlock: seed%2 == 0, Threads: 1 + int(seed%3), Only: nil}
		if seed%4 == 3 {
			opts.Limits.States = 20 + seed
		}
		want, wantStats := explored(t, sys, inst, opts)
		opts.Checkpoint.Dir, opts.Checkpoint.Every = t.TempDir(), time.Nanosecond
		if seed%5 == 0 {
			opts.Memory, opts.SpillDir = 1, t.TempDir()
		}
		for try := 0; ; try++ {
			if try > 1000 {
				t.Fatal("the search makes no progress")
			}
			ctx, cancel := context.WithCancel(t.Context())
			opts.Checkpoint.Resume = try > 0
			opts.program = halting(1+try/3, cancel) // a round may take several batches
			got, stats, err := checkStats(ctx, sys, inst, opts)
			stopped := ctx.Err() != nil
			cancel()
			if err != nil {
				t.Fatal(err)
			}
			if stopped {
				interruptions++
				continue
			}
			if diff := cmp.Diff(want, got, ignoreTimes); diff != "" {
				t.Fatalf("seed %d after %d interruptions: %s\n%s", seed, try, diff, sys)
			}
			if diff := cmp.Diff(wantStats, stats, ignoreTimes); diff != "" {
				t.Fatalf("seed %d after %d interruptions: %s", seed, try, diff)
			}
			break
		}
	}
	if interruptions < int(seeds) {
		t.Errorf("only %d interruptions", interruptions)
	}
}

func TestCheckpointIsRefused(t *testing.T) {
	const text = `
		mutable constant n: 0..50
		init n = 0
		action up() { require n < 40; n := n + 1; }
		safety [small] n <= 45
		instance i { }`
	build := func(text string) *system.System {
		sys, _, err := ere.Compile("test.ere", text)
		if err != nil {
			t.Fatal(err)
		}
		return sys
	}
	sys := build(text)
	for name, c := range map[string]struct {
		text   string
		opts   Options
		damage func(t *testing.T, dir string)
		want   string
	}{
		"another system":     {text: strings.Replace(text, "n + 1", "n + 2", 1), want: "of another system"},
		"other options":      {text: text, opts: Options{Limits: engine.Limits{Depth: 7}}, want: "of another system, or was made with other options"},
		"damaged states":     {text: text, damage: flip("states"), want: "the saved states are damaged"},
		"damaged parents":    {text: text, damage: flip("parents"), want: "the saved states are damaged"},
		"states are missing": {text: text, damage: truncate, want: "reading saved states"},
		"damaged manifest": {text: text, damage: func(t *testing.T, dir string) {
			write(t, filepath.Join(dir, engine.ManifestName), "{")
		}, want: "instance-i: reading it"},
		"another version": {text: text, damage: func(t *testing.T, dir string) {
			write(t, filepath.Join(dir, engine.ManifestName), "{}")
		}, want: "of another version"},
		"contradiction": {text: text, damage: contradict, want: "it contradicts itself"},
		"not asked for": {text: text, damage: func(*testing.T, string) {},
			opts: Options{Threads: 1}, want: ""},
	} {
		t.Run(name, func(t *testing.T) {
			dir := t.TempDir()
			first := Options{
				Checkpoint: explore.Checkpoint{Dir: dir, Every: time.Nanosecond},
				tuning:     tuning{program: program.Interpreted},
			}
			if _, err := Check(t.Context(), sys, sys.Instances[0], first); err != nil {
				t.Fatal(err)
			}
			if c.damage != nil {
				c.damage(t, filepath.Join(dir, "instance-i"))
			}
			opts := c.opts
			opts.Checkpoint = explore.Checkpoint{Dir: dir, Resume: true}
			opts.program = program.Interpreted
			other := build(c.text)
			results, err := Check(t.Context(), other, other.Instances[0], opts)
			switch {
			case c.want == "" && err == nil:
				if results[0].States != 41 {
					t.Errorf("%+v", results[0])
				}
			case err == nil || c.want == "" || !strings.Contains(err.Error(), c.want):
				t.Errorf("%v; want %s", err, c.want)
			}
			opts.Checkpoint.Resume = false
			if _, err := Check(t.Context(), other, other.Instances[0], opts); err == nil ||
				!strings.Contains(err.Error(), "it is of an earlier run") {
				t.Errorf("written over? %v", err)
			}
		})
	}
}

func flip(name string) func(*testing.T, string) {
	return func(t *testing.T, dir string) {
		path := filepath.Join(dir, name)
		text, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		text[len(text)/2] ^= 1
		write(t, path, string(text))
	}
}

func truncate(t *testing.T, dir string) {
	if err := os.Truncate(filepath.Join(dir, "states"), 8); err != nil {
		t.Fatal(err)
	}
}

func contradict(t *testing.T, dir string) {
	path := filepath.Join(dir, engine.ManifestName)
	text, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	m, err := unseal(text)
	if err != nil {
		t.Fatal(err)
	}
	m.To = m.Count + 1
	if text, err = json.Marshal(m); err != nil {
		t.Fatal(err)
	}
	write(t, path, string(engine.Seal(text, nil)))
}

func write(t *testing.T, path, text string) {
	t.Helper()
	if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
}
