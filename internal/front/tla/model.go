package tla

import (
	"cmp"
	"context"
	"errors"
	"sync"

	"erelong.dev/erelong/internal/front/tla/core"
	"erelong.dev/erelong/internal/front/tla/eval"
	"erelong.dev/erelong/internal/logic"
	"erelong.dev/erelong/internal/result"
	"erelong.dev/erelong/internal/system"
	"erelong.dev/erelong/internal/value"
)

// model computes the states of a TLA+ model. Its values are numbers in the program's space.
type model struct {
	program *eval.Program
	tests   []eval.Test // the predicates, by their numbers
	// The ones that are about states, nil for the others, and whether they bound the exploration.
	claims  []*eval.Claim
	settled []eval.Settled // of the ones that are about steps, nil for the others
	bounds  map[int]bool
	nodes   []core.Node // that the predicates are made of
	after   []eval.Test // the postconditions
	perms   []*value.Value
	views   *views // nil without a VIEW
	atoms   *atoms
	packs   *packs
	forms   map[*logic.Sort]Form // of the sorts whose values are not shown as in TLA+
	what    string               // what a file of the language is called
	// The reading ended before the assumptions were evaluated, so nothing may be said of the model.
	unassumed bool
}

// Bound says where choices took some elements only.
func (m *model) Bound() string { return m.program.Narrowed() }

// atoms are the constants that are sets of model values.
type atoms struct {
	once     sync.Once
	owner    map[string]string // by the model values
	universe []result.Universe
}

// packs is how states are packed: see eval.Forms.
type packs struct {
	once  sync.Once
	known *eval.Forms
}

func newModel(p *eval.Program) *model {
	m := &model{program: p, atoms: &atoms{}, packs: &packs{}, what: "a TLA+ model",
		forms: map[*logic.Sort]Form{}, bounds: map[int]bool{}}
	if s := p.Model.Symmetry; s != nil {
		m.perms = group(s.Listed())
	}
	if p.View != nil {
		m.views = &views{}
	}
	return m
}

func (m *model) Language() string { return m.what }

func (m *model) Computer(ctx context.Context) system.Computer { return m.computer(ctx) }

func (m *model) computer(ctx context.Context) *computer {
	c := &computer{model: m, ctx: ctx, machine: m.program.Machine(), other: m.program.Machine(),
		maker: newMaker(m)}
	c.within(ctx)
	return c
}

func (m *model) Plain() system.Computer {
	c := m.computer(context.Background())
	c.machine.Forget()
	c.other.Forget()
	c.maker, c.plain = nil, true
	return c
}

// computer is a system.Computer for one goroutine.
type computer struct {
	*model
	ctx     context.Context // of what is asked without one
	machine *eval.Machine
	other   *eval.Machine // for formulas of states while machine runs an action
	maker   *maker        // nil where all states are themselves
	state   known         // of a formula, and the next one
	after   known
	plain   bool           // nothing is remembered
	busy    bool           // machine runs an action
	moved   []*value.Value // of Stand
	stood   []int64        // what Stand gives
	viewed  []*value.Value // what the view is made of
}

// known are the numbers of a state, and its values.
type known struct {
	numbers []int64
	values  []*value.Value
}

// valuesOf are the values of a state. The ones that it has in common with the state before are
// known.
func (c *computer) valuesOf(state []int64, k *known) []*value.Value {
	if len(k.numbers) != len(state) {
		k.numbers = append(k.numbers[:0], state...)
		return c.values(state, &k.values)
	}
	for i, n := range state {
		if n != k.numbers[i] {
			k.numbers[i], k.values[i] = n, c.program.Space.Of(uint32(n))
		}
	}
	return k.values
}

// values are the values of a state, in a slice that is there already.
func (c *computer) values(state []int64, out *[]*value.Value) []*value.Value {
	*out = (*out)[:0]
	for _, v := range state {
		*out = append(*out, c.program.Space.Of(uint32(v)))
	}
	return *out
}

// errUnassumed is the error of all that is asked of a model whose assumptions were not evaluated.
var errUnassumed = errors.New("the reading ended before the assumptions were evaluated")

