package interp

import (
	"context"
	"fmt"
	"math/big"
	"math/rand/v2"
	"slices"
	"testing"

	"erelong.dev/erelong/internal/logic"
	"erelong.dev/erelong/internal/system"
)

// toy is a system with few states and a symbol of each kind, and a source of random formulas over
// them.
type toy struct {
	*rand.Rand
	sys  *system.System
	inst *system.Instance

	elem, three, pair         *logic.Sort
	r, p, c, n, g, q, derived *logic.Symbol
	vars                      []*logic.Var
}

func newToy(seed uint64) *toy {
	t := &toy{Rand: rand.New(rand.NewPCG(seed, 1))}
	t.elem = &logic.Sort{Kind: logic.KindUninterpreted, Name: "elem"}
	k := &logic.Symbol{Name: "k", Kind: logic.Constant, Result: logic.Int}
	t.three = &logic.Sort{Kind: logic.KindRange, Name: "0..k", Lo: logic.IntLit(0),
		Hi: logic.App(k, 0)}
	t.pair = &logic.Sort{Kind: logic.KindRange, Name: "1..2", Lo: logic.IntLit(1),
		Hi: logic.IntLit(2)}
	symbol := func(name string, result *logic.Sort, args ...*logic.Sort) *logic.Symbol {
		return &logic.Symbol{Name: name, Kind: logic.Function, Args: args, Result: result,
			Mutable: true}
	}
	t.r = symbol("r", logic.Bool, t.elem)
	t.p = symbol("p", logic.Bool)
	t.c = symbol("c", t.elem)
	t.n = symbol("n", t.three)
	t.g = symbol("g", t.elem, t.elem)
	t.q = symbol("q", logic.Bool, t.pair)
	t.derived = symbol("d", logic.Bool, t.elem)
	t.derived.Derived = true
	x := &logic.Var{Name: "x", Sort: t.elem}
	body := logic.Or(logic.App(t.r, 0, logic.Ref(x)),
		logic.Eq(logic.App(t.g, 0, logic.Ref(x)), logic.App(t.c, 0)))
	t.sys = &system.System{
		Sorts:   []*logic.Sort{t.elem},
		Symbols: []*logic.Symbol{k, t.r, t.p, t.c, t.n, t.g, t.q, t.derived},
		Derived: []*system.Derived{{Symbol: t.derived, Vars: []*logic.Var{x}, Body: body,
			Axiom: logic.Forall([]*logic.Var{x},
				logic.Iff(logic.App(t.derived, 0, logic.Ref(x)), body))}},
	}
	t.inst = &system.Instance{Name: "toy", Sizes: map[*logic.Sort]int{t.elem: 2},
		Values: map[*logic.Symbol]*logic.Term{k: logic.IntLit(2)}}
	return t
}

// states lists all states of the toy whose values are in the declared sorts.
func (t *toy) states(m *Model) []State {
	return completions(m, make(State, m.size), make([]bool, m.size))
}

// completions lists the ways to give values to the unknown slots of a state.
func completions(m *Model, s State, known []bool) []State {
	f, _ := m.machine()
	_ = f.setInstance()
	for slot := range s {
		if f.known[slot] {
			s[slot], known[slot] = f.val[slot], true
		}
	}
	out := []State{s.Clone()}
	for slot := range s {
		if known[slot] {
			continue
		}
		d, ok := f.domain(m.owners[slot].symbol.Result)
		if !ok {
			panic(f.err)
		}
		var next []State
		for _, s := range out {
			for v := d.lo; d.has(v); v++ {
				c := s.Clone()
				c[slot] = v
				next = append(next, c)
			}
		}
		out = next
	}
	return out
}

