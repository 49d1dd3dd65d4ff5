package queue

import (
	"bytes"
	"context"
	"fmt"
	"os"
	"path/filepath"
	"runtime/debug"
	"strconv"
	"time"
)

// Limits are what a worker gives each job at most; 0 stands for no limit. A job beyond a limit is
// given up for its run, and no other worker gets it: a run that needs larger limits says so by
// tags.
type Limits struct {
	Time   time.Duration
	Memory int64 // bytes of the worker and its solvers, for each of the jobs at the same time
}

// beyondError says that a job has passed a limit.
type beyondError struct{ text string }

func (e *beyondError) Error() string { return e.text }

func (w *Worker) beyond(format string, args ...any) error {
	return &beyondError{fmt.Sprintf("the worker %s ended it: ", w.Name) +
		fmt.Sprintf(format, args...)}
}

// bound ends a job when its time is over. The caller calls stop.
func (w *Worker) bound(cancel context.CancelCauseFunc) (stop func()) {
	if w.Limits.Time <= 0 {
		return func() {}
	}
	t := time.AfterFunc(w.Limits.Time, func() {
		cancel(w.beyond("it took more than %s, the --job-timeout there", w.Limits.Time))
	})
	return func() { t.Stop() }
}

// watched is how often a worker looks how much memory it has.
const watched = 200 * time.Millisecond

// watchMemory ends jobs while this process and its solvers have too much memory, until ctx ends.
// What belongs to which job is not known, so it ends the oldest one.
func (w *Worker) watchMemory(ctx context.Context) {
	if w.Limits.Memory <= 0 {
		return
	}
	most := w.Limits.Memory * int64(w.Jobs)
	tick := time.NewTicker(watched)
	defer tick.Stop()
	for ctx.Err() == nil {
		if held() > most {
			debug.FreeOSMemory() // garbage is not the job's
			if has := held(); has > most {
				w.endOldest(ctx, has)
			}
		}
		select {
		case <-tick.C:
		case <-ctx.Done():
		}
	}
}

// endOldest ends the job that was begun first, and waits until it has ended.
func (w *Worker) endOldest(ctx context.Context, has int64) {
	var oldest *activity
	w.mu.Lock()
	for _, a := range w.active {
		if oldest == nil || a.since.Before(oldest.since) {
			oldest = a
		}
	}
	w.mu.Unlock()
	if oldest == nil {
		return
	}
	text := fmt.Sprintf("with its solvers it had %d MB, and --job-memory is %d MB there", has/1e6,
		w.Limits.Memory/1e6)
	if w.Jobs > 1 {
		text += fmt.Sprintf(" for each of %d jobs at the same time; this one was the oldest",
			w.Jobs)
	}
	oldest.cancel(w.beyond("%s", text))
	select {
	case <-oldest.over:
		debug.FreeOSMemory()
	case <-ctx.Done():
	}
}

// held is the memory of this process and of the solvers that it started, in bytes. Where there is
// no /proc, it is the memory of this process that Go knows of.
func held() int64 {
	own, ok := private("self")
	if !ok {
		return memoryInUse()
	}
	stats, err := filepath.Glob("/proc/[0-9]*/stat")
	if err != nil {
		return own
	}
	parent := []byte(strconv.Itoa(os.Getpid()))
	for _, name := range stats {
		text, err := os.ReadFile(name)
		if err != nil {
			continue // it has ended
		}
		// Behind the name of the program, which may have any character: the state, the parent.
		fields := bytes.Fields(text[bytes.LastIndexByte(text, ')')+1:])
		if len(fields) > 1 && bytes.Equal(fields[1], parent) {
			n, _ := private(filepath.Base(filepath.Dir(name)))
			own += n
		}
	}
	return own
}

// private is the memory that a process shares with no other one, nor with a file.
func private(process string) (int64, bool) {
	text, err := os.ReadFile("/proc/" + process + "/statm")
	if err != nil {
		return 0, false
	}
	fields := bytes.Fields(text) // pages: all, resident, of these shared, ...
	if len(fields) < 3 {
		return 0, false
	}
	resident, err1 := strconv.ParseInt(string(fields[1]), 10, 64)
	shared, err2 := strconv.ParseInt(string(fields[2]), 10, 64)
	return (resident - shared) * int64(os.Getpagesize()), err1 == nil && err2 == nil
}
