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
immutable relation c(node)
mutable relation r(1..N, node)
mutable function w(node): 0..2
mutable function v(1..N): -1..1
mutable constant last: 0..N + 1
definition before(j: int): int = size({k for k: int if 1 <= k & k < j & k <= N & v(k) > 0})
	+ size({k for k: int if 1 <= k & k <= last & k <= N + 1})
	+ sum(v(k) for k: int if 1 <= k & last <= k & k <= N)
	+ sum(v(k) for k: 1..N if k < j) + sum(v(k) for k: 1..N if j <= k)
definition use(i: int): int = size({n for n: node if p(n)}) + size({n for n: node if p(n) & !q(n)})
	+ size({n for n: node if w(n) = i}) + size({n for n: node if c(n)}) + size({k for k: 1..N if v(k) > 0})
	+ sum(w(n) for n: node if p(n)) + sum(v(k) for k: 1..N) + size(node)
	+ sum(w(n) for n: node if w(n) >= i)
	+ (if exists n. p(n) then max(w(n) for n: node if p(n)) + min(w(n) for n: node if p(n)) else 0)
safety [some] forall i: 0..2. use(i) >= -100
safety [ends] forall j: int. before(j) >= -9
safety [twice] sum(w(n) for n: node if p(n)) <= 2 * size({n for n: node if p(n)})
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
		for i, s := range states {
			check(t, m, inst.Name, sys.Splits(), s)
			if n := len(sys.Splits()); i == 0 && n == 0 {
				t.Errorf("%d laws of sums side by side", n)
			}
		}
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

// between is a term whose integers are all near the ones that an instance has. A law that is true
// of these is true of all: beyond, nothing is counted.
func between(t *logic.Term) *logic.Term {
	near := &logic.Sort{Kind: logic.KindRange, Lo: logic.IntLit(-2), Hi: logic.IntLit(6)}
	return logic.Map(t, func(t *logic.Term) *logic.Term {
		if t.Op != logic.OpForall && t.Op != logic.OpExists {
			return t
		}
		c := *t
		c.Vars = nil
		with := map[*logic.Var]*logic.Term{}
		for _, v := range t.Vars {
			own := *v
			if v.Sort == logic.Int {
				own.Sort = near
			}
			c.Vars = append(c.Vars, &own)
			with[v] = logic.Ref(&own)
		}
		c.Args = []*logic.Term{logic.Subst(t.Args[0], with)}
		return &c
	})
}

func check(t *testing.T, m *interp.Model, what string, laws []system.Law, states ...interp.State) {
	t.Helper()
	for _, l := range laws {
		if ok, err := m.Holds(between(l.Term), states...); err != nil || !ok {
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
