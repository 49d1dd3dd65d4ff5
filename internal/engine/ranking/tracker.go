package ranking

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"sync"
	"time"

	"erelong.dev/erelong/internal/effort"
	"erelong.dev/erelong/internal/engine"
	"erelong.dev/erelong/internal/result"
)

// tracker follows the search for the ranking of one property: its stage, and the obligation that is
// asked about. What is asked depends on the answers so far, so the number of obligations is not
// known beforehand, and the tracker counts them. Nil tracks nothing.
type tracker struct {
	to       engine.Sink
	property string

	mu         sync.Mutex
	stage      string
	obligation string
	asked      int64
}

// enter begins a stage, and gives the one before.
func (t *tracker) enter(stage string) (before string) {
	if t == nil {
		return ""
	}
	t.mu.Lock()
	defer t.mu.Unlock()
	before, t.stage = t.stage, stage
	t.tell()
	return before
}

// begin counts an obligation. Several goroutines may call it.
func (t *tracker) begin(name string) {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.obligation = name
	t.asked++
	t.tell()
}

func (t *tracker) tell() {
	t.to.Tell(engine.Progress{Subtask: "liveness", Unit: "obligations", Done: t.asked,
		Text: "proving liveness of " + t.property + ": " + t.at()})
}

// at says where the search is.
func (t *tracker) at() string {
	text := cmp.Or(t.stage, "search for functions")
	if t.asked > 0 {
		text += fmt.Sprintf(", obligation %d, %s", t.asked, t.obligation)
	}
	return text
}

// stopwatch keeps the stages of a search, with the time that each has taken so far.
type stopwatch struct {
	all   []result.Stage
	track *tracker
}

// during adds the time until the returned function is called to a stage.
func (s *stopwatch) during(
	ctx context.Context, stage string,
) (within context.Context, done func()) {
	within, ended := effort.Begin(ctx, stage)
	began, before := time.Now(), s.track.enter(stage)
	return within, func() {
		ended()
		s.track.enter(before)
		i := slices.IndexFunc(s.all, func(x result.Stage) bool { return x.Name == stage })
		if i < 0 {
			i, s.all = len(s.all), append(s.all, result.Stage{Name: stage})
		}
		s.all[i].Elapsed += time.Since(began)
	}
}
