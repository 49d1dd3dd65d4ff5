package accel

import (
	"math/rand"
	"slices"
	"strconv"
	"strings"
	"testing"

	"erelong.dev/erelong/internal/engine"
	"erelong.dev/erelong/internal/presburger"
	"erelong.dev/erelong/internal/testkit"
)

// Without a component that is a sum of others the reachable states are the same. Generated systems
// get parameters: q is 2 p + 1, and r is q - p where r is not negative.
func TestReduced(t *testing.T) {
	both := 0
	for seed := range int64(16) {
		c := generate(rand.New(rand.NewSource(seed)), seed%2 == 0)
		text := "immutable constant p: int\nimmutable constant q: int\nmutable constant r: int\n" +
			"axiom q = 2 * p + 1\ninit p = q - r & r >= 0\n" +
			strings.ReplaceAll(c.text, "require true;", "require x < q | r = 2;")
		sys := testkit.Compile(t, text)
		store := presburger.NewStore(t.Context(), 20_000)
		m, init, err := newMachine(store, sys)
		if err != nil {
			t.Fatalf("seed %d: %v", seed, err)
		}
		effort := Effort{Made: 60_000, Loops: 30, Simple: 3, Again: 1, Rounds: 4}
		_, want, err := m.find(forwards, init, nil, m.edges, effort)
		if err != nil {
			t.Fatal(err)
		}
		small := m.reduced(sys, init, m.none())
		if len(small.kept) > len(m.space)-2 {
			t.Fatalf("seed %d: components %v are kept of %d", seed, small.kept, len(m.space))
		}
		_, got, err := small.find(forwards, small.init, small.bad, small.edges, effort)
		if err != nil {
			t.Fatal(err)
		}
		if !got.complete || !want.complete {
			continue
		}
		both++
		for p, x := range small.restored(got.reach) {
			if !x.Equal(want.reach[p]) {
				t.Errorf("seed %d: other states in place %d\n%s", seed, p, text)
			}
		}
	}
	if both < 8 {
		t.Errorf("%d complete regions", both)
	}
}

// A place whose states are all in the target needs no steps, so what only they change is constant.
// The run has all components.
func TestReducedRun(t *testing.T) {
	sys := testkit.Compile(t, `
mutable constant over: bool
mutable constant n: int
mutable constant x: int
mutable constant most: int
init !over & n >= 3 & x = 0 & most = 2 * n
action up() { require !over & x < most; x := x + 1; }
action late() { require !over & x > n + 1; over := true; }
action more() { require over; most := most + 1; }
safety [never] !over
`)
	f, err := (&Engine{}).Run(t.Context(), &engine.Task{Method: engine.Accelerate, System: sys,
		Claims: []engine.Claim{{Property: sys.Property("never")}}}, engine.Sink{})
	if err != nil {
		t.Fatal(err)
	}
	if len(f.Results) != 1 || f.Results[0].Trace == nil {
		t.Fatalf("%+v", f)
	}
	steps := f.Results[0].Trace.Steps
	last := steps[len(steps)-1]
	values := map[string]string{}
	for _, b := range last.State {
		values[b.Name] = b.Value.Text
	}
	n, _ := strconv.Atoi(values["n"])
	if n < 3 || len(steps) != n+4 || values["most"] != strconv.Itoa(2*n) {
		t.Errorf("%d steps, the last state is %v", len(steps), values)
	}
}

// Sums have no large coefficients, though each equation has none: they would multiply.
func TestReducedNumbers(t *testing.T) {
	sys := testkit.Compile(t, `immutable constant p: int
immutable constant q: int
immutable constant r: int
immutable constant s: int
immutable constant t: int
immutable constant u: int
mutable constant x: int
axiom q = 1000 * p
axiom r = 1000 * q
axiom s - 1000 * r = 0
axiom t = 1000 * s
axiom u + 1000 * r = 0
init x >= 0
action a() { x := x + 1; }
safety [goal] x >= 0
`)
	m := &machine{store: presburger.NewStore(t.Context(), 100_000), vars: sys.Symbols,
		space: presburger.Space(slices.Repeat([]byte{presburger.Integer}, len(sys.Symbols)))}
	sums := 0
	for i, l := range m.equations(sys, nil, slices.Repeat([]bool{true}, len(m.vars))) {
		if l == nil {
			continue
		}
		sums++
		for _, a := range append([]int64{l.Constant}, l.Coeffs...) {
			if max(a, -a) > huge {
				t.Errorf("%s is the sum %v", m.vars[i], l)
			}
		}
	}
	if sums != 3 {
		t.Errorf("%d components are sums", sums)
	}
}
