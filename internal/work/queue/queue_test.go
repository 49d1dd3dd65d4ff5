package queue

import (
	"context"
	"encoding/hex"
	"encoding/json"
	"log/slog"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"erelong.dev/erelong/internal/engine"
	"erelong.dev/erelong/internal/front"
	"erelong.dev/erelong/internal/result"
	"erelong.dev/erelong/internal/verify"
	"erelong.dev/erelong/internal/work"
)

// start starts a server.
func start(t *testing.T) Server {
	t.Helper()
	l, err := StartServer(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = l.Close() })
	l.Server.Team = RandomKey(32)
	return l.Server
}

func connect(t *testing.T, s Server, build string) *Conn {
	t.Helper()
	c, err := Connect(t.Context(), s, build)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(c.Close)
	return c
}

// worker starts a worker of a build, until the test ends or the function is called.
func worker(t *testing.T, s Server, name, build string, tags ...string) (stop func()) {
	t.Helper()
	c := connect(t, s, build)
	ctx, cancel := context.WithCancel(t.Context())
	var wg sync.WaitGroup
	wg.Go(func() {
		w := &Worker{Name: name, Jobs: 1, Tags: tags, Log: slog.New(slog.DiscardHandler)}
		if err := w.Work(ctx, c); err != nil {
			t.Error(err)
		}
	})
	stop = func() { cancel(); wg.Wait() }
	t.Cleanup(stop)
	if err := c.Fit(t.Context(), tags, 1, 10*time.Second); err != nil {
		t.Fatal(err)
	}
	return stop
}

// job is the exploration of an instance of an example, with its task.
func job(t *testing.T, build string) (*work.Job, *engine.Task, *work.Source) {
	t.Helper()
	text, err := os.ReadFile(filepath.Join("..", "..", "..", "examples", "failure_detector", "small_timeout.ere"))
	if err != nil {
		t.Fatal(err)
	}
	systems, _, err := front.Systems(t.Context(), "small_timeout.ere", string(text),
		front.Options{})
	if err != nil {
		t.Fatal(err)
	}
	s := &work.Source{Name: "small_timeout.ere", Text: string(text), Systems: systems}
	sys := systems[0].Spec.System
	claims, err := engine.Claims(sys, nil)
	if err != nil {
		t.Fatal(err)
	}
	task := &engine.Task{Method: engine.Explore, System: sys, Instance: sys.Instance("d2p4"),
		Claims: claims}
	j, err := s.Job(build, "explicit", task, verify.Default())
	if err != nil {
		t.Fatal(err)
	}
	return j, task, s
}

func begin(t *testing.T, c *Conn, id string, notes *[]string) *Run {
	t.Helper()
	return beginTelling(t, c, id, func(text string) { *notes = append(*notes, text) })
}

// emptied waits until no job of a run is left in the queue.
func emptied(t *testing.T, c *Conn, run string) {
	t.Helper()
	for began := time.Now(); ; time.Sleep(10 * time.Millisecond) {
		n, err := c.Open(t.Context(), run)
		if err == nil && n == 0 {
			return
		}
		if time.Since(began) > 20*time.Second {
			t.Fatalf("%d jobs of the run are left, %v", n, err)
		}
	}
}

// beginQuiet begins a run of which nothing may be told.
func beginQuiet(t *testing.T, c *Conn) *Run {
	t.Helper()
	return beginTelling(t, c, "", func(text string) { t.Error(text) })
}

func beginTelling(t *testing.T, c *Conn, id string, tell func(text string)) *Run {
	t.Helper()
	r, err := c.Begin(t.Context(), Record{ID: id}, false, tell)
	if err != nil {
		t.Fatal(err)
	}
	return r
}

// A worker of another version gets no job, and is named.
func TestOtherVersion(t *testing.T) {
	s := start(t)
	worker(t, s, "old-worker", "v1")
	c := connect(t, s, "v2")
	err := c.Fit(t.Context(), nil, 1, 0)
	if err == nil || !strings.Contains(err.Error(), "old-worker is of the version v1") {
		t.Errorf("%v", err)
	}
	var notes []string
	j, _, _ := job(t, "v2")
	within, cancel := context.WithTimeout(t.Context(), time.Second)
	defer cancel()
	if found, err := begin(t, c, "", &notes).Do(within, j, engine.Sink{}); err == nil {
		t.Errorf("a worker of another version did the job: %+v", found)
	}
}

