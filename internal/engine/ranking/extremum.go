package ranking

import (
	"slices"

	"erelong.dev/erelong/internal/logic"
)

// extrema are facts about finite sorts that no first-order formula follows from: where a relation
// is total and transitive on a set, and the set has a member, one of its members is first. They are
// stated for the sets and relations of which a term asks that:
//
//	exists x. ... forall y. in(y) -> first(x, y) ...
//
// and, where it is transitive on the set and relates no member to itself, one of its members has
// none before it: for the sets and relations of which a term asks that
//
//	exists x. ... forall y. in(y) & ... -> !before(y, x) ...
//
// Each is true of every finite structure, whatever the set and the relation are. So nothing rests
// on how they are found.
func extrema(asked *logic.Term) (facts []*logic.Term, finite []*logic.Sort) {
	known := map[string]bool{}
	logic.Walk(asked, func(t *logic.Term) bool {
		if t.Op != logic.OpExists {
			return true
		}
		for _, x := range t.Vars {
			if x.Sort.Kind != logic.KindUninterpreted && !finiteRange(x.Sort) ||
				x.Sort.Extent == logic.Infinite {
				continue
			}
			logic.Walk(t.Args[0], func(u *logic.Term) bool {
				for _, fact := range append(minimal(x, u), first(x, u, false),
					first(x, u, true)) {
					if fact == nil || known[fact.String()] {
						continue
					}
					known[fact.String()] = true
					facts = append(facts, fact)
					if !slices.Contains(finite, x.Sort) {
						finite = append(finite, x.Sort)
					}
				}
				return true
			})
		}
		return true
	})
	return facts, finite
}

// first states the fact for a formula forall Y. in(Y) -> first(x, y), where y is the only one of Y
// in first; nil if u is none. In an ordered fact, the relation is only what is an equation or a
// relation that no step changes: some values may be first although they are not in order, such as
// readers among readers, and the relation with them is not transitive.
func first(x *logic.Var, u *logic.Term, ordered bool) *logic.Term {
	if u.Op != logic.OpForall {
		return nil
	}
	var relation, outside []*logic.Term
	for _, d := range logic.Disjuncts(u.Args[0]) {
		switch {
		case !slices.Contains(logic.FreeVars(d), x):
			outside = append(outside, d)
		case !ordered:
			relation = append(relation, d)
		default:
			relation = append(relation, ordering(d))
		}
	}
	before := logic.Or(relation...)
	var y *logic.Var
	var rest []*logic.Var
	for _, v := range u.Vars {
		switch {
		case !slices.Contains(logic.FreeVars(before), v):
			rest = append(rest, v)
		case y == nil && logic.SameSort(v.Sort, x.Sort):
			y = v
		default:
			return nil
		}
	}
	if y == nil {
		return nil
	}
	member := logic.Exists(rest, logic.Not(logic.Or(outside...)))
	in := func(v *logic.Var) *logic.Term {
		return instantiate(member, []*logic.Var{y}, []*logic.Term{logic.Ref(v)})
	}
	le := func(v, w *logic.Var) *logic.Term {
		return instantiate(before, []*logic.Var{x, y}, []*logic.Term{logic.Ref(v), logic.Ref(w)})
	}
	named := func(name string) *logic.Var { return &logic.Var{Name: name, Sort: x.Sort} }
	a, b, c, some, least, all := named("A"), named("B"), named("C"), named("X"), named("X"),
		named("Y")
	total := logic.Forall([]*logic.Var{a, b},
		logic.Implies(logic.And(in(a), in(b)), logic.Or(le(a, b), le(b, a))))
	transitive := logic.Forall([]*logic.Var{a, b, c},
		logic.Implies(logic.And(in(a), in(b), in(c), le(a, b), le(b, c)), le(a, c)))
	fact := logic.Implies(logic.And(logic.Exists([]*logic.Var{some}, in(some)), total, transitive),
		logic.Exists([]*logic.Var{least},
			logic.And(in(least),
				logic.Forall([]*logic.Var{all}, logic.Implies(in(all), le(least, all))))))
	return logic.Forall(logic.FreeVars(fact), fact)
}

