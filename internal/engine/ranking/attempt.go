package ranking

import (
	"cmp"
	"context"
	"fmt"
	"slices"

	"erelong.dev/erelong/internal/discharge"
	"erelong.dev/erelong/internal/result"
	"erelong.dev/erelong/internal/system"
)

// Bounds on the questions about cases: of a search that may guess hints afterwards, and of one with
// guesses.
const (
	plainEffort = 1_000
	guessEffort = 3_000
)

// live proves one property, and writes the verdict to r. Where the hints of the file do not
// suffice, it goes on with guesses beside them. Without a proof, the first attempt says why.
func live(ctx context.Context, sys *system.System, prop *system.Property,
	invariants []*system.Property, given Options, r *result.Result) error {
	if reason := tooMany(sys); reason != "" {
		r.Reason = result.Because(result.NotProved, reason)
		return nil
	}
	hints := sys.RankingOf(prop)
	var said []string // by the first attempt; it is told where that one counts
	plain := given
	plain.Note = func(text string) { said = append(said, text) }
	guessed := guesses(sys, prop, hints)
	if len(guessed) > 0 {
		plain.most = plainEffort
	}
	first := *r
	first.Evidence = &result.Evidence{}
	diagnose, err := attempt(ctx, sys, prop, hints, invariants, plain, &first)
	if err == nil && first.Verdict == result.Unknown && hints == nil && !given.unfitted &&
		ctx.Err() == nil {
		var next result.Result
		if next, err = fitted(ctx, sys, prop, invariants, given, *r); next.Verdict == result.Holds {
			next.Queries += first.Queries
			*r = next
			return nil
		}
		first.Queries += next.Queries
	}
	for i, hints := range guessed {
		if err != nil || first.Verdict != result.Unknown || ctx.Err() != nil {
			break
		}
		next, more := *r, given
		next.Evidence, more.guessing, more.most = &result.Evidence{}, true, guessEffort
		var notes []string
		more.Note = func(text string) { notes = append(notes, text) }
		var known certainty
		if known, err = sure(ctx, sys, prop, hints, invariants, more); err != nil {
			break
		}
		hints, _ = certain(hints, known.names)
		_, err = attempt(ctx, sys, prop, hints, invariants, more, &next)
		first.Queries += known.queries + next.Queries
		if next.Verdict == result.Holds {
			next.Queries = first.Queries
			proof := next.Evidence.Ranking.Proof
			proof.Guessed, proof.Guesses, proof.Sure = true, i, known.names
			first, said, diagnose = next, notes, nil
			break
		}
	}
	if err == nil && ctx.Err() == nil && diagnose != nil {
		err = diagnose()
	}
	*r = first
	for _, text := range said {
		if given.Note != nil {
			given.Note(text)
		}
	}
	return err
}

