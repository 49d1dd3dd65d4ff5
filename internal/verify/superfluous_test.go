package verify

import (
	"slices"
	"testing"

	"erelong.dev/erelong/internal/engine/induction"
	"erelong.dev/erelong/internal/engine/ranking"
	"erelong.dev/erelong/internal/result"
	"erelong.dev/erelong/internal/testkit"
)

// An invariant is superfluous where no proof used it, not even the proof of one that is used; and
// only where all that the proofs used is known.
func TestSuperfluous(t *testing.T) {
	sys := testkit.Compile(t, `
		mutable relation a, b, c, d
		init !a & !b & !c & !d
		fair action go() { a := true; }
		invariant [of_safe] !b
		invariant [of_that] !c & !d
		invariant [stated] !d
		invariant [idle] !d | !c
		safety [safe] !b
		liveness [live] !a ~> a
		expect [stated] holds`)
	outcome := func() *Outcome {
		o := &Outcome{}
		for name, needs := range map[string][]string{
			"of_safe": {"of_that, conjunct 2", "idle of go"}, "of_that": {}, "stated": {},
			"idle": {"of_safe"}, "safe": {"of_safe"}, "live": {"fairness of go"},
		} {
			engine := induction.Name
			if name == "live" {
				engine = ranking.Name
			}
			o.Results = append(o.Results,
				result.Result{Property: name, Engine: engine, Scope: result.ScopeAll,
					Verdict: result.Holds,
					Evidence: &result.Evidence{Obligations: []result.Obligation{
						{Name: "initiation of " + name, Initial: true, Solver: result.ParseSolver("z3 4")},
						{Name: "stay preserves " + name, Solver: result.Nobody()},
						{Name: "go preserves " + name, Solver: result.ParseSolver("z3 4"),
							Needs: needs}}}})
		}
		return o
	}
	at := func(o *Outcome, name string) *result.Result {
		return &o.Results[slices.IndexFunc(o.Results, func(r result.Result) bool {
			return r.Property == name
		})]
	}
	if got := superfluous(sys, outcome()); !slices.Equal(got, []string{"idle"}) {
		t.Errorf("%q", got)
	}
	o := outcome()
	at(o, "live").Evidence.Obligations[2].Needs = []string{"idle"}
	if got := superfluous(sys, o); len(got) > 0 {
		t.Errorf("used by liveness: %q", got)
	}
	o = outcome()
	at(o, "of_that").Evidence.Obligations[2].Needs = nil
	if got := superfluous(sys, o); len(got) > 0 {
		t.Errorf("the solver did not say what it used: %q", got)
	}
	o = outcome()
	at(o, "live").Verdict = result.Unknown
	if got := superfluous(sys, o); len(got) > 0 {
		t.Errorf("it may be needed yet: %q", got)
	}
}
