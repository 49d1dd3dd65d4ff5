package infer

import (
	"context"
	"fmt"
	"slices"

	"erelong.dev/erelong/internal/effort"
	"erelong.dev/erelong/internal/engine"
	"erelong.dev/erelong/internal/interp"
	"erelong.dev/erelong/internal/logic"
	"erelong.dev/erelong/internal/result"
	"erelong.dev/erelong/internal/system"
)

// search is the loop, for one kind of candidates, over parts that do the work. A part reads parts
// that are listed before it, and none knows the search.
type search struct {
	sys       *system.System
	opts      Options
	note      func(format string, args ...any)
	claims    *claims    // what is looked at in each explored state
	samples   *samples   // states of small instances
	trials    *trials    // states that only test lemmas
	questions *questions // about the steps of instances
	goals     *goals     // what has to be inductive
	linear    *linear    // candidates that are bounds between integers; nil for clauses
	clauses   *clauses   // candidates that are clauses
	prover    *prover    // for all instances
	level     int        // the vocabulary
	out       *Outcome

	unexplored          bool     // no instance could be explored
	instancesFromTraces int      // of counterexamples to induction
	openProperty        *goal    // without a proof, after an attempt
	part                *Outcome // a proof of some properties without the others
	drafted             []*goal  // proved by the last draft of a proof
	lastGoals           []*goal  // of the vocabulary with the most lemmas
}

// newSearch is a search for bounds, or for clauses where these are nil.
func newSearch(sys *system.System, opts Options, bounds *linear) *search {
	note := func(format string, args ...any) {
		opts.Sink.Tell(engine.Progress{Subtask: "infer", Text: fmt.Sprintf(format, args...)})
	}
	claims := &claims{sys: sys, note: note}
	samples := newSamples(sys, claims)
	proving := opts.Options
	proving.Cores = proving.Cores || bounds != nil
	return &search{sys: sys, opts: opts, note: note, out: &Outcome{}, claims: claims,
		samples: samples, trials: &trials{samples: samples},
		questions: newQuestions(samples, bounds != nil),
		goals: &goals{sys: sys, prefix: opts.Prefix, note: note, rejected: map[string]bool{},
			needs: map[string]string{}},
		linear: bounds, clauses: newClauses(samples), prover: &prover{sys: sys, opts: proving,
			brief: opts.Effort > 0, undecided: map[string][]result.Result{}}}
}

// close ends the compiled programs.
func (s *search) close() {
	for _, x := range s.samples.expanders {
		x.close()
	}
	for _, ind := range s.questions.ground {
		s.out.Queries += ind.Queries
	}
}

// grown searches with one vocabulary after the other. Done means that there is a proof, a
// violation, or nothing to prove.
func (s *search) grown(ctx context.Context) (done bool, err error) {
	last := len(levels)
	if s.linear != nil {
		last = len(linearLevels)
	}
	for s.level = 0; s.level < last; s.level++ {
		if s.level == recordsLevel && s.linear == nil && s.samples.records == nil {
			if s.samples.sampleRecords(ctx, s.opts.Effort > 0); s.claims.violated() {
				return true, nil
			}
			s.goals.refuted(s.samples.worlds)
		}
		s.grow()
		try, ended := effort.Begin(ctx, vocabularyOf(s.level, s.linear != nil))
		done, err := s.attempt(try)
		ended()
		if len(s.goals.all) > len(s.lastGoals) {
			s.lastGoals = slices.Clone(s.goals.all)
		}
		if err != nil || done || s.claims.violated() {
			return done || s.claims.violated(), err
		}
		if s.spent() {
			s.out.Reason = result.Because(result.Bounded,
				fmt.Sprintf("the search for invariants ended after %d questions about instances "+
					"and %d proofs", s.questions.asked, s.prover.attempts))
			return false, nil
		}
		if ended := result.Over(ctx); ended.Given() {
			s.out.Reason = ended
			return false, nil
		}
		if s.level == walkLevel {
			err := s.samples.walk(ctx, s.questions.worlds())
			if err != nil || s.claims.violated() {
				return s.claims.violated(), err
			}
		}
		if err := s.proveWithoutOpen(ctx); err != nil || s.claims.violated() {
			return s.claims.violated(), err
		}
		s.restart()
	}
	return false, nil
}

