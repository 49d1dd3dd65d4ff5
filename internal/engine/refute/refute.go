// Package refute looks for violations in small instances of many shapes.
//
// In: a system and the properties in question. Out: runs to violations that the interpreter has
// replayed, and the examined instances. Finding none proves nothing. Many mistakes show in some
// tiny instance, but not in each: one needs a single acceptor and three ballots, another two cores
// and one address. So the sizes of the sorts vary one by one (shapes.go), the smallest total first.
// Each shape is explored; if it has too many states, or steps that leave too many values open,
// solvers search its short runs. The effort is counted in states, in values that are tried, and in
// queries, so the result does not depend on the speed of the machine. Each shape has its share.
package refute

import (
	"context"
	"errors"
	"fmt"
	"slices"

	"erelong.dev/erelong/internal/discharge"
	"erelong.dev/erelong/internal/engine"
	"erelong.dev/erelong/internal/engine/bmc"
	"erelong.dev/erelong/internal/engine/explicit"
	"erelong.dev/erelong/internal/result"
	"erelong.dev/erelong/internal/smt"
	"erelong.dev/erelong/internal/system"
)

// queryLimit bounds the resources of one query.
const queryLimit = discharge.DefaultRlimit / 30

// Limits where single steps are large, and every state and query is expensive.
const (
	largeTotal   = 2000
	largeQueries = 6
)

// Options are the limits of a search. The zero value is a short search.
type Options struct {
	discharge.Options // of the solvers
	// names of the properties; none means all safety, invariant and range properties
	Only      []string
	States    int64 // of one shape at most, 0 for 2000
	Total     int64 // of all shapes, 0 for ten times that
	Steps     int   // of the runs that solvers search, 0 for 6
	Queries   int64 // of solvers in all, 0 for 300
	Work      int   // of explorations in all: values that are tried, 0 for 2^23
	Shapes    int   // 0 for all that are listed
	Unsolved  bool  // only exploration, no solvers
	Sink      engine.Sink
	Subtask   string             // of the progress
	Instances []*system.Instance // to examine instead of Shapes
}

// Outcome holds the violations and the examined instances.
type Outcome struct {
	Results  []result.Result // violations, at most one a property
	Examined []Coverage      // in the order of the search
	States   int64           // in all
	Queries  int64
}

// Coverage says how far an instance was examined.
type Coverage struct {
	Instance *system.Instance
	Complete bool  // all its states were found
	States   int64 // states found
	Steps    int   // the length of the searched runs, in steps; -1 for none
}

// Find looks for a violation of each of the properties, until all are violated or the limits are
// reached. The error is the context's.
func Find(ctx context.Context, sys *system.System, opts Options) (*Outcome, error) {
	opts.complete()
	if sys.HasLargeSteps() {
		opts.Total, opts.Queries = min(opts.Total, largeTotal), min(opts.Queries, largeQueries)
	}
	s := &search{sys: sys, opts: opts, open: opts.Only, out: &Outcome{}}
	if len(s.open) == 0 {
		for _, p := range sys.Properties {
			if p.IsInvariant() {
				s.open = append(s.open, p.Name)
			}
		}
	}
	s.open = slices.Clone(s.open)
	instances := opts.Instances
	if len(instances) == 0 {
		instances = Shapes(sys)
	}
	if opts.Shapes > 0 {
		instances = instances[:min(len(instances), opts.Shapes)]
	}
	for i, inst := range instances {
		if len(s.open) == 0 || s.out.States >= opts.Total || s.out.Queries >= opts.Queries ||
			s.work >= opts.Work {
			break
		}
		s.examine(ctx, inst, len(instances)-i)
		if ctx.Err() != nil {
			return s.out, ctx.Err()
		}
	}
	return s.out, nil
}

// The least share of the states and of the work that a shape has.
const (
	leastStates = 300
	leastWork   = 1 << 17
)

// share is what one of the remaining shapes may have of what is left. Where there are many, a
// violation may need one that stands late.
func share[N int | int64](left N, remaining int, least N) N {
	return min(left, max(left/N(remaining), least))
}

func (o *Options) complete() {
	if o.States <= 0 {
		o.States = 2000
	}
	if o.Total <= 0 {
		o.Total = 10 * o.States
	}
	if o.Work <= 0 {
		o.Work = 1 << 23
	}
	if o.Steps <= 0 {
		o.Steps = 6
	}
	if o.Queries <= 0 {
		o.Queries = 300
	}
	if o.Rlimit <= 0 || o.Rlimit > queryLimit {
		o.Rlimit = queryLimit
	}
}

// search is one call of Find.
type search struct {
	sys      *system.System
	opts     Options
	open     []string // properties without a violation
	out      *Outcome
	work     int // of the explorations so far
	noSolver bool
	// The first solver; further solvers take other instances rather than the same one.
	drivers   []smt.Driver
	undecided []*system.Instance // instances with runs that the solver could not decide
}

