package system

import (
	"context"

	"erelong.dev/erelong/internal/diag"
)

// Computed is what the front end of a system computes itself, since no term can say it: the values
// of its language are numbers in a table of values seen, so equal values have equal numbers. Its
// mutable symbols have the sort of such values, no arguments, and no other symbol is mutable. A
// state is their values in the order of the system's symbols.
//
// It is safe for concurrent use.
type Computed interface {
	// Computer is for one goroutine. It remembers what it computed.
	Computer() Computer
	// Plain is a Computer that remembers nothing. It is the oracle of the others.
	Plain() Computer
	// Show is a value in the file's language.
	Show(value int64) string
}

// Computer computes states. The slices that it yields are valid during the call. An error of
// evaluation is a *ComputedError.
type Computer interface {
	// Initial yields the initial states, possibly one more than once.
	Initial(ctx context.Context, yield func(state []int64) error) error
	// Steps yields the steps from a state, in the order of the system's actions, with the values of
	// the action's parameters. It may yield a step more than once.
	Steps(ctx context.Context, state []int64,
		yield func(action int, args, next []int64) error) error
	// Holds is the truth of a predicate of states, or of steps; next is nil for a predicate of
	// states.
	Holds(predicate int, state, next []int64) (bool, error)
}

// ComputedError says that an expression has no value.
type ComputedError struct {
	Span    diag.Span
	Message string
}

func (e *ComputedError) Error() string { return e.Message }
