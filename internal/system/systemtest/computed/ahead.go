package computed

import (
	"context"
	"fmt"
	"slices"

	"erelong.dev/erelong/internal/logic"
	"erelong.dev/erelong/internal/result"
	"erelong.dev/erelong/internal/system"
)

// Ahead makes of a computed system one whose states are the states of the first one, each with the
// state after it in a run. So a formula about a step is one about a state. Fairness becomes part of
// each temporal property, so the second system has neither formulas of steps nor conditions, and
// its runs are as the ones of the first.
func Ahead(ctx context.Context, sys *system.System) (*system.System, error) {
	a := &ahead{of: sys, computer: sys.Computed.Plain(), judge: sys.Computed.Plain(),
		next: map[string][][]int64{}}
	if err := a.explore(ctx); err != nil {
		return nil, err
	}
	out := &system.System{Name: sys.Name, Sorts: sys.Sorts, Instances: sys.Instances,
		Actions:  []*system.Action{{Name: "step"}},
		Computed: &system.Computation{Computed: a}}
	symbols := map[*logic.Symbol]*logic.Symbol{}
	for _, part := range []string{"", "'"} {
		for _, sym := range sys.Symbols {
			if !sym.Derived {
				c := *sym
				c.Name += part
				out.Symbols = append(out.Symbols, &c)
			}
		}
	}
	for _, d := range sys.Derived {
		c := *d.Symbol
		symbols[d.Symbol] = &c
		out.Symbols = append(out.Symbols, &c)
		out.Derived = append(out.Derived, &system.Derived{Symbol: &c,
			Predicate: &system.Predicate{Number: len(a.predicates)}})
		a.predicates = append(a.predicates, d.Predicate)
	}
	same := func(t *logic.Term) *logic.Term {
		return logic.Map(t, func(t *logic.Term) *logic.Term {
			if t.Op == logic.OpApp {
				return logic.App(symbols[t.Symbol], t.Step)
			}
			return t
		})
	}
	var fair []*logic.Term
	for _, c := range sys.Computed.Conditions {
		fair = append(fair, fairRuns(c.Strong, same(c.Enabled), same(c.Taken)))
	}
	for _, p := range sys.Properties {
		q := *p
		q.Term = same(p.Term)
		if p.IsTemporal() {
			q.Kind, q.Term = system.Temporal, logic.Implies(logic.And(fair...), q.Term)
		}
		out.Properties = append(out.Properties, &q)
	}
	return out, system.Validate(out)
}

// fairRuns is a condition of fairness as a temporal formula.
func fairRuns(strong bool, enabled, taken *logic.Term) *logic.Term {
	outer, inner := logic.OpEventually, logic.OpAlways
	if strong {
		outer, inner = inner, outer
	}
	return logic.Implies(logic.Temporal(outer, logic.Temporal(inner, enabled)),
		logic.Temporal(logic.OpAlways, logic.Temporal(logic.OpEventually, taken)))
}

// ahead computes the second system. It knows all states of the first one.
type ahead struct {
	of         *system.System
	computer   system.Computer
	judge      system.Computer     // asked while the other one yields
	predicates []*system.Predicate // by their numbers in the second system
	initial    [][]int64
	states     [][]int64
	next       map[string][][]int64 // of each state, the states after it in infinite runs
}

func key(s []int64) string { return fmt.Sprint(s) }

// explore finds the states, and leaves out the ones from which no run goes on for ever.
func (a *ahead) explore(ctx context.Context) error {
	add := func(s []int64) {
		if _, known := a.next[key(s)]; !known {
			a.next[key(s)] = nil
			a.states = append(a.states, slices.Clone(s))
		}
	}
	if err := a.computer.Initial(ctx, func(s []int64) error {
		inside, err := a.inside(nil, s)
		if inside {
			a.initial = append(a.initial, slices.Clone(s))
			add(s)
		}
		return err
	}); err != nil {
		return err
	}
	for i := 0; i < len(a.states); i++ {
		from, steps := a.states[i], 0
		var next [][]int64
		if err := a.computer.Steps(ctx, from, func(_ int, _, to []int64) error {
			steps++
			inside, err := a.inside(from, to)
			if inside {
				next = append(next, slices.Clone(to))
				add(to)
			}
			return err
		}); err != nil {
			return err
		}
		if steps == 0 || a.of.Computed.Stutters {
			next = append(next, from)
		}
		a.next[key(from)] = next
	}
	for changed := true; changed; {
		changed = false
		for _, s := range a.states {
			have := a.next[key(s)]
			left := slices.DeleteFunc(slices.Clone(have), func(to []int64) bool {
				return len(a.next[key(to)]) == 0
			})
			a.next[key(s)], changed = left, changed || len(left) < len(have)
		}
	}
	return nil
}

// inside reports whether a step stays within the boundary, which is one predicate or its negation.
func (a *ahead) inside(from, to []int64) (bool, error) {
	for _, b := range a.of.Computed.Boundary {
		t, want := b.Term, true
		if t.Op == logic.OpNot {
			t, want = t.Args[0], false
		}
		p := a.of.DerivedOf(t.Symbol).Predicate
		var holds bool
		var err error
		switch {
		case !p.OfStep:
			holds, err = a.judge.Holds(p.Number, to, nil)
		case from != nil:
			holds, err = a.judge.Holds(p.Number, from, to)
		default:
			continue
		}
		if err != nil || holds != want {
			return false, err
		}
	}
	return true, nil
}

// pairs calls yield with a state and each one after it.
func (a *ahead) pairs(s []int64, yield func([]int64) error) error {
	for _, to := range a.next[key(s)] {
		if err := yield(slices.Concat(s, to)); err != nil {
			return err
		}
	}
	return nil
}

func (a *ahead) Language() string                         { return Language }
func (a *ahead) Computer(context.Context) system.Computer { return a }
func (a *ahead) Plain() system.Computer                   { return a }

func (a *ahead) Show(s *logic.Sort, value int64) result.Value {
	return a.of.Computed.Show(s, value)
}

func (a *ahead) Read(s *logic.Sort, v result.Value) (int64, bool) {
	return a.of.Computed.Read(s, v)
}

func (a *ahead) Universe() (all []result.Universe) { return nil }

func (a *ahead) Initial(_ context.Context, yield func([]int64) error) error {
	for _, s := range a.initial {
		if err := a.pairs(s, yield); err != nil {
			return err
		}
	}
	return nil
}

func (a *ahead) Steps(
	_ context.Context, state []int64, yield func(action int, args, next []int64) error,
) error {
	return a.pairs(state[len(state)/2:], func(s []int64) error { return yield(0, nil, s) })
}

func (a *ahead) Holds(predicate int, state, _ []int64) (bool, error) {
	p, from, to := a.predicates[predicate], state[:len(state)/2], state[len(state)/2:]
	if !p.OfStep {
		to = nil
	}
	return a.of.Computed.Plain().Holds(p.Number, from, to)
}