// minimal states the facts for a formula forall Y. in(y) & rest -> !before(y, x), one for each
// relation before; there are none if u has another form.
func minimal(x *logic.Var, u *logic.Term) (facts []*logic.Term) {
	if u.Op != logic.OpForall {
		return nil
	}
	clause := logic.Disjuncts(u.Args[0])
	for _, d := range clause {
		if d.Op != logic.OpNot || d.Args[0].Op != logic.OpApp || d.Args[0].Sort != logic.Bool {
			continue
		}
		var y *logic.Var
		for _, v := range u.Vars {
			if slices.Contains(logic.FreeVars(d), v) && logic.SameSort(v.Sort, x.Sort) {
				y = v
			}
		}
		if y == nil || !sameVars(d, x, y) {
			continue
		}
		var in []*logic.Term
		for _, e := range clause {
			if sameVars(e, y) {
				in = append(in, logic.Not(e))
			}
		}
		facts = append(facts, hasMinimal(x.Sort,
			func(v *logic.Var) *logic.Term {
				return instantiate(logic.And(in...), []*logic.Var{y}, []*logic.Term{logic.Ref(v)})
			},
			func(v, w *logic.Var) *logic.Term {
				return instantiate(d.Args[0], []*logic.Var{y, x},
					[]*logic.Term{logic.Ref(v), logic.Ref(w)})
			}))
	}
	return facts
}

// sameVars reports whether a formula has exactly these variables free.
func sameVars(t *logic.Term, vars ...*logic.Var) bool {
	free := logic.FreeVars(t)
	return len(free) == len(vars) && !slices.ContainsFunc(vars, func(v *logic.Var) bool {
		return !slices.Contains(free, v)
	})
}

// hasMinimal states that a finite set with a member has a member with none before it, where the
// relation is transitive on the set and relates no member to itself.
func hasMinimal(sort *logic.Sort, in func(*logic.Var) *logic.Term,
	before func(v, w *logic.Var) *logic.Term) *logic.Term {
	a, b, c := &logic.Var{Name: "A", Sort: sort}, &logic.Var{Name: "B", Sort: sort},
		&logic.Var{Name: "C", Sort: sort}
	minimal := minimalIn(sort, in, before)
	return logic.Implies(logic.And(minimal.Args[0],
		logic.Forall([]*logic.Var{a}, logic.Implies(in(a), logic.Not(before(a, a)))),
		logic.Forall([]*logic.Var{a, b, c}, logic.Implies(
			logic.And(in(a), in(b), in(c), before(a, b), before(b, c)), before(a, c)))),
		minimal.Args[1])
}

// minimalIn states that a set with a member has a member with none before it.
func minimalIn(sort *logic.Sort, in func(*logic.Var) *logic.Term,
	before func(v, w *logic.Var) *logic.Term) *logic.Term {
	some, least, all := &logic.Var{Name: "X", Sort: sort}, &logic.Var{Name: "X", Sort: sort},
		&logic.Var{Name: "Y", Sort: sort}
	return logic.Implies(logic.Exists([]*logic.Var{some}, in(some)),
		logic.Exists([]*logic.Var{least}, logic.And(in(least),
			logic.Forall([]*logic.Var{all},
				logic.Implies(in(all), logic.Not(before(all, least)))))))
}

// ordering is the part of a formula that orders two values: an equation, or a relation that no step
// changes, also where it is one of several conditions, as in a strict order. It is false where
// there is none.
func ordering(t *logic.Term) *logic.Term {
	for _, c := range logic.Conjuncts(t) {
		if c.Op == logic.OpEq || c.Op == logic.OpApp && !c.Symbol.Mutable {
			return c
		}
	}
	return logic.False
}
