package certificate

import (
	"fmt"
	"slices"

	"erelong.dev/erelong/internal/engine/steady"
	"erelong.dev/erelong/internal/system"
)

// Package steady states the obligations of a proof by pieces of runs. A certificate trusts its
// statement that each run is such a sequence of pieces.

// piecesQuestions asks the questions that show that a claim holds, with the facts about all states
// that the certificate has an obligation for.
func piecesQuestions(
	sys *system.System, prop *system.Property, stated []Obligation,
) (out []question, err error) {
	if !prop.IsInvariant() {
		return nil, fmt.Errorf("%s is not about states, as a proof by pieces of runs is", prop.Name)
	}
	os, err := steady.Obligations(sys, prop, func(name string) bool {
		return slices.ContainsFunc(stated, func(o Obligation) bool { return o.Name == name })
	})
	if err != nil {
		return nil, fmt.Errorf("stating the proof of %s: %w", prop.Name, err)
	}
	for _, o := range os {
		out = append(out, question{Obligation: Obligation{Name: o.Name, Property: prop.Name,
			Formula: o.Goal.String()}, theory: run{o.Theory}, goal: o.Goal})
	}
	return out, nil
}
