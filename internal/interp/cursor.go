package interp

import (
	"context"
	"errors"
	"slices"

	"erelong.dev/erelong/internal/logic"
	"erelong.dev/erelong/internal/slab"
	"erelong.dev/erelong/internal/system"
)

// Cursor is a current state of a model, for following long runs of large states: a step costs what
// it reads and changes, and not what the state holds. Only one goroutine at a time may use it.
type Cursor struct {
	m *Model
	f *machine
	r run // of the code of an action; one at a time
	// yield gets what emitted finds.
	yield   func(Effect) error
	emitted func() error
	args    slab.Of[Arg]
	changes slab.Of[Change]
}

// Change is a change of a slot of a state.
type Change struct {
	Slot     int
	From, To int64
}

// Effect is a step as what it changes.
type Effect struct {
	Args    []Arg // the parameters, then the choices in the order in which they were made
	Changes []Change
}

// Cursor begins in a state.
func (m *Model) Cursor(s State) (*Cursor, error) {
	f := newMachine(m)
	f.budget = m.budget
	if err := f.load(s, s); err != nil {
		return nil, err
	}
	c := &Cursor{m: m, f: f}
	c.emitted = func() error {
		return c.yield(Effect{c.args.Copy(c.r.args...), c.written()})
	}
	return c, nil
}

// State copies the current state.
func (c *Cursor) State() State { return slices.Clone(c.f.val[:c.m.size]) }

// Do makes changes, in their order.
func (c *Cursor) Do(changes []Change) {
	for _, x := range changes {
		c.put(x.Slot, x.To)
	}
}

// Begins reports whether changes begin in the current state: each at the value that its slot has.
func (c *Cursor) Begins(changes []Change) bool {
	return !slices.ContainsFunc(changes, func(x Change) bool { return c.f.val[x.Slot] != x.From })
}

// Undo reverts changes, the last first.
func (c *Cursor) Undo(changes []Change) {
	for _, x := range slices.Backward(changes) {
		c.put(x.Slot, x.From)
	}
}

func (c *Cursor) put(slot int, v int64) {
	c.f.val[slot], c.f.val[c.m.size+slot] = v, v
	c.f.changes++ // values of lets are out of date
}

// Steps calls yield for every step of an action in the current state that a guide allows, like
// Model.GuidedSteps. The state must not change before it returns.
func (c *Cursor) Steps(
	ctx context.Context, a *system.Action, g Guide, yield func(Effect) error,
) error {
	if err := ctx.Err(); err != nil {
		return err
	}
	if err := runnable(a); err != nil {
		return err
	}
	f := c.f
	f.env, f.trail, f.base, f.err, f.nodes = f.env[:0], f.trail[:0], logic.Pre, nil, 0
	f.ctx, f.stopped = ctx, nil
	r := &c.r
	*r = run{machine: f, ctx: ctx, action: a, guide: g, args: r.args[:0], pending: r.pending[:0],
		stack: r.stack[:0], emitted: c.emitted}
	c.yield = yield
	if err := r.parameters(a.Params); err != nil && !errors.Is(err, ErrStop) {
		return err
	}
	return nil
}

// written lists what differs in state Post from state Pre, by slots.
func (c *Cursor) written() []Change {
	r := &c.r
	n, differ := r.m.size, 0
	for _, s := range r.trail {
		if slot := s.slot - n; slot >= 0 && slot < n && r.val[slot] != r.val[n+slot] {
			differ++
		}
	}
	out := c.changes.Room(differ)
	for _, s := range r.trail {
		if slot := s.slot - n; slot >= 0 && slot < n && r.val[slot] != r.val[n+slot] {
			out = append(out, Change{slot, r.val[slot], r.val[n+slot]})
		}
	}
	slices.SortFunc(out, func(a, b Change) int { return a.Slot - b.Slot })
	return slices.Compact(out)
}

// Tried is the number of values that were tried for variables and slots so far, a measure of the
// work.
func (c *Cursor) Tried() int { return c.f.ticks }

// Eval gives the value of a closed term in the current state.
func (c *Cursor) Eval(t *logic.Term) (int64, error) { return c.eval(t, c.m.budget) }

// EvalWithin is Eval for a term for which at most a number of values are to be tried: else the
// error is ErrWork.
func (c *Cursor) EvalWithin(t *logic.Term, most int) (int64, error) {
	return c.eval(t, &Budget{Left: max(most, 1)})
}

func (c *Cursor) eval(t *logic.Term, budget *Budget) (int64, error) {
	f := c.f
	f.budget = budget
	defer func() { f.budget = c.m.budget }()
	f.ctx, f.stopped = c.m.ctx, nil
	f.env, f.trail, f.base, f.err = f.env[:0], f.trail[:0], logic.Pre, nil
	return f.value(t, "the term has no value")
}
