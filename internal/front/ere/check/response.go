package check

import "erelong.dev/erelong/internal/logic"

// isLeadsTo reports whether a formula is forall ... trigger ~> good, with trigger and good about
// one state.
func isLeadsTo(t *logic.Term) bool {
	for t.Op == logic.OpForall {
		t = t.Args[0]
	}
	return t.Op == logic.OpLeadsTo && !logic.IsTemporal(t.Args[0]) && !logic.IsTemporal(t.Args[1])
}

// response writes a formula over time as forall ... trigger ~> good where it means that: then it is
// a liveness property, which is proved for all instances. It is nil for other formulas. The forms
// are always (trigger -> eventually good) and always eventually good, within and around forall.
func response(t *logic.Term) *logic.Term {
	switch {
	case isLeadsTo(t):
		return t
	case t.Op == logic.OpForall:
		if body := response(t.Args[0]); body != nil {
			return logic.Forall(t.Vars, body)
		}
	case t.Op == logic.OpAlways:
		return answered(t.Args[0])
	}
	return nil
}

// answered is response for what always holds.
func answered(t *logic.Term) *logic.Term {
	trigger := logic.True
	switch t.Op {
	case logic.OpForall:
		if body := answered(t.Args[0]); body != nil {
			return logic.Forall(t.Vars, body)
		}
		return nil
	case logic.OpImplies:
		trigger, t = t.Args[0], t.Args[1]
	}
	if t.Op != logic.OpEventually || logic.IsTemporal(trigger) || logic.IsTemporal(t.Args[0]) {
		return nil
	}
	return &logic.Term{Op: logic.OpLeadsTo, Sort: logic.Bool,
		Args: []*logic.Term{trigger, t.Args[0]}}
}
