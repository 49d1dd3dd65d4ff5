package ere

import (
	"strings"
	"testing"

	"erelong.dev/erelong/internal/diag"
)

// Habits from other languages are refused, and the message says what to write instead.
func TestHabits(t *testing.T) {
	const head = "mutable constant x: int\nmutable constant y: int\nmutable relation r\n"
	for _, c := range []struct{ text, fix string }{
		{"init x == 0", "Equality is written =."},
		{"init r => r", "Implication is written ->"},
		{"action a() { x = 1; }", "An assignment is written :=."},
		{"action a() { x == 1; }", "An assignment is written :=."},
		{"action a() { x += 1; }", "Write x := x + ..."},
		{"action a() { x -= 1; }", "Write x := x - ..."},
		{"action a() { x++; }", "Write x := x + 1."},
		{"mutable function f(int): int\naction a() { f(f(1))++; }", "Write f(f(1)) := f(f(1)) + 1."},
		{"mutable function f(int): int\naction a() { f(1) += 2; }", "Write f(1) := f(1) + ..."},
		{"action a() { x, y := 1, 2; }", "a statement of its own"},
		{"action a() { r.add(x); }", "Nothing has methods"},
		{"action a() { r := true x := 1; }", "Write ; after the statement."},
		{"action a() { local z := 1; }", "Write let x = e;"},
		{"action a() { r := {1}; }", "A set is the value of a symbol that is declared so"},
		{"safety one: r", "A name stands in brackets: safety [one]"},
		{"safety [one] r\nexpect one holds", "A name stands in brackets: [one]."},
		{"sort s\ninstance i { s = 1; }", "Commas separate what stands in braces"},
		{"sort s\nmutable relation q(s)\ninit forall n in s: q(n)", "a dot follows"},
		{"sort s\nmutable relation q(s)\ninit forall n: s q(n)", "a dot follows"},
		{"init \\A n: r", "forall X. ... for \\A"},
		{"init r <=> r", "Equivalence is written <->."},
		{"mutable turn: int", "Write mutable constant turn: SORT"},
		{"mutable constant z: int = 0", "init x = ..."},
		{"fair step() { }", "Write fair action step."},
		{"action a() @fair { }", "Fairness stands before the word: fair action a(x) { ... }"},
		{"action a() strong fair { }", "Fairness stands before the word: fair action a(x) { ... }"},
		{"mutable constant z: 0..N", "Declare it: immutable constant N: int"},
		{"action a() { if r then x := 1; }", "if c { ... } else { ... }"},
		{"action a() { requires r; }", "Write require."},
		{"action a() { assert r; }", "Write safety"},
		{"action a() { while r { } }", "no loops"},
		{"init ¬r", "Write !."},
		{"init r → r", "Write ->."},
		{"init r /\\ r", "& for /\\"},
		{"init r \\/ r", "& for /\\"},
		{"init r // why", "comments begin with #"},
		{"init x / 2 = y", "Write x div 2"},
		{"init x % 2 = y", "Write x mod 2"},
		{"init x mod y = 0", "The divisor is a positive number"},
		{"action a() { x := x div y; }", "The divisor is a positive number"},
		{"variable z: int", "mutable constant"},
		{"constant N: int", "immutable constant"},
		{"relation q", "mutable relation"},
		{"weak fair action a() { }", "Fairness is weak"},
		{"temporal always eventually x = y", "eventually binds tighter than ="},
		{"temporal always x = y", "always binds tighter than ="},
		{"init !x = y", "! binds tighter than ="},
		{"action a() { x := 1;\nsafety r", "Close the block with }."},
		{"sort s;", "without a semicolon"},
		{"mutable relation q: int -> bool", "in parentheses"},
		{"transition t() new(r)", "modifies r & "},
		{"transition t() modifies quorum & new(r)", "Declare it"},
		{"init quorum", "declare it, as in immutable constant quorum"},
		{"mutable relation r", "another name"},
		{"safety [p] r\nsafety [p] r", "another name"},
		{"sort s\nsort s", "another name"},
		{"sort s\ninstance i { s = 1 }\ninstance i { s = 2 }", "another name"},
		{"sort s\ninstance i { s = 1, s = 2 }", "Delete one"},
		{"sort s\ninstance i { s = 0 }", "Write s = 2"},
		{"sort s\ninstance i { s = 1, quorum = 2 }", "An instance fixes s."},
		{"definition d() = d", "definition d(...): bool depth 4"},
		{"sort s\nmutable constant z: s\ninit z = 0", "The elements of s have no numbers."},
		{"enum e { up, down }\nmutable constant z: e\ninit z = 0", "The values of e are up, down."},
		{"safety [mutex] r\nexpect [answer] holds", "The file has mutex."},
		{"mutable constant z: 0..99999999999999999999", "Write int"},
	} {
		_, list, err := Compile("x.ere", head+c.text)
		if err == nil {
			t.Errorf("%s is accepted", c.text)
		} else if !strings.Contains(list.All[0].Fix, c.fix) {
			t.Errorf("%s: %v, fix %q, want %q", c.text, list.All[0], list.All[0].Fix, c.fix)
		}
	}
	compile(t, "x.ere", head+"init r && !r || r & & r\ninit x = 0 & y = 0")
}

