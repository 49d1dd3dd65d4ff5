package system

import (
	"erelong/internal/diag"
	"erelong/internal/logic"
)

// Sign is something that ought to be true in some reachable state; if it never is, a property holds for an empty reason.
type Sign struct {
	Property string
	Term     *logic.Term // closed, over state Pre
	Span     diag.Span   // of the antecedent
}

// Signs lists, for every property of reachable states that contains an implication at its top (under universal quantifiers and
// conjunctions), that the antecedent is true for some values (Beer, Ben-David, Eisner, Rodeh: Efficient detection of
// vacuity, CAV 1997). Properties that no user wrote (ranges) have none.
func Signs(sys *System) (out []Sign) {
	for _, p := range sys.Properties {
		if p.Kind == Safety || p.Kind == Invariant {
			collectSigns(p, nil, p.Term, &out)
		}
	}
	return out
}

func collectSigns(p *Property, vars []*logic.Var, t *logic.Term, out *[]Sign) {
	switch t.Op {
	case logic.OpForall:
		collectSigns(p, append(vars[:len(vars):len(vars)], t.Vars...), t.Args[0], out)
	case logic.OpAnd:
		for _, a := range t.Args {
			collectSigns(p, vars, a, out)
		}
	case logic.OpImplies:
		if a := t.Args[0]; logic.MaxStep(a) >= 0 {
			*out = append(*out, Sign{Property: p.Name, Term: logic.Exists(vars, a), Span: a.Span})
		}
	}
}

// Inductive is the system whose initial states are all those that satisfy the properties of reachable states (and the trusted
// ones). When no step of it leads to a violation, the properties together are inductive. The properties must hold in the initial
// states of the system itself, too, for them to hold in all reachable ones.
func Inductive(sys *System) *System {
	c := *sys
	c.Inits = nil
	for _, p := range sys.Properties {
		if p.IsInvariant() {
			c.Inits = append(c.Inits, &Formula{Name: p.Name, Term: p.Term, Span: p.Span})
		}
	}
	return &c
}
