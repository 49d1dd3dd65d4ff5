package vc

import (
	"fmt"
	"slices"
	"testing"

	"pgregory.net/rapid"

	"erelong.dev/erelong/internal/logic"
	"erelong.dev/erelong/internal/smt"
	"erelong.dev/erelong/internal/testkit"
)

// values holds the values of variables, of symbol copies and of one function.
type values struct {
	vars   map[*logic.Var]int64
	copies map[string]int64
}

func copyName(t *logic.Term) string { return fmt.Sprintf("%s@%d", t.Symbol.Name, t.Step) }

// box is the domain of bound variables.
var box = []int64{-2, -1, 0, 1, 2}

// number evaluates an integer.
func (v values) number(t *logic.Term) int64 {
	switch t.Op {
	case logic.OpInt:
		return t.Int.Int64()
	case logic.OpVar:
		n, ok := v.vars[t.Var]
		if !ok {
			panic("no value of " + t.Var.Name)
		}
		return n
	case logic.OpApp:
		if len(t.Args) == 1 {
			return 3*v.number(t.Args[0]) - 1 // some function
		}
		n, ok := v.copies[copyName(t)]
		if !ok {
			panic("no value of " + copyName(t))
		}
		return n
	case logic.OpAdd:
		sum := int64(0)
		for _, a := range t.Args {
			sum += v.number(a)
		}
		return sum
	case logic.OpSub:
		return v.number(t.Args[0]) - v.number(t.Args[1])
	case logic.OpMul:
		return v.number(t.Args[0]) * v.number(t.Args[1])
	case logic.OpNeg:
		return -v.number(t.Args[0])
	case logic.OpIte:
		if v.holds(t.Args[0]) {
			return v.number(t.Args[1])
		}
		return v.number(t.Args[2])
	case logic.OpLet:
		return v.with(t.Vars[0], v.number(t.Args[0])).number(t.Args[1])
	}
	panic(t.String())
}

func (v values) with(x *logic.Var, n int64) values {
	inner := values{map[*logic.Var]int64{x: n}, v.copies}
	for y, m := range v.vars {
		if y != x {
			inner.vars[y] = m
		}
	}
	return inner
}

// holds evaluates a formula.
func (v values) holds(t *logic.Term) bool {
	is := func(i int) bool { return v.holds(t.Args[i]) }
	switch t.Op {
	case logic.OpTrue:
		return true
	case logic.OpFalse:
		return false
	case logic.OpNot:
		return !is(0)
	case logic.OpAnd:
		return !slices.ContainsFunc(t.Args, func(a *logic.Term) bool { return !v.holds(a) })
	case logic.OpOr:
		return slices.ContainsFunc(t.Args, v.holds)
	case logic.OpImplies:
		return !is(0) || is(1)
	case logic.OpEq:
		return v.number(t.Args[0]) == v.number(t.Args[1])
	case logic.OpLe:
		return v.number(t.Args[0]) <= v.number(t.Args[1])
	case logic.OpForall:
		return !slices.ContainsFunc(box, func(n int64) bool {
			return !v.with(t.Vars[0], n).holds(t.Args[0])
		})
	case logic.OpLet:
		return v.with(t.Vars[0], v.number(t.Args[0])).holds(t.Args[1])
	}
	panic(t.String())
}

// terms generates terms.
type terms struct {
	*rapid.T
	leaves []*logic.Term
	apply  *logic.Symbol
	fresh  int
}

func (g *terms) variable() *logic.Var {
	g.fresh++
	return &logic.Var{Name: fmt.Sprintf("V%d", g.fresh), Sort: logic.Int}
}

// under adds a variable to the leaves while it is in scope.
func (g *terms) under(v *logic.Var, draw func() *logic.Term) *logic.Term {
	g.leaves = append(g.leaves, logic.Ref(v), logic.Ref(v))
	defer func() { g.leaves = g.leaves[:len(g.leaves)-2] }()
	return draw()
}

func (g *terms) number(depth int) *logic.Term {
	n := func() *logic.Term { return g.number(depth - 1) }
	kind := 0
	if depth > 0 {
		kind = rapid.IntRange(0, 8).Draw(g.T, "kind")
	}
	switch kind {
	case 1:
		return logic.Add(n(), n())
	case 2:
		return logic.Sub(n(), n())
	case 3, 4, 5:
		return logic.Mul(n(), n())
	case 6:
		return logic.Ite(g.formula(depth-1), n(), n())
	case 7:
		v := g.variable()
		return logic.Let(v, n(), g.under(v, n))
	case 8:
		if rapid.Bool().Draw(g.T, "negated") {
			return logic.Neg(n())
		}
		return logic.App(g.apply, 0, n())
	}
	return rapid.SampledFrom(g.leaves).Draw(g.T, "leaf")
}

