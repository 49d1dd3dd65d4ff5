package logic

import "slices"

// Pinned takes integers out of a quantifier whose body gives them a value: for all x, x = e & A ->
// B says A -> B of the value e (the one-point rule). So the integers, which nobody can enumerate,
// need not be tried. The value e is one that no state lacks. Without such integers it is t itself.
func Pinned(t *Term) *Term {
	for {
		x, value := pinned(t)
		if x == nil {
			return t
		}
		body := Subst(t.Args[0], map[*Var]*Term{x: value})
		vars := slices.DeleteFunc(slices.Clone(t.Vars), func(v *Var) bool { return v == x })
		if len(vars) == 0 {
			return body
		}
		t = &Term{Op: t.Op, Sort: t.Sort, Vars: vars, Args: []*Term{body}, Span: t.Span}
	}
}

// pinned finds an integer of a quantifier, and its value; nil if there is none.
func pinned(t *Term) (x *Var, value *Term) {
	if !t.IsQuantifier() {
		return nil, nil
	}
	// An element that decides the quantifier, a witness or a counterexample, gives these parts
	// their values.
	for part, holds := range Entailed(t.Args[0], t.Op == OpExists) {
		if part.Op != OpEq || !holds {
			continue
		}
		for i, side := range part.Args {
			x, e := side.Var, part.Args[1-i]
			if side.Op == OpVar && x.Sort.Kind == KindInt && slices.Contains(t.Vars, x) &&
				isPoint(e) && !slices.Contains(FreeVars(e), x) {
				return x, e
			}
		}
	}
	return nil, nil
}

// isPoint reports whether a term has a value in every state: a number, a variable, or a symbol that
// is read at variables of its own sorts.
func isPoint(t *Term) bool {
	switch t.Op {
	case OpInt, OpVar:
		return true
	case OpApp:
		for i, a := range t.Args {
			if a.Op != OpVar || !SameSort(a.Var.Sort, t.Symbol.Args[i]) {
				return false
			}
		}
		return !t.Symbol.Derived
	}
	return false
}
