package logic

import "slices"

// Map rebuilds a term bottom-up: f is applied to every node after its arguments were rebuilt. Sub-terms that do not
// change are shared with the original. f must not look under binders for free variables: it sees them as they stand.
func Map(t *Term, f func(*Term) *Term) *Term {
	var args []*Term
	for i, a := range t.Args {
		b := Map(a, f)
		if b != a && args == nil {
			args = slices.Clone(t.Args)
		}
		if args != nil {
			args[i] = b
		}
	}
	if args != nil {
		c := *t
		c.Args = args
		t = &c
	}
	return f(t)
}

// Walk calls f for every node, parents first; f returns false to skip the arguments.
func Walk(t *Term, f func(*Term) bool) {
	if !f(t) {
		return
	}
	for _, a := range t.Args {
		Walk(a, f)
	}
}

// Subst replaces free variables. Every binder on the way is renamed afresh, so nothing is captured and no variable is
// bound twice in nested scopes of the result.
func Subst(t *Term, m map[*Var]*Term) *Term {
	if len(m) == 0 {
		return t
	}
	switch t.Op {
	case OpVar:
		if r, ok := m[t.Var]; ok {
			return r
		}
		return t
	case OpForall, OpExists, OpLet:
		inner := make(map[*Var]*Term, len(m)+len(t.Vars))
		for k, v := range m {
			inner[k] = v
		}
		c := *t
		c.Vars = make([]*Var, len(t.Vars))
		for i, v := range t.Vars {
			fresh := *v
			c.Vars[i] = &fresh
			inner[v] = Ref(&fresh)
		}
		c.Args = slices.Clone(t.Args)
		last := len(t.Args) - 1
		if t.Op == OpLet {
			c.Args[0] = Subst(t.Args[0], m)
		}
		c.Args[last] = Subst(t.Args[last], inner)
		return &c
	}
	if len(t.Args) == 0 {
		return t
	}
	c := *t
	c.Args = make([]*Term, len(t.Args))
	changed := false
	for i, a := range t.Args {
		c.Args[i] = Subst(a, m)
		changed = changed || c.Args[i] != a
	}
	if !changed {
		return t
	}
	return &c
}

// Shift adds delta to the step of every mutable application.
func Shift(t *Term, delta int) *Term {
	if delta == 0 {
		return t
	}
	return Map(t, func(t *Term) *Term {
		if t.Op == OpApp && t.Symbol.Mutable {
			c := *t
			c.Step += delta
			return &c
		}
		return t
	})
}

// FreeVars lists the free variables in the order of their first occurrence.
func FreeVars(t *Term) []*Var {
	var out []*Var
	seen := map[*Var]bool{}
	bound := map[*Var]int{}
	var walk func(*Term)
	walk = func(t *Term) {
		switch t.Op {
		case OpVar:
			if bound[t.Var] == 0 && !seen[t.Var] {
				seen[t.Var] = true
				out = append(out, t.Var)
			}
			return
		case OpLet:
			walk(t.Args[0])
			bound[t.Vars[0]]++
			walk(t.Args[1])
			bound[t.Vars[0]]--
			return
		}
		for _, v := range t.Vars {
			bound[v]++
		}
		for _, a := range t.Args {
			walk(a)
		}
		for _, v := range t.Vars {
			bound[v]--
		}
	}
	walk(t)
	return out
}

// Occurs reports whether the symbol is applied in the given state.
func Occurs(t *Term, sym *Symbol, step int) bool {
	found := false
	Walk(t, func(t *Term) bool {
		found = found || t.Op == OpApp && t.Symbol == sym && t.Step == step
		return !found
	})
	return found
}

// MaxStep gives the highest step of a mutable application, -1 if there is none.
func MaxStep(t *Term) int {
	highest := -1
	Walk(t, func(t *Term) bool {
		if t.Op == OpApp && t.Symbol.Mutable {
			highest = max(highest, t.Step)
		}
		return true
	})
	return highest
}

// Conjuncts splits a formula into conjuncts whose conjunction is equivalent to it: it descends into conjunctions,
// universal quantifiers (dropping variables that do not occur: sorts are never empty), right sides of implications,
// and negated disjunctions. A range may be empty, so a variable of a range sort is kept.
func Conjuncts(t *Term) []*Term {
	switch t.Op {
	case OpTrue:
		return nil
	case OpAnd:
		var out []*Term
		for _, a := range t.Args {
			out = append(out, Conjuncts(a)...)
		}
		return out
	case OpForall:
		parts := Conjuncts(t.Args[0])
		out := make([]*Term, len(parts))
		for i, p := range parts {
			free := FreeVars(p)
			var vs []*Var
			for _, v := range t.Vars {
				if v.Sort.Kind == KindRange || slices.Contains(free, v) {
					vs = append(vs, v)
				}
			}
			out[i] = Forall(vs, p).At(p.Span)
		}
		return out
	case OpImplies:
		parts := Conjuncts(t.Args[1])
		if len(parts) == 1 && parts[0] == t.Args[1] {
			return []*Term{t}
		}
		out := make([]*Term, len(parts))
		for i, p := range parts {
			out[i] = Implies(t.Args[0], p).At(p.Span)
		}
		return out
	case OpNot:
		if in := t.Args[0]; in.Op == OpOr {
			var out []*Term
			for _, a := range in.Args {
				out = append(out, Conjuncts(Not(a))...)
			}
			return out
		}
	}
	return []*Term{t}
}

// IsTemporal reports whether a temporal operator occurs.
func IsTemporal(t *Term) bool {
	found := false
	Walk(t, func(t *Term) bool {
		found = found || t.Op >= OpAlways
		return !found
	})
	return found
}
