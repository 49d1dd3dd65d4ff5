package ranking

import (
	"slices"

	"erelong.dev/erelong/internal/engine/ranking/synth"
	"erelong.dev/erelong/internal/logic"
	"erelong.dev/erelong/internal/system"
)

// ends states what is true of a finite order of the axioms. Among the values of which a literal of
// a fair action is true there is a first one, and a last one. Where such a value comes after, or
// before, one of which it is false, there are two of this kind with none between them. What the
// state or the property names has a next value, and one before, if it is not at the end. So there
// is a first value for which an action is outstanding, and a place from which it goes on. Each fact
// is true of every finite structure in which the order is transitive.
func ends(p *problem) (facts []*logic.Term) {
	for _, order := range slices.Concat(synth.Orders(p.sys), numberedBy(p.sys)) {
		if isTransitive(p.sys, order) {
			facts = append(facts, endsOf(p, order)...)
		}
	}
	return facts
}

// numberedBy are the orders of the values of finite sorts by an integer that the state says of
// each.
func numberedBy(sys *system.System) (out []*synth.Comparison) {
	for _, sym := range sys.Symbols {
		if len(sym.Args) != 1 || !sym.Mutable || sym.Ghost || sym.Result.Base() != logic.Int ||
			sym.Args[0].Kind != logic.KindUninterpreted || sym.Args[0].Extent == logic.Infinite {
			continue
		}
		a, b := &logic.Var{Name: "A", Sort: sym.Args[0]}, &logic.Var{Name: "B", Sort: sym.Args[0]}
		out = append(out, &synth.Comparison{A: a, B: b, Before: logic.Lt(
			logic.App(sym, logic.Pre, logic.Ref(a)), logic.App(sym, logic.Pre, logic.Ref(b)))})
	}
	return out
}

// endsOf is ends for one order.
func endsOf(p *problem, order *synth.Comparison) (facts []*logic.Term) {
	for _, in := range literalsOf(p, order.A) {
		facts = append(facts, firstAndLast(minimalIn, order, in)...)
		facts = append(facts, border(order, in))
	}
	this := logic.Ref(order.A)
	for _, t := range namedBy(p, order.A.Sort) {
		for _, in := range []*logic.Term{order.Of(this, t), order.Of(t, this)} {
			facts = append(facts, firstAndLast(minimalIn, order, in)...)
		}
	}
	return facts
}

// border states that of two values, of which only the second is in a set, in their order, two with
// none between them are of this kind.
func border(order *synth.Comparison, in *logic.Term) *logic.Term {
	x, y, z := &logic.Var{Name: "X", Sort: order.A.Sort}, &logic.Var{Name: "Y", Sort: order.A.Sort},
		&logic.Var{Name: "Z", Sort: order.A.Sort}
	member := memberOf(order, in)
	across := logic.And(logic.Not(member(x)), member(y), strictly(order, x, y))
	fact := logic.Implies(logic.Exists([]*logic.Var{x, y}, across),
		logic.Exists([]*logic.Var{x, y}, logic.And(across, logic.Forall([]*logic.Var{z},
			logic.Not(logic.And(strictly(order, x, z), strictly(order, z, y)))))))
	return logic.Forall(logic.FreeVars(fact), fact)
}

// strictly is the strict part of an order.
func strictly(order *synth.Comparison, v, w *logic.Var) *logic.Term {
	return logic.And(order.Of(logic.Ref(v), logic.Ref(w)),
		logic.Not(order.Of(logic.Ref(w), logic.Ref(v))))
}

// namedBy lists what has a value of a sort: the variables of the property, and the functions that
// steps change, of other sorts. With functions of the same sort, a proof could go on with the next
// value of the next value for ever.
func namedBy(p *problem, sort *logic.Sort) (out []*logic.Term) {
	for _, sym := range p.vars {
		if logic.SameSort(sym.Result, sort) {
			out = append(out, logic.App(sym, logic.Pre))
		}
	}
	for _, sym := range p.sys.Symbols {
		if sym.Mutable && !sym.Ghost && logic.SameSort(sym.Result, sort) &&
			!slices.ContainsFunc(sym.Args, func(s *logic.Sort) bool {
				return logic.SameSort(s, sort)
			}) {
			out = append(out, logic.App(sym, logic.Pre, logic.Refs(tuple(sym.Args, "P"))...))
		}
	}
	return out
}

// literalsOf lists what is said of a value where fair actions can be taken: the relations that
// steps change, and their negations, with the value in the place of a variable. Relations of
// integers that are computed are left out: they may be outside of their range.
func literalsOf(p *problem, x *logic.Var) (out []*logic.Term) {
	known := map[string]bool{}
	for _, f := range p.fair {
		logic.Walk(f.enabled, func(t *logic.Term) bool {
			if t.Op != logic.OpApp || t.Sort != logic.Bool || !t.Symbol.Mutable ||
				logic.Has(t, isComputed) {
				return true
			}
			for _, v := range logic.FreeVars(t) {
				if !logic.SameSort(v.Sort, x.Sort) {
					continue
				}
				of := instantiate(t, []*logic.Var{v}, []*logic.Term{logic.Ref(x)})
				if key := of.String(); !known[key] {
					known[key] = true
					out = append(out, of, logic.Not(of))
				}
			}
			return true
		})
	}
	return out
}

// isComputed reports whether a term is an integer that is calculated.
func isComputed(t *logic.Term) bool {
	return t.Sort == logic.Int && t.Op != logic.OpApp && t.Op != logic.OpVar && t.Op != logic.OpInt
}

// isTransitive reports whether a comparison is transitive as it is written, or by an axiom that
// says this: a clause R(x, y) & R(y, z) -> R(x, z), in any words.
func isTransitive(sys *system.System, c *synth.Comparison) bool {
	if c.Before.Op != logic.OpApp {
		return true // it compares what is said of each value
	}
	return slices.ContainsFunc(sys.Axioms, func(axiom *system.Formula) bool {
		t := axiom.Term
		for t.Op == logic.OpForall {
			t = t.Args[0]
		}
		var whole *logic.Term
		var steps []*logic.Term
		for part, holds := range logic.Entailed(t, false) {
			switch {
			case part.Op != logic.OpApp || part.Symbol != c.Before.Symbol ||
				!holds && whole != nil:
				return false
			case holds:
				steps = append(steps, part)
			default:
				whole = part
			}
		}
		return len(steps) == 2 && whole != nil && (composed(steps[0], steps[1], whole) ||
			composed(steps[1], steps[0], whole))
	})
}

// composed reports whether three atoms are R(x, y), R(y, z) and R(x, z) for different variables.
func composed(a, b, whole *logic.Term) bool {
	x, y, z := a.Args[0], a.Args[1], b.Args[1]
	return logic.Equal(y, b.Args[0]) && logic.Equal(x, whole.Args[0]) &&
		logic.Equal(z, whole.Args[1]) && x.Op == logic.OpVar && y.Op == logic.OpVar &&
		z.Op == logic.OpVar && x.Var != y.Var && y.Var != z.Var && x.Var != z.Var
}
