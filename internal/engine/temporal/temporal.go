// Package temporal checks temporal properties of finite instances, under fairness.
//
// In: a system.System and a system.Instance. Out: a verdict for every liveness and temporal
// property; a counterexample is a run that ends in a loop, which package interp has replayed.
//
// # Runs
//
// A run begins in an initial state and takes steps as long as it can: it is infinite, or it ends in
// a state without successor, which then repeats for ever. So a system does not pause while some
// action can be taken; fairness says which actions cannot be put off for ever. As everywhere,
// trusted invariants are assumptions: there is no step into a state that violates one. An action is
// enabled in a state if it has a step from there.
//
// Fairness conditions are for all values of an action's parameters separately, whatever its choices
// are:
//
//   - `fair action a(x)`, weak: a(x) is not enabled in all states from some time on without being
//     taken infinitely often;
//   - `strong fair action a(x)`: if a(x) is enabled infinitely often then it is taken infinitely
//     often.
//
// With `fair if e`, they are about the steps of a(x) from states in which e is true: other steps
// count neither as enabled nor as taken. A step of a(x) that changes nothing counts as taken. A
// property holds if it is true of every fair run. There is no operator for the next moment, so its
// truth does not depend on how often in a row a run repeats a state, if only finitely often: a step
// that changes nothing, and a system in which one step is split into two of which the first changes
// nothing that the property sees, make no difference.
//
// # Method
//
// The reachable graph comes from the program that package compile makes; for a small instance, and
// where the system cannot be compiled, from package interp. The program also evaluates the state
// predicates of the properties. The states lie in a store. The graph is combined with an automaton
// for the negation of the property (Vardi and Wolper, An automata-theoretic approach to automatic
// program verification, LICS 1986; see automaton.go), and a fair accepting cycle is sought in the
// combination. There is none exactly if no fair run violates the property. If the negation is a
// disjunction, as that of `forall C. ...` is, each part has a smaller automaton of its own.
//
// While the graph grows, the part that is known is looked at a few times, for violations near the
// initial states (see near.go).
//
// Whether there is a cycle is found without making the combination (see emptiness.go). Only if
// there is one, it is made, and a short run is found in it (see fair.go, lasso.go).
package temporal

import (
	"context"
	"errors"
	"fmt"
	"math"
	"runtime"
	"slices"
	"time"

	"erelong.dev/erelong/internal/engine"
	"erelong.dev/erelong/internal/engine/explore"
	"erelong.dev/erelong/internal/interp"
	"erelong.dev/erelong/internal/result"
	"erelong.dev/erelong/internal/system"
	"erelong.dev/erelong/internal/vacuity"
)

// Name is the engine's name in results.
const Name = "temporal"

// Options of Check. The zero value checks every liveness and temporal property without limits.
type Options struct {
	Only []string // names of the properties to check; nil for all
	// Limits end the exploration; Each is for the graph, and for each property on it.
	Limits  engine.Limits
	Memory  int64 // bytes for the graph and everything made from it; 0 for no limit
	Threads int   // 0 for one a processor
	Sink    engine.Sink
	Signs   []vacuity.Sign // formulas that should be true in some state, for Stats
	// Checkpoint says where the exploration is saved; a zero one saves nothing.
	Checkpoint explore.Checkpoint
	// Properties of states to decide on the same exploration, for Decision.Whole; nil for none.
	// They do not go with a checkpoint.
	Beside *Beside
	// Representatives stand for the states that are alike. For shortened systems.
	alike bool
}

// Decision is the outcome for the properties of an instance.
type Decision struct {
	Results []result.Result
	Stats   Stats  // zero where the graph is unknown
	Unsaved bool   // the exploration could not be saved, since it was interpreted
	Whole   *Whole // what it says of Options.Beside; nil if nothing
}

// Check explores an instance and decides its properties. States, Transitions and Depth of a result
// are the figures of the graph; the Depth of a violation is the number of states of its run, the
// loop included. If the graph is incomplete, because of a limit or because states outside a
// declared range are not expanded, a violation still counts, but nothing holds without reservation.
func Check(
	ctx context.Context, sys *system.System, inst *system.Instance, opts Options,
) ([]result.Result, error) {
	d, err := Decide(ctx, sys, inst, opts)
	if err != nil {
		return nil, err
	}
	return d.Results, nil
}

// Decide is Check with the statistics of the graph.
func Decide(
	ctx context.Context, sys *system.System, inst *system.Instance, opts Options,
) (*Decision, error) {
	if d := decideShort(ctx, sys, inst, opts); d != nil {
		return d, nil
	}
	d, err := decide(ctx, sys, inst, opts, findGraph)
	if err != nil {
		return nil, fmt.Errorf("temporal: %w", err)
	}
	return d, nil
}

