package verify

import (
	"context"
	"fmt"
	"slices"
	"time"

	"erelong.dev/erelong/internal/effort"
	"erelong.dev/erelong/internal/engine"
	"erelong.dev/erelong/internal/engine/cti"
	"erelong.dev/erelong/internal/engine/induction"
	"erelong.dev/erelong/internal/explain"
	"erelong.dev/erelong/internal/interp"
	"erelong.dev/erelong/internal/result"
	"erelong.dev/erelong/internal/system"
)

// Limits on the analysis of properties that are not inductive.
const (
	diagnosedTraces = 3 // further traces have their picture only
	// of processor time for one trace; the counts of package cti should end it long before
	diagnosisGuard = time.Minute
)

// diagnose explains the violations, and analyses counterexamples to induction: is the property
// violated after all, and if not, which invariant excludes the counterexample?
func (r *run) diagnose(ctx context.Context) {
	diagnosed := 0
	var found []result.Result
	for i := range r.ledger.results {
		x := &r.ledger.results[i]
		p := r.sys.Property(x.Property)
		if x.Trace == nil || p == nil || !p.IsInvariant() {
			continue
		}
		m, err := modelOf(r.sys, x.Trace)
		if err != nil {
			continue // such as a function of all integers, which a trace cannot show
		}
		x.Trace.Why = explain.Trace(m, x.Trace, p.Term)
		if x.Trace.Why == nil && len(r.sys.Coded) > 0 {
			if pictured, err := interp.Pictured(r.sys, x.Trace); err == nil {
				x.Trace.Why = explain.Trace(pictured, x.Trace, p.Term)
			}
		}
		if p.Doubt != "" || x.Engine != induction.Name || x.Verdict != result.NotInductive ||
			ctx.Err() != nil || r.ledger.violated(p.Name) || diagnosed == diagnosedTraces {
			continue
		}
		diagnosed++
		r.progress(engine.Progress{Subtask: "proof",
			Text: fmt.Sprintf("looking into the counterexample to induction of %s", p.Name)})
		guarded, cancel := effort.Processor(ctx, diagnosisGuard, context.DeadlineExceeded)
		var violation *result.Result
		x.Trace.Diagnosis, violation = cti.Diagnose(guarded, r.sys, p, x.Trace, m, cti.Options{
			Induction: r.o.Induct, Threads: r.o.Explicit.Threads, Small: r.inSmall,
		})
		cancel()
		if violation != nil {
			if m, err := modelOf(r.sys, violation.Trace); err == nil {
				violation.Trace.Why = explain.Trace(m, violation.Trace, p.Term)
			}
			found = append(found, *violation)
		}
	}
	if r.small != nil {
		for _, x := range r.small.Results {
			if !slices.ContainsFunc(found, func(f result.Result) bool {
				return f.Property == x.Property
			}) {
				if m, err := modelOf(r.sys, x.Trace); err == nil {
					x.Trace.Why = explain.Trace(m, x.Trace, r.sys.Property(x.Property).Term)
				}
				found = append(found, x)
			}
		}
	}
	r.ledger.add(found)
}

func modelOf(sys *system.System, t *result.Trace) (*interp.Model, error) {
	inst, err := interp.InstanceOf(sys, t)
	if err != nil {
		return nil, err
	}
	return interp.NewModel(sys, inst)
}
