package result

// Kind is the kind of a claim.
type Kind string

const (
	Safety    Kind = "safety"    // holds in every reachable state
	Invariant Kind = "invariant" // the same, declared as a lemma for the proof
	Range     Kind = "range"     // the same, derived from the declared range of a symbol's result
	// The same: no step applies the symbol outside of the range of an argument.
	Argument Kind = "argument"
	// The same: the claim has a value, since it applies no symbol outside of a range.
	Defined Kind = "defined"
	Trusted Kind = "trusted" // assumed in every state, not proved
	// valid in every state, or pair of states, that satisfies the axioms
	Theorem   Kind = "theorem"
	Liveness  Kind = "liveness" // temporal, of the form trigger ~> good
	Temporal  Kind = "temporal"
	FbiiProof Kind = "fbii"     // a proof by forward-backward induction succeeds
	Scenario  Kind = "scenario" // some run exists, or none does
	// of a whole exploration, such as of the number of its states
	Postcondition Kind = "postcondition"
)

// IsAuxiliary reports whether the claim is a lemma, or one that the language makes: it is of
// interest where it does not hold.
func (k Kind) IsAuxiliary() bool {
	switch k {
	case Invariant, Range, Argument, Defined:
		return true
	}
	return false
}
