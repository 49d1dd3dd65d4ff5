package system_test

import (
	"fmt"
	"math/rand"
	"testing"

	"erelong.dev/erelong/internal/interp"
	"erelong.dev/erelong/internal/logic"
	"erelong.dev/erelong/internal/system"
	"erelong.dev/erelong/internal/testkit"
)

// counted has sizes, sums, greatest and least values, with arguments and without.
const counted = `
sort node
immutable constant N: int
axiom N >= 0
mutable relation p(node)
mutable relation q(node)
mutable relation r(1..N, node)
mutable function w(node): 0..2
mutable function v(1..N): -1..1
definition use(i: int): int = size({n for n: node if p(n)}) + size({n for n: node if p(n) & !q(n)})
	+ size({n for n: node if w(n) = i}) + size({k for k: 1..N if v(k) > 0})
	+ sum(w(n) for n: node if p(n)) + sum(v(k) for k: 1..N) + size(node)
	+ sum(w(n) for n: node if w(n) >= i)
	+ (if exists n. p(n) then max(w(n) for n: node if p(n)) + min(w(n) for n: node if p(n)) else 0)
safety [some] forall i: 0..2. use(i) >= -100
safety [other] forall k: 1..N. size({n for n: node if r(k, n)}) < 9
instance small { node = 2, N = 1 }
instance other { node = 1, N = 3 }
instance third { node = 3, N = 0 }
`

// TestLawsHold evaluates all laws of folds in pairs of states.
func TestLawsHold(t *testing.T) {
	sys := testkit.Compile(t, counted)
	if n := len(sys.Folds()); n < 9 {
		t.Fatalf("%d folds", n)
	}
	for _, inst := range sys.Instances {
		in, err := sys.In(inst)
		if err != nil {
			t.Fatal(err)
		}
		m, err := interp.NewModel(in, inst)
		if err != nil {
			t.Fatal(err)
		}
		states := sampled(t, m, 14)
		for _, a := range sys.Folds() {
			for i, s := range states {
				check(t, m, fmt.Sprint(inst.Name, " ", a.Symbol.Name), a.Laws(), s)
				for _, b := range sys.Folds() {
					check(t, m, fmt.Sprint(inst.Name, " ", a.Symbol.Name, ", ", b.Symbol.Name),
						system.Compare(a, b), s, states[(7*i+3)%len(states)])
				}
			}
		}
	}
}

// sampled are some initial states.
func sampled(t *testing.T, m *interp.Model, n int) (out []interp.State) {
	t.Helper()
	rng := rand.New(rand.NewSource(1))
	for range n {
		s, _, err := m.Sample(t.Context(), rng, 100_000)
		if err != nil || s == nil {
			t.Fatal("no state: ", err)
		}
		out = append(out, s)
	}
	return out
}

func check(t *testing.T, m *interp.Model, what string, laws []system.Law, states ...interp.State) {
	t.Helper()
	for _, l := range laws {
		if ok, err := m.Holds(l.Term, states...); err != nil || !ok {
			t.Fatalf("%s: %v, %v\n%s", what, ok, err, l.Term)
		}
		for _, x := range l.Triggers {
			if x.Op != logic.OpApp || len(x.Args) == 0 {
				t.Fatalf("%s: trigger %s", what, x)
			}
		}
	}
}

// TestLastingHolds evaluates the law of recursive relations for relations that nothing defines, in
// pairs of states: it is true of all relations over numbers with a least one.
func TestLastingHolds(t *testing.T) {
	sys := testkit.Compile(t, counted)
	checked := 0
	for _, inst := range sys.Instances {
		in, err := sys.In(inst)
		if err != nil {
			t.Fatal(err)
		}
		m, err := interp.NewModel(in, inst)
		if err != nil {
			t.Fatal(err)
		}
		states := sampled(t, m, 14)
		for _, s := range sys.Symbols {
			if !s.Mutable || s.Derived || s.Result != logic.Bool {
				continue
			}
			laws := (&system.Derived{Symbol: s}).Lasting()
			checked += len(laws)
			for i := range states {
				for j := range states {
					check(t, m, s.Name, laws, states[i], states[j])
				}
			}
		}
	}
	if checked != len(sys.Instances) {
		t.Errorf("%d laws", checked)
	}
}
