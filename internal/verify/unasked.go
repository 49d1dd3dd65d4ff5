package verify

import (
	"slices"

	"erelong.dev/erelong/internal/engine"
	"erelong.dev/erelong/internal/result"
	"erelong.dev/erelong/internal/system"
)

// unasked lists the claims about arguments that nobody asked for, in steps and in the claims that
// somebody asked for: where one of them is violated, the file has an error.
func unasked(sys *system.System, only []string) (out []engine.Claim) {
	runs := slices.ContainsFunc(only, func(name string) bool {
		p := sys.Property(name)
		return p == nil || p.Kind != system.Theorem
	})
	for _, p := range sys.Properties {
		concerns := runs && p.Kind == system.Argument || slices.ContainsFunc(only,
			func(of string) bool { return p.Name == system.Definedness(of) })
		if concerns && !slices.Contains(only, p.Name) {
			out = append(out, engine.Claim{Name: p.Name, Property: p})
		}
	}
	return out
}

// dropUnasked drops what is known of claims that nobody asked for, unless they are violated, or a
// claim is proved without them.
func (r *run) dropUnasked() {
	proved := func(x result.Result) bool {
		return x.Verdict == result.Holds && x.Scope == result.ScopeAll
	}
	isUnasked := func(x result.Result) bool {
		return slices.ContainsFunc(r.unasked, func(c engine.Claim) bool {
			return c.Name == x.Property
		})
	}
	rests := slices.ContainsFunc(r.ledger.results, func(x result.Result) bool {
		return proved(x) && !isUnasked(x)
	})
	r.ledger.drop(func(x result.Result) bool {
		return isUnasked(x) && !isViolated(x) &&
			(!rests || x.Scope != result.ScopeAll || proved(x))
	})
}
