package verify

import (
	"slices"

	"erelong.dev/erelong/internal/engine/induction"
	"erelong.dev/erelong/internal/engine/ranking"
	"erelong.dev/erelong/internal/result"
	"erelong.dev/erelong/internal/system"
	"erelong.dev/erelong/internal/vc"
)

// superfluous names the invariants of a file that no proof of a run used, by the hypotheses that
// the solvers named. It asks nothing. It is nil where one of the safety and liveness properties is
// not proved, or where some solver did not name what it used: an invariant may be needed then.
func superfluous(sys *system.System, o *Outcome) []string {
	if len(o.Lemmas) > 0 {
		return nil
	}
	owner := map[string]string{} // of hypotheses
	for _, p := range sys.Properties {
		for _, h := range vc.ConjunctNames(p.Name, p.Term) {
			owner[h] = p.Name
		}
	}
	var used []string // in the order in which they are found
	for _, p := range sys.Properties {
		expected := slices.ContainsFunc(sys.Expectations, func(e *system.Expectation) bool {
			return e.Property == p.Name
		})
		if expected || p.Kind == system.Safety || p.Kind == system.Liveness ||
			p.IsImplicit() {
			used = append(used, p.Name)
		}
	}
	for i := 0; i < len(used); i++ {
		needs, known := needsOf(sys.Property(used[i]), o.Results)
		if !known {
			return nil
		}
		for _, h := range needs {
			if name := owner[h]; name != "" && !slices.Contains(used, name) {
				used = append(used, name)
			}
		}
	}
	var out []string
	for _, p := range sys.Properties {
		if p.Kind == system.Invariant && p.Span.Source == sys.Source &&
			!slices.Contains(used, p.Name) {
			out = append(out, p.Name)
		}
	}
	return out
}

// needsOf names the hypotheses that the proof of a property used, if there is a proof, and if they
// are known.
func needsOf(p *system.Property, results []result.Result) (needs []string, known bool) {
	if p == nil || p.Kind == system.Temporal || p.Kind == system.Trusted ||
		p.Kind == system.Theorem {
		return nil, true // its proof rests on no invariant, or there is none
	}
	for _, r := range results {
		if r.Property != p.Name || r.Scope != result.ScopeAll || r.Verdict != result.Holds {
			continue
		}
		if r.Engine != induction.Name && r.Engine != ranking.Name {
			return nil, false
		}
		return r.Evidence.Needs()
	}
	return nil, false
}
