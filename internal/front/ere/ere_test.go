package ere

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"erelong.dev/erelong/internal/diag"
	"erelong.dev/erelong/internal/logic"
	"erelong.dev/erelong/internal/system"
)

func compile(t *testing.T, name, text string) *system.System {
	t.Helper()
	sys, list, err := Compile(name, text)
	if err != nil {
		t.Fatalf("%v (%v)", err, list)
	}
	return sys
}

// The same system in both dialects of mypyvy, today's and that of 2019-20, has the same meaning.
func TestDialects(t *testing.T) {
	const head = `
sort node
mutable relation a(node)
mutable relation b(node)
mutable constant c: node
onestate definition marked(x: node) = a(x) | x = c
init !a(N) & !b(N)
`
	const rest = `
safety a(N) -> b(N)
`
	today := compile(t, "x.pyv", head+`
transition t(n: node)
  modifies a, c
  b(n) & !a(n) & (forall N. new(a(N)) <-> a(N) | N = n) & c' = n & new(marked(n)) & !marked(c)
transition u(n: node)
  modifies b
  (forall N. new(b(N)) <-> b(N) & N != n)
twostate theorem forall N. t(N) -> new(a(N)) & !a(N)
`+rest)
	old := compile(t, "x.pyv", head+`
transition t(n: node)
  modifies a, c
  old(b(n)) & !old(a(n)) & (forall N. a(N) <-> old(a(N)) | N = n) & c = n & marked(n) & !old(marked(c))
transition u(n: node)
  modifies b
  (forall N. b(N) <-> old(b(N)) & N != n)
twostate theorem forall N. t(N) -> a(N) & !old(a(N))
`+rest)
	if today.String() != old.String() {
		t.Errorf("today's dialect:\n%s\nthe old one:\n%s", today, old)
	}
}

// The system of each text, printed, has the given lines.
func TestMeaning(t *testing.T) {
	for _, c := range []struct {
		name, text string
		lines      []string
	}{
		{"capital letters are universal, at the top only",
			"sort s\nmutable relation r(s)\ninvariant r(X) -> exists Y. r(Y) & X != Y",
			[]string{"forall X:s. r(X) -> exists Y:s. r(Y) & X != Y"}},
		{"a declared capital is no variable",
			"sort s\nimmutable constant N: s\nmutable relation r(s)\ninvariant [i] r(N)", []string{"invariant [i] r(N)"}},
		{"! binds tighter than =", "mutable relation a, b\ninvariant [i] !a = b", []string{"invariant [i] !a <-> b"}},
		{"& before |, | before ->, -> to the right",
			"mutable relation a, b, c\ninvariant [i] a & b | c -> a -> b", []string{"invariant [i] a & b | c -> a -> b"}},
		{"a leading operator", "mutable relation a, b\ninvariant [i] & a & b -> | a | b", []string{"invariant [i] a & b -> a | b"}},
		{"repeated operators", "mutable relation a, b\ninvariant [i] a && b & & a || b", []string{"invariant [i] a & b & a | b"}},
		{"a definition is expanded, and captures nothing",
			"sort s\nmutable relation r(s)\ndefinition d(X: s) = exists Y. r(Y) & Y != X\ninvariant [i] forall Y. d(Y)",
			[]string{"exists Y1:s. r(Y1) & Y1 != Y"}},
		{"a named invariant is a macro", "mutable relation a\ninvariant [one] a\ninvariant [two] one | !one", []string{"invariant [two] a | !a"}},
		{"safety is the conjunction", "mutable relation a, b\nsafety a\nsafety b\ntheorem [t] safety -> a", []string{"theorem [t] a & b -> a"}},
		{"a definition may come later", "mutable relation a\ninvariant [i] d\ndefinition d() = !a",
			[]string{"invariant [i] !a"}},
		{"variables range over the range of the argument",
			"immutable constant N: int\nmutable relation r(0..N - 1)\ninvariant [i] exists K. r(K) & K > 0",
			[]string{"exists K:0..N - 1. r(K) & 0 < K"}},
		{"div and mod bind as *, to the left", "mutable constant x: int\ninvariant [i] -x * 2 div 3 mod 4 + x div 2 = x * (x mod 5)",
			[]string{"invariant [i] -x * 2 div 3 mod 4 + x div 2 = x * (x mod 5)"}},
		{"div and mod are names, too", "mutable relation div\nmutable constant mod: int\ninvariant [i] div & mod mod 3 = mod",
			[]string{"invariant [i] div & mod mod 3 = mod"}},
		{"the greater of two numbers, without other structured data",
			"mutable constant x: 0..3\ninit x = 0\naction a(k: 0..3) { x := max(x, k); }",
			[]string{"x' = if x <= k then k else x"}},
		{"max may be declared", "mutable constant x: int\ndefinition max(a: int, b: int) = a < b\ninvariant [i] max(x, 1)",
			[]string{"invariant [i] x < 1"}},
		{"types are other names", "type t = 0..3\nmutable constant x: t\nmutable constant y: t\ninit x = y",
			[]string{"mutable constant x: 0..3", "range [range:y] 0 <= y & y <= 3"}},
		{"a twostate definition in a transition",
			"sort s\nmutable relation r(s)\ntwostate definition d(x: s) = r(x) & !new(r(x))\ntransition t(x: s) modifies r d(x) & forall Y. new(r(Y)) <-> r(Y) & Y != x",
			[]string{"forall Y:s. r'(Y) <-> r(Y) & Y != x"}},
		{"an action: sequence, points, every point",
			"sort s\nmutable relation r(s)\nmutable constant n: int\naction a(x: s) { n := n + 1; n := n + 1; r(X) := X = x & n > 0; r(x) := *; }",
			[]string{"n' = n + 1 + 1"}},
		{"a condition of fairness is about the state before the step",
			"sort s\nmutable relation r(s)\naction a(x) strong fair if r(x) & r(Y) { r(x) := false; }",
			[]string{"action a(x:s) strong fair if forall Y:s. r(x) & r(Y)"}},
		{"also where an unmarked symbol is the value after a step",
			"mutable relation r\ntransition a() modifies r old(r) & !r\ntransition b() fair if r modifies r !old(r) & r",
			[]string{"action b() fair if r\n  modifies r\n  # relation, as written\n  !r"}},
	} {
		t.Run(c.name, func(t *testing.T) {
			out := compile(t, "x.ere", c.text).String()
			for _, l := range c.lines {
				if !strings.Contains(out, l) {
					t.Errorf("it lacks %q:\n%s", l, out)
				}
			}
		})
	}
}

