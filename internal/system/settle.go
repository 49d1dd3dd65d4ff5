package system

import (
	"context"
	"encoding/binary"
	"maps"
	"math/big"
	"slices"

	"erelong.dev/erelong/internal/logic"
)

// settler leaves out of goals (see definedness) the comparisons that follow from a single fact, or
// from facts about their parts: axioms, conditions around the goal, and the ranges of variables and
// of values in the old state. It takes for granted that values lie in their ranges, since that is
// claimed, too.
type settler struct {
	ctx      context.Context // goals stay as they are once it has ended; nil for none
	identity *logic.Identity
	facts    map[string]*big.Int // greatest lower bounds of sums without a constant
}

// sum is a sum of products of integers and terms, plus a constant.
type sum struct {
	factors  map[int]*big.Int // by the number of a term
	terms    map[int]*logic.Term
	constant *big.Int
}

func newSettler(axioms []*Formula) *settler {
	s := &settler{identity: logic.NewIdentity(), facts: map[string]*big.Int{}}
	for _, f := range axioms {
		s.assume(f.Term)
	}
	return s
}

// goal is a goal without the comparisons that are settled.
func (s *settler) goal(t *logic.Term) *logic.Term {
	if s.ctx != nil && s.ctx.Err() != nil {
		return t
	}
	switch t.Op {
	case logic.OpAnd:
		return logic.Simplified(logic.MapArgs(t, s.goal))
	case logic.OpImplies:
		return s.under(t.Args[0], func() *logic.Term { return s.goal(t.Args[1]) })
	case logic.OpForall:
		facts := s.facts
		s.facts = maps.Clone(facts)
		defer func() { s.facts = facts }()
		for _, v := range t.Vars {
			s.assume(logic.InSort(v.Sort, logic.Ref(v)))
			if v.Sort.Kind == logic.KindRange { // it has a value
				s.assume(logic.Le(v.Sort.Lo, v.Sort.Hi))
			}
		}
		return around(t.Vars, s.goal(t.Args[0]))
	case logic.OpLe:
		return s.atMost(t)
	}
	return t
}

// under is a goal under a condition.
func (s *settler) under(cond *logic.Term, goal func() *logic.Term) *logic.Term {
	cond = plain(cond)
	facts := s.facts
	s.facts = maps.Clone(facts)
	defer func() { s.facts = facts }()
	s.assume(cond)
	if out := goal(); !out.IsTrue() {
		return logic.Implies(cond, out).At(out.Span)
	}
	return logic.True
}

// plain is a condition without the conjuncts that are true of all values.
func plain(cond *logic.Term) *logic.Term {
	switch cond.Op {
	case logic.OpAnd:
		return logic.Simplified(logic.MapArgs(cond, plain)).At(cond.Span)
	case logic.OpEq:
		if logic.Equal(cond.Args[0], cond.Args[1]) {
			return logic.True
		}
	}
	return cond
}

// atMost is a comparison that is not settled, by cases where one side has a condition.
func (s *settler) atMost(t *logic.Term) *logic.Term {
	for i, side := range t.Args {
		if side.Op != logic.OpIte {
			continue
		}
		branch := func(k int) func() *logic.Term {
			args := slices.Clone(t.Args)
			args[i] = side.Args[k]
			return func() *logic.Term { return s.atMost(logic.Le(args[0], args[1]).At(t.Span)) }
		}
		if plain(side.Args[0]).IsTrue() {
			return branch(1)()
		}
		return logic.And(s.under(side.Args[0], branch(1)),
			s.under(logic.Opposite(side.Args[0]), branch(2))).At(t.Span)
	}
	x := s.difference(t.Args[1], t.Args[0])
	for _, t := range x.terms {
		switch {
		case t.Op == logic.OpApp && t.Symbol.Result.Kind == logic.KindRange:
			s.assume(logic.InSort(t.Symbol.Result, t))
		case t.Op == logic.OpMod:
			s.assume(logic.And(logic.Le(logic.IntLit(0), t), logic.Lt(t, t.Args[1])))
		}
	}
	if least := s.least(x); least != nil && least.Sign() >= 0 {
		return logic.True
	}
	return t
}

// least is a lower bound of a sum, nil where none is known: the one of the whole sum, or else the
// sum of the ones of its parts.
func (s *settler) least(x *sum) *big.Int {
	if bound := s.facts[x.key()]; bound != nil {
		return new(big.Int).Add(bound, x.constant)
	}
	total := new(big.Int).Set(x.constant)
	for n, f := range x.factors {
		if f.Sign() == 0 {
			continue
		}
		alone := &sum{factors: map[int]*big.Int{n: big.NewInt(int64(f.Sign()))}}
		bound := s.facts[alone.key()]
		if bound == nil {
			return nil
		}
		total.Add(total, new(big.Int).Mul(bound, new(big.Int).Abs(f)))
	}
	return total
}

// assume adds the comparisons that follow from a formula.
func (s *settler) assume(t *logic.Term) {
	for t, holds := range logic.Entailed(t, true) {
		if t.Op == logic.OpEq && !holds {
			s.assumeDifferent(t)
			continue
		}
		if !holds {
			t = logic.Opposite(t)
		}
		switch t.Op {
		case logic.OpLe:
			s.add(s.difference(t.Args[1], t.Args[0]), 0)
		case logic.OpLt:
			s.add(s.difference(t.Args[1], t.Args[0]), 1)
		case logic.OpEq:
			if t.Args[0].Sort == logic.Int {
				s.add(s.difference(t.Args[1], t.Args[0]), 0)
				s.add(s.difference(t.Args[0], t.Args[1]), 0)
			}
		}
	}
}

// assumeDifferent is for terms that are not equal. An integer that is at least another one, and
// differs from it, is greater.
func (s *settler) assumeDifferent(t *logic.Term) {
	if t.Args[0].Sort != logic.Int {
		return
	}
	for _, x := range []*sum{s.difference(t.Args[0], t.Args[1]),
		s.difference(t.Args[1], t.Args[0])} {
		if least := s.least(x); least != nil && least.Sign() >= 0 {
			s.add(x, 1)
		}
	}
}

// add keeps that a sum is at least a number.
func (s *settler) add(x *sum, least int64) {
	bound := new(big.Int).Sub(big.NewInt(least), x.constant)
	if key := x.key(); s.facts[key] == nil || s.facts[key].Cmp(bound) < 0 {
		s.facts[key] = bound
	}
}

// difference is one integer minus another one.
func (s *settler) difference(a, b *logic.Term) *sum {
	x := &sum{factors: map[int]*big.Int{}, terms: map[int]*logic.Term{}, constant: new(big.Int)}
	for t, factor := range logic.Summands(logic.Sub(a, b)) {
		if t == nil {
			x.constant.Add(x.constant, factor)
			continue
		}
		n := s.identity.Of(t)
		if x.factors[n] == nil {
			x.factors[n], x.terms[n] = new(big.Int), t
		}
		x.factors[n].Add(x.factors[n], factor)
	}
	return x
}

// key identifies a sum up to its constant. It is empty for a constant.
func (x *sum) key() string {
	var out []byte
	for _, n := range slices.Sorted(maps.Keys(x.factors)) {
		if f := x.factors[n]; f.Sign() != 0 {
			out = binary.AppendUvarint(out, uint64(n))
			out = append(f.Append(out, 62), ';')
		}
	}
	return string(out)
}
