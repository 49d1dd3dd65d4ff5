package interp_test

import (
	"context"
	"errors"
	"strings"
	"testing"

	"erelong.dev/erelong/internal/interp"
	"erelong.dev/erelong/internal/testkit"
)

func TestModelErrors(t *testing.T) {
	for _, c := range []struct {
		name, text, want string
		as               any
	}{
		{"infinite relation", "mutable relation E(int)\ninstance i { }",
			"relation E(int) has infinitely many points: use a range, such as 0..9, in place of int", new(*interp.InfiniteError)},
		{"no value for a range", "immutable constant n: int\nmutable relation r(0..n)\ninstance i { }",
			"constant n has no value: `n = n` is missing", new(*interp.ValueError)},
		{"too many points", "mutable relation r(0..100000, 0..100000)\ninstance i { }", "more than 16777216 values", nil},
		{"range too wide", "immutable constant n: int\nmutable relation r(-9223372036854775807..n)\ninstance i { n = 9223372036854775807 }",
			"more values than fit in 64 bits", nil},
	} {
		t.Run(c.name, func(t *testing.T) {
			sys := testkit.Compile(t, c.text)
			inst := sys.Instance("i")
			_, err := interp.NewModel(sys, inst)
			if err == nil || !strings.Contains(err.Error(), c.want) {
				t.Errorf("error %v, want %q", err, c.want)
			}
			if c.as != nil && !errors.As(err, c.as) {
				t.Errorf("error %v has the type %T", err, err)
			}
		})
	}
}

func TestSizesAreNeeded(t *testing.T) {
	sys := testkit.Compile(t, "sort node\nsort ticket\nmutable relation r(node)\ninstance i { node = 2, ticket = 1 }")
	inst := sys.Instances[0]
	delete(inst.Sizes, sys.Sorts[1])
	_, err := interp.NewModel(sys, inst)
	if missing := (*interp.SizeError)(nil); !errors.As(err, &missing) ||
		missing.Sort != sys.Sorts[1] ||
		!strings.Contains(err.Error(), "`ticket = n` is missing") {
		t.Errorf("error %v", err)
	}
	inst.Sizes[sys.Sorts[1]] = 0
	if _, err := interp.NewModel(sys, inst); err == nil || !strings.Contains(err.Error(), "never empty") {
		t.Errorf("error %v", err)
	}
}

