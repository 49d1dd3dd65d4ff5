package verify

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"

	"erelong.dev/erelong/internal/discharge"
	"erelong.dev/erelong/internal/engine"
	"erelong.dev/erelong/internal/engine/bmc"
	"erelong.dev/erelong/internal/engine/induction"
	"erelong.dev/erelong/internal/result"
	"erelong.dev/erelong/internal/smt"
	"erelong.dev/erelong/internal/system"
)

// bound searches runs of a bounded number of steps, on each requested instance, or on all
// instances.
func (r *run) bound(ctx context.Context) error {
	instances := r.o.Instances
	if len(instances) == 0 {
		instances = []*system.Instance{nil}
	}
	for _, in := range instances {
		t := r.task(engine.Search)
		t.Instance = in
		if in == nil && r.sys.HasLargeSteps() {
			if err := r.proveFirst(ctx, t); err != nil {
				return r.ledger.unsolved(err)
			}
		}
		if len(t.Claims) == 0 {
			continue
		}
		if _, err := r.give(ctx, t, accepting(r.engines(), t)); err != nil {
			if in == nil || !engine.IsRefusal(err) {
				return r.ledger.unsolved(err)
			}
			r.ledger.refuse(in, err)
		}
	}
	return nil
}

// proveFirst takes the claims that are proved by induction from a search, and keeps the proofs.
// Solvers get lost in runs of large steps, while a proof is about one step.
func (r *run) proveFirst(ctx context.Context, search *engine.Task) error {
	t := r.task(engine.Prove)
	t.Claims = search.Claims
	opts := r.o.Bmc.Options
	opts.Each = t.Limits.Each
	found, err := (&induction.Engine{Options: induction.Options{Options: opts,
		Induction: 1}}).Run(ctx, t, engine.Sink{Progress: r.progress})
	if err != nil {
		return err
	}
	proved := slices.DeleteFunc(found.Results, func(x result.Result) bool {
		return x.Verdict != result.Holds
	})
	r.ledger.add(proved)
	search.Claims = slices.DeleteFunc(slices.Clone(search.Claims), func(c engine.Claim) bool {
		return slices.ContainsFunc(proved, func(x result.Result) bool {
			return c.Property != nil && x.Property == c.Property.Name
		})
	})
	search.Named = true
	return nil
}

// instead is the number of queries at their limits that a search instead of an exploration may
// have. All of them together have the limit of one ordinary query.
const instead = 10

// short is a search of short runs in place of an exploration.
type short struct {
	why   string // nothing was explored
	steps int    // of the runs that were searched, negative for none
}

// boundInstead searches short runs of all instances if none could be explored, so that the user
// still sees violations. Only violations are results; a note gives the reason and the search. It
// uses solvers only if a proof is asked for, too, and ends when no violation can be left.
func (r *run) boundInstead(ctx context.Context, why string) error {
	opts := r.o.Bmc
	opts.Only = r.named(engine.Claim.IsInvariant)
	if len(r.o.Only) > 0 && len(opts.Only) == 0 || !r.o.Prove || r.o.Inductive {
		r.ledger.add(nil, why)
		return nil
	}
	opts.Depth = r.o.GuessDepth
	opts.Rlimit = max(cmp.Or(opts.Rlimit, discharge.DefaultRlimit)/instead, 1)
	opts.Budget = instead * opts.Rlimit
	ctx, cancel := r.guarded(ctx)
	defer cancel()
	defer context.AfterFunc(r.safe, cancel)()
	results, err := bmc.Check(ctx, r.sys, nil, opts)
	switch {
	case errors.Is(err, smt.ErrNoSolver) || err != nil && r.safe.Err() != nil:
		r.ledger.add(nil, why)
		return nil
	case err != nil:
		return err
	}
	r.short = &short{why, opts.Depth}
	for _, x := range results {
		if x.Verdict != result.Violated {
			r.short.steps = min(r.short.steps, int(x.Depth)-1)
		}
	}
	r.ledger.add(slices.DeleteFunc(results, func(x result.Result) bool {
		return x.Verdict != result.Violated
	}))
	return nil
}

// noteShort tells of the search in place of an exploration, after the proofs. How far it came
// before they ended it is of no interest.
func (r *run) noteShort() {
	if r.short == nil {
		return
	}
	why := r.short.why
	if r.short.steps >= 0 && r.safe.Err() == nil {
		why += fmt.Sprintf("; in its place all runs of at most %d steps were searched in all "+
			"instances (erelong bmc --depth K goes on)", r.short.steps)
	}
	r.ledger.add(nil, why)
}

// endSearch ends the search in place of an exploration if no run can violate a claim: all of them
// that it examines are proved.
func (r *run) endSearch() {
	if r.ledger.proves(r.named(engine.Claim.IsInvariant)) {
		r.declareSafe()
	}
}
