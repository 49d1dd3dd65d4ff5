package certificate

import (
	"erelong/internal/engine/rank"
	"erelong/internal/smt"
	"erelong/internal/system"
	"erelong/internal/unroll"
	"erelong/internal/verdict"
)

// Liveness is stated by package rank: of what it says, the problem and its obligations are part of what is trusted, and nothing
// of how ranking functions are found.

// run is a theory of states and steps.
type run struct{ *unroll.Theory }

func (r run) steps() bool { return len(r.Updates) > 0 }

func (r run) script(macros bool) (*smt.Script, error) {
	if macros {
		return r.Script(unroll.Macro)
	}
	return r.Script(unroll.Relational)
}

// ranking asks what shows that a liveness property holds where the invariants do.
func ranking(sys *system.System, prop *system.Property, invariant []*system.Property, proof *verdict.RankProof) (out []question, err error) {
	groups, err := rank.Obligations(sys, prop, invariant, proof)
	if err != nil {
		return nil, err
	}
	for _, g := range groups {
		for _, o := range g.Obligations {
			stated := Obligation{Name: o.Name, Action: o.Action, Property: prop.Name, Formula: o.Goal.String()}
			out = append(out, question{stated, run{g.Theory}, o.Goal})
		}
	}
	return out, nil
}
