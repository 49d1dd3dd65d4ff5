package verify

import (
	"context"
	"slices"
	"sync"

	"erelong.dev/erelong/internal/engine"
	"erelong.dev/erelong/internal/engine/refute"
	"erelong.dev/erelong/internal/result"
	"erelong.dev/erelong/internal/system"
)

// A glance costs little beside one minimised counterexample to induction. The first search is
// short: most hard obligations can be proved. After a violation the longer runs of small shapes
// show which other properties are violated.
var (
	glance       = refute.Options{Shapes: 12, States: 300, Unsolved: true}
	firstSearch  = refute.Options{Shapes: 12, States: 300, Queries: 20, Steps: 3}
	afterFailure = refute.Options{States: 300, Total: 20_000, Queries: 150, Steps: 6}
)

// hard is called by a proof before it spends time on hard obligations: it searches small instances
// of many shapes for violations. The first search is short; a longer one follows after a violation,
// or when the cheap attempts at a proof failed. A violated property gets no more questions. All
// properties are looked at, whichever are asked for: a proof assumes all of them.
type hard struct {
	*run
	mu                     sync.Mutex
	glanced, first, longer bool // the searches made
	found                  []result.Result
}

// look is called before hard questions, and with failed where the cheap ones decided nothing.
func (h *hard) look(ctx context.Context, failed bool) string {
	h.mu.Lock()
	defer h.mu.Unlock()
	if !h.first {
		h.first = true
		h.search(ctx, firstSearch)
	}
	if (len(h.found) > 0 || failed) && !h.longer {
		h.longer = true
		opts := refute.Options{}
		if len(h.found) > 0 {
			opts = afterFailure
		}
		h.search(ctx, opts)
	}
	return ""
}

// suspect looks for violations once a counterexample to induction is found: what a glance shows to
// be violated needs no further question, and no other claim is proved from it.
func (h *hard) suspect(ctx context.Context) {
	h.mu.Lock()
	defer h.mu.Unlock()
	if !h.glanced && !h.first {
		h.glanced = true
		h.search(ctx, glance)
	}
}

// search looks for violations of the claims that have none, and records them. Where the file
// expects that a claim is not inductive, its proof goes on to show that.
func (h *hard) search(ctx context.Context, opts refute.Options) {
	var open []string
	for _, p := range h.sys.Properties {
		if p.IsInvariant() && h.how(p.Name) == "" && !slices.ContainsFunc(h.sys.Expectations,
			func(e *system.Expectation) bool {
				return e.Property == p.Name && e.Instance == nil &&
					e.Verdict == string(result.NotInductive)
			}) {
			open = append(open, p.Name)
		}
	}
	if len(open) > 0 {
		h.keep(h.refute(ctx, open, opts))
	}
}

// keep records violations; the ones that were asked for are results.
func (h *hard) keep(out *refute.Outcome) {
	h.found = append(h.found, out.Results...)
	h.ledger.add(slices.DeleteFunc(slices.Clone(out.Results), func(x result.Result) bool {
		return !slices.ContainsFunc(h.claims, func(c engine.Claim) bool {
			return c.Name == x.Property
		})
	}))
}

// violated says how a property is violated, empty if unknown.
func (h *hard) violated(name string) string {
	h.mu.Lock()
	defer h.mu.Unlock()
	return h.how(name)
}

func (h *hard) how(name string) string {
	for _, x := range h.found {
		if x.Property == name {
			return "it is violated with " + x.Scope
		}
	}
	return ""
}

// refute looks for violations in small instances. Results from before the end of ctx count.
func (r *run) refute(ctx context.Context, names []string, opts refute.Options) *refute.Outcome {
	opts.Options, opts.Only = r.o.Induct.Options, names
	opts.Sink, opts.Subtask = engine.Sink{Progress: r.progress}, "proof"
	opts.Hard, opts.Violated, opts.Progress, opts.Begin, opts.Each = nil, nil, nil, nil, nil
	found, err := refute.Find(ctx, r.sys, opts)
	if err != nil && found == nil {
		return &refute.Outcome{}
	}
	for _, x := range found.Results {
		if p := r.sys.Property(x.Property); p != nil && p.Tried {
			continue
		}
		r.progress(engine.Progress{Subtask: "proof", Finished: true,
			Text: x.Property + " is violated with " + x.Scope})
	}
	return found
}

// inSmall searches small instances for violations of all properties that are open, once.
func (r *run) inSmall(ctx context.Context) *refute.Outcome {
	if r.small == nil {
		var names []string
		for _, x := range r.ledger.results {
			if p := r.sys.Property(x.Property); (x.Verdict == result.NotInductive ||
				x.Verdict == result.Unknown) && p != nil && p.IsInvariant() && !p.Tried &&
				!r.ledger.violated(x.Property) {
				names = append(names, x.Property)
			}
		}
		r.small = r.refute(ctx, names, refute.Options{})
	}
	return r.small
}
