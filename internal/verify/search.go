package verify

import (
	"context"
	"fmt"
	"slices"
	"sync"
	"time"

	"erelong.dev/erelong/internal/effort"
	"erelong.dev/erelong/internal/engine"
	"erelong.dev/erelong/internal/result"
)

// headStart is the number of states that the explorations see before searches for proofs begin
// beside them: most violations are found by then, and most instances are explored.
const headStart = 100_000

// proveFurther looks for what the proofs by induction lack: invariants for the safety properties,
// and ranking functions for liveness. Both searches run side by side and know nothing of each
// other, so neither delays the other, and the verdict depends on neither's speed. Liveness that is
// then still open is tried again with the invariants.
func (r *run) proveFurther(ctx context.Context) error {
	select {
	case <-r.shown:
	case <-ctx.Done():
	}
	var wg sync.WaitGroup
	proved := r.soFar()
	if r.o.Infer && r.o.Prove {
		wg.Go(func() { r.infer(ctx) })
	}
	var open []*liveness
	var err error
	if r.o.Live {
		wg.Go(func() { open, err = r.live(ctx, proved) })
	}
	wg.Wait()
	if err == nil {
		err = r.liveWith(ctx, r.lemmas, open)
	}
	return r.unsolved(err)
}

// begun lets the searches for proofs begin.
func (r *run) begun() { r.showing.Do(func() { close(r.shown) }) }

// soFar are the results so far.
func (r *run) soFar() []result.Result {
	r.mu.Lock()
	defer r.mu.Unlock()
	return slices.Clone(r.results)
}

// replace adds results in the place of the ones that they supersede.
func (r *run) replace(superseded func(result.Result) bool, by []result.Result, notes ...string) {
	r.mu.Lock()
	r.results = slices.DeleteFunc(r.results, superseded)
	r.mu.Unlock()
	r.add(by, notes...)
}

// addLemmas keeps invariants that proofs rest on.
func (r *run) addLemmas(lemmas []engine.Lemma) {
	r.mu.Lock()
	defer r.mu.Unlock()
	for _, l := range lemmas {
		if !slices.ContainsFunc(r.lemmas, func(k engine.Lemma) bool { return k.Name == l.Name }) {
			r.lemmas = append(r.lemmas, l)
		}
	}
}

// perSecond is the work of a second, where only the processor time of this process tells of it.
const perSecond = 5 * effort.Million

// limited is the context of one search for a proof. Solvers count their work; what the search
// itself does is not counted, and takes processor time.
func (r *run) limited(ctx context.Context) (context.Context, context.CancelFunc) {
	if r.o.Effort == 0 {
		return context.WithCancel(ctx)
	}
	limit := &result.Limit{Code: result.Bounded,
		Text: fmt.Sprintf("the limit of %d million units of work for a search (--effort)",
			r.o.Effort/effort.Million)}
	counted, cancel := effort.Limit(ctx, r.o.Effort, limit)
	timed, end := effort.Processor(counted,
		time.Duration(r.o.Effort)*time.Second/perSecond, limit)
	return timed, func() { end(); cancel() }
}

// watch is a search that ends when its claims are settled.
type watch struct {
	names []string
	end   context.CancelFunc
}

// whileOpen is a context that also ends when each of the claims is settled.
func (r *run) whileOpen(
	ctx context.Context, names ...string,
) (context.Context, context.CancelFunc) {
	ctx, cancel := context.WithCancel(ctx)
	w := &watch{names, cancel}
	r.mu.Lock()
	defer r.mu.Unlock()
	r.watches = append(r.watches, w)
	r.endSettled()
	return ctx, func() {
		r.mu.Lock()
		defer r.mu.Unlock()
		r.watches = slices.DeleteFunc(r.watches, func(x *watch) bool { return x == w })
		cancel()
	}
}

// endSettled ends the searches whose claims are settled; the lock is held.
func (r *run) endSettled() {
	for _, w := range r.watches {
		if !slices.ContainsFunc(w.names, func(name string) bool { return !r.isSettled(name) }) {
			w.end()
		}
	}
}

// settled reports whether no search can say more about a claim: a run violates it, or the only
// instance was explored to its end.
func (r *run) settled(name string) bool {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.isSettled(name)
}

func (r *run) isSettled(name string) bool {
	p := r.sys.Property(name)
	return r.violated(name) || p != nil && p.IsInvariant() && r.wholly(name)
}
