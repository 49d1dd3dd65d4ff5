package cli

import (
	"slices"

	"erelong.dev/erelong/internal/result"
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
// safety violated, liveness violated, deadlock, no run, an error of the file that a search met, not
// inductive, unknown, nothing checked, all hold. `holds up to k` alone counts as unknown, because
// not everything holds. No results at all count as nothing checked. Contradictory results are a
// defect, in any case.
func ExitCode(results []result.Result) int {
	if len(results) == 0 {
		return ExitNothingChecked
	}
	if len(result.Alarms(results)) > 0 {
		return ExitInternal
	}
	precedence := []int{ExitSafety, ExitLiveness, ExitDeadlock, ExitNoRun, ExitNotInductive,
		ExitUnknown, ExitNothingChecked, ExitHolds}
	first := len(precedence) - 1
	for _, o := range result.Outcomes(results) {
		first = min(first, slices.Index(precedence, exitCode(o)))
	}
	if first > slices.Index(precedence, ExitNoRun) && slices.ContainsFunc(results, isError) {
		return ExitFile
	}
	return precedence[first]
}

// isError reports whether a search met an error of the file.
func isError(r result.Result) bool { return r.Reason.Code == result.OutsideOfRange }

// WorstExit is the exit code of several runs together: the first one in this list.
func WorstExit(a, b int) int {
	order := []int{ExitInterrupted, ExitInternal, ExitUsage, ExitFile, ExitSolver, ExitSafety,
		ExitLiveness, ExitDeadlock, ExitNoRun,
		ExitExpectation, ExitNotInductive, ExitUnknown, ExitNothingChecked, ExitOutput, ExitHolds}
	if slices.Index(order, a) <= slices.Index(order, b) {
		return a
	}
	return b
}

func exitCode(o result.Outcome) int {
	switch o.Verdict {
	case result.Holds:
		return ExitHolds
	case result.NoRun:
		return ExitNoRun
	case result.NotInductive:
		return ExitNotInductive
	case result.NothingChecked:
		return ExitNothingChecked
	case result.Violated:
		switch o.Kind {
		case result.Deadlock:
			return ExitDeadlock
		case result.Liveness, result.Temporal:
			return ExitLiveness
		}
		return ExitSafety
	}
	return ExitUnknown
}
