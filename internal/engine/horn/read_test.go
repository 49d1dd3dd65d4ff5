package horn

import (
	"fmt"
	"math/big"
	"math/rand"
	"slices"
	"strings"
	"testing"

	"erelong.dev/erelong/internal/interp"
	"erelong.dev/erelong/internal/logic"
	"erelong.dev/erelong/internal/smt"
	"erelong.dev/erelong/internal/testkit"
)

// point is a state: two numbers, a truth value, and a number of few values.
type point struct{ x, y, p, n int64 }

// said is a formula or a term of a solver, with its meaning.
type said struct {
	text string
	of   func(s point) int64
}

// sayings generates what a solver says. Bits are the parameters that stand for bits of n; known are
// the names that let gives.
type sayings struct {
	*rand.Rand
	names   int
	formula []said
	term    []said
}

func truth(b bool) int64 {
	if b {
		return 1
	}
	return 0
}

func combine(op string, value func(a []int64) int64, parts ...said) said {
	texts := []string{op}
	for _, p := range parts {
		texts = append(texts, p.text)
	}
	return said{"(" + strings.Join(texts, " ") + ")", func(s point) int64 {
		var a []int64
		for _, p := range parts {
			a = append(a, p.of(s))
		}
		return value(a)
	}}
}

func ite(a []int64) int64 {
	if a[0] == 1 {
		return a[1]
	}
	return a[2]
}

// let gives a name to a formula or a term within another one.
func (g *sayings) let(depth int, body func(int) said) said {
	g.names++
	name := fmt.Sprintf("a!%d", g.names)
	value := g.truth(depth - 1)
	if g.Intn(2) == 0 {
		value = g.number(depth - 1)
		g.term = append(g.term, said{name, value.of})
		defer func() { g.term = g.term[:len(g.term)-1] }()
	} else {
		g.formula = append(g.formula, said{name, value.of})
		defer func() { g.formula = g.formula[:len(g.formula)-1] }()
	}
	b := body(depth - 1)
	return said{fmt.Sprintf("(let ((%s %s)) %s)", name, value.text, b.text), b.of}
}

func (g *sayings) number(depth int) said {
	k := int64(g.Intn(9) - 4)
	literal := said{fmt.Sprint(k), func(point) int64 { return k }}
	if k < 0 {
		literal.text = fmt.Sprintf("(- %d)", -k)
	}
	if depth <= 0 {
		return append(slices.Clone(g.term), literal)[g.Intn(len(g.term)+1)]
	}
	sub := func() said { return g.number(depth - 1) }
	switch g.Intn(9) {
	case 0:
		return g.let(depth, g.number)
	case 1:
		return combine("ite", ite, g.truth(depth-1), sub(), sub())
	case 2:
		return combine("-", func(a []int64) int64 { return -a[0] }, sub())
	case 3:
		return combine("-", func(a []int64) int64 { return a[0] - a[1] }, sub(), sub())
	case 4:
		return combine("*", func(a []int64) int64 { return a[0] * a[1] }, literal, sub())
	case 5, 6:
		d := int64(1 + g.Intn(4))
		by := said{fmt.Sprint(d), func(point) int64 { return d }}
		mod := func(v int64) int64 { return ((v % d) + d) % d }
		if g.Intn(2) == 0 {
			return combine("mod", func(a []int64) int64 { return mod(a[0]) }, sub(), by)
		}
		return combine("div", func(a []int64) int64 { return (a[0] - mod(a[0])) / d }, sub(), by)
	case 7:
		return combine("+", func(a []int64) int64 { return a[0] + a[1] + a[2] }, sub(), literal,
			sub())
	}
	return combine("+", func(a []int64) int64 { return a[0] + a[1] }, sub(), sub())
}

func (g *sayings) truth(depth int) said {
	if depth <= 0 {
		return g.formula[g.Intn(len(g.formula))]
	}
	sub := func() said { return g.truth(depth - 1) }
	all := func(a []int64) int64 { return slices.Min(a) }
	some := func(a []int64) int64 { return slices.Max(a) }
	switch g.Intn(10) {
	case 0:
		return g.let(depth, g.truth)
	case 1:
		return combine("and", all, sub(), sub(), sub())
	case 2, 3:
		return combine("or", some, sub(), sub(), sub())
	case 4:
		return combine("not", func(a []int64) int64 { return 1 - a[0] }, sub())
	case 5:
		return combine("=>", func(a []int64) int64 { return max(1-a[0], a[1]) }, sub(), sub())
	case 6:
		return combine("ite", ite, sub(), sub(), sub())
	case 7:
		if g.Intn(2) == 0 {
			return combine("distinct", func(a []int64) int64 { return truth(a[0] != a[1]) }, sub(),
				sub())
		}
		return combine("=", func(a []int64) int64 { return truth(a[0] == a[1]) }, sub(), sub())
	}
	return g.comparison(depth)
}

