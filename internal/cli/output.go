package cli

import (
	"fmt"
	"io"
	"os"
	"sync"
	"time"

	"golang.org/x/term"

	"erelong/internal/verify"
)

// terminal gives the terminal behind a stream, or false.
func terminal(w io.Writer) (*os.File, bool) {
	f, ok := w.(*os.File)
	return f, ok && term.IsTerminal(int(f.Fd()))
}

// color reports whether output may be coloured: it goes to a terminal, and NO_COLOR (no-color.org) is not set.
func (s *streams) color() bool {
	_, tty := terminal(s.out)
	return tty && os.Getenv("NO_COLOR") == ""
}

// width is the number of columns of the terminal, 0 when there is none.
func (s *streams) width() int {
	f, tty := terminal(s.out)
	if !tty {
		return 0
	}
	w, _, err := term.GetSize(int(f.Fd()))
	if err != nil {
		return 0
	}
	return w
}

// meter shows progress on the error stream: on a terminal one line that changes, elsewhere a line for each finished part,
// and one now and then for a part that takes long.
type meter struct {
	w     io.Writer
	tty   bool
	mu    sync.Mutex
	shown bool
	last  time.Time
}

const (
	terminalPeriod = 100 * time.Millisecond
	plainPeriod    = 10 * time.Second
)

func newMeter(s *streams) *meter {
	_, tty := terminal(s.err)
	return &meter{w: s.err, tty: tty, last: time.Now()}
}

func (m *meter) event(e verify.Event) {
	m.mu.Lock()
	defer m.mu.Unlock()
	period := plainPeriod
	if m.tty {
		period = terminalPeriod
	}
	if !e.Done && time.Since(m.last) < period {
		return
	}
	m.last = time.Now()
	m.clear()
	if m.tty && !e.Done {
		text := e.Text
		if len(text) > 100 {
			text = text[:100]
		}
		fmt.Fprint(m.w, text)
		m.shown = true
		return
	}
	fmt.Fprintln(m.w, e.Text)
}

// clear removes the line on a terminal.
func (m *meter) clear() {
	if m.shown {
		fmt.Fprint(m.w, "\r\x1b[K")
		m.shown = false
	}
}

func (m *meter) done() {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.clear()
}
