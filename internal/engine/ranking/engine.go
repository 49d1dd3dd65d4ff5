package ranking

import (
	"context"
	"fmt"

	"erelong.dev/erelong/internal/engine"
)

// Engine proves the liveness properties of a task for all instances.
type Engine struct{ Options Options }

// Name is the engine's name in results.
func (e *Engine) Name() string { return Name }

// Accepts gives the reason why there is nothing to prove.
func (e *Engine) Accepts(t *engine.Task) string {
	switch {
	case t.Method != engine.Rank || t.System == nil:
		return "liveness of a system is proved after its invariants"
	case !t.Has(engine.Claim.IsLiveness):
		return "no liveness property is claimed"
	}
	return t.System.Unbounded(nil)
}

// Run proves the liveness properties.
func (e *Engine) Run(
	ctx context.Context, t *engine.Task, to engine.Sink,
) (*engine.Findings, error) {
	opts := e.Options
	opts.Only, opts.Proved, opts.Each, opts.Note = t.Names(engine.Claim.IsLiveness), t.Proved,
		t.Limits.Each, to.Note
	opts.Sink = to
	opts.Begin, opts.Progress = to.Obligations("liveness", "proving liveness")
	results, err := Prove(ctx, t.System, opts)
	if err != nil {
		return nil, err
	}
	return &engine.Findings{Results: results,
		Summary: fmt.Sprintf("liveness: %s tried",
			engine.Counted(len(results), "property", "properties"))}, nil
}
