package explicit

import (
	"context"
	"errors"

	"erelong.dev/erelong/internal/engine/explore"
)

// marks are the marked states of a level; the caller has the lock.
func (x *Share) marks(level int) map[string]bool {
	for len(x.marked) < level {
		x.marked = append(x.marked, map[string]bool{})
	}
	return x.marked[level-1]
}

func nameOf(state []uint64) string { return string(appendWords(nil, state)) }

// Marked says which states of a level are marked.
func (x *Share) Marked(level int, states []uint64) (out []bool) {
	x.mu.Lock()
	defer x.mu.Unlock()
	marks, words := x.marks(level), x.search.Program.Words()
	for ; len(states) >= words; states = states[words:] {
		out = append(out, marks[nameOf(states[:words])])
	}
	return out
}

func (x *Share) addMark(level int, state []uint64) {
	x.mu.Lock()
	defer x.mu.Unlock()
	x.marks(level)[nameOf(state)] = true
}

// mark marks the states of a level that violate a claim.
func (x *Share) mark(ctx context.Context, o *Order) error {
	x.mu.Lock()
	x.marked = nil
	x.mu.Unlock()
	for _, w := range x.search.Workers {
		w.Forget() // all successors count from here on
	}
	words := x.search.Program.Words()
	violates := func(t *explore.Task) bool {
		switch o.Claim {
		case noDeadlock:
			return len(t.Deadlocks) > 0
		case anyRange:
			return t.Outside >= 0
		}
		return t.Events[o.Claim].Found
	}
	onlyCheck := o.Claim != noDeadlock
	return x.pass(ctx, o.Level, onlyCheck, func(w int, t *explore.Task, states []uint64) error {
		if !violates(t) {
			return nil
		}
		var buf []uint64
		for i := range t.To - t.From {
			one := &explore.Task{}
			if err := x.one(ctx, w, one, t.From+i, t.From+i+1, onlyCheck, &buf); err != nil {
				return err
			}
			if violates(one) {
				x.addMark(o.Level, states[i*words:(i+1)*words])
			}
		}
		return nil
	})
}

// markPredecessors marks the states of a level with a marked successor on the next level.
func (x *Share) markPredecessors(ctx context.Context, o *Order) error {
	words := x.search.Program.Words()
	return x.pass(ctx, o.Level, false, func(_ int, t *explore.Task, states []uint64) error {
		out, parents := make([][]uint64, x.members()), make([][]uint32, x.members())
		for i, hash := range t.Hashes {
			member := x.owners[partOf(hash)]
			out[member], parents[member] = append(out[member], t.State(i)...),
				append(parents[member], t.Parents[i])
		}
		for member, list := range out {
			var marked []bool
			var err error
			switch {
			case member == x.self:
				marked = x.Marked(o.Level+1, list)
			case len(list) > 0:
				marked, err = x.peers.Ask(ctx, member, o.Level+1, list)
			}
			if err != nil {
				return err
			}
			if len(marked)*words != len(list) {
				return errors.New("another member answers about other states")
			}
			for i, on := range marked {
				if at := int(parents[member][i]) - t.From; on {
					x.addMark(o.Level, states[at*words:(at+1)*words])
				}
			}
		}
		return nil
	})
}
