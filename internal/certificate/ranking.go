package certificate

import (
	"context"
	"errors"
	"fmt"
	"slices"

	"erelong.dev/erelong/internal/derive"
	"erelong.dev/erelong/internal/engine/ranking"
	"erelong.dev/erelong/internal/result"
	"erelong.dev/erelong/internal/smt"
	"erelong.dev/erelong/internal/system"
	"erelong.dev/erelong/internal/vc"
)

// Package ranking states the obligations of liveness. A certificate trusts its statement of the
// problem and the obligations, and does not trust its search for ranking functions.

// run is a theory of states and steps.
type run struct{ *vc.Theory }

func (r run) steps() bool { return len(r.Updates) > 0 }

func (r run) script(macros bool) (*smt.Script, error) {
	if macros {
		return r.Script(vc.Macro)
	}
	return r.Script(vc.Relational)
}

// withHints is the system of a text with the rank of a property that the search found.
func (s *Specification) withHints(ctx context.Context, hints string) (*system.System, error) {
	systems, err := s.systems(ctx, hints, derive.Options{})
	if err != nil {
		return nil, fmt.Errorf("reading the hints of the proof: %w", err)
	}
	if len(systems) != 1 || systems[0].Name != "" {
		return nil, errors.New("the hints of the proof are not about the system of the text")
	}
	return systems[0].Spec.System, nil
}

// rankingQuestions asks the questions that show that a liveness property of a text holds wherever
// the invariants do.
func rankingQuestions(
	ctx context.Context, text *Specification, sys *system.System, prop *system.Property,
	invariant []*system.Property, proof *result.RankProof,
) (out []question, err error) {
	if proof.Hints != "" {
		if sys, err = text.withHints(ctx, proof.Hints); err != nil {
			return nil, err
		}
		prop = sys.Property(prop.Name)
		invariant = slices.Clone(invariant)
		for i, p := range invariant {
			invariant[i] = sys.Property(p.Name)
		}
		if prop == nil || slices.Contains(invariant, nil) {
			return nil, errors.New("the hints of the proof hide properties")
		}
	}
	groups, err := ranking.Obligations(sys, prop, invariant, proof)
	if err != nil {
		return nil, err
	}
	for _, g := range groups {
		for _, o := range g.Obligations {
			stated := Obligation{Name: o.Name, Action: o.Action, Property: prop.Name,
				Formula: o.Goal.String()}
			out = append(out, question{Obligation: stated, theory: run{g.Theory}, goal: o.Goal})
		}
	}
	return out, nil
}
