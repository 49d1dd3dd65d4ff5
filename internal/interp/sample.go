package interp

import (
	"context"
	"errors"
	"fmt"
	"math/rand"
	"slices"
)

// Sample gives an initial state for the numbers of a random source, and how many decisions it took.
// The state is nil where none was found within a number of decisions. Where there are many initial
// states, Initial lists neighbours one after the other, which differ in few values; samples differ
// in all.
func (m *Model) Sample(ctx context.Context, rng *rand.Rand, most int) (State, int, error) {
	f, err := m.machine()
	if err != nil {
		return nil, 0, err
	}
	defer m.release(f)
	if err := f.setInstance(); err != nil {
		return nil, 0, err
	}
	f.random, f.maxNodes = rng, most
	var found State
	err = f.solve(ctx, m.initial(true), f.unknown(0, m.size), func() error {
		found = slices.Clone(f.val[:m.size])
		return ErrStop
	})
	if err != nil && !errors.Is(err, ErrStop) {
		return nil, f.nodes, fmt.Errorf("initial states: %w", err)
	}
	return found, f.nodes, nil
}
