package steady

import (
	"errors"
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"erelong.dev/erelong/internal/discharge"
	"erelong.dev/erelong/internal/engine"
	"erelong.dev/erelong/internal/interp"
	"erelong.dev/erelong/internal/result"
	"erelong.dev/erelong/internal/system"
	"erelong.dev/erelong/internal/testkit"
)

// most bounds the number of processes of the search that is the oracle, and largest the counted
// messages.
const (
	most    = 4
	largest = 14
)

// A state is the counters l0 to l3, x and y, and the flag f, beside the parameter n.
const (
	xAt = 4 + iota
	yAt
	flagAt
	paramAt
	width
)

type vector [width]int

// said is a formula, with its meaning.
type said struct {
	text string
	is   func(v vector) bool
}

// rule is an action, with its meaning.
type rule struct {
	guard    said
	from, to int
	add      [2]int // to x and y
	sets     bool   // makes the flag true
	clears   bool   // makes it false
}

// automaton is a generated system.
type automaton struct {
	rules  []rule
	watch  *said // what makes the flag true in the state that a step leaves; nil for nothing
	claims []said
}

func count(rng *rand.Rand) said {
	i := xAt + rng.IntN(2)
	name := []string{"x", "y"}[i-xAt]
	c, k := rng.IntN(3), rng.IntN(2)
	bound := fmt.Sprintf("%d * n + %d", k, c)
	switch rng.IntN(5) {
	case 0, 1, 2:
		return said{bound + " <= " + name, func(v vector) bool { return k*v[paramAt]+c <= v[i] }}
	case 3:
		return said{name + " < " + bound, func(v vector) bool { return v[i] < k*v[paramAt]+c }}
	}
	return said{"2 * x <= y + " + bound, func(v vector) bool {
		return 2*v[xAt] <= v[yAt]+k*v[paramAt]+c
	}}
}

func place(rng *rand.Rand) said {
	i, k := rng.IntN(4), rng.IntN(2)
	if rng.IntN(2) == 0 {
		return said{fmt.Sprintf("l%d <= %d", i, k), func(v vector) bool { return v[i] <= k }}
	}
	return said{fmt.Sprintf("%d <= l%d", k+1, i), func(v vector) bool { return k+1 <= v[i] }}
}

func both(a, b said) said {
	return said{"(" + a.text + ") & (" + b.text + ")", func(v vector) bool {
		return a.is(v) && b.is(v)
	}}
}

func either(a, b said) said {
	return said{"(" + a.text + ") | (" + b.text + ")", func(v vector) bool {
		return a.is(v) || b.is(v)
	}}
}

func not(a said) said {
	return said{"!(" + a.text + ")", func(v vector) bool { return !a.is(v) }}
}

func generate(rng *rand.Rand) *automaton {
	a := &automaton{}
	something := func() said {
		x := count(rng)
		if rng.IntN(2) == 0 {
			x = place(rng)
		}
		if rng.IntN(3) == 0 {
			x = either(x, place(rng))
		}
		if rng.IntN(4) == 0 {
			x = not(x)
		}
		return x
	}
	flag := said{"f", func(v vector) bool { return v[flagAt] == 1 }}
	for range 2 + rng.IntN(5) {
		r := rule{guard: said{"true", func(vector) bool { return true }}, from: rng.IntN(4)}
		r.to = min(3, r.from+rng.IntN(3))
		if rng.IntN(8) == 0 {
			r.to = rng.IntN(4)
		}
		switch rng.IntN(7) {
		case 0, 1:
			r.guard = count(rng)
		case 2:
			r.guard = both(count(rng), count(rng))
		case 3:
			r.guard = something()
		case 4:
			if r.guard = flag; rng.IntN(2) == 0 {
				r.guard = both(not(flag), count(rng))
			}
		}
		if r.to != r.from {
			r.add = [2]int{rng.IntN(2), rng.IntN(2)}
		}
		r.sets, r.clears = rng.IntN(6) == 0, rng.IntN(30) == 0
		a.rules = append(a.rules, r)
	}
	if rng.IntN(2) == 0 {
		w := something()
		a.watch = &w
	}
	for range 3 {
		c := either(something(), not(something()))
		switch rng.IntN(3) {
		case 0:
			c = either(flag, something())
		case 1:
			c = either(not(flag), something())
		}
		a.claims = append(a.claims, c)
	}
	return a
}

// text is the automaton in the language. The flag changes as told by watch, or by the rules.
func (a *automaton) text() string {
	var b strings.Builder
	b.WriteString("immutable constant n: int\naxiom 0 <= n\nmutable relation f\ninit !f\n")
	for _, name := range []string{"l0", "l1", "l2", "l3", "x", "y"} {
		fmt.Fprintf(&b, "mutable constant %s: int\n", name)
	}
	b.WriteString("init 0 <= l0 & 0 <= l1 & l0 + l1 = n & l2 = 0 & l3 = 0 & x = 0 & y = 0\n")
	for i, r := range a.rules {
		fmt.Fprintf(&b, "action a%d() {\n  require 1 <= l%d & (%s);\n", i, r.from, r.guard.text)
		switch {
		case a.watch != nil:
			fmt.Fprintf(&b, "  f := f | (%s);\n", a.watch.text)
		case r.sets:
			b.WriteString("  f := true;\n")
		case r.clears:
			b.WriteString("  f := false;\n")
		}
		if r.from != r.to {
			fmt.Fprintf(&b, "  l%d := l%d - 1;\n  l%d := l%d + 1;\n", r.from, r.from, r.to, r.to)
		}
		fmt.Fprintf(&b, "  x := x + %d;\n  y := y + %d;\n}\n", r.add[0], r.add[1])
	}
	for i, c := range a.claims {
		fmt.Fprintf(&b, "safety [c%d] %s\n", i, c.text)
	}
	return b.String()
}

