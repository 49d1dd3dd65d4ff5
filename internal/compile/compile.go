// Package compile turns a finite instance into a program that computes successors of packed states.
//
// In: a model of package interp, which fixes the instance. Out: a Program, whose workers expand
// batches of states in linear memory, in WebAssembly run by wazero's compiler. The interpreter
// stays the oracle: a program gives exactly its successors. Workers compare some states with it.
package compile

import (
	"errors"
	"fmt"

	"erelong.dev/erelong/internal/interp"
)

// Program computes successors of packed states. A packed state is Words unsigned 64-bit words;
// equal states have equal words. It is safe for concurrent use; its workers are not.
type Program interface {
	Words() int
	Bits() int // that carry information, in a packed state
	// Pack and Unpack convert from and to states of the interpreter. Pack fails with a *WidthError
	// when a value does not fit into its bits.
	Pack(interp.State) ([]uint64, error)
	Unpack([]uint64) interp.State
	// Worker makes an instance with a memory of its own.
	Worker() (Worker, error)
	Close() error
}

// Worker expands states.
type Worker interface {
	// Expand computes the successors of all given states, which are packed one after the other. The
	// batch is valid until the next call.
	Expand(states []uint64) (*Batch, error)
	Close() error
}

// Batch holds the successors in the order of the sources, then of actions, parameters and choices.
// It may hold a successor more than once.
type Batch struct {
	States []uint64 // successors, packed one after the other
	Source []uint32 // for each successor, the index of its source
	Action []uint16 // for each successor, the index of the action in the system
	// Binding gives, for each successor, the values of the action's parameters: their index in the
	// lexicographic list of all. It is set if it was asked for.
	Binding []uint16
	// Violated holds the false claims of each source, Claims words for each: bit i%64 of word i/64
	// stands for claim i of the program.
	Violated []uint64
	// Failed lists, by index, the sources whose expansion had an evaluation error, such as an
	// overflow or an argument outside its range. Their successors may be incomplete: the
	// interpreter finds the error.
	Failed []uint32
	// LeftOut lists the sources with successors outside of a boundary, which are not in States; and
	// Generated counts the successors, with these and with repetitions. Only programs of computed
	// systems have them.
	LeftOut   []LeftOut
	Generated int64
}

// LeftOut is about the successors of a source that are left out. Violated has the claims that are
// false in one of them.
type LeftOut struct {
	Source   uint32
	Violated []uint64
}

// WidthError says that a value does not fit into the bits of its slot. The search starts again with
// a wider slot.
type WidthError struct {
	Slot  int
	Value int64
}

func (e *WidthError) Error() string {
	return fmt.Sprintf("the value %d does not fit into slot %d of a packed state", e.Value, e.Slot)
}

// ErrUnsupported says that a system or property cannot be compiled; the interpreter can still run
// it.
var ErrUnsupported = errors.New("not compiled")
