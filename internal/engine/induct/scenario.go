package induct

import (
	"context"
	"slices"

	"erelong/internal/logic"
	"erelong/internal/system"
	"erelong/internal/verdict"
)

// Stutter is the action of a step of `any transition` in which nothing changes. As in mypyvy, such steps are allowed.
const Stutter = "stutter"

// scenarios decides which of the described runs exist.
func (p *prover) scenarios(ctx context.Context) []verdict.Result {
	var asked []*system.Scenario
	var groups []*group
	for _, sc := range p.sys.Scenarios {
		if p.wanted(sc.Name) {
			asked = append(asked, sc)
			groups = append(groups, p.unroll(sc))
		}
	}
	if len(asked) == 0 {
		return nil
	}
	p.discharge(ctx, groups)
	contradiction := ""
	if p.contradictoryAxioms(ctx) {
		contradiction = "the axioms contradict each other"
	}
	var out []verdict.Result
	for i, sc := range asked {
		vacuous := contradiction
		if vacuous == "" && startsInitially(sc) {
			vacuous = p.noInitialState(ctx)
		}
		out = append(out, scenarioResult(sc, groups[i].obligations[0], vacuous))
	}
	return out
}

// startsInitially reports whether the run starts in an initial state although the scenario does not say so: mypyvy
// assumes it unless the scenario begins with an assertion.
func startsInitially(sc *system.Scenario) bool { return len(sc.Parts) > 0 && sc.Parts[0].Assert == nil }

// unroll claims that the run does not exist: its goal is false, and a model of its theory is the run.
func (p *prover) unroll(sc *system.Scenario) *group {
	t := &theory{}
	pic := picture{kind: verdict.Witness, states: []versions{{}}}
	t.assume(ranges(p.sys)...)
	if startsInitially(sc) {
		for _, f := range p.sys.Inits {
			t.assume(f.Term)
		}
	}
	for _, part := range sc.Parts {
		now := pic.states[len(pic.states)-1]
		if part.Assert != nil {
			t.assume(in(part.Assert, now))
			continue
		}
		next, alternatives := p.takeOne(t, part, now, len(pic.states))
		pic.states = append(pic.states, next)
		pic.steps = append(pic.steps, alternatives)
	}
	t.background(p.sys, p.trusted(), pic.states...)
	o := &obligation{goal: logic.False, Obligation: verdict.Obligation{
		Name: "run of " + sc.Name, Property: sc.Name, Line: sc.Span.Line(),
	}}
	return &group{theory: t, picture: pic, obligations: []*obligation{o}}
}

// call is an action as it is taken in one step of a run: its variables and inputs are its own.
type call struct {
	action *system.Action // a fresh copy, or nil for a step in which nothing changes
	args   []argument
}

// takeOne assumes that one of the part's steps leads from now to the state that it returns, which has the given number.
func (p *prover) takeOne(t *theory, part system.ScenarioPart, now versions, number int) (versions, []alternative) {
	var calls []call
	if part.Any {
		calls = append(calls, call{})
		for _, a := range p.sys.Actions {
			calls = append(calls, copyOf(a, nil))
		}
	}
	for _, c := range part.Calls {
		calls = append(calls, copyOf(c.Action, c.Args))
	}
	var modified []*logic.Symbol
	for _, c := range calls {
		if c.action != nil {
			modified = append(modified, c.action.Modifies...)
		}
	}
	next := now.next(p.sys, modified, number)
	if len(calls) == 1 && calls[0].action != nil {
		a := calls[0].action
		t.step(a, now, next)
		return next, []alternative{{action: a.Name, args: calls[0].args}}
	}

	var alternatives []alternative
	var some []*logic.Term
	for _, c := range calls {
		own := &theory{}
		alt := alternative{action: Stutter, args: c.args, taken: &logic.Var{Name: Stutter, Sort: logic.Bool}}
		var changes []*logic.Symbol
		if c.action != nil {
			alt.action, alt.taken.Name, changes = c.action.Name, c.action.Name, c.action.Modifies
			own.step(c.action, now, next)
		}
		for _, u := range own.updates {
			own.assume(u.axiom())
		}
		for _, sym := range p.stateSymbols() {
			if slices.Contains(modified, sym) && !slices.Contains(changes, sym) {
				own.assume(unchanged(sym, now, next))
			}
		}
		t.consts = append(append(t.consts, alt.taken), own.consts...)
		t.assume(logic.Implies(logic.Ref(alt.taken), logic.And(own.terms...)))
		some = append(some, logic.Ref(alt.taken))
		alternatives = append(alternatives, alt)
	}
	t.assume(logic.Or(some...))
	return next, alternatives
}

