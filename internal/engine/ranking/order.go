package ranking

import (
	"context"
	"slices"

	"erelong.dev/erelong/internal/discharge"
	"erelong.dev/erelong/internal/logic"
	"erelong.dev/erelong/internal/result"
	"erelong.dev/erelong/internal/system"
	"erelong.dev/erelong/internal/vc"
)

// order is a relation that may order the values of a sort.
type order struct {
	relation *logic.Symbol
	sort     *logic.Sort
}

// below is true when one value comes before another, whether the user's relation is strict or not.
func (o order) below(a, b *logic.Term) *logic.Term {
	return logic.And(logic.App(o.relation, logic.Pre, a, b), logic.Not(logic.Eq(a, b)))
}

// relations lists the relations that may be orders: immutable, with two arguments of one
// uninterpreted sort.
func relations(sys *system.System) (out []order) {
	for _, sym := range sys.Symbols {
		if !sym.Mutable && sym.Result == logic.Bool && len(sym.Args) == 2 &&
			sym.Args[0] == sym.Args[1] && sym.Args[0].Kind == logic.KindUninterpreted {
			out = append(out, order{sym, sym.Args[0]})
		}
	}
	return out
}

// orders lists the relations that the axioms make total orders. Soundness does not rest on this:
// the values that are counted along a relation are counted, whatever the relation is.
func (p *problem) orders(ctx context.Context, quick *discharge.Discharger) (out []order) {
	for _, o := range relations(p.sys) {
		vars := []*logic.Var{{Name: "X", Sort: o.sort}, {Name: "Y", Sort: o.sort},
			{Name: "Z", Sort: o.sort}}
		x, y, z := logic.Ref(vars[0]), logic.Ref(vars[1]), logic.Ref(vars[2])
		t := &vc.Theory{}
		t.Background(p.sys, p.trusted, vc.Versions{})
		claims := []*discharge.Obligation{
			p.obligation(o.relation.Name+" is total",
				logic.Forall(vars[:2],
					logic.Or(logic.Eq(x, y), o.below(x, y), o.below(y, x)))).Probe(),
			p.obligation(o.relation.Name+" is transitive",
				logic.Forall(vars,
					logic.Implies(logic.And(o.below(x, y), o.below(y, z)), o.below(x, z)))).Probe(),
		}
		quick.All(ctx, []*discharge.Group{{Theory: t, Obligations: claims,
			Path: vc.OneState()}})
		if !slices.ContainsFunc(claims, func(c *discharge.Obligation) bool {
			return c.Verdict != result.Holds
		}) {
			out = append(out, o)
		}
	}
	return out
}

// along finds the distances: the differences of section 4.1 between values of a sort with an order,
// which are the number of values from one to before another. They are counts, so they are 0 where a
// subtraction would be negative. A distance that is always 0 is left out (see bounded). The others
// are not redundant: since factors are not negative, a difference is no combination of others.
func (c *candidates) along(orders []order) {
	for _, o := range orders {
		var moving, all []*logic.Term
		for _, sym := range c.p.sys.Symbols {
			if sym.Derived || sym.Result != o.sort {
				continue
			}
			for _, args := range c.p.tuples(sym.Args) {
				t := logic.App(sym, logic.Pre, args...)
				if logic.MaxStep(t) >= 0 {
					if len(moving) == maxIntegers {
						continue
					}
					moving = append(moving, t)
				}
				all = append(all, t)
			}
		}
		x := &logic.Var{Name: "X", Sort: o.sort}
		add := func(such, empty *logic.Term) {
			if v := c.counting([]*logic.Var{x}, such); v != nil {
				v.empty = empty
				c.distances = append(c.distances, v)
			}
		}
		for _, a := range all {
			for _, b := range all {
				if a != b && (slices.Contains(moving, a) || slices.Contains(moving, b)) {
					from, before := logic.Not(o.below(logic.Ref(x), b)), o.below(logic.Ref(x), a)
					add(logic.And(from, before), logic.Not(o.below(b, a)))
				}
			}
		}
		for _, a := range moving {
			add(o.below(logic.Ref(x), a), logic.False)
			add(o.below(a, logic.Ref(x)), logic.False)
		}
	}
}
