package verify

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"

	"erelong/internal/discharge"
	"erelong/internal/engine/rank"
	"erelong/internal/smt"
	"erelong/internal/system"
	"erelong/internal/verdict"
)

// shortEffort bounds the questions about cases of a property without hints. Most that are proved without hints need no cases.
const shortEffort = 200

// live proves liveness for all instances, where exploration found no run that violates the property. A proof that is not found is a
// result where the user asked for one, with the command or with hints, or where there is no other; else it is a note.
func (r *run) live(ctx context.Context) error {
	var names []string
	for _, p := range r.sys.Properties {
		wanted := p.Kind == system.Liveness && (len(r.o.Only) == 0 || slices.Contains(r.o.Only, p.Name))
		if wanted && !slices.ContainsFunc(r.of(p.Name), func(x verdict.Result) bool { return x.Verdict == verdict.Violated }) {
			names = append(names, p.Name)
		}
	}
	if len(names) == 0 || r.noSolver != nil || ctx.Err() != nil {
		return nil
	}
	opts := rank.Options{Options: r.o.Induct.Options, Only: names, Proved: r.results}
	opts.Note = func(text string) { r.add(nil, text) }
	opts.Instances = r.o.Instances
	if len(opts.Instances) == 0 {
		opts.Instances = r.sys.Instances
	}
	if in, _ := Guess(r.sys); len(opts.Instances) == 0 && in != nil {
		opts.Instances = []*system.Instance{in}
	}
	if !r.o.LiveOnly {
		// Beside the other engines it is a short try. The command for it takes its time.
		opts.Rlimit = max(cmp.Or(opts.Rlimit, discharge.DefaultRlimit)/10, 1)
		opts.Effort = shortEffort
	}
	opts.Each = r.o.Each
	r.tellObligations(&opts.Options, "liveness", "proving liveness")
	results, err := rank.Prove(ctx, r.sys, opts)
	switch {
	case errors.Is(err, smt.ErrNoSolver):
		r.noSolver = err
		return nil
	case err != nil:
		return err
	}
	for _, x := range results {
		if x.Verdict == verdict.Holds || r.o.LiveOnly || len(r.of(x.Property)) == 0 || r.sys.RankingOf(r.sys.Property(x.Property)) != nil {
			r.add([]verdict.Result{x})
		} else {
			r.add(nil, fmt.Sprintf("%s: not proved for all instances: %s", x.Property, x.Reason))
		}
	}
	r.progress(Event{Part: "liveness", Done: true, Text: fmt.Sprintf("liveness: %s tried", counted(len(results), "property", "properties"))})
	return nil
}

// of gives the results for a property so far.
func (r *run) of(name string) (out []verdict.Result) {
	for _, x := range r.results {
		if x.Property == name {
			out = append(out, x)
		}
	}
	return out
}
