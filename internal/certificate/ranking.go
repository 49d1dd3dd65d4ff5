package certificate

import (
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

// rankingQuestions asks the questions that show that a liveness property holds wherever the
// invariants do.
func rankingQuestions(
	sys *system.System, prop *system.Property, invariant []*system.Property,
	proof *result.RankProof,
) (out []question, err error) {
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
