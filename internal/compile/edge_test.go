package compile

import (
	"fmt"
	"math"
	"slices"
	"strings"
	"testing"

	"erelong.dev/erelong/internal/interp"
	"erelong.dev/erelong/internal/logic"
)

// Code that may fail while values are unknown. The program never misses a failure. It may fail
// where the interpreter does not: it tests formulas one by one, where the interpreter finds a later
// one false at once.
func TestFailuresAmongUnknownValues(t *testing.T) {
	const declarations = `
		type cell = 0..3
		type number = 0..5
		mutable function f(cell): number
		mutable constant a: number
		mutable constant b: number
		mutable constant m: number
		mutable relation p
		init f(C) = 0 & a = 0 & b = 0 & m = 0 & !p
		safety [none] m <= 5
		action up() { require m < 5; m := m + 1; p := m > 2; }
		action go() { %s }`
	for _, c := range []struct {
		name, code      string
		fails, spurious bool
	}{
		{"a later formula is false for all values", "a := *; b := *; require f(b) = 0 & a > m & m = 5;", true, true},
		{"a later formula is false for all values but cannot be known to be", "a := *; b := *; require f(b) = 0 & a > b + m;", true, false},
		{"an earlier formula about a later value is false", "a := *; b := *; require a < b & b < 4 & f(a) = 0;", false, false},
		{"an earlier formula does not protect", "a := *; b := *; require a <= b & f(a) = 0;", true,
			false},
		{"then a condition is false", "a := *; require f(a) = 0; require m = 7;", false, true},
		{"a condition that fails after a formula without solution", "a := *; require a > m; require f(m) >= 0;", true, false},
		{"a value that fails after a formula without solution", "a := *; require a > m; b := f(m);",
			true, false},
		{"a place that fails after a formula without solution", "a := *; require a > m; f(m + 1) := 2; b := f(1);", true, false},
		{"a choice that fails after a formula", "a := *; require a > m; choose c: 0..3 { require f(c + m) >= 0; b := c; }", true, false},
		{"the operand between two of a kind", "require !p & f(m) >= 0 & !p; a := 1;", false, false},
	} {
		t.Run(c.name, func(t *testing.T) {
			m := parse(t, fmt.Sprintf(declarations, c.code))
			for _, l := range []*limits{nil, {wordBits: 9, unknown: 400}} {
				seen := compare(t, m, Options{limits: l}, 400)
				if seen.spurious > 0 != c.spurious || seen.failures > 0 != c.fails {
					t.Errorf("%+v", seen)
				}
			}
		})
	}
}

// evaluate compares the values of formulas in states, or their failures, with the interpreter.
func evaluate(
	t *testing.T, m *interp.Model, opts Options, claims []*logic.Term, states []interp.State,
) (failures int) {
	t.Helper()
	for _, c := range claims {
		p, packed := compileWide(t, m, []*logic.Term{c}, opts, states)
		w, err := p.Worker()
		if err != nil {
			t.Fatal(err)
		}
		b, err := w.(*worker).Check(packed)
		if err != nil {
			t.Fatal(err)
		}
		for i, s := range states {
			holds, err := m.Holds(c, s)
			failed := slices.Contains(b.Failed, uint32(i))
			if failed != (err != nil) || !failed && (b.Violated[i] == 0) != holds {
				t.Errorf("%s in %v: failed %v, violated %x; in the interpreter %v, %v", c, s,
					failed, b.Violated[i], holds, err)
			}
			if failed {
				failures++
			}
		}
		if err := p.Close(); err != nil {
			t.Fatal(err)
		}
	}
	return failures
}

// Arithmetic at the limits of 64 bits.
func TestArithmetic(t *testing.T) {
	m := parse(t, `
		mutable constant x: int
		mutable constant y: int
		init x = 0 & y = 0
		action none() { require x = 1; x := 0; }`)
	x, y := logic.App(m.System.Symbols[0], logic.Pre), logic.App(m.System.Symbols[1], logic.Pre)
	values := []int64{0, 1, -1, 2, -2, 3, 1 << 31, 1 << 32, -1 << 31, -1 << 32, 3037000499,
		3037000500, -3037000500, 1 << 62, -1 << 62,
		math.MaxInt64, math.MaxInt64 - 1, math.MinInt64, math.MinInt64 + 1}
	var states []interp.State
	for _, v := range values {
		for _, w := range values {
			states = append(states, interp.State{v, w})
		}
	}
	zero := logic.IntLit(0)
	var claims []*logic.Term
	for _, e := range []*logic.Term{logic.Add(x, y), logic.Sub(x, y), logic.Mul(x, y), logic.Neg(x),
		logic.Add(x, y, x), logic.Mul(x, logic.Sub(y, x))} {
		claims = append(claims, logic.Lt(e, zero), logic.Eq(e, e), logic.Le(x, e),
			logic.Distinct(e), logic.Distinct(x, e, y),
			logic.Or(logic.Lt(x, y), logic.Eq(e, zero)))
	}
	opts := Options{Intervals: map[int]Interval{0: everything, 1: everything}}
	if n := evaluate(t, m, opts, claims, states); n < 1000 {
		t.Errorf("only %d evaluations fail", n)
	}
}

