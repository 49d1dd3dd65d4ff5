package horn

import (
	"context"
	"errors"
	"fmt"
	"math/rand"
	"slices"
	"strings"
	"testing"

	"erelong.dev/erelong/internal/engine/induction"
	"erelong.dev/erelong/internal/interp"
	"erelong.dev/erelong/internal/logic"
	"erelong.dev/erelong/internal/result"
	"erelong.dev/erelong/internal/smt"
	"erelong.dev/erelong/internal/system"
	"erelong.dev/erelong/internal/testkit"
)

// solver gives the solvers that solve Horn clauses.
func solver(t *testing.T) []smt.Driver {
	t.Helper()
	ds := slices.DeleteFunc(testkit.Solvers(t), func(d smt.Driver) bool { return !d.Horn() })
	if len(ds) == 0 {
		t.Skip("no solver that solves Horn clauses")
	}
	return ds
}

func ask(t *testing.T, sys *system.System) *Answer {
	t.Helper()
	a, err := Find(t.Context(), sys, []*logic.Term{sys.Properties[0].Term},
		Options{Drivers: solver(t), Rlimit: 50_000_000})
	if err != nil {
		t.Fatal(err)
	}
	return a
}

// proves reports whether the first property is inductive with the lemmas.
func proves(t *testing.T, sys *system.System, lemmas []*logic.Term) bool {
	t.Helper()
	own := *sys
	own.Properties = slices.Clone(sys.Properties)
	for i, l := range lemmas {
		own.Properties = append(own.Properties,
			&system.Property{Name: fmt.Sprintf("lemma%d", i), Kind: system.Invariant, Term: l})
	}
	rs, err := induction.Prove(t.Context(), &own,
		induction.Options{Only: []string{sys.Properties[0].Name}})
	if err != nil {
		t.Fatal(err)
	}
	return rs[0].Verdict == result.Holds
}

const gate = `enum place { idle, up, check, down }
immutable constant limit: int
axiom limit >= 3
mutable constant at: place
mutable constant n: int
mutable constant code: int
init at = idle & n = 0 & code = 4
action begin() { require at = idle; at := up; code := 6; }
action more() { require at = up & n < limit; n := n + 1; at := check; }
action checked() { require at = check; at := down; code := code + 1; }
action fewer() { require at = down; if n > 0 { n := n - 1; } at := idle; code := 4; }
action stay() { require at = down & n > 0; at := idle; code := 4; }
`

// An invariant is found across places, with a parameter and a number of few values, and proved.
func TestFind(t *testing.T) {
	for _, goal := range []string{"n <= limit", "at = down -> code = 7", "n >= 0 & code <= 7"} {
		sys := testkit.Compile(t, gate+"safety [goal] "+goal)
		a := ask(t, sys)
		if a.Lemmas == nil {
			t.Errorf("%s: %+v", goal, a)
		} else if !proves(t, sys, a.Lemmas) {
			t.Errorf("%s is not proved with %v", goal, a.Lemmas)
		}
	}
	for _, goal := range []string{"n < limit", "code != 7", "at = check -> n < limit"} {
		if a := ask(t, testkit.Compile(t, gate+"safety [goal] "+goal)); !a.Violated {
			t.Errorf("%s: %+v", goal, a)
		}
	}
}

// What has no Horn clauses is refused by name.
func TestNotHorn(t *testing.T) {
	for _, text := range []string{
		"sort s\nmutable relation r(s)\ninit !r(X)\naction a(x: s) { r(x) := true; }\nsafety [goal] r(X) | !r(X)",
		"mutable constant n: int\ninit n = 0\naction a() { n := n + 1; }\nsafety [goal] forall X: int. X = n -> X >= 0",
	} {
		sys := testkit.Compile(t, text)
		_, err := Find(t.Context(), sys, []*logic.Term{sys.Properties[0].Term},
			Options{Drivers: solver(t)})
		if !errors.Is(err, ErrNotHorn) {
			t.Errorf("%v\n%s", err, text)
		}
	}
}

