package cli

import (
	"fmt"
	"io"
	"os"
	"sync"
	"time"

	"golang.org/x/term"

	"erelong.dev/erelong/internal/engine"
)

// meter shows progress on the error stream. On a terminal it is one line that changes; elsewhere it
// is a line for each finished part, and sometimes one for a part that takes long. Beside the
// engine's text it shows the time, the rate, and, where the total is known, the remaining time at
// this rate.
type meter struct {
	w      io.Writer
	file   *os.File // the terminal, nil if there is none
	period time.Duration

	mu      sync.Mutex
	shown   bool
	last    time.Time // when a line was written
	pending *engine.Progress
	started map[string]time.Time // the parts
	counted time.Time            // when the count of the pending event was reached
	begin   time.Time
	stop    chan struct{}
	stopped sync.WaitGroup
}

const (
	terminalPeriod = 100 * time.Millisecond
	plainPeriod    = 10 * time.Second
	plainWidth     = 160             // an obligation may name dozens of actions
	rateAfter      = 2 * time.Second // an earlier rate means little
)

func newMeter(s *streams) *meter {
	now := time.Now()
	m := &meter{w: s.err, period: plainPeriod, last: now, begin: now,
		started: map[string]time.Time{}, stop: make(chan struct{})}
	if f, tty := terminal(s.err); tty && os.Getenv("TERM") != "dumb" {
		m.file, m.period = f, terminalPeriod
	}
	m.stopped.Go(m.tick)
	return m
}

// tick repeats the last event while an engine is silent, with the time so far.
func (m *meter) tick() {
	every := time.NewTicker(max(m.period, time.Second))
	defer every.Stop()
	for {
		select {
		case <-m.stop:
			return
		case <-every.C:
			m.mu.Lock()
			if m.pending != nil && time.Since(m.last) >= m.period {
				m.show(*m.pending)
			}
			m.mu.Unlock()
		}
	}
}

func (m *meter) event(e engine.Progress) {
	m.mu.Lock()
	defer m.mu.Unlock()
	if m.started[e.Subtask].IsZero() {
		m.started[e.Subtask] = time.Now()
	}
	switch {
	case e.Finished:
		m.pending = nil
		delete(m.started, e.Subtask)
	default:
		if m.pending == nil || m.pending.Subtask != e.Subtask || m.pending.Done != e.Done {
			m.counted = time.Now()
		}
		m.pending = &e
		if time.Since(m.last) < m.period {
			return
		}
	}
	m.show(e)
}

func (m *meter) show(e engine.Progress) {
	now := time.Now()
	m.last = now
	m.clear()
	if e.Finished {
		fmt.Fprintln(m.w, e.Text)
		return
	}
	speed := pace(e, now.Sub(m.started[e.Subtask]), now.Sub(m.counted), now.Sub(m.begin))
	if m.file == nil {
		fmt.Fprintln(m.w, oneRow(e.Text, speed, plainWidth))
		return
	}
	width, _, err := term.GetSize(int(m.file.Fd()))
	if err != nil || width < 20 {
		width = 80
	}
	fmt.Fprint(m.w, oneRow(e.Text, speed, width))
	m.shown = true
}

// oneRow is a text with its pace in one row: on a terminal, a wrapped line could not be erased. The
// pace comes last, so the text before it is shortened.
func oneRow(text, pace string, width int) string {
	t, p := []rune(text), []rune(pace)
	if len(t)+len(p) < width {
		return text + pace
	}
	if room := width - 2 - len(p); room > 0 {
		return string(t[:room]) + "…" + pace
	}
	return string(append(t, p...)[:width-1])
}

// pace describes the rate of a part after some time, the time of the whole run, and the remaining
// time. Since is the time since the count was reached, and at most that of the part.
func pace(e engine.Progress, part, since, whole time.Duration) (text string) {
	seconds := part.Seconds()
	if e.Unit != "" && part >= rateAfter && e.Done > 0 {
		rate := float64(e.Done) / seconds
		switch {
		case rate >= 10:
			text += fmt.Sprintf("; %.0f %s/s", rate, e.Unit)
		case rate >= 0.1:
			text += fmt.Sprintf("; %.1f %s/s", rate, e.Unit)
		}
		if e.Total > e.Done {
			n := float64(e.Total - e.Done)
			left := time.Duration(n / rate * float64(time.Second))
			// Between two counts the estimate goes down until it is seen to be too low.
			each := float64(part-since) / float64(e.Done)
			if steady := time.Duration(n*each) - since; steady > 0 {
				left = steady
			}
			text += "; about " + rounded(left) + " left"
		}
	}
	return text + "; " + rounded(whole)
}

// rounded is a time in whole seconds.
func rounded(d time.Duration) string { return d.Round(time.Second).String() }

// clear removes the line on a terminal.
func (m *meter) clear() {
	if m.shown {
		fmt.Fprint(m.w, "\r\x1b[K")
		m.shown = false
	}
}

// done ends the progress. It may be called only once.
func (m *meter) done() {
	close(m.stop)
	m.stopped.Wait()
	m.mu.Lock()
	defer m.mu.Unlock()
	m.clear()
}
