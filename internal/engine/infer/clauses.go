package infer

import (
	"cmp"
	"context"
	"fmt"
	"math/bits"
	"slices"

	"erelong.dev/erelong/internal/interp"
)

// levels are the vocabularies, tried one after the other. Cost bounds the cost of the atoms of a
// clause.
var levels = []struct {
	vars, literals, cost int
	inner                bool // with atoms that have a quantifier
	long                 bool // with clauses of more literals (long.go)
}{
	{2, 3, 12, false, false}, {3, 3, 12, false, false}, {2, 4, 12, false, true},
	{3, 2, 10, true, false}, {2, 4, 8, true, false}, {4, 3, 7, true, false},
	{3, 4, 8, true, false}, {4, 3, 12, false, false}, {4, 2, 10, true, false},
	{5, 3, 7, true, false}, {5, 3, 12, true, false},
}

// linearLevels are the vocabularies of bounds between integers: how many conditions a mode has at
// most, and whether bounds may be exact on a ridge only. Most of these are wrong in larger
// instances, so they come last.
var linearLevels = []struct {
	conditions int
	ridges     bool
}{{2, false}, {3, false}, {4, false}, {2, true}, {3, true}, {4, true}}

// vocabularyOf says what the candidates of a level are.
func vocabularyOf(level int, linear bool) string {
	if linear {
		l := linearLevels[level]
		text := fmt.Sprintf("bounds in modes of up to %d conditions", l.conditions)
		if l.ridges {
			text += ", exact on ridges"
		}
		return text
	}
	l := levels[level]
	text := fmt.Sprintf("clauses of up to %d literals about %d variables, of cost %d", l.literals,
		l.vars, l.cost)
	if l.inner {
		text += ", with quantifiers inside"
	}
	if l.long {
		text += ", and longer ones"
	}
	return text
}

// clauses are the candidates of a vocabulary that are clauses: true in all samples, each of a form.
type clauses struct {
	samples   *samples
	measures  *measures      // nil without integers
	shapes    map[string]int // of atoms
	level     int            // the vocabulary
	templates []*template
	// acyclicOver is the graph of quantifier alternations in the file, while candidates that close
	// a cycle in it are left out; nil otherwise. triedAcyclic says that this was tried with the
	// current vocabulary.
	acyclicOver  alternations
	triedAcyclic bool
}

func newClauses(of *samples) *clauses {
	return &clauses{samples: of, measures: measuresOf(of.sys), shapes: map[string]int{}}
}

// grow makes the templates of a vocabulary. What the claims and the invariants of the file say as a
// whole is no atom.
func (c *clauses) grow(level int, goals []*goal) {
	c.level = level
	s, l := c.samples, levels[level]
	v := &vocabulary{sys: s.sys, orders: s.orders, measures: c.measures, inner: l.inner,
		equations: equations(s.sys, s.worlds), shapes: c.shapes,
		claims: formulas(keep(goals, func(g *goal) bool { return g.from == nil }))}
	v.collectQuantified()
	c.templates = nil
	for n := 0; n <= l.vars; n++ {
		c.templates = append(c.templates, v.templates(n)...)
	}
}

// forget drops what is known of the samples, as there are other ones.
func (c *clauses) forget() {
	for _, t := range c.templates {
		t.pool = nil
	}
}

// witness adds reachable states in which candidates are false.
func (c *clauses) witness(found []sample) {
	for len(found) > 0 {
		of := found[0].structure
		var states []interp.State
		found = slices.DeleteFunc(found, func(x sample) bool {
			if x.structure == of {
				states = append(states, x.state)
			}
			return x.structure == of
		})
		was, now := c.samples.witness(of, states)
		for _, t := range c.templates {
			if t.pool != nil {
				t.pool.worlds = slices.DeleteFunc(t.pool.worlds, func(v *view) bool {
					return v.world == was
				})
			}
			t.also(now)
		}
	}
}

// rated is a candidate with the number of counterexamples that it excludes.
type rated struct {
	*candidate
	excludes int
}

