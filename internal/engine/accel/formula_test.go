package accel

import (
	"math/rand"
	"testing"

	"erelong.dev/erelong/internal/logic"
	"erelong.dev/erelong/internal/presburger"
	"erelong.dev/erelong/internal/system"
	"erelong.dev/erelong/internal/testkit"
)

// expression is a term with its meaning, a function of the values of x, y, of a truth value and of
// a member of an enum.
type expression struct {
	term *logic.Term
	of   func(x, y, p, c int64) int64
}

// formulas generates formulas of linear arithmetic.
type formulas struct {
	*rand.Rand
	x, y, p, c *logic.Symbol
}

func newFormulas(rng *rand.Rand, sys *system.System) *formulas {
	f := &formulas{Rand: rng}
	for _, s := range sys.Symbols {
		switch s.Name {
		case "x":
			f.x = s
		case "y":
			f.y = s
		case "p":
			f.p = s
		case "c":
			f.c = s
		}
	}
	return f
}

func truth(b bool) int64 {
	if b {
		return 1
	}
	return 0
}

// of makes an expression of others.
func of(t *logic.Term, value func(a []int64) int64, parts ...expression) expression {
	return expression{t, func(x, y, p, c int64) int64 {
		var a []int64
		for _, part := range parts {
			a = append(a, part.of(x, y, p, c))
		}
		return value(a)
	}}
}

func op(
	op logic.Op, sort *logic.Sort, value func(a []int64) int64, parts ...expression,
) expression {
	t := &logic.Term{Op: op, Sort: sort}
	for _, p := range parts {
		t.Args = append(t.Args, p.term)
	}
	return of(t, value, parts...)
}

func choose(a []int64) int64 {
	if a[0] == 1 {
		return a[1]
	}
	return a[2]
}

func (f *formulas) number(depth int) expression {
	n := int64(f.Intn(9) - 4)
	literal := of(logic.IntLit(n), func([]int64) int64 { return n })
	kind := f.Intn(9)
	if depth == 0 {
		kind %= 3
	}
	switch kind {
	case 0:
		return expression{logic.App(f.x, logic.Pre), func(x, _, _, _ int64) int64 { return x }}
	case 1:
		return expression{logic.App(f.y, logic.Pre), func(_, y, _, _ int64) int64 { return y }}
	case 2:
		return literal
	case 3:
		return op(logic.OpNeg, logic.Int, func(a []int64) int64 { return -a[0] }, f.number(depth-1))
	case 4:
		return op(logic.OpMul, logic.Int, func(a []int64) int64 { return a[0] * a[1] }, literal,
			f.number(depth-1))
	case 5:
		return op(logic.OpMul, logic.Int, func(a []int64) int64 { return a[0] * a[1] },
			f.number(depth-1), literal)
	case 6:
		return op(logic.OpIte, logic.Int, choose, f.formula(depth-1), f.number(depth-1),
			f.number(depth-1))
	case 7:
		return op(logic.OpAdd, logic.Int, func(a []int64) int64 { return a[0] + a[1] + a[2] },
			f.number(depth-1), literal, f.number(depth-1))
	}
	return op(logic.OpSub, logic.Int, func(a []int64) int64 { return a[0] - a[1] },
		f.number(depth-1), f.number(depth-1))
}

func (f *formulas) formula(depth int) expression {
	if depth == 0 {
		switch f.Intn(8) {
		case 0:
			return expression{logic.App(f.p, logic.Pre), func(_, _, p, _ int64) int64 { return p }}
		case 1:
			member := int64(f.Intn(3))
			return expression{logic.Eq(logic.App(f.c, logic.Pre),
				logic.Member(f.c.Result, int(member))), func(_, _, _, c int64) int64 {
				return truth(c == member)
			}}
		case 2:
			is := f.Intn(2) == 0
			return of(logic.BoolLit(is), func([]int64) int64 { return truth(is) })
		}
		return f.comparison(0)
	}
	sub := func() expression { return f.formula(depth - 1) }
	switch f.Intn(8) {
	case 0:
		return op(logic.OpNot, logic.Bool, func(a []int64) int64 { return 1 - a[0] }, sub())
	case 1:
		return op(logic.OpAnd, logic.Bool, func(a []int64) int64 { return a[0] * a[1] * a[2] },
			sub(), sub(), sub())
	case 2:
		return op(logic.OpOr, logic.Bool, func(a []int64) int64 { return max(a[0], a[1], a[2]) },
			sub(), sub(), sub())
	case 3:
		return op(logic.OpImplies, logic.Bool, func(a []int64) int64 { return max(1-a[0], a[1]) },
			sub(), sub())
	case 4:
		return op(logic.OpIff, logic.Bool, func(a []int64) int64 { return truth(a[0] == a[1]) },
			sub(), sub())
	case 5:
		return op(logic.OpIte, logic.Bool, choose, sub(), sub(), sub())
	case 6:
		return op(logic.OpDistinct, logic.Bool, func(a []int64) int64 {
			return truth(a[0] != a[1] && a[0] != a[2] && a[1] != a[2])
		}, f.number(0), f.number(depth-1), f.number(0))
	}
	return f.comparison(depth - 1)
}

