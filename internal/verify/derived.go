package verify

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"erelong.dev/erelong/internal/derive"
	"erelong.dev/erelong/internal/engine"
	"erelong.dev/erelong/internal/result"
	"erelong.dev/erelong/internal/system"
)

// compose translates the results about a derived system to results about the file. Results of the
// file's own properties list the passes and their assumptions. Traces are told in terms of the
// algorithm. A property of the derived system gets the system's name in front. A property of runs
// that follows from properties of states has the verdict that these imply.
func compose(d *derive.Derived, o *Outcome) {
	if d.Name == "" {
		return // the file has no algorithm
	}
	for _, name := range d.Properties {
		parts := d.Sufficient[name]
		if parts == nil {
			continue
		}
		if r := whole(d, name, o.Results); r != nil {
			o.Results = slices.DeleteFunc(o.Results, func(x result.Result) bool {
				return x.Property == name && x.Scope == result.ScopeAll
			})
			o.Results = append([]result.Result{*r}, o.Results...)
		}
	}
	for i := range o.Lemmas {
		o.Lemmas[i].For = d.Reported(o.Lemmas[i].For) + ", about " + d.Name
	}
	for i := range o.Results {
		r := &o.Results[i]
		if r.Trace != nil {
			r.Trace.Story = d.Tell(r.Trace)
		}
		if name := d.Reported(r.Property); name != r.Property {
			r.Property = name
			if r.Trace != nil {
				r.Trace.Violates = name
			}
			continue
		}
		if r.Evidence == nil {
			r.Evidence = &result.Evidence{}
		}
		r.Evidence.Reductions = append(slices.Clone(d.Reductions), r.Evidence.Reductions...)
	}
	result.Assume(o.Results, d.Assumptions)
}

// whole gives the result for a property of runs, if its parts were to be proved.
func whole(d *derive.Derived, name string, results []result.Result) *result.Result {
	p := d.Spec.System.Property(name)
	r := &result.Result{
		Property: name, Kind: system.Temporal, Verdict: result.Holds, Scope: result.ScopeAll,
		Line:     p.Span.Line(),
		Evidence: &result.Evidence{Reductions: []result.Reduction{d.Safety[name]}},
	}
	for _, part := range d.Sufficient[name] {
		i := slices.IndexFunc(results, func(x result.Result) bool {
			return x.Property == part && x.Scope == result.ScopeAll
		})
		if i < 0 || results[i].Verdict == result.NothingChecked {
			return nil
		}
		x := results[i]
		r.Engine, r.Assumptions = x.Engine, x.Assumptions // the same for all parts
		r.Queries += x.Queries
		r.Elapsed += x.Elapsed
		switch {
		case r.Verdict != result.Holds:
		case x.Verdict != result.Holds:
			r.Verdict, r.Reason = result.Unknown, result.Because(result.RestsOnUnproved,
				fmt.Sprintf("it is reduced to properties of states, and %s/%s is %s", d.Name, part,
					x.Verdict))
		default:
			r.Evidence.Invariant, r.Evidence.Trusted, r.Evidence.Induction = x.Evidence.Invariant,
				x.Evidence.Trusted, x.Evidence.Induction
			r.Evidence.Obligations = append(r.Evidence.Obligations, x.Evidence.Obligations...)
		}
	}
	return r
}

// RunAll is Run for every system that was derived from a file; a file without an algorithm has one.
// Instances chooses the explored instances of a system. With LiveOnly and no names, it chooses the
// liveness properties, or, if there are none, the temporal properties. Errors are as for Run.
func RunAll(
	ctx context.Context, ds []*derive.Derived, o Options, instances func(
		*system.System,
	) ([]*system.Instance, error),
) (*Outcome, error) {
	outcomes := make([]*Outcome, len(ds))
	told := func() (out []*Outcome) {
		return slices.DeleteFunc(slices.Clone(outcomes), func(o *Outcome) bool { return o == nil })
	}
	first := map[*derive.Derived]Options{}
	for _, d := range ds {
		own := o
		var some bool
		if own.Only, some = only(d, o.Only); some && len(ds) > 1 {
			if err := inFew(ctx, d.Spec.System, &own); err != nil {
				return nil, err
			}
		}
		first[d] = own
	}
	for _, i := range inOrder(ds) {
		d, own := ds[i], o
		own.violated, own.looked = first[d].violated, first[d].looked
		var some bool
		if own.Only, some = only(d, o.Only); !some {
			continue
		}
		if o.LiveOnly {
			if own.Only, some = liveOnly(d, own); !some {
				outcomes[i] = &Outcome{}
				continue
			}
		}
		var err error
		if own.Instances, err = instances(d.Spec.System); err != nil {
			return nil, err
		}
		if !own.part(d.Spec.System) {
			outcomes[i] = &Outcome{}
			continue
		}
		if own.violated != nil && len(own.Instances) == 0 && len(own.violated) == claimed(d, own) {
			own.Explore, own.Bound, own.Prove, own.Live = false, false, false, false
		}
		outcome, err := runDerived(ctx, d, own)
		if outcome != nil {
			whole := len(o.Only) == 0 && (!o.LiveOnly || o.Rests)
			if d.Name == "" && whole && !own.Inductive && own.Take == nil && err == nil {
				outcome.Superfluous = superfluous(d.Spec.System, outcome)
			}
			outcomes[i] = outcome
		}
		if err != nil {
			return merge(told()), err
		}
	}
	if len(told()) == 0 {
		return nil, missing(ds, o.Only)
	}
	all := merge(told())
	if o.LiveOnly && o.Take == nil && len(all.Results) == 0 && ctx.Err() == nil {
		all.Notes = append(all.Notes, "the file has no liveness property, so nothing was checked")
	}
	return all, nil
}

