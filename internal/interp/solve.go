package interp

import (
	"context"
	"errors"
	"fmt"
	"slices"

	"erelong.dev/erelong/internal/logic"
)

// The solver lists the completions of a memory with unknown slots that satisfy a list of
// constraints. It sets slots for which the constraints leave only one value, drops a branch when a
// constraint is false, and otherwise branches on the slot that the first undecided constraint
// needs: on all values of its sort, or on the integers between bounds (within.go). Once all
// constraints are true, the remaining slots are free. An error in a constraint counts only when all
// constraints before it are true, as if the list were one conjunction from left to right.

// constraint is a formula over the states from base on.
type constraint struct {
	term *logic.Term
	base int
}

// at shifts constraints to another state.
func at(cs []constraint, base int) []constraint {
	out := make([]constraint, len(cs))
	for i, c := range cs {
		out[i] = constraint{c.term, base}
	}
	return out
}

// ErrStop ends an enumeration early when a callback returns it; the enumeration then returns no
// error.
var ErrStop = errors.New("stop")

func (f *machine) evalConstraint(c constraint) (int64, bool) {
	base := f.base
	f.base = c.base
	v, ok := f.eval(c.term)
	f.base = base
	return v, ok
}

// set changes a slot; undo reverts all changes since the trail had a given length.
func (f *machine) set(slot int, v int64) {
	f.changes++
	f.trail = append(f.trail, saved{slot, f.val[slot], f.known[slot]})
	f.val[slot], f.known[slot] = v, true
}

func (f *machine) forget(slot int) {
	f.changes++
	f.trail = append(f.trail, saved{slot, f.val[slot], f.known[slot]})
	f.known[slot] = false
}

func (f *machine) undo(length int) {
	f.changes++
	for i := len(f.trail) - 1; i >= length; i-- {
		s := f.trail[i]
		f.val[s.slot], f.known[s.slot] = s.value, s.known
	}
	f.trail = f.trail[:length]
}

// owner is the layout of the symbol that a slot belongs to.
func (f *machine) owner(slot int) *layout {
	if slot >= f.m.size {
		slot -= f.m.size
	}
	return f.m.owners[slot]
}

// propagate forces slots until nothing changes. It returns the constraints that are still
// undecided, and the slot that the first of them needs; or false when they cannot all be true; or
// an error.
func (f *machine) propagate(cs []constraint) (open []constraint, miss int, ok bool, err error) {
	open = cs
	for {
		outcome := unchanged
		var still []constraint
		for _, c := range open {
			v, ok := f.evalConstraint(c)
			switch {
			case ok && v == 0:
				return nil, 0, false, nil
			case ok:
				continue
			case f.err != nil && len(still) == 0:
				return nil, 0, false, f.err
			case len(still) == 0:
				miss = f.miss
			}
			still = append(still, c)
			base := f.base
			f.base = c.base
			outcome = max(outcome, f.force(c.term, 1))
			f.base = base
			if f.stopped != nil {
				return nil, 0, false, f.stopped
			}
			if outcome == contradiction {
				return nil, 0, false, nil
			}
		}
		open = still
		if outcome == unchanged || len(open) == 0 {
			return open, miss, true, nil
		}
	}
}

// solve calls yield for every completion of the slots that satisfies the constraints, with all of
// the free slots known. It completes other slots only as far as the constraints need them.
func (f *machine) solve(
	ctx context.Context, cs []constraint, free []int, yield func() error,
) error {
	f.ctx = ctx
	if len(free) == 0 {
		return f.search(ctx, cs, free, yield)
	}
	return f.search(ctx, cs, free, func() error {
		// A part of a constraint behind an error may have decided it. The evaluation now shows the
		// error.
		for _, c := range cs {
			if _, ok := f.evalConstraint(c); !ok && f.err != nil {
				return f.err
			}
		}
		return yield()
	})
}

