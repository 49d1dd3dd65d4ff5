package explicit

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"os"
	"path/filepath"
	"slices"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"erelong.dev/erelong/internal/engine"
	"erelong.dev/erelong/internal/engine/explore"
	"erelong.dev/erelong/internal/result"
	"erelong.dev/erelong/internal/system"
	"erelong.dev/erelong/internal/testkit"
)

// interrupted has several levels, states without new successors, and a violation at the end.
const interrupted = `
	immutable constant c: 0..19
	mutable constant x: 0..10
	init x = 0
	action inc() { require x < 10; x := x + 1; }
	safety [s] !(x = 10 & c = 15)
	invariant [small] x <= 11
	instance i { }`

// stop explores until a batch in the middle of a level, and gives the files of the checkpoint.
func stop(t *testing.T, sys *system.System, opts Options, batches int) map[string][]byte {
	t.Helper()
	opts.Checkpoint = explore.Checkpoint{Dir: t.TempDir(), Every: time.Hour}
	opts.Threads, opts.mostInRound = 1, 7
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	opts.program = halting(batches, cancel) // a level has three batches
	if _, err := Check(ctx, sys, sys.Instances[0], opts); err != nil || ctx.Err() == nil {
		t.Fatal(err, ctx.Err())
	}
	files := map[string][]byte{}
	for _, name := range []string{engine.ManifestName, "states", "parents"} {
		text, err := os.ReadFile(filepath.Join(opts.Checkpoint.Dir, "instance-i", name))
		if err != nil {
			t.Fatal(err)
		}
		files[name] = text
	}
	return files
}

// resume continues from files.
func resume(
	t *testing.T, dir string, files map[string][]byte, sys *system.System, opts Options,
) ([]result.Result, error) {
	t.Helper()
	folder := filepath.Join(dir, "instance-i")
	if err := os.MkdirAll(folder, 0o755); err != nil {
		t.Fatal(err)
	}
	for name, text := range files {
		write(t, filepath.Join(folder, name), string(text))
	}
	opts.Checkpoint = explore.Checkpoint{Dir: dir, Every: time.Hour, Resume: true}
	opts.Threads = 1
	opts.program = halting(1<<30, func() {})
	return Check(t.Context(), sys, sys.Instances[0], opts)
}

// A checkpoint with any byte changed, a truncated file, or a file of another checkpoint, is
// refused. Bytes after the valid ones are unfinished writes and change nothing.
func TestDamagedCheckpointIsRefused(t *testing.T) {
	sys := testkit.Compile(t, interrupted)
	dir := t.TempDir()
	want, _ := explored(t, sys, sys.Instances[0], Options{})
	good := stop(t, sys, Options{}, 10)
	if got, err := resume(t, dir, good, sys, Options{}); err != nil ||
		cmp.Diff(want, got, ignoreTimes) != "" {
		t.Fatalf("%v %s", err, cmp.Diff(want, got, ignoreTimes))
	}
	m, err := unseal(good[engine.ManifestName])
	if err != nil {
		t.Fatal(err)
	}
	if p := m.Place; p.Next == p.From || p.Next == p.To || p.Level < 3 {
		t.Fatalf("the search did not stop in the midst of a level: %+v", p)
	}
	counts := map[string]int{engine.ManifestName: len(good[engine.ManifestName]), "states": 8 * m.Count,
		"parents": 4 * m.Count}
	try := func(name string, text []byte, what string, at int) {
		t.Helper()
		files := map[string][]byte{}
		for k, v := range good {
			files[k] = v
		}
		files[name] = text
		got, err := resume(t, dir, files, sys, Options{})
		var refused *engine.CheckpointError
		switch {
		case errors.As(err, &refused):
		case at >= counts[name] && err == nil && cmp.Diff(want, got, ignoreTimes) == "":
		default:
			t.Fatalf("%s: %s at %d: %v %v", name, what, at, got, err)
		}
	}
	stride := int(testkit.Size(5, 2))
	for name, text := range good {
		for at := 0; at < len(text); at += stride {
			damaged := slices.Clone(text)
			damaged[at] ^= 1 << (at % 8)
			try(name, damaged, "a bit turned", at)
			if at%8 == 0 {
				try(name, text[:at], "cut", at)
				try(name, slices.Delete(slices.Clone(text), at, at+1), "a byte less", at)
				try(name, slices.Insert(slices.Clone(text), at, text[at]^1), "a byte more", at)
			}
		}
	}
}

