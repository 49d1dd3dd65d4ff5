package diagram

import (
	"fmt"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"
)

// columnWidth is the distance between two lanes of a text.
const columnWidth = 4

// Text draws a chart as lines of characters: a column for each lane, an arrow from the sender to
// each receiver, and the time at the left wherever time has passed.
func (c *Chart) Text() (lines []string) {
	left := len("state  time")
	for _, r := range c.Rows {
		left = max(left, utf8.RuneCountInString(moment(r)))
	}
	line := func(head, drawing, text string) {
		lines = append(lines,
			strings.TrimRight(fmt.Sprintf("%-*s  %s  %s", left, head, drawing, text), " "))
	}
	for i, name := range c.Lanes {
		line("", strings.Repeat("│"+strings.Repeat(" ", columnWidth-1), i)+clean(name), "")
	}
	line("state  time", bars(len(c.Lanes)), "")
	for i, r := range c.Rows {
		drawing, text := arrows(len(c.Lanes), r.Dots, len(c.arrowsAt(i)) > 0), clean(r.Text)
		if i == 0 {
			drawing, text = bars(len(c.Lanes)), ""
		}
		if !c.Timed {
			text = strings.TrimSuffix(strings.Join(append(c.sentAt(i), text), "; "), "; ")
		}
		line(moment(r), drawing, text)
	}
	return lines
}

// sentAt tells the messages that are sent in a row. Most of them arrive in a later one, so an arrow
// within the row cannot show them.
func (c *Chart) sentAt(row int) (out []string) {
	for _, a := range c.Arrows {
		if a.Sent != row {
			continue
		}
		fate := string(a.Fate)
		if a.Fate == Arrived {
			fate += " in " + c.Rows[a.Received].Label
		}
		out = append(out,
			clean(fmt.Sprintf("%s from %s to %s, %s", a.Name, c.Lanes[a.From], c.Lanes[a.To],
				fate)))
	}
	return out
}

func moment(r Row) string { return fmt.Sprintf("%5s  %s", r.Label, r.Time) }

func bars(n int) string {
	return strings.TrimRight(strings.Repeat("│"+strings.Repeat(" ", columnWidth-1), n), " ")
}

// arrows draws one step: the lanes that take part as dots, with an arrow from the first to each
// other one if it is the sender.
func arrows(lanes int, dots []int, sends bool) string {
	row := []rune(bars(lanes))
	if len(dots) == 0 {
		return string(row)
	}
	if sends {
		for x := slices.Min(dots) * columnWidth; x <= slices.Max(dots)*columnWidth; x++ {
			row[x] = '─'
			if x%columnWidth == 0 {
				row[x] = '┼'
			}
		}
	}
	sender := dots[0] * columnWidth
	for _, d := range dots {
		x := d * columnWidth
		row[x] = '●'
		switch {
		case !sends:
		case x > sender:
			row[x-1] = '▶'
		case x < sender:
			row[x+1] = '◀'
		}
	}
	return string(row)
}

// clean replaces characters that would move the cursor or reorder the text of a terminal. Names
// come from files by others.
func clean(s string) string {
	return strings.Map(func(r rune) rune {
		if unicode.IsControl(r) || unicode.Is(unicode.Bidi_Control, r) {
			return utf8.RuneError
		}
		return r
	}, s)
}
