package temporal

import (
	"fmt"
	oldrand "math/rand"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"erelong.dev/erelong/internal/engine"
	"erelong.dev/erelong/internal/interp"
	"erelong.dev/erelong/internal/logic"
	"erelong.dev/erelong/internal/system"
	"erelong.dev/erelong/internal/system/systemtest"
	"erelong.dev/erelong/internal/testkit"
)

// describe writes down a graph: everything but the order of the states, which may depend on the
// order of choices. At a limit of states the order decides everything but the counts.
func describe(g *graph, l limits) string {
	var out strings.Builder
	fmt.Fprintln(&out, g.count(), "states", g.initial, "initial, depth", g.depth, g.stopped.Text)
	if g.failed != nil {
		fmt.Fprintln(&out, "failed:", g.failed)
	}
	if l.States > 0 || g.failed != nil {
		return out.String()
	}
	fmt.Fprintln(&out, g.steps, g.enabled, g.unexpandedFrom)
	var lines []string
	for n := range uint32(g.count()) {
		var edges []string
		list := g.list(n)
		for k, mark := range list.marks {
			to := list.to(k)
			text := fmt.Sprint("  ", g.state(to))
			switch l := g.labels[mark]; {
			case l.action != nil:
				text += " by " + l.action.Name
				for _, arg := range l.params {
					text += fmt.Sprint(" ", arg.Var.Name, "=", arg.Value)
				}
			case mark == repetition:
				text += " repeats"
			}
			edges = append(edges, text)
		}
		slices.Sort(edges)
		depth := len(g.pathTo(n))
		lines = append(lines,
			fmt.Sprint(g.state(n), " open ", g.isOpen(n), " depth ", depth, "\n",
				strings.Join(edges, "\n"), "\n"))
	}
	slices.Sort(lines)
	return out.String() + strings.Join(lines, "")
}

// compare explores in all ways, and gives the number of states.
func compare(t *testing.T, what string, sys *system.System, inst *system.Instance, l limits) int {
	t.Helper()
	m, err := interp.NewModel(sys, inst)
	if err != nil {
		t.Fatal(err)
	}
	want, err := naive(t.Context(), m, l)
	if err != nil {
		t.Fatal(err)
	}
	interpreted, err := interpret(t.Context(), m, l)
	if err != nil {
		t.Fatal(err)
	}
	if a, b := describe(interpreted, l), describe(want, l); a != b {
		t.Fatalf("%s: the interpreter finds\n%s\nand not\n%s\n%s", what, a, b, sys)
	}
	l.predicates = predicatesOf(m, sys.Properties, nil)
	got, err := exploreCompiled(t.Context(), m, l)
	if err != nil {
		t.Fatal(err)
	}
	if a, b := describe(got, l), describe(want, l); a != b {
		t.Fatalf("%s:\n%s\nand not\n%s\n%s", what, a, b, sys)
	}
	if got.failed != nil || l.States > 0 {
		return got.count()
	}
	number := map[string]uint32{}
	for n := range uint32(want.count()) {
		number[m.Key(want.state(n))] = n
	}
	none := func(uint32) {}
	for _, atom := range l.predicates {
		a, errA := got.evaluate(t.Context(), []*logic.Term{atom}, none)
		b, errB := want.evaluate(t.Context(), []*logic.Term{atom}, none)
		if fmt.Sprint(errA) != fmt.Sprint(errB) {
			t.Fatalf("%s: %v, the interpreter finds %v", what, errA, errB)
		}
		for n := range uint32(got.count()) {
			if errA == nil && !got.isOpen(n) &&
				a[0].has(n) != b[0].has(number[m.Key(got.state(n))]) {
				t.Fatalf("%s: %s is %t in state %d", what, atom, a[0].has(n), n)
			}
		}
	}
	return got.count()
}

// A compiled exploration finds the graph of the interpreter, state by state and edge by edge,
// whatever the limits and the number of threads.
func TestCompiledGraph(t *testing.T) {
	states, limited := 0, 0
	for seed := range uint64(testkit.Size(60, 150)) {
		g := &generator{Rand: rand.New(rand.NewPCG(seed, 9))}
		sys, inst := g.system(t, 2+g.IntN(30))
		l := limits{threads: 1 + int(seed%3)}
		if seed%3 == 1 {
			l.States = int64(1 + g.IntN(20))
			limited++
		}
		if seed%5 == 1 {
			l.Depth = int64(1 + g.IntN(5))
		}
		states += compare(t, fmt.Sprint("seed ", seed), sys, inst, l)
	}
	if states < 500 || limited == 0 {
		t.Errorf("only %d states", states)
	}
	for seed := range uint64(testkit.Size(20, 60)) {
		sys, err := systemtest.Generate(oldrand.New(oldrand.NewSource(int64(seed))),
			systemtest.Options{Bits: 7})
		if err != nil {
			t.Fatal(err)
		}
		for i, a := range sys.Actions {
			a.Fairness = []system.Fairness{system.Unfair, system.Weak,
				system.Strong}[(i+int(seed))%3]
			k := slices.IndexFunc(sys.Properties, (*system.Property).IsInvariant)
			if a.Fairness != system.Unfair && seed%2 == 0 && k >= 0 {
				a.FairIf = sys.Properties[k].Term
			}
		}
		states += compare(t, fmt.Sprint("system ", seed), sys, sys.Instances[0], limits{threads: 2})
	}
}

