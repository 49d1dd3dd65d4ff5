package queue

import (
	"context"
	"log/slog"
	"os"
	"os/exec"
	"runtime/debug"
	"strings"
	"sync"
	"testing"
	"time"

	"erelong.dev/erelong/internal/engine"
	"erelong.dev/erelong/internal/engine/explicit"
	"erelong.dev/erelong/internal/front/ere"
	"erelong.dev/erelong/internal/verify"
	"erelong.dev/erelong/internal/work"
)

// limited starts a worker with limits, and gives a run with an exploration that takes minutes.
func limited(t *testing.T, l Limits) (*Conn, *Run, *engine.Task, *work.Source) {
	t.Helper()
	s := start(t)
	s.Silence = time.Second
	here := connect(t, s, "v1")
	ctx, cancel := context.WithCancel(t.Context())
	var wg sync.WaitGroup
	wg.Go(func() {
		w := &Worker{Name: "w", Jobs: 1, Limits: l, Log: slog.New(slog.DiscardHandler)}
		if err := w.Work(ctx, here); err != nil {
			t.Error(err)
		}
	})
	t.Cleanup(func() { cancel(); wg.Wait() })
	c := connect(t, s, "v1")
	if err := c.Fit(t.Context(), nil, 1, 10*time.Second); err != nil {
		t.Fatal(err)
	}
	_, task, source := job(t, "v1")
	large, err := ere.Instances(task.System, "Delta=40,Phi=40")
	if err != nil {
		t.Fatal(err)
	}
	task.Instance = large[0]
	r := beginQuiet(t, c)
	return c, r, task, source
}

// A job beyond a limit of its worker is given up by name, alone or as a part of a divided
// exploration, and nobody gets it again. The worker goes on.
func TestLimits(t *testing.T) {
	for _, x := range []struct {
		limits Limits
		divide bool
		want   string
	}{
		{Limits{Time: time.Second}, false, "more than 1s, the --job-timeout"},
		{Limits{Time: time.Second}, true, "more than 1s, the --job-timeout"},
		{Limits{Memory: 1}, false, "--job-memory is 0 MB"},
	} {
		t.Run(x.want, func(t *testing.T) {
			t.Parallel()
			c, r, task, source := limited(t, x.limits)
			spread := &Spread{Run: r, Source: source, Divide: x.divide}
			_, err := spread.Carry(t.Context(), explicit.Name, task, verify.Default(),
				engine.Sink{})
			if err == nil || !strings.Contains(err.Error(), x.want) ||
				!strings.Contains(err.Error(), "the worker w ended it") {
				t.Fatalf("the job ends with %v", err)
			}
			emptied(t, c, r.ID)
			if x.limits.Time == 0 {
				return
			}
			small, _, _ := job(t, "v1")
			if _, err := r.Do(t.Context(), small, engine.Sink{}); err != nil {
				t.Errorf("the next job: %v", err)
			}
		})
	}
}

// The memory of a worker has the one of its solvers with it.
func TestHeld(t *testing.T) {
	if _, ok := private("self"); !ok {
		t.Skip("there is no /proc")
	}
	debug.FreeOSMemory() // so that memory of earlier tests is not returned meanwhile
	before := held()
	// 64 MB in a variable of the shell
	cmd := exec.CommandContext(t.Context(), "sh", "-c",
		"x=$(head -c 64000000 /dev/zero | tr '\\0' x); echo; read y")
	cmd.Stderr = os.Stderr
	in, err := cmd.StdinPipe()
	if err != nil {
		t.Fatal(err)
	}
	out, err := cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	if _, err := out.Read(make([]byte, 1)); err != nil {
		t.Fatal(err)
	}
	if grown := held() - before; grown < 60e6 {
		t.Errorf("a process with 64 MB adds %d bytes", grown)
	}
	_ = in.Close()
	_ = cmd.Wait()
}
