package sim

import (
	"fmt"
	"strconv"
	"strings"
	"unicode/utf8"

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

// printer collects the output of a command.
type printer struct {
	view report.Options
	most int // lines of a list that are shown at once
	out  strings.Builder
	rest []string // lines for the command more
}

func (p *printer) paint(style, text string) string {
	if !p.view.Color || text == "" {
		return text
	}
	return "\x1b[" + style + "m" + text + "\x1b[0m"
}

func (p *printer) printf(format string, args ...any) { fmt.Fprintf(&p.out, format, args...) }

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

// printBindings shows values, a line each. A value that differs from the value before, if there is
// one, has a star.
func (p *printer) printBindings(bindings, before []result.Binding) {
	for i, b := range bindings {
		mark := " "
		if i < len(before) && !before[i].Value.Equal(b.Value) {
			mark = "*"
		}
		p.printf("%s %s = %s\n", mark, b.Name, shorten(b.Value.String()))
	}
}

// printChanges shows where two states differ, a line each.
func (p *printer) printChanges(before, after []result.Binding) {
	changes := report.Changes(before, after)
	for _, c := range changes {
		p.printf("  %s\n", shorten(c.String()))
	}
	if len(changes) == 0 {
		p.printf("  %s\n", p.paint(dim, "(nothing changes)"))
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
func (p *printer) layOut(rows []row) []string {
	const widest = 50
	width := 0
	for _, r := range rows {
		width = max(width, min(utf8.RuneCountInString(r.name), widest))
	}
	lines := make([]string, len(rows))
	for i, r := range rows {
		lines[i] = cut(strings.TrimRight(fmt.Sprintf("%4s  %-*s  %s", r.mark, width, r.name,
			r.remark), " "), p.view.Width)
	}
	return lines
}

// page shows the first lines of a list, and keeps the others for the command more.
func (p *printer) page(lines []string) {
	n := min(len(lines), p.most)
	for _, l := range lines[:n] {
		p.printf("%s\n", l)
	}
	p.rest = lines[n:]
	if len(p.rest) > 0 {
		p.printf("%s\n",
			p.paint(dim,
				plural(len(p.rest), "further line", "further lines")+": `more` shows them"))
	}
}
