package cli

import (
	"slices"

	"erelong.dev/erelong/internal/verdict"
)

// Exit codes of the program. 10 to 13 are as in TLC where both have them.
const (
	ExitHolds    = 0 // every property holds
	ExitInternal = 1 // a defect of the program
	ExitUsage    = 2 // wrong flags or arguments
	ExitFile     = 3 // an error in the user's file
	ExitSolver   = 4 // a solver is missing or unfit
	// A requested report, trace or certificate could not be written; the verdicts are good.
	ExitOutput      = 5
	ExitExpectation = 10 // an expectation of the file was not met
	ExitDeadlock    = 11 // a reachable state has no successor
	// A safety property, invariant, range or theorem is violated, or an excluded run of a scenario
	// exists.
	ExitSafety       = 12
	ExitLiveness     = 13 // a liveness or temporal property is violated
	ExitNoRun        = 14 // a run that a scenario or a query E<> asks for does not exist
	ExitNotInductive = 20 // a property is not inductive; nothing worse
	// Some property has no answer, or only one for the first k steps, or lacks a required proof.
	ExitUnknown        = 30
	ExitNothingChecked = 31  // some property was not checked, or there was none to check
	ExitInterrupted    = 130 // by the user
)

// ExitCode is the exit code for these results. When several apply, the first of this list is taken:
// safety violated, liveness violated, deadlock, no run, not inductive, unknown, nothing checked,
// all hold. `holds up to k` alone counts as unknown, because not everything holds. No results at
// all count as nothing checked. Contradictory results are a defect, in any case.
func ExitCode(results []verdict.Result) int {
	if len(results) == 0 {
		return ExitNothingChecked
	}
	if len(verdict.Alarms(results)) > 0 {
		return ExitInternal
	}
	precedence := []int{ExitSafety, ExitLiveness, ExitDeadlock, ExitNoRun, ExitNotInductive, ExitUnknown, ExitNothingChecked, ExitHolds}
	first := len(precedence) - 1
	for _, o := range verdict.Outcomes(results) {
		first = min(first, slices.Index(precedence, exitCode(o)))
	}
	return precedence[first]
}

// WorstExit is the exit code of several runs together: the first one in this list.
func WorstExit(a, b int) int {
	order := []int{ExitInterrupted, ExitInternal, ExitUsage, ExitFile, ExitSolver, ExitSafety, ExitLiveness, ExitDeadlock, ExitNoRun,
		ExitExpectation, ExitNotInductive, ExitUnknown, ExitNothingChecked, ExitOutput, ExitHolds}
	if slices.Index(order, a) <= slices.Index(order, b) {
		return a
	}
	return b
}

func exitCode(o verdict.Outcome) int {
	switch o.Verdict {
	case verdict.Holds:
		return ExitHolds
	case verdict.NoRun:
		return ExitNoRun
	case verdict.NotInductive:
		return ExitNotInductive
	case verdict.NothingChecked:
		return ExitNothingChecked
	case verdict.Violated:
		switch o.Kind {
		case verdict.Deadlock:
			return ExitDeadlock
		case verdict.Liveness, verdict.Temporal:
			return ExitLiveness
		}
		return ExitSafety
	}
	return ExitUnknown
}
