package infer

import (
	"cmp"
	"context"
	"math/bits"
	"slices"

	"erelong.dev/erelong/internal/engine/bmc"
)

// rated is a candidate with the number of counterexamples that it excludes.
type rated struct {
	*candidate
	excludes int
}

// mostRated bounds the candidates with the same number of variables that are asked about before one
// is taken that needs others.
const mostRated = 12

// prefer finds the candidate that excludes the most counterexamples, and the first of them in any
// case; among equals the simplest. One that is inductive together with the goals comes before all
// others: it needs no further lemma. Templates with more variables are used only where smaller ones
// have no such candidate. It also gives reachable states in which better candidates are false.
func (s *search) prefer(ctx context.Context, ctis []sample) (best *candidate, doubts []sample) {
	w := newWorld(ctis[0].structure)
	for _, x := range ctis {
		w.states = append(w.states, x.state)
	}
	refuted := 0
	for from := 0; from < len(s.templates) && ctx.Err() == nil; {
		to, vars := from+1, max(len(s.templates[from].vars), 1)
		for to < len(s.templates) && len(s.templates[to].vars) <= vars {
			to++
		}
		asked := 0
		for _, r := range s.rate(ctx, s.templates[from:to], w) {
			if states := s.refutingStates(r.candidate); len(states) > 0 {
				doubts = append(doubts, states...)
				if refuted++; refuted == manyDoubts {
					return best, doubts
				}
				continue
			}
			if best == nil {
				best = r.candidate
			}
			if asked++; asked > mostRated {
				break
			}
			if s.preserved(ctx, ctis[0], r.candidate) {
				return r.candidate, doubts
			}
		}
		from = to
	}
	return best, doubts
}

// general is a candidate about elements in both orders, where a candidate about elements in
// ascending order is so in both: one lemma in place of two. It is the candidate itself where it is
// inductive and the general one is not.
func general(ctx context.Context, s *search, at sample, c *candidate) *candidate {
	if c == nil || len(c.form.orders) == 0 {
		return c
	}
	form := *c.form
	form.orders, form.pool = nil, nil
	g := &candidate{term: form.clause(c.literals), cost: c.cost, form: &form,
		literals: c.literals}
	if !form.usesAll(c.literals) || s.rejected[g.term.String()] ||
		slices.ContainsFunc(slices.Concat(s.worlds, s.assumed), func(w *world) bool {
			return g.falseIn(form.view(w))
		}) || len(s.refutingStates(g)) > 0 ||
		!s.preserved(ctx, at, g) && s.preserved(ctx, at, c) {
		return c
	}
	return g
}

// rate lists the candidates of some templates that exclude the first state of a world, the best
// ones first.
func (s *search) rate(ctx context.Context, templates []*template, w *world) (out []rated) {
	var graph alternations
	if s.acyclicOver != nil {
		graph = s.graph(s.acyclicOver)
	}
	for _, t := range templates {
		if t.pool == nil {
			t.prepare(slices.Concat(s.worlds, s.assumed))
		}
		v := t.view(w)
		if len(v.envs) == 0 {
			continue
		}
		list := func() (some bool) {
			for _, c := range t.pool.candidates {
				if x := c.excluded(v); x[0]&1 == 1 && !s.rejected[c.term.String()] &&
					(graph == nil || !graph.closes(c.term, s.acyclicOver)) {
					out, some = append(out, rated{c, bits.OnesCount64(x[0])}), true
				}
			}
			return some
		}
		t.exclude(ctx, v, levels[s.level].literals, levels[s.level].cost)
		if !list() && levels[s.level].long {
			t.excludeLong(v)
			list()
		}
	}
	slices.SortStableFunc(out, func(a, b rated) int {
		return cmp.Or(cmp.Compare(b.excludes, a.excludes), cmp.Compare(a.cost, b.cost))
	})
	return out
}

// scratch asks about candidates, most of which are not taken: what is known of them would slow the
// other questions down.
type scratch struct {
	ind   *bmc.Induction
	asked int
}

// Limits of these questions.
const (
	manyScratched    = 100
	scratchConflicts = 500
)

// preserved reports whether no step on the instance of a state leads out of a candidate, where all
// goals and the candidate hold.
func (s *search) preserved(ctx context.Context, at sample, c *candidate) bool {
	inst := at.model.Instance
	x := s.scratch[inst]
	if x == nil || x.asked == manyScratched {
		ind, err := s.newInduction(inst)
		if err != nil {
			return false
		}
		ind.Limit = scratchConflicts
		x = &scratch{ind: ind}
		s.scratch[inst] = x
	}
	x.asked++
	_, _, found, err := x.ind.Counterexample(ctx, append(formulas(s.goals), c.term), c.term, nil, 0)
	return !found && err == nil
}
