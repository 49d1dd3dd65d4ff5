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
	"erelong.dev/erelong/internal/result"
	"erelong.dev/erelong/internal/smt"
	"erelong.dev/erelong/internal/system"
	"erelong.dev/erelong/internal/vc"
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

// clauses asks a solver of Horn clauses. Some says that the system has such clauses, and that the
// solver sees no violation; done means that there is a proof.
func (s *search) clauses(
	ctx context.Context, attempts []horn.Options,
) (some, done bool, err error) {
	if s.opts.NoHorn {
		return false, false, nil
	}
	var goals []*logic.Term
	var first *goal
	for _, g := range s.goals {
		if g.property != nil {
			goals = append(goals, g.term)
			if first == nil {
				first = g
			}
		}
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
		if ctx.Err() != nil || first == nil {
			return false, false, nil
		}
		s.note("asking a solver of Horn clauses")
		o.Drivers, o.Seed, o.LogDir = drivers, s.opts.Seed+o.Seed, s.opts.LogDir
		a, err := horn.Find(ctx, s.sys, goals, o)
		switch {
		case errors.Is(err, horn.ErrNotHorn), ctx.Err() != nil, err == nil && a.Violated:
			return false, false, nil
		case err != nil || a.Lemmas == nil:
			continue // what is found otherwise does not depend on it
		}
		if done, err := s.solved(ctx, a.Lemmas, first); done || err != nil {
			return true, done, err
		}
	}
	return true, false, nil
}

// solved proves the properties with lemmas that a solver gave, and keeps the ones that the proof
// needs.
func (s *search) solved(ctx context.Context, lemmas []*logic.Term, of *goal) (bool, error) {
	before := s.goals
	s.goals = slices.DeleteFunc(slices.Clone(before), func(g *goal) bool {
		return g.property == nil
	})
	adopt(s, lemmas, of)
	cores := s.opts.Cores
	s.opts.Cores = true
	results, err := s.prove(ctx, s.goals, full)
	s.opts.Cores = cores
	if err != nil || !proved(results) {
		s.goals = before
		return false, err
	}
	all := s.goals
	how := full
	needed, named := s.supports(results)
	if s.goals = needed; !named {
		how = patient // the results are of a proof that may use more
	}
	s.finish(ctx, results, how)
	if !s.out.Proved { // what a proof names as needed need not be enough for another one
		s.goals = all
		s.finish(ctx, results, full)
	}
	return s.out.Proved, nil
}

// adopt makes goals of formulas for a goal of a search.
func adopt(s *search, lemmas []*logic.Term, of *goal) {
	for _, t := range lemmas {
		g := &goal{name: s.newName(), term: t, needs: of.label()}
		s.needs[g.name] = g.needs
		s.goals = append(s.goals, g)
	}
}

// supports are the properties with the lemmas on which their proofs rest, directly or not: by the
// hypotheses that the solvers named, or else by what the instances need, or else all. Named says
// that solvers named all hypotheses.
func (s *search) supports(results []result.Result) (used []*goal, named bool) {
	owner, of := map[string]*goal{}, map[*logic.Term]*goal{}
	for _, g := range s.goals {
		of[g.term] = g
		for _, h := range vc.ConjunctNames(g.label(), g.term) {
			owner[h] = g
		}
	}
	named = true
	for _, g := range s.goals {
		if g.property != nil {
			used = append(used, g)
		}
	}
	for i := 0; i < len(used); i++ {
		use := func(g *goal) {
			if g == nil || slices.Contains(used, g) {
				return
			}
			if g.property == nil {
				g.needs = used[i].label()
				s.needs[g.name] = g.needs
			}
			used = append(used, g)
		}
		for _, r := range results {
			if r.Property != used[i].label() || r.Evidence == nil {
				continue
			}
			needs, known := r.Evidence.Needs()
			if named = named && known; !known && !hasQuestions(s) {
				return s.goals, false
			}
			for _, h := range needs {
				use(owner[h])
			}
			for _, inst := range s.instances {
				if ind := s.ground[inst]; !known && ind != nil {
					for _, t := range ind.Core(used[i].term) {
						use(of[t])
					}
				}
			}
		}
	}
	return used, named
}

// hasQuestions reports whether an instance has a solver that knows what a proof needs.
func hasQuestions(s *search) bool {
	return slices.ContainsFunc(s.instances, func(inst *system.Instance) bool {
		return s.ground[inst] != nil
	})
}
