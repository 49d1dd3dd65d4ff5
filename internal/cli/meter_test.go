package cli

import (
	"bytes"
	"strings"
	"testing"
	"time"

	"erelong/internal/verify"
)

func TestPace(t *testing.T) {
	for _, c := range []struct {
		e           verify.Event
		part, whole time.Duration
		want        string
	}{
		{verify.Event{}, time.Second, 3 * time.Second, "; 3s"},
		{verify.Event{Unit: "states", Count: 100}, time.Second, time.Second, "; 1s"}, // too early for a rate
		{verify.Event{Unit: "states", Count: 74_000}, 2 * time.Second, 5 * time.Second, "; 37000 states/s; 5s"},
		{verify.Event{Unit: "obligations", Count: 10, Total: 40}, 20 * time.Second, time.Minute, "; 0.5 obligations/s; about 1m0s left; 1m0s"},
		{verify.Event{Unit: "obligations", Count: 40, Total: 40}, 20 * time.Second, 20 * time.Second, "; 2.0 obligations/s; 20s"},
		{verify.Event{Unit: "obligations", Count: 0, Total: 40}, 20 * time.Second, 20 * time.Second, "; 20s"},
	} {
		if got := pace(c.e, c.part, c.whole); got != c.want {
			t.Errorf("%+v after %s: %q, want %q", c.e, c.part, got, c.want)
		}
	}
}

// Where there is no terminal, and on a dumb one, there are lines and no control characters.
func TestMeterWithoutTerminal(t *testing.T) {
	var out bytes.Buffer
	m := newMeter(&streams{nil, nil, &out})
	m.last = m.last.Add(-plainPeriod)
	m.event(verify.Event{Part: "a", Text: "exploring a"})
	m.event(verify.Event{Part: "a", Text: "exploring a still"}) // too soon
	m.event(verify.Event{Part: "a", Text: "explored a", Done: true})
	m.done()
	if got := out.String(); strings.ContainsAny(got, "\r\x1b") || !strings.HasPrefix(got, "exploring a; ") || !strings.HasSuffix(got, "\nexplored a\n") ||
		strings.Contains(got, "still") {
		t.Errorf("%q", got)
	}
}
