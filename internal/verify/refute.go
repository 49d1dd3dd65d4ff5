package verify

import (
	"context"
	"sync"

	"erelong/internal/engine"
	"erelong/internal/engine/refute"
	"erelong/internal/verdict"
)

// The first look is short: most of what is hard can be proved.
const (
	firstShapes  = 12
	firstStates  = 300
	firstQueries = 20
	firstSteps   = 3
)

// hard is what a proof does before it spends its time on what is not proved cheaply: it looks for violations in small instances of
// many shapes. The first look is short; the second, longer one comes when there was a violation, or when the cheap attempts to prove
// something failed. After a violation what is hard is given up, since the user has to mend that first; the properties that are
// not violated can be proved alone.
func (r *run) hard() func(context.Context, bool) string {
	var mu sync.Mutex
	var short, long sync.Once
	reason := ""
	look := func(ctx context.Context, first bool) (violated bool) {
		names := r.named(engine.Claim.IsInvariant)
		if len(names) == 0 {
			return false
		}
		opts := refute.Options{}
		if first {
			opts = refute.Options{Shapes: firstShapes, States: firstStates, Queries: firstQueries, Steps: firstSteps}
		}
		found := r.refute(ctx, names, opts)
		if len(found.Results) == 0 {
			return false
		}
		if first {
			return true
		}
		r.add(found.Results)
		x := found.Results[0]
		reason = x.Property + " is violated with " + x.Scope + ", so what is hard was not tried further; --property NAME proves another one alone"
		return true
	}
	return func(ctx context.Context, failed bool) string {
		mu.Lock()
		defer mu.Unlock()
		broken := false
		short.Do(func() { broken = look(ctx, true) })
		if broken || failed {
			long.Do(func() { look(ctx, false) })
		}
		return reason
	}
}

// refute looks for violations in small instances. What was found before the end of ctx counts.
func (r *run) refute(ctx context.Context, names []string, opts refute.Options) *refute.Outcome {
	opts.Options, opts.Only, opts.Threads = r.o.Induct.Options, names, r.o.Explicit.Threads
	opts.Sink, opts.Part = engine.Sink{Progress: r.progress}, "proof"
	opts.Hard, opts.Progress, opts.Begin, opts.Each = nil, nil, nil, nil
	found, err := refute.Find(ctx, r.sys, opts)
	if err != nil && found == nil {
		return &refute.Outcome{}
	}
	for _, x := range found.Results {
		r.progress(engine.Progress{Part: "proof", Finished: true, Text: x.Property + " is violated with " + x.Scope})
	}
	return found
}

// foundSmall gives the violation of a property in a small instance, nil for none. All properties are looked for at once.
func (r *run) foundSmall(ctx context.Context, name string) (*verdict.Result, *refute.Outcome) {
	if r.small == nil {
		var names []string
		for _, x := range r.results {
			if p := r.sys.Property(x.Property); (x.Verdict == verdict.NotInductive || x.Verdict == verdict.Unknown) && p != nil && p.IsInvariant() && !r.violated(x.Property) {
				names = append(names, x.Property)
			}
		}
		r.small = r.refute(ctx, names, refute.Options{})
	}
	for i := range r.small.Results {
		if r.small.Results[i].Property == name {
			return &r.small.Results[i], r.small
		}
	}
	return nil, r.small
}
