package certificate

import (
	"context"
	"fmt"
	"slices"

	"erelong.dev/erelong/internal/derive"
	"erelong.dev/erelong/internal/result"
	"erelong.dev/erelong/internal/system"
)

// Uncertified gives a result for every property of the text that a recheck does not decide. Nothing
// was checked of such a property, unless it is a property of runs that follows from rechecked
// properties of states.
func (c *Certificate) Uncertified(
	ctx context.Context, rechecked []result.Result,
) ([]result.Result, error) {
	systems, err := c.Specification.systems(ctx, "", derive.Options{})
	if err != nil {
		return nil, fmt.Errorf("the text of the certificate: %w", err)
	}
	of := func(property string) *result.Result {
		i := slices.IndexFunc(rechecked, func(r result.Result) bool {
			return r.Property == property
		})
		if i < 0 {
			return nil
		}
		return &rechecked[i]
	}
	var out []result.Result
	for _, d := range systems {
		for _, claim := range claims(d) {
			if of(claim.Property) != nil {
				continue
			}
			claim.Scope, claim.Engine = result.ScopeAll, Engine
			claim.Verdict, claim.Reason = result.NothingChecked,
				result.Because(result.NotAsked, "not certified: the certificate does not claim it")
			if parts := d.Sufficient[claim.Property]; len(parts) > 0 {
				follow(&claim, d, parts, of)
			}
			out = append(out, claim)
		}
	}
	return out, nil
}

// claims lists the claims of a text about this system of it, with name, kind and line.
func claims(d *derive.Derived) (out []result.Result) {
	sys := d.Spec.System
	for _, p := range sys.Properties {
		if p.Kind != system.Trusted && (d.Name == "" || slices.Contains(d.Properties, p.Name)) {
			out = append(out, result.Result{Property: p.Name, Kind: p.Kind, Line: p.Span.Line()})
		}
	}
	for _, s := range sys.Scenarios {
		if d.Name == "" {
			out = append(out,
				result.Result{Property: s.Name, Kind: "scenario", Line: s.Span.Line()})
		}
	}
	return out
}

// follow gives a property of runs the verdict that follows from properties of states, if all of
// these were rechecked.
func follow(
	claim *result.Result, d *derive.Derived, parts []string, of func(string) *result.Result,
) {
	r := result.Result{Verdict: result.Holds,
		Reason: result.Because(result.Remark, "it follows from what was rechecked")}
	for _, part := range parts {
		x := of(d.Reported(part))
		if x == nil {
			return
		}
		if x.Verdict != result.Holds {
			r.Verdict, r.Reason = result.Unknown,
				result.Because(result.RestsOnUnproved,
					fmt.Sprintf("it follows from %s, which is %s", x.Property, x.Verdict))
		}
		claim.Assumptions = x.Assumptions // the same for all parts
	}
	claim.Verdict, claim.Reason = r.Verdict, r.Reason
	claim.Evidence = &result.Evidence{Reductions: append(slices.Clone(d.Reductions),
		d.Safety[claim.Property])}
}
