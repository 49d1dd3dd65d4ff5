package ranking

import (
	"cmp"
	"context"
	"fmt"
	"slices"

	"erelong.dev/erelong/internal/discharge"
	"erelong.dev/erelong/internal/effort"
	"erelong.dev/erelong/internal/result"
	"erelong.dev/erelong/internal/system"
)

// plainEffort bounds the questions about cases of a search without hints.
const plainEffort = 1_000

// live proves one property, and writes the verdict to r. Without hints, it begins with measures
// that fit small instances. Where a proof without them fails, too, the result says why.
func live(ctx context.Context, sys *system.System, prop *system.Property,
	invariants []*system.Property, given Options, r *result.Result) error {
	if reason := tooMany(sys); reason != "" {
		r.Reason = result.Because(result.NotProved, reason)
		return nil
	}
	hints := sys.RankingOf(prop)
	var queries int64
	if hints == nil && !given.unfitted {
		next, err := fitted(ctx, sys, prop, invariants, given, *r)
		if err != nil || ctx.Err() != nil {
			return err
		}
		if next.Verdict == result.Holds {
			*r = next
			return nil
		}
		queries = next.Queries
		if given.Measured {
			r.Reason, r.Queries = next.Reason, queries
			return nil
		}
	}
	r.Evidence = &result.Evidence{}
	diagnose, err := attempt(ctx, sys, prop, hints, invariants, given, r)
	r.Queries += queries
	if err == nil && ctx.Err() == nil && diagnose != nil {
		err = diagnose()
	}
	return err
}

// trial is one attempt at a proof.
type trial struct {
	p      *problem
	c      *candidates
	steps  *steps
	search *search
	bounds *bounds
	given  Options
	r      *result.Result
	ends   string // an action that ends pending before it is good; empty for none
}

// attempt proves one property with given hints, which may be nil. Where nothing decreases in some
// steps, diagnose adds to the result what is missing.
func attempt(ctx context.Context, sys *system.System, prop *system.Property,
	hints *system.Ranking, invariants []*system.Property, given Options, r *result.Result,
) (diagnose func() error, err error) {
	name := "a proof with all integers"
	switch {
	case given.fitted:
		name = "a proof with measures"
	case hints != nil:
		name = "a proof with the hints"
	}
	ctx, ended := effort.Begin(ctx, name)
	defer ended()
	t, err := newTrial(ctx, sys, prop, hints, invariants, given, r)
	if err != nil || t == nil {
		return nil, err
	}
	defer t.steps.close()
	if hints == nil || hints.Pending == nil {
		t.choosePending(ctx)
	}
	claim := t.founded(ctx)
	if claim == nil {
		return nil, nil
	}
	t.search.exclude(ctx)
	all, tiers, left := t.search.find(ctx, given)
	if ctx.Err() != nil {
		return nil, ctx.Err() // what is not known by now is not known to be so
	}
	r.Evidence.Search = &result.Search{}
	if len(left) == 0 {
		return nil, t.conclude(ctx, tiers, claim)
	}
	whole := t.search.proof(append(slices.Clone(tiers), &tier{parts: left}), nil)
	whole.number()
	t.record(all, whole)
	r.Reason = result.Because(result.NotProved,
		"no ranking function was found that decreases in "+list(left))
	if t.steps.exhausted() {
		r.Reason.Text = "the search was cut short, and so far " + r.Reason.Text
	}
	if given.fitted {
		return nil, nil // the attempt without measures says what is missing
	}
	return func() error {
		defer t.steps.close()
		return t.diagnose(ctx, all, left)
	}, nil
}

// newTrial sets up the search. It is nil where there is no initial state, which the result says.
func newTrial(ctx context.Context, sys *system.System, prop *system.Property,
	hints *system.Ranking, invariants []*system.Property, given Options, r *result.Result,
) (*trial, error) {
	opts, own := given.Options, hints != nil
	opts.Constants = true
	if given.Measured || given.Effort > 0 && !own {
		opts.Rlimit = max(cmp.Or(opts.Rlimit, discharge.DefaultRlimit)/10, 1)
	}
	p := newProblem(sys, prop, hints, invariants, given.possible...)
	t := &trial{p: p, c: newCandidates(p, hints), given: given, r: r}
	sure, err := discharge.New(ctx, p.sys, opts)
	if err != nil {
		return nil, err
	}
	if sure.Contradictory(ctx, "an initial state", p.initial()) {
		r.Verdict, r.Reason = result.NothingChecked,
			result.Because(result.NoInitialState, "no initial state")
		return nil, nil
	}
	share := int64(20)
	if own { // hints and fitted measures are few
		share = 4
	}
	opts.Rlimit = lower(opts.Rlimit, share)
	quick, err := discharge.New(ctx, p.sys, opts)
	if err != nil {
		return nil, err
	}
	t.steps = newSteps(p, solvers{quick, sure})
	t.steps.stages.track = given.track
	t.steps.deep = slices.ContainsFunc(given.Proved, func(r result.Result) bool {
		return r.Evidence != nil && r.Evidence.Induction > 1
	})
	t.steps.samples = p.sampled(given.walks)
	t.c.along(p.orders(ctx, quick))
	if err := system.Validate(p.sys); err != nil {
		return nil, fmt.Errorf("internal error: the extended system: %w", err)
	}
	t.search = newSearch(t.c, newPartition(p), t.steps,
		&notes{property: p.property, tell: given.Note})
	t.bounds = newBounds(t.c)
	for _, inv := range invariants {
		r.Evidence.Invariant = append(r.Evidence.Invariant, inv.Name)
	}
	for _, q := range p.trusted {
		r.Evidence.Trusted = append(r.Evidence.Trusted, q.Name)
	}
	return t, nil
}

