package syntax

import (
	"cmp"
	"fmt"
	"maps"
	"slices"
	"strings"
	"testing"

	"erelong.dev/erelong/internal/diag"
	"erelong.dev/erelong/internal/front/parse"
)

// body is the tree of an expression; nil after an error.
func body(text string) Expr {
	m := Parse(diag.NewSource("M.tla", "---- MODULE M ----\nA == "+text+"\n===="), &diag.List{})
	if m == nil || len(m[0].Units) != 1 {
		return nil
	}
	return exprs(m)[0]
}

// Between each two infix operators, in each of their ways of writing, the operand belongs to the
// one whose range of precedences lies above; where the ranges meet, to the left one if it is the
// same and associative; otherwise it is an error.
func TestPrecedence(t *testing.T) {
	kinds := slices.Sorted(maps.Keys(operators))
	for _, l := range kinds {
		for _, r := range kinds {
			a, b := operators[l], operators[r]
			if a.fix != infix || b.fix != infix {
				continue
			}
			left, right := fmt.Sprintf("(x %s y) %s z", l, r), fmt.Sprintf("x %s (y %s z)", l, r)
			want := ""
			switch {
			case a.low > b.high || a == b && a.associative:
				want = left
			case b.low > a.high:
				want = right
			}
			got := body(fmt.Sprintf("x %s y %s z", l, r))
			switch {
			case a == times && b == times:
				if p, ok := got.(*Times); !ok || len(p.Sets) != 3 {
					t.Errorf("a product of three: %s", dump(got))
				}
			case (got == nil) != (want == ""):
				t.Errorf("x %s y %s z: %v instead of %q", l, r, got, want)
			case got != nil && dump(got) != dump(body(want)):
				t.Errorf("x %s y %s z is not %s", l, r, want)
			}
		}
	}
}

// precedences has the numbers of Lamport's "Specifying Systems", table 6, and of SANY where it
// differs (\cdot, -.). An a is for the associative ones. What is not listed is 5-5, not
// associative.
const precedences = `=> 1-1  ~> \equiv -+-> 2-2  /\ \/ 3-3a  \cdot 5-14a  @@ 6-6a  <: :> 7-7  \ 8-8
\union \intersect 8-8a  .. ... 9-9  !! 9-13  $ $$ ?? ## \uplus \sqcap \sqcup 9-13a  \wr 9-14
+ ++ \oplus 10-10a  % 10-11  | || %% 10-11a  \X 10-13a  - -- \ominus 11-11a  / // \div \oslash 13-13
* ** & && \odot \otimes \star \o \bigcirc \bullet 13-13a  ^ ^^ 14-14
\lnot 4-4  [] <> ENABLED UNCHANGED 4-15  SUBSET UNION DOMAIN 10-13  -. 12-12  ' ^+ ^* ^# 15-15`

func TestTable(t *testing.T) {
	want := map[string]string{}
	var group []string
	for _, word := range strings.Fields(precedences) {
		if c := word[0]; c < '0' || c > '9' {
			group = append(group, word)
			continue
		}
		for _, name := range group {
			want[name] = word
		}
		group = nil
	}
	for _, o := range operators {
		got := fmt.Sprintf("%d-%d", o.low/10, o.high/10)
		if o.associative {
			got += "a"
		}
		if w := cmp.Or(want[o.name], "5-5"); got != w || o.low%10 != 0 || o.high%10 != 0 {
			t.Errorf("%s has %s instead of %s", o.name, got, w)
		}
	}
}

// Prefix and postfix operators by the same rule.
func TestPrefixAndPostfix(t *testing.T) {
	for text, want := range map[string]string{
		"~a = b":           "~(a = b)",
		"~a /\\ b":         "(~a) /\\ b",
		"SUBSET A \\cup B": "(SUBSET A) \\cup B",
		"[]a => b":         "([]a) => b",
		"[]a = b":          "",
		"[]a'":             "",
		"SUBSET A \\X B":   "",
		"DOMAIN f'":        "DOMAIN (f')",
		"-a * b":           "-(a * b)",
		"-a + b":           "(-a) + b",
		"a * -b":           "a * (-b)",
		"a ^ -b * c":       "",
		"a ^ -b + c":       "(a ^ (-b)) + c",
		"a + b'":           "a + (b')",
		"f[x]'":            "(f[x])'",
		"f'[x].y":          "((f')[x]).y",
		"-f[x]^2":          "-((f[x])^2)",
		"a'^+":             "(a')^+",
		"- - a":            "-(-a)",
		"a * ~b + c":       "a * (~(b + c))",
	} {
		got := body(text)
		if (got == nil) != (want == "") || got != nil && dump(got) != dump(body(want)) {
			t.Errorf("%s is not %q", text, want)
		}
	}
}

// The table has all operators, and each way of writing one, in ASCII and beyond, gives its name.
func TestSynonyms(t *testing.T) {
	names := map[string]bool{}
	for kind, o := range operators {
		names[o.name] = true
		var text string
		switch o.fix {
		case prefix:
			text = string(kind) + " (x)"
		case infix:
			text = "x " + string(kind) + " y"
		default:
			text = "x" + string(kind)
		}
		got := body(text)
		if o == times {
			continue
		}
		if a, ok := got.(*Apply); !ok || a.Name.Text != o.name {
			t.Errorf("%s is not an application of %s", text, o.name)
		}
	}
	if len(names) != 99 {
		t.Errorf("%d operators", len(names))
	}
	for sign, kind := range unicode {
		if operators[parse.Kind(kind)] == nil && !slices.Contains(signs, kind) {
			t.Errorf("%s stands for nothing: %s", sign, kind)
		}
	}
}

// A module in Unicode is the same as in ASCII, with the columns of its lists.
func TestUnicode(t *testing.T) {
	ascii := `---- MODULE M ----
A == /\ \/ x \in S
        \/ y' = <<z, w>>
     /\ \A i \in Nat : [i |-> x]
     /\ \E j : i \leq j ~> []<>(p => q)
f[x \in [S -> T]] == LET a == F(\cup) IN b \notin c \X d
====
`
	ascii = strings.ReplaceAll(ascii, "\\leq", "<=")
	want := Parse(diag.NewSource("M.tla", ascii), &diag.List{})
	text := ascii
	signs := slices.SortedFunc(maps.Keys(unicode), func(a, b string) int {
		return len(unicode[b]) - len(unicode[a])
	})
	for _, sign := range signs {
		switch kind := unicode[sign]; {
		case kind == "/\\" || kind == "\\/": // a bullet keeps its column
			text = strings.ReplaceAll(text, kind, sign+" ")
		case kind != "==" && kind != "-|" && kind != "..":
			text = strings.ReplaceAll(text, kind, sign)
		}
	}
	text = strings.ReplaceAll(strings.ReplaceAll(text, "A ==", "A ≜ "), "Nat", "ℕ")
	got := Parse(diag.NewSource("M.tla", text), &diag.List{})
	if dump(got) != dump(want) || got == nil || strings.Contains(text, "<<") {
		t.Errorf("%s\nis not read as\n%s", text, ascii)
	}
}
