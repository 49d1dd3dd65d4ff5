package explicit

import (
	"sync/atomic"

	"erelong.dev/erelong/internal/compile"
)

// halter is a program that cancels the search after a number of batches.
type halter struct {
	*interpreted
	left   atomic.Int64
	cancel func()
}

func (h *halter) Worker() (compile.Worker, error) {
	w, err := h.interpreted.Worker()
	return &haltingWorker{w.(*interpretedWorker), h}, err
}

type haltingWorker struct {
	*interpretedWorker
	halter *halter
}

func (w *haltingWorker) Expand(states []uint64) (*compile.Batch, error) {
	b, err := w.interpretedWorker.Expand(states)
	if w.halter.left.Add(-1) == 0 {
		w.halter.cancel()
	}
	return b, err
}
