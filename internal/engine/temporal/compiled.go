package temporal

import (
	"context"
	"errors"
	"fmt"
	"math"
	mathbits "math/bits"
	"runtime"
	"slices"
	"sync"
	"sync/atomic"

	"erelong.dev/erelong/internal/compile"
	"erelong.dev/erelong/internal/engine/explicit/store"
	"erelong.dev/erelong/internal/interp"
	"erelong.dev/erelong/internal/logic"
	"erelong.dev/erelong/internal/system"
)

// exploreCompiled is the explorer that runs a compiled program; for what cannot be compiled it runs
// the interpreter.
func exploreCompiled(ctx context.Context, m *interp.Model, l limits) (*graph, error) {
	forced := map[int]compile.Interval{}
	for {
		g, err := exploreWith(ctx, m, l, forced)
		var width *compile.WidthError
		if !errors.As(err, &width) {
			return g, err
		}
		// A value did not fit into a packed state: start again with more bits.
		wider := forced[width.Slot].Widened(width.Value)
		if wider == forced[width.Slot] {
			return nil, fmt.Errorf("internal error: %w, although it was given 64 bits", err)
		}
		forced[width.Slot] = wider
	}
}

// errInterpret says that a system is to be interpreted.
var errInterpret = errors.New("not compiled")

func exploreWith(
	ctx context.Context, m *interp.Model, l limits, forced map[int]compile.Interval,
) (_ *graph, err error) {
	s := &search{graph: newGraph(m), limits: l}
	s.predicates.set(l.predicates)
	err = s.compile(ctx, forced)
	if errors.Is(err, errInterpret) {
		return interpret(ctx, m, l)
	}
	if err != nil {
		return nil, err
	}
	defer func() { err = errors.Join(err, s.release()) }()
	err = s.run(ctx)
	var action *interp.ActionError
	var term *interp.EvalError
	switch {
	case err == nil:
	case ctx.Err() != nil:
		return nil, ctx.Err()
	case errors.Is(err, errMemory):
		s.stopped = fmt.Sprintf("stopped after %d states: %v for more", s.count(), err)
	case errors.Is(err, store.ErrLimit):
		s.stopped = fmt.Sprintf("stopped at the limit of %d states%s", s.count(), l.statesNote)
	case errors.As(err, &action), errors.As(err, &term):
		s.failed = err
	default:
		return nil, err
	}
	s.packed.store.Seal()
	s.close()
	return s.graph, s.evaluateRest()
}

// packed are states in a store.
type packed struct {
	store   *store.Store
	program compile.Program
	initial int
}

func (p *packed) count() int { return p.store.Len() }

func (p *packed) state(n uint32) interp.State {
	key, _ := p.store.Keys(int(n), int(n)+1, new([]uint64)) // all are in memory
	return p.program.Unpack(key)
}

func (p *packed) parentOf(n uint32) uint32 {
	if int(n) < p.initial {
		return n
	}
	parent, _ := p.store.Parent(int(n))
	return uint32(parent)
}

func (p *packed) stateBytes() int64 { return p.store.Bytes() }

// search is a breadth-first exploration. A level is expanded in rounds. In a round, tasks expand
// sequences of states, then the shards of the store look up the successors, both in parallel; then
// the edges are packed in the order of the states. So the graph is that of a sequential search.
type search struct {
	*graph
	limits  limits
	packed  *packed
	workers []compile.Worker
	tasks   []*task
	ranges  []*system.Property // the first claims of the program; the predicates follow

	next      int           // the next state to expand
	branching float64       // estimated successors of a state
	marks     []actionMarks // for each action
	outside   string        // a range property that some state violates
	steps     taken         // of the current state: by label
	edged     taken         // by mark
}

// actionMarks are the marks of an action, by the index of the values of its parameters in the
// lexicographic list of all; nil for an action without fairness.
type actionMarks struct {
	marks  []uint32
	values [][]int64 // of each parameter
}

