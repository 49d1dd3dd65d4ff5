package flat_test

import (
	"strings"
	"testing"

	"erelong.dev/erelong/internal/front/ere"
)

// TestErrorsSayWhatToWrite has what people write who know another language.
func TestErrorsSayWhatToWrite(t *testing.T) {
	const before = `sort node
type entry = { term: 0..2, val: bool }
type msg = ask(src: node, t: 0..2) | ok
mutable constant s: seq[entry, 2]
mutable constant votes: set[node]
mutable constant m: msg
mutable function log(node): seq[entry]
mutable constant t: seq[int, 2]
`
	for _, c := range []struct{ text, want string }{
		{"safety first(s).trem = 1", "term"},
		{"safety e in s -> e.val", "'e' is not declared"},
		{"safety x in s -> x.val", "Write X if it stands for every value, or forall x. ..."},
		{"safety size({1, true}) = 2", "values of int beside it"},
		{"safety len(s) = 0", "size(s)"},
		{"safety s[0].val", "first(s)"},
		{"safety s == []", "="},
		{"safety |votes| >= 2", "size(s)"},
		{"safety |votes| * 2 > size(node)", "size(s)"},
		{"safety #votes >= 2", "size(s)"},
		{"safety votes.size() > 0", "Nothing has methods"},
		{"safety forall n: node. log[n] = []", "log(n)"},
		{"safety s = ()", "[]"},
		{"safety s = <<>>", "[a, b]"},
		{"safety votes \\subseteq votes", "subset"},
		{"safety votes = []", "An empty set is {}"},
		{"safety s = {}", "an empty sequence is []"},
		{"safety votes + votes = votes", "union"},
		{"safety s[1] != nil", "none"},
		{"safety not (s = [])", "Write !"},
		{"safety {1, true} = {}", "values of int beside it"},
		{"safety s = [] | last(s) = { term: 1 }", "entry has the fields term, val"},
		{"safety sum(votes) > 0", "sum(e.field for e in s)"},
		{"safety sum(s) > 0", "sum(e.field for e in s)"},
		{"safety s[-1].val", "last(s)"},
		{"safety first(s).Term = 1", "term"},
		{"safety Cardinality(votes) > 1", "size(s)"},
		{"safety (e for e in s) = 1", "')'"},
		{"safety size(e.term for e in s) = 1", "braces"},
		{"safety size({x + 1 for x in elements(t)}) + 1 <= 3", "range"},
		{"safety ([n: 1 for m: node]) = [:]", "its variable"},
		{"type tree = { left: tree, right: tree }", "contains itself"},
		{"mutable constant x: set[set[int]]", "a number in them has no range"},
		{"mutable relation r(seq[node])", "write seq[T, n]"},
		{"mutable function f(set[int]): node", "a number in them has no range"},
		{"safety match m { ask(a, b) -> true }", "ok"},
		{"enum mode { idle, busy }\nmutable constant at: mode\nsafety match at { idle -> true }",
			"nothing about busy"},
		{"enum mode { idle, busy }\nmutable constant at: mode\n" +
			"safety match at { idel -> true; _ -> false }", "Did you mean 'idle'"},
		{"enum mode { idle, busy }\nmutable constant at: mode\n" +
			"safety match at { _ -> true; idle -> false }", "Write '_' last"},
		{"mutable constant k: string\nsafety match k { \"a\" -> true; b -> false }",
			"string has no member 'b'"},
		{"safety match size(s) { ok -> true; _ -> false }", "int, which has no constructors"},
		{"definition f(x: 0..9): int = if x = 0 then 0 else f(x - 1)\nsafety f(3) = 0", "depth 4"},
		{"definition f(x: 0..9): int depth 0 = x\nsafety f(3) = 0", "a number from 1 to 64"},
		{"definition f(x: 0..9): int depth 30 = if x = 0 then 0 else f(x - 1) + f(x - 1)\n" +
			"mutable constant y: 0..9\nsafety f(y) = 0", "Make the depth, or the measure, smaller"},
		{"definition f(x: int): int measure(x) = if x <= 0 then 0 else f(x - 1)\nsafety f(3) = 0",
			"measure(x) depth 4"},
		{"definition f(x: 0..9): int measure(X) = if x = 0 then 0 else f(x - 1)\nsafety f(3) = 0",
			"'X' is not declared"},
		{"definition f(x: 0..9): int measure x = 0\nsafety f(3) = 0", "expected '('"},
		{"definition f(): set[node] = {n for n: node if n in f()}\nsafety f() = {}", "depth 4"},
		{"mutable function g(entry, entry): node\naction a() { g(S, S) := *; }",
			"'S' stands for every value of two arguments"},
		{"safety forall n: node. m = ask(n)", "ask(src: node, t: int)"},
	} {
		_, list, err := ere.Compile("test.ere", before+c.text)
		if err == nil {
			t.Errorf("%s: no error", c.text)
			continue
		}
		var all []string
		for _, d := range list.All {
			all = append(all, d.Message, d.Fix)
			if d.Span.IsZero() {
				t.Errorf("%s: %s has no position", c.text, d.Message)
			}
		}
		if text := strings.Join(all, "\n"); !strings.Contains(text, c.want) {
			t.Errorf("%s: the message does not say %q:\n%s", c.text, c.want, text)
		}
	}
}
