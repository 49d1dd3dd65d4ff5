package verify

import (
	"cmp"
	"context"
	"errors"
	"slices"
	"strings"

	"golang.org/x/sync/errgroup"

	"erelong.dev/erelong/internal/derive"
	"erelong.dev/erelong/internal/discharge"
	"erelong.dev/erelong/internal/effort"
	"erelong.dev/erelong/internal/engine"
	"erelong.dev/erelong/internal/engine/accel"
	"erelong.dev/erelong/internal/engine/induction"
	"erelong.dev/erelong/internal/engine/infer"
	"erelong.dev/erelong/internal/result"
	"erelong.dev/erelong/internal/system"
)

// inference looks for invariants that proofs of the run lack.
type inference struct{ *run }

// all decides the safety properties that are not inductive: by pieces of runs, which takes no
// invariants, and then with invariants. What is proved takes the place of the result that there
// was. The notes about searches in vain count only where a property stays open.
func (s inference) all(ctx context.Context) error {
	notes, err := s.byPieces(ctx)
	if err != nil {
		return err
	}
	if s.o.Infer {
		notes = append(notes, s.lemmas(ctx)...)
	}
	open := slices.DeleteFunc(s.open(), func(c engine.Claim) bool {
		return slices.ContainsFunc(s.ledger.of(c.Name), func(x result.Result) bool {
			return x.Engine == induction.Name && x.Reason.Given()
		})
	})
	if len(open) == 0 || ctx.Err() != nil {
		return nil
	}
	slices.Sort(notes)
	notes = slices.Compact(notes)
	if s.o.Infer {
		notes = append(notes, "no invariants were found with which "+inductive(open))
	}
	s.ledger.add(nil, notes...)
	return nil
}

// lemmas looks for invariants with which the open safety properties are inductive. The properties
// are tried together first, and then each alone, so that none keeps another one from its proof. The
// notes are about searches in vain.
func (s inference) lemmas(ctx context.Context) (notes []string) {
	open := s.open()
	if len(open) == 0 || ctx.Err() != nil {
		return nil
	}
	notes = s.decide(ctx, open, "")
	if len(open) > 1 {
		for _, c := range open {
			if s.wantsLemmas(c) {
				notes = append(notes, s.decide(ctx, []engine.Claim{c}, c.Name+"_")...)
			}
		}
	}
	return notes
}

// decide looks for invariants for some of the claims, and records what is proved with them. The
// notes are about a search in vain. The names of the invariants begin with the prefix.
func (s inference) decide(
	ctx context.Context, claims []engine.Claim, prefix string,
) (notes []string) {
	t := s.task(engine.Infer)
	t.Named, t.Claims = true, claims
	names := t.Names(engine.Claim.IsInvariant)
	open, stop := s.ledger.whileOpen(ctx, names...)
	defer stop()
	key := memory(s).key(ctx, append([]string{"invariants", prefix}, names...)...)
	found, earlier, recalled := s.recallLemmas(open, key, names)
	var ended result.Reason
	if recalled {
		ended, notes = earlier.Reason, earlier.Notes
	} else {
		within, cancel := s.limited(open)
		defer cancel()
		within, searched := effort.Begin(within, "invariants for "+strings.Join(names, ", "))
		defer searched()
		found, notes = s.race(within, t, prefix)
		ended = cmp.Or(result.Over(within), result.Because(result.NotProved, ""))
		s.keepLemmas(ctx, key, found, ended, notes)
	}
	if found == nil {
		if ended.Text != "" {
			s.ledger.unsearched(claims, ended)
		}
		return notes
	}
	if found.Inferred != nil {
		s.ledger.addLemmas(found.Inferred.Lemmas)
	}
	s.supersede(found)
	return nil
}

// supersede records what is proved or violated, in the place of an induction that fails.
func (s inference) supersede(found *engine.Findings) {
	proved := func(x result.Result) bool { return x.Verdict == result.Holds }
	s.ledger.replace(func(x result.Result) bool {
		return x.Engine == induction.Name && slices.ContainsFunc(found.Results, func(
			y result.Result,
		) bool {
			return y.Property == x.Property && proved(y)
		})
	}, slices.DeleteFunc(found.Results, func(x result.Result) bool {
		return !proved(x) && !isViolated(x)
	}), found.Notes...)
}

// open lists the safety properties that want lemmas, and what the language claims of values.
func (s inference) open() []engine.Claim {
	return slices.DeleteFunc(slices.Clone(s.claims), func(c engine.Claim) bool {
		return c.Property == nil ||
			c.Property.Kind != system.Safety && !c.Property.IsImplicit() || !s.wantsLemmas(c)
	})
}

