package rewrite

import (
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"erelong.dev/erelong/internal/front/ere"
)

const sample = `sort s
enum colour { red, green }
immutable constant last: int
mutable relation r(s), q(s, colour)
mutable constant n: 0..last
mutable relation on
derived relation both(s): both(X) <-> r(X) & on
init !r(X) & !q(X, C) & n = 0 & !on
init on -> n = 0
definition some(x: s) = r(x) | on
action take(x: s, c: colour) {
  require !r(x) & (forall Y. r(Y) -> Y != x);
  require n < last & (n = 0 <-> on);
  r(x) := true;
  q(x, C) := C = c;
  n := if on then n else n + 1;
}
action drop(x: s) {
  require some(x);
  if on { r(x) := false; } else { n := 0; on := *; }
}
invariant [a] (exists X. r(X)) -> n > 0 & !on
invariant [b] !on & n <= last
safety [one] !(r(X) & r(Y) & X != Y & on) | n >= 1
liveness [live] r(X) & q(X, red) & on ~> !r(X)
instance two { s = 2, last = 2 }
`

// Each rewrite changes the sample as its comment says, and the text stays one without errors.
func TestRewrites(t *testing.T) {
	want := map[string]string{
		"quantifiers":    "!(exists Y: s. !(r(Y) -> Y != x))",
		"de morgan":      "!(!(!r(X)) | !(!q(X, C)) | !(n = 0) | !(!on))",
		"implications":   "!(r(Y)) | (Y != x)",
		"disjunctions":   "(!(r(x)) -> ((on)))",
		"contraposition": "(!(Y != x) -> !(r(Y)))",
		"equations":      "((n) <= (0) & (n) >= (0))",
		"comparisons":    "((last) > (n))",
		"successors":     "((n) + 1 <= (last))",
		"turned":         "((x) != (Y))",
		"equivalences":   "(n = 0)",
		"branches":       "(if !(on) then (n + 1) else (n))",
		"nested":         "((!r(X)) & ((!q(X, C)) & (n = 0) & (!on)))",
		"reordered":      "((!on) & (n = 0) & (!q(X, C)) & (!r(X)))",
		"explicit":       "(forall X:s. !r(X)) & (forall X:s, C:colour. !q(X, C)) & (n = 0) & (!on)",
		"split guards":   "require (!r(x)); require ((forall Y. r(Y) -> Y != x));",
		"joined guards":  "require ((!r(x)) & ((forall Y. r(Y) -> Y != x))) & ((n < last)",
		"turned if":      "if !((on)) {\n  n := 0;\n  on := *;\n} else {\n  r(x) := false;\n}",
		"pointwise":      "r(X_1) := if X_1 = x then (true) else r(X_1);",
		"swapped":        "require n < last & (n = 0 <-> on);\n  require !r(x)",
		"parameters":     "action take(c: colour, x: s)",
		"apart":          "action drop_else(x: s) {\n  require some(x);\n  require !((on));",
		"transitions":    "transition take(x: s, c: colour)\n  modifies r, q, n\n",
		"declarations":   "instance two { s = 2, last = 2 }\nliveness [live]",
		"actions":        "action drop(x: s) {\n  require some(x);",
		"claims":         "liveness [live] r(X) & q(X, red) & on ~> !r(X)\nsafety",
		"pieces":         "invariant [b] (!on)\ninvariant [b_1] (n <= last)",
		"whole":          "invariant [a] (((exists X. r(X)) -> n > 0 & !on)) & ((!on) & (n <= last))",
		"defined":        "definition said(x:s) = ((!r(x)) & ((forall Y. r(Y) -> Y != x)))\n",
		"expanded":       "require (r((x)) | on);",
		"shift":          "mutable constant n: (0) + ",
		"permuted":       "mutable relation q(colour, s)",
		"complement":     "!(",
		"enum":           "enum truth_of_",
		"renamed":        "_take",
		"cases":          "_yes(",
		"together":       "{ one_of_both, other_of_both }",
		"idle":           "",
	}
	unheard := map[string]bool{"spread": true, "currying": true}
	for _, r := range All {
		out, err := r.Apply("test.ere", sample, 0)
		if unheard[r.Name] {
			if !errors.Is(err, ErrNothing) {
				t.Errorf("%s: %v\n%s", r.Name, err, out)
			}
			continue
		}
		if part, ok := want[r.Name]; err != nil || !ok || !strings.Contains(out, part) {
			t.Errorf("%s: error %v; want %q in\n%s", r.Name, err, part, out)
		}
	}
}

// Formulas that the sample does not have.
func TestMoreFormulas(t *testing.T) {
	for _, c := range []struct {
		r        Rewrite
		in, want string
	}{
		{spread, "forall X. r(X) & q(X)", "((forall X: s. r(X)) & (forall X: s. q(X)))"},
		{spread, "exists X. r(X) | q(X)", "((exists X: s. r(X)) | (exists X: s. q(X)))"},
		{currying, "r(X) & q(X) -> r(Y)", "((r(X)) -> (q(X)) -> (r(Y)))"},
		{currying, "r(X) -> q(X) -> r(Y)", "((r(X)) & (q(X)) -> (r(Y)))"},
		// What is read outside of a range is guarded, so the order stays.
		{reordered, "k < 2 & at(k)", ""},
		{contraposition, "k < 2 -> at(k)", ""},
	} {
		text := "sort s\nmutable relation r(s), q(s)\nimmutable constant k: int\n" +
			"mutable relation at(0..1)\nsafety [p] " + c.in + "\n"
		out, err := c.r.Apply("test.ere", text, 0)
		switch {
		case c.want == "" && !errors.Is(err, ErrNothing):
			t.Errorf("%s of %s: %v\n%s", c.r.Name, c.in, err, out)
		case c.want != "" && (err != nil || !strings.Contains(out, "[p] "+c.want)):
			t.Errorf("%s of %s: %v\n%s", c.r.Name, c.in, err, out)
		}
	}
}

// Examples stay texts without errors.
func TestExamples(t *testing.T) {
	files, err := filepath.Glob("../../../../examples/liveness/*.ere")
	if err != nil || len(files) == 0 {
		t.Fatal("no examples", err)
	}
	applied := 0
	for i, path := range files {
		read, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		text, chain, err := Chain(path, string(read), 5, int64(i))
		if err != nil {
			t.Errorf("%s: %v", path, err)
			continue
		}
		applied += len(chain)
		if _, _, err := ere.Compile(path, text); err != nil {
			t.Errorf("%s: %v", path, err)
		}
	}
	if applied < 3*len(files) {
		t.Errorf("%d rewrites of %d files", applied, len(files))
	}
}

// A text that no rewrite reads is refused, and so is one with errors.
func TestRefusals(t *testing.T) {
	const algorithm = "algorithm a {\n  message m\n  timing synchrony\n  send m at S { }\n  receive at R { }\n}\n"
	if _, err := renamed.Apply("test.ere", algorithm, 0); !errors.Is(err, ErrNothing) {
		t.Error(err)
	}
	if _, err := renamed.Apply("test.ere", "sort", 0); err == nil || errors.Is(err, ErrNothing) {
		t.Error(err)
	}
}