// task is a sequence of states to expand, with the results.
type task struct {
	from, to int
	store.Candidates
	ends   []uint32 // for each state, the candidates up to and including its successors
	labels []uint32 // of the candidates: the action, and the index of its parameters
	truth  []uint64 // of each state: the false claims
	errs   []claimError
	failed error // why an action could not be evaluated in the last state
	buf    []uint64
}

type claimError struct {
	claim, state int
	err          error
}

// compile makes the program; the error is errInterpret if there is none.
func (s *search) compile(ctx context.Context, forced map[int]compile.Interval) error {
	m := s.model
	var claims []*logic.Term
	for _, p := range m.System.Properties {
		if p.Kind == system.Range {
			s.ranges = append(s.ranges, p)
			claims = append(claims, p.Term)
		}
	}
	for _, a := range m.System.Actions {
		marks, ok := s.marksOf(a)
		if !ok {
			return errInterpret
		}
		s.marks = append(s.marks, marks)
	}
	opts := compile.Options{Intervals: forced, Bindings: true}
	p, err := compile.Compile(ctx, m, append(slices.Clone(claims), s.predicates.terms...), opts)
	if errors.Is(err, compile.ErrUnsupported) && len(s.predicates.terms) > 0 {
		s.predicates.set(nil)
		p, err = compile.Compile(ctx, m, claims, opts)
	}
	var action *interp.ActionError
	var term *interp.EvalError
	switch {
	case errors.Is(err, compile.ErrUnsupported), errors.As(err, &action), errors.As(err, &term),
		err != nil && ctx.Err() != nil:
		return errInterpret // it meets the error again
	case err != nil:
		return err
	}
	s.packed = &packed{store: store.NewNumbered(p.Words()), program: p}
	s.states = s.packed
	s.branching = 4
	if s.limits.threads <= 0 {
		s.limits.threads = runtime.GOMAXPROCS(0)
	}
	for range s.limits.threads {
		w, err := p.Worker()
		if err != nil {
			return errors.Join(err, s.release())
		}
		s.workers = append(s.workers, w)
	}
	return nil
}

func (s *search) release() error {
	var err error
	for _, w := range s.workers {
		err = errors.Join(err, w.Close())
	}
	s.workers, s.tasks = nil, nil
	return errors.Join(err, s.packed.program.Close())
}

// mostBindings bounds the values of the parameters of an action: a program has no larger index.
const mostBindings = math.MaxUint16 + 1

// marksOf prepares the marks of an action. It returns false when the instance does not fix the
// values of its parameters.
func (s *search) marksOf(a *system.Action) (out actionMarks, ok bool) {
	count := 1
	for _, p := range a.Params {
		literals, err := s.model.Literals(p.Sort, p.Name)
		if err != nil {
			return out, false
		}
		values := make([]int64, len(literals))
		for i, t := range literals {
			if values[i], err = s.model.Eval(t); err != nil {
				return out, false
			}
		}
		out.values = append(out.values, values)
		if count *= len(values); count > mostBindings {
			return out, false
		}
	}
	if a.Fairness != system.Unfair {
		out.marks = make([]uint32, count)
	}
	return out, true
}

// mark is the mark of an action with parameters that have an index.
func (s *search) mark(action, index int) uint32 {
	am := &s.marks[action]
	if am.marks == nil {
		return unfair
	}
	if am.marks[index] == 0 {
		a := s.model.System.Actions[action]
		args := make([]interp.Arg, len(a.Params))
		for k, rest := len(args)-1, index; k >= 0; k-- {
			n := len(am.values[k])
			args[k] = interp.Arg{Var: a.Params[k], Value: am.values[k][rest%n]}
			rest /= n
		}
		am.marks[index] = uint32(len(s.labels))
		s.labels = append(s.labels, label{a, args})
	}
	return am.marks[index]
}

// index is the index of the parameters of an action.
func (s *search) index(action int, args []interp.Arg) uint32 {
	index := 0
	for k, values := range s.marks[action].values {
		at, _ := slices.BinarySearch(values, args[k].Value)
		index = index*len(values) + at
	}
	return uint32(index)
}

const taskSize = 512 // states of a task

