// Package fbii checks proofs by forward-backward incremental induction with prophecy.
//
// In: a system with such proofs. Out: a result for each proof, and one for each safety property if
// a proof succeeds.
//
// A proof is a list of steps (system.Fbii). It assumes that there is a run from an initial state to
// a violation. Each step adds a fact about all states of all such runs:
//
//   - A forward step adds a body that the initial states satisfy and each action preserves, given
//     the earlier facts about both states.
//   - A backward step adds a body that the violations satisfy, and that is true before an action if
//     it is true after it.
//   - A step with a prophecy adds that each such run has values of the parameters with which the
//     body is true in all of its states.
//
// How a prophecy is proved: let the set M contain, in a state of the run, the values with which
// the body was true so far (forward), or with which it is not true in all states up to the end
// (backward). Two things are known of M. At the beginning it contains the values with which the
// body is true; for a backward step, at the end it contains none of these. And a value of M stays
// in M in a step, if the body is true with it before and after the step. Some invariant of M must
// follow from this alone, by induction in the direction of the step. At the other end of the run,
// the invariant must say that the body is true with some values that are in M (for a backward
// step: not in M). Then the body is true with these values in all states.
//
// At the end, the facts must contradict a violation, or an initial state. Then there is no such
// run. The method and its syntax are mypyvy's (github.com/wilcoxjay/mypyvy, module fbii).
//
// The verdict `holds` rests on the solvers, which discharge all obligations, and on the statement
// of the obligations below.
package fbii

import (
	"context"
	"fmt"
	"slices"
	"time"

	"erelong.dev/erelong/internal/discharge"
	"erelong.dev/erelong/internal/logic"
	"erelong.dev/erelong/internal/result"
	"erelong.dev/erelong/internal/system"
	"erelong.dev/erelong/internal/vc"
)

// Name is the engine's name in results.
const Name = "fbii"

// Prove checks the proofs of a system. Only names the requested properties, all if it is empty: a
// proof is checked when it, or any safety property, is requested. An error means that nothing could
// be started.
func Prove(
	ctx context.Context, sys *system.System, only []string, opts discharge.Options,
) ([]result.Result, error) {
	wanted := func(p *system.Property) bool {
		return len(only) == 0 || slices.Contains(only, p.Name)
	}
	var safeties []*system.Property
	for _, p := range sys.Properties {
		if p.Kind == system.Safety {
			safeties = append(safeties, p)
		}
	}
	asked := func(f *system.Fbii) bool {
		return wanted(f.Property) || slices.ContainsFunc(safeties, wanted)
	}
	if !slices.ContainsFunc(sys.Fbiis, asked) {
		return nil, nil
	}
	if err := system.Validate(sys); err != nil {
		return nil, fmt.Errorf("checking the proofs of %s: %w", sys.Name, err)
	}
	d, err := discharge.New(ctx, sys, opts)
	if err != nil {
		return nil, fmt.Errorf("checking the proofs of %s: %w", sys.Name, err)
	}
	var out []result.Result
	proved := false
	for _, f := range sys.Fbiis {
		if !asked(f) {
			continue
		}
		p := &proof{sys: sys, of: f, safeties: safeties, discharger: d}
		found := p.check(ctx)
		if wanted(f.Property) {
			out = append(out, found)
		}
		if found.Verdict != result.Holds || proved {
			continue
		}
		proved = true
		for _, s := range safeties {
			if wanted(s) {
				r := found
				r.Property, r.Kind, r.Line, r.Queries, r.Elapsed = s.Name, s.Kind, s.Span.Line(), 0,
					0
				out = append(out, r)
			}
		}
	}
	return out, nil
}

// proof is the state of checking one proof.
type proof struct {
	sys        *system.System
	of         *system.Fbii
	safeties   []*system.Property
	discharger *discharge.Discharger

	// conjuncts, over state Pre, that hold in all states of all runs to a violation
	known       []*logic.Term
	obligations []*discharge.Obligation
}

