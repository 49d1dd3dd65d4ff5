package compile

import (
	"maps"
	"slices"

	"erelong.dev/erelong/internal/wasm"
)

// Unknown values are enumerated point by point, in nested loops. Each formula about them is tested
// as soon as its last unknown value is known, so the cost is about that of a backtracking search. A
// formula that determines a value is used to compute it. Truth values that only formulas about
// themselves constrain become one loop over the subsets of a set of bits.

// settle compiles the enumeration of all unknown values for which the pending formulas and more are
// true. Formulas that may fail keep their order. Next gets the version without unknown values.
func (g *generator) settle(v *version, more []*expr, next func(*version)) {
	if g.tooLong() {
		return
	}
	g.settles++
	e := enumeration{generator: g, version: v.clone(), next: next, bound: map[*variable]*expr{}}
	e.version.pending = nil
	e.add(v.pending...)
	e.add(more...)
	e.resolve()
	e.distribute()
	if g.err != nil {
		return
	}
	e.order()
	if e.err == nil && e.test(0) {
		e.level(0)
	}
}

// maxUnknown bounds the loops around a step.
const maxUnknown = 400

// maxLate bounds the unknown values in a quantifier that is not expanded: it can be tested only
// when all of them are known.
const maxLate = 12

// enumeration is the state of settle.
type enumeration struct {
	*generator
	version *version
	next    func(*version)
	cs      []*expr // the formulas, flattened
	choices int     // of cases

	unknown  []*variable
	computed map[*variable]*expr // the unknown values that formulas determine
	bounds   map[*variable]ends  // of the integers that formulas bound
	at       [][]*expr           // the formulas to test when i values are known
	bound    map[*variable]*expr
}

// add splits conjunctions.
func (e *enumeration) add(cs ...*expr) {
	for _, c := range cs {
		if c.op == opAnd {
			e.add(c.args...)
		} else if !c.is(1) {
			e.cs = append(e.cs, c)
		}
	}
}

// resolve looks for formulas that determine an unknown value, until there are no more, and replaces
// the value everywhere. It leaves the formulas after one that may fail.
func (e *enumeration) resolve() {
	for {
		i, u, value := e.definition()
		if u == nil {
			return
		}
		value = e.keep(value)
		cs := slices.Clone(e.cs)
		if u.lo == nil {
			cs = slices.Delete(cs, i, i+1)
		} else {
			cs[i] = and(le(u.lo, value), le(value, u.hi))
			if value.boolean {
				cs[i] = yes
			}
		}
		m := map[*variable]*expr{u: value}
		e.cs = nil
		for _, c := range cs {
			e.add(c.subst(m))
		}
		for slot, x := range e.version.unpacked {
			e.version.unpacked[slot] = x.subst(m)
		}
	}
}

// definition finds a formula that determines an unknown value, by its index.
func (e *enumeration) definition() (int, *variable, *expr) {
	isUnknown := func(x *expr) bool { return x.op == opVar && x.v.unknown }
	for i, c := range e.cs {
		switch {
		case c.fails:
			return 0, nil, nil
		case isUnknown(c):
			return i, c.v, yes
		case c.op == opNot && isUnknown(c.args[0]):
			return i, c.args[0].v, no
		case c.op == opEq:
			for j, x := range c.args {
				if y := c.args[1-j]; isUnknown(x) && y.isKnown() {
					return i, x.v, y
				}
			}
		}
	}
	return 0, nil, nil
}

