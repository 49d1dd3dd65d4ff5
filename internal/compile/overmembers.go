package compile

import (
	"slices"

	"erelong.dev/erelong/internal/logic"
	"erelong.dev/erelong/internal/wasm"
)

// A quantifier over what a relation contains, such as the messages that were sent, becomes a loop
// over the points of the relation in their order, and a loop whose body is decided where a point of
// a relation is false goes from one true point to the next, a word of points at a time.

// overMembers is a quantifier whose condition, or whose first one, is a relation with the variables
// from the i-th on as its last arguments: a loop over the points with the other arguments. It is
// nil for other quantifiers.
func (tr *translator) overMembers(t *logic.Term, i int, s scope) *expr {
	if s.post != nil && s.post.isOpen() {
		return nil
	}
	conditions := conditionsOf(t)
	if len(conditions) == 0 {
		return nil
	}
	guard := conditions[0]
	a, first := tr.membersOf(t, i, guard, s)
	if a == nil {
		return nil
	}
	count := 1
	for _, d := range a.args[first:] {
		count *= d.size()
	}
	base := tr.index(a, guard.Args[:first], s)
	if base.fails || count < tr.layout.limits.members {
		return nil
	}
	v := &variable{}
	point := ref(v, false, Interval{0, int64(count - 1)})
	member := tr.read(s.version(guard), a, add(mul(base, konst(int64(count))), point))
	if member.op != opElem {
		return nil // some points are newer than the state
	}
	body := tr.atPoint(t, i, a, guard.Args[first:], point, s)
	from, count := tr.fixed(a.args[first:], guard.Args[first:], conditions[1:], t.Vars[i:], s)
	return named(from, func(from *expr) *expr {
		to := add(from, konst(int64(count-1)))
		if t.Op == logic.OpForall {
			return quantifier(opAll, v, from, to, or(not(member), body))
		}
		return quantifier(opAny, v, from, to, and(member, body))
	})
}

// conditionsOf lists the conditions of a quantifier, in the order in which they are evaluated: what
// a value must fulfil that exists, or that is a counterexample of a claim of all values.
func conditionsOf(t *logic.Term) (out []*logic.Term) {
	for part, holds := range logic.Entailed(t.Args[0], t.Op == logic.OpExists) {
		if !holds {
			break
		}
		out = append(out, part)
	}
	return out
}

// fixed is where the points are that equations allow, which come right after the condition on the
// points: the first one, and how many there are. An equation fixes the first variable of a point,
// the next one the second variable, and so on. What has no value, or may lie outside of the range
// of the variable, fixes none.
func (tr *translator) fixed(
	domains []Interval, vars, conditions []*logic.Term, bound []*logic.Var, s scope,
) (from *expr, count int) {
	values := map[*logic.Var]*expr{}
	for _, c := range conditions {
		x, value := tr.equated(c, bound, s)
		if x == nil || value.fails {
			break
		}
		if values[x] == nil {
			values[x] = value
		}
	}
	from, count = konst(0), 1
	for _, d := range domains {
		count *= d.size()
	}
	for k, d := range domains {
		value := values[vars[k].Var]
		if value == nil || value.boolean || value.Lo < d.Lo || value.Hi > d.Hi {
			break
		}
		count /= d.size()
		from = add(from, mul(sub(value, konst(d.Lo)), konst(int64(count))))
	}
	return from, count
}

// equated is the variable that an equation says the value of, if it is one of the variables of a
// quantifier and the value depends on none of them; nil for other conditions.
func (tr *translator) equated(
	c *logic.Term, bound []*logic.Var, s scope,
) (*logic.Var, *expr) {
	if c.Op != logic.OpEq {
		return nil, nil
	}
	for k, x := range c.Args {
		y := c.Args[1-k]
		if x.Op == logic.OpVar && slices.Contains(bound, x.Var) &&
			!slices.ContainsFunc(logic.FreeVars(y), func(v *logic.Var) bool {
				return slices.Contains(bound, v)
			}) {
			return x.Var, tr.term(y, s)
		}
	}
	return nil, nil
}