// race looks for invariants and computes the reachable states at once. The first that decides a
// claim ends the other one. The findings are nil where nothing decides; the notes then say why the
// computation stopped.
func (s inference) race(
	ctx context.Context, t *engine.Task, prefix string,
) (first *engine.Findings, notes []string) {
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	type outcome struct {
		method engine.Method
		found  *engine.Findings
		err    error
	}
	outcomes := make(chan outcome)
	running := 0
	begin := func(method engine.Method, e engine.Engine) {
		own := *t
		if own.Method = method; e.Accepts(&own) != "" {
			return
		}
		running++
		go func() {
			found, err := e.Run(ctx, &own, engine.Sink{Progress: s.progress})
			outcomes <- outcome{method, found, err}
		}()
	}
	begin(engine.Infer, &infer.Engine{Options: s.o.Induct.Options, Prefix: prefix})
	begin(engine.Accelerate, &accel.Engine{})
	for range running {
		o := <-outcomes
		switch {
		case o.err != nil || first != nil:
			// The results without it say what there is to say.
			if ctx.Err() == nil {
				s.failed.Store(true)
			}
		case o.found.Inferred != nil || slices.ContainsFunc(o.found.Results, isViolated) ||
			o.method == engine.Accelerate && len(o.found.Results) > 0:
			first = o.found
			cancel()
		case o.method == engine.Accelerate:
			notes = o.found.Notes
		}
	}
	return first, notes
}

func inductive(open []engine.Claim) string {
	if len(open) == 1 {
		return open[0].Name + " is inductive"
	}
	return "all of the properties that are open are inductive"
}

// wantsLemmas reports whether a property was not proved for want of invariants, as far as is known,
// and the file does not expect that.
func (s inference) wantsLemmas(c engine.Claim) bool {
	if s.ledger.settled(c.Name) {
		return false
	}
	wanted := slices.ContainsFunc(s.ledger.of(c.Name), func(x result.Result) bool {
		return x.Engine == induction.Name && (x.Verdict == result.NotInductive ||
			x.Verdict == result.Unknown && !x.Reason.Ended())
	})
	return wanted && !slices.ContainsFunc(s.sys.Expectations, func(e *system.Expectation) bool {
		return e.Property == c.Name && e.Instance == nil && e.Verdict != string(result.Holds)
	})
}

// Infer finds invariants for the properties that Only names, or for all safety properties. The
// second value is nil where there is no proof. Next to sizes, sums and greatest values of a module
// with claims that were tried as a help nothing is searched for: what is inductive by itself is
// proved. An error is as of Run.
func Infer(ctx context.Context, sys *system.System, o Options) (*Outcome, *engine.Inferred, error) {
	if err := sys.NeedsFormulas("have invariants found for it"); err != nil {
		return nil, nil, engine.Unfit(err)
	}
	if no := sys.Uncountable(); no != nil {
		return nil, nil, engine.Unfit(errors.New(notSummed(no)))
	}
	method := engine.Infer
	own := withoutTried(sys)
	if len(sys.Folds()) > 0 && len(own.Properties) < len(sys.Properties) {
		method, sys = engine.Prove, own
	}
	r, err := newRun(sys, o)
	if err != nil {
		return nil, nil, err
	}
	t := r.task(method)
	t.Claims = slices.DeleteFunc(slices.Clone(r.claims), func(c engine.Claim) bool {
		return !c.IsInvariant() || !t.Named && c.Property.Kind != system.Safety
	})
	var inferred *engine.Inferred
	within, cancel := r.limited(ctx)
	defer cancel()
	for _, p := range r.begin(within, t, accepting(r.engines(), t), r.sink()) {
		found, err := p.findings()
		if err != nil {
			return nil, nil, err
		}
		r.ledger.add(found.Results, found.Notes...)
		inferred = found.Inferred
	}
	v := r.newReview()
	v.contradictions(ctx)
	v.addEmptyInstances(ctx)
	unchecked{r, result.Over(ctx)}.unread()
	result.Void(r.ledger.results)
	result.Assume(r.ledger.results, sys.Assumptions())
	return &Outcome{Results: r.ledger.results, Notes: r.ledger.notes}, inferred, nil
}

// withoutTried is a system without the claims that are a help for others.
func withoutTried(sys *system.System) *system.System {
	out := *sys
	out.Properties = slices.DeleteFunc(slices.Clone(sys.Properties),
		func(p *system.Property) bool { return p.Tried })
	return &out
}

// InferAll is Infer for every system that was derived from a file. What was found is listed by
// system; it is nil where there is no proof, or where a system has none of the chosen properties.
// All systems are searched at the same time, so a hard one does not hold up the others, and no
// search begins anew.
func InferAll(
	ctx context.Context, ds []*derive.Derived, o Options,
) (*Outcome, []*engine.Inferred, error) {
	outcomes := make([]*Outcome, len(ds))
	found := make([]*engine.Inferred, len(ds))
	o.Induct.Slots = discharge.NewSlots(o.Induct.Jobs)
	searches, within := errgroup.WithContext(ctx)
	for i, d := range ds {
		own := o
		var some bool
		if own.Only, some = only(d, o.Only); !some {
			continue
		}
		if o.Progress != nil && len(ds) > 1 {
			own.Progress = func(p engine.Progress) {
				p.Subtask, p.Text = d.Name+"/"+p.Subtask, d.Name+": "+p.Text
				o.Progress(p)
			}
		}
		searches.Go(func() (err error) {
			if outcomes[i], found[i], err = Infer(within, d.Spec.System, own); err == nil {
				compose(d, outcomes[i])
			}
			return err
		})
	}
	if err := searches.Wait(); err != nil {
		return nil, nil, err
	}
	outcomes = slices.DeleteFunc(outcomes, func(x *Outcome) bool { return x == nil })
	if len(outcomes) == 0 {
		return nil, nil, missing(ds, o.Only)
	}
	return merge(outcomes), found, nil
}
