package check

import (
	"slices"

	"erelong.dev/erelong/internal/logic"
)

// narrow gives implied quantifiers their place, once their variables have sorts. A range may be
// empty. So the quantifier of a variable of a range stands around the smallest conjuncts in which
// it occurs, and says nothing of the other ones: in `!r(A) & x = 0` x is 0 in any case. The other
// variables stay around the whole formula, which means the same.
func (e *elaborator) narrow() {
	for _, t := range e.implied {
		body := t.Args[0]
		inner := slices.DeleteFunc(slices.Clone(t.Vars), func(v *logic.Var) bool {
			return v.Sort.Kind != logic.KindRange || !beside(v, body)
		})
		if len(inner) == 0 {
			continue
		}
		outer := slices.DeleteFunc(slices.Clone(t.Vars), func(v *logic.Var) bool {
			return slices.Contains(inner, v)
		})
		*t = *logic.Forall(outer, place(inner, body)).At(t.Span)
	}
	e.implied = nil
}

// beside reports whether a formula has a conjunct without a variable, beside others with it.
func beside(v *logic.Var, t *logic.Term) bool {
	if t.Op == logic.OpAnd && slices.ContainsFunc(t.Args, func(a *logic.Term) bool {
		return !occurs(v, a)
	}) {
		return true
	}
	return slices.ContainsFunc(t.Args, func(a *logic.Term) bool {
		return enters(v, t, a) && beside(v, a)
	})
}

// enters reports whether a universal quantifier over a variable may as well stand around a part of
// a formula, or around several parts.
func enters(v *logic.Var, t, part *logic.Term) bool {
	switch t.Op {
	case logic.OpAnd, logic.OpForall, logic.OpAlways:
		return occurs(v, part)
	case logic.OpImplies, logic.OpLet:
		return part == t.Args[1] && occurs(v, part) && !occurs(v, t.Args[0])
	case logic.OpOr:
		return occurs(v, part) && !slices.ContainsFunc(t.Args, func(a *logic.Term) bool {
			return a != part && occurs(v, a)
		})
	}
	return false
}

func occurs(v *logic.Var, t *logic.Term) bool { return slices.Contains(logic.FreeVars(t), v) }

// place puts quantifiers over variables as deep into a formula as they may stand.
func place(vars []*logic.Var, t *logic.Term) *logic.Term {
	var here []*logic.Var
	inner := make([][]*logic.Var, len(t.Args))
	for _, v := range vars {
		entered := false
		for i, a := range t.Args {
			if enters(v, t, a) {
				inner[i], entered = append(inner[i], v), true
			}
		}
		if !entered && occurs(v, t) {
			here = append(here, v)
		}
	}
	c := *t
	c.Args = slices.Clone(t.Args)
	for i, vs := range inner {
		if len(vs) > 0 {
			c.Args[i] = place(vs, t.Args[i])
		}
	}
	return logic.Forall(here, &c).At(t.Span)
}
