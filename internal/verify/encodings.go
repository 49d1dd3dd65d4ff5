package verify

import (
	"context"
	"slices"

	"erelong.dev/erelong/internal/derive"
	"erelong.dev/erelong/internal/effort"
	"erelong.dev/erelong/internal/engine"
	"erelong.dev/erelong/internal/result"
	"erelong.dev/erelong/internal/system"
)

// A property of an algorithm may be decided by two derived systems: one with sub-rounds as steps,
// and one with rounds. Instances of the first are explored, and proofs by induction alone are tried
// there. The invariants that such a proof lacks are looked for in the second one first, since
// fewer states lie between its steps.

// runDerived is Run for a derived system, with the results as they are reported.
func runDerived(ctx context.Context, d *derive.Derived, o Options) (*Outcome, error) {
	searches := (d.InRounds != nil && o.Infer || d.Untimed != nil) && o.Prove && !o.Inductive &&
		o.Take == nil
	first := o
	wait := forAll(ctx, d, &first)
	first.Infer = first.Infer && !searches
	out, err := runSystem(ctx, d, first)
	more := wait()
	if out == nil {
		return nil, err
	}
	out.add(more)
	var found *Outcome
	open := lacking(d.Spec.System, out)
	if searches && err == nil && len(open) > 0 && ctx.Err() == nil {
		if found, err = elsewhere(ctx, d, open, o); err != nil {
			return nil, err
		}
		open = slices.DeleteFunc(open, func(name string) bool {
			return found != nil && found.proves(name)
		})
		if len(open) > 0 && o.Infer {
			again := o
			again.Explore, again.Bound, again.Only = false, false, open
			more, err := runSystem(ctx, d, again)
			if err != nil {
				return nil, err
			}
			out.supersede(more)
		}
	}
	compose(d, out)
	if found != nil {
		out.supersede(found)
	}
	return out, err
}

// runSystem is Run for the system of a file.
func runSystem(ctx context.Context, d *derive.Derived, o Options) (*Outcome, error) {
	o.Of = d
	return Run(ctx, d.Spec.System, o)
}

// elsewhere proves properties in the system with rounds as steps, or in the one without time. The
// outcome has what is proved there, as it is reported; it is nil if that is nothing.
func elsewhere(
	ctx context.Context, d *derive.Derived, open []string, o Options,
) (*Outcome, error) {
	derived, limited := d.InRounds, o.brief()
	if derived == nil {
		derived, limited = d.Untimed, o
	}
	other, err := derived(ctx)
	if err != nil && ctx.Err() != nil {
		return nil, nil
	} else if err != nil || other == nil {
		return nil, err
	}
	o.Only = slices.DeleteFunc(slices.Clone(open), func(name string) bool {
		return !slices.Contains(other.Properties, name)
	})
	if len(o.Only) == 0 {
		return nil, nil
	}
	limited.Only = o.Only
	if other.Name == derive.Untimed {
		limited.Only = append(slices.Clone(o.Only), invariantsOf(other.Spec.System)...)
	}
	limited.Explore, limited.Live, limited.Bound = false, false, false
	found, err := runSystem(ctx, other, limited)
	if err != nil {
		return nil, err
	}
	found.Results = slices.DeleteFunc(found.Results, func(x result.Result) bool {
		return !x.ForAll() || x.Verdict != result.Holds
	})
	if !slices.ContainsFunc(o.Only, found.proves) {
		return nil, nil
	}
	out := &Outcome{Lemmas: found.Lemmas, Solvers: found.Solvers}
	if other.Name == derive.Untimed {
		out.Untimed = slices.Clone(found.Results)
		found.Results = slices.DeleteFunc(found.Results, func(x result.Result) bool {
			return !slices.Contains(o.Only, x.Property)
		})
	}
	compose(other, found)
	out.Results = found.Results
	return out, nil
}

// invariantsOf are the names of what proofs in a system may rest on.
func invariantsOf(sys *system.System) (names []string) {
	for _, p := range sys.Properties {
		if p.IsInvariant() && (p.Kind == system.Invariant || p.EndsRuns()) {
			names = append(names, p.Name)
		}
	}
	return names
}

