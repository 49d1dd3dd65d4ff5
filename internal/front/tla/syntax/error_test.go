package syntax

import (
	"strings"
	"testing"
	"time"

	"erelong.dev/erelong/internal/diag"
)

// A mistake is reported at its place, with what is meant where it can be guessed.
func TestErrors(t *testing.T) {
	for _, c := range []struct{ body, message, fix string }{
		{"A = 1", "2:3: error E0003: expected '==', found '='", "Write =="},
		{"f[x \\in S] = 1", "2:12: error E0003: expected '==', found '='", "Write =="},
		{"A == LET b = 1 IN b", "2:12: error E0003: expected '==', found '='", ""},
		{"A == IF x == 1 THEN 2 ELSE 3", "2:11: error E0003: expected 'THEN', found '=='", "Write ="},
		{"A == (x == 1)", "2:9: error E0003: expected ')', found '=='", "Write ="},
		{"A == x != 1", "2:8: error E0003: expected an operator, or a definition, found '!'", "Write #"},
		{"A == x != (1)", "2:9: error E0003: expected two operands of '='", "Write #"},
		{"A == !x", "2:6: error E0003: expected an expression, found '!'", "Write ~"},
		{"A == x = 1 && y = 2", "2:17: error E0004: '=' and '=' need parentheses", "/\\ is 'and'"},
		{"A == x and y", "2:8: error E0003: expected an operator, or a definition, found 'and'", "Write /\\"},
		{"A == if x THEN 1 ELSE 2", "2:9: error E0003: expected an operator, or a definition", ""},
		{"A == x /\\ y \\/ z", "2:13: error E0004: '/\\' and '\\/' need parentheses", "one column"},
		{"A == \t /\\ f(x,\n\ty)", "3:2: error E0003: expected an expression, found the end of the list",
			"A tab goes to"},
		{"A == a => b => c", "2:13: error E0004: '=>' and '=>' need parentheses", "parentheses"},
		{"A == /\\ x\n  y", "3:3: error E0003: expected an operator, or a definition, found 'y'", ""},
		{"A == \\/ x\n     \\/\n  y", "4:3: error E0003: expected an expression, found the end of the list",
			"right of its \\/"},
		{"A == /\\ (x\n  )", "3:3: error E0003: expected ')', found the end of the list", "right of its /\\"},
		{"A == [x \\in S -> 1]", "2:15: error E0003: expected '|->', found '->'", "A function is"},
		{"A == [1, 2]", "2:8: error E0003: expected '->', 'EXCEPT' or ']_', found ','", ""},
		{"A == x // a comment", "2:13: error E0003: expected an operator", "A comment begins with \\*"},
		{"A == \"x", "2:6: error E0003: a string without its end in the line", "End the string"},
		{"A == 1;", "2:7: error E0002: unexpected character ';'", "no ;"},
		{"A == (* x", "2:6: error E0003: a comment without its end", "End it with *)"},
		{"Variables x", "2:1: error E0003: expected a definition, a declaration or '===='", "VARIABLES"},
		{"LOCAL VARIABLE x", "2:7: error E0003: expected a definition, found 'VARIABLE'", ""},
		{"A == IF x THEN 1", "3:1: error E0003: expected 'ELSE', found '===='", ""},
		{"A == \\A x, y \\in S, z : TRUE", "2:23: error E0003: expected '\\in', found ':'", ""},
		{"A == a * lab :: b + c", "2:10: error E0004: without the label", ""},
		{"A == a ^ -b * c", "2:13: error E0004: '-' and '*' need parentheses", ""},
		{"A == +", "2:6: error E0003: expected an expression", ""},
		{"A == -( < )", "2:9: error E0003: expected an operand, found an operator", ""},
		{"A == f(x(y)) :: z", "2:8: error E0003: the parameters of a label are names", ""},
		{"A == f(M!y) :: z", "2:8: error E0003: the parameters of a label are names", ""},
		{"A == M!y :: z", "2:10: error E0003: '::' stands after a label", ""},
		{"A == x' :: z", "2:9: error E0003: '::' stands after a label", ""},
		{"A(_) == 1", "2:4: error E0003: expected an infix or postfix operator, found ')'", ""},
		{"A(_ ~) == 1", "2:5: error E0003: expected an infix or postfix operator, found '~'", ""},
		{"A == \\E <<x, y>> : z", "2:18: error E0003: expected '\\in', found ':'", ""},
		{"A == \\EE x \\in S : z", "2:12: error E0003: expected ':', found '\\in'", ""},
		{"A == CHOOSE x, y \\in S : z", "2:14: error E0003: expected ':', found ','", ""},
		{"A == [f EXCEPT ! = 1]", "2:18: error E0003: expected '[' or '.', found '='", ""},
		{"A == {x \\in S, y \\in T : z}", "2:24: error E0003: expected '}', found ':'", ""},
		{"A == WF_(f(x)) /\\ y", "2:16: error E0003: expected '(', found '/\\'", ""},
		{"A == <1>2", "2:6: error E0003: expected an expression, found '<1>2'", ""},
		{"THEOREM TRUE\n<2>1. TRUE\n<1> QED", "4:1: error E0003: this step has not the level", ""},
		{"THEOREM TRUE\n<1> HAVE x OBVIOUS\n<1> QED", "3:12: error E0003: a step of this kind takes no proof", ""},
	} {
		text := "---- MODULE M ----\n" + c.body + "\n====\n"
		errs := &diag.List{}
		if Parse(diag.NewSource("M.tla", text), errs) != nil || len(errs.All) == 0 {
			t.Errorf("%s: no error", c.body)
			continue
		}
		d := errs.All[0]
		if !strings.HasPrefix(d.Error(), "M.tla:"+c.message) || !strings.Contains(d.Fix, c.fix) {
			t.Errorf("%s:\n%v; %s", c.body, d, d.Fix)
		}
	}
}