func TestCompiledGraphOf(t *testing.T) {
	for _, c := range []struct{ name, text string }{
		{"choices", `
			mutable constant x: 0..9
			mutable constant y: 0..9
			init x = 0 & y <= 1
			fair action go(n: 0..2, up: bool) {
				choose k: 0..3 { require k <= n; x := if up then k else 9 - k; }
			}
			action whatever() { y := *; }
			strong fair action back(n: 1..2) { require y > n; y := n; }
			action step(n: 0..3) fair if y + n <= 5 & (n > 1 | y != x) { y := y + n; }
			action leap() strong fair if x > 3 { x := 0; }
			temporal always eventually (x = y)
			instance i { }`},
		{"a value outside of its range", `
			mutable constant x: 0..2
			mutable constant y: 0..5
			init x = 0 & y = 0
			fair action up() { x := x + 1; }
			fair action on() { y := if y < 5 then y + 1 else 0; }
			temporal always eventually (x = 1 & y = 3)
			instance i { }`},
		{"an action without a value", `
			mutable constant x: 0..5
			mutable constant y: 0..5
			mutable relation r(0..3)
			init x = 0 & y = 0
			action on() { y := if y < 5 then y + 1 else 0; }
			action up() { require r(x + 1); x := x + 1; }
			temporal eventually (x = 2)
			instance i { }`},
		{"a predicate without a value", `
			mutable constant x: 0..5
			mutable constant y: 0..5
			immutable relation r(0..3)
			init x = 0 & y = 0
			action up() { x := if x < 5 then x + 1 else 0; }
			action on() { y := if y < 5 then y + 1 else 0; }
			temporal always eventually r(x + 1)
			instance i { }`},
		{"integers that grow", `
			mutable constant x: int
			init x = 0
			fair action twice() { require x < 100000; x := 2 * x + 1; }
			fair action less() { require x > 7; x := x - 7; }
			temporal eventually (x > 1000)
			instance i { }`},
		{"an end", `
			mutable constant x: 0..3
			init x = 0
			action up() { require x < 3; x := x + 1; }
			trusted invariant x != 2
			temporal eventually (x = 3)
			instance i { }`},
	} {
		t.Run(c.name, func(t *testing.T) {
			sys := testkit.Compile(t, c.text)
			for _, l := range []limits{{}, {Limits: engine.Limits{States: 7}},
				{Limits: engine.Limits{Depth: 3}}, {threads: 2}} {
				compare(t, fmt.Sprintf("%+v", l), sys, sys.Instances[0], l)
			}
		})
	}
}

// Lists of edges are read back as they were written.
func TestEdges(t *testing.T) {
	r := rand.New(rand.NewPCG(3, 4))
	var e edges
	const n = 3 * blockStates
	want := make([][][2]uint32, n)
	var alike []uint32 // the marks of neighbours, nil where they differ
	near := uint32(0)  // how far the targets of neighbours are apart
	for i := range want {
		if i%blockStates%100 == 0 {
			alike, near = nil, r.Uint32()>>r.IntN(32)
			for range r.IntN(3) * r.IntN(5) {
				alike = append(alike, unfair+r.Uint32()>>(1+r.IntN(31)))
			}
		}
		e.begin()
		add := func(to, mark uint32) {
			want[i] = append(want[i], [2]uint32{to, mark})
			e.add(to, mark)
		}
		for k, mark := range alike {
			add(uint32(k)<<20+r.Uint32N(max(near, 1)), mark)
		}
		for range r.IntN(5) {
			if alike != nil && r.IntN(50) > 0 {
				break
			}
			to, mark := r.Uint32()>>r.IntN(32), unfair+r.Uint32()>>(1+r.IntN(31))
			if r.IntN(3) == 0 {
				to = uint32(i)
			}
			add(to, mark)
		}
		if r.IntN(200) == 0 {
			e.undo()
			want[i] = nil
		}
	}
	e.finish()
	rows := 0
	for i := range want {
		list := e.list(uint32(i))
		if len(list.marks) > 0 && list.width == 0 {
			rows++
		}
		if len(list.marks) != len(want[i]) {
			t.Fatalf("state %d has %d edges, not %d", i, len(list.marks), len(want[i]))
		}
		for k, w := range want[i] {
			if to, mark := list.to(k), list.marks[k]; to != w[0] || mark != w[1] {
				t.Fatalf("state %d: %d %d, want %v", i, to, mark, w)
			}
		}
	}
	if rows < n/8 || rows > n/8*7 {
		t.Errorf("%d of %d lists are rows", rows, n)
	}
}
