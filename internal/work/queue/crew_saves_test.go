package queue

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/nats-io/nats.go"
	"github.com/nats-io/nats.go/jetstream"

	"erelong.dev/erelong/internal/engine"
	"erelong.dev/erelong/internal/engine/explicit"
	"erelong.dev/erelong/internal/verify"
)

// saver starts a worker with a folder for saves.
func saver(t *testing.T, s Server, name string, saves Saves) (stop func()) {
	t.Helper()
	c := connect(t, s, "v1")
	ctx, cancel := context.WithCancel(t.Context())
	var wg sync.WaitGroup
	wg.Go(func() {
		w := &Worker{Name: name, Jobs: 1, Saves: saves, Log: slog.New(slog.DiscardHandler)}
		if err := w.Work(ctx, c); err != nil {
			t.Error(err)
		}
	})
	stop = func() { cancel(); wg.Wait() }
	t.Cleanup(stop)
	return stop
}

// savedIn divides an exploration with saves in a folder, and gives what was told.
func savedIn(t *testing.T, r *Run, dir string, during func()) (told string) {
	t.Helper()
	source, task, want := exploration(t, "lease.ere", "three")
	o := verify.Default()
	o.Explicit.Checkpoint.Dir = dir
	var wg sync.WaitGroup
	wg.Go(during)
	got, err := (&Spread{Run: r, Source: source, Divide: true, Every: time.Nanosecond}).Carry(
		t.Context(), explicit.Name, task, o,
		engine.Sink{Progress: func(p engine.Progress) { told += p.Text + "\n" }})
	wg.Wait()
	if err != nil {
		t.Fatal(err)
	}
	same(t, want, got)
	return told
}

// A divided exploration is saved in a folder, also while a worker ends and another one comes, and
// nothing of it is on the server.
func TestSavesInFolder(t *testing.T) {
	t.Parallel()
	s := start(t)
	s.Silence = time.Second
	dir := t.TempDir()
	stop := saver(t, s, "a", Saves{Dir: dir})
	saver(t, s, "b", Saves{Dir: dir})
	c := connect(t, s, "v1")
	if err := c.Fit(t.Context(), nil, 2, 10*time.Second); err != nil {
		t.Fatal(err)
	}
	r := beginQuiet(t, c)
	told := savedIn(t, r, dir, func() {
		for began := time.Now(); time.Since(began) < 5*time.Second; time.Sleep(time.Millisecond) {
			if found, _ := filepath.Glob(filepath.Join(dir, "*", "crew-*-0")); len(found) > 1 {
				break
			}
		}
		stop()
		saver(t, s, "c", Saves{Dir: dir})
	})
	if strings.Contains(told, "could not be saved") {
		t.Error(told)
	}
	found, _ := filepath.Glob(filepath.Join(dir, "*", "*"))
	manifest := false
	for _, name := range found {
		manifest = manifest || filepath.Base(name) == engine.ManifestName
	}
	if len(found) < 3 || !manifest {
		t.Errorf("the folder has %v", found)
	}
	if objects, err := c.object.List(t.Context()); err == nil && len(objects) > 0 {
		t.Errorf("%d objects are on the server", len(objects))
	}
}

// fullFile is a file on a full disk.
func fullFile(*os.Root, string) (io.WriteCloser, error) {
	return os.OpenFile("/dev/full", os.O_WRONLY, 0)
}

// Where the folder is on a full disk, the exploration says so and goes on. A worker without a
// folder is named before the exploration begins.
func TestSavesOnFullDisk(t *testing.T) {
	t.Parallel()
	if _, err := os.Stat("/dev/full"); err != nil {
		t.Skip("there is no /dev/full")
	}
	s := start(t)
	dir := t.TempDir()
	saver(t, s, "a", Saves{Dir: dir, create: fullFile})
	saver(t, s, "b", Saves{Dir: dir})
	c := connect(t, s, "v1")
	if err := c.Fit(t.Context(), nil, 2, 10*time.Second); err != nil {
		t.Fatal(err)
	}
	r := beginQuiet(t, c)
	if told := savedIn(t, r, dir, func() {}); !strings.Contains(told, "could not be saved") ||
		!strings.Contains(told, "no space left") {
		t.Errorf("nobody was told: %s", told)
	}
	if found, _ := filepath.Glob(filepath.Join(dir, "*", engine.ManifestName)); len(found) > 0 {
		t.Error("there is a manifest of what was not saved")
	}
	saver(t, s, "c", Saves{})
	if err := c.Fit(t.Context(), nil, 3, 10*time.Second); err != nil {
		t.Fatal(err)
	}
	source, task, _ := exploration(t, "lease.ere", "two")
	o := verify.Default()
	o.Explicit.Checkpoint.Dir = dir
	_, err := (&Spread{Run: r, Source: source, Divide: true}).Carry(t.Context(), explicit.Name,
		task, o, engine.Sink{})
	if err == nil || !strings.Contains(err.Error(), "the worker c has no folder for saves") {
		t.Errorf("%v", err)
	}
}

