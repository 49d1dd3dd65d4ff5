package result

import (
	"testing"

	"github.com/google/go-cmp/cmp"
)

func TestOutcomes(t *testing.T) {
	fair, slow := Assumption{Name: "fair", Kind: TrustedInvariant, Line: 3},
		Assumption{Name: "slow", Kind: TrustedInvariant}
	results := []Result{
		{Property: "b", Scope: "small", Verdict: HoldsUpTo},
		{Property: "a", Scope: "small", Verdict: Unknown},
		{Property: "b", Scope: "small", Verdict: Unknown},
		{Property: "a", Scope: "big", Verdict: Holds},

		{Property: "explored", Scope: "small", Verdict: Holds, Assumptions: []Assumption{fair}},
		{Property: "explored", Scope: "big", Verdict: Holds, Assumptions: []Assumption{fair, slow}},
		{Property: "proved", Scope: "small", Verdict: Holds, Assumptions: []Assumption{fair, slow}},
		{Property: "proved", Scope: ScopeAll, Verdict: Holds, Assumptions: []Assumption{fair}},
		{Property: "proved", Scope: ScopeAll, Verdict: NotInductive},
		{Property: "twice", Scope: ScopeAll, Verdict: Holds},
		{Property: "twice", Scope: ScopeAll, Verdict: Holds, Assumptions: []Assumption{fair}},
		{Property: "only", Scope: "small", Verdict: Holds, Whole: true},
		{Property: "refuted", Scope: "small", Verdict: Holds, Assumptions: []Assumption{fair}},
		{Property: "refuted", Scope: "big", Verdict: Violated},
	}
	want := []Outcome{
		{Property: "b", Verdict: HoldsUpTo},
		{Property: "a", Verdict: Unknown},
		{Property: "explored", Verdict: Holds, Coverage: InInstances,
			Assumptions: []Assumption{fair, slow}},
		{Property: "proved", Verdict: Holds, Coverage: ForAll, Assumptions: []Assumption{fair}},
		{Property: "twice", Verdict: Holds, Coverage: ForAll},
		{Property: "only", Verdict: Holds, Coverage: ForAll},
		{Property: "refuted", Verdict: Violated},
	}
	if diff := cmp.Diff(want, Outcomes(results)); diff != "" {
		t.Error(diff)
	}
}

// TestAssume: a property that holds rests on assumptions, as does a violation that exists only
// because steps are excluded.
func TestAssume(t *testing.T) {
	run := func(k TraceKind) *Trace { return &Trace{Kind: k} }
	tests := []struct {
		result Result
		rests  bool
	}{
		{Result{Kind: "safety", Verdict: Holds}, true},
		{Result{Kind: "invariant", Verdict: HoldsUpTo}, true},
		{Result{Kind: "temporal", Verdict: Holds}, true},
		{Result{Kind: "theorem", Verdict: Holds}, false},
		{Result{Kind: "scenario", Verdict: Holds}, true}, // there is no such run
		{Result{Kind: "scenario", Verdict: Holds, Trace: run(Witness)}, false},
		{Result{Kind: "scenario", Verdict: NoRun}, true},
		{Result{Kind: "scenario", Verdict: Violated, Trace: run(Witness)}, false},
		{Result{Kind: "safety", Verdict: Violated, Trace: run(Counterexample)}, false},
		{Result{Kind: "safety", Verdict: NotInductive, Trace: run(ToInduction)}, false},
		{Result{Kind: "liveness", Verdict: Violated, Trace: run(Counterexample)}, true},
		{Result{Kind: "temporal", Verdict: Violated, Trace: run(Counterexample)}, true},
		{Result{Kind: Deadlock, Verdict: Violated, Trace: run(Counterexample)}, true},
		{Result{Kind: "safety", Verdict: Unknown}, false},
		{Result{Kind: "safety", Verdict: NothingChecked}, false},
	}
	fair, slow := Assumption{Name: "fair", Kind: TrustedInvariant, Line: 3},
		Assumption{Name: "slow", Kind: TrustedInvariant}
	for _, test := range tests {
		results := []Result{test.result}
		Assume(results, []Assumption{fair})
		Assume(results, []Assumption{slow, fair})
		if got := len(results[0].Assumptions); got != 2 && test.rests || got != 0 && !test.rests {
			t.Errorf("%s %s: it rests on %v, want %t", test.result.Kind, test.result.Verdict,
				results[0].Assumptions, test.rests)
		}
		if tr := results[0].Trace; tr != nil && !cmp.Equal(tr.Assuming, []string{"fair", "slow"}) {
			t.Errorf("%s %s: the trace obeys %v", test.result.Kind, test.result.Verdict,
				tr.Assuming)
		}
	}
}