func (g *sayings) comparison(depth int) said {
	a, b := g.number(depth-1), g.number(depth-1)
	is := func(f func(x, y int64) bool) func([]int64) int64 {
		return func(a []int64) int64 { return truth(f(a[0], a[1])) }
	}
	switch g.Intn(6) {
	case 0:
		return combine("=", is(func(x, y int64) bool { return x == y }), a, b)
	case 1:
		return combine("distinct", is(func(x, y int64) bool { return x != y }), a, b)
	case 2:
		return combine("<", is(func(x, y int64) bool { return x < y }), a, b)
	case 3:
		return combine("<=", is(func(x, y int64) bool { return x <= y }), a, b)
	case 4:
		return combine(">", is(func(x, y int64) bool { return x > y }), a, b)
	}
	return combine(">=", is(func(x, y int64) bool { return x >= y }), a, b)
}

func parsed(t *testing.T, text string) smt.Sexpr {
	t.Helper()
	x, err := smt.NewReader(strings.NewReader(text)).Read()
	if err != nil {
		t.Fatalf("%v\n%s", err, text)
	}
	return x
}

// Solutions of a solver are read as what they say, with numbers in the place of their bits.
func TestReader(t *testing.T) {
	sys := testkit.Compile(t, `mutable constant x: int
mutable constant y: int
mutable constant n: int
mutable relation p
init x = 0 & y = 0 & n = 0 & !p
action none() { require p; p := false; }
safety [goal] !p
`)
	s := newSpace(t, sys)
	symbol := map[string]*logic.Symbol{}
	for _, sym := range sys.Symbols {
		symbol[sym.Name] = sym
	}
	for seed := range testkit.Size(600, 5000) {
		rng := rand.New(rand.NewSource(seed))
		values := [][]int64{{0, 2, 3, 5}, {1, 2}, {0, 1, 2, 3, 4, 5, 6, 7}, {4, 7}}[seed%4]
		g := &sayings{Rand: rng, formula: []said{
			{"true", func(point) int64 { return 1 }}, {"false", func(point) int64 { return 0 }},
			{"p", func(s point) int64 { return s.p }}},
			term: []said{{"x", func(s point) int64 { return s.x }},
				{"y", func(s point) int64 { return s.y }}}}
		r := &reader{names: map[string]*logic.Term{"x": logic.App(symbol["x"], logic.Pre),
			"y": logic.App(symbol["y"], logic.Pre), "p": logic.App(symbol["p"], logic.Pre)},
			bits: map[*logic.Term]valued{}}
		for b := range 3 {
			name := fmt.Sprintf("b%d", b)
			v := logic.Ref(&logic.Var{Name: name, Sort: logic.Bool})
			r.names[name], r.bits[v] = v, valued{symbol["n"], values, 1 << b}
			bit := said{name, func(s point) int64 { return s.n >> b & 1 }}
			g.formula = append(g.formula, bit, combine("not", func(a []int64) int64 {
				return 1 - a[0]
			}, bit))
		}
		e := g.truth(3)
		f, err := r.formula(parsed(t, e.text))
		if err != nil {
			t.Fatalf("seed %d: %v\n%s", seed, err, e.text)
		}
		f = r.whole(f)
		for range 60 {
			at := point{int64(rng.Intn(9) - 4), int64(rng.Intn(9) - 4), int64(rng.Intn(2)),
				values[rng.Intn(len(values))]}
			state := make(interp.State, 4)
			for name, v := range map[string]int64{"x": at.x, "y": at.y, "p": at.p, "n": at.n} {
				state[s.slot[symbol[name]]] = v
			}
			if is, err := s.model.Holds(f, state); err != nil || is != (e.of(at) == 1) {
				t.Fatalf("seed %d: %v, %v at %+v\n%s\n%s", seed, is, err, at, e.text, f)
			}
		}
	}
}

