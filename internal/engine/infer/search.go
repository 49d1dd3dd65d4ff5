package infer

import (
	"context"
	"fmt"
	"slices"

	"erelong.dev/erelong/internal/effort"
	"erelong.dev/erelong/internal/engine"
	"erelong.dev/erelong/internal/engine/bmc"
	"erelong.dev/erelong/internal/interp"
	"erelong.dev/erelong/internal/logic"
	"erelong.dev/erelong/internal/result"
	"erelong.dev/erelong/internal/system"
)

// goal is a formula that has to be inductive together with the others: a property, or a lemma.
type goal struct {
	property        *system.Property // nil for a lemma
	fileInvariant   *system.Property // of a lemma that is an invariant of the file
	name            string           // of a lemma
	term            *logic.Term
	from            *candidate
	needs           string // the goal for which a lemma was chosen
	premise         []int  // of linear: literals of the property for which it is needed
	beyondInstances bool   // of a lemma: its counterexample is in none of the instances
}

func (g *goal) label() string {
	if g.property != nil {
		return g.property.Name
	}
	return g.name
}

// formulas are the terms of goals.
func formulas(goals []*goal) (out []*logic.Term) {
	for _, g := range goals {
		out = append(out, g.term)
	}
	return out
}

// properties are the formulas to prove.
func (s *search) properties() (out []*logic.Term) {
	return formulas(s.claims)
}

// search is one call of Find.
type search struct {
	sys    *system.System
	finite *system.System // whose instances are sampled
	opts   Options
	out    *Outcome

	worlds     []*world
	linear     *linear // bounds between integers; nil for a search with clauses
	unexplored bool    // no instance could be explored
	orders     orders
	measures   *measures                       // nil without integers
	values     []*system.Instance              // of the parameters
	records    map[*logic.Sort][]*logic.Symbol // sorts of records, with their fields
	shapes     map[string]int                  // of atoms
	violated   bool                            // a run violates a property
	// from small to large, for questions without quantifiers
	instances           []*system.Instance
	ground              map[*system.Instance]*bmc.Induction
	expanders           map[*structure]*expander
	scratch             map[*system.Instance]*scratch
	assumed             []*world                           // states that nothing excludes
	known               map[*system.Instance][]*transition // counterexamples that were found
	hasLarge            bool
	instancesFromTraces int // of counterexamples to induction
	probes              []*probe
	trials              []*world // of reachable states, to test lemmas
	drawn               int      // how many trials were made, or were not possible
	probedLarger        bool     // whether there are probes of larger instances than at first
	level               int
	templates           []*template
	rejected            map[string]bool // terms of candidates that did not work out
	claims              []*goal         // the properties to prove
	goals               []*goal         // of them and of the lemmas, what has to be inductive now
	openProperty        *goal           // without a proof, after an attempt
	part                *part           // nil where no property has a proof without the others
	// acyclicOver is the graph of quantifier alternations in the file, while candidates that close
	// a cycle in it are left out; nil otherwise. triedAcyclic says that this was tried with the
	// current vocabulary.
	acyclicOver  alternations
	triedAcyclic bool
	// For which goal each lemma was found, by their names; also for dropped lemmas.
	needs           map[string]string
	drafted         []*goal // proved by the last draft of a proof
	lastGoals       []*goal // of the vocabulary with the most lemmas
	changes         int     // how often a lemma was added or dropped
	lemmas          int
	undecidedProofs map[string][]result.Result // by a short search
	questions       int64                      // about instances
	proofAttempts   int64
}

func newSearch(sys *system.System, opts Options) *search {
	return &search{sys: sys, finite: finite(sys), opts: opts, out: &Outcome{},
		values: smallParameters(sys), measures: measuresOf(sys), shapes: map[string]int{},
		ground:    map[*system.Instance]*bmc.Induction{},
		expanders: map[*structure]*expander{}, scratch: map[*system.Instance]*scratch{},
		known: map[*system.Instance][]*transition{}, rejected: map[string]bool{},
		needs: map[string]string{}, undecidedProofs: map[string][]result.Result{}}
}

// batch is how many counterexamples are collected before a lemma is chosen.
const batch, linearBatch = 6, 24

func (s *search) batch() int {
	if s.linear != nil {
		return linearBatch
	}
	return batch
}

func (s *search) note(format string, args ...any) {
	s.opts.Sink.Tell(engine.Progress{Subtask: "infer", Text: fmt.Sprintf(format, args...)})
}

