package system

import (
	"erelong.dev/erelong/internal/diag"
	"erelong.dev/erelong/internal/logic"
)

// Fbii is a proof of all safety properties together, by forward-backward incremental induction with
// prophecy. Each step adds formulas that hold in every state of every run from an initial state to
// a violation. If the formulas exclude every last state of such a run, or every first state, there
// is no such run.
type Fbii struct {
	Property *Property // gives the proof its name
	Steps    []*FbiiStep
	Span     diag.Span
}

// FbiiStep proves its body by induction: forward from the initial states, or backward from the
// violations.
type FbiiStep struct {
	Name     string // empty when there is none
	Backward bool
	Body     []*Formula // over state Pre and the parameters of this and earlier steps
	Prophecy *Prophecy  // nil for a step without one
	Span     diag.Span
}

// Prophecy introduces constants: each run has values for them such that the body holds in all its
// states. Viable is the set of values for which the body held so far (forward), or does not hold to
// the end (backward). A run has such values if Viable satisfies By in all its states.
type Prophecy struct {
	Params []*logic.Symbol // immutable constants, for this step and later ones only
	Viable *logic.Symbol   // a mutable relation over the sorts of the parameters, for By only
	Vars   []*logic.Var    // of With
	With   []*logic.Term   // the body, over Vars instead of the parameters
	By     []*logic.Term   // over state Pre
}

// FbiiOf finds the proof that a property stands for, nil for every other property.
func (s *System) FbiiOf(p *Property) *Fbii {
	for _, f := range s.Fbiis {
		if f.Property == p {
			return f
		}
	}
	return nil
}
