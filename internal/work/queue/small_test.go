package queue

import (
	"context"
	"fmt"
	"log/slog"
	"sync"
	"syscall"
	"testing"
	"time"

	"erelong.dev/erelong/internal/engine"
	"erelong.dev/erelong/internal/engine/explicit"
	"erelong.dev/erelong/internal/front"
	"erelong.dev/erelong/internal/front/ere"
	"erelong.dev/erelong/internal/result"
	"erelong.dev/erelong/internal/verify"
	"erelong.dev/erelong/internal/work"
)

// smallText is a system with as many small instances as there are values of N and M.
const smallText = `immutable constant N: int
immutable constant M: int
type phase = 0..3
mutable constant at: phase
init at = 0
action step() { require at < 3; at := at + 1; }
safety [bounded] at <= N + M
`

// carriedOut has one of the tasks of small carried out elsewhere: it holds.
func carriedOut(t testing.TB, spread *Spread, task *engine.Task) {
	t.Helper()
	found, err := spread.Carry(t.Context(), explicit.Name, task, verify.Default(), engine.Sink{})
	if err != nil || len(found.Results) == 0 || found.Results[0].Verdict != result.Holds {
		t.Errorf("%s: %+v, %v", task.Instance.Name, found, err)
	}
}

// small gives n small jobs, all different.
func small(t testing.TB, n int) (*work.Source, []*engine.Task) {
	t.Helper()
	systems, _, err := front.Systems(t.Context(), "small.ere", smallText, front.Options{})
	if err != nil {
		t.Fatal(err)
	}
	sys := systems[0].Spec.System
	claims, err := engine.Claims(sys, nil)
	if err != nil {
		t.Fatal(err)
	}
	var tasks []*engine.Task
	for m := 3; len(tasks) < n; m++ {
		row, err := ere.Instances(sys, fmt.Sprintf("N=0..%d,M=%d", min(n-len(tasks), 1000)-1, m))
		if err != nil {
			t.Fatal(err)
		}
		for _, in := range row {
			tasks = append(tasks, &engine.Task{Method: engine.Explore, System: sys, Instance: in,
				Claims: claims})
		}
	}
	return &work.Source{Name: "small.ere", Text: smallText, Systems: systems}, tasks
}

// cpu is the processor time of this process.
func cpu() time.Duration {
	var u syscall.Rusage
	_ = syscall.Getrusage(syscall.RUSAGE_SELF, &u)
	return time.Duration(u.Utime.Nano() + u.Stime.Nano())
}

// perJob reports the processor time since before for each of n jobs.
func perJob(b *testing.B, before time.Duration) {
	b.ReportMetric(float64((cpu()-before).Microseconds())/float64(b.N), "cpu-us/job")
}

// What a small job costs by itself, and over the queue: the command, the server and two workers are
// one process here.
func BenchmarkSmallJobs(b *testing.B) {
	o := verify.Default()
	o.Explicit.Threads = 1
	b.Run("here", func(b *testing.B) {
		_, tasks := small(b, b.N)
		before := cpu()
		for _, task := range tasks {
			_, err := verify.RunTask(b.Context(), explicit.Name, task, o, engine.Sink{})
			if err != nil {
				b.Fatal(err)
			}
		}
		perJob(b, before)
	})
	b.Run("queue", func(b *testing.B) {
		source, tasks := small(b, b.N)
		l, err := StartServer(b.TempDir())
		if err != nil {
			b.Fatal(err)
		}
		defer func() { _ = l.Close() }()
		c, err := Connect(b.Context(), l.Server, "v1")
		if err != nil {
			b.Fatal(err)
		}
		defer c.Close()
		ctx, cancel := context.WithCancel(b.Context())
		var wg sync.WaitGroup
		defer func() { cancel(); wg.Wait() }()
		for i := range 2 {
			mine, err := Connect(b.Context(), l.Server, "v1")
			if err != nil {
				b.Fatal(err)
			}
			defer mine.Close()
			wg.Go(func() {
				w := &Worker{Name: fmt.Sprintf("w%d", i), Jobs: 1, Log: slog.New(slog.DiscardHandler)}
				if err := w.Work(ctx, mine); err != nil {
					b.Error(err)
				}
			})
		}
		if err := c.Fit(b.Context(), nil, 2, 10*time.Second); err != nil {
			b.Fatal(err)
		}
		r, err := c.Begin(b.Context(), Record{}, false, func(string) {})
		if err != nil {
			b.Fatal(err)
		}
		spread := &Spread{Run: r, Source: source}
		before := cpu()
		b.ResetTimer()
		var all sync.WaitGroup
		for _, task := range tasks {
			all.Go(func() {
				found, err := spread.Carry(b.Context(), explicit.Name, task, o, engine.Sink{})
				if err != nil || len(found.Results) == 0 {
					b.Errorf("%+v, %v", found, err)
				}
			})
		}
		all.Wait()
		b.StopTimer()
		perJob(b, before)
		b.ReportMetric(float64(r.tally.done["w0"]+r.tally.done["w1"]), "done")
		r.End("finished")
	})
}

// Jobs that a worker takes and does not begin go to others, and nobody has begun them in vain.
func TestHandedBack(t *testing.T) {
	s := start(t)
	c := connect(t, s, "v1")
	source, tasks := small(t, 5)
	var notes []string
	r := begin(t, c, "", &notes)
	spread := &Spread{Run: r, Source: source}
	var all sync.WaitGroup
	for _, task := range tasks {
		all.Go(func() { carriedOut(t, spread, task) })
	}
	w := &Worker{conn: c}
	consumers, err := w.consumers(t.Context(), []need{{}})
	if err != nil {
		t.Fatal(err)
	}
	for range deliveries + 1 {
		h := &hand{}
		for len(h.jobs) < len(tasks) {
			h.jobs = append(h.jobs, w.next(t.Context(), consumers, 0, len(tasks))...)
		}
		if h.back(); h.take() != nil {
			t.Error("a job that went back is still here")
		}
	}
	worker(t, s, "w", "v1")
	all.Wait()
	if r.tally.done["w"] != len(tasks) || len(notes) > 0 {
		t.Errorf("%d of %d jobs are done: %q", r.tally.done["w"], len(tasks), notes)
	}
}

// Only small jobs are taken together.
func TestTogether(t *testing.T) {
	for each, want := range map[time.Duration]int{
		0: most, time.Microsecond: most, time.Millisecond: 20, 15 * time.Millisecond: 1,
		time.Hour: 1,
	} {
		if got := together(each); got != want {
			t.Errorf("%v each: %d together", each, got)
		}
	}
}

// An address in a message has no password, and no token.
func TestHidden(t *testing.T) {
	for address, want := range map[string]string{
		"nats://a:secret@h:4222,nats://h2": "nats://xxxxx@h:4222,nats://h2",
		"nats://secret@h:4222":             "nats://xxxxx@h:4222",
	} {
		if got := hidden(address); got != want {
			t.Errorf("%s: %s", address, got)
		}
	}
}
