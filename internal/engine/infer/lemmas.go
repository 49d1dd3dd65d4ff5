package infer

import (
	"cmp"
	"context"
	"fmt"
	"slices"

	"erelong.dev/erelong/internal/effort"
	"erelong.dev/erelong/internal/engine/bmc"
	"erelong.dev/erelong/internal/logic"
	"erelong.dev/erelong/internal/result"
)

// partial notes what a draft of a proof has shown, whatever is open.
func (s *search) partial(results []result.Result) {
	s.drafted = keep(s.goals, func(g *goal) bool { return g.provedBy(results) })
}

// latePartial bounds the work of the proof of what was found when a search is ended from outside.
const latePartial = 30 * effort.Million

// leave proves what the last draft has shown, or, where a search without limits was stuck before
// any draft, what it can of the lemmas that it had. It lists the proved lemmas.
func (s *search) leave(ctx context.Context) error {
	goals := s.drafted
	if !slices.ContainsFunc(goals, (*goal).isLemma) && s.opts.Effort == 0 {
		goals = s.lastGoals
	}
	if !slices.ContainsFunc(goals, (*goal).isLemma) {
		return nil
	}
	ctx, cancel := effort.Late(ctx, latePartial)
	defer cancel()
	results, err := s.prove(ctx, goals, again)
	for _, g := range goals {
		if g.isLemma() && g.provedBy(results) {
			s.out.Partial = append(s.out.Partial, Lemma{Name: g.name, Term: g.term, For: g.needs})
		}
	}
	return err
}

func (g *goal) isLemma() bool { return g.property == nil && g.fileInvariant == nil }

// reduceConflicts bounds a question of whether the lemmas do without one of them.
const reduceConflicts = 2_000

// manyLemmas about integers are worth a reduction: small instances tell less about what
// is needed in general than a proof does, which is dear with many lemmas.
const manyLemmas = 60

// fewInstances with integers are asked whether a lemma is needed, and the others about the result.
const fewInstances = 4

// reduce keeps a subset of the lemmas that makes the properties inductive on the instances, so that
// unneeded ones need no proof. Lemmas that exclude a counterexample outside of the instances stay,
// unless all are asked about. Each goal names the lemmas that it was proved with; of these, the
// most complicated ones are left out where the others suffice. A probe is asked about the result,
// and about each lemma only if the result is not inductive there.
func (s *search) reduce(ctx context.Context, general bool) []*goal {
	var inductions, larger []*bmc.Induction
	for i, inst := range s.instances {
		if ind, err := s.induction(inst); err == nil {
			if s.linear != nil && i >= fewInstances {
				larger = append(larger, ind)
			} else {
				inductions = append(inductions, ind)
			}
			usual := ind.Limit
			ind.Limit = reduceConflicts
			defer func() { ind.Limit = usual }()
		}
	}
	if len(inductions) == 0 {
		return s.goals
	}
	for _, p := range s.probes {
		larger = append(larger, p.ind)
	}
	stays := func(g *goal) bool { return g.property != nil || g.beyondInstances && !general }
	goals := s.goals
	if fewer := s.used(append(larger, inductions...), stays); s.inductive(ctx, inductions, fewer) &&
		s.inductive(ctx, larger, fewer) {
		goals = fewer
	}
	if s.linear != nil && len(goals) <= manyLemmas {
		s.note("%d of %d lemmas are used", len(goals), len(s.goals))
		return goals
	}
	sorted := slices.Clone(goals)
	slices.SortStableFunc(sorted, func(a, b *goal) int { return cmp.Compare(b.cost(), a.cost()) })
	for again := true; again; {
		least := goals
		for _, g := range sorted {
			if fewer := keep(least, func(x *goal) bool { return x != g }); !stays(g) &&
				s.inductive(ctx, inductions, fewer) {
				least = fewer
			}
		}
		i := slices.IndexFunc(larger, func(ind *bmc.Induction) bool {
			return !s.inductive(ctx, []*bmc.Induction{ind}, least)
		})
		if again = i >= 0; again {
			inductions, larger = append(inductions, larger[i]), slices.Delete(larger, i, i+1)
		} else {
			goals = least
		}
	}
	s.note("%d of %d lemmas are needed", len(goals), len(s.goals))
	return goals
}

// used keeps the goals that stay, and the ones by which they were proved on instances.
func (s *search) used(inductions []*bmc.Induction, stays func(*goal) bool) []*goal {
	used := map[*logic.Term]bool{}
	var use func(t *logic.Term)
	use = func(t *logic.Term) {
		if used[t] {
			return
		}
		used[t] = true
		for _, ind := range inductions {
			for _, c := range ind.Core(t) {
				use(c)
			}
		}
	}
	for _, g := range s.goals {
		if stays(g) {
			use(g.term)
		}
	}
	return keep(s.goals, func(g *goal) bool { return used[g.term] })
}