// run explores. The error says why it ended early.
func (s *search) run(ctx context.Context) error {
	if err := s.start(ctx); err != nil {
		return err
	}
	for level := 0; s.next < s.count(); {
		level = s.count()
		s.graph.depth++
		if s.limits.depth > 0 && s.graph.depth >= s.limits.depth {
			s.stopped, s.cut = atDepth(&s.limits), uint32(s.next)
			return nil
		}
		for s.next < level {
			if s.limits.tell != nil {
				s.limits.tell(int64(s.count()), s.graph.depth)
			}
			if err := s.round(ctx, level); err != nil {
				s.cut = uint32(s.next)
				return err
			}
			if s.full() {
				s.cut = uint32(s.next)
				return errMemory
			}
		}
	}
	if s.outside != "" {
		s.stopped = outside(s.outside)
	}
	return nil
}

// full reports whether the memory is used up, or would be with a small product. Half of it is left
// for garbage.
func (s *search) full() bool {
	used := s.graphBytes()
	return s.limits.memory > 0 &&
		(used > s.limits.memory/2 ||
			used+int64(s.count())*searchBytes > forProduct(s.limits.memory))
}

// start finds the initial states.
func (s *search) start(ctx context.Context) error {
	t := &task{}
	t.Reset(s.packed.store)
	add := func() error {
		t.Partition()
		_, _, err := s.insert([]*task{t})
		t.Reset(s.packed.store)
		s.initial, s.packed.initial = s.count(), s.count()
		return err
	}
	err := s.model.Initial(ctx, func(state interp.State) error {
		key, err := s.packed.program.Pack(state)
		if err != nil {
			return err
		}
		t.Candidates.Add(key, store.Hash(key), 0)
		if t.Len() < taskSize {
			return ctx.Err()
		}
		if err := add(); err != nil {
			return err
		}
		if s.full() {
			return errMemory
		}
		return ctx.Err()
	})
	if err == nil || !errors.Is(err, store.ErrLimit) {
		if last := add(); err == nil {
			err = last
		}
	}
	if err != nil {
		s.cut = 0
	}
	return err
}

// cachedRound is the approximate number of words of successors in a round, for each thread: they
// stay in its cache.
const cachedRound = 1 << 15

// plan divides the next states, up to one, into tasks.
func (s *search) plan(upTo int) []*task {
	n := int(float64(cachedRound*len(s.workers)) / (s.branching +
		1) / float64(s.packed.program.Words()))
	if s.limits.states > 0 {
		n = min(n, int(s.limits.states)-s.count()+1)
	}
	end := min(upTo, s.next+max(n, 16))
	size := max(1, min(taskSize, (end-s.next+len(s.workers)-1)/len(s.workers)))
	var out []*task
	for from := s.next; from < end; from += size {
		if len(out) == len(s.tasks) {
			s.tasks = append(s.tasks, &task{})
		}
		t := s.tasks[len(out)]
		t.from, t.to = from, min(from+size, end)
		out = append(out, t)
	}
	return out
}

// worthwhile is the number of states from which on it pays to wake other threads.
const worthwhile = 2048

// each calls f for the numbers below n, in parallel if worth is set, with the number of a worker to
// use.
func (s *search) each(n int, worth bool, f func(worker, i int)) {
	if !worth || len(s.workers) == 1 || n == 1 {
		for i := range n {
			f(0, i)
		}
		return
	}
	var next atomic.Int64
	var wg sync.WaitGroup
	for w := range min(n, len(s.workers)) {
		wg.Go(func() {
			for i := int(next.Add(1)) - 1; i < n; i = int(next.Add(1)) - 1 {
				f(w, i)
			}
		})
	}
	wg.Wait()
}

func (s *search) insert(tasks []*task) (batch, ordinal int, err error) {
	round, found := make([]*store.Candidates, len(tasks)), 0
	for i, t := range tasks {
		round[i] = &t.Candidates
		found += t.Len()
	}
	return s.packed.store.Insert(round, int(s.limits.states), func(n int, f func(i int)) {
		s.each(n, found >= worthwhile, func(_, i int) { f(i) })
	})
}