// order lists the unknown values that matter, in the order in which they became unknown, and
// assigns each formula to a level. A number that a formula determines by other unknown values comes
// after them, and is computed.
func (e *enumeration) order() {
	set := map[*variable]bool{}
	for _, c := range e.cs {
		c.unknowns(set)
	}
	for _, x := range e.version.unpacked {
		x.unknowns(set)
	}
	rest := slices.SortedFunc(maps.Keys(set), func(a, b *variable) int { return a.id - b.id })
	if len(rest) > maxUnknown {
		e.unsupported(rest[0].span, "%d unknown values at once", len(rest))
	}
	e.computed, e.bounds = map[*variable]*expr{}, map[*variable]ends{}
	placed := map[*variable]bool{}
	place := func(which func(u *variable) bool) bool {
		i := slices.IndexFunc(rest, which)
		if i < 0 {
			return false
		}
		placed[rest[i]] = true
		e.unknown = append(e.unknown, rest[i])
		rest = slices.Delete(rest, i, i+1)
		return true
	}
	given := func(u *variable) bool {
		if value := e.equation(u, placed); value != nil {
			e.computed[u] = value
			return true
		}
		return false
	}
	defined := func(u *variable) bool {
		return u.lo == nil || !e.isBit(u) && e.equation(u, set) != nil
	}
	for len(rest) > 0 && e.err == nil {
		free := func(u *variable) bool { return !defined(u) }
		enumerable := func(u *variable) bool { return u.lo != nil }
		bounded := func(u *variable) bool { return u.lo == nil && e.bounded(u, placed) }
		if !place(given) && !place(free) && !place(enumerable) && !place(bounded) {
			e.unsupported(rest[0].span, "the values of int symbol %s cannot be enumerated",
				rest[0].name)
		}
	}
	for _, c := range e.cs {
		if len(e.unknown) > maxLate && c.hasLoop() && !c.isKnown() {
			e.unsupported(e.unknown[0].span,
				"the formulas about the values of %s are too long to be taken apart",
				e.unknown[0].name)
		}
	}
	e.at = make([][]*expr, len(e.unknown)+1)
	highest, barrier := 0, 0
	for _, c := range e.cs {
		level := barrier
		set := map[*variable]bool{}
		c.unknowns(set)
		for u := range set {
			level = max(level, slices.Index(e.unknown, u)+1)
		}
		highest = max(highest, level)
		if c.fails {
			level, barrier = highest, highest
		}
		e.at[level] = append(e.at[level], c)
	}
}

// bounded finds the bounds that formulas give to an integer by some unknown values, as far as none
// of them may fail.
func (e *enumeration) bounded(u *variable, terms map[*variable]bool) bool {
	b := bounder{x: u, open: func(v *variable) bool { return v.unknown && !terms[v] }}
	all := ends{}
	for _, c := range e.cs {
		if c.fails {
			break
		}
		all = all.and(b.within(c, true))
		all.closed = false
	}
	if all.never {
		all.lo, all.hi = konst(1), konst(0)
	}
	e.bounds[u] = all
	return all.finite()
}

// equation finds a formula that determines a value by some unknown values.
func (e *enumeration) equation(u *variable, terms map[*variable]bool) *expr {
	for _, c := range e.cs {
		if c.fails {
			return nil
		}
		if c.op != opEq {
			continue
		}
		for j, x := range c.args {
			needs := map[*variable]bool{}
			c.args[1-j].unknowns(needs)
			if x.op == opVar && x.v == u && !needs[u] &&
				!slices.ContainsFunc(slices.Collect(maps.Keys(needs)), func(v *variable) bool {
					return !terms[v]
				}) {
				return c.args[1-j]
			}
		}
	}
	return nil
}

// test compiles the tests of a level. It returns false when one of them is always false.
func (e *enumeration) test(level int) bool {
	for _, c := range e.at[level] {
		c = c.subst(e.bound)
		e.unless(c, e.blocked)
		if c.is(0) {
			return false
		}
	}
	return e.err == nil
}

// level compiles the loops from the i-th unknown value on.
func (e *enumeration) level(i int) {
	if e.tooLong() {
		return
	}
	if i == len(e.unknown) {
		v := e.version.clone()
		for slot, x := range v.unpacked {
			v.unpacked[slot] = x.subst(e.bound)
		}
		e.next(v)
		return
	}
	u := e.unknown[i]
	if value := e.computed[u]; value != nil {
		value = e.keep(value.subst(e.bound))
		e.bound[u] = value
		if u.lo != nil {
			inside := and(le(u.lo, value), le(value, u.hi))
			e.unless(inside, e.blocked)
			if inside.is(0) {
				return
			}
		}
		if e.test(i + 1) {
			e.level(i + 1)
		}
		return
	}
	if !e.isBit(u) {
		lo, hi := u.lo, u.hi
		if b, ok := e.bounds[u]; ok {
			hi = e.keep(b.hi.subst(e.bound))
			lo = few(b.lo.subst(e.bound), hi)
		}
		e.repeat(false, false, lo, hi, func(x *expr) {
			e.bound[u] = x
			if e.test(i + 1) {
				e.level(i + 1)
			}
		})
		return
	}
	n := 0
	for n < 64 && i+n < len(e.unknown) && e.alone(i+n, i) {
		n++
	}
	if n > 1 {
		e.subsets(i, n)
	} else {
		e.bit(i)
	}
}

