package queue

import (
	"fmt"
	"strings"
	"sync"

	"erelong.dev/erelong/internal/engine"
)

// tally counts who did the work of a run.
type tally struct {
	mu      sync.Mutex
	done    map[string]int // jobs by worker
	reused  int            // results of other runs
	divided int            // explorations
	shared  int            // the most workers that divided one
}

// count counts a result.
func (t *tally) count(worker string, own bool) {
	t.mu.Lock()
	defer t.mu.Unlock()
	switch {
	case !own:
		t.reused++
	case t.done == nil:
		t.done = map[string]int{worker: 1}
	default:
		t.done[worker]++
	}
}

// safe says how many results of workers are here.
func (t *tally) safe() string {
	t.mu.Lock()
	defer t.mu.Unlock()
	n := t.reused
	for _, k := range t.done {
		n += k
	}
	if n == 1 {
		return "1 result is"
	}
	return fmt.Sprintf("%d results are", n)
}

// divide counts an exploration that some workers divided among them.
func (t *tally) divide(workers int) {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.divided, t.shared = t.divided+1, max(t.shared, workers)
}

// summary says in a line who did the work.
func (t *tally) summary() string {
	t.mu.Lock()
	defer t.mu.Unlock()
	n := 0
	for _, k := range t.done {
		n += k
	}
	var parts []string
	if n > 0 || t.divided == 0 {
		parts = append(parts, fmt.Sprintf("%s by %s", engine.Counted(n, "job", "jobs"),
			engine.Counted(len(t.done), "worker", "workers")))
	}
	if t.divided > 0 {
		parts = append(parts, fmt.Sprintf("%s divided among %s",
			engine.Counted(t.divided, "exploration", "explorations"),
			engine.Counted(t.shared, "worker", "workers")))
	}
	text := strings.Join(parts, ", ")
	if t.reused > 0 {
		text += fmt.Sprintf(", and %s of earlier runs",
			engine.Counted(t.reused, "result", "results"))
	}
	return text
}