// round expands some states of the level that ends before a state.
func (s *search) round(ctx context.Context, level int) error {
	tasks := s.plan(level)
	errs := make([]error, len(tasks))
	s.each(len(tasks), tasks[len(tasks)-1].to-s.next >= worthwhile, func(w, i int) {
		if errs[i] = s.expand(ctx, s.workers[w], tasks[i]); errs[i] == nil {
			tasks[i].Partition()
		}
	})
	for i, t := range tasks {
		if errs[i] != nil {
			return errs[i]
		}
		if t.failed != nil {
			tasks = tasks[:i+1]
			break
		}
	}
	batch, ordinal, limit := s.insert(tasks)
	if limit != nil && !errors.Is(limit, store.ErrLimit) {
		return limit
	}
	begin, found := s.next, 0
	for i, t := range tasks {
		upTo := t.from + len(t.ends)
		if limit != nil && i == batch {
			upTo = int(t.Parents[ordinal])
		}
		if t.failed != nil {
			upTo = min(upTo, t.from+len(t.ends)-1)
		}
		if err := s.commit(t, upTo); err != nil {
			return err
		}
		found += t.Len()
		switch {
		case limit != nil && i == batch:
			return limit
		case t.failed != nil:
			s.bad = uint32(s.next)
			return t.failed
		}
	}
	now := float64(found) / float64(s.next-begin)
	s.branching = max(now, (3*s.branching+now)/4)
	return nil
}

// expand runs a task.
func (s *search) expand(ctx context.Context, w compile.Worker, t *task) error {
	if err := ctx.Err(); err != nil {
		return err
	}
	t.Reset(s.packed.store)
	t.ends, t.labels, t.truth, t.errs, t.failed = t.ends[:0], t.labels[:0], t.truth[:0], t.errs[:0],
		nil
	states, err := s.packed.store.Keys(t.from, t.to, &t.buf)
	if err != nil {
		return err
	}
	b, err := w.Expand(states)
	if err != nil {
		return fmt.Errorf("expanding states: %w", err)
	}
	slices.Sort(b.Failed)
	failed := slices.Compact(b.Failed)
	words := s.packed.program.Words()
	t.truth = append(t.truth, b.Violated...)
	next := 0
	for i := range t.to - t.from {
		first := next
		for next < len(b.Source) && b.Source[next] == uint32(i) {
			next++
		}
		switch {
		case len(failed) > 0 && failed[0] == uint32(i):
			failed = failed[1:]
			if err := s.interpret(ctx, t, i, states[i*words:(i+1)*words]); err != nil {
				return err
			}
		case s.closed(t.truth[i*s.claimWords():]) != nil:
		default:
			for k := first; k < next; k++ {
				state := b.States[k*words : (k+1)*words]
				t.Candidates.Add(state, store.Hash(state), uint32(t.from+i))
				t.labels = append(t.labels, uint32(b.Action[k])<<16|uint32(b.Binding[k]))
			}
		}
		t.ends = append(t.ends, uint32(t.Len()))
		if t.failed != nil {
			return nil
		}
	}
	if next != len(b.Source) || len(failed) > 0 {
		return errors.New("internal error: the successors of a batch are out of order")
	}
	return nil
}

func (s *search) claimWords() int { return (len(s.ranges) + len(s.predicates.terms) + 63) / 64 }

// closed is a range property that is false in a state, nil if there is none.
func (s *search) closed(truth []uint64) *system.Property {
	for k := len(s.ranges) - 1; k >= 0; k-- {
		if truth[k/64]>>(k%64)&1 != 0 {
			return s.ranges[k]
		}
	}
	return nil
}

// judge evaluates the claims in a state with the interpreter.
func (s *search) judge(t *task, number int, state interp.State, truth []uint64) {
	claim := func(k int, term *logic.Term) {
		holds, err := s.model.Holds(term, state)
		switch {
		case err != nil && k >= len(s.ranges):
			t.errs = append(t.errs, claimError{k - len(s.ranges), number, err})
		case err == nil && !holds:
			truth[k/64] |= 1 << (k % 64)
		}
	}
	for k, p := range s.ranges {
		claim(k, p.Term)
	}
	before := len(t.errs)
	for k, term := range s.predicates.terms {
		claim(len(s.ranges)+k, term)
	}
	if s.closed(truth) != nil {
		t.errs = t.errs[:before]
	}
}