// unchanged says that a symbol is the same in both states.
func unchanged(sym *logic.Symbol, now, next versions) *logic.Term {
	vars := make([]*logic.Var, len(sym.Args))
	for i, s := range sym.Args {
		vars[i] = &logic.Var{Name: "X", Sort: s}
	}
	refs := logic.Refs(vars)
	return logic.Forall(vars, logic.Eq(logic.App(sym, next[sym], refs...), logic.App(sym, now[sym], refs...)))
}

// copyOf copies an action with fresh parameters, choices and inputs. Parameters with an argument are equal to it.
func copyOf(a *system.Action, args []*logic.Term) call {
	c := *a
	rel := *a.Relation
	c.Params, c.Relation = nil, &rel
	rel.Choices, rel.Inputs, rel.Guard, rel.Updates = nil, nil, nil, nil
	with := map[*logic.Var]*logic.Term{}
	for i, v := range a.Params {
		fresh := *v
		c.Params = append(c.Params, &fresh)
		with[v] = logic.Ref(&fresh)
		if i < len(args) && args[i] != nil {
			rel.Guard = append(rel.Guard, logic.Eq(with[v], args[i]))
		}
	}
	for _, v := range a.Relation.Choices {
		fresh := *v
		rel.Choices = append(rel.Choices, &fresh)
		with[v] = logic.Ref(&fresh)
	}
	inputs := map[*logic.Symbol]*logic.Symbol{}
	for _, f := range a.Relation.Inputs {
		fresh := *f
		inputs[f] = &fresh
		rel.Inputs = append(rel.Inputs, &fresh)
	}
	own := func(t *logic.Term) *logic.Term {
		t = logic.Map(t, func(t *logic.Term) *logic.Term {
			if fresh, ok := inputs[t.Symbol]; ok && t.Op == logic.OpApp {
				n := *t
				n.Symbol = fresh
				return &n
			}
			return t
		})
		return logic.Subst(t, with)
	}
	for _, g := range a.Relation.Guard {
		rel.Guard = append(rel.Guard, own(g))
	}
	for _, u := range a.Relation.Updates {
		u.Value = own(u.Value)
		rel.Updates = append(rel.Updates, u)
	}
	return call{&c, arguments(&c)}
}

// scenarioResult compares the claim with the answer. Vacuous is the reason why no run exists at all, if that is so.
func scenarioResult(sc *system.Scenario, o *obligation, vacuous string) verdict.Result {
	r := newResult(sc.Name, "scenario", sc.Span.Line(), []*obligation{o})
	switch {
	case o.Verdict == verdict.Unknown && o.Reason == interrupted:
		r.Verdict, r.Reason = verdict.Unknown, interrupted
	case o.Verdict == verdict.Unknown:
		r.Verdict, r.Reason = verdict.Unknown, describe(o)
	case o.Verdict == verdict.Holds && sc.Sat:
		r.Verdict, r.Reason = verdict.Violated, "no such run exists"
		if vacuous != "" {
			r.Reason += ": " + vacuous
		}
	case o.Verdict == verdict.Holds && vacuous != "":
		r.Verdict, r.Reason = verdict.NothingChecked, vacuous
	case o.Verdict == verdict.Holds || sc.Sat:
		r.Verdict = verdict.Holds
	default:
		r.Verdict, r.Reason = verdict.Violated, "such a run exists"
	}
	if o.Verdict == verdict.NotInductive {
		r.Trace = o.trace
		if o.trace == nil {
			r.Reason = "such a run exists, but none was found that is small enough to show"
		}
	}
	return r
}