func TestInitialStates(t *testing.T) {
	for _, c := range []struct {
		name, text string
		want       int
		err        string
	}{
		{"all subsets", "sort s\nmutable relation r(s)\ninstance i { s = 3 }", 8, ""},
		{"nonempty subsets", "sort s\nmutable relation r(s)\ninit exists X. r(X)\ninstance i { s = 3 }", 7, ""},
		{"total orders", `sort s
			immutable relation le(s, s)
			axiom le(X, X) & (le(X, Y) & le(Y, Z) -> le(X, Z)) & (le(X, Y) & le(Y, X) -> X = Y) & (le(X, Y) | le(Y, X))
			instance i { s = 4 }`, 24, ""},
		{"injections", "sort s\nsort u\nimmutable function f(s): u\naxiom f(X) = f(Y) -> X = Y\ninstance i { s = 3, u = 4 }", 24, ""},
		{"contradiction", "mutable relation p\ninit p\ninit !p\ninstance i { }", 0, ""},
		{"within the range", "mutable constant c: 2..4\ninit c != 3\ninstance i { }", 2, ""},
		{"empty range", "mutable constant c: 4..2\ninstance i { }", 0, ""},
		{"outside of the range", "mutable constant c: 2..4\ninit c = 7\ninstance i { }", 0, ""},
		{"range by an axiom", "immutable constant n: int\naxiom n = 2\nmutable relation r(0..n)\ninstance i { }", 8, ""},
		{"range end chosen", "immutable constant n: 0..2\nmutable constant c: 0..n\ninstance i { }",
			6, ""},
		{"many elements", "sort s\nmutable relation r(s)\nmutable constant c: s\ninit r(X) <-> X = c\ninstance i { s = 40 }", 40, ""},
		{"forced integers", "mutable constant a: int\nmutable constant b: int\ninit a = b + 1 & b = 3\ninstance i { }", 1, ""},
		{"integer by the last disjunct", "mutable relation p\nmutable constant n: int\ninit !p & (p | n = 3)\ninstance i { }", 1, ""},
		{"integer by the last instance", "mutable relation r(0..2)\nmutable constant n: int\ninit (r(K) <-> K < 2) & !(forall K. r(K) | n != K + 5)\ninstance i { }", 1, ""},
		{"no last instance", "immutable constant b: 0..2\nmutable constant c: 0..2\ninit exists K: 0..b. K = c\ninstance i { }", 6, ""},
		{"integer between bounds", "mutable constant a: int\ninit a >= 2 & !(a > 4)\ninstance i { }", 3, ""},
		{"integer not outside", "mutable constant a: int\ninit !(a < 2 | 2 < a)\ninstance i { }", 1, ""},
		{"integer in cases", "mutable constant a: int\ninit a = 2 | 5 = a + 1 | 1 - a = 0 & a < 7\ninstance i { }", 3, ""},
		{"integers of a function", "sort s\nmutable function a(s): int\ninit 0 < a(X) & a(X) + 1 < 4\ninstance i { s = 2 }", 4, ""},
		{"integer by an implication", "mutable relation p\nmutable constant n: int\ninit (p -> n = 3) & (!p -> n <= 1 & -n <= -1)\ninstance i { }", 2, ""},
		{"integer by a derived relation", "mutable constant n: int\nderived relation d(int): d(X) <-> n <= X & X - 1 < n\ninit d(4)\ninstance i { }", 1, ""},
		{"no integer", "mutable constant a: int\ninit a > 2 & a < 3\ninstance i { }", 0, ""},
		{"integer with one bound in a case", "mutable constant a: int\ninit a = 2 | a > 4\ninstance i { }", 0, "cannot enumerate the integers of the constant a"},
		{"integer at the end of 64 bits", "mutable constant a: int\ninit a - 1 >= 9223372036854775806\ninstance i { }", 0, "cannot enumerate the integers of the constant a"},
		{"parameter by bounds", "immutable constant n: int\naxiom n <= 2 & n >= 2\nmutable relation r(0..n)\ninstance i { }", 8, ""},
		{"parameter with several values", "immutable constant a: int\naxiom a <= 2 & a >= 1\ninstance i { }", 0, "`a = n` is missing"},
		{"free integer", "mutable constant a: int\ninit a > 3\ninstance i { }", 0, "cannot enumerate the integers of the constant a"},
		{"free parameter", "immutable constant a: int\ninstance i { }", 0, "`a = n` is missing"},
		{"trusted", "sort s\nmutable relation r(s)\ntrusted invariant r(X) & r(Y) -> X = Y\ninstance i { s = 3 }", 4, ""},
		{"enum", "enum e { one, two, three }\nmutable function f(bool): e\ninit f(true) != f(false)\ninstance i { }", 6, ""},
		{"error in init", "mutable relation r(0..2)\nimmutable constant k: int\ninit r(k)\ninstance i { k = 5 }", 0,
			"r is applied to 5, which is outside of its range"},
	} {
		t.Run(c.name, func(t *testing.T) {
			m := model(t, c.text)
			seen := map[string]bool{}
			err := m.Initial(context.Background(), func(s interp.State) error {
				if err := m.Check(s, true); err != nil {
					t.Errorf("state %v is listed, but %v", s, err)
				}
				seen[m.Key(s)] = true
				return nil
			})
			switch {
			case c.err != "" && (err == nil || !strings.Contains(err.Error(), c.err)):
				t.Errorf("error %v, want %q", err, c.err)
			case c.err == "" && err != nil:
				t.Error(err)
			case c.err == "" && len(seen) != c.want:
				t.Errorf("%d initial states, want %d", len(seen), c.want)
			}
		})
	}
}