func (f *machine) search(
	ctx context.Context, cs []constraint, free []int, yield func() error,
) error {
	if f.nodes++; f.nodes%1024 == 0 && ctx.Err() != nil {
		return ctx.Err()
	}
	if !f.goesOn() {
		return f.stopped
	}
	if f.maxNodes > 0 && f.nodes > f.maxNodes {
		return ErrStop
	}
	mark := len(f.trail)
	defer f.undo(mark)
	open, slot, ok, err := f.propagate(cs)
	if err != nil || !ok {
		return err
	}
	if len(open) == 0 {
		i := slices.IndexFunc(free, func(slot int) bool { return !f.known[slot] })
		if i < 0 {
			return yield()
		}
		slot, free = free[i], free[i:]
	}
	d, bounded := f.integers(open, slot)
	if !bounded {
		if d, slot, err = f.branches(slot); err != nil {
			return err
		}
	}
	first := int64(0)
	if f.random != nil && d.n > 0 {
		first = f.random.Int63n(d.n)
	}
	for i := range max(d.n, 0) {
		mark := len(f.trail)
		f.set(slot, d.lo+(first+i)%d.n)
		if err := f.search(ctx, open, free, yield); err != nil {
			return err
		}
		f.undo(mark)
	}
	return nil
}

// branches gives the values of a slot. If they depend on another unknown slot, that slot comes
// first and is returned.
func (f *machine) branches(slot int) (domain, int, error) {
	for range f.val {
		symbol := f.owner(slot).symbol
		if endless(f.m, symbol.Result) {
			if !symbol.Mutable && len(symbol.Args) == 0 {
				return domain{}, 0, &ValueError{symbol, "the initial states"}
			}
			return domain{}, 0,
				&InfiniteError{Symbol: symbol,
					What: "cannot enumerate the integers of the " + symbol.Declaration()}
		}
		d, ok := f.domain(symbol.Result)
		switch {
		case ok && d.n > maxPoints:
			return d, 0,
				&TooManyError{symbol.Span, "the " + symbol.Declaration() + " has"}
		case ok:
			return d, slot, nil
		case f.err != nil:
			return d, 0, f.err
		}
		slot = f.miss
	}
	return domain{}, 0, fmt.Errorf("the range of %s depends on itself", f.owner(slot).symbol)
}

// outcome of forcing a term, in rising order of importance.
type outcome int

const (
	unchanged outcome = iota
	forced
	contradiction
)

// force sets the unknown slots that must have a certain value for a term to have the value want. It
// stops where there is a choice. Eval decides whether the term then has the value, so forcing too
// little is never wrong.
func (f *machine) force(t *logic.Term, want int64) outcome {
	switch t.Op {
	case logic.OpNot:
		return f.force(t.Args[0], 1-want)
	case logic.OpAnd:
		return f.forceOperands(t, 0, want)
	case logic.OpOr:
		return f.forceOperands(t, 1, want)
	case logic.OpForall, logic.OpExists:
		if s := f.scoped(t); s != t {
			return f.force(s, want)
		}
		return f.forceOperands(t, truth(t.Op == logic.OpExists), want)
	case logic.OpImplies:
		a, b := t.Args[0], t.Args[1]
		if want == 0 {
			return max(f.force(a, 1), f.force(b, 0))
		}
		if v, ok := f.eval(a); ok && v == 1 {
			return f.force(b, 1)
		}
		if v, ok := f.eval(b); ok && v == 0 {
			return f.force(a, 0)
		}
	case logic.OpIff, logic.OpEq:
		if want == 0 && t.Args[0].Sort != logic.Bool {
			return unchanged
		}
		if v, ok := f.eval(t.Args[0]); ok {
			return f.force(t.Args[1], sameIf(want, v))
		}
		if v, ok := f.eval(t.Args[1]); ok {
			return f.force(t.Args[0], sameIf(want, v))
		}
	case logic.OpIte:
		if v, ok := f.eval(t.Args[0]); ok {
			return f.force(t.Args[2-v], want)
		}
	case logic.OpLet:
		f.env = append(f.env, binding{v: t.Vars[0], lazy: &lazy{term: t.Args[0]}})
		out := f.force(t.Args[1], want)
		f.env = f.env[:len(f.env)-1]
		return out
	case logic.OpApp:
		return f.forceSlot(t, want)
	case logic.OpAdd, logic.OpSub, logic.OpNeg:
		if a, rest := summand(t, want, f.eval); a != nil {
			return f.force(a, rest)
		}
	}
	return unchanged
}

