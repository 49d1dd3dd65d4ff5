package verify

import (
	"cmp"
	"context"
	"fmt"
	"slices"

	"erelong.dev/erelong/internal/discharge"
	"erelong.dev/erelong/internal/engine"
	"erelong.dev/erelong/internal/engine/ranking"
	"erelong.dev/erelong/internal/result"
	"erelong.dev/erelong/internal/system"
)

// shortEffort bounds the questions about cases of a property without hints. Most properties that
// are proved without hints need no cases.
const shortEffort = 200

// live proves liveness for all instances, where exploration found no run that violates the
// property. A missing proof is a result if the user asked for one, by the command or by hints, or
// if there is no other result; otherwise it is a note.
func (r *run) live(ctx context.Context) error {
	t := r.task(engine.Rank)
	t.System = r.withLemmas()
	t.Claims, t.Proved = slices.DeleteFunc(slices.Clone(t.Claims), func(c engine.Claim) bool {
		return r.violated(c.Name)
	}), r.results
	engines := accepting(r.engines(), t)
	if len(engines) == 0 || r.noSolver != nil || ctx.Err() != nil {
		return nil
	}
	for _, p := range r.begin(ctx, t, engines) {
		found, err := p.findings()
		if err != nil {
			return r.unsolved(err)
		}
		for _, x := range found.Results {
			if x.Verdict == result.Holds || r.o.LiveOnly || len(r.of(x.Property)) == 0 ||
				r.sys.RankingOf(r.sys.Property(x.Property)) != nil {
				r.add([]result.Result{x})
			} else {
				r.add(nil, fmt.Sprintf("%s: not proved for all instances: %s", x.Property,
					x.Reason))
			}
		}
		r.progress(engine.Progress{Subtask: "liveness", Finished: true, Text: found.Summary})
	}
	return nil
}

// withLemmas is the system with the invariants that inference found, which a proof of liveness may
// need, too. They are proved again there, together with the invariants of the file.
func (r *run) withLemmas() *system.System {
	if len(r.lemmas) == 0 {
		return r.sys
	}
	more := *r.sys
	more.Properties = slices.Clone(r.sys.Properties)
	for _, l := range r.lemmas {
		more.Properties = append(more.Properties, &system.Property{Name: l.Name,
			Kind: system.Invariant, Term: l.Term, Span: l.Term.Span})
	}
	return &more
}

// ranking gives the settings of the search for ranking functions. Beside other engines it is a
// short attempt; with its own command it takes its time.
func (r *run) ranking() ranking.Options {
	opts := ranking.Options{Options: r.o.Induct.Options, Instances: r.o.Instances,
		Observe: r.o.Observe, Rounds: r.o.Rounds}
	if len(opts.Instances) == 0 {
		opts.Instances = r.sys.Instances
	}
	if in, _ := Guess(r.sys); len(opts.Instances) == 0 && in != nil {
		opts.Instances = []*system.Instance{in}
	}
	if !r.o.LiveOnly {
		opts.Rlimit = max(cmp.Or(opts.Rlimit, discharge.DefaultRlimit)/10, 1)
		opts.Effort = shortEffort
	}
	return opts
}

// of gives the results for a property so far.
func (r *run) of(name string) (out []result.Result) {
	for _, x := range r.results {
		if x.Property == name {
			out = append(out, x)
		}
	}
	return out
}