func (t *toy) formula(depth int) *logic.Term {
	if depth == 0 {
		switch t.IntN(4) {
		case 0:
			return logic.BoolLit(t.IntN(2) == 0)
		case 1:
			return logic.App(t.p, 0)
		case 2:
			return logic.App(t.r, 0, t.element(0))
		}
		return logic.App(t.derived, 0, t.element(0))
	}
	sub := func() *logic.Term { return t.formula(depth - 1) }
	switch t.IntN(16) {
	case 0:
		return logic.Not(sub())
	case 1, 2:
		return &logic.Term{Op: logic.OpAnd, Sort: logic.Bool,
			Args: []*logic.Term{sub(), sub(), sub()}}
	case 3, 4:
		return &logic.Term{Op: logic.OpOr, Sort: logic.Bool, Args: []*logic.Term{sub(), sub()}}
	case 5, 6:
		return &logic.Term{Op: logic.OpImplies, Sort: logic.Bool, Args: []*logic.Term{sub(), sub()}}
	case 7:
		return &logic.Term{Op: logic.OpIff, Sort: logic.Bool, Args: []*logic.Term{sub(), sub()}}
	case 8:
		return logic.Ite(sub(), sub(), sub())
	case 9:
		return &logic.Term{Op: logic.OpEq, Sort: logic.Bool,
			Args: []*logic.Term{t.element(depth - 1), t.element(depth - 1)}}
	case 10:
		return &logic.Term{Op: logic.OpEq, Sort: logic.Bool,
			Args: []*logic.Term{t.integer(depth - 1), t.integer(depth - 1)}}
	case 11:
		return logic.Le(t.integer(depth-1), t.integer(depth-1))
	case 12:
		return logic.App(t.q, 0, t.integer(depth-1))
	case 13:
		return logic.Distinct(t.element(depth-1), t.element(depth-1))
	case 14:
		v := &logic.Var{Name: "e", Sort: t.elem}
		return logic.Let(v, t.element(depth-1), t.under(v, sub))
	}
	v := &logic.Var{Name: fmt.Sprint("v", depth),
		Sort: []*logic.Sort{t.elem, t.three, t.pair, logic.Bool}[t.IntN(4)]}
	if t.IntN(2) == 0 {
		return logic.Forall([]*logic.Var{v}, t.under(v, sub))
	}
	return logic.Exists([]*logic.Var{v}, t.under(v, sub))
}

func (t *toy) under(v *logic.Var, sub func() *logic.Term) *logic.Term {
	t.vars = append(t.vars, v)
	out := sub()
	t.vars = t.vars[:len(t.vars)-1]
	return out
}

// variable picks a variable in scope.
func (t *toy) variable(sort *logic.Sort) *logic.Term {
	for _, v := range slices.Backward(t.vars) {
		if v.Sort.Base() == sort && t.IntN(3) > 0 {
			return logic.Ref(v)
		}
	}
	return nil
}

func (t *toy) element(depth int) *logic.Term {
	if v := t.variable(t.elem); v != nil {
		return v
	}
	switch t.IntN(4) {
	case 0:
		return logic.Member(t.elem, t.IntN(2))
	case 1:
		return logic.App(t.c, 0)
	case 2:
		if depth > 0 {
			return logic.Ite(t.formula(depth-1), t.element(depth-1), t.element(depth-1))
		}
	}
	return logic.App(t.g, 0, logic.App(t.c, 0))
}

func (t *toy) integer(depth int) *logic.Term {
	if v := t.variable(logic.Int); v != nil {
		return v
	}
	switch t.IntN(6) {
	case 0:
		return logic.IntLit(int64(t.IntN(4)))
	case 1:
		return logic.Add(logic.App(t.n, 0), logic.IntLit(1))
	case 2:
		if depth > 0 {
			return logic.Sub(t.integer(depth-1), t.integer(depth-1))
		}
	case 3:
		if depth > 0 {
			return logic.Ite(t.formula(depth-1), t.integer(depth-1), logic.Neg(t.integer(depth-1)))
		}
	case 4:
		if t.IntN(4) == 0 { // overflows unless n is 0
			return logic.Mul(logic.App(t.n, 0), logic.BigLit(new(big.Int).Lsh(big.NewInt(1), 62)))
		}
	}
	return logic.App(t.n, 0)
}

// If partial evaluation gives a value, every completion that has a value has this one. If it gives
// an error, every completion has one.
func TestPartialEvaluationAgreesWithCompletions(t *testing.T) {
	decided, undecided, failed := 0, 0, 0
	for seed := range uint64(3000) {
		toy := newToy(seed)
		m, err := NewModel(toy.sys, toy.inst)
		if err != nil {
			t.Fatal(err)
		}
		all := toy.states(m)
		f := toy.formula(4)
		s := all[toy.IntN(len(all))].Clone()
		known := make([]bool, m.size)
		for i := range known {
			known[i] = toy.IntN(3) > 0
		}
		mc, _ := m.machine(s)
		copy(mc.known, known)
		mc.known[0] = true // the parameter
		v, ok := mc.eval(f)
		evalErr, miss := mc.err, mc.miss
		switch {
		case ok:
			decided++
		case evalErr != nil:
			failed++
		default:
			undecided++
			if mc.known[miss] {
				t.Fatalf("seed %d: slot %d is called unknown", seed, miss)
			}
		}
		for _, c := range completions(m, s, known) {
			w, err := m.Eval(f, c)
			if ok && err == nil && v != w {
				t.Fatalf("seed %d: partial value %d, but %d in completion %v", seed, v, w, c)
			}
			if !ok && evalErr != nil && err == nil {
				t.Fatalf("seed %d: partial evaluation fails (%v), but completion %v has the value %d", seed, evalErr, c, w)
			}
		}
	}
	t.Logf("%d decided, %d undecided, %d failed", decided, undecided, failed)
	if decided < 500 || undecided < 500 || failed < 20 {
		t.Errorf("the formulas are too much alike: %d decided, %d undecided, %d failed", decided,
			undecided, failed)
	}
}

