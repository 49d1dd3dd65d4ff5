package lint

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"erelong.dev/erelong/internal/diag"
	"erelong.dev/erelong/internal/front/ere/syntax"
)

// found gives the warnings about a text, one a line: position, code and message.
func found(t *testing.T, name, text string) []string {
	t.Helper()
	errs := &diag.List{}
	file := syntax.Parse(diag.NewSource(name, text), errs)
	if err := errs.Err(); err != nil {
		t.Fatal(err)
	}
	File(file, errs)
	errs.Sort()
	var out []string
	for _, d := range errs.All {
		if d.Severity != diag.Warning || d.Fix == "" {
			t.Errorf("no warning, or one without a way out: %v", d)
		}
		line, column := d.Span.Source.Position(d.Span.Start)
		out = append(out, fmt.Sprintf("%d:%d %s %s", line, column, d.Code, d.Message))
	}
	return out
}

func TestFile(t *testing.T) {
	const head = "sort node\nmutable relation a(node)\nmutable relation b(node)\nimmutable constant leader: node\ninit !a(X) & !b(X)\n"
	const use = "\nsafety exists X. a(X) & b(X) & X = leader"
	for _, c := range []struct {
		name, text string
		want       []string
	}{
		{"a capital letter in place of a parameter", head + "action t(n: node) { require !a(N); a(n) := true; }" + use,
			[]string{"6:32 W0701 'N' occurs once and stands for every value, and 'n' is in scope"}},
		{"with a quantifier it is meant", head + "action t(n: node) { require forall N. !a(N); a(n) := true; }" + use, nil},
		{"in a transition", head + "transition t(n: node) modifies a a(N) & (forall X. a'(X) <-> X = n)" + use,
			[]string{"6:36 W0701 'N' occurs once and stands for every value, and 'n' is in scope"}},
		{"in a property", head + "safety a(Leader) -> b(leader)",
			[]string{"6:10 W0701 'Leader' occurs once and stands for every value, and 'leader' is in scope"}},
		{"one letter", head + "safety a(Leadr) -> b(leader)",
			[]string{"6:10 W0701 'Leadr' occurs once and stands for every value, and 'leader' is in scope"}},
		{"letters and numbers tell names apart", head + "definition d(X1: node, node2: node) = a(X2) | a(Y) & X1 = node2\nsafety d(leader, leader)", nil},
		{"a derived relation that is free", head + "derived relation d(node): b(X) <-> a(X)\nsafety d(leader)",
			[]string{"6:18 W0708 the formula of 'd' does not mention it, so it may have any value"}},
		{"another is defined", head + "derived relation d(node): forall X. b(X) <-> a(X) & d(X)\nsafety d(leader)",
			[]string{"6:18 W0708 the formula of 'd' looks like a definition of 'b'"}},
		{"derived relations that are defined", head + "derived relation d(node): d(X) <-> a(X)\nderived relation e(node): a(X) <-> !e(X)\n" +
			"derived relation f(node): f(X) & a(X) -> b(X)\nsafety d(leader) & e(leader) & f(leader)", nil},
		{"what occurs twice is meant",
			head + "safety a(Leader) -> b(Leader)\naxiom leader = leader", nil},
		{"every point of a target is meant", head + "action t(n: node) { require a(n); a(N) := false; b(N) := N = n; }" + use, nil},
		{"a condition", head + "action t() { require !a(X) & !b(Y); if a(X) { a(X) := true; } choose n: node with b(Z); a(n) := true; }" + use, []string{
			"6:22 W0705 'X', 'Y' stand for every value, so the condition is: forall X, Y. !a(X) & !b(Y)",
			"6:40 W0705 'X' stands for every value, so the condition is: forall X. a(X)",
			"6:83 W0705 'Z' stands for every value, so the condition is: forall Z. b(Z)"}},
		{"a condition of fairness", head + "action t(n: node) fair if a(X) { a(n) := true; }" + use, []string{
			"6:27 W0705 'X' stands for every value, so the condition is: forall X. a(X)"}},
		{"a parameter", head + "action t(n: node, _m: node) { b(leader) := a(leader); }" + use,
			[]string{"6:10 W0702 't' does not use its parameter 'n'"}},
		{"declarations", "sort s\nsort _s\ntype t = 0..3\nenum e { one }\nmutable relation a, b\ninit !a\nimmutable constant c: int\nimmutable constant used: int\n" +
			"definition d() = a\ninstance i { s = 3, c = 4, used = 3 }\naction x() { require used = 3; a := true; }", []string{
			"1:6 W0703 the sort 's' is not used", "3:6 W0703 the type 't' is not used", "5:21 W0703 the relation 'b' is not used",
			"7:20 W0703 the constant 'c' is not used",
			"9:12 W0703 the definition 'd' is not used"}},
		{"no value at the start", "sort s\nmutable relation a, b, c\nmutable constant at: s\nmutable constant x: 0..3\nghost relation g\nderived relation d: d <-> c\n" +
			"definition start() = !b\ninit start() & d\ninit [i] a\naction t() { x := 3; g := a & d; require at = at; }", []string{
			"4:18 W0704 no initial condition speaks of 'x', so a run can start with any value of it",
			"5:16 W0704 no initial condition speaks of 'g', so a run can start with any value of it"}},
		{"no start", "mutable relation a, b\naction t() { a := b; }", []string{"1:18 W0704 the file has no initial condition, so a run can start in any state"}},
		{"no steps", "mutable relation a, b\ntheorem a -> a | b", nil},
		{"precedence", "mutable relation a, b, c\ninit !a & !b & !c\naction t() { require a & b -> c; require (a & b) -> c; require a & (b -> c); require a | b -> c; c := !(a & b -> c); c := !((a & b) -> c); }\n" +
			"safety !(& a\n  & b # both\n  -> c)\nsafety a & b -> c", []string{
			"3:22 W0706 this is read as (a & b) -> c", "3:104 W0706 this is read as (a & b) -> c", "4:9 W0706 this is read as (a & b) -> c"}},
		{"meant, on the line", "mutable relation a # meant: W0704\nmutable relation b # meant: W0703, W0704 for no reason\naction t() { a := true; }", []string{
			"2:20 W0707 there is no warning W0704 here that this comment could be about"}},
		{"meant, above", "# meant: W0703, W0704\n# A comment.\nmutable relation b\nmutable relation a # meant: W0704\naction t() { a := true; }\n# meant: W0701", []string{
			"1:1 W0707 there is no warning W0704 here that this comment could be about",
			"6:1 W0707 there is no warning W0701 here that this comment could be about"}},
		{"other comments", "mutable relation a # meant: something W0701\n# meant\ninit a", nil},
	} {
		t.Run(c.name, func(t *testing.T) {
			if got := found(t, "x.ere", c.text); !slices.Equal(got, c.want) {
				t.Errorf("got:\n%s\nwant:\n%s", strings.Join(got, "\n"), strings.Join(c.want, "\n"))
			}
		})
	}
}

