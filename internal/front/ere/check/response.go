package check

import (
	"slices"

	"erelong.dev/erelong/internal/logic"
)

// isLeadsTo reports whether a formula is forall ... trigger ~> good, with trigger and good about
// one state.
func isLeadsTo(t *logic.Term) bool {
	for t.Op == logic.OpForall {
		t = t.Args[0]
	}
	return t.Op == logic.OpLeadsTo && !logic.IsTemporal(t.Args[0]) && !logic.IsTemporal(t.Args[1])
}

// response writes a formula over time as forall ... trigger ~> good where it means that: then it is
// a liveness property, which is proved for all instances. It is nil for other formulas. It claims
// always that something is good eventually, perhaps under conditions about one state, however these
// are written: behind forall, as antecedents, or negated beside it.
func response(t *logic.Term) *logic.Term {
	switch {
	case isLeadsTo(t):
		return t
	case t.Op == logic.OpForall:
		if body := response(t.Args[0]); body != nil {
			return logic.Forall(t.Vars, body)
		}
	case t.Op == logic.OpAlways:
		return answered(logic.True, t.Args[0])
	}
	return nil
}

// answered is response for what always holds where a trigger does.
func answered(trigger, t *logic.Term) *logic.Term {
	if logic.IsTemporal(trigger) {
		return nil
	}
	switch t.Op {
	case logic.OpForall:
		if body := answered(trigger, t.Args[0]); body != nil {
			return logic.Forall(t.Vars, body)
		}
	case logic.OpImplies:
		return answered(logic.And(trigger, t.Args[0]), t.Args[1])
	case logic.OpOr:
		for i, a := range t.Args {
			if logic.IsTemporal(a) {
				others := logic.Or(slices.Delete(slices.Clone(t.Args), i, i+1)...)
				return answered(logic.And(trigger, logic.Not(others)), a)
			}
		}
	case logic.OpEventually:
		if !logic.IsTemporal(t.Args[0]) {
			return logic.Temporal(logic.OpLeadsTo, trigger, t.Args[0])
		}
	}
	return nil
}
