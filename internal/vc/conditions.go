package vc

import "erelong.dev/erelong/internal/system"

// What verification conditions of several engines begin with is stated here, once. Package
// certificate states it again on purpose: its statement has to be independent of this one.

// Start assumes that state 0 is an initial state. Its values are in their declared ranges.
func (t *Theory) Start(sys *system.System) {
	t.Assume(Ranges(sys)...)
	t.Initial(sys)
}

// InitialState is what is true of every initial state, with the axioms, the definitions and the
// trusted invariants.
func InitialState(sys *system.System) *Theory {
	t := Unconstrained(sys, sys.Trusted())
	t.Start(sys)
	return t
}

// Unconstrained is what is true in any state where the trusted invariants hold. Some laws of sums
// and sizes compare two states, so there is a second such state next to them: a contradiction among
// the laws of a step shows here.
func Unconstrained(sys *system.System, trusted []*system.Property) *Theory {
	states := []Versions{{}}
	if len(sys.Folds()) > 0 {
		states = append(states, states[0].Next(sys, StateSymbols(sys), 1))
	}
	t := &Theory{}
	t.Background(sys, trusted, states...)
	return t
}

// AnyStep is a step by any action.
func AnyStep(sys *system.System) (part system.ScenarioComponent) {
	for _, a := range sys.Actions {
		part.Calls = append(part.Calls, system.ActionCall{Action: a})
	}
	return part
}
