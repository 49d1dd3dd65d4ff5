package interp_test

import (
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"erelong.dev/erelong/internal/interp"
	"erelong.dev/erelong/internal/logic"
	"erelong.dev/erelong/internal/result"
)

const counter = `
	mutable constant x: 0..3
	mutable relation on
	init x = 0 & !on
	action up() { require x < 3; x := x + 1; }
	action reset() { x := 0; }
	fair action light(n: 0..1) { require x = n; on := true; }
	strong fair action dark() { require on; on := false; }
	temporal [never] always (x < 3)
	temporal [flashes] always eventually on
	safety [small] x <= 3
	instance i { }`

// unrolled evaluates a temporal formula at a position by walking along the run until everything
// repeats.
func unrolled(
	t *testing.T, m *interp.Model, f *logic.Term, states []interp.State, loop, at int,
) bool {
	arg := func(i, at int) bool { return unrolled(t, m, f.Args[i], states, loop, at) }
	// some says whether good is true at some position, and keep is true at all positions before.
	some := func(keep, good func(at int) bool) bool {
		pos := at
		for range 2 * len(states) {
			if good(pos) {
				return true
			}
			if !keep(pos) {
				return false
			}
			if pos++; pos == len(states) {
				pos = loop
			}
		}
		return false
	}
	always := func(int) bool { return true }
	switch f.Op {
	case logic.OpNot:
		return !arg(0, at)
	case logic.OpAnd:
		return arg(0, at) && arg(1, at)
	case logic.OpOr:
		return arg(0, at) || arg(1, at)
	case logic.OpImplies:
		return !arg(0, at) || arg(1, at)
	case logic.OpIff:
		return arg(0, at) == arg(1, at)
	case logic.OpIte:
		if arg(0, at) {
			return arg(1, at)
		}
		return arg(2, at)
	case logic.OpEventually:
		return some(always, func(p int) bool { return arg(0, p) })
	case logic.OpAlways:
		return !some(always, func(p int) bool { return !arg(0, p) })
	case logic.OpUntil:
		return some(func(p int) bool { return arg(0, p) }, func(p int) bool { return arg(1, p) })
	case logic.OpLeadsTo:
		return !some(always, func(p int) bool {
			return arg(0, p) &&
				!unrolled(t, m, logic.Temporal(logic.OpEventually, f.Args[1]), states, loop, p)
		})
	}
	holds, err := m.Holds(f, states[at])
	if err != nil {
		t.Fatal(err)
	}
	return holds
}

func TestHoldsOnLasso(t *testing.T) {
	m := model(t, counter)
	x := m.System.Symbols[slices.IndexFunc(m.System.Symbols, func(s *logic.Symbol) bool {
		return s.Name == "x"
	})]
	all := reachable(t, m, 100)
	rng := rand.New(rand.NewPCG(1, 2))
	var formula func(depth int) *logic.Term
	formula = func(depth int) *logic.Term {
		if depth == 0 {
			return logic.Eq(logic.App(x, logic.Pre), logic.IntLit(int64(rng.IntN(4))))
		}
		sub := func() *logic.Term { return formula(depth - 1) }
		switch rng.IntN(9) {
		case 0:
			return logic.Not(sub())
		case 1:
			return &logic.Term{Op: logic.OpAnd, Sort: logic.Bool, Args: []*logic.Term{sub(), sub()}}
		case 2:
			return &logic.Term{Op: logic.OpOr, Sort: logic.Bool, Args: []*logic.Term{sub(), sub()}}
		case 3:
			return logic.Implies(sub(), sub())
		case 4:
			return logic.Iff(sub(), sub())
		case 5:
			return logic.Ite(sub(), sub(), sub())
		case 6:
			return logic.Temporal(logic.OpUntil, sub(), sub())
		case 7:
			return logic.Temporal(logic.OpLeadsTo, sub(), sub())
		}
		return logic.Temporal([]logic.Op{logic.OpAlways, logic.OpEventually}[rng.IntN(2)], sub())
	}
	count := map[bool]int{}
	for range 3000 {
		states := make([]interp.State, 1+rng.IntN(6))
		for i := range states {
			states[i] = all[rng.IntN(len(all))]
		}
		loop := rng.IntN(len(states))
		f := formula(3)
		got, err := m.HoldsOnLasso(f, states, loop)
		if err != nil {
			t.Fatal(err)
		}
		if want := unrolled(t, m, f, states, loop, 0); got != want {
			t.Fatalf("%s on %v, back to %d: got %t", f, states, loop, got)
		}
		count[got]++
	}
	if count[true] < 500 || count[false] < 500 {
		t.Errorf("the formulas are too much alike: %v", count)
	}
}

