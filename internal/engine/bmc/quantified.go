package bmc

import (
	"context"
	"fmt"
	"slices"

	"erelong.dev/erelong/internal/discharge"
	"erelong.dev/erelong/internal/logic"
	"erelong.dev/erelong/internal/result"
	"erelong.dev/erelong/internal/system"
	"erelong.dev/erelong/internal/vc"
)

// quantified asks at every depth, for each open property, whether the runs with this number of
// steps entail it in their last state. A run that does not is a small model, as package discharge
// reads it.
func (s *search) quantified(ctx context.Context) error {
	sys := s.sys
	if s.inst != nil {
		sys = fixed(sys, s.inst)
	}
	opts := s.opts.Options
	opts.Progress = nil
	d, err := discharge.New(ctx, sys, opts)
	if err != nil {
		return err
	}
	r := newRuns(sys)
	if d.Contradictory(ctx, "an initial state", r.theory()) {
		for _, t := range s.targets {
			s.decide(t, result.NothingChecked, -1,
				result.Because(result.NoInitialState, "no initial state"))
		}
		return nil
	}
	for steps := 0; !s.done(); steps++ {
		s.tell(steps)
		if ctx.Err() != nil {
			s.giveUp(steps, result.Ended(ctx, ""))
		}
		s.entailed(ctx, d, r, steps)
		switch {
		case steps == s.opts.Depth:
			s.finish(steps, "")
		case s.opts.Budget > 0 && s.spent >= s.opts.Budget:
			s.finish(steps, "; the limit of the whole search was reached")
		case len(sys.Actions) == 0:
			s.finish(s.opts.Depth, "; there are no actions")
		default:
			r.step()
		}
	}
	return nil
}

// entailed decides the open properties in the last state of the runs.
func (s *search) entailed(ctx context.Context, d *discharge.Discharger, r *runs, steps int) {
	last := r.path.States[steps]
	g := &discharge.Group{Theory: r.theory(), Path: r.path}
	of := map[*target][]*discharge.Obligation{}
	for _, t := range s.targets {
		if !t.open() {
			continue
		}
		for i, c := range logic.Conjuncts(t.property.Term) {
			if steps > 0 && vc.SameIn(c, r.path.States[steps-1], last) {
				continue // it held there
			}
			o := &discharge.Obligation{Goal: vc.In(c, last), Obligation: result.Obligation{
				Name:     fmt.Sprintf("%s after %s", t.property.Name, count(steps)),
				Property: t.property.Name, Conjunct: i, Line: c.Span.Line(),
			}}
			g.Obligations = append(g.Obligations, o)
			of[t] = append(of[t], o)
		}
	}
	if len(g.Obligations) > 0 {
		d.All(ctx, []*discharge.Group{g})
	}
	for _, t := range s.targets {
		for _, o := range of[t] {
			t.result.Queries += o.Queries
			s.spent += o.Rlimit
			switch {
			case !t.open():
			case o.Verdict == result.NotInductive && o.Trace != nil:
				s.violate(ctx, t, o.Trace)
			case o.Verdict == result.NotInductive:
				s.undecided(t, steps,
					result.Because(result.NotProved,
						"there is a violation, but none was found that is small enough to show"))
			}
		}
		for _, o := range of[t] { // a violation counts more than an unknown
			if t.open() && o.Verdict == result.Unknown {
				s.undecided(t, steps, o.Reason)
			}
		}
	}
}

// runs are all runs of some length as a theory.
type runs struct {
	sys     *system.System
	trusted []*system.Property
	steps   vc.Theory // without the facts of every state
	path    vc.Path
}

func newRuns(sys *system.System) *runs {
	r := &runs{sys: sys, trusted: sys.Trusted(),
		path: vc.Path{Kind: result.Counterexample, States: []vc.Versions{{}}}}
	r.steps.Start(sys)
	return r
}

// theory is the theory of the runs.
func (r *runs) theory() *vc.Theory {
	t := r.steps
	t.Hypotheses = slices.Clip(t.Hypotheses) // so that appending makes a copy
	t.Background(r.sys, r.trusted, r.path.States...)
	return &t
}

// step adds a step by any action, from a state within the declared ranges, in which all steps have
// their arguments in their ranges.
func (r *runs) step() {
	number := len(r.path.States)
	now := r.path.States[number-1]
	if number > 1 {
		for _, c := range vc.Ranges(r.sys) {
			if !vc.SameIn(c, r.path.States[number-2], now) {
				r.steps.Assume(vc.In(c, now))
			}
		}
	}
	for _, p := range r.sys.Properties {
		if p.Kind == system.Argument {
			r.steps.Assume(vc.In(p.Term, now))
		}
	}
	next, alternatives := r.steps.TakeOne(r.sys, vc.AnyStep(r.sys), now, number)
	r.path.States = append(r.path.States, next)
	r.path.Steps = append(r.path.Steps, alternatives)
}

// fixed is the system with axioms that leave it one instance. One existential quantifier around all
// conditions of the instance names the elements of the sorts, because solvers have no elements.
func fixed(sys *system.System, inst *system.Instance) *system.System {
	var all []*logic.Var
	elements := map[*logic.Sort][]*logic.Var{}
	var said []*logic.Term
	for _, s := range sys.Sorts {
		n := inst.Sizes[s]
		if n == 0 || s.Kind != logic.KindUninterpreted {
			continue
		}
		for i := range n {
			elements[s] = append(elements[s], &logic.Var{Name: logic.MemberName(s, i), Sort: s})
		}
		all = append(all, elements[s]...)
		said = append(said, areAll(s, elements[s]))
	}
	for _, sym := range sys.Symbols {
		if v := inst.Values[sym]; v != nil {
			said = append(said, logic.Eq(logic.App(sym, logic.Pre), named(v, elements)))
		}
	}
	for _, f := range inst.Facts {
		said = append(said, named(f.Term, elements))
	}
	out := *sys
	out.Axioms = append(slices.Clip(sys.Axioms),
		&system.Formula{Term: logic.Exists(all, logic.And(said...))})
	return &out
}

// areAll is true when the elements are distinct, and the sort has no other.
func areAll(s *logic.Sort, elements []*logic.Var) *logic.Term {
	x := &logic.Var{Name: "X", Sort: s}
	var some []*logic.Term
	for _, e := range elements {
		some = append(some, logic.Eq(logic.Ref(x), logic.Ref(e)))
	}
	all := logic.Forall([]*logic.Var{x}, logic.Or(some...))
	return logic.And(logic.Distinct(logic.Refs(elements)...), all)
}

// named replaces the elements of uninterpreted sorts by variables.
func named(t *logic.Term, elements map[*logic.Sort][]*logic.Var) *logic.Term {
	return logic.Map(t, func(t *logic.Term) *logic.Term {
		if t.Op == logic.OpMember && t.Sort.Kind == logic.KindUninterpreted {
			return logic.Ref(elements[t.Sort][t.Index])
		}
		return t
	})
}
