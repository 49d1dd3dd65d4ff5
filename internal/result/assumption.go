package result

import "slices"

// Assumption is a formula that is assumed without proof and removes behaviour: a property that
// holds with it may fail without it. An axiom is not an assumption, since it describes the
// instances.
type Assumption struct {
	Name string // as in verdicts: holds, assuming NAME
	Kind AssumptionKind
	Line int    // in the file, 0 for none
	Text string // the assumed formula, in the language of the file
}

// AssumptionKind is the source of an assumption.
type AssumptionKind string

// TrustedInvariant is a declaration of the file: no step leads to a state where it is false.
const TrustedInvariant AssumptionKind = "trusted invariant"

// FiniteSort is a premise of a proof, which counts the elements of a sort or takes the first of
// some. A sort is finite in each instance if the file declares it so.
const FiniteSort AssumptionKind = "premise of the proof"

// ProposedCondition is a condition on the constants that a search has proposed as an axiom.
const ProposedCondition AssumptionKind = "condition on the constants"

// Finite is the assumption that a sort, declared in a line, is finite.
func Finite(sort string, line int) Assumption {
	return Assumption{Name: sort + " is finite", Kind: FiniteSort, Line: line,
		Text: "`sort " + sort + " @finite` declares it"}
}

// Assume adds the assumptions in force to each result that needs them. All traces obey them.
func Assume(results []Result, list []Assumption) {
	if len(list) == 0 {
		return
	}
	for i := range results {
		r := &results[i]
		if r.Kind == Theorem {
			continue // it is not about runs
		}
		if r.rests() {
			r.Assumptions = union(r.Assumptions, list)
		}
		if r.Trace != nil {
			r.Trace.Assuming = slices.Clip(r.Trace.Assuming)
			for _, a := range list {
				if !slices.Contains(r.Trace.Assuming, a.Name) {
					r.Trace.Assuming = append(r.Trace.Assuming, a.Name)
				}
			}
		}
	}
}

// rests reports whether a verdict may change when there are more runs. A run to a bad state, a
// requested run, and a counterexample to induction exist in any case. But a loop may be fair, and a
// state without successor, only because an assumption excludes steps.
func (r *Result) rests() bool {
	switch r.Verdict {
	case Holds:
		return r.Trace == nil || r.Trace.Kind != Witness
	case HoldsUpTo, HoldsInitially, NoRun:
		return true
	case Violated:
		switch r.Kind {
		case Liveness, Temporal, Deadlock:
			return true
		}
	}
	return false
}

func union(a, b []Assumption) []Assumption {
	a = slices.Clip(a)
	for _, x := range b {
		if !slices.Contains(a, x) {
			a = append(a, x)
		}
	}
	return a
}
