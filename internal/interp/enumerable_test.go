package interp

import (
	"errors"
	"testing"

	"erelong.dev/erelong/internal/front/ere"
)

// An instance that is too large to enumerate is refused before a search begins; a given run can
// still be followed.
func TestEnumerable(t *testing.T) {
	const huge = "0..9000000000000000000"
	for _, c := range []struct {
		text string
		ok   bool
	}{
		{"action a(x: " + huge + ") { require x = 5; r := true; }", false},
		{"action a() { choose x: " + huge + " with x = 5 { r := true; } }", false},
		{"action a() { if r { require exists X: " + huge + ". X = 5; } r := true; }", false},
		{"action a() { let b = forall X: " + huge + ". X >= 0; r := b; }", false},
		{"mutable constant x: " + huge + "\ninit x = 0\naction a() { x := *; r := true; }", false},
		{"mutable constant x: " + huge + "\ninit x = 0\naction a() { x := x + 1; r := true; }",
			true},
		{"mutable constant x: 0..1000000000\ninit x = 0\naction a() { x := *; assume x = old(x) + 1; r := true; }", true},
		{"action a(x: 0..1000000) { require x = 5; r := true; }", true},
		{"safety forall X: " + huge + ". X >= 0\naction a() { r := true; }", false},
	} {
		sys, list, err := ere.Compile("x.ere",
			"mutable relation r\ninit !r\nsafety [p] !r\n"+c.text+"\ninstance i { }")
		if err != nil {
			t.Fatal(list)
		}
		m, err := NewModel(sys, sys.Instances[0])
		if err != nil {
			t.Fatal(err)
		}
		err = m.Enumerable()
		var many *TooManyError
		if c.ok != (err == nil) ||
			err != nil && (!errors.As(err, &many) || Diagnostic(err, sys.Instances[0]) == nil) {
			t.Errorf("%s: %v", c.text, err)
		}
	}
}