// grown searches with one vocabulary after the other. Done means that there is a proof, a
// violation, or nothing to prove.
func (s *search) grown(ctx context.Context) (done bool, err error) {
	last := len(levels)
	if s.linear != nil {
		last = len(linearLevels)
	}
	for s.level = 0; s.level < last; s.level++ {
		if s.level == recordsLevel && s.linear == nil && s.records == nil {
			if s.sampleRecords(ctx); s.violated {
				return true, nil
			}
			s.refuted()
		}
		s.grow()
		try, ended := effort.Begin(ctx, vocabularyOf(s.level, s.linear != nil))
		done, err := s.attempt(try)
		ended()
		if len(s.goals) > len(s.lastGoals) {
			s.lastGoals = slices.Clone(s.goals)
		}
		if err != nil || done || s.violated {
			return done || s.violated, err
		}
		if s.spent() {
			s.out.Reason = result.Because(result.Bounded,
				fmt.Sprintf("the search for invariants ended after %d questions about instances "+
					"and %d proofs", s.questions, s.proofAttempts))
			return false, nil
		}
		if ended := result.Over(ctx); ended.Given() {
			s.out.Reason = ended
			return false, nil
		}
		if s.level == walkLevel {
			if err := s.walkForViolations(ctx); err != nil || s.violated {
				return s.violated, err
			}
		}
		if err := s.proveWithoutOpen(ctx); err != nil || s.violated {
			return s.violated, err
		}
		s.restart()
	}
	return false, nil
}

// spent reports whether the search has done all that it was allowed to do.
func (s *search) spent() bool {
	return s.opts.Effort > 0 &&
		(s.questions >= s.opts.Effort || 20*s.proofAttempts >= s.opts.Effort)
}

// restart tries again what did not work out with a smaller vocabulary. The lemmas stay.
func (s *search) restart() {
	clear(s.rejected)
	s.assumed = nil
	s.acyclicOver, s.triedAcyclic = nil, false
	if s.linear != nil {
		s.goals = slices.DeleteFunc(s.goals, func(g *goal) bool {
			return g.property == nil && g.fileInvariant == nil
		})
		s.linear.restart()
	}
}

// Limits of instances.
const (
	largest   = 5     // elements of a sort
	fewStates = 1_000 // with fewer, a larger instance is explored from the beginning
	fewSlots  = 60    // slots of the state: with fewer, a large instance gets questions, too
	manySlots = 120   // no instance of a counterexample to induction has more
	// mostFromTraces bounds the instances that come from counterexamples to induction.
	mostFromTraces = 6
)

// undecided reports whether there is neither a proof nor a counterexample.
func undecided(results []result.Result) bool {
	is := func(v result.Verdict) bool {
		return slices.ContainsFunc(results, func(r result.Result) bool { return r.Verdict == v })
	}
	return is(result.Unknown) && !is(result.NotInductive)
}

// noInitialState reports whether there is no initial state: no invariant changes that.
func noInitialState(results []result.Result) bool {
	return slices.ContainsFunc(results, func(r result.Result) bool {
		return r.Verdict == result.NothingChecked && r.Reason.Code == result.NoInitialState
	})
}

// attempt searches with the current vocabulary. Done means that no other one will do better.
func (s *search) attempt(ctx context.Context) (done bool, err error) {
	s.openProperty = nil
	for ctx.Err() == nil && !s.violated {
		if ok, err := s.onInstances(ctx); err != nil {
			return false, err
		} else if !ok {
			if s.openProperty != nil && s.admitCycles() {
				continue
			}
			return false, nil
		}
		if s.widen(ctx) {
			s.refuted()
			continue
		}
		s.goals = s.reduce(ctx, false)
		s.proofAttempts++
		results, err := s.prove(ctx, s.goals, quick)
		if err == nil && undecided(results) {
			if s.requireAcyclic() {
				continue
			}
			results, err = s.prove(ctx, s.goals, patient)
		}
		if err != nil {
			return false, err
		}
		for _, r := range results {
			if r.Verdict != result.Holds {
				s.note("open in the proof: %s is %s", r.Property, explained(r))
			}
		}
		s.partial(results)
		exhausted, changed, err := s.learn(ctx, results)
		switch {
		case err != nil:
			return false, err
		case exhausted:
			if !s.hasLarge {
				s.hasLarge = true
				if err := s.enlarge(ctx, s.small(4)); err == nil && s.refuted() {
					continue
				}
			}
			return false, nil
		case !changed:
			s.finish(ctx, results, quick)
			s.openProperty = s.unproved()
			return s.out.Proved || noInitialState(s.out.Results), nil
		}
	}
	return false, nil
}

// onInstances adds lemmas until all goals are inductive on all instances.
func (s *search) onInstances(ctx context.Context) (bool, error) {
	for again := true; again; {
		again = false
		for _, inst := range s.instances {
			n := s.changes
			ok, err := s.onInstance(ctx, inst)
			if err != nil || !ok {
				return false, err
			}
			again = again || s.changes != n && inst != s.instances[0]
		}
	}
	return true, nil
}

