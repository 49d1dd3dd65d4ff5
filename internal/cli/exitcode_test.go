package cli

import (
	"testing"

	"erelong.dev/erelong/internal/verdict"
)

func TestExitCode(t *testing.T) {
	row := func(property string, kind verdict.Kind, scope string, v verdict.Verdict) verdict.Result {
		return verdict.Result{Property: property, Kind: kind, Scope: scope, Verdict: v}
	}
	safe := func(scope string, v verdict.Verdict) verdict.Result { return row("p", "safety", scope, v) }
	tests := []struct {
		name    string
		results []verdict.Result
		want    int
	}{
		{"no results", nil, ExitNothingChecked},
		{"holds", []verdict.Result{safe(verdict.ScopeAll, verdict.Holds)}, ExitHolds},
		{"holds in the only instance", []verdict.Result{safe("small", verdict.Holds)}, ExitHolds},
		{"holds up to k", []verdict.Result{safe(verdict.ScopeAll, verdict.HoldsUpTo)}, ExitUnknown},
		{"unknown", []verdict.Result{safe(verdict.ScopeAll, verdict.Unknown)}, ExitUnknown},
		{"nothing checked", []verdict.Result{safe(verdict.ScopeAll, verdict.NothingChecked)}, ExitNothingChecked},
		{"not inductive", []verdict.Result{safe(verdict.ScopeAll, verdict.NotInductive)}, ExitNotInductive},
		{"no word", []verdict.Result{safe(verdict.ScopeAll, "")}, ExitUnknown},
		{"no word beside holds", []verdict.Result{safe(verdict.ScopeAll, verdict.Holds), safe("small", "fine")}, ExitUnknown},

		{"no run", []verdict.Result{row("s", "scenario", "model", verdict.NoRun), row("t", "safety", "model", verdict.Unknown)}, ExitNoRun},
		{"no run in one of two instances", []verdict.Result{row("s", "scenario", "a", verdict.NoRun), row("s", "scenario", "b", verdict.Holds)}, ExitNoRun},
		{"deadlock", []verdict.Result{row("deadlock", "deadlock", "small", verdict.Violated)}, ExitDeadlock},
		{"safety", []verdict.Result{safe("small", verdict.Violated)}, ExitSafety},
		{"invariant", []verdict.Result{row("p", "invariant", "small", verdict.Violated)}, ExitSafety},
		{"range", []verdict.Result{row("p", "range", "small", verdict.Violated)}, ExitSafety},
		{"theorem", []verdict.Result{row("p", "theorem", verdict.ScopeAll, verdict.Violated)}, ExitSafety},
		{"scenario", []verdict.Result{row("p", "scenario", "small", verdict.Violated)}, ExitSafety},
		{"liveness", []verdict.Result{row("p", "liveness", "small", verdict.Violated)}, ExitLiveness},
		{"temporal", []verdict.Result{row("p", "temporal", "small", verdict.Violated)}, ExitLiveness},

		{"proof outdoes bounded search", []verdict.Result{safe("small", verdict.HoldsUpTo), safe(verdict.ScopeAll, verdict.Holds)}, ExitHolds},
		{"proof outdoes a failed proof", []verdict.Result{safe(verdict.ScopeAll, verdict.NotInductive), safe(verdict.ScopeAll, verdict.Holds)}, ExitHolds},
		{"instance does not outdo not inductive", []verdict.Result{safe("small", verdict.Holds), safe(verdict.ScopeAll, verdict.NotInductive)}, ExitNotInductive},
		{"violation outdoes not inductive", []verdict.Result{safe(verdict.ScopeAll, verdict.NotInductive), safe("small", verdict.Violated)}, ExitSafety},
		{"a violation beside a proof", []verdict.Result{safe(verdict.ScopeAll, verdict.Holds), safe("small", verdict.Violated)}, ExitInternal},
		{"instance does not outdo unknown", []verdict.Result{safe("small", verdict.Holds), safe(verdict.ScopeAll, verdict.Unknown)}, ExitUnknown},
		{"one instance does not speak for another", []verdict.Result{safe("small", verdict.Holds), safe("big", verdict.HoldsUpTo)}, ExitUnknown},
		{"instance does not outdo nothing checked", []verdict.Result{safe("small", verdict.Holds), safe(verdict.ScopeAll, verdict.NothingChecked)}, ExitNothingChecked},
		{"two engines on one instance", []verdict.Result{safe("small", verdict.Unknown), safe("small", verdict.Holds)}, ExitHolds},
		{"one property does not speak for another", []verdict.Result{safe(verdict.ScopeAll, verdict.Holds), row("q", "safety", verdict.ScopeAll, verdict.Unknown)}, ExitUnknown},

		{"safety before liveness", []verdict.Result{row("l", "liveness", "small", verdict.Violated), safe("small", verdict.Violated)}, ExitSafety},
		{"liveness before deadlock", []verdict.Result{row("d", "deadlock", "small", verdict.Violated), row("l", "liveness", "small", verdict.Violated)}, ExitLiveness},
		{"deadlock before not inductive", []verdict.Result{safe(verdict.ScopeAll, verdict.NotInductive), row("d", "deadlock", "small", verdict.Violated)}, ExitDeadlock},
		{"not inductive before unknown", []verdict.Result{safe(verdict.ScopeAll, verdict.Unknown), row("q", "safety", verdict.ScopeAll, verdict.NotInductive)}, ExitNotInductive},
		{"unknown before nothing checked", []verdict.Result{safe(verdict.ScopeAll, verdict.NothingChecked), row("q", "safety", verdict.ScopeAll, verdict.Unknown)}, ExitUnknown},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			if got := ExitCode(test.results); got != test.want {
				t.Errorf("ExitCode = %d, want %d", got, test.want)
			}
			// The order of the rows must not matter.
			for i := range test.results {
				turned := append(append([]verdict.Result{}, test.results[i:]...), test.results[:i]...)
				if got := ExitCode(turned); got != test.want {
					t.Errorf("ExitCode of the rows from %d = %d, want %d", i, got, test.want)
				}
			}
		})
	}
}

func TestExitCodeOfContradictions(t *testing.T) {
	results := []verdict.Result{
		{Property: "p", Kind: verdict.Safety, Scope: verdict.ScopeAll, Verdict: verdict.Holds},
		{Property: "p", Kind: verdict.Safety, Scope: "small", Verdict: verdict.Violated, Trace: &verdict.Trace{Kind: verdict.Counterexample}},
	}
	if verdict.Void(results); ExitCode(results) != ExitInternal {
		t.Errorf("exit code %d of %v", ExitCode(results), verdict.Alarms(results))
	}
}