func TestErrorsInActions(t *testing.T) {
	const head = `
		enum colour { red, green }
		mutable constant n: int
		mutable relation r(0..3)
		mutable constant c: colour
		init n = 9223372036854775807 & !r(K) & c = red
		instance i { }
	`
	for _, c := range []struct{ name, action, want string }{
		{"sum", "action a(k: 0..3) { require k = 2; n := n + 1; }", "action a(k = 2): test.ere:8:42: the result of + does not fit in 64 bits"},
		{"product", "action a() { require n * n = 1; }", "the result of * does not fit in 64 bits"},
		{"literal", "action a() { n := 9223372036854775808; }", "9223372036854775808 does not fit in 64 bits"},
		{"read", "action a() { require r(n); }", "r is applied to 9223372036854775807, which is outside of its range 0..3 (0..3)"},
		{"write", "action a(k: 0..3) { r(k + 1) := true; }", "action a(k = 3)"},
		{"in a branch", "action a(x: colour) { if x = green { n := -(-n - 2); } }", "action a(x = green)"},
		{"in a choice", "action a(x: colour) { choose y: colour with y != x; n := if y = red then 0 else n + 1; }",
			"action a(x = red, y = green)"},
		{"integer parameter", "action a(k: int) { n := k; }", "action a(): test.ere:8:11: the integers of variable k cannot be enumerated: use a range"},
		{"integer havoc", "action a() { n := *; }", "cannot enumerate the integers of the constant n"},
		{"quantifier over the integers", "action a() { require forall X: int. X = n; }", "the integers of variable X cannot be enumerated"},
	} {
		t.Run(c.name, func(t *testing.T) {
			sys := testkit.Compile(t, head+c.action)
			m, err := interp.NewModel(sys, sys.Instance("i"))
			if err != nil {
				t.Fatal(err)
			}
			states := initial(t, m)
			err = m.Steps(context.Background(), states[0], sys.Actions[0], func(interp.Step) error {
				return nil
			})
			var wrapped *interp.ActionError
			if err == nil || !strings.Contains(err.Error(), c.want) {
				t.Errorf("error %v, want %q", err, c.want)
			} else if !errors.As(err, &wrapped) {
				t.Errorf("error %v is a %T", err, err)
			}
		})
	}
}

// Guards protect the terms to their right, also while values are unknown.
func TestGuardsProtect(t *testing.T) {
	m := model(t, `
		mutable constant n: 0..5
		mutable relation r(0..3)
		init n = 5 & !r(K)
		action and() { require n <= 3 & r(n); }
		action implies() { require n <= 3 -> r(n); }
		action or() { require n > 3 | r(n); }
		action branch() { require if n <= 3 then r(n) else true; }
		action havoc() { n := *; require n <= 3; require !r(n); r(n) := true; }
		action blocked() { r := *; require r(0) & !r(0); require r(n); }
		action branched() { r := *; require r(0) & !r(0); if r(n) { n := 0; } }
		action assigned() { r := *; require r(0) & !r(0); r(n) := true; }
		action havocked() { r := *; require r(0) & !r(0); r(n) := *; }
		action free() { r := *; n := *; require n <= 3 -> r(n); require n > 3 | r(n); require n < 5; }
		instance i { }`)
	want := map[string]int{"and": 0, "implies": 1, "or": 1, "branch": 1, "havoc": 4, "blocked": 0, "branched": 0, "assigned": 0, "havocked": 0, "free": 4*8 + 16}
	s := initial(t, m)[0]
	for _, a := range m.System.Actions {
		seen := map[string]bool{}
		err := m.Steps(context.Background(), s, a, func(s interp.Step) error {
			seen[m.Key(s.State)] = true
			return nil
		})
		if err != nil || len(seen) != want[a.Name] {
			t.Errorf("%s: %d states, %v; want %d", a.Name, len(seen), err, want[a.Name])
		}
	}
}

func TestCyclicDefinitionIsRefused(t *testing.T) {
	sys := testkit.Compile(t, "sort s\nmutable relation r(s)\nderived relation d(s): d(X) <-> r(X)\ninstance i { s = 1 }")
	d := sys.Derived[0]
	d.Body = d.Axiom.Args[0].Args[0] // d(X) itself
	_, err := interp.NewModel(sys, sys.Instances[0])
	if err == nil || !strings.Contains(err.Error(), "depends on itself") {
		t.Errorf("error %v", err)
	}
}

func TestActionWithoutCodeIsRefused(t *testing.T) {
	m := model(t, "mutable relation p\ntransition a() modifies p new(p)\ninstance i { }")
	a := *m.System.Actions[0]
	a.Code = nil
	if err := m.Steps(context.Background(), initial(t, m)[0], &a, func(interp.Step) error {
		return nil
	}); err == nil {
		t.Error("an action without code made steps")
	}
}

func TestCancellation(t *testing.T) {
	m := model(t, "sort s\nmutable relation r(s, s)\ninit exists X. r(X, X)\naction a() { r := *; }\ninstance i { s = 6 }")
	ctx, cancel := context.WithCancel(context.Background())
	n := 0
	err := m.Initial(ctx, func(interp.State) error {
		if n++; n == 10 {
			cancel()
		}
		return nil
	})
	if !errors.Is(err, context.Canceled) {
		t.Errorf("after %d states: %v", n, err)
	}
}

func initial(t *testing.T, m *interp.Model) []interp.State {
	t.Helper()
	var out []interp.State
	if err := m.Initial(context.Background(), func(s interp.State) error {
		out = append(out, s)
		return nil
	}); err != nil {
		t.Fatal(err)
	}
	return out
}
