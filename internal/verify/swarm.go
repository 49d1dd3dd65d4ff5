package verify

import (
	"cmp"
	"context"
	"runtime"
	"slices"
	"sync"

	"erelong.dev/erelong/internal/engine"
	"erelong.dev/erelong/internal/engine/explicit"
	"erelong.dev/erelong/internal/result"
)

// swarm gives an exploration to the searches of a swarm, each with a seed of its own. The findings
// are of all of them, or of the first ones up to a violation after which the search can end; so
// they depend on the seeds alone.
func (r *run) swarm(ctx context.Context, t *engine.Task) pending {
	within, stop := context.WithCancel(ctx)
	n := max(r.o.Swarm, 1)
	searches := make([]func() (*engine.Findings, error), n)
	var begin sync.Once
	var wg sync.WaitGroup
	room := make(chan struct{}, runtime.GOMAXPROCS(0))
	here := make([]func(), n) // the searches of this process
	for i := range n {
		o := r.o
		o.Explicit.Seed += int64(i)
		e := &explicit.Engine{Options: o.Explicit, Inductive: o.Inductive, Levels: o.Levels}
		if o.Elsewhere != nil {
			searches[i] = r.porters.carried(within, e, t, o, r.sink())
			continue
		}
		var found *engine.Findings
		var err error
		done := make(chan struct{})
		here[i] = func() {
			defer close(done)
			room <- struct{}{}
			defer func() { <-room }()
			found, err = e.Run(within, t, r.sink())
		}
		searches[i] = func() (*engine.Findings, error) { <-done; return found, err }
	}
	return pending{t, func() (*engine.Findings, error) {
		begin.Do(func() {
			for _, search := range here {
				if search != nil {
					wg.Go(search)
				}
			}
		})
		defer func() { stop(); wg.Wait() }()
		var all []*engine.Findings
		for _, search := range searches {
			found, err := search()
			if err != nil {
				return nil, err
			}
			if all = append(all, found); settled(found.Results) {
				break
			}
		}
		return together(all), nil
	}}
}

// settled reports whether every property is violated, so that no other search is needed.
func settled(results []result.Result) bool {
	return !slices.ContainsFunc(results, func(x result.Result) bool { return !isViolated(x) })
}

// together merges the findings of the searches of a swarm.
func together(all []*engine.Findings) *engine.Findings {
	var samples [][]uint64
	out := &engine.Findings{Notes: slices.Clone(all[0].Notes)}
	for _, f := range all {
		samples = append(samples, f.Sample)
	}
	seen := explicit.Cover(samples)
	for i, first := range all[0].Results {
		best := first
		for _, f := range all[1:] {
			x := f.Results[i]
			best.Elapsed = max(best.Elapsed, x.Elapsed)
			if better(x, best) {
				x.Elapsed = best.Elapsed
				best = x
			}
		}
		if best.Verdict == result.HoldsUpTo {
			best.States, best.Transitions, best.Depth = seen.States, 0, 0
			for _, f := range all {
				best.Transitions += f.Results[i].Transitions
				best.Depth = max(best.Depth, f.Results[i].Depth)
			}
			best.Reason = result.Because(result.Bounded, seen.String())
		}
		out.Results = append(out.Results, best)
	}
	out.Summary = seen.String()
	return out
}

// better reports whether a result says more than another one: a violation, with a shorter run if
// both are, and then a reason why nothing can be said.
func better(x, y result.Result) bool {
	rank := func(v result.Verdict) int {
		switch v {
		case result.Violated:
			return 0
		case result.HoldsUpTo:
			return 2
		}
		return 1
	}
	if c := cmp.Compare(rank(x.Verdict), rank(y.Verdict)); c != 0 {
		return c < 0
	}
	return x.Verdict == result.Violated && x.Depth < y.Depth
}