func keep(goals []*goal, needed func(*goal) bool) (out []*goal) {
	for _, g := range goals {
		if needed(g) {
			out = append(out, g)
		}
	}
	return out
}

// cost is higher for a more complicated lemma; the invariants of the file have none.
func (g *goal) cost() int {
	if g.from == nil {
		return 0
	}
	return g.from.cost
}

// dispensable reports whether what was proved with a lemma on the instances has a proof without it:
// lemmas that were found later may say more.
func (s *search) dispensable(ctx context.Context, lemma *goal) bool {
	if s.linear != nil {
		return false
	}
	others := keep(s.goals, func(g *goal) bool { return g != lemma })
	assumed := formulas(others)
	for _, inst := range s.instances {
		ind := s.ground[inst]
		if ind == nil {
			continue
		}
		for _, g := range others {
			if !slices.Contains(ind.Core(g.term), lemma.term) {
				continue
			}
			if _, _, found, err := ind.Counterexample(ctx, assumed, g.term, nil, 0); found ||
				err != nil {
				return false
			}
		}
	}
	return true
}

// inductive reports whether all goals are inductive together on the instances.
func (s *search) inductive(ctx context.Context, inductions []*bmc.Induction, goals []*goal) bool {
	assumed := formulas(goals)
	for _, ind := range inductions {
		for _, g := range goals {
			if _, _, found, err := ind.Counterexample(ctx, assumed, g.term, nil, 0); found ||
				err != nil {
				return false
			}
		}
	}
	return true
}

// finish keeps the lemmas that the proof needs, and reports it. Which are needed is seen on the
// instances, or the solvers name them. It is proved then, but not again where all are needed and
// the results are of a full proof: others do not ask whether there is an initial state.
func (s *search) finish(ctx context.Context, results []result.Result, how patience) {
	s.out.Results, s.out.Lemmas, s.out.Kept = nil, nil, nil
	all := s.goals
	var goals []*goal
	if s.linear != nil {
		goals, _ = s.supports(results)
	} else {
		goals = s.reduce(ctx, true)
	}
	known := how == full && len(goals) == len(all) && holds(goals, results)
	s.rename(goals)
	var err error
	if !known {
		var rs []result.Result
		if rs, err = s.prove(ctx, goals, full); err != nil || !proved(rs) {
			goals = all
			s.rename(goals)
			rs, err = s.prove(ctx, goals, full)
		}
		if ctx.Err() != nil { // what is found needs no more than its proof
			ctx, cancel := effort.Late(ctx, latePartial)
			defer cancel()
			rs, err = s.prove(ctx, goals, full)
		}
		if known = err == nil && proved(rs); err == nil {
			results = rs
		}
	}
	s.goals = goals
	s.out.Proved, s.out.Reason = known, result.Reason{}
	for _, r := range results {
		if slices.ContainsFunc(goals, func(g *goal) bool {
			return g.property != nil && g.label() == r.Property
		}) {
			r.Engine = Name
			s.out.Results = append(s.out.Results, r)
		}
	}
	for _, g := range goals {
		switch {
		case g.fileInvariant != nil:
			s.out.Kept = append(s.out.Kept, g.fileInvariant.Name)
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
		for n := 0; g.property == nil && !slices.ContainsFunc(goals, func(x *goal) bool {
			return x.label() == g.needs
		}); n++ {
			// such as that of an invariant of the file
			if g.needs = s.needs[g.needs]; g.needs == "" || n > len(s.needs) {
				g.needs = goals[0].label()
			}
		}
		names = append(names, g.label())
	}
	s.lemmas = 0
	for _, g := range goals {
		if g.property == nil && g.fileInvariant == nil {
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

// holds reports whether a proof has shown all goals, and nothing else of them.
func holds(goals []*goal, results []result.Result) bool {
	return !slices.ContainsFunc(goals, func(g *goal) bool {
		return !g.provedBy(results) || slices.ContainsFunc(results, func(r result.Result) bool {
			return r.Property == g.label() && r.Verdict != result.Holds
		})
	})
}

func proved(results []result.Result) bool {
	return len(results) > 0 && !slices.ContainsFunc(results, func(r result.Result) bool {
		return r.Verdict != result.Holds
	})
}

// newName gives a lemma an unused name.
func (s *search) newName() string {
	for {
		s.lemmas++
		name := fmt.Sprintf("%slemma%d", s.opts.Prefix, s.lemmas)
		if s.sys.Property(name) == nil && !slices.ContainsFunc(s.sys.Symbols, func(
			sym *logic.Symbol,
		) bool {
			return sym.Name == name
		}) {
			return name
		}
	}
}
