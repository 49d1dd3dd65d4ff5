package logic

import "slices"

// quantified is a quantifier over a formula in normal form: over all values, or over some.
func quantified(all bool, vars []*Var, body *Term) *Term {
	inner, outer := OpOr, OpForall
	if !all {
		inner, outer = OpAnd, OpExists
	}
	if body.IsTrue() || body.IsFalse() {
		if body.IsTrue() == all || !slices.ContainsFunc(vars, mayBeEmpty) {
			return body
		}
		return quantify(outer, slices.DeleteFunc(slices.Clone(vars), func(v *Var) bool {
			return !mayBeEmpty(v)
		}), body)
	}
	switch body.Op {
	case OpAnd, OpOr:
		if body.Op == inner {
			break
		}
		parts := make([]*Term, len(body.Args)) // it is spread
		for i, a := range body.Args {
			own := vars
			if i > 0 { // each binder binds its own variables
				own, a = fresh(vars, a)
			}
			parts[i] = quantified(all, own, a)
		}
		return joined(all, parts...)
	case outer:
		vars, body = slices.Concat(vars, body.Vars), body.Args[0]
	}
	free := FreeVars(body)
	used := slices.DeleteFunc(slices.Clone(vars), func(v *Var) bool {
		return !mayBeEmpty(v) && !slices.Contains(free, v)
	})
	if all || body.Op != OpAnd || slices.ContainsFunc(used, mayBeEmpty) || MayReadOutside(body) {
		return quantify(outer, used, body)
	}
	var within, without []*Term // what does not depend on the values stands outside
	for _, a := range body.Args {
		if slices.ContainsFunc(FreeVars(a), func(v *Var) bool { return slices.Contains(used, v) }) {
			within = append(within, a)
		} else {
			without = append(without, a)
		}
	}
	if len(without) == 0 {
		return quantify(outer, used, body)
	}
	return joined(true, append(without, quantify(outer, used, And(within...)))...)
}

// mayBeEmpty reports whether a variable may have no value.
func mayBeEmpty(v *Var) bool { return v.Sort.Kind == KindRange }

// MayReadOutside reports whether a term may apply a symbol outside of the range of an argument: the
// argument is not a variable of that range.
func MayReadOutside(t *Term) bool {
	return Has(t, func(t *Term) bool {
		if t.Op != OpApp {
			return false
		}
		for i, s := range t.Symbol.Args {
			a := t.Args[i]
			if s.Kind == KindRange && !(a.Op == OpVar && SameSort(a.Var.Sort, s)) {
				return true
			}
		}
		return false
	})
}

// fresh makes new variables for a formula that is copied.
func fresh(vars []*Var, t *Term) ([]*Var, *Term) {
	m, out := map[*Var]*Term{}, make([]*Var, len(vars))
	for i, v := range vars {
		c := *v
		out[i] = &c
		m[v] = Ref(out[i])
	}
	return out, Subst(t, m)
}

// lifted is a disjunction with its universal quantifiers outside.
func lifted(parts []*Term) *Term {
	var vars []*Var
	out := slices.Clone(parts)
	for i, p := range parts {
		if len(parts) > 1 && p.Op == OpForall && !slices.ContainsFunc(p.Vars, mayBeEmpty) {
			own, body := fresh(p.Vars, p.Args[0])
			vars, out[i] = append(vars, own...), body
		}
	}
	if len(vars) == 0 {
		return Or(out...)
	}
	return quantified(true, vars, joined(false, out...))
}

// equivalence is a <-> b, or its negation.
func equivalence(a, b *Term, positive bool) *Term {
	for _, t := range []**Term{&a, &b} {
		if (*t).Op == OpNot || isNegative(*t) {
			*t, positive = opposed(*t), !positive
		}
	}
	switch {
	case a.IsTrue():
		return normal(b, positive)
	case b.IsTrue():
		return normal(a, positive)
	case a.IsFalse():
		return normal(b, !positive)
	case b.IsFalse():
		return normal(a, !positive)
	case Equal(a, b):
		return BoolLit(positive)
	}
	return signed(&Term{Op: OpIff, Sort: Bool, Args: []*Term{a, b}}, positive)
}

// isNegative reports whether a formula in normal form denies: its atoms all have negations.
func isNegative(t *Term) bool {
	switch t.Op {
	case OpNot:
		return true
	case OpAnd, OpOr:
		return !slices.ContainsFunc(t.Args, func(a *Term) bool { return !isNegative(a) })
	case OpForall, OpExists:
		return isNegative(t.Args[0])
	}
	return false
}

// rendered writes the disjunctions of a formula in normal form as implications.
func rendered(t *Term) *Term {
	parts := func(t *Term) *Term {
		return MapArgs(t, func(a *Term) *Term {
			if a.Sort == Bool {
				return rendered(a)
			}
			return a
		})
	}
	switch t.Op {
	case OpAnd, OpNot, OpForall, OpExists, OpIff, OpLet, OpAlways, OpEventually, OpUntil, OpLeadsTo:
		return parts(t)
	case OpOr:
		if MayReadOutside(t) {
			return parts(t)
		}
		var denied, affirmed []*Term
		bounded := slices.ContainsFunc(t.Args, func(a *Term) bool {
			return !isNegative(a) && a.Op != OpLt && a.Op != OpLe
		})
		for _, a := range t.Args {
			if isNegative(a) || bounded && (a.Op == OpLt || a.Op == OpLe) {
				denied = append(denied, rendered(opposed(a)))
			} else {
				affirmed = append(affirmed, rendered(a))
			}
		}
		if len(denied) == 0 {
			return Or(affirmed...)
		}
		return Implies(And(denied...), Or(affirmed...))
	}
	return t
}
