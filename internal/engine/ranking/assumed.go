package ranking

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"erelong.dev/erelong/internal/engine/induction"
	"erelong.dev/erelong/internal/result"
	"erelong.dev/erelong/internal/system"
)

// prove proves the invariants that the obligations assume. Why is the reason when liveness cannot
// be proved at all.
func prove(
	ctx context.Context, sys *system.System, names []string, opts Options,
) (proved []*system.Property, why result.Reason, err error) {
	if len(names) == 0 {
		return nil, result.Reason{}, nil
	}
	var all []result.Result // of the inductions
	verdicts := func(results []result.Result) map[string]result.Verdict {
		all = slices.DeleteFunc(slices.Clone(results), func(r result.Result) bool {
			return r.Engine != induction.Name || r.Scope != result.ScopeAll
		})
		out := map[string]result.Verdict{}
		for _, r := range all {
			out[r.Property] = r.Verdict
		}
		return out
	}
	known := verdicts(opts.Proved)
	if slices.ContainsFunc(names, func(name string) bool { return known[name] == "" }) {
		results, err := induction.Prove(ctx, sys,
			induction.Options{Options: opts.Options, Only: names})
		if err != nil {
			return nil, result.Reason{}, err
		}
		known = verdicts(results)
	}
	for _, name := range names {
		p := sys.Property(name)
		switch {
		case known[name] == result.Holds:
			proved = append(proved, p)
		case known[name] == result.NothingChecked:
			return nil, result.Because(result.NoInitialState, "no initial state"), nil
		case p.EndsRuns():
			// A step out of a range is a violation and does not end the run, so a proof that
			// assumes the ranges would ignore the rest of the run.
			why = result.Because(result.RestsOnUnproved,
				fmt.Sprintf("liveness is proved of systems that keep to their ranges, and %s is "+
					"%s%s", name, known[name], lost(sys, name, all)))
		}
	}
	return proved, why, nil
}

// lost says why a range is not proved: the reason of its result, and the invariants that are no
// more assumed because they failed themselves.
func lost(sys *system.System, name string, all []result.Result) string {
	text := ""
	var failed []string
	for _, r := range all {
		switch p := sys.Property(r.Property); {
		case r.Property == name && r.Reason.Given():
			text = ": " + r.Reason.Text
		case r.Property != name && p != nil && !p.IsImplicit() &&
			(r.Verdict == result.NotInductive || r.Verdict == result.Violated):
			failed = append(failed, fmt.Sprintf("%s, which is %s", r.Property, r.Verdict))
		}
	}
	if text == "" && len(failed) > 0 {
		text = "; its proof may not assume " + strings.Join(failed, ", nor ")
	}
	return text
}
