package explicit

import (
	"context"
	"slices"

	"erelong.dev/erelong/internal/engine/explore/program"
	"erelong.dev/erelong/internal/system"
	"erelong.dev/erelong/internal/vacuity"
)

// brief explores with the interpreter. It gives nil if the search is not complete and not at its
// limits. Its results are the results of a compiled search.
func brief(
	ctx context.Context, sys *system.System, inst *system.Instance, opts Options,
) *Exploration {
	first := opts
	first.Brief, first.program = false, program.Brief
	if opts.Work > 0 {
		first.program = program.Interpreted // the work bounds the successors of a state
	}
	limited := opts.Limits.States > 0 && opts.Limits.States <= program.BriefStates
	if !limited {
		first.Limits.States, first.NoScout = program.BriefStates, true
	}
	x, err := attempts(ctx, sys, inst, first)
	switch {
	case err != nil:
		return nil // a compiled search gives it, too, unless a state has too many successors
	case limited || x.Stats.Complete || x.Stats.OutOfWork || ctx.Err() != nil:
		return x
	case len(x.Results) > 0 && x.Stats.States >= program.BriefStates || !opts.seen(&x.Stats):
		return nil
	}
	return x
}

// seen reports whether every sign of Signs was seen.
func (o *Options) seen(stats *Stats) bool {
	if o.Signs == nil {
		return true
	}
	wanted := slices.DeleteFunc(slices.Clone(o.Signs), func(sign vacuity.Sign) bool {
		return sign.Initial
	})
	return len(stats.Shown) == len(wanted) && len(stats.NeverEnabled) == 0
}
