package temporal

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"time"

	"erelong.dev/erelong/internal/compile"
	"erelong.dev/erelong/internal/engine"
	"erelong.dev/erelong/internal/interp"
	"erelong.dev/erelong/internal/logic"
	"erelong.dev/erelong/internal/result"
	"erelong.dev/erelong/internal/system"
	"erelong.dev/erelong/internal/vacuity"
)

// The exploration for temporal properties can decide properties of states, too: they become further
// predicates that are evaluated in all states. It only says that they are true in all states.
// Everything else, such as a run to a violation, takes a search of its own. That begins as soon as
// it is needed, and the exploration goes on afterwards.

// Beside are properties of states to decide on the same exploration.
type Beside struct {
	Only  []string       // the names of safety, invariant and range properties
	Signs []vacuity.Sign // as Options.Signs
	// Apart is called, at most once, when the properties need a search of their own.
	Apart func()
}

// Whole is what an exploration says of properties of states. All of them are true in the states
// up to a depth.
type Whole struct {
	Stats
	// Distinct triples of a state, an action without its parameters, and a successor.
	Transitions int64
	Depth       int64 // states on the longest shortest path from an initial state
	Deadlocks   int64 // states without successor
	Generated   int64 // as explicit.Stats.Generated
	// Why not all states were found, empty if they were. Then the properties are true in all states
	// on runs of Depth states, and the other figures are about the states that were found.
	Ended   result.Reason
	Elapsed time.Duration // of the exploration

	Model   *interp.Model
	Program compile.Program // of the states, closed; nil if there is none
	State   func(n int) []uint64
}

// errApart ends an exploration that begins anew without properties of states.
var errApart = errors.New("properties of states need a search of their own")

// watch has what an exploration is asked of states. It is nil where nothing is asked.
type watch struct {
	terms []*logic.Term
	apart func()
	told  bool   // that they need a search of their own
	left  *graph // the graph of an exploration that was ended
}

// tell has the properties decided by a search of their own.
func (w *watch) tell() {
	if !w.told {
		w.told = true
		w.apart()
	}
}

// separate deals with properties that are not true in all states. Where the graph takes much of the
// memory, it is given up before the other search begins.
func (s *search) separate() error {
	s.watched = nil
	if m := s.limits.memory; m > 0 && s.graphBytes() > m/8 {
		return errApart
	}
	s.limits.watch.tell()
	return nil
}

func (b *Beside) watch(sys *system.System) (*watch, error) {
	properties, err := engine.Select(sys, b.Only, (*system.Property).IsInvariant,
		"safety, invariant and range")
	if err != nil {
		return nil, err
	}
	w := &watch{apart: b.Apart}
	for _, p := range properties {
		w.terms = append(w.terms, p.Term)
	}
	return w, nil
}

// numbers are the numbers of the terms; they are predicates, too.
func (w *watch) numbers(p *predicates) (out []int) {
	for _, t := range w.terms {
		out = append(out, p.find(t))
	}
	return out
}

// fails reports whether one of some predicates is false or has no value in some state so far.
func (p *predicates) fails(numbers []int) bool {
	return slices.ContainsFunc(numbers, func(k int) bool {
		return p.failed[k] != nil || slices.ContainsFunc(p.falses[k], isSet)
	})
}

// outsideFails reports whether a predicate that has to be true is false outside of the boundary of
// a computed system.
func (g *graph) outsideFails() bool { return g.computed != nil && g.computed.outside }

func isSet(w uint64) bool { return w != 0 }

// moved counts a step for Whole. It is called for each step from a state, after clear.
func (g *graph) moved(action int, to uint32) {
	if g.takenActions.add(uint32(action), to) {
		g.transitions++
	}
}

// whole says what the states of a complete graph show, nil if that does not suffice.
func (g *graph) whole(ctx context.Context, w *watch, signs []vacuity.Sign) *Whole {
	if w.told || g.stopped.Given() || g.failed != nil || g.count() == 0 {
		return nil
	}
	if len(g.predicates.terms) == 0 { // interpreted
		for n := range uint32(g.count()) {
			for _, t := range w.terms {
				if holds, err := g.model.Holds(t, g.state(n)); err != nil || !holds {
					return nil
				}
			}
		}
	} else if g.fails(w.numbers(&g.predicates)) || g.outsideFails() {
		return nil
	}
	out := &Whole{Transitions: g.transitions, Depth: g.depth, Deadlocks: g.deadlocks,
		Model: g.model}
	out.Generated = g.generated()
	if g.unseen(ctx, signs, &out.Stats); len(out.Shown)+len(out.Vacuous) != len(signs) {
		return nil // a sign has no value in some state
	}
	if p, ok := g.states.(*packed); ok && p.keys == nil {
		out.Program, out.State = p.program, func(n int) []uint64 {
			key, _ := p.store.Keys(n, n+1, new([]uint64)) // all are in memory
			return key
		}
	}
	return out
}

// ended says what the exploration showed before ctx ended, nil if that is not known.
func (w *watch) ended(ctx context.Context) *Whole {
	g := w.left
	if w.told || g == nil || g.depth == 0 {
		return nil
	}
	out := &Whole{Transitions: g.transitions, Depth: g.depth - 1, Deadlocks: g.deadlocks,
		Model: g.model,
		Ended: result.Ended(ctx, fmt.Sprintf("after %d states", g.count()))}
	out.States = int64(g.count())
	out.Generated = g.generated()
	return out
}
