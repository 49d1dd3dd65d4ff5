package verdict

import "testing"

func TestExitCode(t *testing.T) {
	row := func(property string, kind Kind, scope string, v Verdict) Result {
		return Result{Property: property, Kind: kind, Scope: scope, Verdict: v}
	}
	safe := func(scope string, v Verdict) Result { return row("p", "safety", scope, v) }
	tests := []struct {
		name    string
		results []Result
		want    int
	}{
		{"no results", nil, ExitNothingChecked},
		{"holds", []Result{safe(ScopeAll, Holds)}, ExitHolds},
		{"holds in the only instance", []Result{safe("small", Holds)}, ExitHolds},
		{"holds up to k", []Result{safe(ScopeAll, HoldsUpTo)}, ExitUnknown},
		{"unknown", []Result{safe(ScopeAll, Unknown)}, ExitUnknown},
		{"nothing checked", []Result{safe(ScopeAll, NothingChecked)}, ExitNothingChecked},
		{"not inductive", []Result{safe(ScopeAll, NotInductive)}, ExitNotInductive},
		{"no word", []Result{safe(ScopeAll, "")}, ExitUnknown},
		{"no word beside holds", []Result{safe(ScopeAll, Holds), safe("small", "fine")}, ExitUnknown},

		{"no run", []Result{row("s", "scenario", "model", NoRun), row("t", "safety", "model", Unknown)}, ExitNoRun},
		{"no run in one of two instances", []Result{row("s", "scenario", "a", NoRun), row("s", "scenario", "b", Holds)}, ExitNoRun},
		{"deadlock", []Result{row("deadlock", "deadlock", "small", Violated)}, ExitDeadlock},
		{"safety", []Result{safe("small", Violated)}, ExitSafety},
		{"invariant", []Result{row("p", "invariant", "small", Violated)}, ExitSafety},
		{"range", []Result{row("p", "range", "small", Violated)}, ExitSafety},
		{"theorem", []Result{row("p", "theorem", ScopeAll, Violated)}, ExitSafety},
		{"scenario", []Result{row("p", "scenario", "small", Violated)}, ExitSafety},
		{"liveness", []Result{row("p", "liveness", "small", Violated)}, ExitLiveness},
		{"temporal", []Result{row("p", "temporal", "small", Violated)}, ExitLiveness},

		{"proof outdoes bounded search", []Result{safe("small", HoldsUpTo), safe(ScopeAll, Holds)}, ExitHolds},
		{"proof outdoes a failed proof", []Result{safe(ScopeAll, NotInductive), safe(ScopeAll, Holds)}, ExitHolds},
		{"instance does not outdo not inductive", []Result{safe("small", Holds), safe(ScopeAll, NotInductive)}, ExitNotInductive},
		{"violation outdoes not inductive", []Result{safe(ScopeAll, NotInductive), safe("small", Violated)}, ExitSafety},
		{"a violation beside a proof", []Result{safe(ScopeAll, Holds), safe("small", Violated)}, ExitInternal},
		{"instance does not outdo unknown", []Result{safe("small", Holds), safe(ScopeAll, Unknown)}, ExitUnknown},
		{"one instance does not speak for another", []Result{safe("small", Holds), safe("big", HoldsUpTo)}, ExitUnknown},
		{"instance does not outdo nothing checked", []Result{safe("small", Holds), safe(ScopeAll, NothingChecked)}, ExitNothingChecked},
		{"two engines on one instance", []Result{safe("small", Unknown), safe("small", Holds)}, ExitHolds},
		{"one property does not speak for another", []Result{safe(ScopeAll, Holds), row("q", "safety", ScopeAll, Unknown)}, ExitUnknown},

		{"safety before liveness", []Result{row("l", "liveness", "small", Violated), safe("small", Violated)}, ExitSafety},
		{"liveness before deadlock", []Result{row("d", "deadlock", "small", Violated), row("l", "liveness", "small", Violated)}, ExitLiveness},
		{"deadlock before not inductive", []Result{safe(ScopeAll, NotInductive), row("d", "deadlock", "small", Violated)}, ExitDeadlock},
		{"not inductive before unknown", []Result{safe(ScopeAll, Unknown), row("q", "safety", ScopeAll, NotInductive)}, ExitNotInductive},
		{"unknown before nothing checked", []Result{safe(ScopeAll, NothingChecked), row("q", "safety", ScopeAll, Unknown)}, ExitUnknown},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			if got := ExitCode(test.results); got != test.want {
				t.Errorf("ExitCode = %d, want %d", got, test.want)
			}
			// The order of the rows must not matter.
			for i := range test.results {
				turned := append(append([]Result{}, test.results[i:]...), test.results[:i]...)
				if got := ExitCode(turned); got != test.want {
					t.Errorf("ExitCode of the rows from %d = %d, want %d", i, got, test.want)
				}
			}
		})
	}
}
