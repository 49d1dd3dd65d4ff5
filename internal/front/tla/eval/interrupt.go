package eval

import (
	"context"
	"errors"
)

// ErrInterrupted says that the context of a machine ended while it computed.
var ErrInterrupted = errors.New("the computation was interrupted")

// interruption ends a computation whose context is over. It is no value.Error: nothing may take it
// for an expression that has no value.
type interruption struct{}

// interrupts is how a machine learns that nobody waits for it any more.
type interrupts struct {
	done  <-chan struct{} // nil for a machine that nothing interrupts
	turns uint            // of loops and calls
	over  bool
}

// betweenLooks is after how many turns of loops, and calls, a machine looks whether it is to end.
const betweenLooks = 1 << 8

// Within makes a machine end what it computes when a context is over. It computes nothing from
// then on, since what it remembers may be half made.
func (i *interrupts) Within(ctx context.Context) { i.done = ctx.Done() }

// turn counts a turn of a loop, or a call. It ends the computation if the context is over.
func (i *interrupts) turn() {
	if i.turns++; i.turns%betweenLooks == 0 {
		i.look()
	}
}

func (i *interrupts) look() {
	select {
	case <-i.done:
		i.over = true
		panic(interruption{})
	default:
	}
}
