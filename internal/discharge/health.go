package discharge

import (
	"errors"
	"fmt"
	"sync"

	"erelong.dev/erelong/internal/smt"
)

// health records whether each solver has ever answered. A solver that only fails, because it is
// broken or is not a solver, is not asked about every obligation in turn: with the guard's minute
// for each this would look like a hang.
type health struct {
	mu      sync.Mutex
	drivers []driverHealth
	failed  func() // called when a solver fails; nil for none
}

type driverHealth struct {
	answered bool
	failures int
	last     error
}

// strikes is how often a solver that has never answered may fail.
const strikes = 3

func newHealth(drivers int, failed func()) *health {
	return &health{drivers: make([]driverHealth, drivers), failed: failed}
}

// check gives an error when the solver has been given up.
func (h *health) check(driver int) error {
	h.mu.Lock()
	defer h.mu.Unlock()
	if d := h.drivers[driver]; !d.answered && d.failures >= strikes {
		return fmt.Errorf("given up after %d failures without an answer; the last: %w", d.failures,
			d.last)
	}
	return nil
}

// book records the outcome of a query.
func (h *health) book(driver int, err error) {
	h.mu.Lock()
	defer h.mu.Unlock()
	d := &h.drivers[driver]
	switch {
	case err == nil:
		d.answered = true
	case errors.Is(err, smt.ErrDied), errors.Is(err, smt.ErrGuard):
		d.failures++
		d.last = err
		if h.failed != nil {
			h.failed()
		}
	}
}
