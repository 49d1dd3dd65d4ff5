package discharge

import (
	"context"
	"fmt"
	"slices"
	"time"

	"erelong.dev/erelong/internal/logic"
	"erelong.dev/erelong/internal/result"
	"erelong.dev/erelong/internal/smt"
	"erelong.dev/erelong/internal/vc"
)

// A solver reads all hypotheses for each question, and even the easiest question takes a solver
// milliseconds. With thousands of conjuncts, which are hypotheses and goals, the cost is their
// number squared; with thousands of actions it is minutes. So where there are many obligations,
// they are first asked about together. A theory entails all of its goals exactly if it entails
// their conjunction. The theories of several actions share most hypotheses; where the shared ones
// entail, for each action, that its other hypotheses imply its goals, all obligations hold.
const (
	manyObligations = 200  // of one group, from which on they are asked about together
	manyGroups      = 200  // from which on several groups are asked about together
	groupsTogether  = 64   // most of them in one question
	batchSize       = 2500 // most obligations in one question
)

// batches gives the questions about many obligations. What they leave open is decided one by one.
func (d *Discharger) batches(groups []*Group) (out []*batch) {
	if d.opts.Each != nil {
		return nil
	}
	var small []*Group
	for _, g := range groups {
		var open []*Obligation
		for _, o := range g.Obligations {
			if o.Verdict == "" && !o.quick && !o.Bounded {
				open = append(open, o)
			}
		}
		switch n := len(open); {
		case n == 0 || g.Path.Kind == result.Witness:
		case n >= manyObligations:
			for some := range slices.Chunk(open, batchSize) {
				out = append(out, &batch{groups: []*Group{g.with(some)}})
			}
		case n <= batchSize/groupsTogether && !isLarge(g.Theory):
			small = append(small, g.with(open))
		}
	}
	if len(small) >= manyGroups {
		for some := range slices.Chunk(small, groupsTogether) {
			out = append(out, &batch{groups: some})
		}
	}
	return out
}

// with gives a group with some of its obligations.
func (g *Group) with(some []*Obligation) *Group {
	c := *g
	c.Obligations = some
	return &c
}

// batch is a set of obligations that are asked about together.
type batch struct {
	groups []*Group
	asker  *asker        // of what the theories share
	own    []*logic.Term // what each theory assumes besides
	open   []batched
}

// batched is an obligation of a batch.
type batched struct {
	*Obligation
	group int    // its index
	of    *asker // of its group alone
	known kept
}

// share splits the theories into the hypotheses of all of them, and what each assumes besides.
func (b *batch) share() (*vc.Theory, []*logic.Term) {
	if len(b.groups) == 1 {
		return b.groups[0].Theory, []*logic.Term{logic.True}
	}
	count := map[vc.Hypothesis]int{}
	for _, g := range b.groups {
		once := map[vc.Hypothesis]bool{}
		for _, h := range g.Theory.Hypotheses {
			if !once[h] {
				once[h] = true
				count[h]++
			}
		}
	}
	common := func(h vc.Hypothesis) bool { return count[h] == len(b.groups) }
	shared := &vc.Theory{}
	var own []*logic.Term
	for i, g := range b.groups {
		shared.Consts = append(shared.Consts, g.Theory.Consts...)
		var besides []*logic.Term
		for _, u := range g.Theory.Updates {
			besides = append(besides, u.Axiom())
		}
		for _, h := range g.Theory.Hypotheses {
			switch {
			case !common(h):
				besides = append(besides, h.Term)
			case i == 0:
				shared.Hypotheses = append(shared.Hypotheses, h)
			}
		}
		own = append(own, logic.And(besides...))
	}
	return shared, own
}

// batch settles the obligations of a batch that are proved together, or were in an earlier run.
func (d *Discharger) batch(ctx context.Context, b *batch, properties []string) {
	if ctx.Err() != nil || slices.ContainsFunc(properties, func(property string) bool {
		return d.Violated(property) != ""
	}) {
		return
	}
	theory, own := b.share()
	b.own, b.asker = own, newAsker(d, &Group{Theory: theory, Path: b.groups[0].Path})
	defer b.asker.close()
	for i, g := range b.groups {
		a := newAsker(d, g)
		defer a.close()
		for _, o := range g.Obligations {
			k := a.recall(o)
			if k.proof == nil || d.opts.Verify || !d.believes(k.proof) {
				b.open = append(b.open, batched{o, i, a, k})
				continue
			}
			a.believe(o, k)
		}
	}
	b.together(ctx, b.open)
}

// goal says that each group entails the goals of some of its obligations.
func (b *batch) goal(open []batched) *logic.Term {
	goals := make([][]*logic.Term, len(b.groups))
	for _, o := range open {
		goals[o.group] = append(goals[o.group], o.Goal)
	}
	var all []*logic.Term
	for i, g := range goals {
		if len(g) > 0 {
			all = append(all, logic.Implies(b.own[i], logic.And(g...)))
		}
	}
	return logic.And(all...)
}

// together asks about the conjunction of goals, and if it is not proved, about both halves.
func (b *batch) together(ctx context.Context, open []batched) {
	if len(open) <= chunkSize || ctx.Err() != nil {
		return
	}
	began := time.Now()
	all := &Obligation{quick: true, firstOnly: true} // without labels
	all.Name = fmt.Sprintf("%s and %d others", open[0].Name, len(open)-1)
	all.Action, all.Property = open[0].Action, open[0].Property
	a := b.asker
	r := a.start(ctx, all, part{goal: b.goal(open)}, a.attempts()[0], a.quick)()
	a.book(all, r)
	a.in.spent.Add(all.Rlimit)
	if r.err != nil || r.Status != smt.Unsat {
		half := len(open) / 2
		b.together(ctx, open[:half])
		b.together(ctx, open[half:])
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
		o.of.keep(o.Obligation, o.known)
	}
}
