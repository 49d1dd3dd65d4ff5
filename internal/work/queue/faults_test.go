package queue

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net"
	"net/url"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"
	"github.com/nats-io/nats-server/v2/server"
	"github.com/nats-io/nats.go"

	"erelong.dev/erelong/internal/engine"
	"erelong.dev/erelong/internal/engine/explicit"
	"erelong.dev/erelong/internal/result"
	"erelong.dev/erelong/internal/verify"
	"erelong.dev/erelong/internal/work"
)

// wire is a way to a server that can be cut.
type wire struct {
	listener net.Listener
	to       string
	mu       sync.Mutex
	cut      bool
	open     []net.Conn
	cuts     int // connections that were cut
}

// behindWire gives the address of a server at the other end of a wire.
func behindWire(t *testing.T, s Server) (*wire, Server) {
	t.Helper()
	u, err := url.Parse(s.URL)
	if err != nil {
		t.Fatal(err)
	}
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	w := &wire{listener: l, to: u.Host}
	u.Host = l.Addr().String()
	s.URL = u.String()
	var wg sync.WaitGroup
	wg.Go(func() {
		for {
			from, err := l.Accept()
			if err != nil {
				return
			}
			to, err := net.Dial("tcp", w.to)
			if err != nil || !w.keep(from, to) {
				_ = from.Close()
				continue
			}
			wg.Go(func() { _, _ = io.Copy(to, from); _ = to.Close() })
			wg.Go(func() { _, _ = io.Copy(from, to); _ = from.Close() })
		}
	})
	t.Cleanup(func() { _ = l.Close(); w.set(true); wg.Wait() })
	return w, s
}

func (w *wire) keep(from, to net.Conn) bool {
	w.mu.Lock()
	defer w.mu.Unlock()
	if w.cut {
		_ = to.Close()
		return false
	}
	w.open = append(w.open, from, to)
	return true
}

// set cuts the wire, or mends it.
func (w *wire) set(cut bool) {
	w.mu.Lock()
	defer w.mu.Unlock()
	if w.cut = cut; cut {
		for _, c := range w.open {
			_ = c.Close()
			w.cuts++
		}
		w.open = nil
	}
}

// exploration is an instance of an example, with what one process finds.
func exploration(
	t *testing.T, file, instance string,
) (*work.Source, *engine.Task, *engine.Findings) {
	t.Helper()
	return explored(t, sourceOf(t, file), instance)
}

func explored(
	t *testing.T, source *work.Source, instance string,
) (*work.Source, *engine.Task, *engine.Findings) {
	t.Helper()
	sys := source.Systems[0].Spec.System
	claims, err := engine.Claims(sys, nil)
	if err != nil {
		t.Fatal(err)
	}
	task := &engine.Task{Method: engine.Explore, System: sys, Instance: sys.Instance(instance),
		Claims: claims}
	want, err := verify.RunTask(t.Context(), explicit.Name, task, verify.Default(), engine.Sink{})
	if err != nil {
		t.Fatal(err)
	}
	return source, task, want
}

// same compares findings.
func same(t *testing.T, want, got *engine.Findings) {
	t.Helper()
	if diff := cmp.Diff(want, got, cmpopts.IgnoreFields(result.Result{}, "Elapsed"),
		cmpopts.IgnoreFields(engine.Seen{}, "Idle"), cmpopts.EquateEmpty()); diff != "" {
		t.Errorf("one process -, workers +\n%s", diff)
	}
}