// The examples have no warning; the warnings about other people's models are worth a look.
func TestFiles(t *testing.T) {
	root := filepath.Join("..", "..", "..", "..")
	for _, c := range []struct {
		pattern string
		want    []string
	}{
		{filepath.Join(root, "examples", "*.ere"), nil},
		{filepath.Join(root, "examples", "*", "*.ere"), nil},
		{filepath.Join(root, "..", "shared", "models", "mypyvy", "examples", "*.pyv"), []string{
			"block_cache_system.pyv:195:50 W0701", "block_cache_system.pyv:211:50 W0701", "block_cache_system.pyv:225:50 W0701",
			"block_cache_system.pyv:239:50 W0701", "fast_paxos_epr.pyv:85:45 W0702"}},
	} {
		files, err := filepath.Glob(c.pattern)
		if err != nil {
			t.Fatal(err)
		}
		if len(files) == 0 {
			t.Logf("%s is not at hand", c.pattern)
			continue
		}
		var got []string
		for _, path := range files {
			text, err := os.ReadFile(path)
			if err != nil {
				t.Fatal(err)
			}
			for _, line := range found(t, path, string(text)) {
				place := strings.Fields(line)
				got = append(got, filepath.Base(path)+":"+place[0]+" "+place[1])
			}
		}
		if !slices.Equal(got, c.want) {
			t.Errorf("got:\n%s\nwant:\n%s", strings.Join(got, "\n"), strings.Join(c.want, "\n"))
		}
	}
}
