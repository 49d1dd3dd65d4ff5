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
// each receiver, and the time at the left wherever time has passed. The last lines are the rows.
func (c *Chart) Text() (lines []string) {
	head := "" // rounds say what they are
	switch {
	case c.Timed:
		head = "state  time"
	case len(c.By) > 0:
		head = "state"
	}
	left := utf8.RuneCountInString(head)
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
	line(head, bars(len(c.Lanes)), "")
	for i, r := range c.Rows {
		drawing := arrows(len(c.Lanes), r.Dots, len(c.arrowsAt(i)) > 0)
		if i == 0 {
			drawing = bars(len(c.Lanes))
		}
		line(moment(r), drawing, c.told(i))
	}
	return lines
}

// told is the text beside a row.
func (c *Chart) told(row int) string {
	text := c.Rows[row].Text
	switch {
	case c.Timed && row == 0:
		return ""
	case c.Timed:
		return clean(text)
	}
	out := c.messagesAt(row)
	if text != "" {
		out = append(out, text)
	}
	return clean(strings.TrimSpace(strings.Join(out, "; ") + " " + c.newValues(row)))
}

// messagesAt tells the messages that are sent in a row, or that arrive there. An arrow within the
// row cannot show the ones that arrive in a later one.
func (c *Chart) messagesAt(row int) (out []string) {
	for _, a := range c.Arrows {
		text := fmt.Sprintf("%s from %s to %s", a.Name, c.Lanes[a.From], c.Lanes[a.To])
		switch {
		case a.Sent == row && a.Fate != Arrived:
			text += ", " + string(a.Fate)
		case a.Sent == row && a.Received != row:
			text += ", arrives in " + c.label(a.Received)
		case a.Received == row && a.Sent != row && a.Fate == Arrived:
			text += ", sent in " + c.label(a.Sent)
		case a.Sent != row:
			continue
		}
		out = append(out, text)
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