// examine explores an instance, and searches its short runs if that did not show all of it. It is
// one of a number of instances that remain. Where the first states do not hold all runs of half the
// length of the solvers' runs, the solvers see more than an exploration would, which goes on only
// if they have no answer.
func (s *search) examine(ctx context.Context, inst *system.Instance, remaining int) {
	s.opts.Sink.Tell(engine.Progress{Subtask: s.opts.Subtask,
		Text: "looking for a violation with " + inst.Name})
	look := Coverage{Instance: inst, Steps: -1}
	most := min(s.opts.States, share(s.opts.Total-s.out.States, remaining, leastStates))
	work := share(s.opts.Work-s.work, remaining, leastWork)
	explored, depth := s.explore(ctx, &look, min(most, leastStates), work)
	broad := 2*depth <= s.opts.Steps && !s.opts.Unsolved
	if explored && broad && !look.Complete {
		look.Steps = s.unroll(ctx, inst, depth)
	}
	if explored && most > leastStates && look.States >= leastStates && !look.Complete &&
		look.Steps < s.opts.Steps && len(s.open) > 0 {
		_, depth = s.explore(ctx, &look, most, work)
	}
	if look.Steps < 0 && !look.Complete && !s.opts.Unsolved {
		look.Steps = s.unroll(ctx, inst, depth)
	}
	if explored || look.Steps >= 0 {
		s.out.Examined = append(s.out.Examined, look)
	}
}

// explore explores an instance, within limits on the states and the work. It gives the depth below
// which nothing is violated, and false where the instance cannot be explored.
func (s *search) explore(
	ctx context.Context, look *Coverage, states int64, work int,
) (explored bool, depth int) {
	x, err := explicit.Explore(ctx, s.sys, look.Instance,
		explicit.Options{Only: s.open, Limits: engine.Limits{States: states}, Work: work})
	if err != nil {
		return false, 0
	}
	s.out.States += x.Stats.States - look.States
	s.work += x.Stats.Work
	look.Complete, look.States = x.Stats.Complete, x.Stats.States
	s.keep(x.Results)
	return true, int(x.Stats.Depth)
}

// unroll searches short runs with solvers, where the ones with fewer than safe steps were explored,
// and gives how many steps they have, -1 if there was no answer.
func (s *search) unroll(ctx context.Context, inst *system.Instance, safe int) int {
	harder := func(h *system.Instance) bool { return contains(inst, h) }
	if len(s.open) == 0 || s.noSolver || slices.ContainsFunc(s.undecided, harder) {
		return -1
	}
	if s.drivers == nil {
		s.drivers = s.opts.Drivers
		if len(s.drivers) == 0 {
			var err error
			if s.drivers, err = smt.Find(ctx, s.opts.Solvers); err != nil {
				s.noSolver = errors.Is(err, smt.ErrNoSolver)
				return -1
			}
		}
		s.drivers = s.drivers[:1]
	}
	opts := s.opts.Options
	opts.Drivers = s.drivers
	results, err := bmc.Check(ctx, s.sys, inst,
		bmc.Options{Options: opts, Only: s.open, Depth: s.opts.Steps, Safe: safe})
	if err != nil {
		return -1
	}
	steps := s.opts.Steps
	queries := int64(0)
	for _, r := range results {
		queries = max(queries, r.Queries)
		if r.Verdict != result.Violated {
			steps = min(steps, int(r.Depth)-1)
		}
	}
	s.out.Queries += queries
	s.keep(results)
	if steps < s.opts.Steps {
		s.undecided = append(s.undecided, inst)
	}
	return steps
}

// contains reports whether an instance has no fewer elements of any sort than another one.
func contains(inst, other *system.Instance) bool {
	for sort, n := range other.Sizes {
		if inst.Sizes[sort] < n {
			return false
		}
	}
	return true
}

// keep moves the properties that are violated from what is open to what is found.
func (s *search) keep(results []result.Result) {
	for _, r := range results {
		if i := slices.Index(s.open, r.Property); r.Verdict == result.Violated && i >= 0 {
			s.open = slices.Delete(s.open, i, i+1)
			s.out.Results = append(s.out.Results, r)
		}
	}
}

// Violation gives the violation of a property, nil for none.
func (o *Outcome) Violation(property string) *result.Result {
	for i := range o.Results {
		if o.Results[i].Property == property {
			return &o.Results[i]
		}
	}
	return nil
}

// Summary says in a few words what was looked at.
func (o *Outcome) Summary() string {
	complete, searched, steps := 0, 0, 0
	for _, l := range o.Examined {
		switch {
		case l.Complete:
			complete++
		case l.Steps > 0:
			if searched++; searched == 1 || l.Steps < steps {
				steps = l.Steps
			}
		}
	}
	last, runs := "", ""
	if searched > 0 {
		runs = fmt.Sprintf(", %d in all runs of %d steps", searched, steps)
	}
	if n := len(o.Examined); n > 0 {
		last = ", the last " + o.Examined[n-1].Instance.Name
	}
	return fmt.Sprintf("%d small instances%s (%d states; %d of the instances to the end%s)",
		len(o.Examined), last, o.States, complete, runs)
}
