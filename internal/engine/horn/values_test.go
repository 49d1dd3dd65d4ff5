package horn

import (
	"fmt"
	"maps"
	"math/rand"
	"slices"
	"strings"
	"testing"

	"erelong.dev/erelong/internal/interp"
	"erelong.dev/erelong/internal/logic"
	"erelong.dev/erelong/internal/system/systemtest"
	"erelong.dev/erelong/internal/system/systemtest/states"
	"erelong.dev/erelong/internal/testkit"
)

// Each reachable state has values among the ones that are found for its place.
func TestSmallSetsOfRuns(t *testing.T) {
	numbers := 0
	for seed := range testkit.Size(60, 400) {
		rng := rand.New(rand.NewSource(seed))
		text := stepping(rng)
		if seed%2 == 0 {
			text = counters(rng)
		}
		s := newSpace(t, testkit.Compile(t, text))
		for _, x := range s.reachable(t, 150) {
			at, ok := s.at[int64(s.place(x))]
			if !ok {
				t.Fatalf("seed %d: no state at place %d\n%s", seed, s.place(x), text)
			}
			for sym, slot := range s.slot {
				if vs, ok := at[sym]; ok && !slices.Contains(vs, x[slot]) {
					t.Fatalf("seed %d: %s is %d at place %d, not among %v\n%s", seed, sym, x[slot],
						s.place(x), vs, text)
				}
				if vs, ok := s.values[sym]; ok && !slices.Contains(vs, x[slot]) {
					t.Fatalf("seed %d: %s is %d, not among %v\n%s", seed, sym, x[slot], vs, text)
				}
			}
		}
		numbers += len(s.values)
	}
	if t.Logf("%d numbers with few values", numbers); numbers < 60 {
		t.Errorf("only %d numbers have few values", numbers)
	}
}

// The values that a number has are found exactly where each step says what it becomes.
func TestSmallSets(t *testing.T) {
	const head = "mutable constant n: int\nmutable constant m: int\ninit n = 3 & m = 0\n"
	for _, c := range []struct{ text, want string }{
		{"action a() { n := 5; }", "m=[0] n=[3 5]"},
		{"action a() { require n < 6; n := n + 1; }", "m=[0] n=[3 4 5 6]"},
		{"action a() { require n <= 6; n := n + 1; }", "m=[0] n=[3 4 5 6 7]"},
		{"action a() { require 6 > n; n := n + 1; }", "m=[0] n=[3 4 5 6]"},
		{"action a() { require n > 1; n := n - 1; }", "m=[0] n=[1 2 3]"},
		{"action a() { require 1 <= n; n := n - 1; }", "m=[0] n=[0 1 2 3]"},
		{"action a() { n := n + 1; }", "m=[0]"},
		{"action a() { n := -1; }", "m=[0]"},
		{"action a() { n := 65535; }", "m=[0] n=[3 65535]"},
		{"action a() { n := 65536; }", "m=[0]"},
		{"action a() { require n < 66; n := n + 1; }", "m=[0] n=[3 .. 66]"},
		{"action a() { require n < 67; n := n + 1; }", "m=[0]"},
		{"action a() { require n = 3; n := 7; } action b() { require n = 7; m := n - 5; }",
			"m=[0 2] n=[3 7]"},
		{"action a() { require n = 4; n := 9; }", "m=[0] n=[3]"},
		{"action a() { n := *; }", "m=[0]"},
		{"action a() { require m < 3; m := m + 1; } action b() { n := m * m - m; }",
			"m=[0 1 2 3] n=[0 2 3 6]"},
		{"action a() { require m < 1; m := m + 1; } action b() { n := 10 * m + m * m; }",
			"m=[0 1] n=[0 3 11]"},
		{"action a() { n := if m = 0 then 1 else 2; }", "m=[0] n=[1 2 3]"},
		{"action a() { require n = 3; n := 5; m := n; }", "m=[0 5] n=[3 5]"},
		{"action a(k: int) { n := k; }", "m=[0]"},
		{"action a() { require n = 3; m := 1; } action b() { n := m + n; require n < 6; }",
			"m=[0 1]"},
	} {
		sys := testkit.Compile(t, head+c.text+"\nsafety [goal] n >= 0")
		all, _ := smallSets(sys, nil)
		var got []string
		for sym, vs := range all {
			text := fmt.Sprint(vs)
			if n := len(vs); n > 10 && vs[n-1]-vs[0] == int64(n-1) {
				text = fmt.Sprintf("[%d .. %d]", vs[0], vs[n-1])
			}
			got = append(got, sym.Name+"="+text)
		}
		slices.Sort(got)
		if text := strings.Join(got, " "); text != c.want {
			t.Errorf("%s\n%s, want %s", c.text, text, c.want)
		}
	}
}