// interpret expands a state with the interpreter, which can name errors.
func (s *search) interpret(ctx context.Context, t *task, i int, key []uint64) error {
	state := s.packed.program.Unpack(key)
	truth := t.truth[i*s.claimWords() : (i+1)*s.claimWords()]
	clear(truth)
	s.judge(t, t.from+i, state, truth)
	if s.closed(truth) != nil {
		return nil
	}
	for k, a := range s.model.System.Actions {
		err := s.model.Steps(ctx, state, a, func(step interp.Step) error {
			key, err := s.packed.program.Pack(step.State)
			if err != nil {
				return err
			}
			t.Candidates.Add(key, store.Hash(key), uint32(t.from+i))
			t.labels = append(t.labels, uint32(k)<<16|s.index(k, step.Args))
			return nil
		})
		var action *interp.ActionError
		switch {
		case err == nil:
		case ctx.Err() != nil:
			return ctx.Err()
		case errors.As(err, &action):
			t.failed = err
			return nil
		default:
			return err
		}
	}
	return nil
}

// commit adds the edges of the states of a task up to one, and the truth of the predicates in them.
func (s *search) commit(t *task, upTo int) error {
	first := uint32(0)
	for i := range upTo - t.from {
		n, last := uint32(t.from+i), t.ends[i]
		truth := t.truth[i*s.claimWords():][:s.claimWords()]
		s.note(n, truth)
		s.begin()
		s.next++
		if p := s.closed(truth); p != nil {
			s.open, s.outside = s.open.with(n), p.Name
			continue
		}
		if first == last && !s.add(n, repetition) {
			return errEdges
		}
		s.steps.clear()
		s.edged.clear()
		for ; first < last; first++ {
			to, l := t.Number(int(first)), t.labels[first]
			if !s.steps.add(l, to) { // already, with other choices
				continue
			}
			s.graph.steps++
			action := int(l >> 16)
			s.enabled[action] = true
			mark := s.mark(action, int(l&math.MaxUint16))
			if s.edged.add(mark, to) && !s.add(to, mark) {
				return errEdges
			}
		}
	}
	for _, e := range t.errs {
		if e.state < upTo && s.predicates.failed[e.claim] == nil {
			s.predicates.failed[e.claim] = &predicateError{uint32(e.state), e.err}
		}
	}
	return nil
}

// note records the truth of the predicates in a state.
func (s *search) note(n uint32, truth []uint64) {
	for w, v := range truth {
		for ; v != 0; v &= v - 1 {
			if k := w*64 + mathbits.TrailingZeros64(v) - len(s.ranges); k >= 0 {
				s.falses[k] = s.falses[k].with(n)
			}
		}
	}
}

// evaluateRest evaluates the predicates in the states that were not expanded.
func (s *search) evaluateRest() error {
	if len(s.predicates.terms) == 0 {
		return nil
	}
	checker, ok := s.workers[0].(interface {
		Check(states []uint64) (*compile.Batch, error)
	})
	if !ok {
		return errors.New("internal error: the program cannot evaluate predicates alone")
	}
	words := s.packed.program.Words()
	t := &task{}
	for from := s.next; from < s.count(); from += taskSize {
		to := min(from+taskSize, s.count())
		states, err := s.packed.store.Keys(from, to, &t.buf)
		if err != nil {
			return err
		}
		b, err := checker.Check(states)
		if err != nil {
			return fmt.Errorf("evaluating predicates: %w", err)
		}
		for _, i := range b.Failed {
			truth := b.Violated[int(i)*s.claimWords():][:s.claimWords()]
			s.judge(t, from+int(i), s.packed.program.Unpack(states[int(i)*words:][:words]), truth)
		}
		for i := range to - from {
			s.note(uint32(from+i), b.Violated[i*s.claimWords():][:s.claimWords()])
		}
	}
	return nil
}
