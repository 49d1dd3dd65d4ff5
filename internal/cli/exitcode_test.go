package cli

import (
	"testing"

	"erelong.dev/erelong/internal/result"
)

func TestExitCode(t *testing.T) {
	row := func(property string, kind result.Kind, scope string, v result.Verdict) result.Result {
		return result.Result{Property: property, Kind: kind, Scope: scope, Verdict: v}
	}
	safe := func(scope string, v result.Verdict) result.Result {
		return row("p", "safety", scope, v)
	}
	tests := []struct {
		name    string
		results []result.Result
		want    int
	}{
		{"no results", nil, ExitNothingChecked},
		{"holds", []result.Result{safe(result.ScopeAll, result.Holds)}, ExitHolds},
		{"holds in the only instance", []result.Result{safe("small", result.Holds)}, ExitHolds},
		{"holds up to k", []result.Result{safe(result.ScopeAll, result.HoldsUpTo)}, ExitUnknown},
		{"unknown", []result.Result{safe(result.ScopeAll, result.Unknown)}, ExitUnknown},
		{"nothing checked", []result.Result{safe(result.ScopeAll, result.NothingChecked)},
			ExitNothingChecked},
		{"not inductive", []result.Result{safe(result.ScopeAll, result.NotInductive)},
			ExitNotInductive},
		{"no word", []result.Result{safe(result.ScopeAll, "")}, ExitUnknown},
		{"no word beside holds",
			[]result.Result{safe(result.ScopeAll, result.Holds), safe("small", "fine")},
			ExitUnknown},

		{"no run", []result.Result{row("s", "scenario", "model", result.NoRun), row("t", "safety", "model", result.Unknown)}, ExitNoRun},
		{"no run in one of two instances",
			[]result.Result{row("s", "scenario", "a", result.NoRun),
				row("s", "scenario", "b", result.Holds)}, ExitNoRun},
		{"deadlock", []result.Result{row("deadlock", "deadlock", "small", result.Violated)},
			ExitDeadlock},
		{"safety", []result.Result{safe("small", result.Violated)}, ExitSafety},
		{"invariant", []result.Result{row("p", "invariant", "small", result.Violated)}, ExitSafety},
		{"range", []result.Result{row("p", "range", "small", result.Violated)}, ExitSafety},
		{"theorem", []result.Result{row("p", "theorem", result.ScopeAll, result.Violated)},
			ExitSafety},
		{"scenario", []result.Result{row("p", "scenario", "small", result.Violated)}, ExitSafety},
		{"liveness", []result.Result{row("p", "liveness", "small", result.Violated)}, ExitLiveness},
		{"temporal", []result.Result{row("p", "temporal", "small", result.Violated)}, ExitLiveness},

		{"proof outdoes bounded search",
			[]result.Result{safe("small", result.HoldsUpTo), safe(result.ScopeAll, result.Holds)},
			ExitHolds},
		{"proof outdoes a failed proof",
			[]result.Result{safe(result.ScopeAll, result.NotInductive),
				safe(result.ScopeAll, result.Holds)}, ExitHolds},
		{"instance does not outdo not inductive",
			[]result.Result{safe("small", result.Holds),
				safe(result.ScopeAll, result.NotInductive)}, ExitNotInductive},
		{"violation outdoes not inductive",
			[]result.Result{safe(result.ScopeAll, result.NotInductive),
				safe("small", result.Violated)}, ExitSafety},
		{"a violation beside a proof",
			[]result.Result{safe(result.ScopeAll, result.Holds), safe("small", result.Violated)},
			ExitInternal},
		{"instance does not outdo unknown",
			[]result.Result{safe("small", result.Holds), safe(result.ScopeAll, result.Unknown)},
			ExitUnknown},
		{"one instance does not speak for another",
			[]result.Result{safe("small", result.Holds), safe("big", result.HoldsUpTo)},
			ExitUnknown},
		{"instance does not outdo nothing checked",
			[]result.Result{safe("small", result.Holds),
				safe(result.ScopeAll, result.NothingChecked)}, ExitNothingChecked},
		{"two engines on one instance",
			[]result.Result{safe("small", result.Unknown), safe("small", result.Holds)}, ExitHolds},
		{"one property does not speak for another",
			[]result.Result{safe(result.ScopeAll, result.Holds),
				row("q", "safety", result.ScopeAll, result.Unknown)}, ExitUnknown},

		{"safety before liveness",
			[]result.Result{row("l", "liveness", "small", result.Violated),
				safe("small", result.Violated)}, ExitSafety},
		{"liveness before deadlock",
			[]result.Result{row("d", "deadlock", "small", result.Violated), row("l", "liveness", "small", result.Violated)}, ExitLiveness},
		{"deadlock before not inductive",
			[]result.Result{safe(result.ScopeAll, result.NotInductive),
				row("d", "deadlock", "small", result.Violated)}, ExitDeadlock},
		{"not inductive before unknown",
			[]result.Result{safe(result.ScopeAll, result.Unknown),
				row("q", "safety", result.ScopeAll, result.NotInductive)}, ExitNotInductive},
		{"unknown before nothing checked",
			[]result.Result{safe(result.ScopeAll, result.NothingChecked),
				row("q", "safety", result.ScopeAll, result.Unknown)}, ExitUnknown},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			if got := ExitCode(test.results); got != test.want {
				t.Errorf("ExitCode = %d, want %d", got, test.want)
			}
			// The order of the rows must not matter.
			for i := range test.results {
				turned := append(append([]result.Result{}, test.results[i:]...),
					test.results[:i]...)
				if got := ExitCode(turned); got != test.want {
					t.Errorf("ExitCode of the rows from %d = %d, want %d", i, got, test.want)
				}
			}
		})
	}
}

func TestExitCodeOfContradictions(t *testing.T) {
	results := []result.Result{
		{Property: "p", Kind: result.Safety, Scope: result.ScopeAll, Verdict: result.Holds},
		{Property: "p", Kind: result.Safety, Scope: "small", Verdict: result.Violated,
			Trace: &result.Trace{Kind: result.Counterexample}},
	}
	if result.Void(results); ExitCode(results) != ExitInternal {
		t.Errorf("exit code %d of %v", ExitCode(results), result.Alarms(results))
	}
}
