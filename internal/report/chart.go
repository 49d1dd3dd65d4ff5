package report

import (
	"fmt"
	"slices"
	"strings"
	"unicode/utf8"

	"erelong.dev/erelong/internal/result"
)

// columnWidth is the distance between two columns of a chart.
const columnWidth = 4

// chartOf draws a run of timed automata as a sequence chart: a column for each process that takes
// part, an arrow from the sender to each receiver, and the time at the left, wherever time has
// passed. It gives nil for other traces.
func chartOf(t *result.Trace, o Options) (lines []string) {
	var columns []string
	left := len("state  time")
	for i, s := range t.Steps {
		if s.Sync == nil {
			return nil
		}
		left = max(left, utf8.RuneCountInString(moment(i, s.Sync.Time)))
		for _, p := range s.Sync.Processes {
			if !slices.Contains(columns, p) && !slices.Contains(o.Hide, p) {
				columns = append(columns, p)
			}
		}
	}
	if len(t.Steps) == 0 {
		return nil
	}
	order := map[string]int{}
	for i, b := range t.Steps[0].State {
		order[b.Name] = i
	}
	slices.SortFunc(columns, func(a, b string) int { return order[a] - order[b] })
	line := func(head, drawing, text string) {
		lines = append(lines, strings.TrimRight(fmt.Sprintf("%-*s  %s  %s", left, head, drawing, text), " "))
	}
	for i, c := range columns {
		line("", strings.Repeat("│"+strings.Repeat(" ", columnWidth-1), i)+clean(c), "")
	}
	line("state  time", bars(len(columns)), "")
	line(moment(0, t.Steps[0].Sync.Time), bars(len(columns)), "")
	for i, s := range t.Steps[1:] {
		time := s.Sync.Time
		if time == t.Steps[i].Sync.Time {
			time = ""
		}
		text := s.Action
		if s.Sync.Channel != "" {
			text = s.Sync.Channel + ": " + text
		}
		line(moment(i+1, time), arrows(columns, s.Sync.Processes), clean(text))
	}
	return lines
}

func moment(state int, time string) string { return fmt.Sprintf("%5d  %s", state, time) }

func bars(n int) string {
	return strings.TrimRight(strings.Repeat("│"+strings.Repeat(" ", columnWidth-1), n), " ")
}

// arrows draws one step: the sender and the receivers as dots, with an arrow from the sender to
// each receiver.
func arrows(columns, processes []string) string {
	row := []rune(bars(len(columns)))
	var at []int
	for _, p := range processes {
		if c := slices.Index(columns, p); c >= 0 {
			at = append(at, c*columnWidth)
		}
	}
	if len(at) == 0 {
		return string(row)
	}
	sender := slices.Index(columns, processes[0]) * columnWidth // negative where the sender is hidden
	if sender >= 0 {
		for x := slices.Min(at); x <= slices.Max(at); x++ {
			row[x] = '─'
			if x%columnWidth == 0 {
				row[x] = '┼'
			}
		}
	}
	for _, x := range at {
		row[x] = '●'
		switch {
		case sender < 0:
		case x > sender:
			row[x-1] = '▶'
		case x < sender:
			row[x+1] = '◀'
		}
	}
	return string(row)
}

func (v *traceView) chart(lines []string) {
	for _, l := range lines {
		if v.Width > 0 {
			l = cut(l, v.Width)
		}
		v.WriteString(l + "\n")
	}
}
