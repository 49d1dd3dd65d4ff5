package queue

import (
	"net/url"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"erelong.dev/erelong/internal/engine"
	"erelong.dev/erelong/internal/engine/explicit"
	"erelong.dev/erelong/internal/front/ere"
	"erelong.dev/erelong/internal/verify"
)

// told waits for what a run tells its user.
func told(t *testing.T, notes <-chan string, want string) {
	t.Helper()
	select {
	case text := <-notes:
		if !strings.Contains(text, want) {
			t.Fatalf("%q instead of %q", text, want)
		}
	case <-time.After(20 * time.Second):
		t.Fatalf("nothing is told of %q", want)
	}
}

// startAgain starts a server at the address of another one.
func startAgain(t *testing.T, at, folder string) *Local {
	t.Helper()
	address, err := url.Parse(at)
	if err != nil {
		t.Fatal(err)
	}
	port, err := strconv.Atoi(address.Port())
	if err != nil {
		t.Fatal(err)
	}
	password, isPassword := address.User.Password()
	if !isPassword {
		password = address.User.Username()
	}
	l, err := StartServerAt(folder, port, password)
	if err != nil {
		t.Fatal(err)
	}
	return l
}

// The loss of the server is told at once, with what is safe meanwhile. What is asked for during the
// loss is done after its end, also by a server that has lost what it had stored.
func TestLostServer(t *testing.T) {
	t.Parallel()
	first, err := StartServer(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	var second *Local
	t.Cleanup(func() {
		if _ = first.Close(); second != nil {
			_ = second.Close()
		}
	})
	s := first.Server
	s.Silence = time.Second
	worker(t, s, "w", "v1")
	c := connect(t, s, "v1")
	notes := make(chan string, 10)
	r := beginTelling(t, c, "", func(text string) { notes <- text })
	source, tasks := small(t, 2)
	spread := &Spread{Run: r, Source: source}
	carriedOut(t, spread, tasks[0])

	_ = first.Close()
	told(t, notes, "is lost since ")
	done := make(chan struct{})
	go func() {
		defer close(done)
		carriedOut(t, spread, tasks[1])
	}()
	second = startAgain(t, s.URL, t.TempDir()) // another folder
	told(t, notes, "is there again since ")
	<-done
	if text := r.tally.safe(); text != "2 results are" {
		t.Errorf("%s here", text)
	}
}

// A worker that is asked to end does not wait for a lost server: what runs containers gives it ten
// seconds.
func TestWorkerEndsWithoutServer(t *testing.T) {
	t.Parallel()
	l, err := StartServer(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	stop := worker(t, l.Server, "w", "v1")
	_ = l.Close()
	begun := time.Now()
	if stop(); time.Since(begun) > 5*time.Second {
		t.Errorf("it takes %s", time.Since(begun))
	}
}

// A divided exploration goes on after the server was away for longer than a worker may be silent.
func TestDividedWithoutServer(t *testing.T) {
	t.Parallel()
	folder := t.TempDir()
	first, err := StartServer(folder)
	if err != nil {
		t.Fatal(err)
	}
	var second *Local
	t.Cleanup(func() {
		if _ = first.Close(); second != nil {
			_ = second.Close()
		}
	})
	s := first.Server
	s.Silence = time.Second
	worker(t, s, "a", "v1")
	worker(t, s, "b", "v1")
	r := beginTelling(t, connect(t, s, "v1"), "", func(string) {})
	source, task, want := explored(t, grid(t, 10), "one")
	var once sync.Once
	var away sync.WaitGroup
	var told string
	got, err := (&Spread{Run: r, Source: source, Divide: true, Every: time.Nanosecond}).Carry(
		t.Context(), explicit.Name, task, verify.Default(),
		engine.Sink{Progress: func(p engine.Progress) {
			told += p.Text + "\n"
			once.Do(func() {
				_ = first.Close()
				away.Go(func() {
					time.Sleep(2500 * time.Millisecond)
					second = startAgain(t, s.URL, folder)
				})
			})
		}})
	away.Wait()
	if err != nil {
		t.Fatal(err)
	}
	same(t, want, got)
	if second == nil || strings.Contains(told, "found again") {
		t.Errorf("told: %s", told)
	}
}

// The jobs of a command that is gone are dropped, at work and in the queue, so that others get the
// worker. A command that goes on with the run has them done.
func TestAbandonedRun(t *testing.T) {
	t.Parallel()
	s := start(t)
	s.Silence = 300 * time.Millisecond
	worker(t, s, "w", "v1")
	c := connect(t, s, "v1")
	_, task, source := job(t, "v1")
	minutes, err := ere.Instances(task.System, "Delta=40,Phi=40")
	if err != nil {
		t.Fatal(err)
	}
	task.Instance = minutes[0]
	gone, err := c.apart()
	if err != nil {
		t.Fatal(err)
	}
	quiet := func(string) {}
	r, err := gone.Begin(t.Context(), Record{}, false, quiet)
	if err != nil {
		t.Fatal(err)
	}
	large, err := source.Job("v1", explicit.Name, task, verify.Default())
	if err != nil {
		t.Fatal(err)
	}
	short, _, _ := job(t, "v1")
	if err := r.publish(t.Context(), large, large.ID(), false); err != nil {
		t.Fatal(err)
	}
	r.ringer.rings(gone)
	for begun := false; !begun; {
		workers, err := c.Workers(t.Context())
		begun = err == nil && len(workers) == 1 && len(workers[0].Active) == 1
	}
	if err := r.publish(t.Context(), short, short.ID(), false); err != nil {
		t.Fatal(err)
	}
	gone.nats.Close() // as if it was killed

	other := beginQuiet(t, c)
	other.fresh = true
	if _, err := other.Do(t.Context(), short, engine.Sink{}); err != nil {
		t.Errorf("another run: %v", err)
	}
	emptied(t, c, r.ID)
	again, err := c.Begin(t.Context(), Record{ID: r.ID}, false, quiet)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := again.Do(t.Context(), short, engine.Sink{}); err != nil {
		t.Errorf("the run that goes on: %v", err)
	}
}