// check discharges the obligations of one step after the other, and stops at the first failure.
func (p *proof) check(ctx context.Context) result.Result {
	start := time.Now()
	r := result.Result{
		Property: p.of.Property.Name, Kind: system.FbiiProof, Scope: result.ScopeAll, Engine: Name,
		Line:    p.of.Span.Line(),
		Verdict: result.Holds,
	}
	switch {
	case len(p.safeties) == 0:
		r.Verdict, r.Reason = result.NothingChecked,
			result.Because(result.NotAsked, "there is no safety property")
	case p.discharger.Contradictory(ctx, "an initial state", p.initial()):
		r.Verdict, r.Reason = result.NothingChecked,
			result.Because(result.NoInitialState,
				"no initial state: the axioms and initial conditions contradict each other")
	default:
		p.steps(ctx, &r)
	}
	evidence := &result.Evidence{}
	for _, prop := range p.sys.Trusted() {
		evidence.Trusted = append(evidence.Trusted, prop.Name)
	}
	for _, o := range p.obligations {
		r.Queries += o.Queries
		evidence.Obligations = append(evidence.Obligations, o.Obligation)
	}
	r.Evidence, r.Elapsed = evidence, time.Since(start)
	return r
}

func (p *proof) steps(ctx context.Context, r *result.Result) {
	for i, s := range p.of.Steps {
		name := fmt.Sprintf("step %d", i+1)
		if s.Name != "" {
			name += " [" + s.Name + "]"
		}
		groups := p.plain(s, name)
		if s.Prophecy != nil {
			groups = p.prophecy(s, name)
		}
		if p.settle(r, p.discharge(ctx, groups)) {
			return
		}
		for _, f := range s.Body {
			p.known = append(p.known, logic.Conjuncts(f.Term)...)
		}
	}
	p.end(ctx, r)
}

// end asks whether the known facts exclude a violation, or else an initial state.
func (p *proof) end(ctx context.Context, r *result.Result) {
	t := p.state()
	safe := p.group(t, "no violation is left", p.safety(), vc.Versions{})
	failed := p.discharge(ctx, []*discharge.Group{safe})
	if failed == nil {
		return
	}
	kept := p.obligations[:len(p.obligations)-len(safe.Obligations)]
	t = p.initial()
	start := p.group(t, "no initial state is left", []*logic.Term{logic.False}, vc.Versions{})
	other := p.discharge(ctx, []*discharge.Group{start})
	if other == nil { // the failed question is not part of the proof
		p.obligations = append(kept, start.Obligations...)
		return
	}
	if other.Verdict == result.Unknown {
		failed = other
	}
	p.settle(r, failed)
	if r.Verdict == result.NotInductive {
		r.Reason = result.Because(result.NotProved,
			"the last step leaves violations, and initial states from which one might be reached")
	}
}

// discharge works on groups, and gives the first obligation that is not proved; a counterexample
// comes before any unknown.
func (p *proof) discharge(
	ctx context.Context, groups []*discharge.Group,
) (failed *discharge.Obligation) {
	p.discharger.All(ctx, groups)
	for _, g := range groups {
		for _, o := range g.Obligations {
			p.obligations = append(p.obligations, o)
			if o.Verdict == result.NotInductive &&
				(failed == nil || failed.Verdict != result.NotInductive) ||
				o.Verdict != result.Holds && failed == nil {
				failed = o
			}
		}
	}
	if failed != nil && failed.Verdict == result.NotInductive && failed.Trace != nil {
		p.discharger.Minimise(ctx, failed)
	}
	return failed
}

// settle gives the proof the verdict of an obligation that failed, if there is one.
func (p *proof) settle(r *result.Result, failed *discharge.Obligation) bool {
	if failed == nil {
		return false
	}
	r.Verdict, r.Reason, r.Trace = failed.Verdict, result.Because(result.NotProved, failed.Name),
		failed.Trace
	if failed.Verdict != result.NotInductive {
		r.Verdict, r.Reason = result.Unknown, failed.Reason.Of(failed.Name)
		if c := failed.Reason.Code; c == result.Interrupted || c == result.OutOfTime {
			r.Reason = failed.Reason
		}
	}
	if r.Trace != nil {
		r.Trace.Violates = p.of.Property.Name
	}
	return true
}

// plain is a step without a prophecy.
func (p *proof) plain(s *system.FbiiStep, name string) []*discharge.Group {
	var body []*logic.Term
	for _, f := range s.Body {
		body = append(body, logic.Conjuncts(f.Term)...)
	}
	return p.induction(s.Backward, name, body, nil, nil)
}

