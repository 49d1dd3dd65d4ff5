package verify

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"erelong.dev/erelong/internal/discharge"
	"erelong.dev/erelong/internal/logic"
	"erelong.dev/erelong/internal/result"
	"erelong.dev/erelong/internal/system"
	"erelong.dev/erelong/internal/vacuity"
	"erelong.dev/erelong/internal/vc"
)

// satisfiable reports whether some instance is known to have an initial state, so that no solver
// need be asked.
func (r *run) satisfiable(ctx context.Context) bool {
	for _, in := range r.examples() {
		if vacuity.HasInitialState(ctx, r.sys, in) {
			return true
		}
	}
	return false
}

// contradictions adds to results without an initial state the assumptions that exclude each other.
func (r *run) contradictions(ctx context.Context) {
	known := map[string]string{}
	for i := range r.results {
		x := &r.results[i]
		if x.Verdict != result.NothingChecked || x.Engine == "" {
			continue
		}
		key := x.Scope
		if x.Kind == system.Theorem {
			key = string(x.Kind)
		}
		if _, ok := known[key]; !ok {
			known[key] = r.contradiction(ctx, x)
		}
		if known[key] != "" {
			x.Reason.Text = known[key]
		}
	}
}

// contradiction explains one of these results; it is empty when there is no explanation.
func (r *run) contradiction(ctx context.Context, x *result.Result) string {
	if x.Scope != result.ScopeAll {
		in := r.instance(x.Scope)
		if in == nil || !vacuity.NoInitialState(ctx, r.sys, in) {
			return ""
		}
		return vacuity.WhyNoInitialState(ctx, r.sys, in)
	}
	opts := r.o.Induct.Options
	opts.Progress, opts.Note, opts.Cache = nil, nil, nil
	d, err := discharge.New(ctx, r.sys, opts)
	if err != nil {
		return ""
	}
	sys := r.sys
	if x.Kind == system.Theorem {
		sys = vacuity.Untrusted(sys)
		sys.Inits = nil
	}
	core := vacuity.Minimise(sys, func(s *system.System) bool {
		t := &vc.Theory{}
		t.Background(s, s.Trusted(), vc.Versions{})
		if x.Kind != system.Theorem {
			t.Assume(vc.Ranges(s)...)
		}
		t.Initial(s)
		return d.Contradictory(ctx, "an initial state", t)
	})
	if x.Kind == system.Theorem {
		return strings.TrimPrefix(vacuity.Exclude(core, ""), ": ")
	}
	return vacuity.NoState + vacuity.Exclude(core, "")
}

// addEmptyInstances says of the instances of the file that have no initial state that nothing was
// checked there, where no engine explores them: a proof for all instances says nothing about them.
func (r *run) addEmptyInstances(ctx context.Context) {
	instances := r.o.Instances
	if len(instances) == 0 {
		instances = r.sys.Instances
	}
	if r.o.Take != nil {
		return // another part of the run explores them
	}
	for _, in := range instances {
		if r.hasResults(in) || !vacuity.NoInitialState(ctx, r.sys, in) {
			continue
		}
		why := result.Because(result.NoInitialState, vacuity.WhyNoInitialState(ctx, r.sys, in))
		for _, c := range r.claims {
			if p := c.Property; p != nil && p.Kind == system.Safety {
				r.add([]result.Result{{Property: p.Name, Kind: p.Kind, Scope: in.Name,
					Verdict: result.NothingChecked, Line: p.Span.Line(), Reason: why}})
			}
		}
	}
}

// hasResults reports whether some result is about an instance.
func (r *run) hasResults(in *system.Instance) bool {
	return slices.ContainsFunc(r.results, func(x result.Result) bool { return x.Scope == in.Name })
}

// useless reports whether an instance that the user did not choose has no initial state. This says
// nothing about the file, so it is not a result.
func (r *run) useless(ctx context.Context, in *system.Instance) bool {
	if !vacuity.NoInitialState(ctx, r.sys, in) {
		return false
	}
	sizes := ""
	for _, s := range r.sys.Sorts {
		if s.Kind == logic.KindUninterpreted {
			sizes = ", with two elements of every sort,"
		}
	}
	r.unexplored = fmt.Sprintf("no instance was explored: the one that is chosen where the file "+
		"names none%s has %s; add one to the file",
		sizes, vacuity.WhyNoInitialState(ctx, r.sys, in))
	return true
}
