package compile

import "slices"

// A formula is tested when its last unknown value is known. One that says what many values are
// under a condition, or in each of several cases, as in `if c then A else B`, would be tested when
// all of them are known. So it is taken apart.

// fewUnknown bounds the unknown values of a formula that is tested as a whole.
const fewUnknown = 8

// distribute takes the formulas apart. The conditions of parts are computed, so formulas without
// unknown values, which are guards as a rule, are tested before.
func (e *enumeration) distribute() {
	if !slices.ContainsFunc(e.cs, isLong) {
		return
	}
	var cs []*expr
	for i, c := range e.cs {
		if c.fails {
			cs = append(cs, e.cs[i:]...)
			break
		}
		if c.isKnown() && !c.is(0) {
			e.unless(c, e.blocked)
		} else {
			cs = append(cs, c)
		}
	}
	e.cs = nil
	for _, c := range cs {
		e.cs = append(e.cs, e.parts(c)...)
	}
}

// parts gives formulas that are true together if and only if a formula is true, for some values of
// new unknown variables where it has several long disjuncts: these choose the disjunct.
func (e *enumeration) parts(c *expr) []*expr {
	if c.op != opOr || c.fails || !isLong(c) {
		return []*expr{c}
	}
	var known, short, long []*expr
	for _, a := range c.args {
		switch {
		case a.isKnown():
			known = append(known, a)
		case a.op == opAnd && isLong(a):
			long = append(long, a)
		default:
			short = append(short, a)
		}
	}
	if len(long) == 0 {
		return []*expr{c}
	}
	holds := e.keep(or(known...))
	var out []*expr
	if len(long) == 1 {
		for _, a := range long[0].args {
			out = append(out, e.parts(or(holds, or(append(slices.Clip(short), a)...)))...)
		}
		return out
	}
	if len(short) > 0 {
		long = append(long, or(short...))
	}
	// The n-th choice holds where one of the first n disjuncts is chosen, and all of them hold
	// where no choice is needed, so that no case occurs twice.
	before := holds
	for _, a := range long[:len(long)-1] {
		now := e.choice()
		out = append(out, implies(before, now))
		for _, part := range conjuncts(a) {
			out = append(out, e.parts(or(before, not(now), part))...)
		}
		before = now
	}
	for _, part := range conjuncts(long[len(long)-1]) {
		out = append(out, e.parts(or(before, part))...)
	}
	return out
}

// choice makes an unknown truth value that comes before all others.
func (e *enumeration) choice() *expr {
	e.choices++
	u := &variable{unknown: true, id: -1 - maxUnknown + e.choices, lo: no, hi: yes, name: "choice"}
	return ref(u, true, flip)
}

func conjuncts(c *expr) []*expr {
	if c.op == opAnd {
		return c.args
	}
	return []*expr{c}
}

func isLong(c *expr) bool {
	set := map[*variable]bool{}
	c.unknowns(set)
	return len(set) > fewUnknown
}