// The lemmas of a solution say of each place what is known there, and that no other one is reached;
// what is known everywhere is said once.
func TestLemmas(t *testing.T) {
	sys := testkit.Compile(t, `enum place { a, b, c, d }
mutable constant at: place
mutable constant n: int
mutable constant x: int
init at = a & n = 2 & x = 0
action one() { require at = a; at := b; n := 5; x := x + 1; }
action two() { require at = b; at := c; n := 3; }
action back() { require at = c & x < 9; at := a; n := 2; }
safety [goal] x < 20
`)
	s := newSpace(t, sys)
	n, x := sys.Symbols[1], sys.Symbols[2]
	if n.Name != "n" || x.Name != "x" || !slices.Equal(s.at[1][n], []int64{5}) {
		t.Fatalf("%s and %s, with the values %v", n, x, s.at)
	}
	atMost := func(k int64) *logic.Term {
		return logic.Le(logic.App(x, logic.Pre), logic.IntLit(k))
	}
	type known = map[int]*logic.Term
	for _, c := range []struct {
		known map[int]*logic.Term
		alone bool // x <= 3 is said of all places together
	}{
		{known{0: atMost(3), 1: atMost(3), 2: atMost(3)}, true},
		{known{0: logic.And(atMost(3), atMost(1)), 1: atMost(3), 2: atMost(2)}, false},
		{known{0: atMost(3), 1: logic.False, 2: atMost(3)}, true},
		{known{0: atMost(3), 1: logic.False, 2: logic.True}, false},
		{known{0: logic.True, 2: atMost(0), 3: atMost(0)}, false},
	} {
		known := c.known
		lemmas := s.lemmas(known)
		texts := map[string]bool{}
		for _, l := range lemmas {
			if texts[l.String()] || l.IsTrue() {
				t.Errorf("%s stands among the lemmas %v", l, lemmas)
			}
			texts[l.String()] = true
		}
		if texts[atMost(3).String()] != c.alone {
			t.Errorf("x <= 3 alone is not %v in %v", c.alone, lemmas)
		}
		for at := range int64(4) {
			for v := range int64(8) {
				for w := range int64(6) {
					state := interp.State{at, v, w}
					want := known[int(at)] != nil && at < 3 &&
						slices.Contains(s.at[at][n], v) && slices.Contains(s.at[at][x], w)
					if want {
						is, err := s.model.Holds(known[int(at)], state)
						if err != nil {
							t.Fatal(err)
						}
						want = is
					}
					is, err := s.model.Holds(logic.And(lemmas...), state)
					if err != nil {
						t.Fatal(err)
					}
					if is != want {
						t.Errorf("%v: %v in %v, want %v", lemmas, is, state, want)
					}
				}
			}
		}
	}
}