// onInstance adds lemmas until all goals are inductive on an instance. It gives false when no
// candidate excludes a property's counterexample.
func (s *search) onInstance(ctx context.Context, inst *system.Instance) (bool, error) {
	ind, err := s.induction(inst)
	if err != nil {
		return true, nil // the proof for all instances goes on without it
	}
	for i := 0; i < len(s.goals); {
		if ctx.Err() != nil || s.spent() {
			return false, nil
		}
		g := s.goals[i]
		ctis, err := s.counterexamples(ctx, ind, inst, g)
		if err != nil {
			return false, err
		}
		if len(ctis) == 0 {
			i++
			continue
		}
		if g.from != nil && !g.beyondInstances && s.dispensable(ctx, g) {
			s.drop(i)
			continue
		}
		var pre []sample
		for _, t := range ctis {
			pre = append(pre, t.pre)
		}
		if c := s.choose(ctx, pre, g); c != nil {
			s.add(c, g)
			if s.try(ctx) {
				i = 0 // as below
			}
			if s.violated {
				return false, nil
			}
			continue
		}
		if g.property != nil {
			s.giveUp(g, "no candidate excludes a counterexample to induction of "+g.label())
			return false, nil
		}
		if ok, err := s.assume(ctx, ctis[0].post); err != nil || !ok {
			return false, err
		}
		if j := slices.Index(s.goals, g); j >= 0 {
			s.drop(j)
		}
		i = 0 // goals proved with its help must be proved again
	}
	s.note("%s: inductive with %d lemmas", inst.Name, len(s.goals))
	return true, nil
}

// giveUp ends an attempt for want of a candidate for a property.
func (s *search) giveUp(g *goal, why string) {
	s.openProperty, s.out.Reason = g, result.Because(result.NotProved, why)
	s.note("%s", why)
}

// manyAssumed bounds the successors of a state that no candidate excludes.
const manyAssumed = 2_000

// assume treats a state as reachable, because a step leads to it from a state that no candidate
// excludes. The states reachable from it are assumed reachable, too. No inductive set of candidates
// has a member that is false in one of them. It gives false if a property is false in one.
func (s *search) assume(ctx context.Context, x sample) (ok bool, err error) {
	e := s.expanders[x.structure]
	if e == nil {
		if e, err = newExpander(ctx, x.structure); err != nil {
			return false, err
		}
		s.expanders[x.structure] = e
	}
	w, err := forward(ctx, e, x.state, manyAssumed)
	if err != nil {
		return false, err
	}
	s.assumed = append(s.assumed, w)
	for _, t := range s.templates {
		t.also(w)
	}
	if s.linear != nil {
		s.linear.assumed = append(s.linear.assumed, s.linear.number(w))
	}
	for i := len(s.goals) - 1; i >= 0; i-- {
		g := s.goals[i]
		switch {
		case g.from == nil:
			if slices.ContainsFunc(w.states, func(st interp.State) bool {
				return (sample{w.structure, st}).holds(logic.Not(g.term))
			}) {
				if g.property != nil {
					s.giveUp(g, "no candidates exclude a violation of "+g.label())
					return false, nil
				}
				s.drop(i)
			}
		case g.from.form == nil && s.linear.dead(g.from),
			g.from.form != nil && g.from.falseIn(g.from.form.view(w)):
			s.drop(i)
		}
	}
	return true, nil
}

// choose finds the candidate that excludes the counterexamples best, and the first of them in any
// case.
func (s *search) choose(ctx context.Context, ctis []sample, g *goal) (best *candidate) {
	if s.linear != nil {
		if g.property != nil && g.premise == nil {
			g.premise = s.linear.premise(g.term)
		}
		most := 0
		conditions := linearLevels[s.level].conditions
		s.linear.exclude(ctx, ctis[0], g.premise, conditions, func(c *candidate) bool {
			if s.rejected[c.term.String()] {
				return false
			}
			n := 1
			for _, x := range ctis[1:] {
				if c.excludes(x) {
					n++
				}
			}
			if best != nil && best.bound.loose != c.bound.loose {
				if best.bound.loose {
					best, most = c, n
				}
			} else if n > most || n == most && c.cost < best.cost {
				best, most = c, n
			}
			return true
		})
		return best
	}
	for {
		best, doubts := s.prefer(ctx, ctis)
		if len(doubts) == 0 || ctx.Err() != nil {
			return general(ctx, s, ctis[0], best)
		}
		s.witness(doubts)
	}
}

func (s *search) add(c *candidate, g *goal) *goal {
	s.changes++
	lemma := &goal{name: s.newName(), term: c.term, from: c, needs: g.label(),
		premise: g.premise}
	s.needs[lemma.name] = lemma.needs
	s.note("%s for %s: %s", lemma.name, g.label(), c.term)
	s.goals = append(s.goals, lemma)
	return lemma
}

func (s *search) drop(i int) {
	s.changes++
	g := s.goals[i]
	s.note("drop %s: %s", g.name, g.term)
	s.rejected[g.term.String()] = true
	s.goals = slices.Delete(s.goals, i, i+1)
}
