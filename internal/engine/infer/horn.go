package infer

import (
	"context"
	"errors"
	"fmt"
	"slices"

	"erelong.dev/erelong/internal/discharge"
	"erelong.dev/erelong/internal/effort"
	"erelong.dev/erelong/internal/engine/horn"
	"erelong.dev/erelong/internal/logic"
	"erelong.dev/erelong/internal/smt"
)

// hornAttempts are the questions to a solver of Horn clauses: their resources, and seeds, on which
// much depends.
var hornAttempts = []horn.Options{
	{Rlimit: discharge.DefaultRlimit / 10},
	{Rlimit: discharge.DefaultRlimit / 10, Seed: 1},
	{Rlimit: discharge.DefaultRlimit, Seed: 2},
	{Rlimit: discharge.DefaultRlimit, Seed: 3},
	{Rlimit: discharge.DefaultRlimit, Equalities: true},
}

// horn asks a solver of Horn clauses. Some says that the system has such clauses, and that the
// solver sees no violation; done means that there is a proof.
func (s *search) horn(ctx context.Context, attempts []horn.Options) (some, done bool, err error) {
	if s.opts.NoHorn {
		return false, false, nil
	}
	drivers := s.opts.Drivers
	if len(drivers) == 0 {
		if drivers, err = smt.Find(ctx, s.opts.Solvers); err != nil {
			return false, false, fmt.Errorf("looking for solvers: %w", err)
		}
	}
	ctx, ended := effort.Begin(ctx, "a solver of Horn clauses")
	defer ended()
	for _, o := range attempts {
		if ctx.Err() != nil || len(s.claims.goals) == 0 {
			return false, false, nil
		}
		s.note("asking a solver of Horn clauses")
		o.Drivers, o.Seed, o.LogDir = drivers, s.opts.Seed+o.Seed, s.opts.LogDir
		a, err := horn.Find(ctx, s.sys, s.claims.terms(), o)
		switch {
		case errors.Is(err, horn.ErrNotHorn), ctx.Err() != nil, err == nil && a.Violated:
			return false, false, nil
		case err != nil || a.Lemmas == nil:
			continue // what is found otherwise does not depend on it
		}
		if done, err := s.solved(ctx, a.Lemmas); done || err != nil {
			return true, done, err
		}
	}
	return true, false, nil
}

// solved proves the properties with lemmas that a solver gave, and keeps the ones that the proof
// needs.
func (s *search) solved(ctx context.Context, lemmas []*logic.Term) (bool, error) {
	before := s.goals.all
	s.goals.all = slices.DeleteFunc(slices.Clone(before), func(g *goal) bool {
		return g.property == nil
	})
	s.goals.adopt(lemmas, s.claims.goals[0])
	cores := s.prover.opts.Cores
	s.prover.opts.Cores = true
	results, err := s.prover.prove(ctx, s.goals.all, full)
	s.prover.opts.Cores = cores
	if err != nil || !proved(results) {
		s.goals.all = before
		return false, err
	}
	all := s.goals.all
	how := full
	needed, named := s.goals.supports(results, s.questions)
	if s.goals.all = needed; !named {
		how = patient // the results are of a proof that may use more
	}
	s.finish(ctx, results, how)
	if !s.out.Proved { // what a proof names as needed need not be enough for another one
		s.goals.all = all
		s.finish(ctx, results, full)
	}
	return s.out.Proved, nil
}