// decideShort decides properties on a shortened system. It gives nil where there is none, or a
// property does not hold there, unless the time is over.
func decideShort(
	ctx context.Context, sys *system.System, inst *system.Instance, opts Options,
) *Decision {
	properties, err := engine.Select(sys, opts.Only, (*system.Property).IsTemporal,
		"liveness and temporal")
	if err != nil || opts.Checkpoint.Dir != "" {
		return nil
	}
	short, alike := shortened(sys, properties)
	if short == nil {
		return nil
	}
	opts.alike, opts.Sink = alike, withoutViolations(opts.Sink)
	d, err := decide(ctx, short, inst, opts, findGraph)
	if err != nil { // it is met again
		return nil
	}
	for _, r := range d.Results {
		if r.Verdict == result.Violated || r.Verdict != result.Holds && ctx.Err() == nil {
			return nil
		}
	}
	return d
}

func decide(
	ctx context.Context, sys *system.System, inst *system.Instance, opts Options, find explorer,
) (*Decision, error) {
	properties, err := engine.Select(sys, opts.Only, (*system.Property).IsTemporal,
		"liveness and temporal")
	if err != nil {
		return nil, err
	}
	d := &Decision{Results: make([]result.Result, len(properties))}
	if len(properties) == 0 {
		return d, nil
	}
	m, err := interp.NewModel(sys, inst)
	if err == nil {
		err = m.Enumerable()
	}
	if err != nil {
		return nil, err
	}
	c := &checker{m: m, opts: opts, properties: properties, results: d.Results, begin: time.Now()}
	for i, p := range properties {
		d.Results[i] = result.Result{Property: p.Name, Kind: p.Kind, Line: p.Span.Line(),
			Scope: inst.Name, Engine: Name}
	}
	g, ended, err := c.explore(ctx, find, d)
	if err != nil {
		return nil, err
	}
	for i, p := range properties {
		r := &d.Results[i]
		if r.Verdict == result.Violated { // near the initial states
			continue
		}
		if !ended.Given() {
			ended = result.Over(ctx)
		}
		if ended.Given() {
			r.Verdict, r.Reason = result.Unknown, ended
		} else {
			r.States, r.Transitions, r.Depth = int64(g.count()), g.steps, g.depth
			r.Generated = g.generated()
			within, cancel := opts.Limits.Each.Bound(ctx)
			err := c.decide(within, g, p, r)
			if err == nil && r.Verdict == result.Holds && opts.Signs != nil {
				d.Stats.Vacuous = append(d.Stats.Vacuous, c.unsatisfied(within, g, p)...)
			}
			cancel()
			if err != nil {
				return nil, err
			}
		}
		r.Elapsed = time.Since(c.begin)
	}
	return d, nil
}

type checker struct {
	m          *interp.Model
	opts       Options
	properties []*system.Property
	results    []result.Result // of the properties
	begin      time.Time
	reported   engine.Ticker
}

// explore finds the graph, with the violations near the initial states and what d says beside the
// results. If the exploration is over before its end, it gives the reason.
func (c *checker) explore(
	ctx context.Context, find explorer, d *Decision,
) (g *graph, ended result.Reason, err error) {
	m, opts := c.m, &c.opts
	explored, cancel := opts.Limits.Each.Bound(ctx)
	defer cancel()
	signs := opts.Signs
	var w *watch
	if opts.Beside != nil {
		if w, err = opts.Beside.watch(m.System); err != nil {
			return nil, ended, err
		}
		signs = slices.Concat(signs, opts.Beside.Signs)
	}
	predicates := predicatesOf(m, c.properties, signs)
	if w != nil {
		predicates = slices.Concat(predicates, w.terms)
	}
	in := m.Instance.Name
	g, err = find(explored, m, limits{near: c.near, watch: w,
		Limits: opts.Limits, memory: opts.Memory, threads: opts.Threads,
		predicates: predicates,
		tell: func(states, depth int64) {
			c.progress(engine.Progress{Subtask: in, Done: states,
				Text: fmt.Sprintf("exploring %s for temporal properties: %d states, depth %d",
					in, states, depth)})
		},
		checkpoint: opts.Checkpoint, alike: opts.alike,
	})
	if err != nil {
		if ended = result.Over(explored); !ended.Given() {
			return nil, ended, err
		}
		if w != nil {
			d.Whole = w.ended(explored)
		}
	}
	d.Unsaved = g != nil && g.unsaved
	runtime.GC() // free the memory of the exploration before memory fills again
	if !ended.Given() && ctx.Err() == nil {
		g.unseen(ctx, opts.Signs, &d.Stats)
		if w != nil {
			d.Whole = g.whole(ctx, w, opts.Beside.Signs)
		}
	}
	if d.Whole != nil {
		d.Whole.Elapsed = time.Since(c.begin)
	}
	return g, ended, nil
}

