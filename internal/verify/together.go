package verify

import (
	"context"
	"sync"

	"erelong.dev/erelong/internal/engine"
	"erelong.dev/erelong/internal/engine/explicit"
	"erelong.dev/erelong/internal/engine/temporal"
	"erelong.dev/erelong/internal/system"
	"erelong.dev/erelong/internal/vacuity"
)

// beginTogether is begin for an exploration, with one exploration for properties of states and
// temporal properties where that changes nothing but the time. The engine for temporal properties
// explores. If all properties of states are true, it says so to the other engine. Otherwise that
// one explores, too, since it alone finds shortest runs to violations.
func (r *run) beginTogether(
	ctx context.Context, t *engine.Task, engines []engine.Engine,
) (out []pending) {
	var states *explicit.Engine
	var runs *temporal.Engine
	for _, e := range engines {
		switch e := e.(type) {
		case *explicit.Engine:
			states = e
		case *temporal.Engine:
			runs = e
		}
	}
	_, timed := ctx.Deadline()
	out = r.begin(ctx, t, engines, r.sink())
	if r.o.Elsewhere != nil || timed || states == nil || runs == nil || !states.Ordinary(t) ||
		!system.Bounded(t.System, t.Instance) ||
		!t.Has(engine.Claim.IsInvariant) && t.System.Computed == nil {
		return out
	}
	x := &oneExploration{run: r, task: t, states: states, runs: runs}
	for i, e := range engines {
		switch e {
		case engine.Engine(states):
			out[i].findings = func() (*engine.Findings, error) { return x.ofStates(ctx) }
		case engine.Engine(runs):
			out[i].findings = func() (*engine.Findings, error) { return x.ofRuns() }
		}
	}
	return out
}

// oneExploration is one exploration for two engines.
type oneExploration struct {
	run    *run
	task   *engine.Task
	states *explicit.Engine
	runs   *temporal.Engine
	found  *engine.Findings // of the temporal properties
	err    error
}

// ofStates explores for both engines.
func (x *oneExploration) ofStates(ctx context.Context) (found *engine.Findings, err error) {
	t := x.task
	only, apart := t.Names(engine.Claim.IsInvariant), false
	var whole *temporal.Whole
	both := *x.runs
	both.Beside = &temporal.Beside{Only: only,
		Signs: vacuity.Later(vacuity.SignsOf(t.System, only)),
		// The runs may be explored twice, first in a shorter system: the states are alike in both.
		Apart: sync.OnceFunc(func() {
			apart = true
			found, err = x.states.Run(ctx, t, x.run.sink())
		})}
	both.Whole = func(w *temporal.Whole) { whole = w }
	x.found, x.err = both.Run(ctx, t, x.run.sink())
	if !apart && whole != nil {
		found, err = x.states.Findings(t, &explicit.Known{
			Stats: explicit.Stats{States: whole.States, Transitions: whole.Transitions,
				Generated: whole.Generated, Depth: whole.Depth, Deadlocks: whole.Deadlocks,
				Shown: whole.Shown, Vacuous: whole.Vacuous, NeverEnabled: whole.NeverEnabled},
			Ended: whole.Ended, Elapsed: whole.Elapsed, Model: whole.Model,
			Program: whole.Program, State: whole.State})
	}
	if found == nil && err == nil {
		found, err = x.states.Run(ctx, t, x.run.sink())
	}
	return found, err
}

// ofRuns gives the findings for temporal properties, which are there already.
func (x *oneExploration) ofRuns() (*engine.Findings, error) { return x.found, x.err }
