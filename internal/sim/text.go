package sim

import (
	"fmt"
	"slices"
	"strconv"
	"strings"
	"unicode/utf8"

	"erelong.dev/erelong/internal/interp"
	"erelong.dev/erelong/internal/report"
	"erelong.dev/erelong/internal/result"
)

// longest is the number of characters shown of a value.
const longest = 400

// shownChanges is the number of changes that a list shows for a step.
const shownChanges = 3

// ANSI codes (SGR).
const (
	bold = "1"
	dim  = "2"
	red  = "31"
)

func (s *Session) paint(style, text string) string {
	if !s.o.View.Color || text == "" {
		return text
	}
	return "\x1b[" + style + "m" + text + "\x1b[0m"
}

func (s *Session) printf(format string, args ...any) { fmt.Fprintf(&s.out, format, args...) }

// shorten cuts a long text.
func shorten(text string) string { return cut(text, longest) }

func cut(text string, n int) string {
	if n <= 0 || utf8.RuneCountInString(text) <= n {
		return text
	}
	return string([]rune(text)[:n-1]) + "…"
}

func plural(n int, one, many string) string {
	if n == 1 {
		return "1 " + one
	}
	return strconv.Itoa(n) + " " + many
}

// visible gives the bindings that are not hidden.
func (s *Session) visible(bindings []result.Binding) []result.Binding {
	return slices.DeleteFunc(slices.Clone(bindings), func(b result.Binding) bool {
		return slices.Contains(s.o.View.Hide, b.Name)
	})
}

// variables are the visible values of the mutable symbols.
func (s *Session) variables(state interp.State) []result.Binding {
	return s.visible(s.model.Bindings(state, true))
}

// everything are the visible values of all symbols.
func (s *Session) everything(state interp.State) []result.Binding {
	return append(s.visible(s.model.Bindings(state, false)), s.variables(state)...)
}

// printBindings shows values, a line each. A value that differs from the value before, if there is
// one, has a star.
func (s *Session) printBindings(bindings, before []result.Binding) {
	for i, b := range bindings {
		mark := " "
		if i < len(before) && !before[i].Value.Equal(b.Value) {
			mark = "*"
		}
		s.printf("%s %s = %s\n", mark, b.Name, shorten(b.Value.String()))
	}
}

// printChanges shows where two states differ, a line each.
func (s *Session) printChanges(before, after []result.Binding) {
	changes := report.Changes(before, after)
	for _, c := range changes {
		s.printf("  %s\n", shorten(c.String()))
	}
	if len(changes) == 0 {
		s.printf("  %s\n", s.paint(dim, "(nothing changes)"))
	}
}

// inShort gives the changes between two states on one line.
func inShort(before, after []result.Binding) string {
	var parts []string
	changes := report.Changes(before, after)
	for i, c := range changes {
		if i == shownChanges {
			parts = append(parts, fmt.Sprintf("+%d more", len(changes)-i))
			break
		}
		parts = append(parts, shorten(c.String()))
	}
	if len(parts) == 0 {
		return "(nothing changes)"
	}
	return strings.Join(parts, ", ")
}

// row is a line of a list: a mark, a name, and a remark.
type row struct{ mark, name, remark string }

// layOut puts rows below each other, on lines that fit the terminal.
func (s *Session) layOut(rows []row) []string {
	const widest = 50
	width := 0
	for _, r := range rows {
		width = max(width, min(utf8.RuneCountInString(r.name), widest))
	}
	lines := make([]string, len(rows))
	for i, r := range rows {
		lines[i] = cut(strings.TrimRight(fmt.Sprintf("%4s  %-*s  %s", r.mark, width, r.name,
			r.remark), " "), s.o.View.Width)
	}
	return lines
}

// page shows the first lines of a list, and keeps the others for the command more.
func (s *Session) page(lines []string) {
	n := min(len(lines), s.o.Page)
	for _, l := range lines[:n] {
		s.printf("%s\n", l)
	}
	s.rest = lines[n:]
	if len(s.rest) > 0 {
		s.printf("%s\n",
			s.paint(dim,
				plural(len(s.rest), "further line", "further lines")+": `more` shows them"))
	}
}
