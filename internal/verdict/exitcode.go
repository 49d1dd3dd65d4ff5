package verdict

import "slices"

// Exit codes of the program. 10 to 13 are as in TLC where both have them.
const (
	ExitHolds          = 0   // every property holds
	ExitInternal       = 1   // a defect of the program
	ExitUsage          = 2   // wrong flags or arguments
	ExitFile           = 3   // an error in the user's file
	ExitSolver         = 4   // a solver is missing or unfit
	ExitExpectation    = 10  // an expectation of the file was not met
	ExitDeadlock       = 11  // a reachable state has no successor
	ExitSafety         = 12  // a safety property, invariant, range, theorem or scenario is violated
	ExitLiveness       = 13  // a liveness or temporal property is violated
	ExitNotInductive   = 20  // a property is not inductive; nothing worse
	ExitUnknown        = 30  // for some property there is no answer, or only one for the first k steps
	ExitNothingChecked = 31  // some property was not checked, or there was none to check
	ExitInterrupted    = 130 // by the user
)

// Outcome is what all rows about one property say together.
type Outcome struct {
	Property string
	Kind     string
	Verdict  Verdict
}

// Outcomes sums up the rows of each property, in the order of first appearance.
//
// A violation outdoes everything, for it has a trace that was replayed. After that, `holds` for ScopeAll outdoes
// everything, for it speaks of the instances too. Otherwise each scope counts by its best row, and the property by its worst
// scope: a property that is not inductive in general and holds in an instance is not inductive.
func Outcomes(results []Result) []Outcome {
	type key struct{ property, kind string }
	var order []key
	rows := map[key][]Result{}
	for _, r := range results {
		k := key{r.Property, r.Kind}
		if rows[k] == nil {
			order = append(order, k)
		}
		rows[k] = append(rows[k], r)
	}
	outcomes := make([]Outcome, len(order))
	for i, k := range order {
		outcomes[i] = Outcome{k.property, k.kind, sumUp(rows[k])}
	}
	return outcomes
}

// Which row speaks for a scope, and which scope speaks for a property: the first of these that occurs.
var (
	rowOrder   = []Verdict{Holds, NotInductive, HoldsUpTo, Unknown, NothingChecked}
	scopeOrder = []Verdict{NotInductive, Unknown, HoldsUpTo, NothingChecked, Holds}
)

func sumUp(rows []Result) Verdict {
	scopes := map[string][]Verdict{}
	for _, r := range rows {
		switch {
		case r.Verdict == Violated:
			return Violated
		case !slices.Contains(rowOrder, r.Verdict):
			return Unknown // a word that is no verdict must not pass for one
		}
		scopes[r.Scope] = append(scopes[r.Scope], r.Verdict)
	}
	var spoken []Verdict
	for scope, verdicts := range scopes {
		v := firstOf(rowOrder, verdicts)
		if scope == ScopeAll && v == Holds {
			return Holds
		}
		spoken = append(spoken, v)
	}
	return firstOf(scopeOrder, spoken)
}

func firstOf(order, present []Verdict) Verdict {
	for _, v := range order {
		if slices.Contains(present, v) {
			return v
		}
	}
	return Unknown
}

// ExitCode is the exit code for these results. When several apply, the first of this list is taken: safety violated,
// liveness violated, deadlock, not inductive, unknown, nothing checked, all hold. `holds up to k` alone counts as
// unknown, because not everything holds. No results at all count as nothing checked.
func ExitCode(results []Result) int {
	if len(results) == 0 {
		return ExitNothingChecked
	}
	precedence := []int{ExitSafety, ExitLiveness, ExitDeadlock, ExitNotInductive, ExitUnknown, ExitNothingChecked, ExitHolds}
	first := len(precedence) - 1
	for _, o := range Outcomes(results) {
		first = min(first, slices.Index(precedence, o.exitCode()))
	}
	return precedence[first]
}

func (o Outcome) exitCode() int {
	switch o.Verdict {
	case Holds:
		return ExitHolds
	case NotInductive:
		return ExitNotInductive
	case NothingChecked:
		return ExitNothingChecked
	case Violated:
		switch o.Kind {
		case Deadlock:
			return ExitDeadlock
		case "liveness", "temporal":
			return ExitLiveness
		}
		return ExitSafety
	}
	return ExitUnknown
}