// membersOf is the relation of a condition about the variables of a quantifier from the i-th on,
// and the number of its arguments that have no such variable.
func (tr *translator) membersOf(t *logic.Term, i int, guard *logic.Term, s scope) (*array, int) {
	if guard.Op != logic.OpApp || s.version(guard) == nil {
		return nil, 0
	}
	a := tr.layout.arrays[guard.Symbol]
	if a == nil || a.constant || a.points == 0 || a.fields[0].width != 1 {
		return nil, 0
	}
	bound := t.Vars[i:]
	isBound := func(x *logic.Term) bool {
		return slices.ContainsFunc(logic.FreeVars(x), func(v *logic.Var) bool {
			return slices.Contains(bound, v)
		})
	}
	first := slices.IndexFunc(guard.Args, isBound)
	if first < 0 || len(guard.Args)-first > len(bound) {
		return nil, 0
	}
	for k, x := range guard.Args[first:] {
		n := len(guard.Args) - first
		if x.Op != logic.OpVar || !slices.Contains(bound[:n], x.Var) ||
			slices.ContainsFunc(guard.Args[first:first+k], func(y *logic.Term) bool {
				return y.Var == x.Var
			}) {
			return nil, 0
		}
		lo, hi := tr.bounds(x.Var.Sort, t.Span, s)
		if d := a.args[first+k]; !lo.is(d.Lo) || !hi.is(d.Hi) {
			return nil, 0
		}
	}
	return a, first
}

// atPoint is the body of a quantifier, without its variables before the i-th, where args, the next
// ones, have the values of the last arguments of a point.
func (tr *translator) atPoint(
	t *logic.Term, i int, a *array, args []*logic.Term, point *expr, s scope,
) *expr {
	next := i + len(args)
	var bind func(k int, point *expr, s scope) *expr
	bind = func(k int, point *expr, s scope) *expr {
		if k < 0 {
			return tr.quantified(t, next, s)
		}
		d := a.args[len(a.args)-len(args)+k]
		size := konst(int64(d.size()))
		value := add(divide(false, point, size), konst(d.Lo))
		if args[k].Sort == logic.Bool {
			value = eq(value, konst(1))
		}
		return named(value, func(v *expr) *expr {
			return named(divide(true, point, size), func(rest *expr) *expr {
				return bind(k-1, rest, s.bind(args[k].Var, v))
			})
		})
	}
	return bind(len(args)-1, point, s)
}

// sparse is the condition of a loop that is false at most points: a point of a relation whose
// number grows with the variable of the loop. It is nil for other loops.
func sparse(e *expr) *expr {
	body := e.args[2]
	if len(body.args) == 0 {
		return nil
	}
	guard := body.args[0]
	switch {
	case e.op == opAll && body.op == opOr && guard.op == opNot:
		guard = guard.args[0]
	case e.op == opAny && body.op == opAnd:
	default:
		return nil
	}
	if guard.op != opElem || guard.fails || guard.array.fields[0].width != 1 ||
		stride(guard.args[0], e.v) != 1 {
		return nil
	}
	return guard
}

// stride is how much a number grows with a variable; -1 where that is not known.
func stride(e *expr, v *variable) int {
	switch {
	case e.op == opVar && e.v == v:
		return 1
	case !mentions(e, v):
		return 0
	case e.op == opAdd && !mentions(e.args[1], v):
		return stride(e.args[0], v)
	case e.op == opAdd && !mentions(e.args[0], v):
		return stride(e.args[1], v)
	}
	return -1
}

// skip goes on with the next value of a loop for which a condition is true, or behind the last
// point in the same word.
func (em *emitter) skip(guard *expr, x uint32, again wasm.Label) {
	f := em.f
	mark := f.Mark()
	a := guard.array
	em.value(guard.args[0])
	var shift uint32
	if a.oneWord() {
		shift = em.dynamicShift(a)
		f.Get(guard.locals[a.fields[0].word])
	} else {
		var which uint32
		which, shift = em.dynamicPlace(a)
		em.selectWord(guard.locals[a.fields[0].word:][:a.words()], which)
	}
	f.Get(shift)
	f.Op(wasm.I64ShrU)
	points := f.Temp(wasm.I64)
	f.Tee(points)
	f.Op(wasm.I64Eqz)
	f.If()
	f.I64(int64(a.wordBits))
	f.Get(shift)
	f.Op(wasm.I64Sub)
	em.forward(x, again)
	f.End()
	f.Get(points)
	f.I64(1)
	f.Op(wasm.I64And, wasm.I64Eqz)
	f.If()
	f.Get(points)
	f.Op(wasm.I64Ctz)
	em.forward(x, again)
	f.End()
	f.Release(mark)
}

// forward adds the number on the stack to the variable of a loop, and goes on.
func (em *emitter) forward(x uint32, again wasm.Label) {
	em.f.Get(x)
	em.f.Op(wasm.I64Add)
	em.f.Set(x)
	em.f.Br(again)
}
