package verify

import (
	"context"
	"slices"

	"erelong.dev/erelong/internal/effort"
	"erelong.dev/erelong/internal/engine"
	"erelong.dev/erelong/internal/engine/ranking"
	"erelong.dev/erelong/internal/result"
)

// shares are how much work each way to look for a proof does before it is another one's turn: with
// measures that fit small instances, and otherwise. 0 means that there is no limit but the one of
// the whole search.
var shares = []struct{ measures, others int64 }{
	{30 * effort.Million, 30 * effort.Million},
	{1000 * effort.Million, 0},
}

// reduceWork bounds the search for invariants that a proof with measures does not need.
const reduceWork = 5 * effort.Million

// share runs a part of the search up to a limit of work, and reports whether the limit cut it
// short.
func (l *liveness) share(whole context.Context, work int64, part func(context.Context) error,
) (cut bool, err error) {
	if work == 0 {
		return false, part(whole)
	}
	ctx, stop := upTo(whole, work, "the share of one way to look for a proof")
	defer stop()
	err = part(ctx)
	if whole.Err() == nil && ctx.Err() != nil {
		return true, nil // the other searches go on
	}
	return false, err
}

// measured tries a proof with measures that fit small instances. The proof keeps the invariants
// that it needs.
func (l *liveness) measured(whole context.Context, work int64) error {
	before := l.assumed
	whole, ended := effort.Begin(whole, "measures that fit small instances")
	defer ended()
	_, err := l.share(whole, work, l.beginWithMeasures)
	if l.proved() {
		l.reduce(whole, len(before))
		return nil
	}
	l.assumed = before
	return err
}

// beginWithMeasures tries a proof with measures and what is known, beside invariants of simple
// forms, and with the invariants that the measures ask for.
func (l *liveness) beginWithMeasures(ctx context.Context) error {
	ended := func(err error) bool { return err != nil || l.proved() || ctx.Err() != nil }
	if err := l.proveMeasures(ctx); ended(err) || !l.o.Infer {
		return err
	}
	for n, f := range finders {
		found := l.once(ctx, f)
		for _, x := range found {
			l.assumed = append(slices.Clip(l.assumed),
				engine.Lemma{Name: x.Name, Term: x.Term, For: l.p.Name})
		}
		if len(found) == 0 && n < len(finders)-1 {
			continue
		}
		if err := l.proveMeasures(ctx); ended(err) {
			return err
		}
	}
	lemmas, err := l.fitting(ctx)
	if len(lemmas) == 0 || ended(err) {
		return err
	}
	l.assumed = append(slices.Clip(l.assumed), lemmas...)
	return l.proveMeasures(ctx)
}

// proveMeasures tries a proof with measures and the invariants so far.
func (l *liveness) proveMeasures(ctx context.Context) error {
	l.rank.System = l.with(nil)
	opts := l.ranking()
	opts.Measured = true
	x, err := (&ranking.Engine{Options: opts}).Run(ctx, l.rank, l.sink())
	if err == nil && x.Results[0].Verdict == result.Holds {
		l.found = &x.Results[0]
	}
	return err
}

// reduce leaves out the invariants that were found and that the proof does not need, as far as the
// work for that goes. The first ones were given.
func (l *liveness) reduce(whole context.Context, given int) {
	ctx, stop := upTo(whole, reduceWork, "the share of invariants that a proof does not need")
	defer stop()
	ctx, ended := effort.Begin(ctx, "invariants that the proof does not need")
	defer ended()
	for i := len(l.assumed) - 1; i >= given && ctx.Err() == nil; i-- {
		all, found, told := l.assumed, l.found, l.told
		l.assumed, l.found = slices.Delete(slices.Clone(all), i, i+1), nil
		err := l.proveMeasures(ctx)
		if err != nil || !l.proved() || slices.ContainsFunc(l.assumed, func(x engine.Lemma) bool {
			return !slices.Contains(l.found.Evidence.Invariant, x.Name)
		}) {
			l.assumed, l.found, l.told = all, found, told
		}
	}
}
