package explicit

import (
	"context"

	"erelong.dev/erelong/internal/engine"
	"erelong.dev/erelong/internal/result"
	"erelong.dev/erelong/internal/system"
)

// Fit gives a system and an instance with as many places and integers as the sequences, sets and
// maps without a bound need in all reachable states. It explores them to find out. No step is left
// out of what comes out, so it has the same runs. Where there may be a step that needs more, a
// reason says why in place of a system.
func Fit(ctx context.Context, t *engine.Task) (*system.System, *system.Instance, result.Reason,
	error) {
	var none result.Reason
	g := newGrowth(t.System, t.Instance, Options{Only: []string{}, Limits: t.Limits})
	if err := g.opts.complete(); err != nil {
		return nil, nil, none, engine.Unfit(err)
	}
	if err := g.begin(ctx); err != nil {
		return nil, nil, none, err
	}
	for {
		x, room, err := g.explore(ctx)
		if err != nil {
			return nil, nil, none, err
		}
		full, err := x.takeRoom(room)
		switch {
		case err != nil:
			return nil, nil, none, g.infinite(err)
		case full != nil && !g.grow(full.Property):
			return nil, nil, result.Because(result.Unsupported, "a sequence, set or map needs "+
				"more and more room in the runs, so steps would be left out: write seq[T, n], "+
				"and a range such as 0..9 in place of int"), nil
		case full == nil && ctx.Err() != nil:
			return nil, nil, result.Over(ctx), nil
		case full == nil && !x.Stats.Complete:
			return nil, nil, result.Because(result.Bounded, "not all states were explored, so it "+
				"is not known how much room sequences, sets and maps without a bound need"), nil
		case full == nil:
			sys, err := g.narrowed(ctx)
			if err != nil {
				return nil, nil, none, g.infinite(err)
			}
			return sys, sys.Placed(t.Instance, max(g.places, 1)), none, nil
		}
	}
}
