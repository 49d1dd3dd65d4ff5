package vacuity

import (
	"fmt"
	"slices"
	"strings"

	"erelong.dev/erelong/internal/diag"
	"erelong.dev/erelong/internal/logic"
	"erelong.dev/erelong/internal/system"
)

// Sign is a formula that should be true in some reachable state. If it never is, a property holds
// for an empty reason.
type Sign struct {
	Property string
	Term     *logic.Term // closed, over state Pre
	Span     diag.Span   // of the antecedent
	Trigger  bool        // the antecedent is a trigger, and the property is about runs
	Initial  bool        // only initial states count
	// Term speaks of several moments: a fair run ought to satisfy it, and not a state
	Run bool
}

// Text is the antecedent as the user wrote it, on one line.
func (s Sign) Text() string { return strings.Join(strings.Fields(s.Span.Text()), " ") }

// Missing words that the sign is never true. Where is such as "in any instance", or empty.
func (s Sign) Missing(where string) string {
	word := "antecedent"
	if s.Trigger {
		word = "trigger"
	}
	if s.Run {
		return strings.TrimSpace(fmt.Sprintf("no run satisfies the %s of %s in line %d %s", word,
			s.Property, s.Span.Line(), where)) + ": " + s.Text()
	}
	if s.Initial {
		where = strings.TrimSpace("at the beginning of a run " + where)
	}
	return strings.TrimSpace(fmt.Sprintf("the %s of %s in line %d is never true %s", word,
		s.Property, s.Span.Line(), where)) + ": " + s.Text()
}

func (s Sign) String() string { return s.Missing("") }

// Signs lists the signs of every property with an implication at its top (under universal
// quantifiers, conjunctions, and, in properties of runs, `always`): the antecedent is true for some
// values. For `p ~> q` the antecedent is p. Antecedents over several states are left out.
// Properties that no user wrote (ranges) have no sign.
func Signs(sys *system.System) (out []Sign) {
	for _, p := range sys.Properties {
		if p.Kind == system.Safety || p.Kind == system.Invariant || p.IsTemporal() {
			collect(Sign{Property: p.Name, Initial: p.IsTemporal()}, nil, p.Term, &out)
		}
	}
	return out
}

// Runs lists what Signs leaves out for a temporal property: antecedents that speak of several
// moments. The term of a sign says that some run satisfies the antecedent from where the
// implication stands: from its beginning, or from some moment on.
func Runs(p *system.Property) (out []Sign) {
	var all []Sign
	collect(Sign{Property: p.Name, Initial: true, Run: true}, nil, p.Term, &all)
	for _, s := range all {
		if logic.IsTemporal(s.Term) {
			if !s.Initial {
				s.Term = logic.Temporal(logic.OpEventually, s.Term)
			}
			out = append(out, s)
		}
	}
	return out
}

// SignsOf lists the signs of the named properties. It is never nil.
func SignsOf(sys *system.System, names []string) []Sign {
	return slices.DeleteFunc(append([]Sign{}, Signs(sys)...), func(s Sign) bool {
		return !slices.Contains(names, s.Property)
	})
}

// Later leaves out signs about initial states.
func Later(signs []Sign) []Sign {
	return slices.DeleteFunc(slices.Clone(signs), func(s Sign) bool { return s.Initial })
}

// Theorems lists the signs of the theorems: axioms and definitions allow the antecedent.
func Theorems(sys *system.System) (out []Sign) {
	for _, p := range sys.Properties {
		if p.Kind == system.Theorem {
			collect(Sign{Property: p.Name}, nil, p.Term, &out)
		}
	}
	return out
}

// collect finds the signs of a term.
func collect(sign Sign, vars []*logic.Var, t *logic.Term, out *[]Sign) {
	switch t.Op {
	case logic.OpForall:
		collect(sign, append(vars[:len(vars):len(vars)], t.Vars...), t.Args[0], out)
	case logic.OpAnd:
		for _, a := range t.Args {
			collect(sign, vars, a, out)
		}
	case logic.OpAlways:
		sign.Initial = false
		collect(sign, vars, t.Args[0], out)
	case logic.OpImplies, logic.OpLeadsTo:
		if t.Op == logic.OpLeadsTo {
			sign.Initial, sign.Trigger = false, true
		}
		if a := t.Args[0]; sign.Run || !logic.IsTemporal(a) {
			sign.Term, sign.Span = logic.Exists(vars, a), a.Span
			*out = append(*out, sign)
		}
	}
}

// Equal reports whether two signs are about the same antecedent.
func (s Sign) Equal(t Sign) bool {
	return s.Property == t.Property && s.Span == t.Span && s.Term.String() == t.Term.String()
}