// spent reports whether the search has done all that it was allowed to do.
func (s *search) spent() bool {
	return s.opts.Effort > 0 &&
		(s.questions.asked >= s.opts.Effort || 20*s.prover.attempts >= s.opts.Effort)
}

// restart tries again what did not work out with a smaller vocabulary. The lemmas stay.
func (s *search) restart() {
	clear(s.goals.rejected)
	s.samples.assumed = nil
	s.clauses.acyclicOver, s.clauses.triedAcyclic = nil, false
	if s.linear != nil {
		s.goals.all = slices.DeleteFunc(s.goals.all, (*goal).isLemma)
		s.linear.restart()
	}
}

// grow makes the candidates of the next vocabulary.
func (s *search) grow() {
	s.note("%s", vocabularyOf(s.level, s.linear != nil))
	if s.linear != nil {
		s.linear.grow(linearLevels[s.level].ridges)
	} else {
		s.clauses.grow(s.level, s.goals.all)
	}
}

// attempt searches with the current vocabulary. Done means that no other one will do better.
func (s *search) attempt(ctx context.Context) (done bool, err error) {
	s.openProperty = nil
	for ctx.Err() == nil && !s.claims.violated() {
		if ok, err := s.onInstances(ctx); err != nil {
			return false, err
		} else if !ok {
			if s.openProperty != nil && s.admitCycles() {
				continue
			}
			return false, nil
		}
		if s.widen(ctx) {
			s.goals.refuted(s.samples.worlds)
			continue
		}
		s.goals.all = s.questions.reduce(ctx, s.goals.all, false)
		s.prover.attempts++
		results, err := s.prover.prove(ctx, s.goals.all, quick)
		if err == nil && undecided(results) {
			if s.linear == nil && s.clauses.requireAcyclic(s.goals) {
				continue
			}
			results, err = s.prover.prove(ctx, s.goals.all, patient)
		}
		if err != nil {
			return false, err
		}
		for _, r := range results {
			if why := string(r.Verdict); r.Verdict != result.Holds {
				if r.Reason.Given() {
					why += fmt.Sprintf(" (%s)", r.Reason)
				}
				s.note("open in the proof: %s is %s", r.Property, why)
			}
		}
		s.drafted = keep(s.goals.all, func(g *goal) bool { return g.provedBy(results) })
		exhausted, changed, err := s.learn(ctx, results)
		switch {
		case err != nil:
			return false, err
		case exhausted:
			if !s.samples.hasLarge {
				s.samples.hasLarge = true
				if err := s.enlarge(ctx, s.samples.small(4)); err == nil &&
					s.goals.refuted(s.samples.worlds) {
					continue
				}
			}
			return false, nil
		case !changed:
			s.finish(ctx, results, quick)
			s.openProperty = nil
			if open := keep(s.goals.all, func(g *goal) bool {
				return g.property != nil && !g.provedBy(s.out.Results)
			}); len(open) > 0 {
				s.openProperty = open[0]
			}
			// without an initial state, which no invariant changes, there is nothing to prove
			return s.out.Proved || slices.ContainsFunc(s.out.Results, func(r result.Result) bool {
				return r.Verdict == result.NothingChecked && r.Reason.Code == result.NoInitialState
			}), nil
		}
	}
	return false, nil
}

// admitCycles admits all candidates again, where the search is stuck without the ones that close a
// cycle of quantifier alternations.
func (s *search) admitCycles() bool {
	if s.clauses.acyclicOver == nil {
		return false
	}
	s.note("with lemmas that close a cycle of quantifier alternations")
	s.restart()
	s.openProperty, s.clauses.triedAcyclic = nil, true
	s.grow()
	return true
}

// onInstances adds lemmas until all goals are inductive on all instances.
func (s *search) onInstances(ctx context.Context) (bool, error) {
	for again := true; again; {
		again = false
		for _, inst := range s.samples.asked {
			n := s.goals.changes
			ok, err := s.onInstance(ctx, inst)
			if err != nil || !ok {
				return false, err
			}
			again = again || s.goals.changes != n && inst != s.samples.asked[0]
		}
	}
	return true, nil
}