// Files of two checkpoints do not fit together. A checkpoint belongs to one system, instance, and
// choice of options.
func TestSwappedCheckpointIsRefused(t *testing.T) {
	sys := testkit.Compile(t, interrupted)
	dir := t.TempDir()
	good := stop(t, sys, Options{}, 10)
	others := map[string]map[string][]byte{
		"earlier": stop(t, sys, Options{}, 4),
		"system": stop(t,
			testkit.Compile(t,
				string(bytes.Replace([]byte(interrupted), []byte("c = 15"), []byte("c = 14"), 1))), Options{}, 10),
		"instance": stop(t,
			testkit.Compile(t,
				string(bytes.Replace([]byte(interrupted), []byte("{ }"), []byte("{ c = 1 }"), 1))), Options{}, 3),
		"limit":     stop(t, sys, Options{Limits: engine.Limits{States: 1000}}, 10),
		"deadlock":  stop(t, sys, Options{Deadlock: true}, 10),
		"selection": stop(t, sys, Options{Only: []string{"s"}}, 10),
	}
	for name, other := range others {
		for mask := 1; mask < 8; mask++ {
			files := map[string][]byte{}
			for i, file := range []string{engine.ManifestName, "states", "parents"} {
				from := good
				if mask>>i&1 == 1 {
					from = other
				}
				files[file] = from[file]
			}
			owner := good
			if mask&1 == 1 {
				owner = other
			}
			m, err := unseal(owner[engine.ManifestName])
			if err != nil {
				t.Fatal(err)
			}
			// The log of a search grows, so an earlier manifest fits a later log.
			same := name == "earlier" || mask&1 == 0
			for file, n := range map[string]int{"states": 8 * m.Count, "parents": 4 * m.Count} {
				same = same && len(files[file]) >= n &&
					bytes.Equal(files[file][:n], owner[file][:n])
			}
			var refused *engine.CheckpointError
			if got, err := resume(t, dir, files, sys, Options{}); !errors.As(err, &refused) &&
				!same {
				t.Errorf("%s, %03b: %v %v", name, mask, got, err)
			}
		}
	}
}

// A manifest with a correct sum must agree with the log, too.
func TestPositionOfCheckpointIsCompared(t *testing.T) {
	sys := testkit.Compile(t, interrupted)
	dir := t.TempDir()
	good := stop(t, sys, Options{}, 10)
	for name, change := range map[string]func(*saved){
		"level":      func(m *saved) { m.Level++ },
		"less level": func(m *saved) { m.Level-- },
		"from":       func(m *saved) { m.From++ },
		"less from":  func(m *saved) { m.From-- },
		"to":         func(m *saved) { m.To++ },
		"less to":    func(m *saved) { m.To-- },
		"less next":  func(m *saved) { m.Next-- },
		"next":       func(m *saved) { m.Next = m.To + 1 },
		"initial":    func(m *saved) { m.Initial++ },
		"no initial": func(m *saved) { m.Initial = 0 },
		"sizes":      func(m *saved) { m.Seen.Stats.Levels[1]++ },
		"outside":    func(m *saved) { m.Seen.Outside = 7 },
		"deadlock":   func(m *saved) { m.Seen.Deadlock = m.Count },
		"next level": func(m *saved) {
			m.Level, m.From = m.Level+1, m.To
		},
		"event": func(m *saved) { m.Events = []savedEvent{{Property: 0, State: m.Count}} },
		"a verdict": func(m *saved) {
			m.Claims = []savedClaim{{Result: result.Result{Property: "s", Verdict: result.Holds}}}
		},
		"a state": func(m *saved) {
			m.Claims = []savedClaim{{Result: result.Result{Property: "s", Verdict: result.Violated},
				State: -1}}
		},
		"nothing": nil,
	} {
		m, err := unseal(good[engine.ManifestName])
		if err != nil {
			t.Fatal(err)
		}
		if change != nil {
			change(m)
		}
		text, err := json.Marshal(m)
		if err != nil {
			t.Fatal(err)
		}
		files := map[string][]byte{engine.ManifestName: engine.Seal(text, nil), "states": good["states"],
			"parents": good["parents"]}
		_, err = resume(t, dir, files, sys, Options{})
		if errors.Is(err, engine.ErrContradiction) != (change != nil) {
			t.Errorf("%s: %v", name, err)
		}
	}
}

// unseal reads the file of a manifest.
func unseal(text []byte) (*saved, error) {
	manifest, err := engine.Unseal(text, nil)
	if err != nil {
		return nil, err
	}
	m := &saved{}
	return m, json.Unmarshal(manifest, m)
}