// Workers whose connections are cut again and again, for longer and shorter than it takes until
// they count as lost, do the work: small jobs, and an exploration that they divide.
func TestPartition(t *testing.T) {
	t.Parallel()
	s := start(t)
	s.Silence = time.Second
	c := connect(t, s, "v1")
	var wires []*wire
	for i := range 3 {
		w, behind := behindWire(t, s)
		wires = append(wires, w)
		worker(t, behind, fmt.Sprintf("w%d", i), "v1")
	}
	for here := 0; here < len(wires); {
		workers, err := c.Workers(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		here = len(workers)
	}
	stop := make(chan struct{})
	var cutting sync.WaitGroup
	cutting.Go(func() {
		for i := range 6 { // few enough that no job is given up
			w := wires[i%len(wires)]
			w.set(true)
			select {
			case <-time.After([]time.Duration{30, 1500, 300}[i%3] * time.Millisecond):
			case <-stop:
				return
			}
			w.set(false)
		}
	})
	r := beginQuiet(t, c)
	source, tasks := small(t, 200)
	spread := &Spread{Run: r, Source: source}
	var jobs sync.WaitGroup
	for _, task := range tasks {
		jobs.Go(func() { carriedOut(t, spread, task) })
	}
	jobs.Wait()
	close(stop)
	cutting.Wait()
	for _, w := range wires {
		w.set(false)
	}
	if wires[0].cuts == 0 {
		t.Error("no connection was cut")
	}

	// Now in the middle of a divided exploration: after a level, twice.
	source, task, want := exploration(t, "lease.ere", "three")
	divided := &Spread{Run: r, Source: source, Divide: true, Every: time.Nanosecond}
	reports := 0
	got, err := divided.Carry(t.Context(), explicit.Name, task, verify.Default(),
		engine.Sink{Progress: func(engine.Progress) {
			if reports++; reports <= 2 {
				w := wires[reports]
				w.set(true)
				time.AfterFunc(1500*time.Millisecond, func() { w.set(false) })
			}
		}})
	if err != nil {
		t.Fatal(err)
	}
	same(t, want, got)
}

// A job that a silent worker did is done again by another, and what the first one says late changes
// nothing.
func TestLateAck(t *testing.T) {
	t.Parallel()
	s := start(t)
	s.Silence = 300 * time.Millisecond
	c := connect(t, s, "v1")
	source, tasks := small(t, 1)
	var notes []string
	r := begin(t, c, "", &notes)
	silent := &Worker{Name: "silent", conn: c}
	consumers, err := silent.consumers(t.Context(), []need{{}})
	if err != nil {
		t.Fatal(err)
	}
	j, err := source.Job("v1", explicit.Name, tasks[0], verify.Default())
	if err != nil {
		t.Fatal(err)
	}
	if err := r.publish(t.Context(), j, j.ID(), false); err != nil {
		t.Fatal(err)
	}
	taken := silent.next(t.Context(), consumers, 0, 1)
	if len(taken) != 1 {
		t.Fatalf("%d jobs", len(taken))
	}
	worker(t, s, "other", "v1")
	found, err := (&Spread{Run: r, Source: source}).Carry(t.Context(), explicit.Name, tasks[0],
		verify.Default(), engine.Sink{})
	if err != nil || found.Results[0].Verdict != result.Holds || r.tally.done["other"] != 1 {
		t.Fatalf("%+v, %v, %v", found, err, r.tally.done)
	}
	// The silent one wakes up, with another result.
	lie := &entry{Job: j.ID(), Run: r.ID, Worker: "silent", Refused: "it is late"}
	lie.Sum = c.sum(lie)
	text, err := json.Marshal(lie)
	if err != nil {
		t.Fatal(err)
	}
	if first, err := c.put(t.Context(), j.ID(), j.ID(), text); first || err != nil {
		t.Errorf("a late result took the place of the first: %v", err)
	}
	if err := taken[0].DoubleAck(t.Context()); err != nil && !errors.Is(err, nats.ErrTimeout) {
		t.Logf("the late acknowledgement: %v", err)
	}
	if n, err := c.Open(t.Context(), r.ID); err != nil || n != 0 {
		t.Errorf("%d jobs are left, %v", n, err)
	}
	again := begin(t, c, "", &notes)
	again.recompute = func() bool { return false }
	if _, err := again.Do(t.Context(), j, engine.Sink{}); err != nil || again.tally.reused != 1 {
		t.Errorf("the first result is not found: %v", err)
	}
	if len(notes) > 0 {
		t.Errorf("notes: %q", notes)
	}
}

// A team has an account of the server. What is in it is unknown to another account, with the same
// names of streams and buckets, and even with the same key.
func TestOtherAccount(t *testing.T) {
	t.Parallel()
	ours, theirs := server.NewAccount("ours"), server.NewAccount("theirs")
	o := &server.Options{Accounts: []*server.Account{ours, theirs}, Users: []*server.User{
		{Username: "we", Password: "our password", Account: ours},
		{Username: "they", Password: "their password", Account: theirs},
	}}
	srv, address := serverWith(t, o)
	for _, a := range []string{"ours", "theirs"} {
		account, err := srv.LookupAccount(a)
		if err == nil {
			err = account.EnableJetStream(nil, nil)
		}
		if err != nil {
			t.Fatal(err)
		}
	}
	team := RandomKey(16)
	we := Server{URL: "nats://we:our%20password@" + address, Team: team}
	they := Server{URL: "nats://they:their%20password@" + address, Team: team}

	stranger := connect(t, they, "v1")
	var heard []string
	var mu sync.Mutex
	if _, err := stranger.nats.Subscribe("erelong.>", func(m *nats.Msg) {
		mu.Lock()
		defer mu.Unlock()
		heard = append(heard, m.Subject)
	}); err != nil {
		t.Fatal(err)
	}
	c := connect(t, we, "v1")
	worker(t, we, "ours", "v1")
	source, tasks := small(t, 3)
	var notes []string
	r := begin(t, c, "", &notes)
	for _, task := range tasks {
		if _, err := (&Spread{Run: r, Source: source}).Carry(t.Context(), explicit.Name, task,
			verify.Default(), engine.Sink{}); err != nil {
			t.Fatal(err)
		}
	}
	j, err := source.Job("v1", explicit.Name, tasks[0], verify.Default())
	if err != nil {
		t.Fatal(err)
	}
	if e, err := c.entryOf(t.Context(), j.ID(), j.ID()); e == nil || err != nil {
		t.Fatalf("the team does not find its own result: %v", err)
	}

	if e, err := stranger.entryOf(t.Context(), j.ID(), j.ID()); e != nil || err != nil {
		t.Errorf("another account reads a result: %+v, %v", e, err)
	}
	if runs, err := stranger.Runs(t.Context()); len(runs) > 0 || err != nil {
		t.Errorf("another account sees runs: %+v, %v", runs, err)
	}
	if workers, err := stranger.Workers(t.Context()); len(workers) > 0 || err != nil {
		t.Errorf("another account sees workers: %+v, %v", workers, err)
	}
	if err := stranger.Cancel(t.Context(), r.ID, "by a stranger"); !errors.Is(err, ErrNoRun) {
		t.Errorf("another account cancels a run: %v", err)
	}
	if err := stranger.nats.Publish(cancelSubject+r.ID, nil); err != nil {
		t.Fatal(err)
	}
	if err := stranger.nats.Flush(); err != nil {
		t.Fatal(err)
	}
	if x, err := c.Record(t.Context(), r.ID); err != nil || x.Ended != "" {
		t.Errorf("the run has ended: %+v, %v", x, err)
	}
	mu.Lock()
	defer mu.Unlock()
	for _, subject := range heard {
		if !strings.HasPrefix(subject, cancelSubject) { // its own
			t.Errorf("another account hears %s", subject)
		}
	}
	// A password of nobody is refused.
	nobody := we
	nobody.URL = "nats://we:their%20password@" + address
	if _, err := Connect(t.Context(), nobody, "v1"); err == nil {
		t.Error("a wrong password is let in")
	}
}

// A server that is a process of its own, of another version than the one inside, serves jobs and
// divided explorations.
func TestSeparateServer(t *testing.T) {
	t.Parallel()
	s := separate(t, "exec nats-server")
	c, r := pair(t, s)
	source, task, want := exploration(t, "lease_without_drift.ere", "drift")
	for _, divide := range []bool{false, true} {
		got, err := (&Spread{Run: r, Source: source, Divide: divide, Every: time.Nanosecond}).Carry(
			t.Context(), explicit.Name, task, verify.Default(), engine.Sink{})
		if err != nil {
			t.Fatal(err)
		}
		same(t, want, got)
	}
	// What was submitted twice is there once, and what was done is found again.
	j, err := source.Job("v1", explicit.Name, task, verify.Default())
	if err != nil {
		t.Fatal(err)
	}
	var notes []string
	again := begin(t, c, "", &notes)
	again.recompute = func() bool { return false }
	if _, err := again.Do(t.Context(), j, engine.Sink{}); err != nil || again.tally.reused != 1 {
		t.Errorf("a result is not found again: %v", err)
	}
	other := connect(t, s, "v2") // nobody takes its jobs
	waits := begin(t, other, "", &notes)
	for range 2 {
		if err := waits.publish(t.Context(), j, j.ID(), false); err != nil {
			t.Fatal(err)
		}
	}
	if n, err := other.Open(t.Context(), waits.ID); err != nil || n != 1 {
		t.Errorf("%d jobs in the queue, %v", n, err)
	}
	if err := other.Cancel(t.Context(), waits.ID, "cancelled by a test"); err != nil {
		t.Fatal(err)
	}
	if n, err := other.Open(t.Context(), waits.ID); err != nil || n != 0 {
		t.Errorf("%d jobs are left, %v", n, err)
	}
}
