package engine

import (
	"fmt"
	"sync"
	"time"

	"erelong.dev/erelong/internal/result"
)

// Sink receives the events of a task. Either function may be nil. An engine may call them from
// several goroutines, one at a time.
type Sink struct {
	Progress func(Progress)
	Note     func(string) // information for the user beside the results
}

// Progress is the progress of a part of a task.
type Progress struct {
	Subtask  string // such as the name of an instance
	Text     string // a line
	Finished bool   // the part is over, so the line is worth keeping
	Unit     string // the unit of the count; empty without one
	Done     int64
	Total    int64  // 0 if unknown
	Violated string // a property of which a violation was found
}

// Ticker says when to report the progress of a search, which is not more often than people read.
type Ticker struct{ last time.Time }

// Due reports whether the last report is long ago, and takes it that there is one now.
func (t *Ticker) Due() bool {
	now := time.Now()
	due := now.Sub(t.last) >= 250*time.Millisecond
	if due {
		t.last = now
	}
	return due
}

// Tell passes progress on.
func (s Sink) Tell(p Progress) {
	if s.Progress != nil {
		s.Progress(p)
	}
}

// Once passes on the same finished part only once: a search that begins again finds again what it
// has told.
func (s Sink) Once() Sink {
	if s.Progress == nil {
		return s
	}
	tell, told := s.Progress, map[Progress]bool{}
	s.Progress = func(p Progress) {
		if p.Finished {
			if told[p] {
				return
			}
			told[p] = true
		}
		tell(p)
	}
	return s
}

// Violation is the progress that a violation was found, in a run of some states. The run itself
// comes with the results.
func Violation(property, instance string, states int64) Progress {
	in := "in some instance"
	if instance != result.ScopeAll {
		in = "in " + instance
	}
	return Progress{Subtask: instance + " violation of " + property, Finished: true,
		Violated: property,
		Text: fmt.Sprintf("%s is violated %s, in a run of %s", property, in,
			Counted(int(states), "state", "states"))}
}

// Obligations turns the progress of proof obligations into the progress of a part: the number of
// finished ones, and the current one.
func (s Sink) Obligations(
	part, doing string,
) (begin func(name string), progress func(done, total int, o result.Obligation)) {
	if s.Progress == nil {
		return nil, nil
	}
	var mu sync.Mutex
	finished, of, last := 0, 0, ""
	tell := func() {
		text := doing
		if of > 0 {
			text += fmt.Sprintf(": %d of %d obligations", finished, of)
		}
		if last != "" {
			text += ", now " + last
		}
		s.Tell(Progress{Subtask: part, Unit: "obligations", Done: int64(finished), Total: int64(of),
			Text: text})
	}
	begin = func(name string) {
		mu.Lock()
		defer mu.Unlock()
		last = name
		tell()
	}
	progress = func(done, total int, _ result.Obligation) {
		mu.Lock()
		defer mu.Unlock()
		finished, of = done, total
		tell()
	}
	return begin, progress
}

// Counted writes a number with its noun.
func Counted(n int, one, many string) string {
	if n == 1 {
		return "1 " + one
	}
	return fmt.Sprintf("%d %s", n, many)
}
