package interp

import (
	"fmt"
	"slices"

	"erelong.dev/erelong/internal/logic"
)

// Literals lists the values of a sort as terms. The errors are SizeError, InfiniteError, and for a
// range whose ends the instance does not fix ValueError.
func (m *Model) Literals(s *logic.Sort, use string) ([]*logic.Term, error) {
	f, err := m.machine()
	if err != nil {
		return nil, err
	}
	defer m.release(f)
	n := copy(f.known, m.fixed.known[:len(m.fixed.known)/2])
	copy(f.val, m.fixed.val[:n])
	d, ok := f.domain(s)
	switch {
	case !ok && f.err != nil:
		return nil, f.err
	case !ok:
		return nil, &ValueError{f.owner(f.miss).symbol, use}
	}
	if d.n > maxPoints {
		return nil, &TooManyError{s.Span, fmt.Sprintf("the sort %s of %s has", s, use)}
	}
	out := make([]*logic.Term, 0, d.n)
	for v := d.lo; d.has(v); v++ {
		out = append(out, logic.Literal(s, v))
	}
	return out, nil
}

// HoldsOnLasso says whether a closed temporal formula is true of the infinite run that goes through
// the states, and then for ever from the last state back to the state with index loop.
func (m *Model) HoldsOnLasso(t *logic.Term, states []State, loop int) (bool, error) {
	if loop < 0 || loop >= len(states) {
		return false, fmt.Errorf("a run of %d states cannot return to state %d", len(states), loop)
	}
	known := states[:1]
	if m.System.Computed != nil {
		known = []State{states[0], states[0]}
	}
	f, err := m.machine(known...)
	if err != nil {
		return false, err
	}
	defer m.release(f)
	l := &lasso{f, states, loop, nil}
	switch l.eval(t)[0] {
	case yes:
		return true, nil
	case no:
		return false, nil
	}
	return false, l.err
}

// lasso evaluates formulas at all positions of a lasso at once. The run has finitely many different
// suffixes, so the value of a temporal formula is a fixpoint over the positions. A state predicate
// that cannot be evaluated at a position has the value unclear there. The connectives are Kleene's
// strong logic: minimum and maximum.
type lasso struct {
	*machine
	states []State
	loop   int
	err    error // of the first evaluation that failed
}

// The truth values, in their order.
const (
	no = iota
	unclear
	yes
)

func (l *lasso) eval(t *logic.Term) []int {
	if !logic.IsTemporal(t) {
		return l.each(func(i int) int {
			l.goTo(i)
			v, ok := l.machine.eval(t)
			switch {
			case !ok && l.err == nil:
				l.err = l.undecided(t)
				fallthrough
			case !ok:
				return unclear
			}
			return int(v) * yes
		})
	}
	args := func(i int) []int { return l.eval(t.Args[i]) }
	switch t.Op {
	case logic.OpNot:
		return l.not(args(0))
	case logic.OpAnd, logic.OpOr:
		out := args(0)
		for i := range t.Args[1:] {
			out = l.join(t.Op, out, args(i+1))
		}
		return out
	case logic.OpImplies:
		return l.join(logic.OpOr, l.not(args(0)), args(1))
	case logic.OpIff, logic.OpEq: // of formulas, since no other term is temporal
		a, b := args(0), args(1)
		return l.join(logic.OpAnd, l.join(logic.OpOr, l.not(a), b), l.join(logic.OpOr, a, l.not(b)))
	case logic.OpIte:
		c, a, b := args(0), args(1), args(2)
		return l.join(logic.OpOr, l.join(logic.OpAnd, c, a), l.join(logic.OpAnd, l.not(c), b))
	case logic.OpForall, logic.OpExists:
		return l.quantify(t)
	case logic.OpLet:
		return l.let(t)
	case logic.OpUntil:
		return l.until(args(0), args(1))
	case logic.OpEventually:
		return l.eventually(args(0))
	case logic.OpAlways:
		return l.not(l.eventually(l.not(args(0))))
	case logic.OpLeadsTo:
		a, b := args(0), args(1)
		return l.not(l.eventually(l.join(logic.OpAnd, a, l.not(l.eventually(b)))))
	}
	if l.err == nil {
		l.err = &EvalError{Span: t.Span,
			Message: "a temporal operator stands where only the value of a single state is allowed"}
	}
	return l.each(func(int) int { return unclear })
}

// goTo makes the state at a position state Pre. Formulas of a computed system may be about the step
// from there, so the next one is state Post.
func (l *lasso) goTo(i int) {
	copy(l.val, l.states[i])
	if l.m.System.Computed != nil {
		copy(l.val[l.m.size:], l.states[l.next(i)])
	}
}

// next is the position after one.
func (l *lasso) next(i int) int {
	if i == len(l.states)-1 {
		return l.loop
	}
	return i + 1
}

// undecided is the reason why the machine could not evaluate a term.
func (l *lasso) undecided(t *logic.Term) error {
	if l.machine.err != nil {
		return l.machine.err
	}
	return &EvalError{Span: t.Span, Message: "the term speaks of a state that is not given"}
}

func (l *lasso) each(value func(i int) int) []int {
	out := make([]int, len(l.states))
	for i := range out {
		out[i] = value(i)
	}
	return out
}

func (l *lasso) not(a []int) []int { return l.each(func(i int) int { return yes - a[i] }) }

// join is conjunction or disjunction.
func (l *lasso) join(op logic.Op, a, b []int) []int {
	if op == logic.OpAnd {
		return l.each(func(i int) int { return min(a[i], b[i]) })
	}
	return l.each(func(i int) int { return max(a[i], b[i]) })
}

// until is the least solution of: it holds where b holds, or where a holds and it holds in the next
// position.
func (l *lasso) until(a, b []int) []int {
	for out := l.each(func(int) int { return no }); ; {
		more := l.each(func(i int) int { return max(b[i], min(a[i], out[l.next(i)])) })
		if slices.Equal(more, out) {
			return out
		}
		out = more
	}
}

func (l *lasso) eventually(a []int) []int {
	return l.until(l.each(func(int) int { return yes }), a)
}

// quantify joins the values of the body. The domains are the same in all states, because they
// depend on immutable symbols.
func (l *lasso) quantify(t *logic.Term) []int {
	op, unit := logic.OpAnd, yes
	if t.Op == logic.OpExists {
		op, unit = logic.OpOr, no
	}
	out := l.each(func(int) int { return unit })
	if !l.assignments(t.Vars, func() bool {
		out = l.join(op, out, l.eval(t.Args[0]))
		return true
	}) {
		if l.err == nil {
			l.err = l.undecided(t)
		}
		return l.each(func(int) int { return unclear })
	}
	return out
}

// let evaluates the body once for each position, with the value of the bound term there.
func (l *lasso) let(t *logic.Term) []int {
	return l.each(func(i int) int {
		l.goTo(i)
		v, ok := l.machine.eval(t.Args[0])
		if !ok {
			if l.err == nil {
				l.err = l.undecided(t)
			}
			return unclear
		}
		l.env = append(l.env, binding{v: t.Vars[0], value: v})
		body := l.eval(t.Args[1])
		l.env = l.env[:len(l.env)-1]
		return body[i]
	})
}
