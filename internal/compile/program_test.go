package compile

import (
	"context"
	"errors"
	"math"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/tetratelabs/wazero"

	"erelong.dev/erelong/internal/front/ere"
	"erelong.dev/erelong/internal/interp"
	"erelong.dev/erelong/internal/logic"
	"erelong.dev/erelong/internal/system"
	"erelong.dev/erelong/internal/testkit"
)

// parse makes a model from a text, with its instance test.
func parse(t testing.TB, text string) *interp.Model {
	t.Helper()
	sys, _, err := ere.Compile("test.ere", text)
	if err != nil {
		t.Fatal(err)
	}
	inst := sys.Instance("test")
	if inst == nil {
		inst = &system.Instance{Name: "test", Values: map[*logic.Symbol]*logic.Term{}}
	}
	return model(t, sys, inst)
}

// Systems whose code takes paths that generated systems rarely take. Each is compared with the
// interpreter in all its states.
func TestSmallSystems(t *testing.T) {
	testkit.InCI(t)
	for _, c := range []struct {
		name, text string
		states     int // at least
	}{
		{"an array over many words", `
			type place = 0..199
			mutable function f(place): 0..6
			mutable constant at: 0..200
			init f(P) = 0 & at = 0
			action put(v: 0..6) { require at < 200 & v = (at - (at * 37 - at * 36)) * 3; f(at) := v; at := at + 1; }
			action write() { require at < 200; f(at) := if at > 7 & f(at - 7) < 6 then f(at - 7) + 1 else 2; at := at + 1; }
			action clear() { require at = 150; f(P) := if P < 100 then f(199 - P) else f(P); at := 151; }
			safety [some] exists P: place. f(P) = 2
			instance test { }`, 100},
		{"a table", `
			sort node
			immutable relation edge(node, node)
			axiom edge(X, Y) <-> X != Y
			mutable relation token(node)
			init token(X)
			action move(x: node, y: node) { require token(x) & edge(x, y); token(x) := false; token(y) := true; }
			action all() { require exists X. token(X); token(X) := exists Y. edge(Y, X) & token(Y); }
			safety [never] exists X. token(X)
			instance test { node = 4 }`, 10},
		{"open parameters", `
			immutable constant n: 1..5
			immutable relation on
			mutable constant x: 0..9
			mutable constant y: int
			init x = 0 & y = 0
			action up(k: 1..3) { require x + k <= 9 & k <= n; x := x + k; }
			action pick() { require on; choose v: 0..9 with v > x { x := v; } y := y + n; require y < 30; }
			safety [small] x <= n + 3`, 100},
		{"one solution of many candidates", `
			type bit = 0..39
			mutable relation set(bit)
			mutable relation before(bit)
			mutable constant turn: 0..3
			init set(K) <-> K = 3
			init !before(K) & turn = 0
			action shrink() {
				require turn < 3;
				before(K) := set(K);
				set := *;
				assume set(K) -> K < 6;
				assume set(K) & K > 0 -> before(K - 1);
				assume set(0) <-> !set(3);
				turn := turn + 1;
			}
			action two() { require turn = 3; set := *; assume exists K. set(K); assume set(K) & set(J) -> K = J; turn := 0; }
			safety [least] set(0) | set(3)`, 30},
		{"values by equations", `
			mutable constant x: int
			mutable constant y: 0..5
			init x = 0 & y = 0
			action step() { y := *; assume y > old(y) & y < old(y) + 3; x := *; assume x = y * 2 + old(x) - 3; require x < 40; }
			action reset() { require y = 5; y := *; x := *; assume x = 1 & y = x; }
			safety [low] x < 12`, 10},
		{"values by equations with other values", `
			mutable constant x: 0..9
			mutable constant y: 0..5
			mutable constant z: 2..7
			init x = 0 & y = 0 & z = 2
			action step() { x := *; y := *; z := *; assume z = x + y; assume x = y * 3 - 2; }
			action other(b: 0..1) { x := *; y := *; if b = 0 { assume x > y + 1; } else { assume x < y & y < old(z); } z := if x > 5 then 7 else x + 2; }
			safety [low] x < 6`, 10},
		{"written, then read", `
			type cell = 0..3
			mutable function f(cell): 0..5
			mutable constant at: cell
			mutable constant last: 0..5
			init f(C) = 1 & at = 0 & last = 0
			action write(v: 0..2) {
				require f(0) < 5 & f(0) + v < 5 & f(0) * v < 7;
				f(at) := f(at) + v;
				last := f(0);
				at := if last > 2 then 3 else f(0) - 1;
				f(1) := f(0);
			}
			action back() { f(at) := 1; f(0) := old(f(0)); at := f(0) - f(0); last := f(0); }
			safety [one] f(0) = 1 | f(0) = last`, 10},
		{"havoc at a place that moves", `
			type cell = 0..3
			mutable function f(cell): 0..2
			mutable constant at: cell
			init f(C) = 0 & at = 0
			action write() { require at < 3; f(at + 1) := *; assume f(at + 1) != f(at); at := f(at + 1); }
			action back() { require at > 0; at := at - 1; }
			safety [zero] f(0) = 0`, 10},
		{"alternatives that join", `
			mutable constant x: int
			mutable constant y: int
			mutable relation r
			init x = 0 & y = 0 & !r
			action step(b: 0..1) {
				if x < 3 { x := x + 1; r := y = 2; } else { if b = 0 { y := y + x; x := 0; } else { require y < 9; r := *; } }
				if r { y := y + 1; }
				require y < 12;
			}
			safety [both] x + y < 12`, 20},
		{"a definition with an argument", `
			sort node
			mutable function next(node): node
			mutable relation up(node)
			derived relation linked(node, node): linked(X, Y) <-> up(X) & next(X) = Y & X != Y
			init up(X) & next(X) = X
			action link(x: node, y: node) { require !linked(y, x); next(x) := y; }
			action down(x: node) { require exists Y. linked(Y, x) & linked(x, Y); up(x) := false; }
			safety [loops] !(linked(X, Y) & linked(Y, X))
			instance test { node = 3 }`, 10},
		{"definitions of definitions", `
			sort node
			mutable function next(node): node
			mutable relation up(node)
			derived relation stuck(node): stuck(X) <-> !exists Y. linked(X, Y)
			derived relation linked(node, node): linked(X, Y) <-> up(X) & next(X) = Y & X != Y
			init up(X) & next(X) = X
			action link(x: node, y: node) { require !linked(y, x) & stuck(x); next(x) := y; }
			action down(x: node) { require exists Y. linked(Y, x) & stuck(Y) | !stuck(x); up(x) := false; }
			safety [loops] exists X. stuck(X)
			instance test { node = 3 }`, 10},
		{"a definition that leaves values open", `
			sort node
			mutable relation up(node)
			derived relation some: (exists X. up(X)) -> some
			derived relation chosen(node): !(chosen(X) & up(X)) & (chosen(X) & chosen(Y) -> X = Y)
			init up(X)
			transition down(x: node)
			  modifies up
			  & old(some) & old(!chosen(x)) & (up(X) <-> old(up(X)) & X != x)
			transition raise(x: node)
			  modifies up
			  & old(chosen(x)) & (up(X) <-> old(up(X)) | X = x)
			transition swap(x: node)
			  modifies up
			  & (up(X) <-> !old(up(X))) & chosen(x) & !old(chosen(x)) & some
			safety [same] up(X) | some
			instance test { node = 3 }`, 20},
		{"a guard that protects", `
			type cell = 0..3
			mutable function f(cell): cell
			mutable constant k: int
			init f(C) = C & k = 0
			action up() { k := k + 1; require k < 7; }
			action put() { require k >= 1 & (k > 3 | f(k) >= 0 & f(k - 1) = k - 1); require k <= 4 -> f(k - 1) < 3; f(k - 1) := f(k - 1) + 1; }
			safety [fixed] k <= 3 -> f(k) = k`, 8},
	} {
		t.Run(c.name, func(t *testing.T) {
			m := parse(t, c.text)
			loops := limits{wordBits: 20, unknown: defaultLimits.unknown}
			for _, l := range []*limits{nil, &loops} {
				seen := compare(t, m, Options{limits: l}, 400)
				if seen.states < c.states || seen.spurious > 0 {
					t.Errorf("what was compared: %+v", seen)
				}
			}
		})
	}
}

