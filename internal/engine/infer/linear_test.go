package infer

import (
	"math/rand"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"erelong.dev/erelong/internal/front/ere"
	"erelong.dev/erelong/internal/front/ere/strip"
	"erelong.dev/erelong/internal/interp"
	"erelong.dev/erelong/internal/system"
	"erelong.dev/erelong/internal/testkit"
)

// tank is filled to a height and emptied again.
const tank = `
immutable constant N: int
immutable constant M: int
axiom N >= 1 & M >= 1
enum place { filling, draining }
mutable constant at: place
mutable constant level: int
mutable constant spilt: int
mutable relation alarm
init at = filling & level = 0 & spilt = 0 & !alarm
action fill() { require at = filling & level < 2 * N + M; level := level + 1; }
action full() { require at = filling & level >= 2 * N; at := draining; }
action drain() { require at = draining & level > 0; level := level - 1; spilt := if spilt < level then spilt + 1 else spilt; }
action refill() { require at = draining & level < N; at := filling; spilt := 0; }
action ring() { require level > 2 * N + M; alarm := true; }
safety [quiet] !alarm
`

// provedTank gives the system of the tank, and the invariants with which it is proved.
func provedTank(t *testing.T) (*system.System, *Outcome) {
	t.Helper()
	sys := testkit.Compile(t, tank)
	opts := options(t)
	opts.NoHorn = true
	out, err := Find(t.Context(), sys, opts)
	if err != nil {
		t.Fatal(err)
	}
	if !out.Proved {
		t.Fatalf("not proved: %s", out.Reason.Text)
	}
	return sys, out
}

// Bounds are found for all values of the parameters, from instances with small ones.
func TestBounds(t *testing.T) {
	_, out := provedTank(t)
	if !slices.Contains(lemmas(out), "level <= 2 * N + M") {
		t.Errorf("the lemmas are %v", lemmas(out))
	}
}

// inSteps counts the ticks of a clock whose hand inSteps N times, in P ticks each.
const inSteps = `
immutable constant P: int
immutable constant N: int
axiom P >= 1 & N >= 1
mutable constant hand: 0..P - 1
mutable constant turned: int
mutable constant ticks: int
init hand = 0 & turned = 0 & ticks = 0
action tick() {
  require turned < N;
  ticks := ticks + 1;
  if hand < P - 1 { hand := hand + 1; } else { hand := 0; turned := turned + 1; }
}
safety [ends] ticks <= P * N
`

// A sum of three quantities is bounded, one of which is a product with a parameter.
func TestProducts(t *testing.T) {
	opts := options(t)
	opts.NoHorn = true
	out, err := Find(t.Context(), testkit.Compile(t, inSteps), opts)
	if err != nil {
		t.Fatal(err)
	}
	if !out.Proved || !slices.Contains(lemmas(out), "ticks <= P * turned + hand") {
		t.Errorf("proved: %v, with the lemmas %v", out.Proved, lemmas(out))
	}
}

// ages has messages that stop to age at D. In the beginning there is none, and none is sent later
// than the sender ends: then all are older than that, but for the ones that have stopped.
const ages = `
immutable constant D: int
axiom D >= 0
mutable relation sent(0..D)
mutable constant ended: int
mutable relation young
init !sent(K) & ended = -1 & !young
action send() { require ended < 0; sent(0) := true; }
action end() { require ended < 0; ended := 0; sent(K) := K > 0 & (sent(K - 1) | K = D & sent(D)); }
action age() {
  if ended >= 0 & ended <= D { ended := ended + 1; }
  sent(K) := K > 0 & (sent(K - 1) | K = D & sent(D));
}
action look(k: 0..D) { require k < D & sent(k) & k < ended; young := true; }
safety [old] !young
`

// Members of a relation over a range take part without the last value, at which ages stop.
func TestInnerMember(t *testing.T) {
	opts := options(t)
	opts.NoHorn = true
	out, err := Find(t.Context(), testkit.Compile(t, ages), opts)
	if err != nil {
		t.Fatal(err)
	}
	if !out.Proved || !slices.ContainsFunc(lemmas(out), func(l string) bool {
		return strings.Contains(l, "& K < D -> ended")
	}) {
		t.Errorf("proved: %v, with the lemmas %v", out.Proved, lemmas(out))
	}
}

