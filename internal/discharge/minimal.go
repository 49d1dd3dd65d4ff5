package discharge

import (
	"context"
	"errors"
	"math/big"
	"slices"
	"time"

	"erelong.dev/erelong/internal/logic"
	"erelong.dev/erelong/internal/result"
)

// Limits on the work for one picture. Beyond them the picture stays as small as it is then.
const (
	minimalQueries = 200
	minimalCells   = 600
	// All queries together may use the part minimalShare of the resources of one obligation, plus
	// the cost of all proofs so far, but at least the part minimalLeast. Each query may use the
	// part minimalEach.
	minimalShare = 3
	minimalLeast = 30
	minimalEach  = 60
)

// Minimise replaces the trace of a refuted obligation, which already has few elements, by one that
// is easier to read. In this order it minimises: the ranges of arguments; the number of tuples in
// the relations of the first state and in the immutable ones; the number of points in which a state
// differs from the next; the sum of the absolute values of the integers. Among the remaining models
// it takes the first in the lexicographic order of the points, where false, the first element, the
// first member and zero come first. So the picture does not depend on the solver unless a limit is
// met, and its elements are numbered in the order in which they occur.
func (d *Discharger) Minimise(ctx context.Context, o *Obligation) {
	if o.small == nil || o.Trace == nil || o.Trace != o.small.trace ||
		len(o.small.cells) > minimalCells {
		return
	}
	d.slots <- struct{}{}
	defer func() { <-d.slots }()
	began := time.Now()
	defer func() { o.Elapsed += time.Since(began) }()
	p := newProcesses(d, o.small.group)
	defer p.close()
	if p.large {
		return // the queries would cost more than the picture is worth
	}
	m := &minimiser{modeller: modeller{p}, o: o, best: o.small, queries: minimalQueries,
		resources: min(max(d.spent.Load(), d.opts.Rlimit/minimalLeast), d.opts.Rlimit/minimalShare)}
	for _, s := range d.sys.Sorts {
		if es := o.small.elements[s]; len(es) > 1 {
			m.fixed = append(m.fixed, logic.Distinct(logic.Refs(es)...))
		}
	}
	m.run(ctx)
	o.Trace = m.best.trace
}

// minimiser improves a model, and fixes its improvements.
type minimiser struct {
	modeller
	o         *Obligation
	best      *model
	fixed     []*logic.Term // true in the best model, and in all later ones
	queries   int
	resources int64
}

// better asks for a model with one more condition, and for the values of some integers in it. The
// model is then the best one. It gives nil when there is none, or when none was found within the
// limits.
func (m *minimiser) better(
	ctx context.Context, cond *logic.Term, integers ...*logic.Term,
) []*big.Int {
	each := max(m.in.opts.Rlimit/minimalEach, 1)
	if m.queries == 0 || m.resources < each || ctx.Err() != nil {
		return nil
	}
	m.queries--
	used := m.o.Rlimit
	found, err := m.modelWith(ctx, m.o, m.best.driver, restriction{
		elements: m.best.elements, bound: m.best.bound, more: append(slices.Clone(m.fixed), cond),
		integers: integers, limit: each,
	})
	m.resources -= m.o.Rlimit - used
	if err != nil && !errors.Is(err, errNoModel) {
		m.queries = 0 // a solver that fails now is not asked again
	}
	if err != nil || found == nil || slices.Contains(found.integers, nil) {
		return nil
	}
	m.best = found
	return found.integers
}

func (m *minimiser) run(ctx context.Context) {
	for _, sym := range m.in.sys.Symbols {
		for _, s := range sym.Args {
			if s.Kind != logic.KindRange {
				continue
			}
			m.minimise(ctx, []*logic.Term{logic.Sub(s.Hi, s.Lo)})
			ends := m.better(ctx, logic.True, s.Lo, s.Hi)
			if ends == nil {
				return // the next model could have other points
			}
			m.fixed = append(m.fixed, logic.Eq(s.Lo, logic.BigLit(ends[0])),
				logic.Eq(s.Hi, logic.BigLit(ends[1])))
		}
	}
	m.minimise(ctx, m.tuples())
	m.minimise(ctx, m.differences())
	m.minimise(ctx, m.sizes())
	m.first(ctx)
}

