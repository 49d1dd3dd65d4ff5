package verdict

import "slices"

// Assumption is something that is taken for true without proof, and that removes behaviour: what holds with it may fail
// without it. An axiom is none, since it says which instances there are.
type Assumption struct {
	Name string // as verdicts say it: holds, assuming NAME
	Kind AssumptionKind
	Line int    // in the file, 0 for none
	Text string // what is assumed, in the language of the file
}

// AssumptionKind says what makes an assumption.
type AssumptionKind string

// TrustedInvariant is a declaration of the file: no step leads to a state where it is false.
const TrustedInvariant AssumptionKind = "trusted invariant"

// Assume adds assumptions that are in force to each result that would not stand without them. All traces obey them.
func Assume(results []Result, list []Assumption) {
	if len(list) == 0 {
		return
	}
	for i := range results {
		r := &results[i]
		if r.Kind == Theorem {
			continue // it speaks of no run
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

// rests reports whether a verdict may be another one where there are more runs. A run to a bad state, and a run that was
// asked for, are there all the same. So is a counterexample to induction. But a loop may be fair, and a state without
// successor, only because an assumption cuts steps off.
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