// briefly bounds the work of a search in the system with rounds as steps, before the usual system
// is searched. A proof there is found soon, or not at all.
const briefly = 15 * effort.Million

func (o Options) brief() Options {
	if o.Effort == 0 || o.Effort > briefly {
		o.Effort = briefly
	}
	return o
}

// InferAny is InferAll for the systems of a file, and before it for the ones with rounds as steps
// in their place. It gives the systems of the search that decides all claims, or else the file's.
func InferAny(ctx context.Context, ds []*derive.Derived, o Options) (
	systems []*derive.Derived, out *Outcome, found []*engine.Inferred, err error,
) {
	others, err := allInRounds(ctx, ds)
	if err != nil && ctx.Err() == nil {
		return nil, nil, nil, err
	}
	if others != nil {
		out, found, err = InferAll(ctx, others, o.brief())
		if err != nil || !slices.ContainsFunc(out.Results, func(x result.Result) bool {
			return x.Verdict == result.Unknown
		}) {
			return others, out, found, err
		}
	}
	out, found, err = InferAll(ctx, ds, o)
	return ds, out, found, err
}

// allInRounds gives the systems with rounds as steps, where there is one that decides the same
// properties; nil if there is none. One system may take the place of several.
func allInRounds(ctx context.Context, ds []*derive.Derived) (out []*derive.Derived, err error) {
	some := false
	for _, d := range ds {
		by := d
		if d.InRounds != nil {
			other, err := d.InRounds(ctx)
			if err != nil {
				return nil, err
			}
			if !slices.ContainsFunc(d.Properties, func(name string) bool {
				return !slices.Contains(other.Properties, name)
			}) {
				by, some = other, true
			}
		}
		i := slices.IndexFunc(out, func(x *derive.Derived) bool { return x.Name == by.Name })
		switch {
		case i < 0:
			out = append(out, by)
		case len(by.Properties) > len(out[i].Properties):
			out[i] = by
		}
	}
	if !some {
		return nil, nil
	}
	return out, nil
}

// lacking lists the properties that were not proved, perhaps for want of invariants.
func lacking(sys *system.System, out *Outcome) (names []string) {
	for _, p := range sys.Properties {
		is := func(v ...result.Verdict) bool {
			return slices.ContainsFunc(out.Results, func(x result.Result) bool {
				return x.Property == p.Name && slices.Contains(v, x.Verdict)
			})
		}
		if (p.Kind == system.Safety || p.Kind == system.Liveness) && !is(result.Violated) &&
			is(result.NotInductive, result.Unknown) {
			names = append(names, p.Name)
		}
	}
	return names
}

// proves reports whether a property is proved for all instances.
func (o *Outcome) proves(name string) bool {
	return slices.ContainsFunc(o.Results, func(x result.Result) bool {
		return x.Property == name && x.ForAll() && x.Verdict == result.Holds
	})
}

// supersede puts the results of a later run in the place of the ones about the same.
func (o *Outcome) supersede(by *Outcome) {
	place := map[string]int{} // of the first row of a property
	for i, x := range slices.Backward(o.Results) {
		place[x.Property] = i
	}
	for _, y := range by.Results {
		if _, known := place[y.Property]; !known {
			place[y.Property] = len(o.Results)
		}
	}
	kept := slices.DeleteFunc(o.Results, func(x result.Result) bool {
		return slices.ContainsFunc(by.Results, func(y result.Result) bool {
			return y.Property == x.Property && y.Scope == x.Scope
		})
	})
	o.Results = slices.Concat(by.Results, kept)
	slices.SortStableFunc(o.Results, func(x, y result.Result) int {
		return place[x.Property] - place[y.Property]
	})
	o.Lemmas = append(o.Lemmas, by.Lemmas...)
	o.Untimed = append(o.Untimed, by.Untimed...)
	add := func(to *[]string, texts []string) {
		for _, text := range texts {
			if !slices.Contains(*to, text) {
				*to = append(*to, text)
			}
		}
	}
	add(&o.Solvers, by.Solvers)
	add(&o.Notes, by.Notes)
}