// Quantifiers and let evaluate at the position where they stand.
func TestHoldsOnLassoBindings(t *testing.T) {
	m := model(t, strings.Replace(counter, "instance i { }", `
		temporal [grows] let now = x in eventually (x != now)
		temporal [again] always (let now = x in eventually (x != now))
		temporal [some] exists N: 0..3. always eventually (x = N)
		temporal [every] forall N: 0..3. eventually (x = N)
		temporal [guarded] eventually (x = 3) -> always on & (forall N: 0..2. x = N -> eventually (x = N + 1))
		instance i { }`, 1))
	at := func(x, on int64) interp.State { return interp.State{x, on} }
	up := []interp.State{at(0, 0), at(1, 0), at(2, 0), at(3, 0)}
	// On the run that stays at 3, and on the run that loops.
	for name, want := range map[string][2]bool{
		"grows": {true, true}, "again": {false, true}, "some": {true, true}, "every": {true, true},
		"guarded": {false, false},
		"never":   {false, false}, "flashes": {false, false},
	} {
		for i, loop := range []int{3, 0} {
			got, err := m.HoldsOnLasso(m.System.Property(name).Term, up, loop)
			if err != nil || got != want[i] {
				t.Errorf("%s, back to %d: %t, %v", name, loop, got, err)
			}
		}
	}
}

func TestReplayLasso(t *testing.T) {
	m := model(t, counter)
	sys := m.System
	state := func(x string, on bool) []result.Binding {
		return []result.Binding{{Name: "x", Value: result.Int(x)},
			{Name: "on", Value: result.Bool(on)}}
	}
	n := func(v string) []result.Binding {
		return []result.Binding{{Name: "n", Value: result.Int(v)}}
	}
	// The states are 0, 1, 2, 3 and back to 0: light(0) is disabled in state 1, dark is never
	// enabled.
	good := func() *result.Trace {
		return &result.Trace{
			Kind: result.Counterexample, Instance: "i", Loop: 0, Violates: "never",
			Back: result.Step{Action: "reset"},
			Steps: []result.Step{{State: state("0", false)},
				{Action: "up", State: state("1", false)},
				{Action: "up", State: state("2", false)}, {Action: "up", State: state("3", false)}},
			Fairness: []result.Fairness{
				{Action: "light", Args: n("0"), Why: result.Disabled, At: 1},
				{Action: "light", Args: n("1"), Why: result.Disabled, At: 0},
				{Strong: true, Action: "dark", Why: result.NeverEnabled},
			},
		}
	}
	for _, c := range []struct {
		name, property, want string
		change               func(*result.Trace)
	}{
		{"good", "never", "", func(*result.Trace) {}},
		{"without reasons", "never", "", func(tr *result.Trace) { tr.Fairness = nil }},
		{"another property", "flashes", "", func(*result.Trace) {}},
		{"a property of states", "small", "satisfies small", func(*result.Trace) {}},
		{"no loop", "never", "a run without a loop cannot violate never", func(tr *result.Trace) {
			tr.Loop = -1
		}},
		{"loop to nowhere", "never", "has only 4 states", func(tr *result.Trace) { tr.Loop = 4 }},
		{"not closed", "never", "state 2 does not follow from state 4 by action reset", func(
			tr *result.Trace,
		) {
			tr.Loop = 1
		}},
		{"no action", "never", "no action closes the loop", func(tr *result.Trace) {
			tr.Back.Action = ""
		}},
		{"no repetition", "never", "does not repeat for ever: action reset can be taken", func(
			tr *result.Trace,
		) {
			tr.Loop, tr.Back.Action = 3, ""
		}},
		{"wrong reason", "never", "reasons why the loop is fair are wrong", func(tr *result.Trace) {
			tr.Fairness[1].At = 3
		}},
		{"missing reason", "never", "reasons why the loop is fair are wrong", func(
			tr *result.Trace,
		) {
			tr.Fairness = tr.Fairness[1:]
		}},
		{"satisfied", "never", "the run satisfies never", func(tr *result.Trace) {
			tr.Steps, tr.Fairness = tr.Steps[:3], nil
		}},
		{"weakly unfair", "never", "not fair to action light(n = 0)", func(tr *result.Trace) {
			tr.Steps, tr.Fairness = tr.Steps[:1], nil
		}},
		{"strongly unfair", "flashes", "not fair to action dark()", func(tr *result.Trace) {
			tr.Steps[0].State = state("0", false)
			tr.Steps = []result.Step{tr.Steps[0],
				{Action: "light", Args: n("0"), State: state("0", true)},
				{Action: "up", State: state("1", true)}, {Action: "up", State: state("2", true)}}
			tr.Loop, tr.Fairness = 1, nil
		}},
	} {
		t.Run(c.name, func(t *testing.T) {
			tr := good()
			c.change(tr)
			err := interp.Replay(t.Context(), sys, tr, sys.Property(c.property))
			switch {
			case c.want == "" && err != nil:
				t.Error(err)
			case c.want != "" && (err == nil || !strings.Contains(err.Error(), c.want)):
				t.Errorf("error %v, want %q", err, c.want)
			}
		})
	}
}
