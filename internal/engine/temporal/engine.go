package temporal

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"erelong.dev/erelong/internal/engine"
	"erelong.dev/erelong/internal/engine/explore"
	"erelong.dev/erelong/internal/result"
	"erelong.dev/erelong/internal/system"
	"erelong.dev/erelong/internal/vacuity"
)

// Engine checks the temporal properties of the instance of a task.
type Engine struct {
	Memory  int64 // bytes for the graph and everything made from it; 0 for no limit
	Threads int   // 0 for one a processor
	// Inductive says that the exploration begins in all states that satisfy the properties. These
	// may be unreachable, so there are no runs to check.
	Inductive bool
	// Checkpoint says where explorations are saved; a zero one saves nothing.
	Checkpoint explore.Checkpoint
	// Beside gives what to decide beside the claims of a task on its exploration, and Whole gets
	// the outcome; both nil for nothing.
	Beside *Beside
	Whole  func(*Whole)
	// Fit gives a system and an instance with the same runs, in which sequences, sets and maps have
	// bounds, or the reason why there are none; nil where what has no bound is refused.
	Fit func(context.Context, *engine.Task) (
		*system.System, *system.Instance, result.Reason, error)
}

// Name is the engine's name in results.
func (e *Engine) Name() string { return Name }

// Accepts gives the reason why there is nothing to check.
func (e *Engine) Accepts(t *engine.Task) string {
	switch {
	case t.Method != engine.Explore || t.System == nil:
		return "temporal properties are checked on finite instances of a system"
	case e.Inductive:
		return "states that need not be reachable have no runs to speak of"
	case !t.Has(engine.Claim.IsTemporal):
		return "nothing is claimed of runs"
	}
	if e.Fit != nil && e.Checkpoint.Dir == "" {
		return ""
	}
	return t.System.Unbounded(t.Instance)
}

// unfit says of all properties why nothing is known of them.
func unfit(t *engine.Task, why result.Reason) *engine.Findings {
	found := &engine.Findings{}
	for _, p := range t.System.Properties {
		if p.IsTemporal() && slices.Contains(t.Names(engine.Claim.IsTemporal), p.Name) {
			found.Results = append(found.Results, result.Result{Property: p.Name, Kind: p.Kind,
				Line: p.Span.Line(), Scope: t.Instance.Name, Engine: Name,
				Verdict: result.Unknown, Reason: why})
		}
	}
	return found
}

// Run checks the properties.
func (e *Engine) Run(
	ctx context.Context, t *engine.Task, to engine.Sink,
) (*engine.Findings, error) {
	sys, inst := t.System, t.Instance
	if e.Fit != nil && !system.Bounded(sys, inst) {
		var why result.Reason
		var err error
		if sys, inst, why, err = e.Fit(ctx, t); err != nil {
			return nil, err
		} else if why.Given() {
			return unfit(t, why), nil
		}
	}
	opts := Options{Only: t.Names(engine.Claim.IsTemporal), Limits: t.Limits, Memory: e.Memory,
		Threads: e.Threads, Sink: to, Checkpoint: e.Checkpoint, Beside: e.Beside}
	if sys == t.System { // else the signs of other engines are about other symbols
		opts.Signs = vacuity.SignsOf(sys, opts.Only)
	}
	d, err := Decide(ctx, sys, inst, opts)
	if err != nil {
		return nil, err
	}
	if e.Whole != nil {
		e.Whole(d.Whole)
	}
	found := &engine.Findings{Results: d.Results,
		Summary: fmt.Sprintf("checked %s on %s",
			engine.Counted(len(d.Results), "temporal property", "temporal properties"),
			t.Instance.Name)}
	if d.Unsaved {
		found.Notes = append(found.Notes,
			fmt.Sprintf("%s: the check of %s is not compiled, so --checkpoint does not save it: "+
				"with --resume it begins anew", t.Instance.Name, strings.Join(opts.Only, ", ")))
	}
	if s := d.Stats; s.States > 0 && sys == t.System {
		found.Seen = &engine.Seen{Complete: s.Complete, Shown: s.Shown, Missing: s.Vacuous,
			Idle: s.NeverEnabled}
	}
	return found, nil
}
