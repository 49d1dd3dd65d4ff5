package explicit

import (
	"context"
	"fmt"
	"strings"
	"time"

	"erelong.dev/erelong/internal/engine"
	"erelong.dev/erelong/internal/engine/explore"
	"erelong.dev/erelong/internal/interp"
	"erelong.dev/erelong/internal/result"
	"erelong.dev/erelong/internal/system"
)

// claim is a property, or with property nil the absence of deadlocks, with its verdict so far.
type claim struct {
	property *system.Property
	result   result.Result
	shown    bool // whether a run to state shows the verdict
	state    int
	run      *run         // to the state, where a scout found it; nil for the search's own
	beyond   bool         // a step from the state out of the boundary shows the verdict
	found    func(*claim) // is told of a violation at once, nil for nobody
}

func (c *claim) decided() bool { return c.result.Verdict != "" }

// claims are the claims that a search decides.
type claims struct {
	list     []*claim
	deadlock *claim             // in the list, nil when not asked for
	ranges   []*system.Property // all of them, asked for or not
	props    []*system.Property // the terms of a space are theirs: all ranges, then the others
	reduced  bool               // whether the search uses partial order reduction
	// why the program has no partial order reduction, though it was asked for
	unreduced string
	// why it takes no two states for alike, though it was asked to
	asymmetric string
	byLevels   bool   // whether the search is breadth-first
	cut        bool   // whether the search ended before it found everything
	note       string // Options.InitialNote
	stop       bool   // at the first violation
}

// selectClaims makes a claim of each property that is to be checked.
func selectClaims(m *interp.Model, opts Options) (*claims, error) {
	asked, err := engine.Select(m.System, opts.Only, (*system.Property).IsInvariant,
		"safety, invariant and range")
	if err != nil {
		return nil, err
	}
	cs := &claims{
		ranges:   m.System.Ending(),
		byLevels: opts.Search == BreadthFirst || opts.Search == "", note: opts.Limits.InitialNote,
		stop: opts.Stop,
	}
	for _, p := range asked {
		cs.list = append(cs.list,
			&claim{property: p,
				result: result.Result{Property: p.Name, Kind: p.Kind, Line: p.Span.Line()}})
	}
	if opts.Deadlock {
		cs.deadlock = &claim{result: result.Result{Property: result.Deadlock,
			Kind: result.Deadlock}}
		cs.list = append(cs.list, cs.deadlock)
	}
	for _, c := range cs.list {
		c.result.Engine, c.result.Scope = Name, m.Instance.Name
		c.found = opts.tellViolation
	}
	return cs, nil
}

// open lists the claims that are not decided.
func (cs *claims) open() (out []*claim) {
	for _, c := range cs.list {
		if !c.decided() {
			out = append(out, c)
		}
	}
	return out
}

// judge calls decide for each open claim that is decided by the first states in which the
// properties are not true, and by the first deadlock, which is -1 for none.
func (cs *claims) judge(
	events []explore.Event, deadlock int,
	decide func(c *claim, v result.Verdict, why result.Reason, state int),
) {
	for _, c := range cs.list {
		if c.decided() {
			continue
		}
		e := explore.Event{Found: deadlock >= 0, State: deadlock}
		if c.property != nil {
			e = events[cs.index(c.property)]
		}
		c.judge(e, decide)
	}
}

// judge calls decide for a claim if an event decides it.
func (c *claim) judge(
	e explore.Event, decide func(c *claim, v result.Verdict, why result.Reason, state int),
) {
	switch {
	case e.Found && e.Err == nil:
		decide(c, result.Violated, result.Reason{}, e.State)
	case e.Found:
		decide(c, result.Unknown, engine.Unevaluated(e.Err,
			fmt.Sprintf("%s cannot be evaluated in a reachable state: %v", c.property.Name,
				e.Err)), e.State)
	}
}

// decide ends the search for a claim. The run to a state shows the verdict, unless that is -1.
func (c *claim) decide(
	v result.Verdict, reason result.Reason, state int, depth, states, transitions int64,
) {
	c.result.Verdict, c.result.Reason = v, reason
	c.result.Depth, c.result.States, c.result.Transitions = depth, states, transitions
	c.shown, c.state = state >= 0, max(state, 0)
	if v == result.Violated && c.found != nil {
		c.found(c)
	}
}

// tellViolation says that a claim is violated, as soon as that is known: the search may go on for
// long.
func (o *Options) tellViolation(c *claim) {
	r := &c.result
	o.Sink.Tell(engine.Violation(r.Property, r.Scope, r.Depth))
}