// The solver lists exactly the states that satisfy the constraints, each once. It reports an error
// only if some state has one. It may omit the error of a state that something to the right of the
// error excludes.
func TestSolverAgreesWithEnumeration(t *testing.T) {
	solved, failed := 0, 0
	for seed := range uint64(2000) {
		toy := newToy(seed)
		m, err := NewModel(toy.sys, toy.inst)
		if err != nil {
			t.Fatal(err)
		}
		var cs []constraint
		for range 1 + toy.IntN(3) {
			cs = append(cs, constraint{toy.formula(3), logic.Pre})
		}
		want := map[string]bool{}
		anyError := false
		for _, s := range toy.states(m) {
			good, wrong := true, false
			for _, c := range cs {
				v, err := m.Eval(c.term, s)
				wrong = wrong || err != nil && good
				good = good && err == nil && v == 1
			}
			want[m.Key(s)] = good
			anyError = anyError || wrong
		}
		f, _ := m.machine()
		if err := f.setInstance(); err != nil {
			t.Fatal(err)
		}
		got := map[string]bool{}
		err = f.solve(context.Background(), cs, f.unknown(0, m.size), func() error {
			key := m.Key(f.val[:m.size])
			if got[key] {
				t.Fatalf("seed %d: a state is listed twice", seed)
			}
			got[key] = true
			return nil
		})
		if err != nil {
			failed++
			if !anyError {
				t.Fatalf("seed %d: the solver fails, but no state does: %v", seed, err)
			}
			continue
		}
		solved++
		for key, good := range want {
			if got[key] != good {
				t.Fatalf("seed %d: state %v: solver %t, enumeration %t", seed, m.StateOfKey(key),
					got[key], good)
			}
			delete(got, key)
		}
		if len(got) > 0 {
			t.Fatalf("seed %d: the solver lists states outside of the declared sorts: %v", seed,
				got)
		}
	}
	if solved < 500 || failed < 20 {
		t.Errorf("the constraints are too much alike: %d solved, %d failed", solved, failed)
	}
}

func TestArithmeticIsChecked(t *testing.T) {
	edge := []int64{0, 1, -1, 2, -2, 3, 1 << 31, -1 << 31, 1<<32 - 1, 1 << 62, -1 << 62, 1<<63 - 1,
		-1 << 63, -1<<63 + 1}
	m, err := NewModel(&system.System{}, &system.Instance{})
	if err != nil {
		t.Fatal(err)
	}
	for _, a := range edge {
		for _, b := range edge {
			x, y := big.NewInt(a), big.NewInt(b)
			for _, c := range []struct {
				term *logic.Term
				want *big.Int
			}{
				{logic.Add(logic.IntLit(a), logic.IntLit(b)), new(big.Int).Add(x, y)},
				{logic.Sub(logic.IntLit(a), logic.IntLit(b)), new(big.Int).Sub(x, y)},
				{logic.Mul(logic.IntLit(a), logic.IntLit(b)), new(big.Int).Mul(x, y)},
				{logic.Neg(logic.IntLit(a)), new(big.Int).Neg(x)},
				{logic.BigLit(sum(x, y)), sum(x, y)},
			} {
				got, err := m.Eval(c.term)
				if (err == nil) != c.want.IsInt64() || err == nil && got != c.want.Int64() {
					t.Errorf("operation %d on %d and %d: %d, %v; want %s", c.term.Op, a, b, got,
						err, c.want)
				}
			}
		}
	}
}

func sum(x, y *big.Int) *big.Int { return new(big.Int).Add(x, y) }
