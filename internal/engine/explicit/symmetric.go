package explicit

import (
	"sync"

	"erelong/internal/compile"
	"erelong/internal/interp"
	"erelong/internal/symmetry"
)

// symmetric is a program whose states are representatives of orbits: Pack and the workers give for each state the packed
// form of its representative. A run is rebuilt with real states, since Pack tells which of them a representative stands for.
type symmetric struct {
	compile.Program
	model   *interp.Model
	mu      sync.Mutex
	reducer *symmetry.Reducer // for Pack
}

func newSymmetric(m *interp.Model, p compile.Program) (*symmetric, error) {
	r, err := symmetry.New(m)
	if err != nil {
		return nil, err
	}
	return &symmetric{Program: p, model: m, reducer: r}, nil
}

// Pack packs the representative.
func (p *symmetric) Pack(s interp.State) ([]uint64, error) {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.Program.Pack(p.reducer.Canonical(s))
}

// Worker makes a worker that gives representatives.
func (p *symmetric) Worker() (compile.Worker, error) {
	w, err := p.Program.Worker()
	if err != nil {
		return nil, err
	}
	r, err := symmetry.New(p.model)
	if err != nil {
		return nil, err
	}
	return &symmetricWorker{Worker: w, program: p.Program, reducer: r}, nil
}

type symmetricWorker struct {
	compile.Worker
	program compile.Program
	reducer *symmetry.Reducer
	batch   compile.Batch
	states  []uint64
}

// Expand replaces each successor by its representative.
func (w *symmetricWorker) Expand(states []uint64) (*compile.Batch, error) {
	b, err := w.Worker.Expand(states)
	if err != nil {
		return nil, err
	}
	w.batch, w.states = *b, w.states[:0]
	words := w.program.Words()
	for at := 0; at < len(b.States); at += words {
		packed, err := w.program.Pack(w.reducer.Canonical(w.program.Unpack(b.States[at : at+words])))
		if err != nil {
			return nil, err
		}
		w.states = append(w.states, packed...)
	}
	w.batch.States = w.states
	return &w.batch, nil
}
