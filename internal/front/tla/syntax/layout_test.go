package syntax

import (
	"strings"
	"testing"
)

// A list ends at the first token that is not right of its bullets, unless it is the next bullet.
func TestLists(t *testing.T) {
	for _, c := range []struct{ text, want string }{
		{"/\\ a\n     /\\ b", "(a) /\\ (b)"},
		{"/\\ a => b\n     /\\ c", "(a => b) /\\ c"},
		{"/\\ \\/ a\n        \\/ b\n     /\\ c", "(a \\/ b) /\\ c"},
		{"\\/ /\\ a\n        /\\ b\n     \\/ /\\ c\n        /\\ d", "(a /\\ b) \\/ (c /\\ d)"},
		{"/\\ a\n     /\\ b\n  => c", "(a /\\ b) => c"},
		{"/\\ a\n     /\\ b\n     \\/ c", "(a /\\ b) \\/ c"},
		{"/\\ a\n      \\/ b\n     /\\ c", "(a \\/ b) /\\ c"},
		{"/\\ IF /\\ a\n           /\\ b\n        THEN c\n        ELSE d\n     /\\ e",
			"(IF a /\\ b THEN c ELSE d) /\\ e"},
		{"/\\ \\A x : /\\ p\n               /\\ q\n     /\\ r", "(\\A x : p /\\ q) /\\ r"},
		{"(/\\ a\n      /\\ b) => c", "(a /\\ b) => c"},
		{"/\\ LET x == 1\n            y == 2\n        IN x\n     /\\ b", "(LET x == 1 y == 2 IN x) /\\ b"},
		{"/\\ CASE a -> /\\ b\n                  /\\ c\n          [] d -> e\n     /\\ g",
			"(CASE a -> b /\\ c [] d -> e) /\\ g"},
		{"/\\ a /\\ b\n     /\\ c", "(a /\\ b) /\\ c"},
		{"/\\ a \\* a comment\n\n(* another\n one *)     \n     /\\ b", "a /\\ b"},
		{"{/\\ x\n       /\\ y : z \\in S}", "{x /\\ y : z \\in S}"},
		{"/\\ a\n     /\\ f(/\\ b\n          /\\ c, d)", "a /\\ f(b /\\ c, d)"},
		{"\n\t/\\ a\n        /\\ b\n", "a /\\ b"},
		{"\n  \t/\\ a\n\t/\\ b\n", "a /\\ b"},
		{"\n\t/\\ \\/ a\n\t   \\/ b\n\t/\\ c\n", "(a \\/ b) /\\ c"},
		{"/\\ (a\n   )", ""},
		{"/\\ a\n     /\\\n  b", ""},
		{"/\\ f(x,\n   y)", ""},
		{"/\\ IF a\n   THEN b ELSE c", ""},
	} {
		got := body(c.text)
		if (got == nil) != (c.want == "") || got != nil && dump(got) != dump(body(c.want)) {
			t.Errorf("%s\nis not %q", c.text, c.want)
		}
	}
	if j, ok := body("/\\ a\n     /\\ b").(*Junction); !ok || !j.And || len(j.Items) != 2 {
		t.Error("no list")
	}
}

// What the tokens are, where a text can be read in two ways.
func TestTokens(t *testing.T) {
	for _, c := range []struct{ text, want string }{
		{"1..5", "Apply .. [1 5]"},
		{"1.5", "Number 1.5"},
		{".5 + \\HfF", "Apply + [0.5 \\HfF]"},
		{"\\b1 \\o \\o17", "Apply \\o [\\b1 \\o17]"},
		{"x \\inS", "Apply \\in [x S]"},
		{"S \\T", "Apply \\ [S T]"},
		{"\\Ax \\in S : x", "Quantified"},
		{"a<-b", ""},
		{"a < -b", "Apply < [a -b]"},
		{"x_1a", "Apply x_1a []"},
		{"1a", "Apply 1a []"},
		{"<<<<1>>, 2>>", "Tuple"},
		{"<<1>>_x", "Action"},
		{"[A]_x", "Action"},
		{"WF_x(A)", "Fair"},
		{"WFx(A)", "Apply WFx [A]"},
		{"a --b", "Apply -- [a b]"},
		{"a =< b", "Apply <= [a b]"},
		{"a (+) b", "Apply \\oplus [a b]"},
		{"a(+)", ""},
		{"a( + )", "Apply a [+]"},
		{"A!!!(x, y)", "Apply !! [x y]"},
		{"A!!B", "Apply !! [A B]"},
		{`"a\"\\\n\*"`, "String a\"\\\n\\*"},
	} {
		got := ""
		switch e := body(c.text).(type) {
		case nil:
		case *Apply:
			got = "Apply " + e.Name.Text + " [" + strings.ReplaceAll(list(e.Args), ",", "") + "]"
		case *Number:
			got = "Number " + e.Text
		case *String:
			got = "String " + e.Value
		case *Tuple:
			got = "Tuple"
		case *Action:
			got = "Action"
		case *Fair:
			got = "Fair"
		case *Quantified:
			got = "Quantified"
		}
		if got != c.want {
			t.Errorf("%s is %q instead of %q", c.text, got, c.want)
		}
	}
}
