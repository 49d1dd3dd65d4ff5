package verify

import (
	"context"
	"slices"
	"strings"

	"erelong.dev/erelong/internal/discharge"
	"erelong.dev/erelong/internal/result"
	"erelong.dev/erelong/internal/system"
	"erelong.dev/erelong/internal/vacuity"
	"erelong.dev/erelong/internal/vc"
)

// contradictions adds to results without an initial state the assumptions that exclude each other.
func (v *review) contradictions(ctx context.Context) {
	known := map[string]string{}
	for i := range v.ledger.results {
		x := &v.ledger.results[i]
		if x.Verdict != result.NothingChecked || x.Engine == "" {
			continue
		}
		key := x.Scope
		if x.Kind == system.Theorem {
			key = string(x.Kind)
		}
		if _, ok := known[key]; !ok {
			known[key] = v.contradiction(ctx, x)
		}
		if known[key] != "" {
			x.Reason.Text = known[key]
		}
	}
}

// contradiction explains one of these results; it is empty when there is no explanation.
func (v *review) contradiction(ctx context.Context, x *result.Result) string {
	if x.Scope != result.ScopeAll {
		in := v.instance(x.Scope)
		if in == nil || !vacuity.NoInitialState(ctx, v.sys, in) {
			return ""
		}
		return vacuity.WhyNoInitialState(ctx, v.sys, in)
	}
	opts := v.o.Induct.Options
	opts.Progress, opts.Note, opts.Cache = nil, nil, nil
	d, err := discharge.New(ctx, v.sys, opts)
	if err != nil {
		return ""
	}
	sys := v.sys
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
func (v *review) addEmptyInstances(ctx context.Context) {
	instances := v.o.Instances
	if len(instances) == 0 {
		instances = v.sys.Instances
	}
	if v.o.Take != nil {
		return // another part of the run explores them
	}
	for _, in := range instances {
		if v.hasResults(in) || !vacuity.NoInitialState(ctx, v.sys, in) {
			continue
		}
		why := result.Because(result.NoInitialState, vacuity.WhyNoInitialState(ctx, v.sys, in))
		for _, c := range v.claims {
			if p := c.Property; p != nil && p.Kind == system.Safety {
				v.ledger.add([]result.Result{{Property: p.Name, Kind: p.Kind, Scope: in.Name,
					Verdict: result.NothingChecked, Line: p.Span.Line(), Reason: why}})
			}
		}
	}
}

// hasResults reports whether some result is about an instance.
func (v *review) hasResults(in *system.Instance) bool {
	return slices.ContainsFunc(v.ledger.results, func(x result.Result) bool {
		return x.Scope == in.Name
	})
}
