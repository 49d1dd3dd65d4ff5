package induction

import (
	"context"

	"erelong.dev/erelong/internal/engine"
	"erelong.dev/erelong/internal/system"
)

// Engine proves the invariants and theorems of a task for all instances, and decides its scenarios.
type Engine struct{ Options Options }

// Name is the engine's name in results.
func (e *Engine) Name() string { return Name }

// decides reports whether this engine is for a claim.
func decides(c engine.Claim) bool {
	return c.IsInvariant() || c.Scenario != nil ||
		c.Property != nil && c.Property.Kind == system.Theorem
}

// Accepts gives the reason why there is nothing to prove.
func (e *Engine) Accepts(t *engine.Task) string {
	switch {
	case t.Method != engine.Prove || t.System == nil:
		return "systems are proved for all instances"
	case !t.Has(decides):
		return "no safety property, invariant, theorem or scenario is claimed"
	}
	return ""
}

// Run proves the claims.
func (e *Engine) Run(
	ctx context.Context, t *engine.Task, to engine.Sink,
) (*engine.Findings, error) {
	opts := e.Options
	opts.Only, opts.Satisfiable, opts.Each, opts.Note = t.Names(decides), t.Satisfiable,
		t.Limits.Each, to.Note
	opts.Unaided = !t.Named || !t.Has(func(c engine.Claim) bool {
		return c.Property != nil && c.Property.Tried
	})
	opts.Begin, opts.Progress = to.Obligations("proof", "proving")
	results, err := Prove(ctx, t.System, opts)
	if err != nil {
		return nil, err
	}
	return &engine.Findings{Results: results}, nil
}
