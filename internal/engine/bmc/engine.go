package bmc

import (
	"context"
	"fmt"

	"erelong.dev/erelong/internal/engine"
)

// Engine searches the runs of an instance, or without one of all instances.
type Engine struct{ Options Options }

// Name is the engine's name in results.
func (e *Engine) Name() string { return Name }

// Accepts gives the reason why there is nothing to search for.
func (e *Engine) Accepts(t *engine.Task) string {
	switch {
	case t.Method != engine.Search || t.System == nil:
		return "runs of a bounded number of steps are searched of a system"
	case !t.Has(engine.Claim.IsInvariant):
		return "nothing is claimed of states"
	case len(t.System.Coded) > 0 && t.Instance == nil:
		return "a solver does not know all values of sets in sets and the like, so its runs may " +
			"not exist"
	case len(t.System.Majorities) > 0:
		return "a solver knows of majorities only that two of them meet, so its runs may not exist"
	case t.Instance != nil:
		return t.System.Unbounded(t.Instance)
	}
	return ""
}

// Run searches for violations.
func (e *Engine) Run(
	ctx context.Context, t *engine.Task, to engine.Sink,
) (*engine.Findings, error) {
	opts := e.Options
	opts.Only, opts.Sink = t.Names(engine.Claim.IsInvariant), to
	part := allInstances
	if t.Instance != nil {
		part = t.Instance.Name
	}
	within, cancel := t.Limits.Each.Bound(ctx)
	defer cancel()
	results, err := Check(within, t.System, t.Instance, opts)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", part, err)
	}
	return &engine.Findings{Results: results}, nil
}
