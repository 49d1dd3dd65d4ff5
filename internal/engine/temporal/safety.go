package temporal

import (
	"erelong.dev/erelong/internal/engine"
	"erelong.dev/erelong/internal/logic"
	"erelong.dev/erelong/internal/system"
)

// A property of a computed system that says something of single states and steps alone, such as
// Init /\ [][Next]_v, needs no fairness to hold, and it may hold of representatives: if it does not
// tell apart states that are alike, each step is like one from a representative. So it is looked at
// there first. What is violated there is looked at on all runs.

// shortened is a system in which properties hold only if they do in the given one, and which has
// fewer states or formulas to evaluate; nil where there is none.
func shortened(sys *system.System, properties []*system.Property) (s *system.System, alike bool) {
	if sys.Computed == nil || len(properties) == 0 {
		return nil, false
	}
	var predicates []int
	for _, p := range properties {
		if !isSafety(p.Term) {
			return nil, false
		}
		predicates = append(predicates, sys.PredicatesOf(p.Term)...)
	}
	r, representing := sys.Computed.Computed.(system.Representing)
	alike = representing && r.Symmetric(predicates)
	if !alike && (representing || len(sys.Computed.Conditions) == 0) {
		return nil, false
	}
	out, computation := *sys, *sys.Computed
	computation.Conditions = nil
	out.Computed = &computation
	return &out, alike
}

// withoutViolations tells all but violations: the ones of a shortened system need not be any.
func withoutViolations(to engine.Sink) engine.Sink {
	out := to
	out.Progress = func(p engine.Progress) {
		if p.Violated == "" {
			to.Tell(p)
		}
	}
	return out
}

// isSafety reports whether a formula says something of the first state, and of all states and
// steps.
func isSafety(t *logic.Term) bool {
	switch t.Op {
	case logic.OpAnd:
		for _, a := range t.Args {
			if !isSafety(a) {
				return false
			}
		}
		return true
	case logic.OpAlways:
		return !logic.IsTemporal(t.Args[0])
	}
	return !logic.IsTemporal(t)
}
