package lsp

import (
	"sort"
	"unicode/utf8"

	"erelong.dev/erelong/internal/diag"
)

// text is a text with its lines. It translates byte offsets, which spans have, to the positions of
// the protocol, which count UTF-16 code units. A line ends with \n, \r\n or \r.
type text struct {
	string
	lines []int // byte offset at which each line starts
}

func newText(s string) text {
	t := text{string: s, lines: []int{0}}
	for i := 0; i < len(s); i++ {
		if s[i] == '\n' || s[i] == '\r' && (i+1 == len(s) || s[i+1] != '\n') {
			t.lines = append(t.lines, i+1)
		}
	}
	return t
}

// end is the offset of the end of a line, without its terminator.
func (t text) end(line int) int {
	if line+1 >= len(t.lines) {
		return len(t.string)
	}
	end := t.lines[line+1] - 1
	if end > t.lines[line] && t.string[end] == '\n' && t.string[end-1] == '\r' {
		end--
	}
	return end
}

// line is the number of the line of an offset, counted from 0.
func (t text) line(offset int) int { return sort.SearchInts(t.lines, offset+1) - 1 }

// position translates a byte offset, which is first moved into the text.
func (t text) position(offset int) position {
	offset = min(max(offset, 0), len(t.string))
	line := t.line(offset)
	units := 0
	for _, r := range t.string[t.lines[line]:offset] {
		units += utf16Units(r)
	}
	return position{line, units}
}

// offset translates a position. One behind the end of a line is the end of the line, and one behind
// the last line is the end of the text. A position within a character is the start of it.
func (t text) offset(p position) int {
	switch {
	case p.Line < 0:
		return 0
	case p.Line >= len(t.lines):
		return len(t.string)
	}
	at, end := t.lines[p.Line], t.end(p.Line)
	for units := 0; at < end; {
		r, size := utf8.DecodeRuneInString(t.string[at:])
		if units += utf16Units(r); units > p.Character {
			break
		}
		at += size
	}
	return at
}

// utf16Units is the number of code units of a character; a byte that is no character counts as one.
func utf16Units(r rune) int {
	if r > 0xffff {
		return 2
	}
	return 1
}

func (t text) rangeOf(start, end int) textRange {
	return textRange{t.position(start),
		t.position(end)}
}

func (t text) spanRange(s diag.Span) textRange { return t.rangeOf(s.Start, s.End) }

// whole is the range of the whole text.
func (t text) whole() textRange { return t.rangeOf(0, len(t.string)) }

// replace is the text after a change.
func (t text) replace(c contentChange) string {
	if c.Range == nil {
		return c.Text
	}
	start, end := t.offset(c.Range.Start), t.offset(c.Range.End)
	if end < start {
		start, end = end, start
	}
	return t.string[:start] + c.Text + t.string[end:]
}
