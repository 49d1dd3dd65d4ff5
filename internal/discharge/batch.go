package discharge

import (
	"context"
	"fmt"
	"slices"
	"time"

	"erelong.dev/erelong/internal/logic"
	"erelong.dev/erelong/internal/result"
	"erelong.dev/erelong/internal/smt"
)

// A solver reads all hypotheses for each question. With thousands of conjuncts, which are
// hypotheses and goals, the cost is their number squared. So the goals of a large group are first
// asked about together: a theory entails all of them exactly if it entails their conjunction.
const (
	manyObligations = 200  // of one group, from which on they are asked about together
	batchSize       = 2500 // most of them in one question
)

// batches gives the questions about many obligations of a group. What they leave open is decided
// one by one.
func (d *Discharger) batches(g *Group) (out []*Group) {
	var open []*Obligation
	for _, o := range g.Obligations {
		if o.Verdict == "" && !o.quick && !o.Bounded {
			open = append(open, o)
		}
	}
	if len(open) < manyObligations || g.Path.Kind == result.Witness || d.opts.Each != nil {
		return nil
	}
	for some := range slices.Chunk(open, batchSize) {
		b := *g
		b.Obligations = some
		out = append(out, &b)
	}
	return out
}

// batch settles the obligations of a batch that are proved together, or were in an earlier run.
func (d *Discharger) batch(ctx context.Context, g *Group, together []string) {
	if slices.ContainsFunc(together, func(property string) bool {
		return d.Violated(property) != ""
	}) {
		return
	}
	a := newAsker(d, g)
	defer a.close()
	var open []*Obligation
	known := map[*Obligation]kept{}
	for _, o := range g.Obligations {
		k := a.recall(o)
		if k.proof == nil || d.opts.Verify || !d.believes(k.proof) {
			open, known[o] = append(open, o), k
			continue
		}
		a.believe(o, k)
	}
	a.together(ctx, open, known)
}

// together asks about the conjunction of goals, and if it is not proved, about both halves.
func (a *asker) together(ctx context.Context, open []*Obligation, known map[*Obligation]kept) {
	if len(open) <= chunkSize || ctx.Err() != nil {
		return
	}
	began := time.Now()
	all := &Obligation{quick: true, firstOnly: true} // without labels
	all.Name = fmt.Sprintf("%s and %d others", open[0].Name, len(open)-1)
	all.Action, all.Property = open[0].Action, open[0].Property
	goals := make([]*logic.Term, len(open))
	for i, o := range open {
		goals[i] = o.Goal
	}
	r := a.start(ctx, all, part{goal: logic.And(goals...)}, a.attempts()[0], a.quick)()
	a.book(all, r)
	a.in.spent.Add(all.Rlimit)
	if r.err != nil || r.Status != smt.Unsat {
		half := len(open) / 2
		a.together(ctx, open[:half], known)
		a.together(ctx, open[half:], known)
		return
	}
	for i, o := range open {
		if a.in.opts.Begin != nil {
			a.in.opts.Begin(o.Name)
		}
		o.Verdict, o.Solver, o.Seed, o.provers = result.Holds, all.Solver, all.Seed,
			[]string{a.label(r.attempt)}
		o.Method = fmt.Sprintf("%s, together with %d others", all.Method, len(open)-1)
		if i == 0 {
			o.Queries, o.Rlimit, o.Elapsed = all.Queries, all.Rlimit, time.Since(began)
		}
		a.keep(o, known[o])
	}
}
