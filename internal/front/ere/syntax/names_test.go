package syntax_test

import (
	"maps"
	"slices"
	"testing"

	"erelong.dev/erelong/internal/diag"
	"erelong.dev/erelong/internal/front/ere/syntax"
)

// TestAddNames finds names of declarations, sorts, variables and fields of lists.
func TestAddNames(t *testing.T) {
	text := "sort node\nmutable relation r(node)\nmutable constant big: 0..123456789012345678901234567890\n" +
		"action a(n: node) { let k = n; if r(k) { r(k) := exists X. X != n; } }\nsafety [s] forall Y:node. r(Y)\n"
	errs := &diag.List{}
	file := syntax.Parse(diag.NewSource("x.ere", text), errs)
	if err := errs.Err(); err != nil {
		t.Fatal(err)
	}
	names := map[string]bool{}
	syntax.AddNames(file.Decls, names)
	got := slices.Sorted(maps.Keys(names))
	for _, want := range []string{"node", "r", "big", "a", "n", "k", "X", "s", "Y"} {
		if !slices.Contains(got, want) {
			t.Errorf("%s is not among %v", want, got)
		}
	}
}
