package explicit

import (
	"sync/atomic"

	"erelong.dev/erelong/internal/compile"
	"erelong.dev/erelong/internal/engine/explore/program"
)

// halter is a program that cancels the search after a number of batches.
type halter struct {
	compile.Program
	left   atomic.Int64
	cancel func()
}

func (h *halter) Worker() (compile.Worker, error) {
	w, err := h.Program.Worker()
	return &haltingWorker{w, h}, err
}

type haltingWorker struct {
	compile.Worker
	halter *halter
}

func (w *haltingWorker) Expand(states []uint64) (*compile.Batch, error) {
	b, err := w.Worker.Expand(states)
	if w.halter.left.Add(-1) == 0 {
		w.halter.cancel()
	}
	return b, err
}

func (w *haltingWorker) Check(states []uint64) (*compile.Batch, error) {
	return program.Check(w.Worker, states)
}
