package format_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"erelong.dev/erelong/internal/front/ere"
	"erelong.dev/erelong/internal/front/ere/format"
)

func TestLayout(t *testing.T) {
	for _, c := range []struct{ name, in, out string }{
		{"spaces", "sort   node\nmutable relation r( node ,node )", "sort node\nmutable relation r(node, node)\n"},
		{"operators", "init x=0&!( y->z )|-1<-x", "init x = 0 & !(y -> z) | -1 < -x\n"},
		{"quantifier", "axiom forall X:t,Y .X=Y", "axiom forall X: t, Y. X = Y\n"},
		{"primes", "transition t ( x : s ) modifies r r' (x)<->new (r(x))",
			"transition t(x: s) modifies r r'(x) <-> new(r(x))\n"},
		{"blank lines", "sort a\n\n\n\nsort b\n\n", "sort a\n\nsort b\n"},
		{"two declarations on a line", "sort a sort b", "sort a\nsort b\n"},
		{"continuation", "init\nx = 0 &\ny = 1", "init\n  x = 0 &\n  y = 1\n"},
		{"action", "action a(c:s){\nrequire (x);\nif x{\ny:=1;\n}else{\nz(C):=*;\n}\n}",
			"action a(c: s) {\n  require (x);\n  if x {\n    y := 1;\n  } else {\n    z(C) := *;\n  }\n}\n"},
		{"range", "type age=0 .. N*2", "type age = 0..N * 2\n"},
		{"comments are aligned", "sort a # one\nsort bcd      # two\n\nsort e # three",
			"sort a    # one\nsort bcd  # two\n\nsort e  # three\n"},
		{"comment lines", "# top\nsort a\n  # below\nsort b", "# top\nsort a\n  # below\nsort b\n"},
		{"a comment only", "# nothing", "# nothing\n"},
		{"empty", "", ""},
		{"instance", "instance i{a=1,b=-2}", "instance i { a = 1, b = -2 }\n"},
		{"instance in two lines", "instance i { a = 1,\n             b = -2 }", "instance i { a = 1,\n  b = -2 }\n"},
		{"changed instance", "instance i=j with{a=1}", "instance i = j with { a = 1 }\n"},
	} {
		t.Run(c.name, func(t *testing.T) {
			got, err := format.Source("x.ere", c.in)
			if err != nil {
				t.Fatal(err)
			}
			if got != c.out {
				t.Errorf("got:\n%s\nwant:\n%s", got, c.out)
			}
			if again, err := format.Source("x.ere", got); err != nil || again != got {
				t.Errorf("not idempotent (%v):\n%s", err, again)
			}
		})
	}
}

func TestSyntaxErrorIsRefused(t *testing.T) {
	if out, err := format.Source("x.ere", "sort"); err == nil || out != "" {
		t.Errorf("got %q, %v", out, err)
	}
}

// Formatting keeps the meaning: the text before and after gives the same system and the same
// comments.
func TestFormatKeepsMeaning(t *testing.T) {
	files := modelFiles(t)
	if len(files) == 0 {
		t.Fatal("no files")
	}
	for _, path := range files {
		t.Run(filepath.Base(path), func(t *testing.T) {
			text, err := os.ReadFile(path)
			if err != nil {
				t.Fatal(err)
			}
			out, err := format.Source(filepath.Base(path), string(text))
			if err != nil {
				t.Fatal(err)
			}
			if again, err := format.Source(filepath.Base(path), out); err != nil || again != out {
				t.Errorf("not idempotent: %v", err)
			}
			if strings.Count(out, "#") != strings.Count(string(text), "#") {
				t.Error("a comment was lost")
			}
			before, _, errBefore := ere.Compile(filepath.Base(path), string(text))
			after, _, errAfter := ere.Compile(filepath.Base(path), out)
			if (errBefore == nil) != (errAfter == nil) {
				t.Fatalf("errors differ: %v; %v", errBefore, errAfter)
			}
			if errBefore == nil && before.String() != after.String() {
				t.Error("the systems differ")
			}
		})
	}
}

// modelFiles lists the project's examples, and other people's models where they are at hand.
func modelFiles(t *testing.T) (out []string) {
	for _, pattern := range []string{
		"../../../../examples/*.ere", "../../../../examples/*/*.ere", "../../../../../shared/models/mypyvy/*/*.pyv",
	} {
		files, err := filepath.Glob(filepath.FromSlash(pattern))
		if err != nil {
			t.Fatal(err)
		}
		if len(files) == 0 {
			t.Logf("nothing at %s: skipped", pattern)
		}
		out = append(out, files...)
	}
	return out
}

func FuzzFormat(f *testing.F) {
	f.Add("sort node\nmutable relation r(node)\ninit !r(N)\naction a(n: node) { r(n) := !r(n); }")
	f.Add("axiom forall X:t. X = Y -> & a | b # c\n#d")
	f.Add("instance i { a = -1 }\nexpect [p] holds in i states 3")
	f.Add("rank [p] { never a(x, y) with x != y; bound e <= 3; count (D: t) with r(D); choose c: t with q(c); case b; pending b }")
	f.Add("type age = 0..N*2 liveness [x] p ~> always q until r")
	f.Fuzz(func(t *testing.T, text string) {
		out, err := format.Source("x.ere", text)
		if err != nil {
			return
		}
		again, err := format.Source("x.ere", out)
		if err != nil {
			t.Fatalf("the formatted text has errors: %v\n%s", err, out)
		}
		if again != out {
			t.Fatalf("not idempotent:\n%q\n%q", out, again)
		}
	})
}