// A sort that is not declared is one error, and not another one wherever it is used.
func TestUnknownSortIsOneError(t *testing.T) {
	_, list, err := Compile("x.ere",
		"sort s\nmutable relation r(s)\naction a(p: t) { r(p) := true; }\nsafety !r(X)")
	if err == nil || len(list.All) != 1 || list.All[0].Code != diag.UnresolvedSort ||
		list.All[0].Fix != "Declare it: sort t" {
		t.Errorf("%v", list.All)
	}
}

// A byte order mark and line ends of Windows are accepted. A file that is not text is refused in
// one line.
func TestFilesOfAllKinds(t *testing.T) {
	const text = "mutable relation r # é\ninit !r\n\taction a() { r := true; }\nsafety [s] !r\n"
	want := compile(t, "x.ere", text).String()
	for name, other := range map[string]string{
		"byte order mark": "\ufeff" + text, "Windows": strings.ReplaceAll(text, "\n", "\r\n"), "no end": strings.TrimSpace(text),
		"both": "\ufeff" + strings.ReplaceAll(text, "\n", "\r\n"),
	} {
		if got := compile(t, "x.ere", other).String(); got != want {
			t.Errorf("%s: %s", name, got)
		}
	}
	compile(t, "x.ere", "")
	compile(t, "x.ere", "\ufeff")
	for _, c := range []struct{ text, want string }{
		{"\x7fELF\x02\x01\x01\x00\x00", "x.ere:1:1: error E0001: this is no specification: it is a program (ELF)\n"},
		{"\x00", "x.ere:1:1: error E0001: this is no specification: it is binary, with byte 0x00 at offset 0\n"},
		{"sort n\n\x89PNG\x00", "x.ere:1:1: error E0001: this is no specification: it is binary, with byte 0x00 at offset 11\n"},
		{"\xad\x01\x02sort", "x.ere:1:1: error E0001: this is no specification: it is binary, with byte 0x01 at offset 1\n"},
		{"\xff\xfes\x00o\x00", "x.ere:1:1: error E0001: this is no specification: it is in UTF-16; save it as UTF-8\n"},
	} {
		_, list, err := Compile("x.ere", c.text)
		var b strings.Builder
		if err == nil || list.Render(&b, false) != nil || b.String() != c.want {
			t.Errorf("%q: %s", c.text, b.String())
		}
	}
	for _, c := range []struct {
		text string
		code diag.Code
	}{
		{"sort n\n\xffsort", diag.NotText}, {text + "\ufeff", diag.BadCharacter},
		{text + strings.Repeat(" ", 9000) + "\x00", diag.NotText},
		{"init " + strings.Repeat("r & ", 1<<19) + "$", diag.BadCharacter},
	} {
		_, list, err := Compile("x.ere", c.text)
		var b strings.Builder
		if err == nil || list.All[0].Code != c.code || list.Render(&b, false) != nil ||
			b.Len() > 1000 {
			t.Errorf("%.20q: %.1000s", c.text, b.String())
		}
	}
}

// A transition may constrain the new value of a modified symbol through a derived relation.
func TestModifiedByDerived(t *testing.T) {
	const head = "mutable relation p, q\nderived relation d: d <-> !p\nderived relation e: e <-> !d\ninit p & q\n"
	compile(t, "x.pyv", head+"transition t() modifies p d'")
	compile(t, "x.pyv", head+"transition t() modifies p new(e)")
	compile(t, "x.pyv", "twostate theorem t() -> d'\n"+head+"transition t() modifies p d'")
	for _, text := range []string{"transition t() modifies q q & d'", "transition t() modifies p d",
		"transition t() modifies p, q new(e)"} {
		if _, list, err := Compile("x.pyv", head+text); err == nil ||
			list.All[0].Code != diag.Unconstrained {
			t.Errorf("%s: %v", text, err)
		}
	}
}

// In the value of a let, a name with a capital letter cannot stand for every value.
func TestCapitalInLet(t *testing.T) {
	const text = "sort n\nmutable relation p(n)\nmutable relation q\ninit !q & !p(X)\naction t() { let b = p(N); q := b; }"
	if _, list, err := Compile("x.ere", text); err == nil || len(list.All) == 0 ||
		list.All[0].Code != diag.UnresolvedName {
		t.Error(err)
	}
}