// violated searches the states of few processes one by one.
func (a *automaton) violated() []bool {
	out := make([]bool, len(a.claims))
	known := map[vector]bool{}
	var next []vector
	visit := func(v vector) {
		if known[v] || v[xAt] > largest || v[yAt] > largest {
			return
		}
		known[v] = true
		next = append(next, v)
		for i, c := range a.claims {
			out[i] = out[i] || !c.is(v)
		}
	}
	for n := range most + 1 {
		for first := range n + 1 {
			visit(vector{0: first, 1: n - first, paramAt: n})
		}
	}
	for len(next) > 0 {
		v := next[0]
		next = next[1:]
		for _, r := range a.rules {
			if v[r.from] < 1 || !r.guard.is(v) {
				continue
			}
			to := v
			if a.watch != nil && a.watch.is(v) || a.watch == nil && r.sets {
				to[flagAt] = 1
			} else if a.watch == nil && r.clears {
				to[flagAt] = 0
			}
			to[r.from]--
			to[r.to]++
			to[xAt] += r.add[0]
			to[yAt] += r.add[1]
			visit(to)
		}
	}
	return out
}

// TestOracle compares the verdicts about generated automata with a search of their small instances:
// a claim that holds is violated in none. A violation is replayed by the interpreter, so it is one.
func TestOracle(t *testing.T) {
	drivers := testkit.Solvers(t)
	holds, violated, open, refused := 0, 0, 0, 0
	for seed := range uint64(testkit.Size(20, 340)) {
		a := generate(rand.New(rand.NewPCG(seed, 7)))
		sys := testkit.Compile(t, a.text())
		task := taskOf(sys)
		e := &Engine{Options: discharge.Options{Drivers: drivers}, many: true}
		if why := e.Accepts(task); strings.Contains(why, "f may change more than once") {
			refused++
			continue
		} else if why != "" {
			t.Fatalf("seed %d: %s\n%s", seed, why, a.text())
		}
		found, err := e.Run(testkit.Solving(t), task, engine.Sink{})
		if err != nil {
			t.Fatalf("seed %d: %v\n%s", seed, err, a.text())
		}
		wrong := a.violated()
		for _, r := range found.Results {
			var i int
			if _, err := fmt.Sscanf(r.Property, "c%d", &i); err != nil {
				t.Fatal(err)
			}
			switch r.Verdict {
			case result.Unknown:
				open++
			case result.Holds:
				holds++
				if wrong[i] {
					t.Errorf("seed %d: %s holds, and is violated\n%s", seed, r.Property, a.text())
				}
			case result.Violated:
				violated++
				err := interp.Replay(t.Context(), sys, r.Trace, sys.Property(r.Property))
				if err != nil {
					t.Errorf("seed %d: %s: %v\n%s", seed, r.Property, err, a.text())
				}
			}
		}
	}
	t.Logf("%d hold, %d are violated, %d are open, %d systems are refused", holds, violated, open,
		refused)
	if holds == 0 || violated == 0 || open > (holds+violated)/10 {
		t.Errorf("%d hold, %d are violated, %d are open", holds, violated, open)
	}
}

// TestFewProcesses has the same automata, of which every violation with few processes is found
// without solvers, and no other.
func TestFewProcesses(t *testing.T) {
	violated, not, parts := 0, 0, 0
	for seed := range uint64(testkit.Size(100, 600)) {
		a := generate(rand.New(rand.NewPCG(seed, 11)))
		sys := testkit.Compile(t, a.text())
		c, err := newCounters(sys)
		if err != nil {
			continue
		}
		d := &decision{found: &engine.Findings{}, pieces: &pieces{counters: c}}
		early, looked, err := c.few(t.Context(), sys.Properties, 200, Looked{})
		if err != nil {
			t.Fatalf("seed %d: %v\n%s", seed, err, a.text())
		}
		late, further, err := c.few(t.Context(), sys.Properties, 20_000, looked)
		whole, all, errs := c.few(t.Context(), sys.Properties, 20_000, Looked{})
		if err = errors.Join(err, errs); err != nil {
			t.Fatalf("seed %d: %v\n%s", seed, err, a.text())
		}
		names := map[string]bool{}
		for _, x := range append(early, late...) {
			names[x.Property] = true
		}
		for _, x := range whole {
			if !names[x.Property] {
				t.Errorf("seed %d: a search in two parts does not find %s", seed, x.Property)
			}
		}
		if looked.instances > 0 {
			parts++
		}
		if further.instances < all.instances {
			t.Errorf("seed %d: %d instances in two parts, %d in one", seed, further.instances,
				all.instances)
		}
		left, err := d.fewProcesses(t.Context(), sys.Properties, Looked{})
		if err != nil {
			t.Fatalf("seed %d: %v\n%s", seed, err, a.text())
		}
		for i, wrong := range a.violated() {
			name := fmt.Sprintf("c%d", i)
			open := slices.ContainsFunc(left, func(p *system.Property) bool {
				return p.Name == name
			})
			if wrong && open {
				t.Errorf("seed %d: %s is violated\n%s", seed, name, a.text())
			}
			if wrong {
				violated++
			} else {
				not++
			}
		}
		for _, r := range d.found.Results {
			err := interp.Replay(t.Context(), sys, r.Trace, sys.Property(r.Property))
			if r.Verdict != result.Violated || err != nil {
				t.Errorf("seed %d: %s: %v\n%s", seed, r.Property, err, a.text())
			}
		}
	}
	if violated < 20 || not < 20 || parts < 20 {
		t.Errorf("%d claims are violated, %d are not; %d searches in parts", violated, not, parts)
	}
}
