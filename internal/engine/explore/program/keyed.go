package program

import (
	"sync"

	"erelong.dev/erelong/internal/compile"
	"erelong.dev/erelong/internal/interp"
)

// Keyed is a compile.Program that computes nothing: it leaves each state to the interpreter. A
// packed state is the number of its key (interp.Model.Key), so its values may be any.
type Keyed struct {
	model *interp.Model
	words int // with a bit for each claim

	mu      sync.RWMutex
	numbers map[string]uint64 // by key; nil once no further states are packed
	keys    []string
	text    int64 // bytes of keys

	buffers sync.Pool // of *[]byte, for keys
}

// NewKeyed makes a program for a model and some claims.
func NewKeyed(m *interp.Model, claims int) *Keyed {
	return &Keyed{model: m, words: (claims + 63) / 64, numbers: map[string]uint64{}}
}

func (p *Keyed) Words() int   { return 1 }
func (p *Keyed) Bits() int    { return 64 }
func (p *Keyed) Close() error { return nil }

// Pack gives a state its number.
func (p *Keyed) Pack(s interp.State) ([]uint64, error) {
	buf, _ := p.buffers.Get().(*[]byte)
	if buf == nil {
		buf = new([]byte)
	}
	defer p.buffers.Put(buf)
	*buf = p.model.AppendKey((*buf)[:0], s)
	p.mu.Lock()
	defer p.mu.Unlock()
	n, known := p.numbers[string(*buf)]
	if !known {
		key := string(*buf)
		n = uint64(len(p.keys))
		p.numbers[key] = n
		p.keys, p.text = append(p.keys, key), p.text+int64(len(key))
	}
	return []uint64{n}, nil
}

// Unpack is the inverse of Pack.
func (p *Keyed) Unpack(packed []uint64) interp.State {
	p.mu.RLock()
	defer p.mu.RUnlock()
	return p.model.StateOfKey(p.keys[packed[0]])
}

// Seal gives up what only Pack needs.
func (p *Keyed) Seal() { p.numbers = nil }

// Approximate memory in bytes: the overhead of a string, and of an entry of a map from strings.
const overhead, stringEntry = 5, 42

// Bytes is the memory of the keys.
func (p *Keyed) Bytes() int64 {
	return p.text + int64(len(p.keys))*overhead + int64(cap(p.keys))*16 +
		int64(len(p.numbers))*stringEntry
}

func (p *Keyed) Worker() (compile.Worker, error) { return &keyedWorker{words: p.words}, nil }

// keyedWorker reports every state as failed, so that the interpreter expands it.
type keyedWorker struct {
	words int
	batch compile.Batch
}

func (w *keyedWorker) Expand(states []uint64) (*compile.Batch, error) {
	w.batch.Violated = make([]uint64, len(states)*w.words)
	w.batch.Failed = w.batch.Failed[:0]
	for i := range states {
		w.batch.Failed = append(w.batch.Failed, uint32(i))
	}
	return &w.batch, nil
}

func (w *keyedWorker) Close() error { return nil }
