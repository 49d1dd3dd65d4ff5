package result

import "testing"

func TestContradictions(t *testing.T) {
	row := func(property, scope string, v Verdict) Result {
		return Result{Property: property, Kind: "safety", Scope: scope, Verdict: v, Engine: "x"}
	}
	proof := func(property string, induction int, invariant ...string) Result {
		r := row(property, ScopeAll, Holds)
		r.Evidence = &Evidence{Induction: induction, Invariant: invariant}
		return r
	}
	only := row("p", "small", Holds)
	only.Whole = true
	live := row("p", "small", Violated)
	live.Kind = "liveness"
	tests := []struct {
		name    string
		results []Result
		alarms  int
	}{
		{"nothing", nil, 0},
		{"a proof and an exploration", []Result{proof("p", 1, "p"), row("p", "small", Holds)}, 0},
		{"a proof and a violation",
			[]Result{row("p", ScopeAll, Holds), row("p", "small", Violated)}, 1},
		{"a proof of liveness and a lasso",
			[]Result{{Property: "p", Kind: "liveness", Scope: ScopeAll, Verdict: Holds}, live}, 1},
		{"two engines on one instance",
			[]Result{row("p", "small", Holds), row("p", "small", Violated)}, 1},
		{"two instances", []Result{row("p", "small", Holds), row("p", "big", Violated)}, 0},
		{"the only instance, and a violation in any", []Result{only, row("p", ScopeAll, Violated)},
			1},
		{"an instance, and a violation in any",
			[]Result{row("p", "small", Holds), row("p", ScopeAll, Violated)}, 0},
		{"a proof and a failed one", []Result{proof("p", 2, "p"), row("p", ScopeAll, NotInductive)},
			0},
		{"a proof, and a counterexample to it in an instance",
			[]Result{proof("p", 1, "p"), row("p", "small", NotInductive)}, 1},
		{"k-induction, and a counterexample to plain induction", []Result{proof("p", 2, "p"), row("p", "small", NotInductive)}, 0},
		{"a proof that rests on what is violated", []Result{proof("p", 1, "p", "q"), row("q", "small", Violated)}, 1},
		{"both", []Result{proof("p", 1, "p", "q"), proof("q", 1, "p", "q"),
			row("q", "small", Violated)}, 2},
		{"another property is violated", []Result{proof("p", 1, "p"), row("q", "small", Violated)},
			0},
		{"violated twice", []Result{row("p", "small", Violated), row("p", ScopeAll, Violated)}, 0},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			if got := Alarms(test.results); len(got) != test.alarms {
				t.Errorf("alarms: %q, want %d", got, test.alarms)
			}
			Void(test.results)
			if got := Contradictions(test.results); len(got) > 0 {
				t.Errorf("still %v", got)
			}
			if got := Alarms(test.results); len(got) != test.alarms {
				t.Errorf("alarms after that: %q, want %d", got, test.alarms)
			}
		})
	}
}