// near finds the violations in a part of the graph. It reports whether all properties are violated.
func (c *checker) near(ctx context.Context, g *graph) (decided bool, err error) {
	decided = true
	for i, p := range c.properties {
		r := &c.results[i]
		if r.Verdict == result.Violated {
			continue
		}
		l, err := c.violation(ctx, g, p)
		if err != nil || l == nil { // the whole graph decides, and meets the error again
			decided = false
			continue
		}
		r.States, r.Transitions, r.Generated = int64(g.count()), g.steps, g.generated()
		if err := c.report(ctx, g, p, l, r); err != nil {
			return false, err
		}
		r.Elapsed = time.Since(c.begin)
	}
	return decided, nil
}

// progress reports how many states were found, or examined.
func (c *checker) progress(p engine.Progress) {
	if c.reported.Due() {
		p.Unit = "states"
		c.opts.Sink.Tell(p)
	}
}

// evaluated reports in how many states the formulas of a property are evaluated.
func (c *checker) evaluated(p *system.Property, done, states int64) {
	in := c.m.Instance.Name
	c.progress(engine.Progress{Subtask: in + " " + p.Name, Done: done, Total: states,
		Text: fmt.Sprintf("checking %s on %s: %d of %d states", p.Name, in, done, states)})
}

// searched reports how many of the searches for a run that violates a property are done. There are
// few, and each may take long, so every one is reported.
func (c *checker) searched(p *system.Property, done, all int) {
	in := c.m.Instance.Name
	c.opts.Sink.Tell(engine.Progress{Subtask: in + " " + p.Name + " searches", Unit: "searches",
		Done: int64(done), Total: int64(all),
		Text: fmt.Sprintf("checking %s on %s: %d of %s for a violation", p.Name, in, done,
			engine.Counted(all, "search", "searches"))})
}

// decide finds the verdict on a property. An error is a defect of the program.
func (c *checker) decide(
	ctx context.Context, g *graph, p *system.Property, r *result.Result,
) error {
	c.evaluated(p, 0, r.States)
	unknown := func(reason result.Reason, bad uint32) error {
		r.Verdict, r.Reason = result.Unknown, reason
		if bad == math.MaxUint32 {
			return nil
		}
		path := g.pathTo(bad)
		trace, err := g.trace(ctx,
			&lasso{states: path, labels: make([]uint32, len(path)), loop: -1})
		if err == nil {
			err = interp.Replay(context.WithoutCancel(ctx), c.m.System, trace, nil)
		}
		if err != nil {
			return fmt.Errorf("internal error: the run to a state that cannot be evaluated does "+
				"not hold: %w", err)
		}
		r.Trace, r.Depth = trace, int64(len(path))
		return nil
	}
	bound := engine.Bound(g.model.System)
	switch {
	case g.failed != nil:
		return unknown(engine.Unevaluated(g.failed, g.failed.Error()), g.failedState)
	case g.count() == 0 && bound.Given():
		return unknown(bound, math.MaxUint32)
	case g.count() == 0:
		r.Verdict, r.Reason = result.NothingChecked,
			result.Because(result.NoInitialState, "no initial state")
		return nil
	}
	l, err := c.violation(ctx, g, p)
	var unsupported *unsupportedError
	var predicate *predicateError
	switch {
	case ctx.Err() != nil:
		return unknown(result.Ended(ctx, ""), math.MaxUint32)
	case errors.As(err, &predicate):
		return unknown(engine.Unevaluated(predicate.err,
			fmt.Sprintf("%s cannot be evaluated in a reachable state: %v", p.Name, predicate.err)),
			predicate.state)
	case errors.Is(err, errMemory):
		return unknown(result.Because(result.Machine,
			fmt.Sprintf("%v to combine %d states with the property", err, g.count())),
			math.MaxUint32)
	case errors.As(err, &unsupported), isRefusal(err):
		return unknown(result.Because(result.Unsupported, err.Error()), math.MaxUint32)
	case err != nil:
		return fmt.Errorf("property %s: %w", p.Name, err)
	case l != nil && p.Possible && bound.Given():
		return unknown(bound, math.MaxUint32)
	case l != nil:
		return c.report(ctx, g, p, l, r)
	case g.stopped.Given() && g.unexpandedFrom != math.MaxUint32 && g.steps == 0:
		return unknown(g.stopped.Then("; no step was looked at"), math.MaxUint32)
	case g.stopped.Given():
		r.Verdict, r.Reason = result.HoldsUpTo, g.stopped
	case bound.Given():
		r.Verdict, r.Reason = result.HoldsUpTo, bound
	default:
		r.Verdict = result.Holds
	}
	return nil
}

// isRefusal says that a quantifier cannot be expanded over the instance.
func isRefusal(err error) bool {
	var term *interp.EvalError
	return errors.As(err, &term) || engine.IsRefusal(err)
}
