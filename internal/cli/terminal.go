package cli

import (
	"io"
	"os"

	"golang.org/x/term"
)

// terminal gives the terminal behind a stream, or false.
func terminal(w io.Writer) (*os.File, bool) {
	f, ok := w.(*os.File)
	return f, ok && term.IsTerminal(int(f.Fd()))
}

// color reports whether output may be coloured: it goes to a terminal, NO_COLOR (no-color.org) is
// not set, and the terminal is not a dumb one.
func (s *streams) color() bool {
	_, tty := terminal(s.out)
	return tty && os.Getenv("NO_COLOR") == "" && os.Getenv("TERM") != "dumb"
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
