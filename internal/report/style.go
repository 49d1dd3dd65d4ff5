package report

import (
	"strconv"
	"strings"
	"time"
	"unicode"
	"unicode/utf8"

	"erelong.dev/erelong/internal/result"
)

// style is an ANSI code (SGR), empty for plain text.
type style string

const (
	plain  style = ""
	bold   style = "1"
	dim    style = "2"
	red    style = "31"
	green  style = "32"
	yellow style = "33"
)

// paint wraps text in the codes of a style.
func (o Options) paint(s style, text string) string {
	if !o.Color || s == plain || text == "" {
		return text
	}
	return "\x1b[" + string(s) + "m" + text + "\x1b[0m"
}

func verdictStyle(v result.Verdict) style {
	switch v {
	case result.Holds:
		return green
	case result.Violated, result.NoRun:
		return red
	}
	return yellow
}

// span is a piece of text in one style.
type span struct {
	style style
	text  string
}

// wrap lays out spans on lines of at most the width of o: the first line after the prefix, the
// others after the prefix and four blanks. A word longer than a line is broken.
func (o Options) wrap(prefix string, spans ...span) string {
	const hang, least = "    ", 8
	p := paragraph{lines: [][]span{{{plain, prefix}}}, at: utf8.RuneCountInString(prefix)}
	next := prefix + hang
	if o.Width < p.at+len(hang)+least { // too narrow to be of use, or no limit
		o.Width = 0
	}
	blank, blankStyle := false, plain
	for _, s := range spans {
		for i, word := range strings.Split(clean(s.text), " ") {
			if i > 0 {
				blank, blankStyle = true, s.style
			}
			n := utf8.RuneCountInString(word)
			if n == 0 {
				continue
			}
			if blank && o.Width > 0 && p.at+1+n > o.Width && p.begun {
				p.newline(next)
				blank = false
			}
			if blank {
				p.add(blankStyle, " ")
			}
			for o.Width > 0 && p.at+n > o.Width {
				head := string([]rune(word)[:max(o.Width-p.at, 0)])
				p.add(s.style, head)
				word = word[len(head):]
				n = utf8.RuneCountInString(word)
				p.newline(next)
			}
			p.add(s.style, word)
			blank, p.begun = false, true
		}
	}
	var b strings.Builder
	for _, line := range p.lines {
		for _, s := range line {
			b.WriteString(o.paint(s.style, s.text))
		}
		b.WriteByte('\n')
	}
	return b.String()
}

// paragraph is text being laid out. On each line, neighbours of one style are one span.
type paragraph struct {
	lines [][]span
	at    int  // column
	begun bool // there is a word on the line
}

func (p *paragraph) newline(prefix string) {
	p.lines = append(p.lines, []span{{plain, prefix}})
	p.at, p.begun = utf8.RuneCountInString(prefix), false
}

func (p *paragraph) add(s style, text string) {
	line := &p.lines[len(p.lines)-1]
	p.at += utf8.RuneCountInString(text)
	if last := &(*line)[len(*line)-1]; last.style == s {
		last.text += text
		return
	}
	*line = append(*line, span{s, text})
}

func btoi(b bool) int {
	if b {
		return 1
	}
	return 0
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

// cut shortens a text to n characters, the last of them an ellipsis.
func cut(s string, n int) string {
	if n <= 0 || utf8.RuneCountInString(s) <= n {
		return s
	}
	return string([]rune(s)[:n-1]) + "…"
}

// group puts commas between groups of three digits.
func group(n int64) string {
	s := strconv.FormatInt(n, 10)
	for i := len(s) - 3; i > 0 && s[i-1] != '-'; i -= 3 {
		s = s[:i] + "," + s[i:]
	}
	return s
}

// count is group, with a dash for a number that was not counted.
func count(n int64) string {
	if n == 0 {
		return "-"
	}
	return group(n)
}

// duration gives three digits, in the unit that fits.
func duration(d time.Duration) string {
	switch {
	case d < time.Millisecond:
		return "<1ms"
	case d < time.Second:
		return strconv.FormatInt(d.Milliseconds(), 10) + "ms"
	case d < 10*time.Second:
		return strconv.FormatFloat(d.Seconds(), 'f', 2, 64) + "s"
	case d < time.Minute:
		return strconv.FormatFloat(d.Seconds(), 'f', 1, 64) + "s"
	case d < time.Hour:
		return d.Truncate(time.Second).String()
	}
	return strings.TrimSuffix(d.Truncate(time.Minute).String(), "0s")
}

// plural gives "1 step", "2 steps".
func plural(n int, one, many string) string {
	if n == 1 {
		return "1 " + one
	}
	return group(int64(n)) + " " + many
}