// phases has messages that go on to age up to a time that is not known, and stop at D then.
const phases = `
immutable constant D: int
immutable constant P: int
immutable constant G: int
immutable constant first: int
axiom D >= 0 & P >= 1 & G >= 0 & first >= 1
mutable relation sent(0..G + D)
mutable constant clock: 0..G + D
mutable constant limit: int
mutable relation calm
init !sent(K) & clock = 0 & limit = first & !calm
action send() { sent(0) := true; }
action tick() {
  if clock < G + D {
    clock := clock + 1;
    sent(K) := K > 0 & sent(K - 1);
  } else {
    sent(K) := if K = D then D > 0 & (sent(D) | sent(D - 1)) else K > 0 & K < D & sent(K - 1);
    calm := calm | limit >= 6 * P + D;
  }
}
action raise() { limit := limit + 1; }
safety [enough] calm -> limit >= P
`

// With more than three parameters bounds are looked for under the premise of a property, and one
// parameter is also beyond the thresholds on which it has no influence.
func TestWide(t *testing.T) {
	sys := testkit.Compile(t, phases)
	l := newLinear(sys)
	_, large := l.instances()
	for name, want := range map[string]bool{"D=0,P=1,G=7,first=5": true,
		"D=2,P=1,G=9,first=7": true, "D=1,P=1,G=7,first=6": false} {
		if is := slices.ContainsFunc(large, func(inst *system.Instance) bool {
			return inst.Name == name
		}); is != want {
			t.Errorf("%s is among the instances: %v", name, is)
		}
	}
	ends := map[string]bool{}
	for _, q := range l.quantities {
		if q.below != nil {
			ends[q.below.String()] = true
		}
	}
	if len(ends) != 2 || !ends["D"] || !ends["G + D"] {
		t.Errorf("members count before %v", ends)
	}
	claim := sys.Property("enough").Term
	if got := l.premise(claim); len(got) != 1 || l.condition(got).String() != "calm" {
		t.Errorf("the premise of %s is %v", claim, got)
	}
	l.wide = false
	if got := l.premise(claim); got != nil {
		t.Errorf("%v is a premise where the search is not wide", got)
	}
}

// A parameter that is compared with an expression over others takes its values, and more.
func TestThresholds(t *testing.T) {
	sys := testkit.Compile(t, `
immutable constant N: int
immutable constant start: int
axiom N >= 1 & start >= 0
mutable constant x: 0..N
mutable constant y: int
init x = 0 & y = start
definition far() = start >= 2 * N + 1
action step() { if x < N { x := x + 1; } if y <= N * start { y := y + 1; } }
safety [near] far -> y >= 2 * N + 1
`)
	l := newLinear(sys)
	instances, _ := l.instances()
	seen := map[string]bool{}
	for _, inst := range instances {
		seen[inst.Name] = true
	}
	for _, want := range []string{"N=1,start=1", "N=1,start=3", "N=2,start=5", "N=2,start=7"} {
		if !seen[want] {
			t.Errorf("there is no instance %s in %v", want, seen)
		}
	}
	if !slices.ContainsFunc(l.thresholds, func(of []int64) bool {
		return slices.Equal(of, []int64{2, 0, 1})
	}) {
		t.Errorf("the thresholds are %v", l.thresholds)
	}
}

// A bound is exact if possible, and otherwise the nearest one that is nowhere less.
func TestFits(t *testing.T) {
	points := [][]int64{{0, 1}, {1, 1}, {0, 2}, {1, 2}, {2, 3}}
	var exact, curved []int64
	for _, p := range points {
		exact = append(exact, 3*p[1]-p[0]+2)
		curved = append(curved, min(3*p[1]-p[0]+2, 7))
	}
	got := fits(points, exact, []int64{7, 7}, 2)
	if len(got) != 1 || got[0].slack != 0 || !slices.Equal(got[0].of, []int64{-1, 3, 2}) {
		t.Errorf("%+v instead of -x + 3y + 2", got)
	}
	facets := fits(points, curved, []int64{7, 7}, 2)
	if len(facets) == 0 {
		t.Error("nothing fits a minimum")
	}
	for _, f := range facets {
		rest := func(i int) int64 {
			return f.of[0]*points[i][0] + f.of[1]*points[i][1] + f.of[2] - curved[i]
		}
		for i, p := range points {
			if rest(i) < 0 {
				t.Errorf("%v is less than %d at %v", f.of, curved[i], p)
			}
		}
		if span(points, func(i int) bool { return rest(i) == 0 }) < 2 {
			t.Errorf("%v is no facet", f.of)
		}
	}
	if got := fits(points, []int64{0, 1, 4, 2, 0}, []int64{1, 1}, 2); len(got) > 0 {
		t.Errorf("%+v, but no such expression is exact at three points", got)
	}
}

