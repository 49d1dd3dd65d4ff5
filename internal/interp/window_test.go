package interp_test

import (
	"context"
	"errors"
	"strings"
	"testing"

	"erelong.dev/erelong/internal/interp"
	"erelong.dev/erelong/internal/result"
	"erelong.dev/erelong/internal/system"
	"erelong.dev/erelong/internal/testkit"
)

// A model of an instance that bounds the integers has the runs that stay in the window. A run to a
// violation is one of the system, unless a formula speaks of all integers.
func TestRunsInAWindow(t *testing.T) {
	const actions = `
		mutable constant last: int
		mutable relation r(int)
		mutable function f(int): int
		action add(t: int) { require t > last; last := t; r(t) := true; f(t) := t; }
		action next() { require r(last + 1); last := last + 1; }
		`
	for _, c := range []struct{ name, text, why string }{
		{"true in the system", "init last = 0 & !r(T) & f(T) = 0\nsafety [p] !r(2)", ""},
		{"of each integer", "init last = 0 & !r(T) & f(T) = 0\nsafety [p] r(T) -> T != 2 & f(T) = T", ""},
		{"of some integer", "init last = 0 & !r(T) & f(T) = 0\nsafety [p] !r(2) | (exists T: int. T > 100)", "p asks for some integer"},
		{"of each integer in other words", "init last = 0 & !r(T) & f(T) = 0\nsafety [p] !(exists T: int. r(T) & f(T) = 2)", ""},
		{"of pairs of integers", "init last = 0 & !r(T) & f(T) = 0\nsafety [p] r(T) -> (forall S: int. r(S) -> S = T)", ""},
		{"a step that asks for some", "init last = 0 & !r(T) & f(T) = 0\naction some() { require exists T: int. r(T); last := 0; }\nsafety [p] !r(2)", ""},
		{"a beginning that depends on the integer", "init last = 0 & !r(T) & f(T) = T\nsafety [p] !r(2)",
			"a condition on the initial states speaks of all integers"},
		{"a beginning of two integers", "init last = 0 & f(T) = 0 & (r(T) & r(S) -> T = S)\nsafety [p] !r(2)",
			"a condition on the initial states speaks of all integers"},
		{"a step that asks about all", "init last = 0 & !r(T) & f(T) = 0\naction all() { require forall T: int. T < 9; last := 0; }\nsafety [p] !r(2)",
			"the action all speaks of all integers"},
		{"a definition", "init last = 0 & !r(T) & f(T) = 0\ndefinition low() = forall T: int. r(T) -> T < 3\nsafety [p] !(r(2) & low())",
			"p asks for some integer"},
		{"an assumption", "init last = 0 & !r(T) & f(T) = 0\ntrusted invariant [q] r(T) -> T < 9\nsafety [p] !r(2)",
			"q, which is trusted, speaks of all integers"},
	} {
		t.Run(c.name, func(t *testing.T) {
			sys := testkit.Compile(t, actions+c.text)
			in := &system.Instance{Integers: &system.Window{Lo: -1, Hi: 3}}
			m, err := interp.NewModel(sys, in)
			if err != nil {
				t.Fatal(err)
			}
			p := sys.Property("p")
			first, steps := violation(t, m, p)
			trace := m.TraceOf(first, steps...)
			trace.Violates = p.Name
			err = interp.Replay(t.Context(), sys, trace, p)
			if (err == nil) != (c.why == "") || err != nil && !strings.Contains(err.Error(), c.why) {
				t.Errorf("%v, want %q", err, c.why)
			}
		})
	}
}

// violation is a run of up to two steps to a state in which the property is false.
func violation(
	t *testing.T, m *interp.Model, p *system.Property,
) (first interp.State, steps []interp.Step) {
	t.Helper()
	var search func(s interp.State, run []interp.Step) error
	search = func(s interp.State, run []interp.Step) error {
		if ok, err := m.Holds(p.Term, s); err == nil && !ok {
			steps = append(steps, run...)
			return interp.ErrStop
		}
		if len(run) == 2 {
			return nil
		}
		return m.EachStep(t.Context(), s, func(next interp.Step) error {
			if err := search(next.State, append(run, next)); err != nil || steps != nil {
				return interp.ErrStop
			}
			return nil
		})
	}
	err := m.Initial(context.Background(), func(s interp.State) error {
		first = s
		return search(s, nil)
	})
	if err != nil && !errors.Is(err, interp.ErrStop) {
		t.Fatal(err)
	}
	if steps == nil {
		t.Fatal("there is no violation")
	}
	return first, steps
}

// A state without a step in the window may have one in the system, so it is no deadlock, and a loop
// need not be fair.
func TestStepsThatLeaveTheWindow(t *testing.T) {
	sys := testkit.Compile(t, `
		mutable constant n: int
		mutable relation r(int)
		init n = 0 & !r(T)
		fair action push() { require n < 3; r(n) := true; n := n + 1; }
		action rest() { require n < 2; }
		liveness [ends] true ~> n = 3`)
	in := &system.Instance{Integers: &system.Window{Lo: 0, Hi: 1}}
	m, err := interp.NewModel(sys, in)
	if err != nil {
		t.Fatal(err)
	}
	var first interp.State
	if err := m.Initial(t.Context(), func(s interp.State) error {
		first = s
		return interp.ErrStop
	}); err != nil {
		t.Fatal(err)
	}
	run, s := []interp.Step(nil), first
	for {
		var next *interp.Step
		if err := m.EachStep(t.Context(), s, func(step interp.Step) error {
			next = &step
			return interp.ErrStop
		}); err != nil {
			t.Fatal(err)
		}
		if next == nil {
			break
		}
		run, s = append(run, *next), next.State
	}
	if len(run) != 2 {
		t.Fatalf("%d steps", len(run))
	}
	stuck := m.TraceOf(first, run...)
	stuck.Violates = result.Deadlock
	rests := m.TraceOf(first)
	rests.Loop, rests.Violates = 0, "ends"
	for _, c := range []struct {
		trace    *result.Trace
		property *system.Property
	}{{stuck, nil}, {rests, sys.Property("ends")}} {
		err := interp.Replay(t.Context(), sys, c.trace, c.property)
		if err == nil || !strings.Contains(err.Error(), "depends on the other points") {
			t.Errorf("%s: %v", c.trace.Violates, err)
		}
	}
}