func (g *terms) formula(depth int) *logic.Term {
	f := func() *logic.Term { return g.formula(depth - 1) }
	kind := 0
	if depth > 0 {
		kind = rapid.IntRange(0, 4).Draw(g.T, "kind")
	}
	switch kind {
	case 1:
		return logic.Not(f())
	case 2:
		return logic.Implies(f(), f())
	case 3:
		v := g.variable()
		return logic.Forall([]*logic.Var{v}, g.under(v, f))
	case 4:
		v := g.variable()
		return logic.Let(v, g.number(depth-1), g.under(v, f))
	}
	return logic.Le(g.number(depth), g.number(depth))
}

// With each unknown equal to its product, the linear theory is equivalent to the given one, and its
// lemmas are true. So a model of the given theory yields a model of the linear theory, and unsat of
// the linear theory means unsat of the given one.
func TestLinearizeFollows(t *testing.T) {
	parameter := &logic.Symbol{Name: "p", Kind: logic.Constant, Result: logic.Int}
	state := &logic.Symbol{Name: "s", Kind: logic.Constant, Result: logic.Int, Mutable: true}
	apply := &logic.Symbol{Name: "f", Kind: logic.Function, Args: []*logic.Sort{logic.Int},
		Result: logic.Int}
	arg := &logic.Var{Name: "x", Sort: logic.Int}
	drawn, linear, unfolded := 0, 0, 0
	rapid.Check(t, func(rt *rapid.T) {
		g := &terms{T: rt, apply: apply, leaves: []*logic.Term{
			logic.App(parameter, 0), logic.App(state, 0), logic.Ref(arg), logic.IntLit(-1),
			logic.IntLit(2),
		}}
		theory := &Theory{Consts: []*logic.Var{arg},
			Updates: []Update{{Symbol: state, Version: 1, Value: g.number(3)}}}
		g.leaves = append(g.leaves, logic.App(state, 1), logic.App(state, 1))
		theory.Assume(g.formula(3), g.formula(3))
		goals := []*logic.Term{g.formula(3)}
		drawn++
		l := theory.Linearize(goals)
		if l == nil {
			return
		}
		linear++

		v := values{map[*logic.Var]int64{}, map[string]int64{}}
		value := func(name string) int64 { return rapid.Int64Range(-3, 3).Draw(rt, name) }
		v.vars[arg], v.copies["p@0"], v.copies["s@0"] = value("x"), value("p"), value("s")
		v.copies["s@1"] = v.number(theory.Updates[0].Value)
		for _, p := range l.products {
			v.vars[p.unknown.Var] = v.number(p.left) * v.number(p.right)
		}
		if was, is := v.copies["s@1"], v.number(l.Updates[0].Value); was != is {
			rt.Errorf("update: %d became %d", was, is)
		}
		given, added := len(theory.Hypotheses), formulas(l.Theory)
		for i, term := range slices.Concat(formulas(theory), goals) {
			same := slices.Concat(added[:given], l.Goals)[i]
			if v.holds(term) != v.holds(same) {
				rt.Errorf("%s became %s, which differs", term, same)
			}
			checkLinear(rt, same, l.Consts)
		}
		checkLinear(rt, l.Updates[0].Value, l.Consts)
		for _, more := range added[given:] {
			if !v.holds(more) {
				rt.Errorf("added, but false: %s", more)
			}
			checkLinear(rt, more, l.Consts)
			if more.Op == logic.OpEq {
				unfolded++
			}
		}
	})
	if linear*10 < drawn || unfolded == 0 {
		t.Errorf("of %d theories %d had products, and %d were unfolded", drawn, linear, unfolded)
	}
}

func formulas(t *Theory) (out []*logic.Term) {
	for _, h := range t.Hypotheses {
		out = append(out, h.Term)
	}
	return out
}

// checkLinear checks that every product left has a number as a factor or bound variables.
func checkLinear(t *rapid.T, term *logic.Term, consts []*logic.Var) {
	logic.Walk(term, func(m *logic.Term) bool {
		if m.Op != logic.OpMul || m.Args[0].Op == logic.OpInt {
			return true
		}
		if !slices.ContainsFunc(logic.FreeVars(m), func(v *logic.Var) bool {
			return !slices.Contains(consts, v)
		}) {
			t.Errorf("the product %s is left in %s", m, term)
		}
		return true
	})
}