// begin makes what is asked end with a context.
func (c *computer) begin(ctx context.Context) error {
	if err := ctx.Err(); err != nil {
		return err
	}
	if c.unassumed {
		return errUnassumed
	}
	c.within(ctx)
	return nil
}

func (c *computer) within(ctx context.Context) {
	c.machine.Within(ctx)
	c.other.Within(ctx)
}

func (c *computer) Initial(ctx context.Context, yield func(state []int64) error) error {
	if err := c.begin(ctx); err != nil {
		return err
	}
	defer c.within(c.ctx)
	var failed error
	err := c.machine.Initial(func() bool {
		if failed = ctx.Err(); failed == nil {
			failed = yield(c.machine.After())
		}
		return failed != nil
	})
	return firstError(ctx, failed, err)
}

func (c *computer) Steps(
	ctx context.Context, state []int64, yield func(action int, args, next []int64) error,
) error {
	if err := c.begin(ctx); err != nil {
		return err
	}
	defer c.within(c.ctx)
	var failed error
	c.busy = true
	defer func() { c.busy = false }()
	err := c.machine.Steps(state, func(args, next []int64) bool {
		failed = yield(c.machine.Action(), args, next)
		return failed != nil
	})
	return firstError(ctx, failed, err)
}

// Stand gives the state that stands for a state: the representative of the ones that are alike. It
// may be asked while a step is yielded.
func (c *computer) Stand(state []int64) ([]int64, error) {
	if !c.represents() {
		return state, nil
	}
	vs, err := c.maker.represent(c.values(state, &c.moved), c.view)
	if err == nil {
		c.stood = c.stood[:0]
		for _, v := range vs { // they are interned
			id, _ := v.ID()
			c.stood = append(c.stood, int64(id))
		}
	}
	return c.stood, err
}

func (c *computer) represents() bool {
	return c.maker != nil && (len(c.perms) > 1 || c.views != nil)
}

// view gives the values of the parts of the view.
func (c *computer) view(vs []*value.Value) ([]*value.Value, error) {
	var err error
	c.viewed, err = c.other.Values(c.program.View, vs, c.viewed[:0])
	return c.viewed, firstError(c.ctx, nil, err)
}

func (c *computer) Holds(predicate int, state, next []int64) (bool, error) {
	if c.unassumed {
		return false, cmp.Or(c.ctx.Err(), errUnassumed)
	}
	if f := c.claims[predicate]; f != nil && next == nil && !c.plain {
		// What bounds the exploration is asked for in successors, the rest in the states from which
		// the steps are.
		m := c.machine
		if c.busy || c.bounds[predicate] {
			m = c.other
		}
		truth, err := f.Holds(m, state)
		return truth, firstError(c.ctx, nil, err)
	}
	before := c.valuesOf(state, &c.state)
	var after []*value.Value
	if next != nil {
		after = c.valuesOf(next, &c.after)
	}
	truth, err := c.other.Holds(c.tests[predicate], before, after)
	return truth, firstError(c.ctx, nil, err)
}

// Settled is what the variables that a step changes tell about a predicate of steps.
func (m *model) Settled(predicate int, moves []bool) (truth, known bool) {
	if f := m.settled[predicate]; f != nil && !m.unassumed {
		return f(moves)
	}
	return false, false
}

// Conclude is the truth of a postcondition, and what it prints.
func (m *model) Conclude(number int, e system.Explored) (truth bool, out []string, err error) {
	if m.unassumed {
		return false, nil, errUnassumed
	}
	if number == len(m.after) { // the assumptions, which were found to be true
		return true, nil, nil
	}
	machine := m.program.Machine()
	machine.Explored = &e
	machine.Printed = func(text string) { out = append(out, text) }
	truth, err = machine.Holds(m.after[number], nil, nil)
	return truth, out, firstError(context.Background(), nil, err)
}

// firstError is the error of a callback, or else the one of an evaluation within a context.
func firstError(ctx context.Context, failed, err error) error {
	switch {
	case failed != nil || err == nil:
		return failed
	case errors.Is(err, eval.ErrInterrupted):
		return cmp.Or(ctx.Err(), err)
	}
	if e := new(eval.Error); errors.As(err, &e) {
		return &system.ComputedError{Span: e.Span, Message: e.Message}
	}
	return err
}
