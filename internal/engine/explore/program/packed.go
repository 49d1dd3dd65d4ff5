package program

import (
	"context"
	"errors"
	"slices"

	"erelong.dev/erelong/internal/logic"
	"erelong.dev/erelong/internal/system"
)

// pack has the front end pack the states, if it can: where each state is its own, and formulas are
// asked for in states alone.
func (p *Computed) pack(ctx context.Context, claims []*logic.Term) {
	f, ok := p.sys.Computed.Computed.(system.Packing)
	if !ok || p.stand != nil || slices.ContainsFunc(claims, p.sys.OfStep) ||
		slices.ContainsFunc(p.boundary, func(b bound) bool { return b.ofStep }) {
		return
	}
	if p.form = f.Form(ctx); p.form != nil {
		p.packers.New = func() any { return p.form.Packer() }
	}
}

// inPacked is a computer that is asked for formulas of one packed state, whatever state it is
// given.
type inPacked struct {
	system.Computer // nil
	packed          system.PackedComputer
	state           []uint64
	found           func(action int, next []uint64) error // is given the steps
}

var errStep = errors.New("internal error: a formula of a step is asked for in a packed state")

func (c *inPacked) Holds(predicate int, _, next []int64) (bool, error) {
	if next != nil {
		return false, errStep
	}
	return c.packed.Holds(predicate, c.state)
}

// foundPacked makes what is given the steps of packed states. It is made once: there is not much to
// do for a state.
func (w *computedWorker) foundPacked() func(action int, next []uint64) error {
	if len(w.boundary) == 0 {
		return func(action int, next []uint64) error {
			w.batch.Generated++
			w.addPacked(w.source, action, next)
			return nil
		}
	}
	return func(action int, next []uint64) error {
		w.actions, w.steps = append(w.actions, action), append(w.steps, next...)
		return nil
	}
}

// expandPacked is expand for states that the front end packs.
func (w *computedWorker) expandPacked(source uint32) error {
	b := &w.batch
	w.source, w.actions, w.steps = source, w.actions[:0], w.steps[:0]
	err := w.in.packed.Steps(w.ctx, w.packed, w.in.found)
	if err != nil || len(w.boundary) == 0 {
		return err
	}
	b.Generated += int64(len(w.actions))
	moves, n := stays, len(w.packed)
	for i, action := range w.actions {
		next := w.steps[i*n : (i+1)*n]
		w.in.state = next
		inside, err := w.within(w.state, w.state)
		switch {
		case err != nil:
			return err
		case inside:
			w.addPacked(source, action, next)
		default:
			if err := w.leaveOut(source, w.state); err != nil {
				return err
			}
		}
		if !slices.Equal(next, w.packed) {
			moves = changes
		}
	}
	w.in.state, w.told.steps = w.packed, moves
	return nil
}

func (w *computedWorker) addPacked(source uint32, action int, next []uint64) {
	b := &w.batch
	b.Source, b.Action = append(b.Source, source), append(b.Action, uint16(action))
	b.States = append(b.States, next...)
}
