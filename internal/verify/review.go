package verify

import (
	"context"
	"slices"

	"erelong.dev/erelong/internal/engine"
	"erelong.dev/erelong/internal/system"
)

// review looks at the verdicts of a run when all engines are done: what do they rest on that makes
// them say less than they seem to? It adds notes, reasons, and rows for what nobody checked.
type review struct {
	sys      *system.System
	o        Options
	claims   []engine.Claim
	ledger   *ledger
	sights   *sights
	examples []*system.Instance // in which signs are looked for
	byName   map[string]*system.Instance
}

func (r *run) newReview() *review {
	v := &review{sys: r.sys, o: r.o, claims: r.claims, ledger: r.ledger, sights: &r.sights,
		examples: r.examples(), byName: map[string]*system.Instance{}}
	for _, in := range slices.Concat(r.o.Instances, r.sys.Instances, v.examples) {
		if v.byName[in.Name] == nil {
			v.byName[in.Name] = in
		}
	}
	return v
}

// all reviews contradictory assumptions, instances without states, and vacuity.
func (v *review) all(ctx context.Context) {
	v.contradictions(ctx)
	if !v.o.Explore {
		v.addEmptyInstances(ctx)
	}
	v.vacuity(ctx)
}

// instance finds an explored instance, nil if there is none of the name.
func (v *review) instance(name string) *system.Instance { return v.byName[name] }
