package compile

import "slices"

// A claim often repeats what it has asked before: that a term has a value follows from the
// conditions under which it is evaluated, as a rule. A part of a formula that is evaluated only
// where an equal one is true, or false, needs no evaluation.

// mostFacts bounds the facts that a part of a formula is compared with.
const mostFacts = 24

// assuming is an expression where some formulas, which have been evaluated, are true.
func assuming(e *expr, facts []*expr) *expr {
	if !e.boolean || e.isConst() {
		return e
	}
	for _, f := range facts {
		if equal(e, f, nil) {
			return yes
		}
		if f.op == opNot && equal(e, f.args[0], nil) {
			return no
		}
	}
	switch e.op {
	case opNot:
		return not(assuming(e.args[0], facts))
	case opAnd, opOr:
		args := make([]*expr, len(e.args))
		for i, a := range e.args {
			args[i] = assuming(a, facts)
			if e.op == opAnd {
				facts = learn(facts, a)
			} else {
				facts = learn(facts, not(a))
			}
		}
		if slices.Equal(args, e.args) {
			return e
		}
		if e.op == opAnd {
			return and(args...)
		}
		return or(args...)
	case opAll, opAny:
		if body := assuming(e.args[2], facts); body != e.args[2] {
			return quantifier(e.op, e.v, e.args[0], e.args[1], body)
		}
	case opLet:
		if body := assuming(e.args[1], facts); body != e.args[1] {
			return let(e.v, e.args[0], body)
		}
	}
	return e
}

// learn adds a formula that is true to facts, and its conjuncts.
func learn(facts []*expr, f *expr) []*expr {
	parts := []*expr{f}
	if f.op == opAnd {
		parts = f.args
	} else if f.op == opNot && f.args[0].op == opOr {
		parts = nil
		for _, a := range f.args[0].args {
			parts = append(parts, not(a))
		}
	}
	facts = append(slices.Clip(facts), parts...)
	return facts[max(0, len(facts)-mostFacts):]
}

// equal reports whether two expressions are the same but for the variables that they bind, of which
// one stands for another.
func equal(a, b *expr, stands map[*variable]*variable) bool {
	switch {
	case a == b && len(stands) == 0:
		return true
	case a.op != b.op || a.boolean != b.boolean || a.size != b.size || len(a.args) != len(b.args):
		return false
	}
	switch a.op {
	case opConst:
		return a.Lo == b.Lo
	case opVar:
		if v := stands[a.v]; v != nil {
			return v == b.v
		}
		return a.v == b.v
	case opField:
		return a.local == b.local && a.field.slot == b.field.slot
	case opElem:
		if a.array != b.array || !slices.Equal(a.locals, b.locals) {
			return false
		}
	case opTable:
		if a.array != b.array {
			return false
		}
	case opCheck:
		if a.want != b.want || a.outside != b.outside {
			return false
		}
	case opFail:
		return false
	case opLet, opAll, opAny:
		if a.v.lazy != b.v.lazy {
			return false
		}
		last := len(a.args) - 1
		for i := range last {
			if !equal(a.args[i], b.args[i], stands) {
				return false
			}
		}
		inner := map[*variable]*variable{a.v: b.v}
		for v, w := range stands {
			if v != a.v {
				inner[v] = w
			}
		}
		return equal(a.args[last], b.args[last], inner)
	}
	for i, x := range a.args {
		if !equal(x, b.args[i], stands) {
			return false
		}
	}
	return true
}
