package program

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"sync"

	"erelong.dev/erelong/internal/compile"
	"erelong.dev/erelong/internal/interp"
	"erelong.dev/erelong/internal/logic"
	"erelong.dev/erelong/internal/system"
)

// Computed is a compile.Program for a system whose steps its front end computes. A packed state is
// the numbers of its values: see columns. Where several states are alike, it is the representative,
// so Pack maps each state to what the workers give. Formulas of steps, and of the boundary, are
// evaluated before a state gives way to its representative.
type Computed struct {
	ctx      context.Context // of the search
	sys      *system.System
	claims   []formula
	boundary []bound
	columns  *columns
	readers  sync.Pool                   // of *reader, for Pack and Unpack
	stand    func(state []int64) []int64 // for a representative; nil where each state is its own
	truths   *truths                     // of formulas of steps; nil where none are asked for
	form     system.Form                 // in which the front end packs states; nil for columns
	packers  sync.Pool
}

// bound is a formula of the boundary: of a state, or of the step to it.
type bound struct {
	formula
	ofStep bool
}

// NewComputed makes a program for a model and some claims.
func NewComputed(
	ctx context.Context, m *interp.Model, claims []*logic.Term, forced map[int]compile.Interval,
) (p *Computed, err error) {
	sys := m.System
	p = &Computed{ctx: ctx, sys: sys, columns: newColumns(len(m.SlotSymbols()), forced)}
	p.readers.New = func() any { return p.columns.reader() }
	if p.claims, err = formulasOf(sys, claims); err != nil {
		return nil, err
	}
	for _, b := range sys.Computed.Boundary {
		f, err := formulaOf(sys, b.Term)
		if err != nil {
			return nil, err
		}
		p.boundary = append(p.boundary, bound{f, sys.OfStep(b.Term)})
	}
	if r, ok := sys.Computed.Computed.(system.Representing); ok {
		p.stand = r.Representative
	}
	return p, nil
}

func (p *Computed) Bits() int {
	if p.form != nil {
		return 64 * p.form.Words()
	}
	return p.columns.width * len(p.columns.slots)
}

func (p *Computed) Words() int {
	if p.form != nil {
		return p.form.Words()
	}
	return p.columns.words()
}

func (p *Computed) Close() error { return nil }

var errValues = errors.New("a variable has more than 2^32 values, too many to tell states apart")

// Pack packs the representative of a state.
func (p *Computed) Pack(s interp.State) ([]uint64, error) {
	if n := len(p.columns.slots); len(s) != n {
		return nil, fmt.Errorf("a state of %d slots was given to a program for %d", len(s), n)
	}
	if p.form != nil {
		k := p.packers.Get().(system.Packer)
		defer p.packers.Put(k)
		return k.Pack(s, nil)
	}
	if p.stand != nil {
		s = p.stand(s)
	}
	r := p.readers.Get().(*reader)
	defer p.readers.Put(r)
	return r.appendPacked(nil, s)
}

// Unpack is the inverse of Pack.
func (p *Computed) Unpack(packed []uint64) interp.State {
	s := make(interp.State, len(p.columns.slots))
	if p.form != nil {
		k := p.packers.Get().(system.Packer)
		defer p.packers.Put(k)
		k.Unpack(packed, s)
		return s
	}
	r := p.readers.Get().(*reader)
	defer p.readers.Put(r)
	r.unpack(packed, s)
	return s
}

// Initial yields the initial states, each as often as the front end does, and whether they are
// within the boundary.
func (p *Computed) Initial(
	ctx context.Context, yield func(s interp.State, inside bool) error,
) error {
	w := &computedWorker{Computed: p, computer: p.sys.Computed.Computer(ctx)}
	err := p.sys.Computed.Computer(ctx).Initial(ctx, func(s []int64) error {
		if err := ctx.Err(); err != nil {
			return err
		}
		inside, err := w.within(nil, s)
		if err != nil {
			return err
		}
		return yield(slices.Clone(s), inside)
	})
	switch {
	case errors.Is(err, interp.ErrStop):
		return nil
	case isComputed(err):
		return fmt.Errorf("initial states: %w", interp.ComputedError(err))
	}
	return err
}

// Worker makes a worker with a computer of its own.
func (p *Computed) Worker() (compile.Worker, error) {
	computer := p.sys.Computed.Computer(p.ctx)
	var in *inPacked
	if p.form != nil {
		in = &inPacked{packed: p.form.Computer(p.ctx)}
		computer = in
	}
	w := &computedWorker{Computed: p, computer: computer, told: toldOf(p.sys, computer), in: in,
		reader: p.columns.reader(), state: make([]int64, len(p.columns.slots)),
		known: map[string]uint16{}, plans: map[uint64]*plan{}}
	if in != nil {
		in.found = w.foundPacked()
	}
	if p.stand != nil {
		w.standing = w.computer.(system.Standing)
	}
	return w, nil
}

// computedWorker expands states one by one.
type computedWorker struct {
	*Computed
	computer system.Computer
	told     *told           // the same, with what the steps tell
	standing system.Standing // nil where each state is its own
	in       *inPacked       // the same; nil where states are packed by columns
	reader   *reader
	batch    compile.Batch
	source   uint32            // the place of the state that is expanded
	state    []int64           // that is expanded
	packed   []uint64          // the same, packed
	actions  []int             // its successors, where they are looked at: the actions,
	next     []int64           // and the states one after the other
	steps    []uint64          // or packed
	known    map[string]uint16 // sets of truths that this worker met
	met      [mostMet]int32    // some successors of the state, by their hashes: places in the batch
	plans    map[uint64]*plan  // by the variables that steps change
	set      []byte
}