// prophecy is a step with a prophecy: its invariant is proved of the set of viable values, and then
// implies enough at the other end.
func (p *proof) prophecy(s *system.FbiiStep, name string) []*discharge.Group {
	viable := func(state vc.Versions) *logic.Term {
		return vc.In(logic.App(s.Prophecy.Viable, logic.Pre, logic.Refs(s.Prophecy.Vars)...), state)
	}
	with := func(state vc.Versions) *logic.Term {
		return vc.In(logic.And(s.Prophecy.With...), state)
	}
	forall := func(t *logic.Term) *logic.Term { return logic.Forall(s.Prophecy.Vars, t) }
	first := vc.Versions{}
	in := forall(logic.Implies(with(first), viable(first)))
	out := forall(logic.Implies(with(first), logic.Not(viable(first))))
	if s.Backward {
		in, out = out, in
	}
	var by []*logic.Term
	for _, t := range s.Prophecy.By {
		by = append(by, logic.Conjuncts(t)...)
	}
	keeps := func(pre, post vc.Versions) *logic.Term {
		post[s.Prophecy.Viable] = 1
		return forall(logic.Implies(logic.And(viable(pre), with(pre), with(post)), viable(post)))
	}
	groups := p.induction(s.Backward, name, by, in, keeps)
	t := p.extreme(!s.Backward)
	t.Assume(by...)
	t.Assume(out)
	return append(groups, p.group(t, name+": there are values", []*logic.Term{logic.False}, first))
}

// induction states that formulas hold at one end of every run, and are preserved towards the other
// end. More is a further assumption about the first end and each step; nil for none.
func (p *proof) induction(backward bool, name string, formulas []*logic.Term, more *logic.Term,
	moreOfStep func(pre, post vc.Versions) *logic.Term) []*discharge.Group {
	t := p.extreme(backward)
	if more != nil {
		t.Assume(more)
	}
	groups := []*discharge.Group{p.group(t, name+": initiation", formulas, vc.Versions{})}
	for _, a := range p.sys.Actions {
		pre := vc.Versions{}
		post := pre.Next(p.sys, a.Modifies, 1)
		t := &vc.Theory{}
		step := logic.True
		if moreOfStep != nil {
			step = moreOfStep(pre, post) // it may give post another version of a symbol of its own
		}
		t.Background(p.sys, p.sys.Trusted(), pre, post)
		from, to := pre, post
		if backward {
			from, to = post, pre
		}
		for _, k := range p.known {
			t.Assume(k)
			if !vc.SameIn(k, pre, post) {
				t.Assume(vc.In(k, post))
			}
		}
		for _, f := range formulas {
			t.Assume(vc.In(f, from))
		}
		if !step.IsTrue() {
			t.Assume(step)
		}
		t.Step(a, pre, post)
		g := p.group(t, fmt.Sprintf("%s: %s preserves it", name, a.Name), formulas, to)
		g.Path.States = []vc.Versions{pre, post}
		g.Path.Steps = [][]vc.Alternative{{{Action: a.Name, Args: vc.Arguments(a)}}}
		for i, f := range formulas {
			g.Obligations[i].Action = a.Name
			if vc.SameIn(f, pre, post) {
				g.Obligations[i].Unmodified()
			}
		}
		groups = append(groups, g)
	}
	return groups
}

// group claims that formulas over one state hold in a state of a theory.
func (p *proof) group(
	t *vc.Theory, name string, formulas []*logic.Term, in vc.Versions,
) *discharge.Group {
	g := &discharge.Group{Theory: t, Path: vc.OneState()}
	for i, f := range formulas {
		line := f.Span.Line()
		if line == 0 {
			line = p.of.Span.Line()
		}
		g.Obligations = append(g.Obligations,
			&discharge.Obligation{Goal: vc.In(f, in), Obligation: result.Obligation{
				Name: name, Property: p.of.Property.Name, Conjunct: i, Line: line,
			}})
	}
	return g
}

// state assumes the known facts of a state.
func (p *proof) state() *vc.Theory {
	t := &vc.Theory{}
	t.Background(p.sys, p.sys.Trusted(), vc.Versions{})
	t.Assume(p.known...)
	return t
}

func (p *proof) initial() *vc.Theory {
	t := p.state()
	t.Start(p.sys)
	return t
}

// extreme assumes the known facts of the last state of a run, a violation, or of the first.
func (p *proof) extreme(last bool) *vc.Theory {
	if !last {
		return p.initial()
	}
	t := p.state()
	t.Assume(logic.Not(logic.And(p.safety()...)))
	return t
}

// safety lists the conjuncts of all safety properties.
func (p *proof) safety() (out []*logic.Term) {
	for _, s := range p.safeties {
		out = append(out, logic.Conjuncts(s.Term)...)
	}
	return out
}
