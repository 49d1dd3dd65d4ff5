// Package effort counts the work of a search, so that a search ends after the same work on every
// machine, however busy it is.
//
// In: work done under a context, in units of z3's resource count. Out: the end of the context once
// the work reaches its limit. Solvers report what a question took; questions to the program's own
// solver of propositional formulas have a fixed price.
package effort

import (
	"context"
	"sync/atomic"
)

// Million is a unit for people: z3 does 1.5 to 15 million units a second.
const Million = 1_000_000

// Question is the price of a question to a solver that does not say what it spent.
const Question = 200_000

type key struct{}

// meter counts the work under a context.
type meter struct {
	outer *meter // of the search that this one is a part of, nil for none
	spent atomic.Int64
	limit int64
	end   context.CancelCauseFunc
	cause error
}

// Limit is a context that ends with a cause after some work, 0 for no limit.
func Limit(
	ctx context.Context, units int64, cause error,
) (context.Context, context.CancelFunc) {
	ctx, end := context.WithCancelCause(ctx)
	m := &meter{limit: units, end: end, cause: cause}
	m.outer, _ = ctx.Value(key{}).(*meter)
	return context.WithValue(ctx, key{}, m), func() { end(context.Canceled) }
}

// Late is a context for the rest of some work, such as the proof of what was found: the one of the
// work itself, or where that has ended, one with a limit of its own.
func Late(ctx context.Context, units int64) (context.Context, context.CancelFunc) {
	if ctx.Err() == nil {
		return ctx, func() {}
	}
	return Limit(context.WithoutCancel(ctx), units, context.DeadlineExceeded)
}

// Spend counts work that was done under a context, also for its strategy.
func Spend(ctx context.Context, units int64) {
	spend(ctx, units)
	m, _ := ctx.Value(key{}).(*meter)
	for ; m != nil; m = m.outer {
		if spent := m.spent.Add(units); m.limit > 0 && spent >= m.limit {
			m.end(m.cause)
		}
	}
}

// Spent is the work done so far under the innermost limit of a context.
func Spent(ctx context.Context) int64 {
	if m, _ := ctx.Value(key{}).(*meter); m != nil {
		return m.spent.Load()
	}
	return 0
}
