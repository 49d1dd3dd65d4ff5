package compile

import "slices"

// subst replaces variables, and simplifies the result.
func (e *expr) subst(m map[*variable]*expr) *expr {
	if e.op == opVar {
		if r, ok := m[e.v]; ok {
			return r
		}
		return e
	}
	var args []*expr
	for i, a := range e.args {
		if b := a.subst(m); b != a {
			if args == nil {
				args = slices.Clone(e.args)
			}
			args[i] = b
		}
	}
	if args == nil {
		return e
	}
	switch e.op {
	case opCheck:
		return check(args[0], e.want, e.outside)
	case opNot:
		return not(args[0])
	case opAnd:
		return and(args...)
	case opOr:
		return or(args...)
	case opEq:
		return eq(args[0], args[1])
	case opLt:
		return lt(args[0], args[1])
	case opLe:
		return le(args[0], args[1])
	case opAdd:
		return add(args[0], args[1])
	case opSub:
		return sub(args[0], args[1])
	case opMul:
		return mul(args[0], args[1])
	case opDiv, opMod:
		return divide(e.op == opDiv, args[0], args[1])
	case opIte:
		return ite(args[0], args[1], args[2])
	case opLet:
		return let(e.v, args[0], args[1])
	case opAll, opAny:
		return quantifier(e.op, e.v, args[0], args[1], args[2])
	}
	return element(e, args[0])
}

// element is the point of an array with another index.
func element(e *expr, index *expr) *expr {
	if index.isConst() {
		switch e.op {
		case opElem:
			f := e.array.fields[index.Lo]
			return readField(f, e.boolean, e.locals[f.word])
		case opTable:
			v := e.array.values[index.Lo]
			if e.boolean {
				return truth(v == 1)
			}
			return konst(v)
		}
	}
	c := *e
	c.args = []*expr{index}
	c.fails = index.fails
	c.size = 4 + index.size
	if v, ok := c.single(); ok {
		if c.boolean {
			return truth(v == 1)
		}
		return konst(v)
	}
	return &c
}

// mentions reports whether a variable occurs.
func mentions(e *expr, v *variable) bool {
	return e.op == opVar && e.v == v || slices.ContainsFunc(e.args, func(a *expr) bool {
		return mentions(a, v)
	})
}

// unknowns adds the unknown variables of an expression to a set.
func (e *expr) unknowns(set map[*variable]bool) {
	if e.op == opVar && e.v.unknown {
		set[e.v] = true
	}
	for _, a := range e.args {
		a.unknowns(set)
	}
}

// isKnown reports whether no unknown variable occurs.
func (e *expr) isKnown() bool {
	return !(e.op == opVar && e.v.unknown) && !slices.ContainsFunc(e.args, func(a *expr) bool {
		return !a.isKnown()
	})
}

// hasLoop reports whether a quantifier occurs.
func (e *expr) hasLoop() bool {
	return e.op == opAll || e.op == opAny || slices.ContainsFunc(e.args, (*expr).hasLoop)
}