// Where the largest value depends on a remainder, no facet has the bound that holds for all values,
// and only a ridge has it.
func TestRidge(t *testing.T) {
	var points [][]int64
	var values []int64
	for x := range int64(4) {
		for y := int64(1); y < 4; y++ {
			points = append(points, []int64{x, y})
			values = append(values, x+5*y-2-y*((x+2)%3))
		}
	}
	bound := func(f fit) bool { return slices.Equal(f.of, []int64{1, 5, -2}) }
	if slices.ContainsFunc(fits(points, values, []int64{7, 7}, 2), bound) {
		t.Error("x + 5y - 2 is exact at points that span a plane, but these have the same x")
	}
	if got := fits(points, values, []int64{7, 7}, 1); !slices.ContainsFunc(got, bound) {
		t.Errorf("%+v, without x + 5y - 2", got)
	}
}

// sixfold has a parameter that an axiom determines.
const sixfold = `
immutable constant N: int
immutable constant limit: int
axiom N >= 1 & limit = 6 * N + 1
mutable constant x: int
init x = 0
action step() { if x < limit { x := x + 1; } }
safety [bounded] x <= limit
`

// Values that an axiom excludes take no place among the instances.
func TestExcludedInstances(t *testing.T) {
	l := newLinear(testkit.Compile(t, sixfold))
	instances, large := l.instances()
	var names []string
	for _, inst := range append(instances, large...) {
		names = append(names, inst.Name)
	}
	want := []string{"N=1,limit=7", "N=2,limit=13", "N=3,limit=19", "N=5,limit=31"}
	if !slices.Equal(names, want) {
		t.Errorf("the instances are %v instead of %v", names, want)
	}
}

// A parameter that an instance of a file does not name has the value that an axiom gives to it.
func TestDeterminedParameters(t *testing.T) {
	sys := testkit.Compile(t, sixfold+"instance two { N = 2 }\n")
	m, err := interp.NewModel(sys, sys.Instances[0])
	if err != nil {
		t.Fatal(err)
	}
	var states []interp.State
	if err := m.Initial(t.Context(), func(st interp.State) error {
		states = append(states, slices.Clone(st))
		return nil
	}); err != nil {
		t.Fatal(err)
	}
	got := newLinear(sys).number(newWorld(newStructure(m), states...)).params
	if want := []int64{2, 13}; !slices.Equal(got, want) {
		t.Errorf("the parameters are %v instead of %v", got, want)
	}
}

// Where an axiom determines a parameter, all points lie in a plane, and a facet has points that
// span this plane.
func TestFitsInPlane(t *testing.T) {
	var points [][]int64
	var values []int64
	for x := range int64(4) {
		for y := range int64(4) {
			points = append(points, []int64{x, y, 2*x + y})
			values = append(values, min(x+2*y, 3))
		}
	}
	if got := fits(points, values, []int64{3, 3, 0}, 3); len(got) > 0 {
		t.Errorf("%+v has points that span a space, but there are none", got)
	}
	got := fits(points, values, []int64{3, 3, 0}, 2)
	if !slices.ContainsFunc(got, func(f fit) bool {
		return slices.Equal(f.of, []int64{0, 0, 0, 3}) || slices.Equal(f.of, []int64{1, 2, 0, 0})
	}) {
		t.Errorf("%+v, without x + 2y and 3", got)
	}
}

// Points span a plane if and only if a triangle of them has an area.
func TestSpans(t *testing.T) {
	rng := rand.New(rand.NewSource(1))
	answers := map[bool]int{}
	for range 500 {
		points := make([][]int64, 1+rng.Intn(5))
		tight := make([]bool, len(points))
		for i := range points {
			points[i] = []int64{rng.Int63n(3), rng.Int63n(3)}
			tight[i] = rng.Intn(4) > 0
		}
		want := false
		for i, a := range points {
			for j, b := range points {
				for k, c := range points {
					want = want || tight[i] && tight[j] && tight[k] &&
						(b[0]-a[0])*(c[1]-a[1]) != (b[1]-a[1])*(c[0]-a[0])
				}
			}
		}
		if got := span(points, func(i int) bool { return tight[i] }) == 2; got != want {
			t.Fatalf("%v of %v: %v instead of %v", tight, points, got, want)
		}
		answers[want]++
	}
	if answers[true] < 100 || answers[false] < 100 {
		t.Errorf("the questions are one-sided: %v", answers)
	}
}

