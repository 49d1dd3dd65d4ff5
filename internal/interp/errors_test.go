package interp_test

import (
	"strings"
	"testing"

	"erelong.dev/erelong/internal/interp"
	"erelong.dev/erelong/internal/testkit"
)

// TestInfinitePoints has what the file is to say where a symbol has infinitely many points.
func TestInfinitePoints(t *testing.T) {
	for text, want := range map[string]string{
		"mutable function f(int): int # a table\ninit f(X) = 0": "as in mutable function f(0..9): int;",
		"type job = { id: int, due: int }\nmutable constant s: set[job]\ninit s = {}": "as in " +
			"type job = { id: 0..9, due: 0..9 };",
		"type id = int\ntype job = { a: id,\n  b: (int, bool) }\nmutable constant s: set[job]\n" +
			"init s = {}": "as in type job = { a: 0..9, and b: (0..9, bool) };",
		"type job = { id: int, due: bool }\nmutable constant s: set[job]\nmutable constant t: map[int, int]\n" +
			"init s = {} & t = [:]": "as in type job = { id: 0..9, due: bool } and mutable constant t: map[0..9, int];",
		"type id = int\nmutable relation r(id)\ninit !r(X)": "as in mutable relation r(0..9);",
	} {
		sys := testkit.Compile(t, text+"\nsafety true\ninstance small { }")
		_, err := interp.NewModel(sys, sys.Instances[0])
		if err == nil {
			t.Errorf("%s: no error", text)
			continue
		}
		d := interp.Diagnostic(err, sys.Instances[0])
		if d == nil || !strings.Contains(d.Fix, want) {
			t.Errorf("%s: the mend is not %q: %+v", text, want, d)
		}
	}
}