// inOrder are the places of the systems in the order in which they are decided.
func inOrder(ds []*derive.Derived) (out []int) {
	for i := range ds {
		out = append(out, i)
	}
	slices.SortStableFunc(out, func(i, j int) int {
		switch {
		case ds[i].Early == ds[j].Early:
			return 0
		case ds[i].Early:
			return -1
		}
		return 1
	})
	return out
}

// claimed counts the properties of a system that are asked for.
func claimed(d *derive.Derived, o Options) (n int) {
	for _, p := range d.Spec.System.Properties {
		if len(o.Only) == 0 || slices.Contains(o.Only, p.Name) {
			n++
		}
	}
	return n + len(d.Spec.System.Scenarios)
}

// missing says that the systems have none of the given properties.
func missing(ds []*derive.Derived, only []string) error {
	var names []string
	for _, d := range ds {
		names = append(names, d.Properties...)
	}
	return fmt.Errorf("%w %q; the file has: %s", engine.ErrNoProperty, strings.Join(only, ", "),
		strings.Join(names, " "))
}

// liveOnly chooses the liveness properties of a derived system, and with Rests also the invariants
// that they rest on. Explicit names choose the properties instead.
func liveOnly(d *derive.Derived, o Options) (only []string, some bool) {
	if len(o.Only) > 0 {
		return o.Only, true
	}
	sys := d.Spec.System
	about := func(p *system.Property) bool { return p.Kind == system.Liveness }
	if !slices.ContainsFunc(sys.Properties, about) {
		about = (*system.Property).IsTemporal
	}
	for _, p := range sys.Properties {
		if about(p) {
			some = true
			only = append(append(only, p.Name), d.Sufficient[p.Name]...)
		}
	}
	for _, p := range sys.Properties {
		if o.Rests && some && p.IsInvariant() && !slices.Contains(only, p.Name) {
			only = append(only, p.Name)
		}
	}
	return only, some
}

// merge joins the outcomes of several systems, in their order.
func merge(outcomes []*Outcome) *Outcome {
	out := &Outcome{}
	for _, o := range outcomes {
		out.Results = append(out.Results, o.Results...)
		for _, n := range o.Notes {
			if !slices.Contains(out.Notes, n) {
				out.Notes = append(out.Notes, n)
			}
		}
		out.Lemmas = append(out.Lemmas, o.Lemmas...)
		out.Untimed = append(out.Untimed, o.Untimed...)
		out.Instances = joinInstances(out.Instances, o.Instances)
		out.Superfluous = append(out.Superfluous, o.Superfluous...)
		out.Refused = append(out.Refused, o.Refused...)
		for _, s := range o.Solvers {
			if !slices.Contains(out.Solvers, s) {
				out.Solvers = append(out.Solvers, s)
			}
		}
		if o.NoSolver != nil {
			out.NoSolver = o.NoSolver
		}
	}
	slices.Sort(out.Solvers)
	result.Void(out.Results)
	return out
}

// only selects, among the given names, the names that concern a derived system. No names mean all;
// the result is false when all given names belong to other systems.
func only(d *derive.Derived, names []string) (only []string, some bool) {
	if d.Name == "" || len(names) == 0 {
		return names, true
	}
	for _, n := range names {
		if own, ok := d.Own(n); ok {
			only = append(append(only, own), d.Sufficient[own]...)
		}
	}
	return only, len(only) > 0
}
