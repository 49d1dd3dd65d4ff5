package verify

import (
	"context"
	"fmt"
	"slices"

	"erelong.dev/erelong/internal/effort"
	"erelong.dev/erelong/internal/engine"
	"erelong.dev/erelong/internal/engine/ranking"
	"erelong.dev/erelong/internal/result"
	"erelong.dev/erelong/internal/system"
)

// liveness is the search for a proof of one liveness property for all instances.
type liveness struct {
	*run
	rank    *engine.Task // the request
	engines []engine.Engine
	p       *system.Property
	assumed []engine.Lemma // invariants that the proof may use
	found   *result.Result // so far
	told    []string       // notes of the attempt that found it

	// What was looked for beside the same invariants, by once and lemmasOf.
	seen     map[string][]*system.Property
	searched map[string][]engine.Lemma
}

// live proves liveness for all instances, from what was proved so far. Each property has a search
// of its own, so that no property changes what is found for another one. The searches without a
// proof are open.
func (r *run) live(
	ctx context.Context, proved []result.Result,
) (open []*liveness, err error) {
	for _, c := range r.claims {
		t := r.task(engine.Rank)
		t.Claims, t.Proved = []engine.Claim{c}, proved
		engines := accepting(r.engines(), t)
		if len(engines) == 0 || r.ledger.noSolver != nil {
			continue
		}
		l := &liveness{run: r, rank: t, engines: engines, p: c.Property,
			seen: map[string][]*system.Property{}, searched: map[string][]engine.Lemma{}}
		within, ended := effort.Begin(ctx, "liveness of "+l.p.Name)
		err := l.remembering(within, nil, l.search)
		if ended(); err != nil {
			return nil, err
		}
		if l.proved() {
			l.tell()
		} else {
			open = append(open, l)
		}
	}
	return open, nil
}

// liveWith tries open searches once more, with the invariants that were found for safety
// properties, and tells what they found.
func (r *run) liveWith(ctx context.Context, lemmas []engine.Lemma, open []*liveness) error {
	for _, l := range open {
		if len(lemmas) > 0 && ctx.Err() == nil {
			within, ended := effort.Begin(ctx, "liveness of "+l.p.Name+" beside other lemmas")
			err := l.remembering(within, lemmas, func(ctx context.Context) error {
				return l.again(ctx, lemmas)
			})
			if ended(); err != nil {
				return err
			}
		}
		l.tell()
	}
	return nil
}

// within carries out a part of the search until a run violates the property, or a limit ends it.
func (l *liveness) within(ctx context.Context, part func(context.Context) error) error {
	open, stop := l.ledger.whileOpen(ctx, l.p.Name)
	defer stop()
	each, cancel := l.o.Each.Bound(open)
	defer cancel()
	within, end := l.limited(each)
	defer end()
	err := part(within)
	switch ended := result.Over(within); {
	case l.ledger.settled(l.p.Name) || l.proved():
		return nil
	case ended.Given() && (l.found == nil || ended.Ended() && !l.found.Reason.Ended()):
		l.found, l.told = &undecided(l.engines[0], l.rank, ended)[0], nil
		return nil
	case ended.Given() && !l.found.Reason.Ended():
		l.found.Reason = l.found.Reason.Then("; " + ended.Text)
		return nil
	case ended.Given():
		return nil
	}
	return err
}

func (l *liveness) proved() bool { return l.found != nil && l.found.Verdict == result.Holds }

// search takes turns between measures that fit small instances and other ways to find a proof. A
// file with hints, or with invariants, says how its proof goes.
func (l *liveness) search(ctx context.Context) error {
	if l.hasInvariants() || l.sys.RankingOf(l.p) != nil {
		return l.otherwise(ctx)
	}
	cut := true
	for _, turn := range shares {
		if err := l.measured(ctx, turn.measures); err != nil || l.ended(ctx) {
			return err
		}
		if !cut {
			return nil
		}
		before := l.assumed
		var err error
		if cut, err = l.share(ctx, turn.others, l.otherwise); err != nil || l.ended(ctx) {
			return err
		}
		if cut { // the end of a share is no reason to tell
			l.assumed, l.found, l.told = before, nil, nil
		}
	}
	return nil
}

// ended reports whether the search is over: there is a result, or no time.
func (l *liveness) ended(ctx context.Context) bool {
	return ctx.Err() != nil || l.found != nil && l.found.Verdict != result.Unknown
}

// otherwise tries a proof with what is known, and again with each set of invariants that some way
// to find them gives.
func (l *liveness) otherwise(ctx context.Context) error {
	ctx, ended := effort.Begin(ctx, "without measures")
	defer ended()
	if err := l.prepare(ctx); err != nil || ctx.Err() != nil {
		return err
	}
	l.rank.System = l.with(nil)
	for _, p := range l.begin(ctx, l.rank, l.engines, l.sink()) {
		found, err := p.findings()
		if err != nil {
			return err
		}
		l.found = &found.Results[0]
		l.progress(engine.Progress{Subtask: "liveness", Finished: true, Text: found.Summary})
	}
	for _, find := range l.supports() {
		if l.found.Verdict != result.Unknown || ctx.Err() != nil {
			return nil
		}
		lemmas, err := find(ctx)
		if err != nil {
			return err
		}
		if err := l.again(ctx, lemmas); err != nil {
			return err
		}
	}
	return nil
}

// again tries a proof with further invariants. Only a proof takes the place of what was found.
func (l *liveness) again(ctx context.Context, lemmas []engine.Lemma) error {
	if len(lemmas) == 0 || ctx.Err() != nil {
		return nil
	}
	assumed, told := l.assumed, l.told
	l.assumed, l.told = slices.Concat(assumed, lemmas), nil
	l.rank.System = l.with(nil)
	x, err := (&ranking.Engine{Options: l.ranking()}).Run(ctx, l.rank, l.sink())
	if err == nil && x.Results[0].Verdict == result.Holds {
		l.found = &x.Results[0]
		return nil
	}
	l.assumed, l.told = assumed, told
	return err
}

func (l *liveness) sink() engine.Sink {
	return engine.Sink{Progress: l.progress, Note: func(text string) {
		l.told = append(l.told, text)
	}}
}

// tell adds what was found, with the invariants that a proof rests on, unless a run violates the
// property. A missing proof is a result if the user asked for one, by the command or by hints, if a
// limit ended the search, or if there is no other result; otherwise it is a note.
func (l *liveness) tell() {
	x := l.found
	switch {
	case x == nil || l.ledger.settled(l.p.Name):
	case x.Verdict == result.Holds:
		l.ledger.addLemmas(l.assumed)
		l.ledger.add([]result.Result{*x}, l.told...)
	case x.Reason.Ended() || l.o.LiveOnly || len(l.ledger.of(x.Property)) == 0 ||
		l.sys.RankingOf(l.p) != nil:
		l.ledger.add([]result.Result{*x}, l.told...)
	default:
		l.ledger.add(nil, append(l.told,
			fmt.Sprintf("%s: not proved for all instances: %s", x.Property, x.Reason))...)
	}
}

// ranking gives the settings of the search for ranking functions.
func (r *run) ranking() ranking.Options {
	opts := ranking.Options{Options: r.o.Induct.Options, Instances: r.o.Instances,
		Observe: r.o.Observe, Rounds: r.o.Rounds, Fits: &r.fits}
	if len(opts.Instances) == 0 {
		opts.Instances = r.sys.Instances
	}
	if in, _ := Guess(r.sys); len(opts.Instances) == 0 && in != nil {
		opts.Instances = []*system.Instance{in}
	}
	return opts
}
