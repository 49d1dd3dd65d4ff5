package explicit

import (
	"context"
	"errors"
	"fmt"
	"slices"

	"erelong.dev/erelong/internal/engine/explore"
	"erelong.dev/erelong/internal/interp"
	"erelong.dev/erelong/internal/result"
)

// showAll finds the runs to the violations.
func (d *division) showAll(ctx context.Context) error {
	for _, c := range d.list {
		if c.result.Verdict != result.Violated || c.run != nil {
			continue
		}
		claim := noDeadlock
		if c.property != nil {
			claim = d.index(c.property)
		}
		path, err := d.firstRun(ctx, int(c.result.Depth), claim)
		if err != nil {
			return err
		}
		if c.run, err = d.rebuild(context.WithoutCancel(ctx), path); err != nil {
			return err
		}
	}
	return nil
}

// firstOutside is the range property that the first state outside a range violates, -1 for none.
func (d *division) firstOutside(ctx context.Context) (int, error) {
	if d.outside == 0 || d.stopped.Given() {
		return -1, nil
	}
	path, err := d.firstRun(ctx, d.outside, anyRange)
	if err != nil {
		return -1, err
	}
	t := &explore.Task{}
	t.Reset(d.Space, d.Store, 0, 1)
	err = d.Workers[0].Expand(ctx, t, path[len(path)-1], true)
	return t.Outside, err
}

// firstRun is the run of a search by one thread to the first state of a level that violates a
// claim.
func (d *division) firstRun(ctx context.Context, level, claim int) (path [][]uint64, err error) {
	err = d.unit(ctx, func() error {
		path = nil
		if _, err := d.order(ctx, Order{Kind: MarkOrder, Level: level, Claim: claim}); err != nil {
			return err
		}
		for k := level - 1; k > 0; k-- {
			if _, err := d.order(ctx, Order{Kind: BackOrder, Level: k}); err != nil {
				return err
			}
		}
		first, err := d.firstInitial(ctx)
		if err != nil {
			return err
		}
		path = [][]uint64{first}
		t := &explore.Task{}
		for k := 2; k <= level; k++ {
			t.Reset(d.Space, d.Store, 0, 1)
			if err := d.Workers[0].Expand(ctx, t, path[k-2], false); err != nil {
				return err
			}
			next, err := d.firstMarked(ctx, k, t.States)
			if err != nil {
				return err
			}
			if next == nil {
				return fmt.Errorf("internal error: no successor of state %d of the run leads to "+
					"the violation", k-1)
			}
			path = append(path, next)
		}
		return nil
	})
	return path, err
}

// firstInitial is the first marked initial state.
func (d *division) firstInitial(ctx context.Context) (found []uint64, err error) {
	var batch []uint64
	ask := func() (err error) {
		found, err = d.firstMarked(ctx, 1, batch)
		batch = batch[:0]
		return err
	}
	err = d.start(ctx, d.Model, func(state interp.State) error {
		packed, err := d.Program.Pack(state)
		if err != nil {
			return err
		}
		if batch = append(batch, packed...); len(batch) >= whichStates*d.Program.Words() {
			err = ask()
		}
		if found != nil {
			return interp.ErrStop
		}
		return err
	})
	if err == nil && found == nil {
		err = ask()
	}
	if err == nil && found == nil {
		err = errors.New("internal error: no initial state leads to the violation")
	}
	return found, err
}

// whichStates is the number of states that are asked about together.
const whichStates = 512

// firstMarked is the first state in a list that is marked on a level, nil for none.
func (d *division) firstMarked(ctx context.Context, level int, states []uint64) ([]uint64, error) {
	words := d.Program.Words()
	for some := range slices.Chunk(states, whichStates*words) {
		answers, err := d.order(ctx, Order{Kind: WhichOrder, Level: level, States: some})
		if err != nil {
			return nil, err
		}
		marked := make([]bool, len(some)/words)
		for _, a := range answers {
			or(marked, a.Marked)
		}
		if i := slices.Index(marked, true); i >= 0 {
			return slices.Clone(some[i*words : (i+1)*words]), nil
		}
	}
	return nil, nil
}
