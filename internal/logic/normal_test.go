package logic_test

import (
	"math/rand"
	"slices"
	"strings"
	"testing"

	"erelong.dev/erelong/internal/interp"
	"erelong.dev/erelong/internal/logic"
	"erelong.dev/erelong/internal/system"
	"erelong.dev/erelong/internal/system/systemtest"
	"erelong.dev/erelong/internal/testkit"
)

// A formula and its normal form have the same value, and so have their negations. Nearly every
// normal form is its own, but for the order of its parts.
func TestNormalMeaning(t *testing.T) {
	changed, formulas, moved := 0, 0, 0
	for seed := range testkit.Size(60, 400) {
		sys, claims, err := systemtest.Operators(rand.New(rand.NewSource(seed)), 3)
		if err != nil {
			t.Fatal(err)
		}
		m, err := interp.NewModel(sys, sys.Instances[0])
		if err != nil {
			t.Fatal(err)
		}
		var state interp.State
		if err := m.Initial(t.Context(), func(s interp.State) error {
			state = s
			return nil
		}); err != nil {
			t.Fatal(err)
		}
		for i, c := range claims {
			for _, term := range []*logic.Term{c.Term, logic.Not(c.Term),
				logic.And(c.Term, claims[(i+1)%len(claims)].Term),
				logic.Iff(c.Term, claims[(i+2)%len(claims)].Term)} {
				want, err := m.Eval(term, state)
				if err != nil {
					t.Fatal(err)
				}
				normal := logic.Normal(term)
				formulas++
				if !logic.Equal(term, normal) {
					changed++
				}
				if got, err := m.Eval(normal, state); err != nil || got != want {
					t.Fatalf("seed %d: %s is %d; its normal form %s is %d (%v)", seed, term, want,
						normal, got, err)
				}
				if again := logic.Normal(normal); !same(normal, again) {
					moved++
					t.Logf("seed %d: %s\nhas the normal form\n%s\nwhich has\n%s", seed, term,
						normal, again)
				}
				check := *sys
				check.Properties = []*system.Property{{Name: "p", Kind: system.Safety,
					Term: normal}}
				if err := system.Validate(&check); err != nil {
					t.Fatalf("seed %d: %v", seed, err)
				}
			}
		}
	}
	if changed < 1000 || moved > formulas/500 {
		t.Errorf("of %d formulas %d changed, and %d normal forms", formulas, changed, moved)
	}
}

// Formulas that say the same in other words have one normal form.
func TestNormalForms(t *testing.T) {
	const head = `
		sort s
		enum colour { red, green }
		immutable relation le(s, s)
		mutable relation a(s), b(s), c(s)
		mutable relation p, q
		mutable function f(s): int
		mutable constant n: int
		mutable constant k: colour
		mutable function h(s): colour
		definition lt(x: s, y: s) = le(x, y) & x != y
	`
	for _, c := range []struct {
		want  string
		words []string
	}{
		{"a(X) -> b(X)", []string{"!a(X) | b(X)", "!b(X) -> !a(X)", "!(a(X) & !b(X))",
			"!(exists Y. a(Y) & !b(Y))", "!!(a(X) -> b(X)) & true"}},
		{"a(X) & b(X) -> c(X)", []string{"a(X) -> b(X) -> c(X)", "a(X) & !c(X) -> !b(X)",
			"!(exists X. a(X) & (b(X) & !c(X)))"}},
		{"!a(X) & !b(X)", []string{"!(a(X) | b(X))", "!(exists X. a(X) | b(X))",
			"(forall X. !a(X)) & (forall Y. !b(Y))", "!(exists X. a(X)) & !(exists X. b(X))"}},
		{"a(X) & (c(X) | c(Y)) -> X = Y | lt(X, Y)", []string{
			"!(exists X, Y. a(X) & (c(X) | c(Y)) & X != Y & !lt(X, Y))",
			"(a(X) & c(X) -> X = Y | lt(X, Y)) & (a(X) & c(Y) -> X = Y | lt(X, Y))",
			"forall X. (c(X) -> (forall Y. a(X) -> X = Y | lt(X, Y))) & " +
				"(forall Y. a(X) & c(Y) -> X = Y | lt(X, Y))"}},
		{"f(X) = n", []string{"f(X) <= n & n <= f(X)", "!(f(X) < n | f(X) > n)",
			"f(X) >= n & f(X) <= n", "f(X) + 2 = n + 2", "f(X) - 2 = n - 2"}},
		{"f(X) + 1 = n", []string{"f(X) + 1 <= n & f(X) + 1 >= n", "f(X) < n & n <= f(X) + 1",
			"!(n <= f(X) | n > f(X) + 1)", "n - 1 = f(X)"}},
		{"f(X) < n", []string{"f(X) + 1 <= n", "!(n <= f(X))", "n > f(X)",
			"f(X) <= n & f(X) != n", "f(X) - 1 < n - 1"}},
		{"n > 0", []string{"n >= 1", "!(n <= 0)", "1 <= n", "!(n < 1)", "n + 1 > 1"}},
		{"p <-> q", []string{"(p -> q) & (q -> p)", "(p & q) | (!p & !q)", "!p <-> !q",
			"!(p <-> !q)", "if p then q else !q"}},
		{"k = red", []string{"k != green", "!(k = green)"}},
		{"true", []string{"k = red | k = green", "p | !p", "n < 3 | n >= 3"}},
		{"p -> k = red", []string{"(if p then red else green) = red -> k = red",
			"(if !p then red else green) = red | k = red"}},
		{"p & (exists X. a(X))", []string{"exists X. p & a(X)", "!(forall X. p -> !a(X))"}},
		{"p | q", []string{"!p -> q", "!(!p & !q)", "p | q | false", "q | p | p"}},
	} {
		text := head + "safety " + c.want + "\n"
		for _, w := range c.words {
			text += "safety " + w + "\n"
		}
		sys := testkit.Compile(t, text)
		want := logic.Normal(sys.Properties[0].Term)
		for i, p := range sys.Properties[1:] {
			if got := logic.Normal(p.Term); !same(got, want) {
				t.Errorf("%s has the normal form\n%s\nand %s has\n%s", c.words[i], got, c.want, want)
			}
		}
	}
}

// same compares up to the order of parts.
func same(a, b *logic.Term) bool {
	letters := func(t *logic.Term) string {
		all := []byte(t.String())
		slices.Sort(all)
		return strings.Trim(string(all), " ()")
	}
	return logic.Equal(a, b) || letters(a) == letters(b)
}

// What may be empty, keeps its quantifier; a formula that is too large stays.
func TestNormalLimits(t *testing.T) {
	sys := testkit.Compile(t, `
		immutable constant last: int
		mutable relation p
		mutable relation r(0..last)
		safety p | (forall K: 0..last. r(K))
		safety exists K: 0..last. p
		safety forall K: 0..last. false
	`)
	for i, want := range []string{"p | forall K:0..last. r(K)", "exists K:0..last. p",
		"forall K:0..last. false"} {
		if got := logic.Normal(sys.Properties[i].Term).String(); got != want {
			t.Errorf("got %s, want %s", got, want)
		}
	}
	large := sys.Properties[0].Term
	for range 16 {
		large = logic.Iff(logic.Not(large), large)
	}
	if logic.Normal(large) != large {
		t.Error("a large formula was rewritten")
	}
}