// The control is the enum that most conjuncts of guards compare with a member.
func TestControl(t *testing.T) {
	const head = `enum e { a, b }
mutable constant first: e
mutable constant second: e
immutable constant fixed: e
mutable constant n: int
init first = a & second = a & n = 0
`
	for _, c := range []struct{ text, want string }{
		{"action x() { require first = a; n := 0; }", "first"},
		{"action x() { require second = a; n := 0; }", "second"},
		{"action x() { require first = a; n := 0; } action y() { require n = 0 & second = b; n := 1; } action z() { require second = a; n := 0; }",
			"second"},
		{"action x() { require first = a & second = b; n := 0; }", "first"},
		{"action x() { require fixed = a; n := 0; }", ""},
		{"action x() { require first = second; n := 0; }", ""},
		{"action x() { require n = 0 & first != a; n := 0; }", ""},
	} {
		got := ""
		if s := control(testkit.Compile(t, head+c.text+"\nsafety [goal] n = 0")); s != nil {
			got = s.Name
		}
		if got != c.want {
			t.Errorf("%s\n%q, want %q", c.text, got, c.want)
		}
	}
}

// Joined sets have the values of both, and grow exactly when there is something new.
func TestJoinedSets(t *testing.T) {
	x, y := &logic.Symbol{Name: "x"}, &logic.Symbol{Name: "y"}
	many := func(n int64) (out []int64) {
		for i := range n {
			out = append(out, i)
		}
		return out
	}
	for _, c := range []struct {
		a, b, want sets
		grown      bool
	}{
		{nil, sets{x: {1}}, sets{x: {1}}, true},
		{sets{x: {1}}, sets{x: {1}}, sets{x: {1}}, false},
		{sets{x: {1, 3}}, sets{x: {3}}, sets{x: {1, 3}}, false},
		{sets{x: {1}}, sets{x: {2}}, sets{x: {1, 2}}, true},
		{sets{x: {1}, y: {2}}, sets{x: {1}}, sets{x: {1}}, true},
		{sets{x: {1}}, sets{x: {1}, y: {2}}, sets{x: {1}}, false},
		{sets{x: many(63)}, sets{x: {63}}, sets{x: many(64)}, true},
		{sets{x: many(64)}, sets{x: {64}}, sets{}, true},
	} {
		got, grown := c.a.or(c.b)
		if grown != c.grown || !maps.EqualFunc(got, c.want, slices.Equal[[]int64]) {
			t.Errorf("%v or %v: %v, %v", c.a, c.b, got, grown)
		}
	}
}

// The value of a term is among the ones that it can have. It is the only one where all symbols have
// one value, and no condition chooses.
func TestOperators(t *testing.T) {
	known := 0
	states.Operators(t, func(
		seed int64, m *interp.Model, state interp.State, claims []systemtest.Claim,
	) {
		one, several := sets{}, sets{}
		for slot, sym := range m.SlotSymbols() {
			if v := state[slot]; len(sym.Args) == 0 && sym.Result != logic.Bool {
				one[sym], several[sym] = []int64{v}, []int64{v - 1, v, v + 2}
			}
		}
		look := func(x *logic.Term) bool {
			if x.Sort.Base() != logic.Int || len(logic.FreeVars(x)) > 0 {
				return true
			}
			v, err := m.Eval(x, state)
			if err != nil {
				return true
			}
			chosen := false
			logic.Walk(x, func(x *logic.Term) bool {
				chosen = chosen || x.Op == logic.OpIte
				return true
			})
			if vs, ok := one.of(x); ok && (!slices.Contains(vs, v) || !chosen && len(vs) > 1) {
				t.Errorf("seed %d: %s is %d, not among %v", seed, x, v, vs)
			}
			if vs, ok := several.of(x); ok && !slices.Contains(vs, v) {
				t.Errorf("seed %d: %s is %d, not among %v", seed, x, v, vs)
			} else if ok {
				known++
			}
			return true
		}
		for _, c := range claims {
			logic.Walk(c.Term, look)
		}
	})
	if known < 1000 {
		t.Errorf("the values of only %d terms are known", known)
	}
}