// enough says why the search can stop: everything is decided, or everything that matters is
// violated. It is zero when the search goes on. A search without claims goes on, for its
// statistics.
func (cs *claims) enough() result.Reason {
	open, safety, safe, some := false, false, false, false
	var violated []string
	for _, c := range cs.list {
		open = open || !c.decided()
		some = some || c.result.Verdict == result.Violated
		if c.property == nil || c.property.Kind == system.Safety {
			safety = safety || c.property != nil
			safe = safe || c.result.Verdict != result.Violated
			violated = append(violated, c.result.Property)
		}
	}
	switch {
	case len(cs.list) > 0 && !open:
		return result.Because(result.Bounded, "all properties are decided")
	case cs.stop && some:
		return result.Because(result.Bounded, "the search stopped at a violation")
	case safety && !safe:
		return result.Because(result.Bounded,
			"the search stopped at the violation of "+strings.Join(violated, ", "))
	}
	return result.Reason{}
}

// finish gives every undecided claim the verdict that the search allows. Limited says why nothing
// can hold without reservation; empty if it can.
func (cs *claims) finish(
	stats *Stats, limited result.Reason, began time.Duration, begin time.Time,
) {
	if cs.reduced && limited.Given() && !stats.Complete {
		limited = limited.Then("; with partial order reduction, not even all shorter runs were " +
			"looked at")
	}
	for _, c := range cs.list {
		r := &c.result
		r.Elapsed, r.Generated = began+time.Since(begin), stats.Generated
		if c.decided() {
			continue
		}
		r.States, r.Transitions, r.Depth = stats.States, stats.Transitions, stats.Depth
		switch {
		case stats.States == 0 && !limited.Given():
			r.Verdict, r.Reason = result.NothingChecked,
				result.Because(result.NoInitialState, "no initial state")
		case !limited.Given():
			r.Verdict = result.Holds
		case cs.byLevels && cs.cut && stats.Depth == 0:
			r.Verdict, r.Reason = result.Unknown,
				limited.Then("; not even all initial states were looked at"+cs.note)
		case cs.byLevels && cs.cut && stats.Depth == 1:
			r.Verdict, r.Reason = result.HoldsInitially,
				limited.Then("; not all first steps were looked at")
		default:
			r.Verdict, r.Reason = result.HoldsUpTo, limited
		}
	}
}

// doubt takes back a violation that rests on steps that are not possible, such as a deadlock, where
// some steps were left out.
func (c *claim) doubt(left result.Reason) {
	if left.Given() && c.result.Verdict == result.Violated &&
		(c.property == nil || c.property.Possible) {
		c.result.Verdict, c.shown = result.Unknown, false
		c.result.Reason = result.Because(left.Code,
			"a run was found that may go on with others; "+left.Text)
	}
}

// results replays the runs that show the verdicts. runTo rebuilds the run to a state.
func (cs *claims) results(
	ctx context.Context, m *interp.Model, runTo func(int) (*run, error),
) ([]result.Result, error) {
	out := make([]result.Result, 0, len(cs.list))
	left := engine.Bound(m.System)
	for _, c := range cs.list {
		c.doubt(left)
		if c.shown {
			run, err := c.run, error(nil)
			if run == nil {
				run, err = runTo(c.state)
			}
			if err == nil && c.beyond {
				err = run.leave(ctx, m, c)
			}
			if err != nil {
				return nil, fmt.Errorf("rebuilding the run to a state where %s is %s: %w",
					c.result.Property, c.result.Verdict, err)
			}
			t := m.TraceOf(run.first, run.steps...)
			if c.result.Verdict == result.Violated {
				t.Violates = c.result.Property
				if c.property != nil {
					t.Line = m.FalseConjunct(c.property.Term, run.last()).Line()
				}
			}
			if err := interp.Replay(ctx, m.System, t, violatedProperty(c)); err != nil {
				return nil, fmt.Errorf("internal error: the counterexample to %s does not hold: %w",
					c.result.Property, err)
			}
			c.result.Trace = t
		}
		out = append(out, c.result)
	}
	return out, nil
}

// violatedProperty is what a claim's trace must violate, nil for a trace that leads to an error or
// a deadlock.
func violatedProperty(c *claim) *system.Property {
	if c.result.Verdict != result.Violated {
		return nil
	}
	return c.property
}
