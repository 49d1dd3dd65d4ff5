package verify

import (
	"context"
	"fmt"
	"slices"

	"golang.org/x/sync/errgroup"

	"erelong.dev/erelong/internal/derive"
	"erelong.dev/erelong/internal/discharge"
	"erelong.dev/erelong/internal/engine"
	"erelong.dev/erelong/internal/engine/induction"
	"erelong.dev/erelong/internal/result"
	"erelong.dev/erelong/internal/system"
)

// infer looks for invariants with which the safety properties are inductive that are not yet,
// within the effort of the options. What is proved with them takes the place of the result that
// there was. Where a property is violated the file changes first, so nothing is looked for.
func (r *run) infer(ctx context.Context) {
	if r.broken() {
		return
	}
	open := r.named(func(c engine.Claim) bool {
		return c.Property != nil && c.Property.Kind == system.Safety &&
			r.wantsLemmas(c.Property.Name)
	})
	if len(open) == 0 || ctx.Err() != nil {
		return
	}
	within, cancel := r.whileInferring(ctx)
	defer cancel()
	t := r.task(engine.Infer)
	t.Named = true
	t.Claims = slices.DeleteFunc(slices.Clone(r.claims), func(c engine.Claim) bool {
		return c.Property == nil || !slices.Contains(open, c.Property.Name)
	})
	found, notes := r.race(within, t)
	if found == nil {
		if ctx.Err() == nil {
			r.add(nil, notes(open)...)
		}
		return
	}
	r.results = slices.DeleteFunc(r.results, func(x result.Result) bool {
		return x.Engine == induction.Name && slices.ContainsFunc(found.Results, func(
			y result.Result,
		) bool {
			return y.Property == x.Property && y.Verdict == result.Holds
		})
	})
	r.add(slices.DeleteFunc(found.Results, func(x result.Result) bool {
		return x.Verdict != result.Holds && x.Verdict != result.Violated
	}), found.Notes...)
	if found.Inferred != nil {
		r.lemmas = append(r.lemmas, found.Inferred.Lemmas...)
	}
}

// race looks for invariants and computes the reachable states at once. The first that decides a
// claim ends the others. Where liveness is to be proved, too, only invariants are looked for: its
// proof may need them. The findings are nil where nothing decides; notes then says what to tell.
func (r *run) race(
	ctx context.Context, t *engine.Task,
) (first *engine.Findings, notes func(open []string) []string) {
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	type outcome struct {
		method engine.Method
		found  *engine.Findings
		err    error
	}
	outcomes := make(chan outcome)
	running := 0
	methods := []engine.Method{engine.Infer}
	if !slices.ContainsFunc(r.claims, isLiveness) {
		methods = append(methods, engine.Accelerate)
	}
	for _, method := range methods {
		own := *t
		own.Method = method
		for _, e := range accepting(r.engines(), &own) {
			running++
			go func() {
				found, err := e.Run(ctx, &own, engine.Sink{Progress: r.progress})
				outcomes <- outcome{method, found, err}
			}()
		}
	}
	searched := false
	var stopped []string
	for range running {
		o := <-outcomes
		switch {
		case o.err != nil || first != nil:
			// The results without it say what there is to say.
		case o.found.Inferred != nil || slices.ContainsFunc(o.found.Results, isViolated) ||
			o.method == engine.Accelerate && len(o.found.Results) > 0:
			first = o.found
			cancel()
		case o.method == engine.Accelerate:
			stopped = o.found.Notes
		default:
			searched = true
		}
	}
	return first, func(open []string) (out []string) {
		if searched {
			out = append(out, fmt.Sprintf("no invariants were found in a short search with which "+
				"%s; erelong infer searches longer", inductive(open)))
		}
		return append(out, stopped...)
	}
}

func isLiveness(c engine.Claim) bool {
	return c.Property != nil && c.Property.Kind == system.Liveness
}

func inductive(names []string) string {
	if len(names) == 1 {
		return names[0] + " is inductive"
	}
	return "all of the properties that are open are inductive"
}

// wantsLemmas reports whether a property was not proved for want of invariants, as far as is known,
// and the file does not expect that.
func (r *run) wantsLemmas(name string) bool {
	wanted := false
	for _, x := range r.results {
		if x.Property != name {
			continue
		}
		if x.Verdict == result.Violated {
			return false
		}
		wanted = wanted ||
			x.Engine == induction.Name &&
				(x.Verdict == result.NotInductive ||
					x.Verdict == result.Unknown && !x.Reason.Ended())
	}
	return wanted && !slices.ContainsFunc(r.sys.Expectations, func(e *system.Expectation) bool {
		return e.Property == name && e.Instance == nil && e.Verdict != string(result.Holds)
	})
}

// whileInferring is the context of a search for invariants, with its guard.
func (r *run) whileInferring(ctx context.Context) (context.Context, context.CancelFunc) {
	if r.o.InferTime > 0 {
		return context.WithTimeout(ctx, r.o.InferTime)
	}
	return context.WithCancel(ctx)
}

// Infer finds invariants for the properties that Only names, or for all safety properties. The
// second value is nil where there is no proof. An error is as of Run.
func Infer(ctx context.Context, sys *system.System, o Options) (*Outcome, *engine.Inferred, error) {
	r, err := newRun(sys, o)
	if err != nil {
		return nil, nil, err
	}
	t := r.task(engine.Infer)
	t.Claims = slices.DeleteFunc(slices.Clone(r.claims), func(c engine.Claim) bool {
		return !c.IsInvariant() || !t.Named && c.Property.Kind != system.Safety
	})
	var inferred *engine.Inferred
	for _, p := range r.begin(ctx, t, accepting(r.engines(), t)) {
		found, err := p.findings()
		if err != nil {
			return nil, nil, err
		}
		r.add(found.Results, found.Notes...)
		inferred = found.Inferred
	}
	r.contradictions(ctx)
	r.addEmptyInstances(ctx)
	result.Void(r.results)
	result.Assume(r.results, sys.Assumptions())
	return &Outcome{Results: r.results, Notes: r.notes}, inferred, nil
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
