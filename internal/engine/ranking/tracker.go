package ranking

import (
	"cmp"
	"fmt"
	"sync"

	"erelong.dev/erelong/internal/engine"
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
