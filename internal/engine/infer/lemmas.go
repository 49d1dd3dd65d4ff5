package infer

import (
	"context"
	"slices"

	"erelong.dev/erelong/internal/logic"
	"erelong.dev/erelong/internal/result"
)

// partial notes the lemmas that a proof has shown, whatever is open.
func (s *search) partial(results []result.Result) {
	s.out.Partial = nil
	for _, g := range s.goals {
		if g.property == nil && g.own == nil && slices.ContainsFunc(results, func(r result.Result) bool { return r.Property == g.name && r.Verdict == result.Holds }) {
			s.out.Partial = append(s.out.Partial, Lemma{Name: g.name, Term: g.term, For: g.needs})
		}
	}
}

// reduce keeps a subset of the lemmas that makes the properties inductive on the instances. The
// lemmas are chosen again, from the existing ones, so that unneeded ones need no proof.
func (s *search) reduce(ctx context.Context) error {
	s.among = nil
	for _, g := range s.goals {
		if g.property == nil && !g.general {
			s.among = append(s.among, g)
		}
	}
	if len(s.among) == 0 {
		return nil
	}
	all := slices.Clone(s.goals)
	s.goals = slices.DeleteFunc(s.goals, func(g *goal) bool { return g.property == nil && !g.general })
	ok, err := s.onInstances(ctx)
	if s.among = nil; err == nil && !ok && ctx.Err() == nil {
		s.goals = all
	}
	s.note("%d of %d lemmas are needed", len(s.goals), len(all))
	return err
}

// chosen is the lemma, among the remaining ones, that excludes the most counterexamples, and the
// first of them in any case.
func (s *search) chosen(ctis []sample) (best *goal) {
	most := 0
	for _, g := range s.among {
		if slices.Contains(s.goals, g) || !ctis[0].holds(logic.Not(g.term)) {
			continue
		}
		n := 0
		for _, x := range ctis {
			if x.holds(logic.Not(g.term)) {
				n++
			}
		}
		if n > most {
			best, most = g, n
		}
	}
	return best
}

// finish keeps the lemmas that the proof needs, and reports it. Which are needed is seen on the
// largest instance, and proved then.
func (s *search) finish(ctx context.Context, results []result.Result) {
	all := s.goals
	goals := s.needed(ctx)
	s.rename(goals)
	rs, err := s.prove(ctx, goals, 0)
	if err != nil || !proved(rs) {
		goals = all
		s.rename(goals)
		if rs, err = s.prove(ctx, goals, 0); err != nil {
			rs = results
		}
	}
	s.goals, results = goals, rs
	s.out.Proved, s.out.Reason = err == nil && proved(results), result.Reason{}
	for _, r := range results {
		if slices.ContainsFunc(goals, func(g *goal) bool { return g.property != nil && g.label() == r.Property }) {
			r.Engine = Name
			s.out.Results = append(s.out.Results, r)
		}
	}
	for _, g := range goals {
		switch {
		case g.own != nil:
			s.out.Kept = append(s.out.Kept, g.own.Name)
		case g.property == nil:
			s.out.Lemmas = append(s.out.Lemmas, Lemma{Name: g.name, Term: g.term, For: g.needs})
		}
	}
}

// rename numbers the lemmas from 1. What a lemma was found for may be gone: then it is for what
// that was found for.
func (s *search) rename(goals []*goal) {
	var names []string
	for _, g := range goals {
		for n := 0; g.property == nil && !slices.ContainsFunc(goals, func(x *goal) bool { return x.label() == g.needs }); n++ {
			if g.needs = s.needs[g.needs]; g.needs == "" || n > len(s.needs) { // such as that of an invariant of the file
				g.needs = goals[0].label()
			}
		}
		names = append(names, g.label())
	}
	s.lemmas = 0
	for _, g := range goals {
		if g.property == nil && g.own == nil {
			g.name = s.newName()
		}
	}
	for _, g := range goals {
		if i := slices.Index(names, g.needs); i >= 0 {
			g.needs = goals[i].label()
		}
	}
	s.needs = map[string]string{}
	for _, g := range goals {
		s.needs[g.name] = g.needs
	}
}

// needed leaves out one lemma after the other as long as the goals are inductive on the largest
// instance.
func (s *search) needed(ctx context.Context) []*goal {
	goals := s.goals
	if len(s.instances) == 0 {
		return goals
	}
	ind, err := s.induction(ctx, s.instances[len(s.instances)-1])
	if err != nil {
		return goals
	}
	for i := len(goals) - 1; i >= 0; i-- {
		if goals[i].property != nil {
			continue
		}
		fewer := slices.Delete(slices.Clone(goals), i, i+1)
		var assumed []*logic.Term
		for _, g := range fewer {
			assumed = append(assumed, g.term)
		}
		if !slices.ContainsFunc(fewer, func(g *goal) bool {
			_, _, found, err := ind.Counterexample(ctx, assumed, g.term, nil)
			return found || err != nil
		}) {
			goals = fewer
		}
	}
	return goals
}

func proved(results []result.Result) bool {
	return len(results) > 0 && !slices.ContainsFunc(results, func(r result.Result) bool { return r.Verdict != result.Holds })
}
