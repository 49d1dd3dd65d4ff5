package induction

import (
	"context"

	"erelong.dev/erelong/internal/discharge"
	"erelong.dev/erelong/internal/logic"
	"erelong.dev/erelong/internal/result"
	"erelong.dev/erelong/internal/system"
	"erelong.dev/erelong/internal/vc"
)

// scenarios decides which of the described runs exist.
func (p *prover) scenarios(ctx context.Context) []result.Result {
	var asked []*system.Scenario
	var groups []*discharge.Group
	for _, sc := range p.sys.Scenarios {
		if p.wanted(sc.Name) {
			asked = append(asked, sc)
			groups = append(groups, p.unroll(sc))
		}
	}
	if len(asked) == 0 {
		return nil
	}
	p.discharger.All(ctx, groups)
	why := ""
	if p.contradictoryAxioms(ctx) {
		why = contradiction
	}
	var out []result.Result
	for i, sc := range asked {
		vacuous := why
		if vacuous == "" && startsInitially(sc) {
			vacuous = p.noInitialState(ctx)
		}
		out = append(out, scenarioResult(sc, groups[i].Obligations[0], vacuous))
	}
	return out
}

// startsInitially reports whether the run starts in an initial state without an explicit condition:
// mypyvy assumes this unless the scenario begins with an assertion.
func startsInitially(sc *system.Scenario) bool {
	return len(sc.Components) > 0 && sc.Components[0].Assert == nil
}

// unroll claims that the run does not exist: its goal is false, and a model of its theory is the
// run.
func (p *prover) unroll(sc *system.Scenario) *discharge.Group {
	t := &vc.Theory{}
	pic := vc.Path{Kind: result.Witness, States: []vc.Versions{{}}}
	t.Assume(vc.Ranges(p.sys)...)
	if startsInitially(sc) {
		t.Initial(p.sys)
	}
	for _, part := range sc.Components {
		now := pic.States[len(pic.States)-1]
		if part.Assert != nil {
			t.Assume(vc.In(part.Assert, now))
			continue
		}
		next, alternatives := t.TakeOne(p.sys, part, now, len(pic.States))
		pic.States = append(pic.States, next)
		pic.Steps = append(pic.Steps, alternatives)
	}
	t.Background(p.sys, p.sys.Trusted(), pic.States...)
	o := &discharge.Obligation{Goal: logic.False, Obligation: result.Obligation{
		Name: "run of " + sc.Name, Property: sc.Name, Line: sc.Span.Line(),
	}}
	return &discharge.Group{Theory: t, Path: pic, Obligations: []*discharge.Obligation{o},
		Expected: sc.Sat}
}

// scenarioResult compares the claim with the answer. Vacuous is the reason why no run exists at
// all, empty otherwise.
func scenarioResult(sc *system.Scenario, o *discharge.Obligation, vacuous string) result.Result {
	r := newResult(sc.Name, result.Scenario, sc.Span.Line(), []*discharge.Obligation{o})
	switch {
	case o.Verdict == result.Unknown:
		r.Verdict, r.Reason = result.Unknown, describe(o)
	case o.Verdict == result.Holds && sc.Sat:
		r.Verdict, r.Reason = result.NoRun, result.Because(result.Remark, "no such run exists")
		if vacuous != "" {
			r.Reason = r.Reason.Then(": " + vacuous)
		}
	case o.Verdict == result.Holds && vacuous != "":
		r.Verdict, r.Reason = result.NothingChecked, result.Because(result.NoInitialState, vacuous)
	case o.Verdict == result.Holds || sc.Sat:
		r.Verdict = result.Holds
	default:
		r.Verdict, r.Reason = result.Violated, result.Because(result.Remark, "such a run exists")
	}
	if o.Verdict == result.NotInductive {
		r.Trace = o.Trace
		if o.Trace == nil {
			r.Reason = result.Because(result.Remark,
				"such a run exists, but none was found that is small enough to show")
		}
	}
	return r
}
