package vc

import (
	"fmt"
	"slices"

	"erelong.dev/erelong/internal/logic"
)

// Linear is a theory without the products of a given theory, and goals for it. Each product of two
// non-constant terms becomes an unknown, constrained by some lemmas only. So the given theory
// entails everything that this theory entails. The converse fails: a model of this theory means
// nothing.
//
// The method is incremental linearisation (Cimatti, Griggio, Irfan, Roveri, Sebastiani, TOCL 2018)
// with lemmas chosen in advance: if f >= 0 and a - b <= k, then f*a - f*b <= k*f, and so on, for
// pairs of products with a common factor f and small numbers k. They suit products of a parameter
// and a counter.
type Linear struct {
	*Theory
	Goals []*logic.Term

	given    *Theory
	bound    map[*logic.Var]bool // variables that some binder of the theory or a goal binds
	atoms    []*logic.Term
	products []product
	work     int // multiplications so far
}

// product states that an unknown stands for left * right, where left is an atom or another unknown.
type product struct {
	unknown     *logic.Term
	factors     []int // the numbers of the atoms, ascending
	left, right *logic.Term
}

// Limits. More lemmas would overload a solver, and multiplying out can take exponential time.
const (
	maxLemmas = 4000
	maxWork   = 20_000
	maxNodes  = 20_000 // of a term whose products are replaced
)

// Linearize gives nil if there are no products, or too many. Products of bound variables stay, as
// do products that take too long to multiply out.
func (t *Theory) Linearize(goals []*logic.Term) *Linear {
	l := &Linear{Theory: &Theory{Consts: slices.Clone(t.Consts)}, given: t,
		bound: map[*logic.Var]bool{}}
	for _, h := range t.Hypotheses {
		l.noteBound(h.Term)
	}
	l.noteBound(goals...)
	for _, u := range t.Updates {
		l.noteBound(logic.Forall(u.Vars, u.Value))
	}
	for _, u := range t.Updates {
		u.Value = l.term(u.Value)
		l.Updates = append(l.Updates, u)
	}
	for _, h := range t.Hypotheses {
		h.Term = l.term(h.Term)
		l.Hypotheses = append(l.Hypotheses, h)
	}
	for _, goal := range goals {
		l.Goals = append(l.Goals, l.term(goal))
	}
	if len(l.products) == 0 {
		return nil
	}
	for i := 0; i < len(l.products); i++ { // unfold may add products
		l.unfold(l.products[i])
	}
	lemmas := l.lemmas()
	if len(lemmas) > maxLemmas {
		return nil
	}
	l.Assume(lemmas...)
	return l
}

func (l *Linear) noteBound(terms ...*logic.Term) {
	for _, t := range terms {
		logic.Walk(t, func(t *logic.Term) bool {
			for _, v := range t.Vars {
				l.bound[v] = true
			}
			return true
		})
	}
}

// term replaces the products in a term.
func (l *Linear) term(t *logic.Term) *logic.Term {
	if !multiplied(t) || logic.Size(t) > maxNodes {
		return t
	}
	return logic.Map(t, func(t *logic.Term) *logic.Term {
		switch {
		case t.Op == logic.OpMul:
			return l.times(t.Args[0], t.Args[1])
		case t.Op == logic.OpLet && multiplies(t.Args[1], t.Vars[0]):
			if in := inline(t); logic.Size(in) <= maxNodes {
				return l.term(in)
			}
		}
		return t
	})
}

// multiplied reports whether there are products.
func multiplied(t *logic.Term) bool {
	return logic.Has(t, func(t *logic.Term) bool { return t.Op == logic.OpMul })
}

// multiplies reports whether the variable occurs in a product.
func multiplies(t *logic.Term, v *logic.Var) bool {
	return logic.Has(t, func(t *logic.Term) bool {
		return t.Op == logic.OpMul && slices.Contains(logic.FreeVars(t), v)
	})
}

// inline replaces the variable of a let by its value.
func inline(let *logic.Term) *logic.Term {
	return logic.Subst(let.Args[1], map[*logic.Var]*logic.Term{let.Vars[0]: let.Args[0]})
}

// times multiplies out until the factors are atoms: variables, applications and unknowns.
func (l *Linear) times(a, b *logic.Term) *logic.Term {
	if b.Op == logic.OpInt {
		a, b = b, a
	}
	if l.work++; a.Op == logic.OpInt || l.work > maxWork {
		return logic.Mul(a, b)
	}
	for range 2 {
		switch {
		case a.Op == logic.OpAdd, a.Op == logic.OpSub, a.Op == logic.OpNeg:
			return l.distribute(a, 0, b)
		case a.Op == logic.OpIte, a.Op == logic.OpMul && a.Args[0].Op == logic.OpInt:
			return l.distribute(a, 1, b)
		case a.Op == logic.OpLet && logic.Size(inline(a)) <= maxNodes:
			return l.times(inline(a), b)
		}
		a, b = b, a
	}
	if !l.isFree(a) || !l.isFree(b) {
		return logic.Mul(a, b)
	}
	return l.unknown(append(l.factors(a), l.factors(b)...))
}

