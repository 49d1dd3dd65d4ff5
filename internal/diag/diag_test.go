package diag

import "testing"

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
