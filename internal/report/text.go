package report

import (
	"fmt"
	"io"
	"slices"
	"strings"
	"unicode/utf8"

	"erelong.dev/erelong/internal/result"
)

// WriteText writes the table of verdicts, the unmet expectations, the notes and a summary.
// WriteTrace writes traces.
func WriteText(w io.Writer, r *Report, o Options) error {
	var b strings.Builder
	if o.Bounds {
		writeBounds(&b, r, o)
		if _, err := io.WriteString(w, b.String()); err != nil {
			return fmt.Errorf("writing the bounds: %w", err)
		}
		return nil
	}
	writeTable(&b, r.Results, o)
	for _, e := range r.Expectations {
		if !e.Met {
			b.WriteString(o.wrap("", span{red, "expectation not met: "}, span{plain, e.String()}))
		}
	}
	for _, l := range r.Lemmas {
		if l.TLA != "" {
			continue
		}
		b.WriteString(o.wrap("", span{dim, "found for " + l.For + ": "},
			span{plain, "invariant [" + l.Name + "] " + oneLine(l.Formula)}))
	}
	for _, l := range r.Lemmas {
		if l.TLA != "" {
			b.WriteString(l.TLA + "\n") // a line of a module is not wrapped
		}
	}
	for _, line := range assumed(r.Results) {
		b.WriteString(o.wrap("", span{yellow, "assumed without proof: "},
			span{plain, oneLine(line)}))
	}
	for _, line := range reduced(r.Results) {
		b.WriteString(o.wrap("", span{dim, "reduced: "}, span{plain, oneLine(line)}))
	}
	for _, line := range unfinished(r.Unfinished) {
		b.WriteString(o.wrap("", span{yellow, "not finished: "}, span{plain, oneLine(line)}))
	}
	writeLevels(&b, r.Results, o)
	writeRankings(&b, r.Results, r.Command == "live", o)
	for _, note := range r.Notes {
		b.WriteString(o.wrap("", span{yellow, "note: "}, span{plain, oneLine(note)}))
	}
	if line := cached(r.Results); line != "" {
		b.WriteString(o.wrap("", span{yellow, "proved (cached): "}, span{plain, line}))
	}
	if r.Stability != nil {
		writeStability(&b, r.Stability, o)
	}
	b.WriteString(o.wrap("", span{bold, summary(r.Results)}))
	if len(r.Expectations) > 0 {
		met := 0
		for _, e := range r.Expectations {
			met += btoi(e.Met)
		}
		line := fmt.Sprintf("%s: %d met",
			plural(len(r.Expectations), "expectation", "expectations"), met)
		if not := len(r.Expectations) - met; not > 0 {
			line += fmt.Sprintf(", %d not met", not)
		}
		b.WriteString(o.wrap("", span{bold, line}))
	}
	if _, err := io.WriteString(w, b.String()); err != nil {
		return fmt.Errorf("writing the report: %w", err)
	}
	return nil
}

// writeLevels writes how many states each depth of an instance has, from the result with the most
// levels.
func writeLevels(b *strings.Builder, results []result.Result, o Options) {
	var scopes []string
	most := map[string][]int64{}
	for _, r := range results {
		if r.Levels == nil {
			continue
		}
		if !slices.Contains(scopes, r.Scope) {
			scopes = append(scopes, r.Scope)
		}
		if len(r.Levels) > len(most[r.Scope]) {
			most[r.Scope] = r.Levels
		}
	}
	for _, s := range scopes {
		var counts []string
		for _, n := range most[s] {
			counts = append(counts, count(n))
		}
		b.WriteString(o.wrap("", span{dim, "states at each depth of " + clean(s) + ": "},
			span{plain, strings.Join(counts, "  ")}))
	}
}

// String says on one line what was expected and what happened.
func (e Expectation) String() string {
	place := ""
	if e.Instance != "" {
		place = " in " + e.Instance
	}
	s := fmt.Sprintf("[%s] %s%s", e.Property, e.Want, place)
	if e.Got != "" {
		s += ", got " + e.Got
	}
	if e.Detail != "" {
		s += ": " + oneLine(e.Detail)
	}
	return s
}

// column is one column of the table. A column with a positive drop may be left out, the smallest
// drop first.
type column struct {
	head  string
	right bool
	drop  int
	width int
	cells []string
}

func writeTable(b *strings.Builder, results []result.Result, o Options) {
	if len(results) == 0 {
		return
	}
	columns := []*column{
		{head: "property"}, {head: "verdict"}, {head: "scope", drop: 5}, {head: "engine", drop: 1},
		{head: "states", right: true, drop: 3}, {head: "depth", right: true, drop: 2},
		{head: "time", right: true, drop: 4},
	}
	for _, r := range results {
		for i, cell := range []string{r.Property, spoken(&r), r.Scope, r.Engine, count(r.States),
			count(r.Depth), duration(r.Elapsed)} {
			columns[i].cells = append(columns[i].cells, clean(cell))
		}
	}
	columns = fit(columns, o.Width)
	line := func(text func(c *column) (style, string)) {
		var parts []string
		for i, c := range columns {
			s, cell := text(c)
			cell = cut(cell, c.width)
			pad := strings.Repeat(" ", c.width-utf8.RuneCountInString(cell))
			switch {
			case c.right:
				parts = append(parts, pad+o.paint(s, cell))
			case i == len(columns)-1:
				parts = append(parts, o.paint(s, cell))
			default:
				parts = append(parts, o.paint(s, cell)+pad)
			}
		}
		b.WriteString(strings.Join(parts, "  ") + "\n")
	}
	line(func(c *column) (style, string) { return dim, c.head })
	for i, r := range results {
		line(func(c *column) (style, string) {
			if c.head == "verdict" {
				return verdictStyle(r.Verdict), c.cells[i]
			}
			return plain, c.cells[i]
		})
		if reason := oneLine(r.Reason.Text); reason != "" {
			b.WriteString(o.wrap("  ", span{dim, reason}))
		}
	}
	b.WriteByte('\n')
}

// fit sets the widths. If they exceed the terminal, it leaves out columns, then shortens the names,
// and last the verdicts: the lines below the table name all assumptions.
func fit(columns []*column, width int) []*column {
	const least = 16 // of the column of names
	for _, c := range columns {
		c.width = utf8.RuneCountInString(c.head)
		for _, cell := range c.cells {
			c.width = max(c.width, utf8.RuneCountInString(cell))
		}
	}
	if width <= 0 {
		return columns
	}
	names := columns[0]
	for drop := 1; ; drop++ {
		rest := 0
		for _, c := range columns[1:] {
			rest += 2 + c.width
		}
		if names.width+rest <= width {
			return columns
		}
		if room := width - rest; room >= least || drop > 5 {
			names.width = max(room, len(names.head))
			if verdicts := columns[1]; room < names.width {
				verdicts.width = max(verdicts.width+room-names.width, least)
			}
			return columns
		}
		columns = slices.DeleteFunc(columns, func(c *column) bool { return c.drop == drop })
	}
}

// oneLine replaces each run of white space by one blank.
func oneLine(s string) string { return strings.Join(strings.Fields(s), " ") }
