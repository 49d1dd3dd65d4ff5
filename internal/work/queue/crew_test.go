package queue

import (
	"errors"
	"os"
	"path/filepath"
	"sync"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"erelong.dev/erelong/internal/engine"
	"erelong.dev/erelong/internal/engine/explicit"
	"erelong.dev/erelong/internal/front"
	"erelong.dev/erelong/internal/result"
	"erelong.dev/erelong/internal/verify"
	"erelong.dev/erelong/internal/work"
)

// sourceOf reads an example.
func sourceOf(t *testing.T, name string) *work.Source {
	t.Helper()
	text, err := os.ReadFile(filepath.Join("..", "..", "..", "examples", name))
	if err != nil {
		t.Fatal(err)
	}
	systems, _, err := front.Systems(t.Context(), name, string(text), front.Options{})
	if err != nil {
		t.Fatal(err)
	}
	return &work.Source{Name: name, Text: string(text), Systems: systems}
}

// A divided exploration gives what one process gives, also where each level is saved, one worker
// after the other ends, and new ones take their places.
func TestDivided(t *testing.T) {
	s := start(t)
	s.Silence = time.Second
	c := connect(t, s, "v1")
	var stops []func()
	for _, name := range []string{"a", "b", "c"} {
		stops = append(stops, worker(t, s, name, "v1"))
	}
	r := beginQuiet(t, c)
	for i, x := range []struct{ file, instance string }{
		{"lease.ere", "three"}, {"lease_without_drift.ere", "drift"}, {"two_phase_commit.ere", "three"},
	} {
		source := sourceOf(t, x.file)
		sys := source.Systems[0].Spec.System
		claims, err := engine.Claims(sys, nil)
		if err != nil {
			t.Fatal(err)
		}
		task := &engine.Task{Method: engine.Explore, System: sys,
			Instance: sys.Instance(x.instance), Claims: claims}
		o := verify.Default()
		want, err := verify.RunTask(t.Context(), explicit.Name, task, o, engine.Sink{})
		if err != nil {
			t.Fatal(err)
		}
		spread := &Spread{Run: r, Source: source, Divide: true, Every: time.Nanosecond}
		var wg sync.WaitGroup
		if i < 2 {
			wg.Go(stops[i])
		}
		got, err := spread.Carry(t.Context(), explicit.Name, task, o, engine.Sink{})
		wg.Wait()
		if err != nil {
			t.Fatal(err)
		}
		if diff := cmp.Diff(want, got, cmpopts.IgnoreFields(result.Result{}, "Elapsed"),
			cmpopts.IgnoreFields(engine.Seen{}, "Idle"), cmpopts.EquateEmpty()); diff != "" {
			t.Errorf("%s: one process -, divided +\n%s", x.file, diff)
		}
		if i == 0 {
			worker(t, s, "d", "v1")
		}
	}
	objects, err := c.object.List(t.Context())
	if err == nil && len(objects) > 0 {
		t.Errorf("%d objects of the explorations are left", len(objects))
	}
}

// What cannot be divided says why.
func TestUndivided(t *testing.T) {
	s := start(t)
	worker(t, s, "a", "v1")
	c := connect(t, s, "v1")
	r := beginTelling(t, c, "", func(string) {})
	source := sourceOf(t, "lease.ere")
	sys := source.Systems[0].Spec.System
	claims, err := engine.Claims(sys, nil)
	if err != nil {
		t.Fatal(err)
	}
	task := &engine.Task{Method: engine.Explore, System: sys, Instance: sys.Instances[0],
		Claims: claims, Limits: engine.Limits{States: 100}}
	spread := &Spread{Run: r, Source: source, Divide: true}
	j, err := source.Job("v1", explicit.Name, task, verify.Default())
	if err != nil {
		t.Fatal(err)
	}
	var undivided *explicit.UndividedError
	if _, err := spread.divide(t.Context(), j, task, verify.Default(),
		engine.Sink{}); !errors.As(err, &undivided) {
		t.Errorf("%v", err)
	}
}

// A message that was not signed with the team's key, or that was for another subject, is not heard.
func TestSeal(t *testing.T) {
	c, stranger := &Conn{team: []byte("the key of the team")}, &Conn{team: []byte("another key")}
	sealed := c.seal("a", []byte("states"))
	if body, ok := c.unseal("a", sealed); !ok || string(body) != "states" {
		t.Error("the own message is not heard")
	}
	for name, data := range map[string][]byte{
		"a stranger's":       stranger.seal("a", []byte("states")),
		"of another subject": c.seal("b", []byte("states")),
		"unsigned":           []byte("states"), "changed": append([]byte("S"), sealed[1:]...), "empty": nil,
	} {
		if _, ok := c.unseal("a", data); ok {
			t.Errorf("a message is heard that is %s", name)
		}
	}
}

// Without any worker the exploration is given up with a reason.
func TestDividedWithoutWorkers(t *testing.T) {
	s := start(t)
	s.Silence = 50 * time.Millisecond
	c := connect(t, s, "v1")
	r := beginTelling(t, c, "", func(string) {})
	j, task, source := job(t, "v1")
	_, err := (&Spread{Run: r, Source: source, Divide: true}).divide(t.Context(), j, task,
		verify.Default(), engine.Sink{})
	if !errors.As(err, new(*verify.LostError)) {
		t.Errorf("%v", err)
	}
}

// A worker that comes after an exploration began takes part in it.
func TestLateMember(t *testing.T) {
	s := start(t)
	s.Silence = time.Second
	c := connect(t, s, "v1")
	worker(t, s, "a", "v1")
	r := beginQuiet(t, c)
	j, _, _ := job(t, "v1")
	led, err := r.crew(t.Context(), j, time.Nanosecond)
	if err != nil {
		t.Fatal(err)
	}
	defer led.end()
	if err := led.gather(t.Context()); err != nil {
		t.Fatal(err)
	}
	if len(led.members) != 1 || led.Joined() {
		t.Errorf("%d members of one worker", len(led.members))
	}
	worker(t, s, "b", "v1")
	for !led.Joined() {
		if err := led.pause(t.Context(), 10*time.Millisecond); err != nil {
			t.Fatal(err)
		}
	}
	if err := led.gather(t.Context()); err != nil || len(led.members) != 2 {
		t.Errorf("%d members of two workers, %v", len(led.members), err)
	}
}