// A result is found again by another run, only with the key of the team, and an entry that others
// wrote is not believed.
func TestPoisonedResult(t *testing.T) {
	s := start(t)
	worker(t, s, "w", "v1")
	c := connect(t, s, "v1")
	j, task, source := job(t, "v1")
	var notes []string
	if _, err := begin(t, c, "", &notes).Do(t.Context(), j, engine.Sink{}); err != nil {
		t.Fatal(err)
	}
	second := begin(t, c, "", &notes)
	second.recompute = func() bool { return false }
	if _, err := second.Do(t.Context(), j, engine.Sink{}); err != nil || second.tally.reused != 1 {
		t.Errorf("the result of the first run was not found: %v", err)
	}
	poison := func(team []byte) {
		lie, err := json.Marshal(
			work.Findings{Results: []result.Result{{Property: "strong_accuracy", Kind: "safety",
				Verdict: result.Holds, Scope: "d2p4", Engine: "explicit"}}})
		if err != nil {
			t.Fatal(err)
		}
		e := &entry{Job: j.ID(), Run: "other", Worker: "mallory", Content: content{Data: lie}}
		e.Sum = (&Conn{team: team}).sum(e)
		text, err := json.Marshal(e)
		if err != nil {
			t.Fatal(err)
		}
		for _, key := range []string{j.ID(), j.ID() + ".other"} {
			if _, err := c.keys[resultBucket].Put(t.Context(), key, text); err != nil {
				t.Fatal(err)
			}
		}
	}
	poison([]byte("a key that was guessed"))
	spread := &Spread{Run: begin(t, c, "", &notes), Source: source}
	found, err := spread.Carry(t.Context(), "explicit", task, verify.Default(), engine.Sink{})
	if err != nil {
		t.Fatal(err)
	}
	for _, r := range found.Results {
		if r.Property == "strong_accuracy" && r.Verdict != result.Violated {
			t.Errorf("a poisoned entry became %s", r.Verdict)
		}
	}
	if len(notes) != 1 || !strings.Contains(notes[0], "is not used") {
		t.Errorf("notes: %q", notes)
	}

	// Without a key of the team nobody's earlier results count, however they are signed.
	poison(nil)
	open := s
	open.Team = nil
	worker(t, open, "w2", "v3")
	c3 := connect(t, open, "v3")
	j3, _, _ := job(t, "v3")
	third := begin(t, c3, "", &notes)
	if _, err := third.Do(t.Context(), j3, engine.Sink{}); err != nil {
		t.Fatal(err)
	}
	fourth := begin(t, c3, "", &notes)
	if _, err := fourth.Do(t.Context(), j3, engine.Sink{}); err != nil || fourth.tally.reused != 0 {
		t.Errorf("a result without a signature was used by another run: %v", err)
	}
	// A run that is continued finds its own.
	again := begin(t, c3, third.ID, &notes)
	if _, err := again.find(t.Context(), j3.ID(), false, false); err != nil ||
		again.tally.done["w2"] != 1 {
		t.Errorf("a run does not find its own result: %v", err)
	}
}

// A job that is delivered twice, and acknowledged late, has one result; the first counts.
func TestDuplicates(t *testing.T) {
	s := start(t)
	c := connect(t, s, "v1")
	j, _, _ := job(t, "v1")
	var notes []string
	r := begin(t, c, "", &notes)
	for range 3 {
		if err := r.publish(t.Context(), j, j.ID(), false); err != nil {
			t.Fatal(err)
		}
	}
	if n, err := c.Open(t.Context(), r.ID); err != nil || n != 1 {
		t.Errorf("%d jobs in the queue, %v", n, err)
	}
	for _, name := range []string{"first", "second"} {
		e := &entry{Job: j.ID(), Run: r.ID, Worker: name}
		e.Sum = c.sum(e)
		text, _ := json.Marshal(e)
		if is, err := c.put(t.Context(), j.ID(), j.ID(), text); err != nil || is != (name == "first") {
			t.Fatalf("%s: %v, %v", name, is, err)
		}
	}
	if e, err := c.entryOf(t.Context(), j.ID(), j.ID()); err != nil || e.Worker != "first" {
		t.Errorf("%+v, %v", e, err)
	}
}

