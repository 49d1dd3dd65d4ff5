package ranking

import (
	"context"
	"fmt"
	"slices"

	"erelong.dev/erelong/internal/discharge"
	"erelong.dev/erelong/internal/result"
	"erelong.dev/erelong/internal/system"
)

// Confirm proves again what an earlier search has found: the invariants with these names, and the
// obligations of the proof that rests on them. It gives the obligations, or nil if solvers do not
// confirm all of them. An error means that the proof is none of the system's, or that nothing could
// be asked.
func Confirm(
	ctx context.Context, sys *system.System, prop *system.Property, rests []string,
	proof *result.RankProof, opts Options,
) ([]result.Obligation, error) {
	sys, of := normal(sys, prop)
	prop = of[0]
	opts.Constants = true // as in the search, so that its kept proofs are found
	proved, why, err := prove(ctx, sys, rests, opts)
	if err != nil || why.Given() {
		return nil, err
	}
	for _, name := range rests {
		if !slices.ContainsFunc(proved, func(p *system.Property) bool { return p.Name == name }) {
			return nil, nil
		}
	}
	extended, groups, err := deriveObligations(sys, prop, proved, proof)
	if err != nil {
		return nil, fmt.Errorf("reading a proof of %s: %w", prop.Name, err)
	}
	d, err := discharge.New(ctx, extended, opts.Options)
	if err != nil {
		return nil, err
	}
	d.All(ctx, groups)
	var out []result.Obligation
	for _, g := range groups {
		for _, o := range g.Obligations {
			if o.Verdict != result.Holds {
				return nil, nil
			}
			out = append(out, o.Obligation)
		}
	}
	return out, nil
}
