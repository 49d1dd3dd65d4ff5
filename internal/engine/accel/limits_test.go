package accel

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"testing"

	"erelong.dev/erelong/internal/engine"
	"erelong.dev/erelong/internal/front/fast"
	"erelong.dev/erelong/internal/presburger"
	"erelong.dev/erelong/internal/result"
	"erelong.dev/erelong/internal/testkit"
)

// What is no counter system is refused, with what stands in the way.
func TestRefusals(t *testing.T) {
	const head = "enum e { red, green }\nmutable constant x: int\nmutable constant c: e\ninit x >= 0 & c = red\n"
	ites := func(n int) string {
		var parts []string
		for i := range n {
			parts = append(parts, fmt.Sprintf("(if x < %d then %d else x)", i, 1<<i))
		}
		return strings.Join(parts, " + ")
	}
	for _, c := range []struct{ text, want string }{
		{"action a() { x := x + 1; }", ""},
		{"mutable relation r(e)\ninit !r(E)\naction a() { r(c) := true; }", "r has arguments"},
		{"sort s\nmutable constant m: s\naction a() { m := *; }", "m is no truth value, number or member of an enum"},
		{"derived relation d: d <-> x = 0\naction a() { require d; x := 1; }", "d is defined by a formula"},
		{"trusted invariant [t] x >= 0\naction a() { x := 1; }", "t is assumed without proof"},
		{"sort s\naction a(k: s) { x := 1; }", "k is chosen from s in a"},
		{"action a(k: 0..3) { x := k; }", "k is chosen from 0..3 in a"},
		{"action a(k: int) { x := k; }", ""},
		{"action a() { x := x * x; }", "is not linear"},
		{"action a() { require x * x > 2; x := 1; }", "2 < x * x is not linear"},
		{"action a() { require x mod 2 = 0; x := x + 1; }", "is not linear"},
		{"action a() { require forall Y: int. Y > x | Y <= x; x := 1; }", "is no formula of linear arithmetic"},
		{"action a() { require " + ites(6) + " > 3; x := x + 1; }", ""},
		{"action a() { require " + ites(7) + " > 3; x := x + 1; }", "has more than 64 cases"},
		{"action a() { x := " + ites(6) + "; }", ""},
		{"action a() { x := " + ites(7) + "; }", "of a has more than 64 cases"},
		{"action a() { require x < 1048576; x := x + 1048576; }", ""},
		{"action a() { require x < 1048577; x := x + 1; }", "is not linear"},
		{"action a() { x := x + 1048577; }", "is not linear"},
		{"action a() { x := x - 1048577; }", "is not linear"},
		{"action a() { require x < 18446744073709551621; x := x + 1; }", "is not linear"},
		{"action a(p: bool, q: bool, r: bool, s: bool, t: bool, u: bool) { x := if p & q & r & s & t & u then 1 else 2; }", ""},
		{"action a(p: bool, q: bool, r: bool, s: bool, t: bool, u: bool, v: bool) { x := if p & q & r & s & t & u & v then 1 else 2; }",
			"a has more than 64 choices"},
	} {
		sys, err := testkit.Compile(t, head+c.text+"\nsafety [goal] x >= 0"), error(nil)
		if _, _, err = newMachine(presburger.NewStore(t.Context(), 100_000), sys); c.want == "" {
			if err != nil {
				t.Errorf("%s: %v", c.text, err)
			}
			continue
		}
		if !errors.Is(err, ErrNotCounters) || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s: %v, want %s", c.text, err, c.want)
		}
	}
}

// A search that a limit ends says which, and decides nothing; with a little more it decides.
func TestLimits(t *testing.T) {
	sys := testkit.Compile(t, `mutable constant x: int
mutable constant y: int
mutable constant z: int
init x = 0 & y = 0 & z = 0
action a() { x := x + 2; }
action b() { require x > 3; y := y + 1; x := x - 1; }
action c() { require y > 2; z := z + 3; y := y - 1; }
safety [positive] z >= 0
`)
	enough := Effort{Nodes: 20_000, Made: 500_000, Loops: 100, Simple: 1, Again: 0, Rounds: 6}
	for _, c := range []struct {
		change func(*Effort)
		want   string
	}{
		{func(*Effort) {}, ""},
		{func(e *Effort) { e.Loops = 3 }, ""},
		{func(e *Effort) { e.Loops = 2 }, "more than 2 loops"},
		{func(e *Effort) { e.Made = 50 }, "more than 50 nodes of automata"},
		{func(e *Effort) { e.Rounds = 1 }, "no end with 3 loops"},
		{func(e *Effort) { e.Again = -1 }, "no end with 0 loops"},
	} {
		effort := enough
		c.change(&effort)
		found, err := (&Engine{Effort: effort}).Run(t.Context(), &engine.Task{
			Method: engine.Accelerate, System: sys,
			Claims: []engine.Claim{{Property: sys.Properties[0]}}}, engine.Sink{})
		if err != nil {
			t.Fatal(err)
		}
		decided := len(found.Results) == 1 && found.Results[0].Verdict == result.Holds
		notes := strings.Join(found.Notes, "; ")
		if decided != (c.want == "") || !strings.Contains(notes, c.want) {
			t.Errorf("%+v: %v, %s, want %q", effort, decided, notes, c.want)
		}
	}
}

// impatient is a context that is done when it was asked some times.
type impatient struct {
	context.Context
	left int
}

func (c *impatient) Err() error {
	if c.left--; c.left < 0 {
		return context.Canceled
	}
	return nil
}

// The places and steps of a large system are not made when nobody waits for them, also where none
// of them needs an automaton.
func TestMakingEnds(t *testing.T) {
	text := "enum e { red, green }\nmutable constant c: e\nmutable constant x: int\n" +
		"init c = red & x = 0\n"
	for i := range 100 {
		text += fmt.Sprintf("action a%d() { require c = green; x := x + 1; }\n", i)
	}
	ctx := &impatient{t.Context(), 50}
	_, _, err := newMachine(presburger.NewStore(ctx, 100_000), testkit.Compile(t, text))
	if !errors.Is(err, context.Canceled) {
		t.Errorf("the error is %v", err)
	}
}

// A system with too many variables for automata is no internal error: its strategies are not
// carried out, and a note says why.
func TestTooManyVariables(t *testing.T) {
	var text strings.Builder
	for i := range 70 {
		fmt.Fprintf(&text, "mutable constant x%d: int\ninit x%d = 0\n", i, i)
	}
	for i := range 70 {
		fmt.Fprintf(&text, "action a%d(k: int) { x%d := k; }\n", i, i)
	}
	p := &fast.Program{System: testkit.Compile(t, text.String())}
	out, err := Strategies(t.Context(), p, Default)
	if err != nil || out.Whole || len(out.Notes) != 1 ||
		!strings.Contains(out.Notes[0], "vectors of more than 60 components") {
		t.Errorf("%+v, %v", out, err)
	}
}
