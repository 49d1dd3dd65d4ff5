package compile

import (
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"slices"

	"github.com/tetratelabs/wazero/api"
)

// chunk is the number of states that one call expands: large enough to make the call cheap, and
// small enough that they and their successors stay in the processor's cache.
const chunk = 1024

// worker expands states in an instance of the module. Its memory holds, after the tables, the
// states of a chunk, the bits of the claims, the indices of failed states, and successors up to the
// end.
type worker struct {
	*program
	instance api.Module
	memory   api.Memory
	call     api.Function
	stack    []uint64
	batch    Batch

	states, claims, failures, out uint32 // addresses
}

// startCapacity is the number of successors that fit into the memory of a new worker. More memory
// is added on demand.
const startCapacity = 4 * chunk

func (p *program) Worker() (Worker, error) {
	ctx := context.Background()
	instance, err := p.instantiate(ctx)
	if err != nil {
		return nil, fmt.Errorf("starting a worker: %w", err)
	}
	w := &worker{program: p, instance: instance, memory: instance.Memory(),
		call:  instance.ExportedFunction("expand"),
		stack: make([]uint64, expandParams)}
	w.states = p.free
	w.claims = w.states + uint32(8*p.words*chunk)
	w.failures = w.claims + uint32(8*p.claimWords*chunk)
	w.out = w.failures + 4*chunk
	if !w.reserve(w.out + uint32(startCapacity*w.record())) {
		_ = instance.Close(ctx)
		return nil, errors.New("starting a worker: there is no memory")
	}
	return w, nil
}

func (w *worker) Close() error { return w.instance.Close(context.Background()) }

// reserve makes the memory at least size bytes long.
func (w *worker) reserve(size uint32) bool {
	if have := w.memory.Size(); size > have {
		_, ok := w.memory.Grow((size - have + 0xffff) >> 16)
		return ok
	}
	return true
}

// Expand implements Worker. The claims of failed states are undefined.
func (w *worker) Expand(states []uint64) (*Batch, error) {
	b, err := w.run(states, 1)
	if err == nil && w.audit != nil {
		err = w.audit.batch(w.program, states, b)
	}
	return b, err
}

// Check evaluates the claims without computing successors.
func (w *worker) Check(states []uint64) (*Batch, error) { return w.run(states, 0) }

func (w *worker) run(states []uint64, flags uint64) (*Batch, error) {
	b := &w.batch
	*b = Batch{States: b.States[:0], Source: b.Source[:0], Action: b.Action[:0],
		Binding: b.Binding[:0], Violated: b.Violated[:0], Failed: b.Failed[:0]}
	if len(states)%w.words != 0 {
		return nil, fmt.Errorf("expanding states: %d words are not a whole number of states of "+
			"%d words", len(states), w.words)
	}
	for first := 0; first*w.words < len(states); first += chunk {
		part := states[first*w.words : min((first+chunk)*w.words, len(states))]
		if err := w.expand(part, uint32(first), flags); err != nil {
			return nil, fmt.Errorf("expanding states: %w", err)
		}
	}
	for _, source := range b.Failed {
		clear(b.Violated[int(source)*w.claimWords : int(source+1)*w.claimWords])
	}
	return b, nil
}

// expand runs the module on a chunk, in several calls if the successors need more memory.
func (w *worker) expand(states []uint64, first uint32, flags uint64) error {
	count := uint32(len(states) / w.words)
	in, ok := w.memory.Read(w.states, uint32(8*len(states)))
	if !ok {
		return errors.New("the memory is too small")
	}
	for i, v := range states {
		binary.LittleEndian.PutUint64(in[8*i:], v)
	}
	for done := uint32(0); done < count; {
		copy(w.stack, []uint64{
			uint64(w.states + done*uint32(8*w.words)), uint64(count - done),
			uint64(w.claims + done*uint32(8*w.claimWords)), uint64(w.failures), uint64(w.out),
			uint64(w.limit()), flags,
		})
		if err := w.call.CallWithStack(context.Background(), w.stack); err != nil {
			return fmt.Errorf("running the WebAssembly module: %w", err)
		}
		status, n := w.stack[0]>>32, uint32(w.stack[0])
		if status == statusWidth {
			slot, _ := w.memory.ReadUint64Le(addrSlot)
			value, _ := w.memory.ReadUint64Le(addrValue)
			return &WidthError{int(slot), int64(value)}
		}
		if err := w.collect(first + done); err != nil {
			return err
		}
		done += n
		if status == statusFull && n == 0 {
			// A single state has more successors than fit into the memory.
			if size := w.memory.Size(); size >= 1<<31 || !w.reserve(size+(size-w.out)) {
				return fmt.Errorf("there is no memory for the successors of one state, of which "+
					"there are more than %d",
					int(size-w.out)/w.record())
			}
		}
	}
	b := &w.batch
	view, ok := w.memory.Read(w.claims, count*uint32(8*w.claimWords))
	if !ok {
		return errors.New("the memory is too small")
	}
	for i := 0; i < len(view); i += 8 {
		b.Violated = append(b.Violated, binary.LittleEndian.Uint64(view[i:]))
	}
	return nil
}

// limit is the first address at which a successor no longer fits.
func (w *worker) limit() uint32 {
	return w.memory.Size() - uint32(w.record()) + 1
}

// collect appends the results of a call. The indices of its states begin at first.
func (w *worker) collect(first uint32) error {
	b := &w.batch
	end, _ := w.memory.ReadUint32Le(addrOut)
	view, ok := w.memory.Read(w.out, end-w.out)
	if !ok {
		return errors.New("the successors lie outside of the memory")
	}
	record := w.record()
	n := len(view) / record
	k := len(b.Source)
	b.States = slices.Grow(b.States, n*w.words)[:len(b.States)+n*w.words]
	b.Source = slices.Grow(b.Source, n)[:k+n]
	b.Action = slices.Grow(b.Action, n)[:k+n]
	if w.bindings {
		for at := 8*w.words + 6; at < len(view); at += record {
			b.Binding = append(b.Binding, binary.LittleEndian.Uint16(view[at:]))
		}
	}
	words := w.words
	states, source, action := b.States[k*words:], b.Source[k:], b.Action[k:]
	for i := 0; len(view) >= record; i, view = i+1, view[record:] {
		from := view
		for j := range states[:words] {
			states[j], from = binary.LittleEndian.Uint64(from), from[8:]
		}
		states = states[words:]
		origin := binary.LittleEndian.Uint64(view[record-8:])
		source[i], action[i] = uint32(origin)+first, uint16(origin>>32)
	}
	end, _ = w.memory.ReadUint32Le(addrFailed)
	view, ok = w.memory.Read(w.failures, end-w.failures)
	if !ok {
		return errors.New("the failed states lie outside of the memory")
	}
	for ; len(view) > 0; view = view[4:] {
		b.Failed = append(b.Failed, binary.LittleEndian.Uint32(view)+first)
	}
	return nil
}