// After an error, reading goes on at the next unit.
func TestSeveralErrors(t *testing.T) {
	errs := &diag.List{}
	Parse(diag.NewSource("M.tla", `---- MODULE M ----
A = 1
B == /\ x
     /\ (y
C == 3
D == [a |-> 1
====`), errs)
	var lines []int
	for _, d := range errs.All {
		lines = append(lines, d.Span.Line())
	}
	if len(lines) != 3 || lines[0] != 2 || lines[1] != 5 || lines[2] != 7 {
		t.Errorf("errors in lines %v:\n%v", lines, errs)
	}
}

// A file without a module, or without the end of one, is no module. A later module with an error is
// left out with a warning.
func TestModules(t *testing.T) {
	for text, message := range map[string]string{
		"":                                "the file has no module",
		"text":                            "the file has no module",
		"---- MODULE M ----\nA == 1":      "expected '====' at the end of the module",
		"---- MODULE M\nA == 1\n====":     "expected '----', found 'A'",
		"---- MODULE M ----\nA == \x00\n": "the file is not UTF-8 text",
	} {
		errs := &diag.List{}
		if Parse(diag.NewSource("M.tla", text), errs) != nil ||
			!strings.Contains(errs.Error(), message) {
			t.Errorf("%q: %v", text, errs)
		}
	}
	errs := &diag.List{}
	modules := Parse(diag.NewSource("M.tla", "---- MODULE M ----\n==== text\n---- MODULE N ----\n"+
		"A = 1\n====\n---- MODULE O ----\n===="), errs)
	if len(modules) != 2 || modules[1].Name.Text != "O" || errs.Err() != nil || len(errs.All) != 1 {
		t.Errorf("%d modules, %v", len(modules), errs)
	}
}

// Deep nesting, long chains and garbage end with an error soon, and do not exhaust the stack.
func TestLimits(t *testing.T) {
	for name, expr := range map[string]string{
		"parentheses": strings.Repeat("(", 100_000),
		"prefixes":    strings.Repeat("~", 100_000) + "x",
		"postfixes":   "x" + strings.Repeat("'", 100_000),
		"indices":     "x" + strings.Repeat("[1]", 100_000),
		"sums":        "x" + strings.Repeat(" + x", 100_000),
		"bullets":     strings.Repeat("/\\ ", 100_000) + "x",
		"quantifiers": strings.Repeat("\\A x : ", 100_000) + "x",
		"lists":       strings.Repeat("{x \\in ", 100_000) + "x",
		"lets":        strings.Repeat("LET a == ", 100_000) + "x",
		"names":       strings.Repeat("x(\n", 100_000),
		"proofs":      "x\nTHEOREM y\n" + strings.Repeat("<+>a. z\n", 100_000),
		"modules":     "x\n" + strings.Repeat("---- MODULE N ----\n", 100_000),
	} {
		errs, start := &diag.List{}, time.Now()
		Parse(diag.NewSource("M.tla", "---- MODULE M ----\nA == "+expr+"\n===="), errs)
		if errs.Err() == nil {
			t.Errorf("%s: no error", name)
		}
		if took := time.Since(start); took > 5*time.Second {
			t.Errorf("%s: %v", name, took)
		}
	}
}

func FuzzParse(f *testing.F) {
	f.Add(everything)
	for unit := range strings.SplitSeq(everything, "\n") {
		f.Add("---- MODULE M ----\n" + unit + "\n====")
	}
	f.Fuzz(func(t *testing.T, text string) {
		errs := &diag.List{}
		modules := Parse(diag.NewSource("M.tla", text), errs)
		if (modules == nil) != (errs.Err() != nil) {
			t.Errorf("%d modules, %v", len(modules), errs)
		}
		positions(t, errs)
		if modules != nil {
			printed(t, modules)
		}
	})
}

func FuzzParseConfig(f *testing.F) {
	f.Add(configuration)
	f.Fuzz(func(t *testing.T, text string) {
		errs := &diag.List{}
		c := ParseConfig(diag.NewSource("M.cfg", text), errs)
		if (c == nil) != (errs.Err() != nil) {
			t.Errorf("%v, %v", c, errs)
		}
		positions(t, errs)
	})
}

// A module of many lines is read in a moment.
func TestLargeModule(t *testing.T) {
	unit := "A == /\\ \\A x \\in S : f[x] = [g EXCEPT ![x].b = @ + 1]\n     /\\ y' = {z \\in T : z > y}\n"
	text, start := "---- MODULE M ----\n"+strings.Repeat(unit, 10_000)+"====\n", time.Now()
	if m := Parse(diag.NewSource("M.tla", text), &diag.List{}); len(m[0].Units) != 10_000 {
		t.Error("not all is read")
	}
	if took := time.Since(start); took > 5*time.Second {
		t.Errorf("%v", took)
	}
}

// positions checks that each error has a place and a text.
func positions(t *testing.T, errs *diag.List) {
	t.Helper()
	for _, d := range errs.All {
		if d.Span.IsZero() || d.Message == "" {
			t.Errorf("no position: %v", d)
		}
	}
}