// Cancelling takes jobs out of the queue, and the run learns of it.
func TestCancel(t *testing.T) {
	s := start(t)
	c := connect(t, s, "v1")
	j, _, _ := job(t, "v1")
	var notes []string
	r := begin(t, c, "", &notes)
	if err := r.publish(t.Context(), j, j.ID(), false); err != nil {
		t.Fatal(err)
	}
	if err := c.Cancel(t.Context(), r.ID, "cancelled by a test"); err != nil {
		t.Fatal(err)
	}
	if n, err := c.Open(t.Context(), r.ID); err != nil || n != 0 {
		t.Errorf("%d jobs are left, %v", n, err)
	}
	x, err := c.Record(t.Context(), r.ID)
	if err != nil || x.Ended != "cancelled by a test" {
		t.Errorf("%+v, %v", x, err)
	}
	if err := c.Cancel(t.Context(), "nobody", ""); err == nil {
		t.Error("a run that does not exist was cancelled")
	}
}

// Contents of any size travel, and an object is what its name says.
func TestLargeContents(t *testing.T) {
	c := connect(t, start(t), "v1")
	for _, size := range []int{0, 10, inline, inline + 1, 3 << 20} {
		data := []byte(`"` + hex.EncodeToString(RandomKey(size/2)) + `"`)
		x, err := c.pack(t.Context(), data)
		if err != nil {
			t.Fatal(err)
		}
		back, err := c.unpack(t.Context(), x)
		if err != nil || string(back) != string(data) || (x.Object != "") != (len(data) > inline) {
			t.Errorf("%d bytes: %d came back, %v", size, len(back), err)
		}
		if x.Object == "" {
			continue
		}
		if _, err := c.object.PutBytes(t.Context(), x.Object, []byte("other")); err != nil {
			t.Fatal(err)
		}
		if _, err := c.unpack(t.Context(), x); err == nil {
			t.Error("a changed object was read")
		}
	}
}

// A job that fails on one machine, as where its disk is full, fails for one run only.
func TestFailureIsForItsRun(t *testing.T) {
	s := start(t)
	worker(t, s, "w", "v1")
	c := connect(t, s, "v1")
	j, _, _ := job(t, "v1")
	j.Engine = "none" // which no process has
	var notes []string
	if f, err := begin(t, c, "", &notes).Do(t.Context(), j, engine.Sink{}); err == nil {
		t.Errorf("an engine that does not exist finds %+v", f)
	}
	if e, err := c.entryOf(t.Context(), c.key(j.ID(), "", true), j.ID()); e != nil || err != nil {
		t.Errorf("others find the failure: %+v, %v", e, err)
	}
}

// A result of another run that is signed and wrong is found out where it is asked for again, and a
// run that asks for everything anew does not use it.
func TestDoubted(t *testing.T) {
	s := start(t)
	worker(t, s, "w", "v1")
	c := connect(t, s, "v1")
	j, _, _ := job(t, "v1")
	lie := func() {
		t.Helper()
		text, err := json.Marshal(work.Findings{Results: []result.Result{{Property: "strong_accuracy",
			Kind: "safety", Verdict: result.Holds, Scope: "d2p4", Engine: "explicit"}}})
		if err != nil {
			t.Fatal(err)
		}
		e := &entry{Job: j.ID(), Run: "other", Worker: "mallory", Content: content{Data: text}}
		e.Sum = c.sum(e)
		if text, err = json.Marshal(e); err != nil {
			t.Fatal(err)
		}
		if _, err := c.keys[resultBucket].Put(t.Context(), j.ID(), text); err != nil {
			t.Fatal(err)
		}
	}
	violated := func(f *work.Findings) bool {
		return slices.ContainsFunc(f.Results, func(r result.Result) bool {
			return r.Property == "strong_accuracy" && r.Verdict == result.Violated
		})
	}
	lie()
	var notes []string
	r := begin(t, c, "", &notes)
	r.recompute = func() bool { return true }
	f, err := r.Do(t.Context(), j, engine.Sink{})
	if err != nil || !violated(f) {
		t.Errorf("%+v, %v", f, err)
	}
	if len(notes) != 1 || !strings.HasPrefix(notes[0], "ALARM") {
		t.Errorf("notes: %q", notes)
	}
	if e, err := c.entryOf(t.Context(), j.ID(), j.ID()); e != nil {
		t.Errorf("the lie is still there: %+v, %v", e, err)
	}

	lie()
	anew, err := c.Begin(t.Context(), Record{}, true, func(text string) { t.Error(text) })
	if err != nil {
		t.Fatal(err)
	}
	if f, err := anew.Do(t.Context(), j, engine.Sink{}); err != nil || !violated(f) {
		t.Errorf("a run that asks anew has %+v, %v", f, err)
	}
}