// attempt proves one property with given hints, which may be nil. Where nothing decreases in some
// steps, diagnose adds to the result what is missing.
func attempt(ctx context.Context, sys *system.System, prop *system.Property,
	hints *system.Ranking, invariants []*system.Property, given Options, r *result.Result,
) (diagnose func() error, err error) {
	opts, own := given.Options, hints != nil && !given.guessing
	opts.Constants = true
	if given.Effort > 0 && !own {
		opts.Rlimit = max(cmp.Or(opts.Rlimit, discharge.DefaultRlimit)/10, 1)
	}
	p := newProblem(sys, prop, hints, invariants, given.possible...)
	named, vars, whole, single := p.candidates(hints)
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
	if own { // hints are few, and worth more than guesses
		share = 4
	}
	opts.Rlimit = lower(opts.Rlimit, share)
	quick, err := discharge.New(ctx, p.sys, opts)
	if err != nil {
		return nil, err
	}
	s := newSearch(p, prop)
	s.quick, s.full, s.named, s.note, s.effortLimit = quick, sure, named, given.Note, maxEffort
	s.track = given.track
	s.deep = slices.ContainsFunc(given.Proved, func(r result.Result) bool {
		return r.Evidence != nil && r.Evidence.Induction > 1
	})
	s.samples = p.sampled(given.walks)
	defer s.close()
	distances := p.distances(s.orders(ctx))
	if err := system.Validate(p.sys); err != nil {
		return nil, fmt.Errorf("internal error: the extended system: %w", err)
	}
	s.start = slices.Clone(s.roots)
	for _, inv := range invariants {
		r.Evidence.Invariant = append(r.Evidence.Invariant, inv.Name)
	}
	for _, t := range p.trusted {
		r.Evidence.Trusted = append(r.Evidence.Trusted, t.Name)
	}
	book := func(os ...*discharge.Obligation) {
		for _, o := range os {
			r.Queries += o.Queries
			r.Evidence.Obligations = append(r.Evidence.Obligations, o.Obligation)
		}
	}

	if hints == nil || hints.Pending == nil {
		for _, p.pending = range p.pendings() {
			_, o := s.decide(ctx, s.persists)
			if o == nil {
				break
			}
			s.ends = cmp.Or(s.ends, o.Action)
		}
		if !p.pending.IsTrue() {
			s.ends = ""
		}
	}
	stop := s.during(result.StageGoodEnd)
	formed, o := s.decide(ctx, s.wellFormed)
	stop()
	book(formed...)
	if o != nil {
		r.Reason = result.Because(result.NotProved, "not proved: "+o.Name)
		for _, c := range p.choices {
			if o.Name == c.exists() {
				s.refuse(ctx, c.hint)
			}
		}
		return nil, nil
	}
	stop = s.during(result.StageNoDeadlock)
	claim, weakest := s.progress(ctx)
	if claim == nil {
		s.noProgress(ctx, weakest, given.Effort == 0, r)
		stop()
		return nil, nil
	}
	stop()
	book(claim)
	p.progresses(claim.Goal)

	s.exclude(ctx)
	all, tiers, left := s.find(ctx, hints, given, vars, p.turns(), whole, distances, single)
	if ctx.Err() != nil {
		return nil, ctx.Err() // what is not known by now is not known to be so
	}
	r.Evidence.Search = &result.Search{}
	if len(left) > 0 {
		s.number(append(slices.Clone(tiers), &tier{parts: left}))
		s.record(r.Evidence.Search, all, tiers, left)
		r.Reason = result.Because(result.NotProved,
			"no ranking function was found that decreases in "+list(left))
		if s.effort >= s.effortLimit {
			r.Reason.Text = "the search was cut short, and so far " + r.Reason.Text
		}
		if given.guessing {
			return nil, nil // the attempt without guesses says what is missing
		}
		return func() error {
			defer s.close()
			tell := given.Effort == 0 && hints == nil
			return s.diagnose(ctx, sys, all, left, given.Instances, tell, r)
		}, nil
	}
	tiers = s.minimise(ctx, tiers)
	s.number(tiers)
	rests, err := s.check(ctx, tiers, r)
	book(rests...)
	if err != nil || r.Verdict != result.Holds {
		return nil, err
	}
	r.Evidence.Ranking = s.ranking(tiers, claim.Goal)
	r.Evidence.Ranking.Unfair = s.unfair(claim.Name)
	r.Evidence.Ranking.Proof = s.proof(claim.Name, tiers)
	r.Evidence.Ranking.Proof.Finite = undeclared(s.finite(tiers, claim.Goal))
	r.Assumptions = Premises(s.p.original, r.Evidence.Ranking.Proof)
	bound, limits := s.timeBound(ctx, tiers)
	if bound != nil {
		book(limits...)
		r.Evidence.Ranking.Steps = bound.String()
		r.Evidence.Ranking.Proof.Bound = written(bound, tiers)
	}
	if given.Observe {
		limits, err := s.watch(ctx, bound, tiers, given, r.Evidence.Ranking)
		book(limits...)
		if err != nil {
			return nil, err
		}
	}
	s.useless(ctx, tiers)
	s.record(r.Evidence.Search, used(tiers), tiers, nil)
	return nil, nil
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