// distribute multiplies the arguments of a term, from one index on, with b.
func (l *Linear) distribute(t *logic.Term, from int, b *logic.Term) *logic.Term {
	c := *t
	c.Args = slices.Clone(t.Args)
	for i := from; i < len(c.Args); i++ {
		c.Args[i] = l.times(c.Args[i], b)
	}
	return &c
}

// isFree reports whether a term has the same value everywhere in the theory.
func (l *Linear) isFree(t *logic.Term) bool {
	for _, v := range logic.FreeVars(t) {
		if l.bound[v] || !slices.Contains(l.Consts, v) {
			return false
		}
	}
	return true
}

// factors gives the numbers of the atoms whose product the term is.
func (l *Linear) factors(t *logic.Term) []int {
	for _, p := range l.products {
		if logic.Equal(p.unknown, t) {
			return slices.Clone(p.factors)
		}
	}
	for i, a := range l.atoms {
		if logic.Equal(a, t) {
			return []int{i}
		}
	}
	l.atoms = append(l.atoms, t)
	return []int{len(l.atoms) - 1}
}

// unknown gives the unknown for a product of atoms.
func (l *Linear) unknown(factors []int) *logic.Term {
	slices.Sort(factors)
	if len(factors) == 1 {
		return l.atoms[factors[0]]
	}
	for _, p := range l.products {
		if slices.Equal(p.factors, factors) {
			return p.unknown
		}
	}
	last := len(factors) - 1
	p := product{factors: factors, left: l.unknown(slices.Clone(factors[:last])),
		right: l.atoms[factors[last]]}
	v := &logic.Var{Name: fmt.Sprintf("product %d", len(l.products)+1), Sort: logic.Int}
	p.unknown = logic.Ref(v)
	l.Consts = append(l.Consts, v)
	l.products = append(l.products, p)
	return p.unknown
}

// unfold gives the value of a product when an update defines one of its factors: f * (x + 1) is f*x
// + f.
func (l *Linear) unfold(p product) {
	for i, f := range p.factors {
		a := l.atoms[f]
		for _, u := range l.given.Updates {
			if len(u.Vars) > 0 || a.Op != logic.OpApp || u.Symbol != a.Symbol ||
				u.Version != a.Step {
				continue
			}
			others := l.unknown(slices.Delete(slices.Clone(p.factors), i, i+1))
			l.Assume(logic.Eq(p.unknown, l.times(l.term(u.Value), others)))
			return
		}
	}
}

// multiples are the known multiples of a factor: times[i] * factor is values[i].
type multiples struct {
	factor        *logic.Term
	times, values []*logic.Term
}

// lemmas are about any two multiples of one factor, 0 included.
func (l *Linear) lemmas() (out []*logic.Term) {
	var all []*multiples
	add := func(factor, times, value *logic.Term) {
		i := slices.IndexFunc(all, func(m *multiples) bool { return logic.Equal(m.factor, factor) })
		if i < 0 {
			i = len(all)
			zero := []*logic.Term{logic.IntLit(0)}
			all = append(all, &multiples{factor, zero, zero})
		}
		all[i].times, all[i].values = append(all[i].times, times), append(all[i].values, value)
	}
	for _, p := range l.products {
		add(p.left, p.right, p.unknown)
		if !logic.Equal(p.left, p.right) {
			add(p.right, p.left, p.unknown)
		}
	}
	for _, m := range all {
		for i := range m.times {
			for j := range i {
				out = append(out,
					monotone(m.factor, m.times[i], m.times[j], m.values[i], m.values[j])...)
			}
		}
	}
	return out
}

// monotone gives, for p = f*a and q = f*b, lemmas that relate the sign of f and the difference of a
// and b to the difference of p and q.
func monotone(f, a, b, p, q *logic.Term) []*logic.Term {
	var out []*logic.Term
	zero := logic.IntLit(0)
	for k := int64(-2); k <= 2; k++ {
		steps, multiple := logic.IntLit(k), logic.Mul(logic.IntLit(k), f)
		atMost, atLeast := logic.Le(logic.Sub(a, b), steps), logic.Le(steps, logic.Sub(a, b))
		low, high := logic.Le(logic.Sub(p, q), multiple), logic.Le(multiple, logic.Sub(p, q))
		out = append(out,
			logic.Implies(logic.And(logic.Le(zero, f), atMost), low),
			logic.Implies(logic.And(logic.Le(zero, f), atLeast), high),
			logic.Implies(logic.And(logic.Le(f, zero), atMost), high),
			logic.Implies(logic.And(logic.Le(f, zero), atLeast), low))
	}
	return out
}
