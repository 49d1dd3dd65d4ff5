package explicit

import (
	"context"
	"fmt"
	"math/bits"
	"slices"

	"erelong.dev/erelong/internal/engine/explore/store"
	"erelong.dev/erelong/internal/por"
	"erelong.dev/erelong/internal/result"
)

// A set of bits has no parents, so the run to a state is found backwards, level by level. A
// predecessor differs from the state only in what one action writes. The states in the set that
// differ in no other bits are expanded, and the ones that lead to the state are its predecessors.
// The level of the state is the length of a shortest run, so the first initial state is as many
// steps away.

const (
	// mostGuessed bounds the codes that are looked for in the set, for one run.
	mostGuessed = 1 << 26
	// mostBefore bounds the states before a state that are remembered.
	mostBefore = 1 << 18
)

// backward finds the predecessors of states.
type backward struct {
	*inBits
	masks   []uint64          // the bits that actions write
	next    map[uint64]uint64 // for each state that was found, its successor
	guessed int
}

// runTo finds a run to a state of the current level, the same one for any number of threads. It
// fails with errUnfit where too many states would have to be looked at.
func (b *inBits) runTo(ctx context.Context, state uint64) (*run, error) {
	x := &backward{inBits: b, next: map[uint64]uint64{}}
	layer := []uint64{state}
	if b.Level > 1 {
		if err := x.findMasks(); err != nil {
			return nil, err
		}
	}
	for range b.Level - 1 {
		var before []uint64
		for _, to := range layer {
			found, err := x.before(ctx, to, state)
			if err != nil {
				return nil, err
			}
			before = append(before, found...)
		}
		if layer = before; len(x.next) > mostBefore {
			return nil, errUnfit
		}
	}
	slices.Sort(layer)
	for _, at := range layer {
		if b.Check(b.Program.Unpack([]uint64{at}), true) != nil {
			continue
		}
		walk := []uint64{at}
		for at != state {
			at = x.next[at]
			walk = append(walk, at)
		}
		return retrace(ctx, b.Space, walk)
	}
	return nil, errUnfit
}

// findMasks finds the bits that each action writes, for some values of its parameters.
func (x *backward) findMasks() error {
	main, ok := x.Program.(fields)
	if !ok {
		return errUnfit
	}
	ground, err := por.New(x.Model, nil)
	if err != nil {
		return errUnfit
	}
	for i := range x.System.Actions {
		for g := ground.Ground(i, 0); g < ground.End(i); g++ {
			mask := uint64(0)
			for slot := range x.SlotSymbols() {
				if ground.Footprint(g).Writes.Has(slot) {
					_, bits := main.Field(slot)
					mask |= bits
				}
			}
			x.masks = append(x.masks, mask)
		}
	}
	slices.SortFunc(x.masks, func(a, b uint64) int {
		return bits.OnesCount64(b) - bits.OnesCount64(a)
	})
	kept := x.masks[:0]
	for _, m := range x.masks {
		if !slices.ContainsFunc(kept, func(k uint64) bool { return m&^k == 0 }) {
			kept = append(kept, m)
		}
	}
	x.masks = kept
	return nil
}

// before finds the predecessors of a state that were not found before. The end of the run is none.
func (x *backward) before(ctx context.Context, to, end uint64) (found []uint64, err error) {
	for _, mask := range x.masks {
		if bits.OnesCount64(mask) > 30 {
			return nil, errUnfit
		}
		if x.guessed += 1 << bits.OnesCount64(mask); x.guessed > mostGuessed {
			return nil, errUnfit
		}
		var some []uint64
		for part, last := mask, false; !last; part = (part - 1) & mask {
			last = part == 0
			if at := to&^mask | part; at != end && x.set.Has(at) {
				if _, known := x.next[at]; !known {
					some = append(some, at)
				}
			}
			if len(some) < store.TaskSize && !last {
				continue
			}
			if some, err = x.leading(ctx, some, to); err != nil {
				return nil, err
			}
			found, some = append(found, some...), nil
		}
	}
	return found, nil
}

// leading gives the states of some with a given successor.
func (x *backward) leading(
	ctx context.Context, some []uint64, to uint64,
) (found []uint64, err error) {
	if err := ctx.Err(); err != nil || len(some) == 0 {
		return nil, err
	}
	batch, err := x.Workers[0].Worker.Expand(some)
	if err != nil {
		return nil, fmt.Errorf("expanding states: %w", err)
	}
	if len(batch.Failed) > 0 {
		return nil, errUnfit
	}
	for i, state := range batch.States {
		from := some[batch.Source[i]]
		if _, known := x.next[from]; state == to && !known {
			x.next[from] = to
			found = append(found, from)
		}
	}
	return found, nil
}

// recordViolation records a violation.
func (b *inBits) recordViolation(what int, state uint64) {
	b.mu.Lock()
	defer b.mu.Unlock()
	first, ok := b.violations[what]
	if !ok || b.set.Code(state) < b.set.Code(first) {
		b.violations[what] = state
	}
}

// settle decides the claims that are violated on a level, of which there were some states and
// transitions before it was expanded. It reports whether the search ends.
func (b *inBits) settle(ctx context.Context, states, transitions int64) (bool, error) {
	runs := map[uint64]*run{}
	for _, c := range b.list {
		what := len(b.props)
		if c.property != nil {
			what = b.index(c.property)
		}
		state, ok := b.violations[what]
		if !ok || c.decided() {
			continue
		}
		if runs[state] == nil {
			r, err := b.runTo(ctx, state)
			if err != nil {
				return false, err
			}
			runs[state] = r
		}
		c.decide(result.Violated, b.remark, 0, b.Level, states, transitions)
		c.run = runs[state]
	}
	clear(b.violations)
	b.stopped = b.enough()
	return b.stopped.Given(), nil
}
