package strip_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"erelong.dev/erelong/internal/front/ere"
	"erelong.dev/erelong/internal/front/ere/strip"
)

func TestSource(t *testing.T) {
	got, err := strip.Source("x.ere", `sort node
mutable relation r(node), s(node)
definition used(N: node) = r(N) & s(N)
definition inner(N: node) = r(N)
# what the invariant is made of
definition help(N: node) = inner(N) -> s(N)
init !r(N) & !s(N)

action a(n: node) { require !used(n); r(n) := true; }

# stays
safety [p] used(A) & used(B) -> A = B
# goes
invariant [i] help(N)
trusted invariant [assumed] !s(N)
temporal [t] always !r(N)
instance two { node = 2 }
expect [p] holds
`, false)
	if err != nil {
		t.Fatal(err)
	}
	want := `sort node
mutable relation r(node), s(node)
definition used(N: node) = r(N) & s(N)

init !r(N) & !s(N)

action a(n: node) { require !used(n); r(n) := true; }

# stays
safety [p] used(A) & used(B) -> A = B

trusted invariant [assumed] !s(N)

instance two { node = 2 }
`
	if got != want {
		t.Errorf("%s\ninstead of\n%s", got, want)
	}
	if _, err := strip.Source("x.ere", "sort ]", false); err == nil {
		t.Error("no error for what is no syntax")
	}
}

// Of what helps a proof, only the hints for liveness go.
func TestHints(t *testing.T) {
	const text = "mutable relation r\ninit !r\n\nfair action a() { r := true; }\n\n" +
		"invariant [i] r | !r\nliveness [l] true ~> r\n"
	got, err := strip.Hints("x.ere", text+"\n# a hint\nrank [l] { variable if r then 0 else 1; }\n")
	if err != nil || strings.TrimSpace(got) != strings.TrimSpace(text) {
		t.Errorf("%v\n%s", err, got)
	}
}

// What is left of the examples is a specification with the same properties of states, and stays as
// it is when it is stripped again.
func TestExamples(t *testing.T) {
	files, err := filepath.Glob("../../../../examples/*/*.ere")
	if err != nil || len(files) == 0 {
		t.Fatal(files, err)
	}
	for _, path := range files {
		text, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		once, err := strip.Source(path, string(text), true)
		if err != nil {
			t.Fatalf("%s: %v", path, err)
		}
		if _, list, err := ere.Compile(path, once); err != nil &&
			!strings.Contains(once, "\nalgorithm ") && !strings.Contains(once, "\nprotocol ") {
			t.Errorf("%s: %v (%v)", path, err, list)
		}
		if strings.Count(once, "safety [") != strings.Count(string(text), "safety [") {
			t.Errorf("%s: safety properties went", path)
		}
		if again, err := strip.Source(path, once, true); err != nil || again != once {
			t.Errorf("%s: stripped again it is\n%s", path, again)
		}
	}
}
