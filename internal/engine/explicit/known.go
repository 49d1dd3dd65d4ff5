package explicit

import (
	"cmp"
	"time"

	"erelong.dev/erelong/internal/compile"
	"erelong.dev/erelong/internal/engine"
	"erelong.dev/erelong/internal/interp"
	"erelong.dev/erelong/internal/result"
	"erelong.dev/erelong/internal/system"
)

// Known is an exploration by another engine, in which all claims of a task are true: in all states,
// or in the states up to Stats.Depth if Ended says why it ended.
type Known struct {
	Stats   Stats
	Ended   result.Reason
	Elapsed time.Duration
	Model   *interp.Model
	Program compile.Program      // of the states, nil if there is none
	State   func(n int) []uint64 // packed
}

// Ordinary reports whether an exploration by another engine can take the place of one by this
// engine: breadth-first, exact, of all states, or of the ones that stand for the states that are
// alike, and without a limit.
func (e *Engine) Ordinary(t *engine.Task) bool {
	o := &e.Options
	if c := t.System.Computed; c != nil {
		if r, representing := c.Computed.(system.Representing); representing {
			if _, finite := r.Whole(); !finite { // with a view, the order of the states matters
				return false
			}
		}
	}
	return !e.Inductive && !e.Levels && !o.Symmetry && !o.PartialOrder && o.Checkpoint.Dir == "" &&
		cmp.Or(o.Store, Exact) == Exact && cmp.Or(o.Search, BreadthFirst) == BreadthFirst &&
		o.Work == 0 && o.Crew == nil && o.Member == nil && o.program == nil &&
		t.Limits.Each == nil && t.Limits.States == 0 && t.Limits.Depth == 0
}

// Findings are what Run finds for a task, taken from an exploration by another engine. It gives nil
// if that does not suffice.
func (e *Engine) Findings(t *engine.Task, f *Known) (*engine.Findings, error) {
	opts := e.asked(t)
	if opts.Deadlock && f.Stats.Deadlocks > 0 {
		return nil, nil
	}
	cs, err := selectClaims(f.Model, opts)
	if err != nil {
		return nil, err
	}
	x := &Exploration{Stats: f.Stats}
	limited := cmp.Or(f.Ended, engine.Bound(t.System))
	x.Stats.Complete, cs.cut = !limited.Given(), f.Ended.Given()
	if states := int(f.Stats.States); x.Stats.Complete && f.Program != nil && states >= savingFrom {
		x.Stats.Symmetric = savingOf(f.Model, f.Program, states, func(n int) ([]uint64, error) {
			return f.State(n), nil
		})
	}
	cs.finish(&x.Stats, limited, f.Elapsed, time.Now())
	for _, c := range cs.list {
		x.Results = append(x.Results, c.result)
	}
	return e.findings(t, x, f.Ended, opts.Deadlock), nil
}
