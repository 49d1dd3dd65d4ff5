package tla

import (
	"context"

	"erelong.dev/erelong/internal/front/tla/eval"
	"erelong.dev/erelong/internal/system"
	"erelong.dev/erelong/internal/value"
)

// form is a form of packed states of a model.
type form struct {
	*eval.Form
	model *model
}

// Form is a form for states that are like the first one; nil where there is none, or where actions
// do not take it apart.
func (m *model) Form(ctx context.Context) system.Form {
	if m.unassumed || m.perms != nil || m.views != nil {
		return nil
	}
	var first []*value.Value
	machine := m.program.Machine()
	machine.Within(ctx)
	err := machine.Initial(func() bool {
		for _, n := range machine.After() {
			first = append(first, m.program.Space.Of(uint32(n)))
		}
		return true
	})
	if err != nil || first == nil {
		return nil // which the exploration will find out, too
	}
	m.packs.once.Do(func() { m.packs.known = m.program.Forms() })
	f := m.program.Form(m.packs.known, first)
	if f == nil {
		return nil
	}
	return &form{f, m}
}

func (f *form) Packer() system.Packer { return f.Form.Packer() }

func (f *form) Computer(ctx context.Context) system.PackedComputer {
	c := &packedComputer{model: f.model, ctx: ctx, machine: f.model.program.Packed(f.Form),
		other: f.model.program.Packed(f.Form)}
	c.within(ctx)
	c.found = func(next []uint64) bool {
		c.failed = c.yield(c.machine.Action(), next)
		return c.failed != nil
	}
	return c
}

// packedComputer is a computer of packed states.
type packedComputer struct {
	*model
	ctx            context.Context
	machine, other eval.Packed // as of computer
	busy           bool
	// While the steps of a state are found: who is given them, and the error with which that ends.
	yield  func(action int, next []uint64) error
	failed error
	found  func(next []uint64) bool
}

func (c *packedComputer) within(ctx context.Context) {
	c.machine.Within(ctx)
	c.other.Within(ctx)
}

func (c *packedComputer) Steps(
	ctx context.Context, packed []uint64, yield func(action int, next []uint64) error,
) error {
	if err := ctx.Err(); err != nil {
		return err
	}
	c.within(ctx)
	defer c.within(c.ctx)
	c.busy = true
	defer func() { c.busy = false }()
	c.yield, c.failed = yield, nil
	err := c.machine.Steps(packed, c.found)
	return firstError(ctx, c.failed, err)
}

func (c *packedComputer) Holds(predicate int, packed []uint64) (bool, error) {
	m := c.machine
	if c.busy || c.bounds[predicate] {
		m = c.other
	}
	truth, err := c.claims[predicate].HoldsPacked(m, packed)
	return truth, firstError(c.ctx, nil, err)
}
