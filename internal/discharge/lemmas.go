package discharge

import (
	"context"
	"maps"
	"slices"

	"erelong.dev/erelong/internal/logic"
	"erelong.dev/erelong/internal/result"
	"erelong.dev/erelong/internal/vc"
)

// A theory entails what follows from it and from the goals that it entails. So the goals that are
// proved are lemmas for the others. An invariant that follows from others in one state is proved by
// what is known of the state after the step alone, without the step; that a step is one of an
// abstract specification follows from the step and an invariant of the state after it.

// mostLemmas bounds the lemmas of a question: a solver reads all of them.
const mostLemmas = 60

// lemmas are the goals of a group that are proved, and the solvers that the proofs rest on. What
// follows from other goals is none of them.
type lemmas struct {
	goals   []vc.Hypothesis
	provers []string
}

func lemmasOf(g *Group) (l lemmas) {
	for _, o := range g.Obligations {
		nobody := o.Solver == result.Nobody()
		proved := o.Verdict == result.Holds && (nobody || len(o.provers) > 0)
		if proved && !o.InState && !o.Bounded {
			l.goals = append(l.goals, vc.Hypothesis{Term: o.Goal})
			l.provers = append(l.provers, o.provers...)
		}
	}
	return l
}

// byLemmas proves some of the obligations of a group that have no verdict yet from the ones that
// are proved, and reports whether it does. Only a proof counts: the others still have none.
func (d *Discharger) byLemmas(ctx context.Context, g *Group) (some bool) {
	if !g.isStep() || len(g.Theory.Updates) == 0 {
		return false
	}
	for again := true; again; {
		again = d.byLemmasOf(ctx, g, lemmasOf(g), alone)
		again = d.byLemmasOf(ctx, g, lemmasOf(g), beside) || again
		some = some || again
	}
	return some
}

// again looks once more at the obligations of a group that no solver could decide, since hard ones
// that are proved after them are lemmas, too.
func (d *Discharger) again(ctx context.Context, g *Group) {
	if isLarge(g.Theory) || !slices.ContainsFunc(g.Obligations, func(o *Obligation) bool {
		return o.Verdict == result.Holds && o.effort == everything && len(o.provers) > 0
	}) {
		return
	}
	before := map[*Obligation]result.Obligation{}
	for _, o := range g.Obligations {
		if o.Verdict == result.Unknown && !o.Reason.Ended() && d.Violated(o.Property) == "" {
			before[o] = o.Obligation
			o.Verdict, o.Reason = "", result.Reason{}
		}
	}
	if len(before) == 0 {
		return
	}
	d.byLemmas(ctx, g)
	for o, was := range before {
		if o.Verdict == "" {
			was.Queries, was.Rlimit = was.Queries+o.Queries, was.Rlimit+o.Rlimit
			o.Obligation = was
		}
	}
}

// alone is what a theory says of constants, and of sums that the lemmas speak of, with lemmas.
func alone(t *vc.Theory, l lemmas) *vc.Theory {
	out := *t
	out.Updates, out.Hypotheses = nil, nil
	near := map[symbolCopy]bool{}
	for _, h := range l.goals {
		maps.Copy(near, copiesIn(h.Term))
	}
	about := func(h vc.Hypothesis) bool {
		if h.Law == nil || h.Law.Rare {
			return false
		}
		for c := range copiesIn(h.Term) {
			if !near[c] {
				return false
			}
		}
		return true
	}
	for _, h := range t.Hypotheses {
		if len(vc.Mutable(h.Term)) == 0 || about(h) {
			out.Hypotheses = append(out.Hypotheses, h)
		}
	}
	out.Hypotheses = append(out.Hypotheses, l.goals...)
	return &out
}

// beside is a theory with lemmas.
func beside(t *vc.Theory, l lemmas) *vc.Theory {
	out := *t
	out.Hypotheses = slices.Concat(t.Hypotheses, l.goals)
	return &out
}

// byLemmasOf asks about the open obligations of a group in a theory with lemmas.
func (d *Discharger) byLemmasOf(
	ctx context.Context, g *Group, l lemmas, with func(*vc.Theory, lemmas) *vc.Theory,
) (some bool) {
	var open []*Obligation
	for _, o := range g.Obligations {
		if o.Verdict == "" {
			open = append(open, o)
		}
	}
	if len(open) == 0 || len(l.goals) == 0 || len(l.goals) > mostLemmas {
		return false
	}
	a := newAsker(d, &Group{Theory: with(g.Theory, l), Path: g.Path, Obligations: open})
	defer a.close()
	own := newAsker(d, g)
	defer own.close()
	for _, o := range open {
		if ctx.Err() != nil || !a.mayBeEasy(o) || o.Goal.Op == logic.OpFalse {
			continue
		}
		a.provesAtOnce(ctx, o, a.quick)
		if o.Verdict != result.Holds {
			continue
		}
		some = true
		o.Method += ", from what else the step preserves"
		o.Needs = nil // the lemmas need hypotheses, too
		o.provers = slices.Compact(slices.Sorted(slices.Values(append(o.provers, l.provers...))))
		own.keep(o, own.recall(o)) // the theory entails the lemmas, so it entails the goal
		d.spent.Add(o.Rlimit)
		d.tally.finish(d.opts.Progress, o)
	}
	return some
}
