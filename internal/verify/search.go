package verify

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"time"

	"erelong.dev/erelong/internal/effort"
	"erelong.dev/erelong/internal/result"
)

// headStart is the number of states that the explorations see before searches for proofs begin
// beside them: most violations are found by then, and most instances are explored.
const headStart = 100_000

// proveFurther looks for what the proofs by induction lack: proofs by pieces of runs and invariants
// for the safety properties, and ranking functions for liveness. Both searches run side by side and
// know nothing of each other, so neither delays the other, and the verdict depends on neither's
// speed. Liveness that is then still open is tried again with the invariants.
func (r *run) proveFurther(ctx context.Context) error {
	select {
	case <-r.shown:
	case <-ctx.Done():
	}
	var wg sync.WaitGroup
	proved := r.ledger.soFar()
	var open []*liveness
	var err, unproved error
	if r.o.Prove {
		wg.Go(func() { unproved = inference{r}.all(ctx) })
	}
	if r.o.Live {
		wg.Go(func() { open, err = r.live(ctx, proved) })
	}
	wg.Wait()
	if err = errors.Join(err, unproved); err == nil {
		err = r.liveWith(ctx, r.ledger.lemmas, open)
	}
	return r.ledger.unsolved(err)
}

// begun lets the searches for proofs begin.
func (r *run) begun() { r.showing.Do(func() { close(r.shown) }) }

// perSecond is the work of a second, where only the processor time of this process tells of it.
const perSecond = 5 * effort.Million

// limited is the context of one search for a proof. Solvers count their work; what the search
// itself does is not counted, and takes processor time.
func (r *run) limited(ctx context.Context) (context.Context, context.CancelFunc) {
	if r.o.Effort == 0 {
		return context.WithCancel(ctx)
	}
	return upTo(ctx, r.o.Effort, fmt.Sprintf(
		"the limit of %d million units of work for a search (--effort)",
		r.o.Effort/effort.Million))
}

// upTo is the context of a part of a search that ends after some work.
func upTo(ctx context.Context, work int64, text string) (context.Context, context.CancelFunc) {
	limit := &result.Limit{Code: result.Bounded, Text: text}
	counted, cancel := effort.Limit(ctx, work, limit)
	timed, end := effort.Processor(counted, time.Duration(work)*time.Second/perSecond, limit)
	return timed, func() { end(); cancel() }
}
