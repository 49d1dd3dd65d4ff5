// Package synth finds lexicographic ranking functions that fit the graphs of small instances.
//
// In: a system, a liveness property forall V. trigger ~> good, and instances. Out: a condition that
// is true from the trigger to the good state, and a list of measures (system.Measure) such that
// each step of the graphs between pending states makes some measure smaller and leaves the measures
// before it as they are or smaller. Nothing is proved: solvers decide about the list.
//
// # The search
//
// The steps between pending states are the steps that nothing explains yet. A measure may be taken
// if it grows in none of them; it then explains the steps in which it becomes smaller. To take a
// valid measure never hurts, so the search takes them greedily, the simplest first, and begins
// again with the simplest after each that it takes (complete for a given set of measures, as in
// Alias, Darte, Feautrier, Gonnord: Multi-dimensional rankings, program termination, and complexity
// bounds of flowchart programs, SAS 2010). It succeeds if no step is left. A list that fails on
// another instance is fitted to that instance, too (counterexample-guided inductive synthesis).
//
// # The measures
//
// A measure is a difference of two integers; the number of tuples that satisfy a conjunction of
// literals, which grows where a tuple is added, whatever is removed; or the sum of the steps that
// are left to a fair action over such a set of tuples, its region. The sum does not grow if no
// tuple enters the region, and a tuple with which the action is taken leaves it. Fairness makes
// each number of steps finite; it goes down in each step in which the action can be taken (implicit
// rankings: Lotan, Shoham, TACAS 2025).
package synth

import (
	"context"

	"erelong.dev/erelong/internal/logic"
	"erelong.dev/erelong/internal/system"
)

// Problem is a property of a system.
type Problem struct {
	System   *system.System
	Property *system.Property
	// Enabled says when an action can be taken, over its parameters; actions of which this is not
	// known are missing.
	Enabled map[*system.Action]*logic.Term
	// Due is Enabled with the condition under which the steps of a fair action are fair.
	Due       map[*system.Action]*logic.Term
	Instances []*system.Instance
}

// Limits of the search.
const (
	mostStates  = 1_500      // of an instance that is explored
	mostWalked  = 6_000      // of an instance that is not
	mostGiven   = 4          // values of the variables of the property, in an instance
	mostWork    = 20_000_000 // steps that are looked at
	mostValues  = 20_000_000 // values of formulas in states
	mostRounds  = 6          // fits, each with an instance that refuted the one before
	mostEnds    = 4          // conjunctions in the condition that is true until it is good
	mostTuples  = 40         // of the variables of a measure, in an instance
	mostLiteral = 400        // literals over the same variables
)

// Search finds a ranking that fits; nil if there is none within the limits.
func Search(ctx context.Context, p *Problem) (*system.Ranking, error) {
	s := newSearch(p)
	samples, err := s.samples(ctx)
	if err != nil || len(samples) == 0 {
		return nil, err
	}
	for pending := range s.pendings(samples) {
		if found := s.fit(ctx, pending, samples); found != nil {
			out := &system.Ranking{Property: p.Property, Pending: pending}
			for _, c := range found {
				out.Measures = append(out.Measures, c.measure())
			}
			return out, ctx.Err()
		}
		if ctx.Err() != nil {
			return nil, ctx.Err()
		}
	}
	return nil, nil
}

// fit fits measures to the smallest instances, and to each further one that refutes them.
func (s *search) fit(ctx context.Context, pending *logic.Term, samples []*sample) []*candidate {
	var all [][]*graph // of each instance
	for _, x := range samples {
		if g := s.graphs(x, pending); len(g) > 0 {
			all = append(all, g)
		}
	}
	if len(all) == 0 {
		return nil
	}
	fitted := map[int]bool{0: true}
	for range mostRounds {
		var data []*graph
		for i := range all {
			if fitted[i] {
				data = append(data, all[i]...)
			}
		}
		f := &fitting{search: s, graphs: data}
		if !f.run(ctx) {
			return nil
		}
		found := f.minimise()
		refuted := -1
		for i := range all {
			if !fitted[i] && !(&fitting{search: s, graphs: all[i]}).explains(found) {
				refuted = i
				break
			}
		}
		if refuted < 0 {
			return found
		}
		fitted[refuted] = true
	}
	return nil
}