// minimise minimises the sum of the terms, which is not negative or does not matter below zero, by
// bisection.
func (m *minimiser) minimise(ctx context.Context, terms []*logic.Term) {
	if len(terms) == 0 {
		return
	}
	sum := logic.Add(terms...)
	now := m.better(ctx, logic.True, sum)
	if now == nil {
		return
	}
	for low := new(big.Int); low.Cmp(now[0]) < 0; { // no known model has less than low
		middle := new(big.Int).Add(low, now[0])
		middle.Rsh(middle, 1)
		if found := m.better(ctx, logic.Le(sum, logic.BigLit(middle)), sum); found != nil {
			now = found
		} else {
			low = new(big.Int).Add(middle, big.NewInt(1)) // middle is part of a term
		}
	}
	m.fixed = append(m.fixed, logic.Le(sum, logic.BigLit(now[0])))
}

// tuples lists the true facts of the first state.
func (m *minimiser) tuples() []*logic.Term {
	states := m.group.Path.States
	var out []*logic.Term
	for _, c := range m.best.cells {
		if sym := c.copy.symbol; sym != nil && c.sort == logic.Bool &&
			c.copy.version == states[0][sym] {
			out = append(out, one(c.term))
		}
	}
	return out
}

// differences lists the points in which a state differs from the one before.
func (m *minimiser) differences() []*logic.Term {
	states := m.group.Path.States
	var out []*logic.Term
	for i := 1; i < len(states); i++ {
		for _, c := range m.best.cells {
			if sym := c.copy.symbol; sym != nil && c.copy.version == states[i][sym] &&
				states[i][sym] != states[i-1][sym] {
				out = append(out,
					one(logic.Not(logic.Eq(c.term,
						logic.App(sym, states[i-1][sym], c.term.Args...)))))
			}
		}
	}
	return out
}

// sizes are the absolute values of the integers.
func (m *minimiser) sizes() []*logic.Term {
	var out []*logic.Term
	for _, c := range m.best.cells {
		if c.sort.Base() == logic.Int {
			out = append(out, absolute(c.term))
		}
	}
	return out
}

func one(t *logic.Term) *logic.Term { return logic.Ite(t, logic.IntLit(1), logic.IntLit(0)) }

func absolute(t *logic.Term) *logic.Term {
	return logic.Ite(logic.Le(logic.IntLit(0), t), t, logic.Sub(logic.IntLit(0), t))
}

// first gives each point in turn the first value that it can have with the points before. The
// arguments of the action come first, since people read them first.
func (m *minimiser) first(ctx context.Context) {
	isArgument := func(c *cell) bool { return c.copy.symbol == nil }
	for _, arguments := range []bool{true, false} {
		for i := range m.best.cells {
			for isArgument(m.best.cells[i]) == arguments {
				c := m.best.cells[i]
				v := m.literal(c.sort, c.value)
				if v == nil {
					break
				}
				if before := m.before(c.term, v); before.IsFalse() || m.better(ctx, before) == nil {
					m.fixed = append(m.fixed, logic.Eq(c.term, v))
					break
				}
			}
		}
	}
}

// before is true when a term has a value before the given one.
func (m *minimiser) before(t, v *logic.Term) *logic.Term {
	switch v.Op {
	case logic.OpTrue:
		return logic.Not(t)
	case logic.OpInt:
		size := new(big.Int).Abs(v.Int)
		smaller := logic.False
		if size.Sign() > 0 {
			smaller = logic.Lt(absolute(t), logic.BigLit(size))
		}
		if v.Int.Sign() < 0 {
			smaller = logic.Or(smaller, logic.Eq(t, logic.BigLit(size)))
		}
		return smaller
	case logic.OpMember:
		var out []*logic.Term
		for i := range v.Index {
			out = append(out, logic.Eq(t, logic.Member(v.Sort, i)))
		}
		return logic.Or(out...)
	case logic.OpVar:
		var out []*logic.Term
		for _, e := range m.best.elements[v.Sort] {
			if e == v.Var {
				break
			}
			out = append(out, logic.Eq(t, logic.Ref(e)))
		}
		return logic.Or(out...)
	}
	return logic.False
}

// literal is a value of the best model as a term, nil if it is unknown.
func (m *minimiser) literal(s *logic.Sort, v result.Value) *logic.Term {
	switch {
	case v.Kind == result.BoolValue:
		return logic.BoolLit(v.Bool)
	case v.Kind == result.IntValue:
		if n, ok := new(big.Int).SetString(v.Text, 10); ok {
			return logic.BigLit(n)
		}
	case v.Kind == result.AtomValue && s.Kind == logic.KindEnum:
		if i := slices.Index(s.Members, v.Text); i >= 0 {
			return logic.Member(s, i)
		}
	case v.Kind == result.AtomValue:
		for i, e := range m.best.elements[s] {
			if elementName(s, i) == v.Text {
				return logic.Ref(e)
			}
		}
	}
	return nil
}