// A contextual word of the language may still be a name.
func TestContextualWords(t *testing.T) {
	compile(t, "x.pyv", `
sort action
mutable relation enum(action)
mutable relation always
mutable relation fair
immutable constant instance: action
mutable constant expect: action
init !enum(A) & !always & !fair & expect = instance
transition require(old: action) modifies enum (forall A. new(enum(A)) <-> enum(A) | A = old) & !always
invariant [liveness] always -> fair
`)
}

// A formula may have the name of a symbol, as in files of 2019. Two formulas of one name are
// refused.
func TestFormulaCalledLikeASymbol(t *testing.T) {
	const text = "sort v\nmutable relation chosen(v)\ninit !chosen(V)\nsafety [chosen] chosen(V) & chosen(W) -> V = W\n"
	sys := compile(t, "x.pyv", text)
	if p := sys.Property("chosen"); p == nil || p.Kind != system.Safety {
		t.Errorf("property: %v", p)
	}
	if _, list, err := Compile("x.pyv", text+"invariant [chosen] !chosen(V)\n"); err == nil ||
		list.All[0].Code != diag.Duplicate {
		t.Errorf("error: %v", err)
	}
}

// Positions and number of the messages for texts with several errors.
func TestMessages(t *testing.T) {
	for _, c := range []struct {
		name, text string
		want       []string
	}{
		{"each declaration reports its own", "sort a\nsort b b\nmutable relation r(a\ninit !r(X)\naxiom q\n",
			[]string{"x.ere:2:8: error E0003", "x.ere:3:21: error E0003"}},
		{"an unknown name says nothing more", "sort a\nmutable relation r(a)\ninit forall X. r(Y) & q(X)\n", []string{"x.ere:3:23: error E0101"}},
		{"sorts", "sort a\nsort b\nmutable relation r(a)\nimmutable constant c: b\ninit r(c) & c + 1 = 2\n",
			[]string{"x.ere:5:8: error E0201", "x.ere:5:13: error E0201"}},
		{"both sides", "sort a\nsort b\nimmutable constant x: a\nimmutable constant y: b\naxiom x = y\n", []string{"x.ere:5:11: error E0201"}},
		{"an action", "sort a\nmutable relation r(a)\nimmutable constant c: a\naction t() { r(c) := 1; s := r; require new(r(c)); c := c; r(X) := r(Y) }",
			[]string{"x.ere:4:22: error E0201", "x.ere:4:25: error E0101",
				"x.ere:4:41: error E0302", "x.ere:4:52: error E0306", "x.ere:4:70: error E0101"}},
		{"each statement reports its own", "mutable constant a: int\naction t(x: int) {\n  a := ;\n  if a = 1 { a = 2; a := 3; }\n  choose 4;\n  b := 5;\n}\ninit c\naxiom )\n",
			[]string{"x.ere:3:8: error E0003", "x.ere:4:16: error E0003", "x.ere:5:10: error E0003",
				"x.ere:9:7: error E0003"}},
		{"a block that is not closed", "mutable constant a: int\naction t() {\n  a := 1;\ninit ) a = 0\naxiom )\n",
			[]string{"x.ere:3:10: error E0003", "x.ere:4:6: error E0003",
				"x.ere:5:7: error E0003"}},
		{"conditions of fairness", "mutable relation r\nfair action a() fair if r { }\naction b() strong if r { }\naction c() fair { }\n" +
			"action d() fair if q { r := r }\naction e() fair if new(r) { r := r }\naction f() fair if 1 { r := r }",
			[]string{"x.ere:2:17: error E0003", "x.ere:3:19: error E0003", "x.ere:4:17: error E0003"}},
		{"what conditions of fairness say", "mutable relation r\nghost relation g\naction d() fair if q { r := r }\naction e() fair if new(r) { r := r }\n" +
			"action f() fair if 1 { r := r }",
			[]string{"x.ere:3:20: error E0101", "x.ere:4:20: error E0302", "x.ere:5:20: error E0201"}},
		{"a condition of fairness that reads a ghost", "mutable relation r\nghost relation g\naction d() fair if g { r := r }",
			[]string{"x.ere:3:20: error E0403"}},
		{"the end of the file", "action t() {\n\n\n", []string{"x.ere:1:13: error E0003"}},
		{"a name below a negation", "mutable relation held\nsafety [p] !hold\n", []string{"x.ere:2:13: error E0101"}},
		{"safety in a safety property", "mutable relation r\nsafety [p] safety & r\n", []string{"x.ere:2:1: error E0107"}},
		{"types in a circle", "type a = b\ntype b = a\nmutable constant x: a\n", []string{"x.ere:2:10: error E0107"}},
		{"a range that needs itself", "mutable constant x: 0..y\nimmutable constant y: 0..y\n",
			[]string{"x.ere:2:26: error E0107"}},
		{"ranges in any order are fine, errors are not", "mutable constant x: 0..y\nimmutable constant y: 0..z\nimmutable constant z: 0..2\naxiom q",
			[]string{"x.ere:4:7: error E0101"}},
	} {
		t.Run(c.name, func(t *testing.T) {
			_, list, err := Compile("x.ere", c.text)
			if err == nil {
				t.Fatal("no error")
			}
			var got []string
			for _, d := range list.All {
				line := d.Error()
				got = append(got, line[:strings.Index(line, ": error")+len(": error E0000")])
			}
			if strings.Join(got, "\n") != strings.Join(c.want, "\n") {
				t.Errorf("got:\n%s\nwant:\n%s", list, strings.Join(c.want, "\n"))
			}
		})
	}
}

