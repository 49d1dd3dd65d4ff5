package names

import (
	"fmt"
	"strings"
	"testing"

	"erelong.dev/erelong/internal/diag"
	"erelong.dev/erelong/internal/front/tla/syntax"
)

const other = `---- MODULE Other ----
CONSTANT K
Twice(x) == x = K
LOCAL Hidden == 1
====
`

const text = `---- MODULE M ----
EXTENDS Other
CONSTANTS N, Op(_)
VARIABLES v, w
RECURSIVE F(_)
F(n) == IF n = 0 THEN v ELSE F(n - 1)
O(a) == INSTANCE Other WITH K <- a
g[i \in N] == [j \in 1..i |-> g[j]]
Inv == /\ \A i \in N : \E <<i, k>> \in g[i] : i = k
       /\ LET v == w IN O(v)!Twice(v) \/ Twice(N)
       /\ {x \in N : x = v} = {Op(y) : y \in {w}}
       /\ [r EXCEPT !.v = N, ![w] = @] = Op(LAMBDA z : z)
       /\ (CHOOSE c \in N : c = w) = [v |-> w].v
Next == [v' = w]_v
ASSUME A == N = 1
THEOREM T == Inv
====
`

func find(module string) *diag.Source {
	if module == "Other" {
		return diag.NewSource("Other.tla", other)
	}
	return nil
}

// where says which declaration a name in a line means: where it is declared.
func where(t *testing.T, table *Table, source, line, name string, nth int) string {
	t.Helper()
	at := strings.Index(source, line)
	if at < 0 {
		t.Fatalf("there is no %s", line)
	}
	for range nth {
		at += strings.Index(source[at:], name) + 1
	}
	o := table.At(at - 1)
	if o == nil {
		return "nothing"
	}
	return fmt.Sprintf("%s %s:%d", o.Of.Kind, o.Of.Name.Span.Source.Name, o.Of.Name.Span.Line())
}

func TestNames(t *testing.T) {
	table := Of(diag.NewSource("M.tla", text), find)
	for _, x := range []struct {
		line, name string
		nth        int
		want       string
	}{
		{"EXTENDS Other", "Other", 1, "module Other.tla:1"},
		{"F(n) ==", "F", 1, "definition M.tla:5"},
		{"F(n) ==", "n", 2, "parameter M.tla:6"},
		{"THEN v", "v", 1, "variable M.tla:4"},
		{"WITH K", "K", 1, "constant Other.tla:2"},
		{"<- a", "a", 1, "parameter M.tla:7"},
		{"|-> g[j]", "g", 1, "function M.tla:8"},
		{"|-> g[j]", "j", 1, "bound variable M.tla:8"},
		{"g[i] : i", "i", 1, "bound variable M.tla:9"},
		{": i = k", "i", 1, "bound variable M.tla:9"},
		{"O(v)!", "O", 1, "instance M.tla:7"},
		{"O(v)!", "v", 1, "definition of a LET M.tla:10"},
		{"!Twice", "Twice", 1, "definition Other.tla:3"},
		{"Twice(N)", "Twice", 1, "definition Other.tla:3"},
		{"x = v", "v", 1, "variable M.tla:4"},
		{"{Op(y)", "Op", 1, "constant M.tla:3"},
		{"{Op(y)", "y", 1, "bound variable M.tla:11"},
		{"[r EXCEPT", "r", 1, "nothing"},
		{"!.v", "v", 1, "nothing"},
		{"![w]", "w", 1, "variable M.tla:4"},
		{": z)", "z", 1, "parameter M.tla:12"},
		{"c = w", "c", 1, "bound variable M.tla:13"},
		{"[v |->", "v", 1, "nothing"},
		{"]_v", "v", 1, "variable M.tla:4"},
		{"== Inv", "Inv", 1, "definition M.tla:9"},
	} {
		if got := where(t, table, text, x.line, x.name, x.nth); got != x.want {
			t.Errorf("%s in %q: %s instead of %s", x.name, x.line, got, x.want)
		}
	}
	var global []string
	for _, d := range table.Declarations {
		if !d.Local() {
			global = append(global, d.Name.Text)
		}
		if len(d.Uses) == 0 || d.Uses[0].Text() != d.Name.Text {
			t.Errorf("%s is used at %v", d.Name.Text, d.Uses)
		}
	}
	if got := strings.Join(global, " "); got != "M N Op v w F O g Inv Next A T" {
		t.Errorf("the declarations are %s", got)
	}
}

func TestConfiguration(t *testing.T) {
	config := "CONSTANTS N = {a} Op <- Twice\nINVARIANT Inv\nNEXT Next ALIAS Nothing\n"
	modules := syntax.Parse(diag.NewSource("M.tla", text), &diag.List{})
	table := OfConfiguration(diag.NewSource("M.cfg", config), modules[0], modules, find)
	for _, x := range [][2]string{{"N =", "constant M.tla:3"}, {"a}", "nothing"},
		{"Twice", "definition Other.tla:3"}, {"Inv\n", "definition M.tla:9"},
		{"Next", "definition M.tla:14"}, {"Nothing", "nothing"}} {
		if got := where(t, table, config, x[0], x[0][:1], 1); got != x[1] {
			t.Errorf("%q: %s instead of %s", x[0], got, x[1])
		}
	}
}

// What cannot be read, or extends itself, has the names that can be found.
func TestBroken(t *testing.T) {
	if got := Of(diag.NewSource("M.tla", "nothing"), find); len(got.Occurrences) != 0 {
		t.Errorf("%v", got.Occurrences)
	}
	self := "---- MODULE M ----\nEXTENDS M, Missing\nx == y\n====\n"
	if got := Of(diag.NewSource("M.tla", self), find); len(got.Declarations) != 2 {
		t.Errorf("%v", got.Declarations)
	}
}
