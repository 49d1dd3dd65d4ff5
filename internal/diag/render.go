package diag

import (
	"fmt"
	"io"
	"strings"
)

// Render prints the diagnostics for a person: the one-line form, the source line with the span
// underlined, the notes in the same form, and the fix. With color it uses ANSI escapes. Of very
// many diagnostics only the first are shown.
func (l *List) Render(w io.Writer, color bool) error {
	var b strings.Builder
	const most = 100
	for i, d := range l.All {
		if i == most {
			fmt.Fprintf(&b, "... and %d more\n", len(l.All)-most)
			break
		}
		head := d.Error()
		if color {
			head = "\x1b[1m" +
				strings.Replace(head, "error "+string(d.Code),
					"\x1b[31merror "+string(d.Code)+"\x1b[39m", 1) + "\x1b[0m"
		}
		fmt.Fprintln(&b, head)
		snippet(&b, d.Span, '^')
		for _, n := range d.Notes {
			if n.Span.IsZero() {
				fmt.Fprintf(&b, "  because %s\n", n.Message)
				continue
			}
			fmt.Fprintf(&b, "  because %s: %s\n", n.Span, n.Message)
			snippet(&b, n.Span, '-')
		}
		if d.Fix != "" {
			fmt.Fprintf(&b, "  fix: %s\n", d.Fix)
		}
	}
	_, err := io.WriteString(w, b.String())
	return err
}

const snippetWidth = 160

// snippet prints the first line of a span and underlines the part that lies on it. Long lines are
// cut around the span.
func snippet(b *strings.Builder, s Span, mark byte) {
	if s.Source == nil || s.Source.Text == "" {
		return
	}
	lineNo, column := s.Source.Position(s.Start)
	line := []rune(s.Source.Line(lineNo))
	start := min(column-1, len(line))
	length := len([]rune(strings.SplitN(s.Text(), "\n", 2)[0]))
	length = max(1, min(length, len(line)-start))
	from := 0
	if start > snippetWidth/2 {
		from = start - snippetWidth/4
	}
	to := min(len(line), from+snippetWidth)
	length = min(length, max(1, to-start))
	shown := make([]rune, 0, to-from)
	pad := make([]rune, 0, start-from)
	for i := from; i < to; i++ {
		r := line[i]
		if r < ' ' && r != '\t' {
			r = '?'
		}
		shown = append(shown, r)
		if i < start {
			if r != '\t' {
				r = ' '
			}
			pad = append(pad, r)
		}
	}
	gutter := fmt.Sprintf("%5d", lineNo)
	fmt.Fprintf(b, "%s | %s\n", gutter, string(shown))
	fmt.Fprintf(b, "%s | %s%s\n", strings.Repeat(" ", len(gutter)), string(pad),
		strings.Repeat(string(mark), length))
}