// summand gives the one summand that has no value yet, and the value with which the sum is the
// wanted one; nil if there is none, or several.
func summand(
	t *logic.Term, want int64, eval func(*logic.Term) (int64, bool),
) (*logic.Term, int64) {
	open := -1
	rest := want // without the known summands
	for i, a := range t.Args {
		v, ok := eval(a)
		switch {
		case !ok && open >= 0:
			return nil, 0
		case !ok:
			open = i
		default:
			back := logic.OpSub
			if subtracted(t.Op, i) {
				back = logic.OpAdd
			}
			if rest, ok = logic.Calculate(back, 1, rest, v); !ok {
				return nil, 0
			}
		}
	}
	if open < 0 {
		return nil, 0
	}
	if subtracted(t.Op, open) {
		var ok bool
		if rest, ok = logic.Calculate(logic.OpNeg, 0, 0, rest); !ok {
			return nil, 0
		}
	}
	return t.Args[open], rest
}

// subtracted reports whether the argument i of a sum, a difference or a negation is taken away.
func subtracted(op logic.Op, i int) bool { return op == logic.OpNeg || op == logic.OpSub && i > 0 }

// sameIf is v if want is 1, else the other truth value.
func sameIf(want, v int64) int64 {
	if want == 1 {
		return v
	}
	return 1 - v
}

// forceOperands forces a conjunction (zero is 0) or disjunction (zero is 1). Unless the result is
// zero, no operand may be zero. If the result is zero and only one operand can be zero, that
// operand must be.
func (f *machine) forceOperands(t *logic.Term, zero, want int64) outcome {
	out := unchanged
	if want != zero {
		f.operands(t, func(a *logic.Term) bool {
			out = max(out, f.force(a, want))
			return out != contradiction
		})
		return out
	}
	// candidates stays 0 when the domain of a quantifier is unknown.
	candidates, candidate, i := 0, 0, 0
	f.operands(t, func(a *logic.Term) bool {
		if v, ok := f.eval(a); !ok || v == zero {
			candidates++
			candidate = i
		}
		i++
		return candidates < 2
	})
	if candidates != 1 {
		return unchanged
	}
	i = 0
	f.operands(t, func(a *logic.Term) bool {
		if i == candidate {
			out = f.force(a, zero)
		}
		i++
		return i <= candidate
	})
	return out
}

// operands calls visit for the arguments of a connective, or for the instances of a quantifier with
// its variables bound, until visit returns false. It returns false when visit stopped it, or when a
// domain is unknown.
func (f *machine) operands(t *logic.Term, visit func(*logic.Term) bool) bool {
	if t.Op == logic.OpAnd || t.Op == logic.OpOr {
		for _, a := range t.Args {
			if !visit(a) {
				return false
			}
		}
		return true
	}
	return among(f, t.Vars, truth(t.Op == logic.OpExists), t.Args,
		func() bool { return visit(t.Args[0]) })
}

// assignments calls visit with the variables bound to every combination of values, in lexicographic
// order, until visit returns false. It returns false when visit stopped it, or when a domain is
// unknown.
func (f *machine) assignments(vars []*logic.Var, visit func() bool) bool {
	return among(f, vars, 1, nil, visit)
}

// among is assignments for the values with which the formulas can have the value want.
func among(
	f *machine, vars []*logic.Var, want int64, formulas []*logic.Term, visit func() bool,
) bool {
	if len(vars) == 0 {
		return visit()
	}
	d, ok := between(f, vars, want, formulas)
	if !ok {
		return false
	}
	at := len(f.env)
	f.env = append(f.env, binding{v: vars[0]})
	defer func() { f.env = f.env[:at] }()
	for x := d.lo; d.has(x); x++ {
		if !f.goesOn() {
			return false
		}
		f.env[at].value = x
		if !among(f, vars[1:], want, formulas, visit) {
			return false
		}
	}
	return true
}

// forceSlot forces the value of a symbol at a point.
func (f *machine) forceSlot(t *logic.Term, want int64) outcome {
	l := f.m.layouts[t.Symbol]
	if l == nil {
		return unchanged
	}
	if l.body != nil {
		out := unchanged
		f.inBody(t, func(body *logic.Term) { out = f.force(body, want) })
		return out
	}
	slot, ok := f.slot(l, t)
	if !ok || f.known[slot] {
		return unchanged
	}
	if t.Symbol.Result.Kind == logic.KindRange {
		d, ok := f.domain(t.Symbol.Result)
		if !ok {
			return unchanged
		}
		if !d.has(want) {
			return contradiction
		}
	}
	f.set(slot, want)
	return forced
}