func (w *computedWorker) Close() error { return nil }

func (w *computedWorker) Expand(states []uint64) (*compile.Batch, error) {
	return w.run(states, true)
}

// Check is Expand without successors.
func (w *computedWorker) Check(states []uint64) (*compile.Batch, error) {
	return w.run(states, false)
}

func (w *computedWorker) run(states []uint64, steps bool) (*compile.Batch, error) {
	b := &w.batch
	b.States, b.Source, b.Action, b.Failed = b.States[:0], b.Source[:0], b.Action[:0], b.Failed[:0]
	b.LeftOut, b.Binding, b.Generated = b.LeftOut[:0], b.Binding[:0], 0
	words, claimWords := w.Words(), (len(w.claims)+63)/64
	n := len(states) / words
	b.Violated = slices.Grow(b.Violated[:0], n*claimWords)[:n*claimWords]
	clear(b.Violated)
	for i := range n {
		if err := w.ctx.Err(); err != nil {
			return nil, err
		}
		w.packed = states[i*words : (i+1)*words]
		if w.in != nil {
			w.in.state = w.packed
		} else {
			w.reader.unpack(w.packed, w.state)
		}
		found, left, generated := len(b.Source), len(b.LeftOut), b.Generated
		var err error
		if steps {
			err = w.expand(uint32(i))
		}
		if err == nil {
			err = w.judge(w.state, b.Violated[i*claimWords:(i+1)*claimWords])
		}
		w.told.steps = unknown
		switch {
		case err == nil:
		case w.ctx.Err() != nil:
			return nil, w.ctx.Err()
		case isComputed(err): // the interpreter says what it is about
			b.States, b.Source, b.Action = b.States[:found*words], b.Source[:found],
				b.Action[:found]
			b.LeftOut, b.Generated = b.LeftOut[:left], generated
			b.Binding = b.Binding[:min(found, len(b.Binding))]
			b.Failed = append(b.Failed, uint32(i))
		default:
			return nil, err
		}
	}
	return b, nil
}

// isComputed reports whether an error is one of the front end about what has no value.
func isComputed(err error) bool {
	var computed *system.ComputedError
	return errors.As(err, &computed)
}

// judge adds the claims that are false in a state.
func (w *computedWorker) judge(state []int64, violated []uint64) error {
	for i, c := range w.claims {
		holds, err := c(w.told, state, nil)
		if err != nil {
			return err
		}
		if !holds {
			violated[i/64] |= 1 << (i % 64)
		}
	}
	return nil
}

func (w *computedWorker) expand(source uint32) error {
	if w.in != nil {
		return w.expandPacked(source)
	}
	if len(w.boundary) == 0 && w.truths == nil {
		return w.computer.Steps(w.ctx, w.state, func(action int, _, next []int64) error {
			w.batch.Generated++
			return w.add(source, action, next)
		})
	}
	// The computer is not asked anything else while it yields.
	w.actions, w.next = w.actions[:0], w.next[:0]
	err := w.computer.Steps(w.ctx, w.state, func(action int, _, next []int64) error {
		w.actions, w.next = append(w.actions, action), append(w.next, next...)
		return nil
	})
	if err != nil {
		return err
	}
	w.batch.Generated += int64(len(w.actions))
	moves := stays
	for i, action := range w.actions {
		next := w.next[i*len(w.state) : (i+1)*len(w.state)]
		if err := w.look(source, action, next); err != nil {
			return err
		}
		if !slices.Equal(next, w.state) {
			moves = changes
		}
	}
	w.told.steps = moves
	if w.truths != nil && w.truths.stays(len(w.actions)) {
		return w.add(source, len(w.sys.Actions), w.state)
	}
	return nil
}

// look adds a successor, or judges it where it is outside of the boundary.
func (w *computedWorker) look(source uint32, action int, next []int64) error {
	inside, err := w.within(w.state, next)
	switch {
	case err != nil:
		return err
	case inside:
		return w.add(source, action, next)
	}
	return w.leaveOut(source, next)
}

// add adds a successor.
func (w *computedWorker) add(source uint32, action int, next []int64) (err error) {
	b, own := &w.batch, next
	if w.standing != nil {
		if next, err = w.standing.Stand(next); err != nil {
			return err
		}
	}
	b.Source, b.Action = append(b.Source, source), append(b.Action, uint16(action))
	b.States, err = w.reader.appendStep(b.States, w.packed, w.state, next)
	if err != nil || w.truths == nil {
		return err
	}
	n, err := w.truthOf(own)
	b.Binding = append(b.Binding, n)
	return err
}

// within reports whether a step stays within the boundary; from is nil for an initial state.
func (w *computedWorker) within(from, next []int64) (bool, error) {
	for _, f := range w.boundary {
		var holds bool
		var err error
		switch {
		case !f.ofStep:
			holds, err = f.formula(w.computer, next, nil)
		case from != nil:
			holds, err = f.formula(w.computer, from, next)
		default:
			continue
		}
		if err != nil || !holds {
			return false, err
		}
	}
	return true, nil
}

// leaveOut judges a state outside of the boundary.
func (w *computedWorker) leaveOut(source uint32, next []int64) error {
	b := &w.batch
	if k := len(b.LeftOut); k == 0 || b.LeftOut[k-1].Source != source {
		b.LeftOut = append(b.LeftOut, compile.LeftOut{Source: source,
			Violated: make([]uint64, (len(w.claims)+63)/64)})
	}
	return w.judge(next, b.LeftOut[len(b.LeftOut)-1].Violated)
}