// book writes obligations down.
func (t *trial) book(os ...*discharge.Obligation) {
	for _, o := range os {
		t.r.Queries += o.Queries
		t.r.Evidence.Obligations = append(t.r.Evidence.Obligations, o.Obligation)
	}
}

// choosePending takes the first condition that is proved to stay true until it is good.
func (t *trial) choosePending(ctx context.Context) {
	for _, t.p.pending = range t.p.pendings() {
		_, o := t.steps.decide(ctx, t.p.persists)
		if o == nil {
			break
		}
		t.ends = cmp.Or(t.ends, o.Action)
	}
	if !t.p.pending.IsTrue() {
		t.ends = ""
	}
}

// founded proves what does not depend on ranking functions: it stays pending, choices have values,
// and some action can be taken, which is the claim that it gives. It is nil if some of that is not
// proved; the result says what.
func (t *trial) founded(ctx context.Context) *discharge.Obligation {
	within, stop := t.steps.stages.during(ctx, result.StageGoodEnd)
	formed, o := t.steps.decide(within, t.p.wellFormed)
	stop()
	t.book(formed...)
	if o != nil {
		t.r.Reason = result.Because(result.NotProved, "not proved: "+o.Name)
		for _, c := range t.p.choices {
			if o.Name == c.exists() {
				t.search.notes.refuse(ctx, c.hint)
			}
		}
		return nil
	}
	ctx, done := t.steps.stages.during(ctx, result.StageNoDeadlock)
	defer done()
	claim, weakest := t.progress(ctx)
	if claim == nil {
		t.noProgress(ctx, weakest)
		return nil
	}
	t.book(claim)
	t.p.progresses(claim, t.c.inRow())
	return claim
}

// conclude proves the tiers that were found, and writes the proof and its bound to the result.
func (t *trial) conclude(
	ctx context.Context, tiers []*tier, claim *discharge.Obligation,
) error {
	if t.given.fitted { // the fit has no more measures than it needs
		tiers = t.search.join(ctx, tiers)
	} else {
		tiers = t.search.minimise(ctx, tiers)
	}
	found := t.search.proof(tiers, claim)
	found.number()
	within, done := t.steps.stages.during(ctx, result.StageValidation)
	rests, err := found.check(within, t.steps.solvers, t.r)
	done()
	t.book(rests...)
	if err != nil || t.r.Verdict != result.Holds {
		return err
	}
	ranking := found.evidence()
	t.r.Evidence.Ranking = ranking
	t.r.Assumptions = Premises(t.p.original, ranking.Proof)
	within, done = t.steps.stages.during(ctx, result.StageBounds)
	bound, limits := t.bounds.timeBound(within, t.steps.solvers, tiers)
	done()
	if bound != nil {
		t.book(limits...)
		ranking.Steps = bound.String()
		ranking.Proof.Bound = written(bound, tiers)
	}
	if t.given.Observe {
		limits, err := t.watch(ctx, bound, tiers, ranking)
		t.book(limits...)
		if err != nil {
			return err
		}
	}
	t.search.useless(ctx, found)
	t.record(used(tiers), found)
	return nil
}

// lower is the limit of questions that may stay open: a share of the default limit, but no more
// than the user's, if there is one.
func lower(limit, share int64) int64 {
	return min(cmp.Or(limit, discharge.DefaultRlimit), discharge.DefaultRlimit/share)
}

// mostNumbers bounds the numbers of steps that are left to fair actions, one in each action: each
// step changes each of them.
const mostNumbers = 20_000

// tooMany says that the search has too many numbers to bound; it is empty where it has not.
func tooMany(sys *system.System) string {
	fair := 0
	for _, a := range sys.Actions {
		if a.Fairness != system.Unfair {
			fair++
		}
	}
	if n := fair * len(sys.Actions); n > mostNumbers {
		return fmt.Sprintf("%d fair actions have %d numbers of steps that are left, one for each "+
			"of %d actions, and the limit is %d", fair, n, len(sys.Actions), mostNumbers)
	}
	return ""
}