func (e *enumeration) isBit(u *variable) bool { return u.lo != nil && u.lo.boolean }

// alone reports whether a truth value is constrained only by formulas about itself and unknown
// values before first, while later values are unknown.
func (e *enumeration) alone(i, first int) bool {
	if !e.isBit(e.unknown[i]) {
		return false
	}
	for _, c := range e.at[i+1] {
		if c.fails {
			return false
		}
		set := map[*variable]bool{}
		c.unknowns(set)
		for u := range set {
			if k := slices.Index(e.unknown, u); first <= k && k < i {
				return false
			}
		}
	}
	return true
}

// allowed gives the conditions under which an unknown truth value may be false, and true.
func (e *enumeration) allowed(i int) (zero, one *expr) {
	u := e.unknown[i]
	with := func(value *expr) *expr {
		e.bound[u] = value
		var parts []*expr
		for _, c := range e.at[i+1] {
			parts = append(parts, c.subst(e.bound))
		}
		return and(parts...)
	}
	zero, one = with(no), with(yes)
	delete(e.bound, u)
	return zero, one
}

// bit compiles the loop over one truth value.
func (e *enumeration) bit(i int) {
	f := e.f
	u := e.unknown[i]
	zero, one := e.allowed(i)
	for _, fixed := range []struct{ never, value, when *expr }{{zero, yes, one}, {one, no, zero}} {
		if fixed.never.is(0) {
			e.unless(fixed.when, e.blocked)
			if !fixed.when.is(0) {
				e.bound[u] = fixed.value
				e.level(i + 1)
			}
			return
		}
	}
	outer := e.blocked
	mark := f.Mark()
	x := f.Temp(wasm.I64)
	e.value(not(zero))
	f.Set(x)
	again := f.Loop()
	e.blocked = f.Block()
	if !one.is(1) {
		f.Get(x)
		f.Op(wasm.I32WrapI64)
		f.If()
		e.unless(one, e.blocked)
		f.End()
	}
	e.bound[u] = ref(&variable{local: x}, true, flip)
	e.level(i + 1)
	f.End()
	f.Get(x)
	f.Op(wasm.I64Eqz)
	f.If()
	f.I64(1)
	f.Set(x)
	f.Br(again)
	f.End()
	f.End()
	f.Release(mark)
	e.blocked = outer
}

// subsets compiles one loop over n truth values: over the subsets of the bits that may be both, as
// in Knuth, The Art of Computer Programming 4A, section 7.1.3, exercise 79.
func (e *enumeration) subsets(i, n int) {
	f := e.f
	all := int64(uint64(1)<<n - 1)
	var zeros, ones []bitAt
	for k := range n {
		zero, one := e.allowed(i + k)
		zeros, ones = append(zeros, bitAt{zero, uint(k)}), append(ones, bitAt{one, uint(k)})
	}
	outer := e.blocked
	mark := f.Mark()
	zero, one, x, set := f.Temp(wasm.I64), f.Temp(wasm.I64), f.Temp(wasm.I64), f.Temp(wasm.I64)
	e.bits(zeros, 0)
	f.Set(zero)
	e.bits(ones, 0)
	f.Tee(one)
	f.Get(zero)
	f.Op(wasm.I64Or)
	f.I64(all)
	f.Op(wasm.I64Ne)
	f.BrIf(e.blocked)
	f.I64(0)
	f.Set(x)
	again := f.Loop()
	e.blocked = f.Block()
	f.Get(one) // the bits that must be true
	f.Get(zero)
	f.I64(-1)
	f.Op(wasm.I64Xor, wasm.I64And)
	f.Get(x)
	f.Op(wasm.I64Or)
	f.Set(set)
	for k := range n {
		e.bound[e.unknown[i+k]] = ref(&variable{local: set, isBit: true, bit: uint(k)}, true, flip)
	}
	e.level(i + n)
	f.End()
	f.Get(x)
	f.Get(one)
	f.Get(zero)
	f.Op(wasm.I64And, wasm.I64Sub)
	f.Get(one)
	f.Get(zero)
	f.Op(wasm.I64And, wasm.I64And)
	f.Tee(x)
	f.Op(wasm.I64Eqz, wasm.I32Eqz)
	f.BrIf(again)
	f.End()
	f.Release(mark)
	e.blocked = outer
}
