package system

import (
	"erelong/internal/diag"
	"erelong/internal/logic"
)

// Fbii is a proof of all safety properties together, by forward-backward incremental induction with prophecy. Each step adds
// formulas that hold in every state of every run from an initial state to a violation; if there is no state left that
// such a run could have at its end, or at its beginning, there is no such run.
type Fbii struct {
	Property *Property // by which the proof is named
	Steps    []*FbiiStep
	Span     diag.Span
}

// FbiiStep proves its body by induction: forward from the initial states, or backward from the violations.
type FbiiStep struct {
	Name     string // empty when there is none
	Backward bool
	Body     []*Formula // over state Pre; they speak of the parameters of this step and of those before
	Prophecy *Prophecy  // nil for a step without one
	Span     diag.Span
}

// Prophecy introduces constants: for each run there are values of them for which the body holds in all of its states.
// A run has such values if Viable, the set of those for which the body held so far (forward), or does not hold to the end
// (backward), satisfies By in all states.
type Prophecy struct {
	Params []*logic.Symbol // immutable constants, of this step and of the later ones alone
	Viable *logic.Symbol   // a mutable relation over the sorts of the parameters, in By alone
	Vars   []*logic.Var    // of With
	With   []*logic.Term   // the body, with the variables in place of the parameters
	By     []*logic.Term   // over state Pre
}

// FbiiOf finds the proof that a property names, nil for every other property.
func (s *System) FbiiOf(p *Property) *Fbii {
	for _, f := range s.Fbiis {
		if f.Property == p {
			return f
		}
	}
	return nil
}