// The largest value of a sum in a mode is the same with the order of all states as without.
func TestTop(t *testing.T) {
	sys := testkit.Compile(t, tank)
	l := newLinear(sys)
	instances, _ := l.instances()
	for _, inst := range instances[len(instances)-2:] {
		m, err := interp.NewModel(sys, inst)
		if err != nil {
			t.Fatal(err)
		}
		w, err := explore(t.Context(), newStructure(m), nil, nil, 0, exploreAll)
		if err != nil {
			t.Fatal(err)
		}
		n := l.number(w)
		for _, column := range append(n.columns, n.full(), make([]uint64, n.words())) {
			for i, of := range l.sums {
				if column == nil {
					continue
				}
				slow := n.top(column, count(column), of, nil)
				if fast := n.top(column, len(n.states), of, n.ranked(i, of)); fast != slow {
					t.Fatalf("%v is %v and %v", of, fast, slow)
				}
			}
		}
	}
}

// What says nothing in all worlds takes no part: sums with a member of a relation that is always
// empty, and literals that are always true. What differs somewhere stays.
func TestPrune(t *testing.T) {
	sys := testkit.Compile(t, `
immutable constant N: int
axiom N >= 1
mutable relation empty(0..N)
mutable relation seen(0..N)
mutable constant x: 0..N
init x = 0 & !empty(K) & !seen(K)
action step() { require x < N; seen(x) := true; x := x + 1; }
safety [bounded] x <= N
`)
	l := newLinear(sys)
	instances, _ := l.instances()
	for _, inst := range instances[:2] {
		m, err := interp.NewModel(sys, inst)
		if err != nil {
			t.Fatal(err)
		}
		w, err := explore(t.Context(), newStructure(m), nil, nil, 0, exploreAll)
		if err != nil {
			t.Fatal(err)
		}
		l.add(w)
	}
	l.prune()
	sums := map[string]int{}
	for i, of := range l.sums {
		for _, x := range of {
			if i < l.octagons {
				sums[l.quantities[x.quantity].symbol.Name]++
			}
		}
	}
	if sums["empty"] > 0 || sums["seen"] == 0 || sums["x"] == 0 {
		t.Errorf("the sums are over %v", sums)
	}
	idle := map[string]bool{}
	for i := range l.atoms {
		for sign := range 2 {
			if l.alwaysTrue[2*i+sign] {
				idle[l.condition([]int{2*i + sign}).String()] = true
			}
		}
	}
	for literal, want := range map[string]bool{"x <= N": true, "x < N": false, "seen(0)": false,
		"!empty(0)": true, "empty(0)": false} {
		if idle[literal] != want {
			t.Errorf("%s: %v instead of %v, of %v", literal, idle[literal], want, idle)
		}
	}
}

// The failure detector in whole rounds needs no help: the papers' invariants are taken away.
func TestFailureDetector(t *testing.T) {
	testkit.InCI(t)
	files := []string{"whole_rounds.ere"}
	if testkit.Long() {
		files = append(files, "eventual_accuracy.ere", "completeness_fixed_timeout.ere",
			"completeness_large_timeout.ere")
	}
	opts := options(t)
	for _, name := range files {
		path := filepath.Join("../../../examples/failure_detector", name)
		text, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		less, err := strip.Source(name, string(text), true)
		if err != nil {
			t.Fatal(err)
		}
		sys, _, err := ere.Compile(name, less)
		if err != nil {
			t.Fatal(err)
		}
		if slices.ContainsFunc(sys.Properties, func(p *system.Property) bool {
			return p.Kind == system.Invariant
		}) {
			t.Fatalf("%s still has invariants", name)
		}
		out, err := Find(t.Context(), sys, opts)
		if err != nil {
			t.Fatal(err)
		}
		if !out.Proved || len(out.Lemmas) == 0 {
			t.Errorf("%s is not proved: %s", name, out.Reason.Text)
		}
	}
}