// Fields at the upper end of a word, and operands of which one may fail.
func TestFieldsAndOrder(t *testing.T) {
	m := parse(t, `
		type cell = 0..1
		mutable constant big: 0..576460752303423487
		mutable constant e: 0..15
		mutable relation p
		mutable function f(cell): cell
		mutable relation g(cell)
		init big = 0 & e = 0 & !p & f(C) = 0 & !g(C)
		action none() { require p; p := false; }`)
	app := func(name string, args ...*logic.Term) *logic.Term {
		for _, s := range m.System.Symbols {
			if s.Name == name {
				return logic.App(s, logic.Pre, args...)
			}
		}
		t.Fatal(name)
		return nil
	}
	var states []interp.State
	for _, big := range []int64{0, 1, 1<<59 - 1} {
		for e := range int64(16) {
			for bits := range int64(32) {
				states = append(states,
					interp.State{big, e, bits & 1, bits >> 1 & 1, bits >> 2 & 1, bits >> 3 & 1,
						bits >> 4})
			}
		}
	}
	e, p := app("e"), app("p")
	f := func(t *logic.Term) *logic.Term { return logic.Eq(app("f", t), logic.IntLit(1)) }
	zero, one := logic.IntLit(0), logic.IntLit(1)
	g := func(t *logic.Term) *logic.Term { return app("g", t) }
	claims := []*logic.Term{logic.And(g(zero), f(e), g(one)), logic.Or(g(zero), f(e), g(one)),
		logic.And(g(zero), g(one), f(e), logic.Not(p)),
		logic.Or(p, f(e), logic.And(p, g(one)), g(zero)),
		logic.Le(e, logic.IntLit(7)), logic.Eq(e, logic.IntLit(15)),
		logic.Lt(logic.IntLit(5), logic.Add(e, app("big"))),
		logic.And(f(zero), f(e), f(one)), logic.Or(f(zero), f(e), f(one)),
		logic.And(p, f(e), logic.Not(p)), logic.Implies(p, f(e)),
		logic.And(f(zero), logic.Or(p, f(e)), f(one), p)}
	for _, l := range []*limits{nil, {wordBits: 64, cachedReads: 1, quantifier: 9}} {
		if n := evaluate(t, m, Options{limits: l}, claims, states); n < 100 {
			t.Errorf("only %d evaluations fail", n)
		}
	}
	p2, _ := compileWide(t, m, nil, Options{}, states)
	defer p2.Close()
	if p2.Words() != 2 { // 59 + 4 + 1 bits fill a word
		t.Errorf("a state has %d words", p2.Words())
	}
}

// A parameter that looks constant in many initial states is not constant.
func TestManyInitialStates(t *testing.T) {
	m := parse(t, `
		type place = 0..13
		immutable relation on
		mutable relation r(place)
		mutable constant x: 0..3
		init x = 0 | x = 1
		action a() { require on; x := 3; }
		action b() { require !on & x < 2; x := x + 1; }`)
	var states []interp.State
	n := 0
	err := m.Initial(t.Context(), func(s interp.State) error {
		if n++; n%4097 == 0 {
			states = append(states, s)
		}
		return nil
	})
	if err != nil || n != 1<<16 {
		t.Fatal(n, err)
	}
	p, packed := compileWide(t, m, nil, Options{}, states)
	defer p.Close()
	w, err := p.Worker()
	if err != nil {
		t.Fatal(err)
	}
	b, err := w.Expand(packed)
	if err != nil {
		t.Fatal(err)
	}
	for k, source := range b.Source {
		if want := 1 - uint16(states[source][0]); b.Action[k] != want {
			t.Errorf("in %v action %d is taken", states[source], b.Action[k])
		}
	}
	if len(b.Source) != len(states) {
		t.Errorf("%d successors of %d states", len(b.Source), len(states))
	}
}

// A value that is unknown before a conditional is known after one of its branches, or after both,
// or after none.
func TestUnknownValuesBeforeBranches(t *testing.T) {
	const head = `
mutable constant x: 0..2
mutable constant y: 0..2
mutable relation on
mutable function f(0..1): 0..2
init x = 0 & y = 0 & on & f(I) = 0
action turn() { on := !on; }
action up() { require y < 2; y := y + 1; }
action a() { `
	for _, code := range []string{
		"x := *; if on { x := 1; } y := x;",
		"x := *; if on { } else { x := 1; } y := x;",
		"x := *; if on { x := y; } else { x := 2; } y := x; assume x < 2;",
		"x := *; if y = 1 { y := x; } else { x := y; } on := x = y;",
		"x := *; if on { y := 0; } else { y := 1; } assume x != y;",
		"f := *; if f(0) = x { f(1) := 2; } else { f(0) := f(1); } x := f(0); assume f(1) > 0;",
		"f(x) := *; if on { f(0) := 1; } if !on { f(1) := f(0); } y := f(1);",
	} {
		if strings.Contains(code, "f(x)") {
			code = "require x < 2; " + code
		}
		for _, l := range []*limits{nil, {wordBits: 5, unknown: defaultLimits.unknown}} {
			seen := compare(t, parse(t, head+code+" }"), Options{limits: l}, 300)
			if seen.states < 6 || seen.successors < 15 || seen.spurious > 0 {
				t.Errorf("what was compared of %s: %+v", code, seen)
			}
		}
	}
}