// onInstance adds lemmas until all goals are inductive on an instance. It gives false when no
// candidate excludes a property's counterexample.
func (s *search) onInstance(ctx context.Context, inst *system.Instance) (bool, error) {
	if _, err := s.questions.of(inst); err != nil {
		return true, nil // the proof for all instances goes on without it
	}
	for i := 0; i < len(s.goals.all); {
		if ctx.Err() != nil || s.spent() {
			return false, nil
		}
		g := s.goals.all[i]
		ctis, err := s.questions.counterexamples(ctx, inst, s.goals.all, g)
		if err != nil {
			return false, err
		}
		if len(ctis) == 0 {
			i++
			continue
		}
		if g.from != nil && !g.beyondInstances && s.questions.dispensable(ctx, s.goals.all, g) {
			s.goals.drop(i)
			continue
		}
		var pre []sample
		for _, t := range ctis {
			pre = append(pre, t.pre.sample)
		}
		if c := s.choose(ctx, pre, g); c != nil {
			s.goals.add(c, g)
			if s.try(ctx) {
				i = 0 // as below
			}
			if s.claims.violated() {
				return false, nil
			}
			continue
		}
		if g.property != nil {
			s.giveUp(g, "no candidate excludes a counterexample to induction of "+g.label())
			return false, nil
		}
		if ok, err := s.assume(ctx, ctis[0].post.sample); err != nil || !ok {
			return false, err
		}
		if j := slices.Index(s.goals.all, g); j >= 0 {
			s.goals.drop(j)
		}
		i = 0 // goals proved with its help must be proved again
	}
	s.note("%s: inductive with %d lemmas", inst.Name, len(s.goals.all))
	return true, nil
}

// giveUp ends an attempt for want of a candidate for a property.
func (s *search) giveUp(g *goal, why string) {
	s.openProperty, s.out.Reason = g, result.Because(result.NotProved, why)
	s.note("%s", why)
}

// assume treats a state as reachable, because a step leads to it from a state that no candidate
// excludes. The states reachable from it are assumed reachable, too. No inductive set of candidates
// has a member that is false in one of them. It gives false if a property is false in one.
func (s *search) assume(ctx context.Context, x sample) (ok bool, err error) {
	w, err := s.samples.assume(ctx, x)
	if err != nil {
		return false, err
	}
	for _, t := range s.clauses.templates {
		t.also(w)
	}
	if s.linear != nil {
		s.linear.assumed = append(s.linear.assumed, s.linear.number(w))
	}
	for i := len(s.goals.all) - 1; i >= 0; i-- {
		g := s.goals.all[i]
		switch {
		case g.from == nil:
			if slices.ContainsFunc(w.states, func(st interp.State) bool {
				return (sample{w.structure, st}).holds(logic.Not(g.term))
			}) {
				if g.property != nil {
					s.giveUp(g, "no candidates exclude a violation of "+g.label())
					return false, nil
				}
				s.goals.drop(i)
			}
		case g.from.form == nil && s.linear.dead(g.from),
			g.from.form != nil && g.from.falseIn(g.from.form.view(w)):
			s.goals.drop(i)
		}
	}
	return true, nil
}

// try explores trials, and drops the lemmas that are false there. It reports whether some are.
func (s *search) try(ctx context.Context) (dropped bool) {
	for s.linear == nil && !s.claims.violated() && ctx.Err() == nil &&
		s.trials.drawn < min(mostTrials, s.goals.named/trialsAfter) {
		w := s.trials.draw(ctx, s.level > recordsLevel)
		if w == nil {
			continue
		}
		var found []sample
		for _, g := range s.goals.all {
			if g.from != nil && g.from.form != nil {
				found = append(found, witnesses(w, g.from)...)
			}
		}
		if len(found) > 0 {
			s.clauses.witness(found)
			dropped = s.goals.refuted(s.samples.worlds) || dropped
		}
	}
	return dropped
}
