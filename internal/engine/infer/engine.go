package infer

import (
	"context"
	"fmt"
	"slices"

	"erelong.dev/erelong/internal/discharge"
	"erelong.dev/erelong/internal/engine"
	"erelong.dev/erelong/internal/engine/induction"
	"erelong.dev/erelong/internal/result"
	"erelong.dev/erelong/internal/system"
)

// Engine finds invariants with which the claims of a task are inductive.
type Engine struct {
	Options discharge.Options
	Effort  int64  // see Options
	Prefix  string // see Options
	// NoTotals: see Options.
	NoTotals bool
}

// Name is the engine's name in results.
func (e *Engine) Name() string { return Name }

// Accepts gives the reason why there is nothing to find.
func (e *Engine) Accepts(t *engine.Task) string {
	if t.Method != engine.Infer || t.System == nil {
		return "invariants are found for a system"
	}
	return ""
}

// Run looks for a violation first, and then for invariants. A claim without a proof is unknown.
func (e *Engine) Run(
	ctx context.Context, t *engine.Task, to engine.Sink,
) (*engine.Findings, error) {
	opts := Options{Options: induction.Options{Options: e.Options}, Sink: to, Effort: e.Effort,
		Prefix: e.Prefix, NoTotals: e.NoTotals}
	if t.Named {
		opts.Only = t.Names(engine.Claim.IsInvariant)
	}
	within, cancel := t.Limits.Each.Bound(ctx)
	defer cancel()
	out, err := Find(within, t.System, opts)
	if ended := result.Over(within); ended.Given() && (err != nil || !out.Proved) {
		if err != nil {
			out, err = &Outcome{}, nil
		}
		out.Reason = ended
	}
	if err != nil {
		return nil, err
	}
	found := &engine.Findings{Results: out.Results}
	if !out.Proved && !out.Part { // there are no lemmas to prove it again with
		found.Results = slices.DeleteFunc(found.Results, func(x result.Result) bool {
			return x.Verdict == result.Holds
		})
	}
	if out.Proved || out.Part {
		found.Inferred = &engine.Inferred{Lemmas: out.Lemmas, Kept: out.Kept}
		for _, x := range out.Results {
			if x.Verdict == result.Violated {
				found.Inferred.Open = append(found.Inferred.Open, x.Property)
			}
		}
	}
	for _, r := range unproved(t, out.Reason) {
		if slices.ContainsFunc(out.Results, func(x result.Result) bool {
			return x.Property == r.Property
		}) {
			continue
		}
		found.Results = append(found.Results, r)
		if found.Inferred != nil {
			found.Inferred.Open = append(found.Inferred.Open, r.Property)
		}
	}
	for _, l := range out.Partial {
		found.Notes = append(found.Notes,
			fmt.Sprintf("proved on the way, for %s: invariant [%s] %s", l.For, l.Name, l.Term))
	}
	return found, nil
}

// unproved gives an unknown result for each claim.
func unproved(t *engine.Task, reason result.Reason) (out []result.Result) {
	for _, c := range t.Claims {
		if p := c.Property; p != nil &&
			(p.Kind == system.Safety || t.Named && p.Kind == system.Invariant) {
			out = append(out, result.Result{
				Property: p.Name, Kind: p.Kind, Verdict: result.Unknown, Scope: result.ScopeAll,
				Engine: Name,
				Line:   p.Span.Line(), Reason: reason,
			})
		}
	}
	return out
}
