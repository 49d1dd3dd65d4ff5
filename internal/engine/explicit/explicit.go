// Package explicit explores a finite instance of a system state by state.
//
// In: a system.System and a system.Instance. Out: a verdict for every safety, invariant and range property, and on demand
// for deadlock; counterexamples are shortest, and were replayed by package interp.
//
// The search is breadth-first, level by level (Lee, 1961; the order of TLC and Spin's BFS mode), over the steps that
// package interp gives. The states are kept exactly, so "holds" is a proof for the instance. Levels, counts and traces depend
// on the order of the file alone.
package explicit

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"time"

	"erelong/internal/interp"
	"erelong/internal/system"
	"erelong/internal/verdict"
)

// Name is the engine's name in results.
const Name = "explicit"

// Options of Check. The zero value checks every property without limits.
type Options struct {
	Only      []string // names of the properties to check; nil for all safety, invariant and range properties
	Deadlock  bool     // add a result for deadlock, of that name and kind
	MaxStates int64    // stop after this number of distinct states; 0 for no limit
	MaxDepth  int64    // stop after states that are reached by a run of this number of states; 0 for no limit
	Progress  func(Progress)
	Stats     *Stats // filled when not nil
}

// Progress is what Options.Progress is told a few times a second.
type Progress struct {
	States   int64 // distinct states found
	Depth    int64 // states of the runs to the level that is being expanded
	Frontier int64 // states found but not yet expanded
}

// Stats describe a search.
type Stats struct {
	States       int64    // distinct
	Transitions  int64    // distinct triples of a state, an action with its parameters, and a successor
	Depth        int64    // states on the longest shortest path from an initial state
	Initial      int64    // initial states
	Deadlocks    int64    // expanded states without successor
	Complete     bool     // all reachable states were expanded
	NeverEnabled []string // actions that were not enabled in any expanded state
}

// progressPeriod is the least time between two calls of Options.Progress.
const progressPeriod = 250 * time.Millisecond

// Check explores an instance. When all properties are decided it stops at the end of the level. A property that holds has
// the counts of the whole search. A violated one has as Depth the states of its trace, and as States the distinct states
// up to and including that level. States outside of a declared range are found but not expanded; if there are any, nothing
// holds without reservation.
func Check(ctx context.Context, sys *system.System, inst *system.Instance, opts Options) ([]verdict.Result, error) {
	m, err := interp.NewModel(sys, inst)
	if err != nil {
		return nil, fmt.Errorf("explicit: %w", err)
	}
	s := &search{Model: m, opts: opts, begin: time.Now(), seen: map[string]int{}, enabled: map[*system.Action]bool{}}
	if err := s.selectClaims(); err != nil {
		return nil, fmt.Errorf("explicit: %w", err)
	}
	if err := s.explore(ctx); err != nil {
		return nil, fmt.Errorf("explicit: %w", err)
	}
	s.finish()
	results := make([]verdict.Result, 0, len(s.claims))
	for _, c := range s.claims {
		if t := c.result.Trace; t != nil {
			if err := interp.Replay(context.WithoutCancel(ctx), sys, t, violatedProperty(c)); err != nil {
				return nil, fmt.Errorf("explicit: internal error: the counterexample to %s does not hold: %w", c.result.Property, err)
			}
		}
		results = append(results, c.result)
	}
	return results, nil
}

// violatedProperty is what a claim's trace must violate, nil for a trace that leads to an error or a deadlock.
func violatedProperty(c *claim) *system.Property {
	if c.result.Verdict != verdict.Violated {
		return nil
	}
	return c.property
}

// claim is a property, or with property nil the absence of deadlocks, and what is known of it.
type claim struct {
	property *system.Property
	result   verdict.Result
}

func (c *claim) decided() bool { return c.result.Verdict != "" }

// selectClaims makes a claim of each property that is to be checked.
func (s *search) selectClaims() error {
	for _, name := range s.opts.Only {
		if p := s.System.Property(name); p == nil {
			return fmt.Errorf("there is no property %q", name)
		} else if !p.IsInvariant() {
			return fmt.Errorf("%s is %s: only safety, invariant and range properties can be checked here", name, p.Kind)
		}
	}
	for _, p := range s.System.Properties {
		if !p.IsInvariant() {
			continue
		}
		if p.Kind == system.Range {
			s.ranges = append(s.ranges, p)
		}
		if s.opts.Only == nil || slices.Contains(s.opts.Only, p.Name) {
			s.claims = append(s.claims, &claim{property: p, result: verdict.Result{Property: p.Name, Kind: string(p.Kind), Line: p.Span.Line()}})
		}
	}
	if s.opts.Deadlock {
		s.deadlock = &claim{result: verdict.Result{Property: interp.Deadlock, Kind: interp.Deadlock}}
		s.claims = append(s.claims, s.deadlock)
	}
	for _, c := range s.claims {
		c.result.Engine, c.result.Scope = Name, s.Instance.Name
	}
	return nil
}

// finish gives every claim that no trace decided the verdict that the search allows.
func (s *search) finish() {
	stats := &s.stats
	stats.States, stats.Depth = int64(len(s.states)), s.level
	stats.Complete = s.stopped == ""
	for _, a := range s.System.Actions {
		if !s.enabled[a] {
			stats.NeverEnabled = append(stats.NeverEnabled, a.Name)
		}
	}
	if s.opts.Stats != nil {
		*s.opts.Stats = *stats
	}
	for _, c := range s.claims {
		r := &c.result
		r.Elapsed = time.Since(s.begin)
		if c.decided() {
			continue
		}
		r.States, r.Transitions, r.Depth = stats.States, stats.Transitions, stats.Depth
		switch {
		case len(s.states) == 0 && s.stopped == "":
			r.Verdict, r.Reason = verdict.NothingChecked, "no initial state"
		case s.stopped != "":
			r.Verdict, r.Reason = verdict.HoldsUpTo, s.stopped
		case s.outside != "":
			r.Verdict, r.Reason = verdict.HoldsUpTo, fmt.Sprintf("states that violate %s were not explored further", s.outside)
		default:
			r.Verdict = verdict.Holds
		}
	}
}

var errLimit = errors.New("limit")
