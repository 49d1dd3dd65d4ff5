package effort

import (
	"context"
	"time"
)

// patience is how often a guard looks at the processor time.
const patience = 50 * time.Millisecond

// started is when the program began.
var started = time.Now()

// Processor is a context that ends with a cause once this process has used some processor time
// since now: a guard for work that nobody counts. A busy machine, or a process that rests, does not
// bring the end nearer; what else this process does, does. Where the processor time is not known,
// the time by the clock counts.
func Processor(
	ctx context.Context, most time.Duration, cause error,
) (context.Context, context.CancelFunc) {
	ctx, end := context.WithCancelCause(ctx)
	begin := worked()
	go func() {
		tick := time.NewTicker(patience)
		defer tick.Stop()
		for {
			select {
			case <-ctx.Done():
				return
			case <-tick.C:
				if worked()-begin >= most {
					end(cause)
				}
			}
		}
	}()
	return ctx, func() { end(context.Canceled) }
}