// Answers about generated counter systems agree with exploration: what is violated according to the
// solver has a run, and lemmas prove what holds.
func TestGenerated(t *testing.T) {
	testkit.InCI(t)
	answers := map[string]int{}
	for seed := range int64(14) {
		text := counters(rand.New(rand.NewSource(seed)))
		sys := testkit.Compile(t, text)
		a := ask(t, sys)
		violated := explored(t, sys)
		switch {
		case a.Lemmas != nil:
			answers["lemmas"]++
			if violated {
				t.Errorf("seed %d: lemmas for what is violated\n%s\n%v", seed, text, a.Lemmas)
			} else if !proves(t, sys, a.Lemmas) {
				t.Errorf("seed %d: not proved with %v\n%s", seed, a.Lemmas, text)
			}
		case a.Violated:
			answers["violated"]++
			if !violated {
				t.Errorf("seed %d: the solver sees a violation\n%s", seed, text)
			}
		default:
			answers["unknown"]++
		}
	}
	if answers["lemmas"] < 3 || answers["violated"] < 3 {
		t.Errorf("answers: %v", answers)
	}
}

// counters writes a finite system of two numbers and a place.
func counters(rng *rand.Rand) string {
	var b strings.Builder
	b.WriteString("enum place { a, b, c, d }\nmutable constant at: place\nmutable constant x: int\nmutable constant y: int\nmutable constant p: bool\n" +
		"init at = a & x = 0 & y = 1 & !p\n")
	place := func() string { return []string{"a", "b", "c", "d"}[rng.Intn(4)] }
	term := func() string {
		return []string{"x", "y", "x + 1", "y + 1", "x - 1", "y + 2", "0", "3", "x + y"}[rng.Intn(9)]
	}
	for i := range 3 + rng.Intn(5) {
		guard := []string{"x < 5", "y < 4", "x = y", "x != 2", "p", "!p", "y > x", "true"}[rng.Intn(8)]
		fmt.Fprintf(&b, "action act%d() { require at = %s & %s; require -9 <= %s & %s <= 9; ", i, place(), guard, "x", "y")
		for _, v := range []string{"x", "y"} {
			if rng.Intn(2) == 0 {
				e := term()
				fmt.Fprintf(&b, "if -9 <= %s & %s <= 9 { %s := %s; } ", e, e, v, e)
			}
		}
		if rng.Intn(3) == 0 {
			b.WriteString("p := !p; ")
		}
		fmt.Fprintf(&b, "at := %s; }\n", place())
	}
	fmt.Fprintf(&b, "safety [goal] %s\n", []string{"x <= 3", "y >= 0", "x + y <= 6", "at = c -> x <= 2", "p -> y < 4", "x >= -1 & y <= 5"}[rng.Intn(6)])
	return b.String()
}

// explored reports whether the interpreter reaches a state in which the first property is false.
func explored(t *testing.T, sys *system.System) bool {
	t.Helper()
	m, err := interp.NewModel(sys, &system.Instance{Name: "only"})
	if err != nil {
		t.Fatal(err)
	}
	known := map[string]bool{}
	var todo []interp.State
	violated := false
	see := func(s interp.State) {
		if k := m.Key(s); !known[k] {
			known[k] = true
			todo = append(todo, s)
			ok, err := m.Holds(sys.Properties[0].Term, s)
			if err != nil {
				t.Fatal(err)
			}
			violated = violated || !ok
		}
	}
	if err := m.Initial(context.Background(),
		func(s interp.State) error { see(s); return nil }); err != nil {
		t.Fatal(err)
	}
	for len(todo) > 0 && !violated {
		s := todo[0]
		todo = todo[1:]
		for _, a := range sys.Actions {
			if err := m.Steps(context.Background(), s, a, func(x interp.Step) error {
				see(x.State)
				return nil
			}); err != nil {
				t.Fatal(err)
			}
		}
	}
	return violated
}