// An action whose formula would have to quantify over functions cannot be a part of another
// formula.
func TestActionWithoutFormula(t *testing.T) {
	_, list, err := Compile("x.ere", "sort s\nmutable relation r(s)\naction a(x: s) { r := *; assume r(x); r := *; }\ntwostate theorem a(X)\n")
	if err == nil || len(list.All) != 1 || list.All[0].Code != diag.DefinitionHere ||
		list.All[0].Span.Line() != 4 {
		t.Errorf("%v", list)
	}
}

// Expressions over a specification: the term, or the beginning of the message.
func TestExpression(t *testing.T) {
	spec, list, err := Read("x.ere", `
sort s
enum color { red, green }
immutable constant last: int
type number = 0..last
mutable relation r(s)
mutable function f(s): number
mutable constant shade: color
mutable constant s1: int                    # hides the element of this name
definition d(x: s) = r(x) & f(x) > 0
twostate definition step(x: s) = r(x) & !new(r(x))
action a(x: s) { r := *; assume r(x); r := *; }
safety [one] r(X) & r(Y) -> X = Y
liveness [live] forall X: s. r(X) ~> !r(X)
`)
	if err != nil {
		t.Fatal(list)
	}
	elements := map[string]*logic.Term{}
	for i := range 2 {
		elements[fmt.Sprint("s", i)] = logic.Member(spec.System.Sorts[0], i)
	}
	for _, c := range []struct{ text, want string }{
		{"one", "forall X:s, Y:s. r(X) & r(Y) -> X = Y"},
		{"safety & d(s0)", "(forall X:s, Y:s. r(X) & r(Y) -> X = Y) & (r(s0) & 0 < f(s0))"},
		{"r(X) -> f(X) = last", "forall X:s. r(X) -> f(X) = last"},
		{"f(s0) + 1", "f(s0) + 1"},
		{"s1 + 1", "s1 + 1"},
		{"if r(s0) then red else shade", "if r(s0) then red else shade"},
		{"exists K: 0..3. K = last # why not", "exists K:0..3. K = last"},
		{"let k = f(s0) in k * k", "let k = f(s0) in k * k"},

		{"", "expression:1:1: error E0003: expected an expression, found the end of the expression"},
		{"f(", "expression:1:3: error E0003"},
		{"r(s0) r", "expression:1:7: error E0003: expected the end of the expression, found 'r'"},
		{"rr(s0)", "expression:1:1: error E0101: 'rr' is not declared"},
		{"f(s0) = red", "expression:1:9: error E0201"},
		{"f(X)", "expression:1:3: error E0101: 'X' is not declared"},
		{"X", "expression:1:1: error E0202"},
		{"X = X", "expression:1:1: error E0202"},
		{"r(s1)", "expression:1:3: error E0201"},
		{"s0(s0)", "expression:1:1: error E0101"},
		{"new(r(s0))", "expression:1:1: error E0302"},
		{"old(r(s0))", "expression:1:1: error E0302"},
		{"step(s0)", "expression:1:1: error E0303"},
		{"a(s0)", "expression:1:1: error E0303"},
		{"live", "expression:1:1: error E0309"},
		{"r(s0) ~> r(s0)", "expression:1:1: error E0309"},
		{"r(s0) $", "expression:1:7: error E0002"},
		{"\xff", "expression:1:1: error E0001"},
		{strings.Repeat("(", 2000), "expression:1:1001: error E0005"},
	} {
		term, err := spec.Expression(c.text, elements)
		got := ""
		if err != nil {
			got = err.Error()
		} else {
			got = term.String()
		}
		if !strings.HasPrefix(got, c.want) || err == nil && got != c.want {
			t.Errorf("%.40q: %s, want %s", c.text, got, c.want)
		}
	}
}