// Each lemma is true of all integers: evaluation checks small ones, and z3 proves the general case.
func TestMonotoneIsValid(t *testing.T) {
	variable := func(name string) *logic.Var { return &logic.Var{Name: name, Sort: logic.Int} }
	f, a, b := variable("f"), variable("a"), variable("b")
	lemmas := monotone(logic.Ref(f), logic.Ref(a), logic.Ref(b),
		logic.Mul(logic.Ref(f), logic.Ref(a)), logic.Mul(logic.Ref(f), logic.Ref(b)))
	if len(lemmas) != 20 {
		t.Errorf("%d lemmas", len(lemmas))
	}
	for _, lemma := range lemmas {
		for i := int64(-5); i <= 5; i++ {
			for j := int64(-5); j <= 5; j++ {
				for k := int64(-5); k <= 5; k++ {
					if !(values{vars: map[*logic.Var]int64{f: i, a: j, b: k}}).holds(lemma) {
						t.Fatalf("%s is false for %d, %d, %d", lemma, i, j, k)
					}
				}
			}
		}
	}
	for _, d := range testkit.Solvers(t, "z3") {
		s := smt.NewSession(d, smt.Config{})
		defer s.Close()
		for _, lemma := range lemmas {
			script := smt.NewScript()
			for _, v := range []*logic.Var{f, a, b} {
				if err := script.DeclareVar(v); err != nil {
					t.Fatal(err)
				}
			}
			if err := script.Assert(logic.Not(lemma)); err != nil {
				t.Fatal(err)
			}
			answer, err := s.Check(t.Context(), smt.Query{Body: script.Lines(), Rlimit: 1_000_000})
			if err != nil || answer.Status != smt.Unsat {
				t.Errorf("%s, %s: %s, %v", lemma, d.Name(), answer.Status, err)
			}
		}
	}
}

// A product of bound variables stays, also when a binder and the theory share a variable.
func TestLinearizeLeavesBoundProducts(t *testing.T) {
	p := logic.App(&logic.Symbol{Name: "p", Kind: logic.Constant, Result: logic.Int}, 0)
	x := &logic.Var{Name: "x", Sort: logic.Int}
	product := logic.Mul(p, logic.Ref(x))
	theory := &Theory{Consts: []*logic.Var{x}}
	theory.Assume(logic.Forall([]*logic.Var{x}, logic.Le(product, p)))
	if l := theory.Linearize([]*logic.Term{logic.Le(p, product)}); l != nil {
		t.Errorf("%s", formulas(l.Theory))
	}
}

// A product that takes too long to multiply out stays.
func TestLinearizeGivesUp(t *testing.T) {
	x := logic.App(&logic.Symbol{Name: "x", Kind: logic.Constant, Result: logic.Int}, 0)
	sum := logic.Add(x, logic.IntLit(1))
	power := sum
	for range 64 {
		power = logic.Mul(power, sum)
	}
	theory := &Theory{}
	theory.Assume(logic.Le(power, x))
	if l := theory.Linearize(nil); l != nil && l.work > 10*maxWork {
		t.Errorf("%d multiplications", l.work)
	}
}

// The new value of a function at an argument is no factor that is unfolded: it would speak of the
// variable of the update.
func TestLinearizeKeepsFunctions(t *testing.T) {
	p := logic.App(&logic.Symbol{Name: "p", Kind: logic.Constant, Result: logic.Int}, 0)
	h := &logic.Symbol{Name: "h", Kind: logic.Function, Args: []*logic.Sort{logic.Int},
		Result: logic.Int, Mutable: true}
	y := &logic.Var{Name: "y", Sort: logic.Int}
	theory := &Theory{Updates: []Update{{Symbol: h, Version: 1, Vars: []*logic.Var{y},
		Value: logic.Add(logic.Ref(y), logic.IntLit(1))}}}
	l := theory.Linearize([]*logic.Term{logic.Le(logic.Mul(p, logic.App(h, 1, p)), p)})
	if l == nil {
		t.Fatal("there is a product")
	}
	for _, f := range formulas(l.Theory) {
		if slices.Contains(logic.FreeVars(f), y) {
			t.Errorf("%s speaks of the variable of an update", f)
		}
	}
}
