package erelong

import (
	"slices"
	"testing"

	"erelong.dev/erelong/internal/result"
)

// This package and the engines have the same verdicts.
func TestVerdicts(t *testing.T) {
	own := []Verdict{Holds, HoldsUpTo, HoldsInitially, Violated, NoRun, NotInductive, Unknown,
		NothingChecked}
	var theirs []Verdict
	for _, v := range result.All {
		theirs = append(theirs, Verdict(v))
	}
	if !slices.Equal(own, theirs) {
		t.Errorf("verdicts are %q, the engines have %q", own, theirs)
	}
}

// This package and the engines have the same kinds of traces.
func TestTraceKinds(t *testing.T) {
	for own, theirs := range map[TraceKind]result.TraceKind{
		Counterexample:            result.Counterexample,
		CounterexampleToInduction: result.ToInduction,
		Witness:                   result.Witness,
	} {
		if string(own) != string(theirs) {
			t.Errorf("%q is %q in the engines", own, theirs)
		}
	}
}
