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
// literals, which grows where a tuple is added, whatever is removed; the number whose digits say of
// each value of a range whether it satisfies such a conjunction; or the sum of the steps that
// are left to a fair action over such a set of tuples, its region. The sum does not grow if no
// tuple enters the region, and a tuple with which the action is taken leaves it. Fairness makes
// each number of steps finite; it goes down in each step in which the action can be taken (implicit
// rankings: Lotan, Shoham, TACAS 2025).
package synth

import (
	"context"
	"fmt"

	"erelong.dev/erelong/internal/engine/bmc"
	"erelong.dev/erelong/internal/interp"
	"erelong.dev/erelong/internal/logic"
	"erelong.dev/erelong/internal/result"
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
	// Simpler gives conditions that may stand for Enabled and Due of some actions, as they are true
	// in the same states of the graphs; nil for none.
	Simpler func([]*interp.Graph) []Simpler
}

// Simpler is a condition in place of the one when an action can be taken, and of the one when it is
// due.
type Simpler struct {
	Action       *system.Action
	Enabled, Due *logic.Term
}

// Limits of the search.
const (
	mostStates  = 1_500         // of an instance that is explored
	mostWalked  = 6_000         // of an instance that is not
	mostGiven   = 4             // values of the variables of the property, in an instance
	mostWork    = 1_000_000_000 // steps that are looked at
	mostShorter = 50_000_000    // of them to make a list shorter
	mostValues  = 20_000_000    // values of formulas in states
	mostEnds    = 4             // conjunctions in the condition that is true until it is good
	mostTuples  = 128           // of the variables of a measure, in an instance
	mostLiteral = 400           // literals over the same variables
)

// Search is the search for one property. It keeps what it has seen of the instances.
type Search struct {
	*search
	samples    []*sample
	conditions []*condition // that may be pending; tried in this order
	banned     map[string]bool
	found      []*candidate    // by the last fit
	joined     map[string]bool // the instances, by their sizes and the values that no step changes
}

// condition is a formula that may be true from the trigger to the good state.
type condition struct {
	pending *logic.Term
	graphs  [][]*graph   // of each instance
	fitted  map[int]bool // the instances to which measures are fitted
}

// New explores small instances.
func New(ctx context.Context, p *Problem) (*Search, error) {
	s := &Search{search: newSearch(p), banned: map[string]bool{},
		joined: map[string]bool{}}
	var err error
	if s.samples, err = s.explored(ctx); err != nil {
		return nil, err
	}
	s.simplify()
	for pending := range s.pendings(s.samples) {
		c := &condition{pending: pending, fitted: map[int]bool{0: true}}
		fits := true
		for _, x := range s.samples {
			g, ok := s.graphs(x, pending)
			fits = fits && ok
			if len(g) > 0 {
				c.graphs = append(c.graphs, g)
			}
		}
		if len(c.graphs) > 0 {
			s.conditions = append(s.conditions, c)
			if fits {
				break // no other condition is simpler
			}
		}
	}
	return s, ctx.Err()
}

// simplify takes the simpler conditions with which all samples agree.
func (s *Search) simplify() {
	if s.Simpler == nil {
		return
	}
	var seen []*interp.Graph
	for _, x := range s.samples {
		seen = append(seen, x.Graph)
	}
	for _, c := range s.Simpler(seen) {
		s.Enabled[c.Action], s.Due[c.Action] = c.Enabled, c.Due
	}
}

// Ban excludes a measure from what is found from then on.
func (s *Search) Ban(m *system.Measure) { s.banned[m.String()] = true }

// Join explores the instance of a trace. It reports whether what was found last fails there; then
// the next fit is to this instance, too.
func (s *Search) Join(ctx context.Context, t *result.Trace) (bool, error) {
	m, state, err := interp.First(s.System, t)
	if err != nil {
		return false, nil
	}
	start, key := bmc.Start{Values: map[int]int64{}}, fmt.Sprint(m.Instance.Sizes)
	for i, sym := range m.SlotSymbols() {
		if !sym.Mutable {
			start.Values[i] = state[i]
			key += fmt.Sprint(" ", state[i])
		}
	}
	if s.joined[key] {
		return false, nil
	}
	s.joined[key] = true
	x, err := s.walks(ctx, m.Within(&interp.Budget{Left: budget}), start)
	if err != nil || ctx.Err() != nil {
		return false, ctx.Err()
	}
	failed := false
	x.finish(s.search)
	s.samples = append(s.samples, x)
	for i, c := range s.conditions {
		g, _ := s.graphs(x, c.pending)
		if len(g) == 0 {
			continue
		}
		if i == 0 && !(&fitting{search: s.search, graphs: g}).explains(s.found) {
			failed = true
		}
		c.fitted[len(c.graphs)] = true
		c.graphs = append(c.graphs, g)
	}
	return failed, nil
}

// Fit finds a ranking that fits; nil if there is none within the limits.
func (s *Search) Fit(ctx context.Context) (*system.Ranking, error) {
	for len(s.conditions) > 0 {
		c := s.conditions[0]
		if found := s.fit(ctx, c); found != nil {
			s.found = found
			out := &system.Ranking{Property: s.Property, Pending: c.pending}
			for _, x := range found {
				out.Measures = append(out.Measures, x.measure())
			}
			return out, ctx.Err()
		}
		if ctx.Err() != nil {
			return nil, ctx.Err()
		}
		s.conditions = s.conditions[1:]
	}
	return nil, nil
}

// fit fits measures in the words of the system, or else in all words.
func (s *Search) fit(ctx context.Context, c *condition) []*candidate {
	for _, s.all = range []bool{false, true} {
		s.work, s.values = mostWork, mostValues
		if found := s.fitTo(ctx, c); found != nil || ctx.Err() != nil {
			return found
		}
	}
	return nil
}

// fitTo fits measures to the smallest instances, and to each further one that refutes them.
func (s *Search) fitTo(ctx context.Context, c *condition) []*candidate {
	for range len(c.graphs) + 1 {
		var data []*graph
		for i := range c.graphs {
			if c.fitted[i] {
				data = append(data, c.graphs[i]...)
			}
		}
		f := &fitting{search: s.search, graphs: data, banned: s.banned}
		if !f.run(ctx) {
			return nil
		}
		found := f.minimise(f.shorten(ctx, f.taken))
		refuted := -1
		for i := range c.graphs {
			if !c.fitted[i] && !(&fitting{search: s.search, graphs: c.graphs[i]}).explains(found) {
				refuted = i
				break
			}
		}
		if refuted < 0 {
			return found
		}
		c.fitted[refuted] = true
	}
	return nil
}
