package fbii

import (
	"context"

	"erelong.dev/erelong/internal/discharge"
	"erelong.dev/erelong/internal/engine"
)

// Engine checks the proofs of a system.
type Engine struct{ Options discharge.Options }

// Name is the engine's name in results.
func (e *Engine) Name() string { return Name }

// Accepts gives the reason why there is nothing to check.
func (e *Engine) Accepts(t *engine.Task) string {
	switch {
	case t.Method != engine.Prove || t.System == nil:
		return "proofs are about a system, for all instances"
	case len(t.System.Fbiis) == 0:
		return "the file has no such proof"
	case !t.Has(hasProperty):
		return "no property is claimed"
	}
	return ""
}

func hasProperty(c engine.Claim) bool { return c.Property != nil }

// Run checks the proofs.
func (e *Engine) Run(
	ctx context.Context, t *engine.Task, to engine.Sink,
) (*engine.Findings, error) {
	opts := e.Options
	opts.Each, opts.Note = t.Limits.Each, to.Note
	opts.Begin, opts.Progress = to.Obligations("proof", "proving")
	results, err := Prove(ctx, t.System, t.Names(hasProperty), opts)
	if err != nil {
		return nil, err
	}
	return &engine.Findings{Results: results}, nil
}
