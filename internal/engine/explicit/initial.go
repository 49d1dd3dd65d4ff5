package explicit

import (
	"context"
	"errors"
	"fmt"

	"erelong.dev/erelong/internal/compile"
	"erelong.dev/erelong/internal/engine/explore/program"
)

// The interpreter finds the first initial states. Where there are many, a compiled program
// enumerates them again, in another order, and much faster.

// enumerator is a program that can enumerate initial states.
type enumerator interface {
	Initials(context.Context) (*compile.Initials, error)
}

// cubes are the initial states in parts.
type cubes struct{ *compile.Initials }

// cubesOf gives the initial states of a program, if it can enumerate them.
func cubesOf(ctx context.Context, p compile.Program) (c cubes, ok bool, err error) {
	e, ok := p.(enumerator)
	if !ok {
		return cubes{}, false, nil
	}
	initials, err := e.Initials(ctx)
	if errors.Is(err, compile.ErrUnsupported) {
		return cubes{}, false, nil
	}
	return cubes{initials}, err == nil, err
}

// callSize is the approximate number of states that a call tries.
const callSize = 1 << 17

// together is the number of parts that one call enumerates.
func (c cubes) together() int { return max(1, callSize/c.CubeSize) }

// calls is the number of calls that enumerate the initial states.
func (c cubes) calls() int { return (c.Cubes + c.together() - 1) / c.together() }

// call makes the i-th call.
func (c cubes) call(
	ctx context.Context, w compile.Worker, i int, buf *[]uint64,
) ([]uint64, error) {
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	parts, n := (*buf)[:0], c.together()
	for part := i * n; part < min((i+1)*n, c.Cubes); part++ {
		parts = c.AppendCube(parts, part)
	}
	*buf = parts
	batch, err := w.Expand(parts)
	switch {
	case err != nil:
		return nil, fmt.Errorf("enumerating initial states: %w", err)
	case len(batch.Failed) > 0:
		return nil, errUnfit
	}
	return batch.States, nil
}

// Where initial states are hard to find by trying, the interpreter is better, since it draws more
// conclusions. So the number of calls is at most patience, plus one for every perCall states found.
const patience, perCall = 1 << 16, 32

func worthwhileCall(i int, found int64) bool { return int64(i) <= patience+found/perCall }

// compiledInitial calls yield for the packed form of each initial state, or of its representative.
// It returns false where not all are enumerated, so that the interpreter must do it.
func (s *search) compiledInitial(
	ctx context.Context, yield func(packed []uint64) error,
) (done bool, err error) {
	inner, representative := program.Plain(s.Program)
	c, ok, err := cubesOf(ctx, inner)
	if !ok || err != nil {
		return false, err
	}
	defer func() { err = errors.Join(err, c.Close()) }()
	w, err := c.Worker()
	if err != nil {
		return false, fmt.Errorf("starting a worker: %w", err)
	}
	defer func() { err = errors.Join(err, w.Close()) }()
	var buf []uint64
	words, found := s.Program.Words(), int64(0)
	for i := range c.calls() {
		if !worthwhileCall(i, found) {
			return false, nil
		}
		states, err := c.call(ctx, w, i, &buf)
		if errors.Is(err, errUnfit) {
			return false, nil
		}
		for at := 0; at < len(states) && err == nil; at += words {
			found++
			err = yield(representative(states[at : at+words]))
		}
		if err != nil {
			return false, err
		}
	}
	return true, nil
}
