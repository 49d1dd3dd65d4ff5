package core

import "erelong.dev/erelong/internal/front/tla/syntax"

// guarded gives the names that a quantifier binds without a set the sets that its body speaks of:
// \A v : v \in S => p says as much as \A v \in S : v \in S => p, and \E v : v \in S /\ p as
// \E v \in S : v \in S /\ p. The body stays as it is.
func guarded(x *syntax.Quantified) []syntax.Bound {
	names := map[string]bool{}
	for _, b := range x.Bounds {
		for _, n := range b.Names {
			names[n.Text] = true
		}
	}
	sets := map[string]syntax.Expr{}
	memberships(x.Body, x.Quantifier == syntax.Forall, names, sets)
	var out []syntax.Bound
	for _, b := range x.Bounds {
		if b.Set != nil || b.Tuple {
			out = append(out, b)
			continue
		}
		for _, n := range b.Names {
			out = append(out, syntax.Bound{Names: []syntax.Name{n}, Set: sets[n.Text]})
		}
	}
	return out
}

// memberships collects the conjuncts v \in S of a formula, for names that are bound around it: all
// of them are true where the formula is, or with refuted, where it is false. A set that mentions
// one of the names does not count.
func memberships(
	x syntax.Expr, refuted bool, names map[string]bool, sets map[string]syntax.Expr,
) {
	switch x := x.(type) {
	case *syntax.Junction:
		if x.And != refuted {
			for _, y := range x.Items {
				memberships(y, refuted, names, sets)
			}
		}
	case *syntax.Quantified:
		if x.Quantifier == syntax.Forall && refuted || x.Quantifier == syntax.Exists && !refuted {
			within := map[string]bool{}
			for n := range names {
				within[n] = true
			}
			for _, b := range x.Bounds {
				for _, n := range b.Names {
					if names[n.Text] { // the one that is bound here
						return
					}
					within[n.Text] = true
				}
			}
			memberships(x.Body, refuted, within, sets)
		}
	case *syntax.Apply:
		switch {
		case len(x.Path) > 0:
		case x.Name.Text == "=>" && refuted:
			memberships(x.Args[0], false, names, sets)
			memberships(x.Args[1], true, names, sets)
		case x.Name.Text == `/\` && !refuted, x.Name.Text == `\/` && refuted:
			memberships(x.Args[0], refuted, names, sets)
			memberships(x.Args[1], refuted, names, sets)
		case x.Name.Text == `\lnot`:
			memberships(x.Args[0], !refuted, names, sets)
		case x.Name.Text == `\in` && !refuted, x.Name.Text == `\notin` && refuted:
			v, ok := x.Args[0].(*syntax.Apply)
			if ok && len(v.Path)+len(v.Args) == 0 && names[v.Name.Text] &&
				sets[v.Name.Text] == nil && !mentionsAny(x.Args[1], names) {
				sets[v.Name.Text] = x.Args[1]
			}
		}
	}
}

// mentionsAny reports whether one of the names stands in an expression, or may stand in it.
func mentionsAny(x syntax.Expr, names map[string]bool) bool {
	switch x := x.(type) {
	case *syntax.Apply:
		if len(x.Path) == 0 && names[x.Name.Text] {
			return true
		}
	case *syntax.Let: // its substitutions in instances are no children
		return true
	}
	return !Children(x, func(y syntax.Expr) bool { return !mentionsAny(y, names) })
}