// busyStore refuses the first attempts for each object, as a busy server does.
type busyStore struct {
	jetstream.ObjectStore
	refused map[string]int
}

func (s busyStore) Put(
	ctx context.Context, meta jetstream.ObjectMeta, r io.Reader,
) (*jetstream.ObjectInfo, error) {
	errs := []error{jetstream.ErrTooManyStalledMsgs, nats.ErrTimeout}
	if n := s.refused[meta.Name]; n < len(errs) {
		s.refused[meta.Name]++
		return nil, errs[n]
	}
	return s.ObjectStore.Put(ctx, meta, r)
}

// A server that is busy gets a save in parts, each again until it takes it.
func TestSavesOnBusyServer(t *testing.T) {
	t.Parallel()
	c := connect(t, start(t), "v1")
	store := busyStore{c.object, map[string]int{}}
	c.object = store
	for _, size := range []int{0, 5, savePart, 2*savePart + 7} {
		content := bytes.Repeat([]byte("0123456789"), size/10+1)[:size]
		name, parts := fmt.Sprint("save-", size), 0
		digest, err := c.putObject(t.Context(), name, bytes.NewReader(content),
			func() { parts++ })
		if err != nil {
			t.Fatalf("%d bytes: %v", size, err)
		}
		read := func() ([]byte, error) {
			r, err := c.openObject(t.Context(), name, digest)
			if err != nil {
				return nil, err
			}
			got, err := io.ReadAll(r)
			return got, errors.Join(err, r.Close())
		}
		if got, err := read(); err != nil || !bytes.Equal(got, content) {
			t.Errorf("%d bytes: %d bytes are read, %v", size, len(got), err)
		}
		if parts != size/savePart+1 || len(store.refused) == 0 {
			t.Errorf("%d bytes: %d parts", size, parts)
		}
		if _, err := store.PutBytes(t.Context(), partName(name, parts-1), []byte("x")); err != nil {
			t.Fatal(err)
		}
		if _, err := read(); err == nil {
			t.Errorf("%d bytes: a changed save is read", size)
		}
	}
}

// A save has exactly the content of its reference, and a name leads nowhere else.
func TestSaves(t *testing.T) {
	dir := t.TempDir()
	s := &Saves{Dir: filepath.Join(dir, "saves")}
	if err := os.MkdirAll(filepath.Join(s.Dir, "three"), 0o700); err != nil {
		t.Fatal(err)
	}
	ref, err := s.save("three/crew-1", func(w io.Writer) error {
		_, err := io.WriteString(w, "states")
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	name, digest, _ := strings.Cut(ref, " ")
	read := func() error {
		r, err := s.read(name, digest)
		if err != nil {
			return err
		}
		_, err = io.ReadAll(r)
		return errors.Join(err, r.Close())
	}
	if err := read(); err != nil {
		t.Error(err)
	}
	if err := os.WriteFile(filepath.Join(s.Dir, name), []byte("stateS"), 0o600); err != nil {
		t.Fatal(err)
	}
	if err := read(); err == nil {
		t.Error("a changed save is read")
	}
	if err := os.Symlink(dir, filepath.Join(s.Dir, "out")); err != nil {
		t.Fatal(err)
	}
	for _, name := range []string{"../crew-1", "/crew-1", "three/other", "three/x/crew-1",
		"out/crew-1", "crew-1"} {
		if _, err := s.save(name, func(io.Writer) error { return nil }); err == nil {
			t.Errorf("something is saved as %s", name)
		}
	}
}
