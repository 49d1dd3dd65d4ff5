package diag

import (
	"strings"
	"testing"
)

// The line of a place is that of its position, and found without counting the characters before it.
func TestLineOf(t *testing.T) {
	src := NewSource("a.ere", "one\n\ntwo é three\n")
	for i := -1; i <= len(src.Text)+1; i++ {
		if line, _ := src.Position(i); line != src.LineOf(i) {
			t.Errorf("offset %d: line %d, position in line %d", i, src.LineOf(i), line)
		}
	}
	long := NewSource("b.ere", strings.Repeat("x ", 1<<20))
	for i := range len(long.Text) {
		if long.LineOf(i) != 1 {
			t.Fatal(i)
		}
	}
}

// Systems that are derived from one text repeat what is wrong with it, in turn.
func TestSortDropsRepetitions(t *testing.T) {
	src := NewSource("a.ere", "one two")
	l := &List{}
	for range 2 {
		l.Warnf(NoMutable, Span{Source: src, Start: 0, End: 3}, "first")
		l.Warnf(NoMutable, Span{Source: src, Start: 0, End: 7}, "second")
	}
	l.Warnf(NoMutable, Span{Source: src, Start: 4, End: 7}, "first")
	l.Sort()
	if got, want := l.Error(), "a.ere:1:1: warning "+string(NoMutable)+": first\na.ere:1:1: warning "+string(NoMutable)+
		": second\na.ere:1:5: warning "+string(NoMutable)+": first"; got != want {
		t.Errorf("got\n%s\nwant\n%s", got, want)
	}
}
