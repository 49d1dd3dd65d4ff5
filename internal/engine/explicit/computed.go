package explicit

import (
	"context"
	"fmt"

	"erelong.dev/erelong/internal/engine"
	"erelong.dev/erelong/internal/engine/explore"
	"erelong.dev/erelong/internal/engine/explore/program"
	"erelong.dev/erelong/internal/interp"
	"erelong.dev/erelong/internal/result"
	"erelong.dev/erelong/internal/system"
)

// forComputed prepares the options for a system whose steps its front end computes: nothing of it
// can be compiled, and nothing is known of what its steps read and write.
func (o *Options) forComputed(sys *system.System) error {
	o.Brief, o.Work, o.NoScout, o.program = false, 0, true, program.Compiled
	refuse := func(what, instead string) error {
		return engine.Unfit(fmt.Errorf("%w; %s", sys.NeedsFormulas(what), instead))
	}
	switch {
	case o.Symmetry:
		return refuse("be explored with --symmetry",
			"the symmetry that the file itself declares is used without it")
	case o.PartialOrder:
		return refuse("be explored with --por", "explore it without")
	case o.Crew != nil || o.Member != nil:
		return refuse("be divided among processes", "explore it in one")
	case o.Checkpoint.Dir != "":
		return refuse("be saved in a checkpoint", "explore it without")
	case o.Search == Swarm:
		return refuse("be searched by a swarm", "random walks are possible")
	case o.Store == Packed:
		return refuse("be kept in the store "+Packed, "choose the store "+Exact)
	}
	if r, ok := sys.Computed.Computed.(system.Representing); ok {
		// With a view, the first state that is found stands for the others.
		if _, finite := r.Whole(); !finite {
			o.Threads = 1
		}
	}
	return nil
}

// computedInitial finds the initial states of a computed system. The invariants are checked here in
// the ones outside of the boundary, and the others are given to inside.
func (s *search) computedInitial(
	ctx context.Context, p *program.Computed, inside func(interp.State) error,
) error {
	s.Stats.Generated = 0
	return p.Initial(ctx, func(state interp.State, within bool) error {
		if s.Stats.Generated++; within {
			return inside(state)
		}
		for _, c := range s.open() {
			if c.property != nil {
				c.judgeInitial(s.Model, state)
			}
		}
		return nil
	})
}

// judgeInitial checks a claim in an initial state that is not among the states of the search.
func (c *claim) judgeInitial(m *interp.Model, state interp.State) {
	holds, err := m.Holds(c.property.Term, state)
	c.judge(explore.Event{Found: err != nil || !holds, Err: err}, func(
		c *claim, v result.Verdict, why result.Reason, _ int,
	) {
		c.run = &run{first: state}
		c.decide(v, why, 0, 1, 0, 0)
	})
}

// judgeBeyond is judge for states outside of the boundary, which a step from a state leads to.
func (cs *claims) judgeBeyond(
	events []explore.Event,
	decide func(c *claim, v result.Verdict, why result.Reason, state int),
) {
	if len(events) == 0 {
		return
	}
	for _, c := range cs.open() {
		if c.property != nil {
			e := events[cs.index(c.property)]
			c.beyond = e.Found
			c.judge(e, decide)
		}
	}
}

// leave appends the step out of the boundary that shows the verdict on a claim.
func (r *run) leave(ctx context.Context, m *interp.Model, c *claim) error {
	found := false
	err := m.EachStep(ctx, r.last(), func(step interp.Step) error {
		if !step.Outside {
			return nil
		}
		holds, err := m.Holds(c.property.Term, step.State)
		if found = err == nil && !holds && c.result.Verdict == result.Violated ||
			err != nil && c.result.Verdict == result.Unknown; found {
			r.steps = append(r.steps, step)
			return interp.ErrStop
		}
		return nil
	})
	if err == nil && !found {
		err = errLost
	}
	return err
}