// What has another meaning, or none, is refused.
func TestReaderRefuses(t *testing.T) {
	x := &logic.Symbol{Name: "x", Result: logic.Int}
	p := &logic.Symbol{Name: "p", Result: logic.Bool}
	for _, text := range []string{"x", "z", "(f x)", "(not p p)", "(not)", "(=> p)", "(=> p p p)",
		"(ite p p)", "(< x)", "(< x 1 2)", "(= x p)", "(= p x)", "(= x 1 2)", "(let ((a p)))",
		"(let ((a p b)) a)", "(let ((a (f x))) a)", "(< (div x 0) 1)", "(< (mod x (- 2)) 1)",
		"(< (div x x) 1)", "(< (* x 1 1) 1)", "(< (ite p x) 1)", "(< (- x 1 1) 1)", "(< (-) 1)",
		"(< (+) 1)", "(and p z)", "(< p 1)", "(< (ite x 1 2) 1)", "1"} {
		r := &reader{names: map[string]*logic.Term{"x": logic.App(x, logic.Pre),
			"p": logic.App(p, logic.Pre)}, bits: map[*logic.Term]valued{}}
		if f, err := r.formula(parsed(t, text)); err == nil {
			t.Errorf("%s is read as %s", text, f)
		}
	}
}

// A comparison is written as a person writes it: nothing is subtracted, and each term stands on one
// side.
func TestCompared(t *testing.T) {
	app := func(name string) *logic.Term {
		return logic.App(&logic.Symbol{Name: name, Result: logic.Int, Mutable: true}, logic.Pre)
	}
	x, y := app("x"), app("y")
	two := logic.BigLit(big.NewInt(2))
	for _, c := range []struct {
		op   string
		a, b *logic.Term
		want string
	}{
		{"<=", logic.Sub(x, y), logic.IntLit(0), "x <= y"},
		{"<=", logic.Add(x, logic.IntLit(3)), logic.Add(y, logic.IntLit(5)), "x <= y + 2"},
		{"<", logic.Add(x, logic.IntLit(5)), logic.Add(y, logic.IntLit(3)), "x + 2 < y"},
		{">=", x, x, "0 <= 0"},
		{">", logic.Neg(x), logic.IntLit(4), "x + 4 < 0"},
		{"=", logic.Mul(two, x), logic.Add(x, y), "x = y"},
		{"=", logic.Mul(two, x), logic.Neg(y), "2 * x + y = 0"},
		{"distinct", logic.Sub(logic.IntLit(7), x), logic.IntLit(2), "5 != x"},
		{"<=", logic.IntLit(3), logic.Mul(two, y), "3 <= 2 * y"},
	} {
		if got := compared(c.op, c.a, c.b).String(); got != c.want {
			t.Errorf("%s %s %s is written as %s, want %s", c.a, c.op, c.b, got, c.want)
		}
	}
}

// Definitions of predicates are read as formulas over the symbols, each argument as its symbol or
// as its bit.
func TestSolutions(t *testing.T) {
	sys := testkit.Compile(t, gate+"safety [goal] n <= limit")
	s := newSpace(t, sys)
	for seed := range testkit.Size(40, 400) {
		rng := rand.New(rand.NewSource(seed))
		c := newClauses(s.problem, nil)
		text := ""
		meaning := map[int]said{}
		for i := range s.places() {
			g := &sayings{Rand: rng, formula: []said{{"true", func(point) int64 { return 1 }}}}
			var params []string
			for k, a := range c.args {
				name, sort := fmt.Sprintf("%c_%d", 'A'+k, i), "Int"
				slot := s.slot[s.state[a.index]]
				if a.bit >= 0 {
					sort = "Bool"
					g.formula = append(g.formula, said{name, func(p point) int64 {
						return p.at(slot) >> a.bit & 1
					}})
				} else {
					g.term = append(g.term, said{name, func(p point) int64 { return p.at(slot) }})
				}
				params = append(params, fmt.Sprintf("(%s %s)", name, sort))
			}
			meaning[i] = g.truth(3)
			text += fmt.Sprintf("(define-fun Inv_%d@ (%s) Bool %s)", i, strings.Join(params, " "),
				meaning[i].text)
		}
		found, err := c.read(parsed(t, "("+text+")"))
		if err != nil {
			t.Fatal(err)
		}
		for i, e := range meaning {
			for range 40 {
				state := make(interp.State, len(s.slot))
				for sym, slot := range s.slot {
					state[slot] = int64(rng.Intn(4))
					if vs := s.values[sym]; vs != nil {
						state[slot] = vs[rng.Intn(len(vs))]
					}
				}
				at := point{state[0], state[1], state[2], state[3]}
				if is, err := s.model.Holds(found[i], state); err != nil || is != (e.of(at) == 1) {
					t.Fatalf("seed %d: %v, %v at %v\n%s\n%s", seed, is, err, state, e.text,
						found[i])
				}
			}
		}
	}
}

// at is the value of a slot of a state with four of them.
func (p point) at(slot int) int64 { return [...]int64{p.x, p.y, p.p, p.n}[slot] }