// rate lists the candidates of some templates that exclude the first state of a world, the best
// ones first.
func (c *clauses) rate(
	ctx context.Context, templates []*template, w *world, beside *goals,
) (out []rated) {
	var graph alternations
	if c.acyclicOver != nil {
		graph = c.acyclicOver.with(beside.all)
	}
	level := levels[c.level]
	for _, t := range templates {
		if t.pool == nil {
			t.prepare(c.samples.all())
		}
		v := t.view(w)
		if len(v.envs) == 0 {
			continue
		}
		list := func() (some bool) {
			for _, of := range t.pool.candidates {
				if x := of.excluded(v); x[0]&1 == 1 && !beside.rejected[of.term.String()] &&
					(graph == nil || !graph.closes(of.term, c.acyclicOver)) {
					out, some = append(out, rated{of, bits.OnesCount64(x[0])}), true
				}
			}
			return some
		}
		t.exclude(ctx, v, level.literals, level.cost)
		if !list() && level.long {
			t.excludeLong(v)
			list()
		}
	}
	slices.SortStableFunc(out, func(a, b rated) int {
		return cmp.Or(cmp.Compare(b.excludes, a.excludes), cmp.Compare(a.cost, b.cost))
	})
	return out
}

// mostRated bounds the candidates with the same number of variables that are asked about before one
// is taken that needs others.
const mostRated = 12

// choose finds the candidate that excludes the counterexamples best, and the first of them in any
// case.
func (s *search) choose(ctx context.Context, ctis []sample, g *goal) (best *candidate) {
	if s.linear != nil {
		if g.property != nil && g.premise == nil {
			g.premise = s.linear.premise(g.term)
		}
		most := 0
		conditions := linearLevels[s.level].conditions
		s.linear.exclude(ctx, ctis[0], g.premise, conditions, func(c *candidate) bool {
			if s.goals.rejected[c.term.String()] {
				return false
			}
			n := 1
			for _, x := range ctis[1:] {
				if c.excludes(x) {
					n++
				}
			}
			if best != nil && best.bound.loose != c.bound.loose {
				if best.bound.loose {
					best, most = c, n
				}
			} else if n > most || n == most && c.cost < best.cost {
				best, most = c, n
			}
			return true
		})
		return best
	}
	for {
		best, doubts := s.prefer(ctx, ctis)
		if len(doubts) == 0 || ctx.Err() != nil {
			return s.general(ctx, ctis[0], best)
		}
		s.clauses.witness(doubts)
	}
}

// prefer finds the candidate that excludes the most counterexamples, and the first of them in any
// case; among equals the simplest. One that is inductive together with the goals comes before all
// others: it needs no further lemma. Templates with more variables are used only where smaller ones
// have no such candidate. It also gives reachable states in which better candidates are false.
func (s *search) prefer(ctx context.Context, ctis []sample) (best *candidate, doubts []sample) {
	w := newWorld(ctis[0].structure)
	for _, x := range ctis {
		w.states = append(w.states, x.state)
	}
	refuted, templates := 0, s.clauses.templates
	for from := 0; from < len(templates) && ctx.Err() == nil; {
		to, vars := from+1, max(len(templates[from].vars), 1)
		for to < len(templates) && len(templates[to].vars) <= vars {
			to++
		}
		asked := 0
		for _, r := range s.clauses.rate(ctx, templates[from:to], w, s.goals) {
			if states := s.trials.refuting(r.candidate); len(states) > 0 {
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
			if s.questions.preserved(ctx, s.goals.all, ctis[0], r.candidate) {
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
func (s *search) general(ctx context.Context, at sample, c *candidate) *candidate {
	if c == nil || len(c.form.orders) == 0 {
		return c
	}
	form := *c.form
	form.orders, form.pool = nil, nil
	g := &candidate{term: form.clause(c.literals), cost: c.cost, form: &form,
		literals: c.literals}
	if !form.usesAll(c.literals) || s.goals.rejected[g.term.String()] ||
		slices.ContainsFunc(s.samples.all(), func(w *world) bool {
			return g.falseIn(form.view(w))
		}) || len(s.trials.refuting(g)) > 0 ||
		!s.questions.preserved(ctx, s.goals.all, at, g) &&
			s.questions.preserved(ctx, s.goals.all, at, c) {
		return c
	}
	return g
}
