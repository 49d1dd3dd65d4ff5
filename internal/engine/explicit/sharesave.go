package explicit

import (
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"io"

	"erelong.dev/erelong/internal/engine/explore/store"
)

// save writes the states of the levels that an order names: for each level its number and the
// number of the states, as 64 bits each, and then the states.
func (x *Share) save(w io.Writer, o *Order) error {
	var buf []uint64
	var raw []byte
	for level := o.From + 1; level <= o.Level; level++ {
		from, to := x.bounds(level)
		raw = binary.LittleEndian.AppendUint64(raw[:0], uint64(level))
		raw = binary.LittleEndian.AppendUint64(raw, uint64(to-from))
		for ; ; from += store.TaskSize {
			if _, err := w.Write(raw); err != nil {
				return err
			}
			if from >= to {
				break
			}
			states, err := x.read(from, min(from+store.TaskSize, to), &buf)
			if err != nil {
				return err
			}
			raw = appendWords(raw[:0], states)
		}
	}
	return nil
}

func appendWords(raw []byte, words []uint64) []byte {
	for _, w := range words {
		raw = binary.LittleEndian.AppendUint64(raw, w)
	}
	return raw
}

// load reads the states of the own parts from what members saved.
func (x *Share) load(ctx context.Context, o *Order) error {
	levels := make([][]uint64, o.Level)
	for _, name := range o.Saved {
		if err := x.loadOne(ctx, name, levels); err != nil {
			return fmt.Errorf("reading the saved states %s: %w", name, err)
		}
	}
	for _, states := range levels {
		if err := x.take(states); err != nil {
			return err
		}
		if err := x.insert(0); err != nil {
			return err
		}
		x.ends = append(x.ends, x.search.Store.Len())
	}
	return nil
}

func (x *Share) loadOne(ctx context.Context, name string, levels [][]uint64) error {
	r, err := x.peers.Open(ctx, name)
	if err != nil {
		return err
	}
	defer func() { _ = r.Close() }()
	words := x.search.Program.Words()
	raw, state := make([]byte, 8*max(words, 2)), make([]uint64, words)
	for {
		if _, err := io.ReadFull(r, raw[:16]); errors.Is(err, io.EOF) {
			return nil
		} else if err != nil {
			return err
		}
		level, n := binary.LittleEndian.Uint64(raw), binary.LittleEndian.Uint64(raw[8:])
		if level < 1 || level > uint64(len(levels)) {
			return fmt.Errorf("they are about the level %d", level)
		}
		for range n {
			if _, err := io.ReadFull(r, raw[:8*words]); err != nil {
				return err
			}
			for i := range state {
				state[i] = binary.LittleEndian.Uint64(raw[8*i:])
			}
			if x.own(state) {
				levels[level-1] = append(levels[level-1], state...)
			}
		}
	}
}
