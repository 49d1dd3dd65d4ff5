package cli

import (
	"bytes"
	"strings"
	"testing"
	"time"

	"erelong.dev/erelong/internal/engine"
)

func TestPace(t *testing.T) {
	for _, c := range []struct {
		e                  engine.Progress
		part, since, whole time.Duration
		want               string
	}{
		{engine.Progress{}, time.Second, 0, 3 * time.Second, "; 3s"},
		// too early for a rate
		{engine.Progress{Unit: "states", Done: 100}, time.Second, 0, time.Second, "; 1s"},
		{engine.Progress{Unit: "states", Done: 74_000}, 2 * time.Second, 0, 5 * time.Second, "; 37000 states/s; 5s"},
		{engine.Progress{Unit: "obligations", Done: 10, Total: 40}, 20 * time.Second, 0, time.Minute, "; 0.5 obligations/s; about 1m0s left; 1m0s"},
		// 2 in 20 seconds: another 2 are expected 20 seconds after the count, and not yet overdue
		{engine.Progress{Unit: "searches", Done: 2, Total: 4}, 35 * time.Second, 15 * time.Second,
			time.Minute, "; about 5s left; 1m0s"},
		{engine.Progress{Unit: "searches", Done: 2, Total: 4}, 45 * time.Second, 25 * time.Second,
			time.Minute, "; about 45s left; 1m0s"},
		{engine.Progress{Unit: "obligations", Done: 40, Total: 40}, 20 * time.Second, 0,
			20 * time.Second, "; 2.0 obligations/s; 20s"},
		{engine.Progress{Unit: "obligations", Done: 0, Total: 40}, 20 * time.Second, 0,
			20 * time.Second, "; 20s"},
	} {
		if got := pace(c.e, c.part, c.since, c.whole); got != c.want {
			t.Errorf("%+v after %s: %q, want %q", c.e, c.part, got, c.want)
		}
	}
}

// A row of a terminal ends with the pace, however long the text is.
func TestOneRow(t *testing.T) {
	for _, c := range []struct{ text, pace, want string }{
		{"exploring a", "; 3s", "exploring a; 3s"},
		{"exploring an instance", "; 3s", "exploring an i…; 3s"},
		{"exploring", "; 37000 states/s; 5s", "exploring; 37000 st"},
	} {
		if got := oneRow(c.text, c.pace, 20); got != c.want || len([]rune(got)) >= 20 {
			t.Errorf("%q, want %q", got, c.want)
		}
	}
}

// Without a terminal, and on a dumb one, there are lines without control characters.
func TestMeterWithoutTerminal(t *testing.T) {
	var out bytes.Buffer
	m := newMeter(&streams{in: nil, out: nil, err: &out})
	m.last = m.last.Add(-plainPeriod)
	m.event(engine.Progress{Subtask: "a", Text: "exploring a"})
	m.event(engine.Progress{Subtask: "a", Text: "exploring a still"}) // too soon
	m.event(engine.Progress{Subtask: "a", Text: "explored a", Finished: true})
	m.done()
	if got := out.String(); strings.ContainsAny(got, "\r\x1b") ||
		!strings.HasPrefix(got, "exploring a; ") || !strings.HasSuffix(got, "\nexplored a\n") ||
		strings.Contains(got, "still") {
		t.Errorf("%q", got)
	}
}
