package ranking

import (
	"slices"
	"testing"

	"erelong.dev/erelong/internal/logic"
	"erelong.dev/erelong/internal/testkit"
)

// Samples are reachable states in which the property is pending, with all values that fit. What is
// false in one is refuted, and what is true in all of them, or cannot be evaluated, is not.
func TestSamples(t *testing.T) {
	sys := testkit.Compile(t, `
		sort node
		mutable relation done(node)
		mutable constant x: 0..3
		init !done(N) & x = 0
		fair action finish(n: node) { require !done(n); done(n) := true; x := x + 1; }
		action rest() { require true; }
		liveness [live] true ~> (forall N. done(N))
		rank [live] { choose next: node with !done(next); }
		instance two { node = 2 }`)
	prop := sys.Property("live")
	p := newProblem(sys, prop, sys.RankingOf(prop), nil)
	seen := walks(t.Context(), sys, sys.Instances, mostWalked)
	if len(seen) != 1 || len(seen[0].states) != 4 || !seen[0].whole {
		t.Fatalf("%d walks", len(seen))
	}
	s := p.sampled(seen)
	// None is done: each may be chosen. One is done: the other one is chosen.
	if len(s) != 4 {
		t.Errorf("%d samples", len(s))
	}
	done, x := sys.Symbols[0], logic.App(sys.Symbols[1], logic.Pre)
	chosen := logic.App(p.choices[0].symbol, logic.Pre)
	for _, c := range []struct {
		text    string
		term    *logic.Term
		refuted bool
	}{
		{"x <= 1", logic.Le(x, logic.IntLit(1)), false},
		{"x <= 0", logic.Le(x, logic.IntLit(0)), true},
		{"!done(next)", logic.Not(logic.App(done, logic.Pre, chosen)), false},
		{"left_finish(next) <= 0", logic.Le(logic.App(p.fair[0].left, logic.Pre, chosen),
			logic.IntLit(0)), false},
	} {
		if got := s.refuted(c.term); got != c.refuted {
			t.Errorf("%s: refuted is %v", c.text, got)
		}
	}
	w, err := walkThrough(t.Context(), sys, sys.Instances[0], 3, nil, nil)
	if err != nil || w.whole || len(w.states) != 3 {
		t.Errorf("a walk of 3 states: %v", err)
	}
}

// Ranges with too many values are refused before their values are listed.
func TestManyTuples(t *testing.T) {
	sys := testkit.Compile(t, `
		immutable constant n: 0..100000000
		mutable constant x: 0..2
		init x = 0
		action rest() { require true; }
		instance one { n = 100000000 }`)
	seen := walks(t.Context(), sys, sys.Instances, mostWalked)
	if len(seen) != 1 {
		t.Fatalf("%d walks", len(seen))
	}
	if values, err := seen[0].tuples([]*logic.Symbol{sys.Symbols[1]}); err != nil ||
		len(values) != 3 {
		t.Errorf("%d values: %v", len(values), err)
	}
	for _, constants := range [][]*logic.Symbol{
		{sys.Symbols[0]}, slices.Repeat([]*logic.Symbol{sys.Symbols[1]}, 9),
	} {
		if _, err := seen[0].tuples(constants); err == nil {
			t.Errorf("%d constants have too many values", len(constants))
		}
	}
}
