package program

import (
	"slices"
	"sync"

	"erelong.dev/erelong/internal/compile"
	"erelong.dev/erelong/internal/engine/explore/store"
	"erelong.dev/erelong/internal/interp"
	"erelong.dev/erelong/internal/symmetry"
)

// symmetric is a program whose states are representatives of orbits: Pack and the workers give the
// packed form of the representative of each state. A run is rebuilt with real states, since Pack
// maps each to its representative.
type symmetric struct {
	compile.Program
	model   *interp.Model
	mu      sync.Mutex
	reducer *symmetry.Reducer // for Pack
}

// NewSymmetric makes a program whose states are representatives of orbits. It gives the
// program itself where there is nothing to permute.
func NewSymmetric(m *interp.Model, p compile.Program) (compile.Program, error) {
	r, err := symmetry.New(m, LayoutOf(p))
	if err != nil {
		return nil, err
	}
	if r.Trivial() {
		return p, nil
	}
	return &symmetric{Program: p, model: m, reducer: r}, nil
}

// LayoutOf tells where a program has the slots of packed states; nil for one that does not say.
func LayoutOf(p compile.Program) symmetry.Layout {
	switch p := p.(type) {
	case *symmetric:
		return LayoutOf(p.Program)
	case *reduced:
		return LayoutOf(p.Program)
	case *interpreter:
		return places{p}
	case symmetry.Layout:
		return p
	}
	return nil
}

// Plain gives the program of all states that p changes into one of representatives, and the
// representative of a state; p itself where it changes none.
func Plain(p compile.Program) (plain compile.Program, representative func([]uint64) []uint64) {
	if s, ok := p.(*symmetric); ok {
		return s.Program, s.reducer.Canonical
	}
	return p, func(state []uint64) []uint64 { return state }
}

// Pack packs the representative.
func (p *symmetric) Pack(s interp.State) ([]uint64, error) {
	packed, err := p.Program.Pack(s)
	if err != nil {
		return nil, err
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	return slices.Clone(p.reducer.Canonical(packed)), nil
}

// Worker makes a worker that gives representatives.
func (p *symmetric) Worker() (compile.Worker, error) {
	w, err := p.Program.Worker()
	if err != nil {
		return nil, err
	}
	r, err := symmetry.New(p.model, LayoutOf(p.Program))
	if err != nil {
		return nil, err
	}
	return &symmetricWorker{Worker: w, words: p.Words(), reducer: r}, nil
}

type symmetricWorker struct {
	compile.Worker
	words   int
	reducer *symmetry.Reducer
	batch   compile.Batch
	states  []uint64
	// known has entries for a flag, a state and its representative, indexed by the hash of the
	// state.
	known  []uint64
	places int // the number of entries
	missed int // states that were not known, since the number changed
}

// The least and the most number of representatives that a worker remembers. Most successors are
// found again and again.
const (
	leastPlaces = 1 << 9
	mostPlaces  = 1 << 15
)

// representative appends the representative of a packed state.
func (w *symmetricWorker) representative(state []uint64) {
	words := w.words
	if w.missed >= w.places && w.places < mostPlaces {
		w.places, w.missed = max(leastPlaces, 8*w.places), 0
		w.known = make([]uint64, w.places*(2*words+1))
	}
	at := int(store.Hash(state)%uint64(w.places)) * (2*words + 1)
	entry := w.known[at : at+2*words+1]
	if entry[0] == 0 || !slices.Equal(entry[1:1+words], state) {
		w.missed++
		entry[0] = 1
		copy(entry[1:], state)
		copy(entry[1+words:], w.reducer.Canonical(state))
	}
	w.states = append(w.states, entry[1+words:]...)
}

// Expand replaces each successor by its representative.
func (w *symmetricWorker) Expand(states []uint64) (*compile.Batch, error) {
	b, err := w.Worker.Expand(states)
	if err != nil {
		return nil, err
	}
	w.batch, w.states = *b, w.states[:0]
	for at := 0; at < len(b.States); at += w.words {
		w.representative(b.States[at : at+w.words])
	}
	w.batch.States = w.states
	return &w.batch, nil
}

// Check is Expand without successors, where the program has that.
func (w *symmetricWorker) Check(states []uint64) (*compile.Batch, error) {
	return Check(w.Worker, states)
}