// Every text gives a system or an error with a position; nothing panics.
func FuzzCompile(f *testing.F) {
	for _, e := range diag.Catalogue() {
		f.Add(e.Example)
	}
	f.Add("mutable constant x: int\naction up(k: 0..3) { x := x + k; }\nliveness [p] true ~> x > 3\n" +
		"rank [p] { bound x <= 3; never up(k) with k = 0; never up(n); case x = 1; }")
	for _, pattern := range []string{"../../../examples/*.ere", "../../../examples/*/*.ere"} {
		files, err := filepath.Glob(pattern)
		if err != nil {
			f.Fatal(err)
		}
		for _, path := range files {
			text, err := os.ReadFile(path)
			if err != nil {
				f.Fatal(err)
			}
			f.Add(string(text))
		}
	}
	f.Fuzz(func(t *testing.T, text string) {
		sys, list, err := Compile("x.ere", text)
		if err == nil {
			if sys.String() == "" && strings.Contains(text, "sort ") &&
				!strings.Contains(text, "#") {
				t.Error("an empty system")
			}
			return
		}
		var d *diag.List
		if !errors.As(err, &d) {
			t.Fatalf("an error without a position: %v", err)
		}
		for _, d := range list.All {
			if d.Span.IsZero() || d.Message == "" {
				t.Errorf("no position: %v", d)
			}
		}
		var b strings.Builder
		if err := list.Render(&b, true); err != nil {
			t.Error(err)
		}
	})
}

// TestDefinitionsOfDefinitions: a definition may read others, in any order. Where they form a
// circle, the last one does not give a value.
func TestDefinitionsOfDefinitions(t *testing.T) {
	sys, _, err := Compile("test.ere", `
mutable relation p
derived relation a: a <-> !b
derived relation b: b <-> p
derived relation c: c <-> d | a
derived relation d: d <-> e & p
derived relation e: e <-> c
init p
action go() { p := !p; }
safety a | p
`)
	if err != nil {
		t.Fatal(err)
	}
	for _, d := range sys.Derived {
		if want := d.Symbol.Name != "e"; want != (d.Body != nil) {
			t.Errorf("%s has a value by its definition: %v, want %v", d.Symbol.Name, !want, want)
		}
	}
}

// An unknown name keeps its own fix, and the edit for it, below an operator that has a hint.
func TestDidYouMean(t *testing.T) {
	_, list, err := Compile("x.ere", "mutable relation held\nsafety [p] !hold\n")
	if err == nil || list.All[0].Fix != "Did you mean 'held'?" || list.All[0].Edit == nil ||
		list.All[0].Edit.New != "held" ||
		list.All[0].Edit.Span.Text() != "hold" {
		t.Errorf("%+v", list.All[0])
	}
}