func (f *formulas) comparison(depth int) expression {
	a, b := f.number(depth), f.number(depth)
	switch f.Intn(3) {
	case 0:
		return op(logic.OpEq, logic.Bool, func(a []int64) int64 { return truth(a[0] == a[1]) }, a,
			b)
	case 1:
		return op(logic.OpLt, logic.Bool, func(a []int64) int64 { return truth(a[0] < a[1]) }, a, b)
	}
	return op(logic.OpLe, logic.Bool, func(a []int64) int64 { return truth(a[0] <= a[1]) }, a, b)
}

// The set of a formula has exactly the vectors for which it is true, with values put in place of
// truth values and members; so has the union of its disjuncts.
func TestSets(t *testing.T) {
	sys := testkit.Compile(t, `enum e { red, green, blue }
mutable constant x: int
mutable constant y: int
mutable relation p
mutable constant c: e
init x = 0 & y = 0 & !p & c = red
action a() { x := x + 1; y := y - x; p := !p; c := green; }
action b() { x := x - 1; c := blue; }
`)
	store := presburger.NewStore(t.Context(), 100_000)
	m, _, err := newMachine(store, sys)
	if err != nil {
		t.Fatal(err)
	}
	sets, unions := 0, 0
	for seed := range int64(400) {
		f := newFormulas(rand.New(rand.NewSource(seed)), sys)
		e := f.formula(3)
		p, c := f.Int63n(2), f.Int63n(3)
		folded := values{f.p: p, f.c: c}.fold(e.term)
		check := func(what string, set *presburger.Set) {
			for _, s := range (&counters{first: []int{0, 0}}).box(6)[:13*13] {
				x, y := int64(s.x[0]), int64(s.x[1])
				_, v := m.components(s, sys)
				if want := e.of(x, y, p, c) == 1; store.Has(set, v) != want {
					t.Fatalf("seed %d: %s, %s, is %v for x = %d, y = %d, p = %d, c = %d", seed,
						e.term, what, !want, x, y, p, c)
				}
			}
		}
		set, err := m.set(folded)
		if err != nil {
			continue // too many cases
		}
		sets++
		check("as a set", set)
		for _, is := range []bool{true, false} {
			parts := disjuncts(folded, is)
			if parts == nil {
				continue
			}
			unions++
			union := store.None(m.space)
			for _, conjuncts := range parts {
				part := store.All(m.space)
				for _, t := range conjuncts {
					x, err := m.set(t)
					if err != nil {
						continue
					}
					part = store.And(part, x)
				}
				union = store.Or(union, part)
			}
			if !is {
				union = store.Not(union)
			}
			check("as a disjunction", union)
		}
	}
	if t.Logf("%d sets, %d unions", sets, unions); sets < 400 || unions < 330 {
		t.Errorf("only %d sets, %d unions", sets, unions)
	}
}

// The inverse of a map takes images back, in both directions, and is found for products of simple
// maps whose numbers are small.
func TestInverse(t *testing.T) {
	found := 0
	for seed := range int64(300) {
		rng := rand.New(rand.NewSource(seed))
		n := 1 + rng.Intn(4)
		var f presburger.Affine
		for i := range n {
			l := presburger.Linear{Coeffs: make([]int64, n), Constant: int64(rng.Intn(9) - 4)}
			l.Coeffs[(i+int(seed))%n] = int64(1 - 2*rng.Intn(2))
			f = append(f, l)
		}
		for range rng.Intn(4) { // a multiple of a row is added to another
			if i, j := rng.Intn(n), rng.Intn(n); i != j {
				q := int64(rng.Intn(5) - 2)
				for k := range n {
					f[i].Coeffs[k] += q * f[j].Coeffs[k]
				}
			}
		}
		g, ok := inverse(f)
		if !ok {
			continue
		}
		found++
		for range 20 {
			v := make([]int64, n)
			for i := range v {
				v[i] = int64(rng.Intn(21) - 10)
			}
			there, back := g.Of(f.Of(v)), f.Of(g.Of(v))
			for i := range v {
				if there[i] != v[i] || back[i] != v[i] {
					t.Fatalf("seed %d: %v is no inverse of %v", seed, g, f)
				}
			}
		}
	}
	if found < 250 {
		t.Errorf("only %d inverses are found", found)
	}
	for _, none := range []presburger.Affine{
		{{Coeffs: []int64{2}}}, {{Coeffs: []int64{0}}},
		{{Coeffs: []int64{1, 1}}, {Coeffs: []int64{1, 1}}},
		{{Coeffs: []int64{1, 2}}, {Coeffs: []int64{2, 1}}},
	} {
		if g, ok := inverse(none); ok {
			t.Errorf("%v has the inverse %v", none, g)
		}
	}
}
