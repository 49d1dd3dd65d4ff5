package names_test

import (
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"erelong.dev/erelong/internal/diag"
	"erelong.dev/erelong/internal/front/ere"
	"erelong.dev/erelong/internal/front/ere/names"
	"erelong.dev/erelong/internal/front/ere/syntax"
	"erelong.dev/erelong/internal/system"
	"erelong.dev/erelong/internal/testkit"
)

// suffix makes a new name that keeps the case of the first letter.
const suffix = "_renamed"

// rename gives a text in which a declaration has another name.
func rename(text string, d *names.Declaration) string {
	var b strings.Builder
	at := 0
	for _, o := range d.Uses {
		b.WriteString(text[at:o.Span.End] + suffix)
		at = o.Span.End
	}
	return b.String() + text[at:]
}

func table(text string) *names.Table {
	return names.Of(syntax.Parse(diag.NewSource("x.ere", text), &diag.List{}))
}

// A declaration that is renamed wherever it occurs leaves the meaning of a file as it is: an
// occurrence that is missing, or one too many, changes the system or leaves a name undeclared.
func TestRenamingKeepsTheMeaning(t *testing.T) {
	total, every := 0, 11
	if testkit.Long() {
		every = 1
	}
	for _, pattern := range []string{"*.ere", "*/*.ere"} {
		files, err := filepath.Glob(filepath.Join("..", "..", "..", "..", "examples", pattern))
		if err != nil {
			t.Fatal(err)
		}
		for _, path := range files {
			text, err := os.ReadFile(path)
			if err != nil {
				t.Fatal(err)
			}
			total += renameAll(t, path, string(text), every)
		}
	}
	if total < 1000 {
		t.Errorf("only %d declarations were renamed", total)
	}
}

// plain prints a system without suffixes, and without the numbers that distinguish variables of one
// name.
func plain(sys *system.System) string {
	return number.ReplaceAllString(strings.ReplaceAll(sys.String(), suffix, ""), "$1")
}

var number = regexp.MustCompile(`([A-Za-z_])[0-9]+`)

func renameAll(t *testing.T, path, text string, every int) (n int) {
	t.Helper()
	sys, list, err := ere.Compile("x.ere", text)
	if err != nil {
		if !strings.Contains(text, "\nalgorithm ") && !strings.Contains(text, "\nprotocol ") {
			// packages lsp and derive rename there
			t.Errorf("%s: %v", path, list)
		}
		return 0
	}
	want := plain(sys)
	for i, d := range table(text).Declarations {
		if n++; i%every != 0 {
			continue
		}
		other, list, err := ere.Compile("x.ere", rename(text, d))
		if err != nil {
			t.Errorf("%s: renaming the %s %s: %v", path, d.Kind, d.Name.Text, list)
			continue
		}
		if got := plain(other); got != want {
			t.Errorf("%s: renaming the %s %s changes the system:\n%s\ninstead of\n%s", path, d.Kind,
				d.Name.Text, got, want)
		}
	}
	return n
}

func TestConstructs(t *testing.T) {
	if n := renameAll(t, "constructs", `
sort s
enum color { red, green }
immutable constant last: int
type number = 0..last
mutable relation r(s)
mutable function f(s): number
mutable constant shade: color
mutable relation both
derived relation d2(s): d2(X) <-> r(X) & f(X) > 0
axiom [positive] last > 0
init !r(X) & f(X) = 0 & shade = red & !both
definition d(x: s) = r(x) & f(x) > 0
twostate definition step(x: s) = r(x) & !new(r(x))
transition t(x: s, n: number) modifies r, f step(x) & (forall Y. Y != x -> r'(Y) = r(Y)) & new(f(X)) = f(X)
action a(x: s) {
  require d(x) | !r(x);
  choose y: s with y != x { r(y) := false; }
  choose z: s;
  let k = f(z);
  f(X) := if X = x then k else f(X);
  if exists Y. r(Y) { shade := green; } else { shade := red; }
  r(X) := X = z;
}
fair action b() { both := true; }
invariant [both] forall X. f(X) <= last
invariant [either] both | !both
safety [one] r(X) & r(Y) -> X = Y & (exists X. !r(X) | r(X))
theorem [t1] forall X. X = X | f(X) = f(Y)
liveness [live] forall X: s. r(X) & d(X) ~> !r(X)
rank [live] { choose w: s with r(w) & d(X); variable f(w); bound f(X) <= last; count (v: s) with r(v); never a(q) with r(q) & r(X); never b(); case r(X); pending r(X); }
sat trace { t(*, *) any transition a assert exists X. r(X) }
instance two { s = 2, last = 3 }
expect [one] violated in two
expect [both] holds
fbii { forward { invariant r(X) -> r(X) } }
`, 1); n < 50 {
		t.Errorf("%d declarations", n)
	}
}

func TestAt(t *testing.T) {
	text := "sort s\nmutable relation r(s)\ninit !r(X)\naction a(x: s) { r(x) := true; }\n"
	tab := table(text)
	at := strings.LastIndex(text, "r(x)")
	for _, offset := range []int{at, at + 1} {
		o := tab.At(offset)
		if o == nil || o.Of.Name.Text != "r" || !o.Writes || o.Declares || len(o.Of.Uses) != 3 {
			t.Fatalf("at %d: %+v", offset, o)
		}
	}
	if o := tab.At(strings.Index(text, "X")); o == nil || o.Of.Kind != names.Implied ||
		!o.Declares {
		t.Errorf("implied: %+v", o)
	}
	for _, offset := range []int{0, strings.Index(text, ":="), len(text)} {
		if o := tab.At(offset); o != nil {
			t.Errorf("at %d: %+v", offset, o)
		}
	}
}

// A file with errors has a table of what was read.
func TestErrors(t *testing.T) {
	tab := table("sort s\nmutable relation r(s\nmutable relation q(s)\ninit !q(X) & !nothing(X)\n")
	var got []string
	for _, d := range tab.Declarations {
		got = append(got, d.Name.Text)
	}
	if want := []string{"s", "q", "X"}; !slices.Equal(got, want) {
		t.Errorf("got %v, want %v", got, want)
	}
}