func TestUnsupported(t *testing.T) {
	for _, c := range []struct{ name, text, want string }{
		{"a free integer", `mutable constant x: int
			init x = 0
			action a() { x := *; assume x < 5; }`, "test.ere:3:17: the values of int symbol x cannot be enumerated"},
		{"a definition that is no equation", `mutable relation p
			derived relation q: q | p
			init p
			action a() { p := !p; }`, "the definition of q does not give its value"},
		{"an int parameter", `mutable relation p
			init p
			action a(x: int) { p := x > 0; }`, "the formulas about x give it no bounds"},
		{"no initial state", `mutable relation p
			init p & !p
			action a() { p := !p; }`, "not compiled: there is no initial state"},
	} {
		t.Run(c.name, func(t *testing.T) {
			_, err := Compile(t.Context(), parse(t, c.text), nil, Options{})
			if !errors.Is(err, ErrUnsupported) || !strings.Contains(err.Error(), c.want) {
				t.Errorf("got the error %v; want %q", err, c.want)
			}
		})
	}
}

// start compiles a model and packs its initial states.
func start(
	t testing.TB, m *interp.Model, claims []*logic.Term, opts Options,
) (Program, Worker, []uint64) {
	t.Helper()
	p, err := Compile(t.Context(), m, claims, opts)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { p.Close() })
	w, err := p.Worker()
	if err != nil {
		t.Fatal(err)
	}
	var packed []uint64
	err = m.Initial(t.Context(), func(s interp.State) error {
		words, err := p.Pack(s)
		packed = append(packed, words...)
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return p, w, packed
}

// A value that does not fit is an error, and a wider slot fixes it. A value outside a range is left
// to the interpreter.
func TestWidths(t *testing.T) {
	m := parse(t, `
		mutable constant x: int
		mutable constant r: 0..5
		init x = 0 & r = 0
		action jump() { x := if x = 0 then 1000000 else x * 1000000; }
		action up() { require r < 7; r := r + 1; }
		safety [low] r < 9`)
	limit := 0
	var opts Options
	for { // until the slot is wide enough
		p, w, state := start(t, m, nil, opts)
		var width *WidthError
		for range 5 {
			b, err := w.Expand(state)
			if errors.As(err, &width) {
				break
			}
			if err != nil {
				t.Fatal(err)
			}
			if len(b.Failed) > 0 {
				if x := p.Unpack(state)[0]; x != 1000000000000000000 {
					t.Errorf("x = %d times a million fails", x)
				}
				limit = -1
				break
			}
			state = slices.Clone(b.States[:p.Words()])
		}
		if limit < 0 {
			break
		}
		if width == nil || width.Slot != 0 || width.Value < 1000 {
			t.Fatalf("the error is %v", width)
		}
		if _, err := p.Pack(interp.State{width.Value, 0}); !errors.As(err, new(*WidthError)) {
			t.Fatalf("packing %d gives the error %v", width.Value, err)
		}
		opts = opts.Widen(width)
		if limit++; limit > 10 {
			t.Fatal("the slot has been widened too often")
		}
	}
	p, w, state := start(t, m, nil, Options{})
	x := p.Unpack(state)
	x[1] = 5
	state, err := p.Pack(x)
	if err != nil {
		t.Fatal(err)
	}
	x[0] = 1 // so that the other action stays within its bits
	b, err := w.Expand(state)
	if err == nil && !slices.Equal(b.Failed, []uint32{0}) {
		t.Errorf("leaving the range does not fail: %v", b)
	}
	var width *WidthError
	x[1] = 6
	if _, err := p.Pack(x); !errors.As(err, &width) || width.Slot != 1 || width.Value != 6 {
		t.Fatalf("packing a value outside of the range gives the error %v", err)
	}
	p, w, _ = start(t, m, claimsOf(m.System),
		Options{}.Widen(width).Widen(&WidthError{0, math.MaxInt64}))
	if state, err = p.Pack(x); err != nil {
		t.Fatal(err)
	}
	if b, err = w.Expand(state); err != nil || len(b.Failed) > 0 || len(b.Source) != 2 ||
		b.Violated[0] == 0 {
		t.Errorf("with a wider slot: %+v, %v", b, err)
	}
}

// More claims than fit into a word, over more states than fit into a call; and Check, which takes
// no steps.
func TestManyClaimsAndStates(t *testing.T) {
	m := parse(t, `
		mutable constant x: 0..2999
		init x = 0
		action up() { require x < 2999; x := x + 1; }`)
	x := m.System.Symbols[0]
	var claims []*logic.Term
	for i := range 150 {
		claims = append(claims, logic.Le(logic.App(x, logic.Pre), logic.IntLit(int64(20*i))))
	}
	p, w, _ := start(t, m, claims, Options{})
	var states []uint64
	for v := range int64(3000) {
		s, err := p.Pack(interp.State{v})
		if err != nil {
			t.Fatal(err)
		}
		states = append(states, s...)
	}
	for _, expand := range []func([]uint64) (*Batch, error){w.Expand, w.(*worker).Check} {
		b, err := expand(states)
		if err != nil {
			t.Fatal(err)
		}
		for v := range 3000 {
			for i := range 150 {
				if got := b.Violated[3*v+i/64]>>(i%64)&1 == 1; got != (v > 20*i) {
					t.Fatalf("x = %d: the claim x <= %d is violated: %v", v, 20*i, got)
				}
			}
		}
	}
	if b, _ := w.Expand(states); len(b.Source) != 2999 || b.Source[2998] != 2998 ||
		p.Unpack(b.States[2998:])[0] != 2999 {
		t.Errorf("%d successors", len(b.Source))
	}
	if b, _ := w.(*worker).Check(states); len(b.Source) != 0 {
		t.Errorf("checking makes %d successors", len(b.Source))
	}
	if _, err := w.Expand(nil); err != nil {
		t.Error(err)
	}
}

// Workers of one program run side by side, and a cache is used.
func TestConcurrency(t *testing.T) {
	cache := wazero.NewCompilationCache()
	defer cache.Close(context.Background())
	m := failureDetector(t, 2, 4)
	p, _, _ := start(t, m, claimsOf(m.System), Options{Cache: cache})
	states := reachable(t, m, p, 1<<20)
	if n := len(states) / p.Words(); n != 10158 {
		t.Errorf("%d states are reachable; want 10158", n)
	}
	var group sync.WaitGroup
	var sums [4]int
	for i := range sums {
		group.Go(func() {
			w, err := p.Worker()
			if err != nil {
				t.Error(err)
				return
			}
			defer w.Close()
			b, err := w.Expand(states)
			if err != nil {
				t.Error(err)
				return
			}
			sums[i] = len(b.Source)
		})
	}
	group.Wait()
	if sums != [4]int{sums[0], sums[0], sums[0], sums[0]} || sums[0] < 12194 {
		t.Errorf("successors: %v", sums)
	}
}

func TestNoHostCalls(t *testing.T) {
	m := failureDetector(t, 4, 4)
	p, _, _ := start(t, m, claimsOf(m.System), Options{})
	if n := len(p.(*program).module.ImportedFunctions()); n != 0 {
		t.Errorf("the module imports %d functions", n)
	}
}
