package infer

import (
	"context"
	"errors"
	"math/bits"
	"math/rand"
	"slices"

	"erelong.dev/erelong/internal/compile"
	"erelong.dev/erelong/internal/engine/bmc"
	"erelong.dev/erelong/internal/interp"
	"erelong.dev/erelong/internal/logic"
)

// world is an instance with reachable states. Formulas are evaluated in all of them at once: a
// column has a bit for each state.
type world struct {
	*structure
	states   []interp.State
	complete bool // these are all reachable states
	initial  []interp.State
	origins  map[string]arrival         // how each one was found first, by its key
	columns  map[columnKey]int32        // the numbers of columns, from 1 on
	list     [][]uint64                 // the columns by their numbers
	slots    map[int][]uint64           // columns of truth values in a state
	values   map[int]map[int64][]uint64 // columns of the values of a slot
}

// arrival says by which action a state was found, and from which other one; nil for a first one.
type arrival struct {
	from   interp.State
	action int
}

func newWorld(s *structure, states ...interp.State) *world {
	w := &world{structure: s, states: states,
		slots: map[int][]uint64{}, values: map[int]map[int64][]uint64{}}
	w.forget()
	return w
}

// forget takes the columns of formulas away. Views that were made before must not be used then.
func (w *world) forget() {
	w.columns, w.list = map[columnKey]int32{}, make([][]uint64, 1)
}

// Limits of an exploration.
const (
	maxInitial   = 5_000  // initial states examined
	someInitial  = 2_000  // and kept
	drawnInitial = 500    // drawn at random, if there are more
	exploreAll   = 8_000  // all states are found up to this number
	exploreWide  = 25_000 // and in a wide search for bounds
	walkers      = 64     // parallel walks, if there are more states
	walkSteps    = 40
)

// explore finds reachable states of an instance: all of them if they are few enough, otherwise many
// that differ in their signatures. The result depends on the seed only. It begins in the initial
// states whose elements are numbered in the given orders, if there are any. An error of the
// instance, such as an infinite sort, ends it. Without claims an exploration that is not complete
// is not worth more work.
func explore(
	ctx context.Context, s *structure, by orders, claims []*logic.Term, seed int64, most int,
) (*world, error) {
	rng := rand.New(rand.NewSource(seed))
	initial, err := s.initial(ctx, by, rng)
	if err != nil {
		return nil, err
	}
	return exploreFrom(ctx, s, start{initial: initial}, by, claims, rng, most)
}

// start is where an exploration begins.
type start struct {
	initial   []interp.State
	runs      [][]interp.State // from further initial states; a step that is impossible ends one
	uncounted []*logic.Symbol  // of signatures
}

// exploreFrom is explore from given states.
func exploreFrom(
	ctx context.Context, s *structure, from start, by orders, claims []*logic.Term, rng *rand.Rand,
	most int,
) (*world, error) {
	w := newWorld(s)
	if len(from.initial)+len(from.runs) == 0 {
		return w, nil
	}
	x, err := newExpander(ctx, s)
	if err != nil {
		return nil, err
	}
	defer x.close()
	w.initial, w.origins = from.initial, map[string]arrival{}
	add := func(st interp.State, came arrival) {
		key := s.model.Key(st)
		if _, seen := w.origins[key]; !seen {
			w.origins[key] = came
			w.states = append(w.states, st)
		}
	}
	for _, st := range from.initial {
		add(st, arrival{})
	}
	for _, run := range from.runs {
		if err := x.follow(ctx, run, add); err != nil {
			return nil, err
		}
	}
	w.complete = true
	for at := 0; at < len(w.states) && w.complete; {
		to := min(len(w.states), at+walkers)
		sources := w.states[at:to]
		err := x.expand(ctx, sources, func(source, action int, next successor) {
			add(next.get(), arrival{sources[source], action})
		})
		if err != nil {
			return nil, err
		}
		at, w.complete = to, len(w.states) <= most
	}
	if !w.complete && claims != nil {
		err = w.vary(ctx, x, newSignatures(s, by, claims, from.uncounted...), rng)
	}
	rng.Shuffle(len(w.states), func(i, j int) {
		w.states[i], w.states[j] = w.states[j], w.states[i]
	})
	return w, err
}

// follow adds the states of a run, up to a step that is impossible.
func (x *expander) follow(
	ctx context.Context, run []interp.State, add func(interp.State, arrival),
) error {
	add(run[0], arrival{})
	for i, st := range run[1:] {
		possible := false
		err := x.expand(ctx, run[i:i+1], func(_, action int, next successor) {
			if !possible && slices.Equal(next.get(), st) {
				possible = true
				add(st, arrival{run[i], action})
			}
		})
		if err != nil || !possible {
			return err
		}
	}
	return nil
}

// forward finds the states that are reachable from a state, the nearest first, up to a limit.
func forward(ctx context.Context, x *expander, from interp.State, most int) (*world, error) {
	w := newWorld(x.structure, from)
	seen := map[string]bool{x.model.Key(from): true}
	for at := 0; at < len(w.states) && len(w.states) < most; {
		to := min(len(w.states), at+walkers)
		err := x.expand(ctx, w.states[at:to], func(_, _ int, next successor) {
			if len(w.states) == most {
				return
			}
			if st := next.get(); !seen[x.model.Key(st)] {
				seen[x.model.Key(st)] = true
				w.states = append(w.states, st)
			}
		})
		if err != nil {
			return nil, err
		}
		at = to
	}
	return w, nil
}

// successors gives a random successor of each state, nil where there is none, and its action, which
// is chosen first, so that an action with many parameters is not more likely than others.
func (x *expander) successors(
	ctx context.Context, now []interp.State, rng *rand.Rand,
) ([]interp.State, []int, error) {
	chosen, by := make([]successor, len(now)), make([]int, len(now))
	order, ties, priority := make([]int, len(now)), make([]int, len(now)), make([][]int, len(now))
	for i := range priority {
		priority[i] = rng.Perm(len(x.model.System.Actions))
	}
	err := x.expand(ctx, now, func(source, action int, st successor) {
		x.seen++
		p := 1 + priority[source][action]
		switch {
		case p > order[source]:
			chosen[source], by[source], order[source], ties[source] = st, action, p, 1
		case p == order[source]:
			if ties[source]++; rng.Intn(ties[source]) == 0 {
				chosen[source] = st
			}
		}
	})
	next := make([]interp.State, len(now))
	for i, st := range chosen {
		if order[i] > 0 {
			next[i] = st.get()
		}
	}
	return next, by, err
}

// initial lists initial states, only ones with elements in the given orders if there are such. If
// they are too many, some are drawn at random.
func (s *structure) initial(
	ctx context.Context, by orders, rng *rand.Rand,
) ([]interp.State, error) {
	var kept, others []interp.State
	n, m := 0, 0
	pick := func(list *[]interp.State, n *int, st interp.State) {
		if *n++; len(*list) < someInitial {
			*list = append(*list, st)
		} else if i := rng.Intn(*n); i < len(*list) {
			(*list)[i] = st
		}
	}
	err := s.model.Initial(ctx, func(st interp.State) error {
		if (sample{s, st}).ascending(by) {
			pick(&kept, &n, st)
		} else {
			pick(&others, &m, st)
		}
		if n+m >= maxInitial {
			return interp.ErrStop
		}
		return nil
	})
	if err == nil && n+m >= maxInitial {
		// The first ones have the same values almost everywhere.
		start := bmc.Start{}
		if n > 0 {
			start.Values = s.valuesOf(by, kept[0])
		}
		// Not every system can be grounded: then the first ones have to do.
		if drawn, err := bmc.Initial(ctx, s.model, start, drawnInitial, rng); err == nil {
			return drawn, nil
		}
	}
	if len(kept) == 0 {
		kept = others
	}
	return kept, err
}

// expander computes successors, with a compiled program where there is one.
type expander struct {
	*structure
	program compile.Program
	worker  compile.Worker
	wider   map[int]compile.Interval
	seen    int // successors of random walks
}

func newExpander(ctx context.Context, s *structure) (*expander, error) {
	x := &expander{structure: s, wider: map[int]compile.Interval{}}
	return x, x.compile(ctx)
}

func (x *expander) compile(ctx context.Context) error {
	x.close()
	p, err := compile.Compile(ctx, x.model, nil, compile.Options{Intervals: x.wider})
	if err != nil {
		return ctx.Err() // the interpreter is used
	}
	x.program = p
	if x.worker, err = p.Worker(); err != nil {
		return errors.Join(err, p.Close())
	}
	return nil
}

func (x *expander) close() {
	if x.worker != nil {
		_ = x.worker.Close()
	}
	if x.program != nil {
		_ = x.program.Close()
	}
	x.program, x.worker = nil, nil
}

// successor is a state that may still be packed.
type successor struct {
	state   interp.State
	packed  []uint64
	program compile.Program
}

func (s successor) get() interp.State {
	if s.program != nil {
		return s.program.Unpack(s.packed)
	}
	return s.state
}

// expand calls f with the successors of states, each with the indices of its source and of its
// action. Steps without a value are left out. A successor is valid until the next call.
func (x *expander) expand(
	ctx context.Context, states []interp.State, f func(source, action int, next successor),
) error {
	if x.worker != nil {
		b, err := x.compiled(states)
		var width *compile.WidthError
		for errors.As(err, &width) {
			i := x.wider[width.Slot]
			x.wider[width.Slot] = compile.Interval{Lo: min(2*i.Lo, 2*width.Value, 0),
				Hi: max(2*i.Hi, 2*width.Value, 63)}
			if err := x.compile(ctx); err != nil {
				return err
			}
			if x.worker == nil {
				break
			}
			width = nil
			b, err = x.compiled(states)
		}
		if x.worker != nil {
			if err != nil {
				return err
			}
			words := x.program.Words()
			for i, source := range b.Source {
				f(int(source), int(b.Action[i]),
					successor{packed: b.States[i*words : (i+1)*words], program: x.program})
			}
			for _, source := range b.Failed {
				x.interpret(ctx, int(source), states[source], f)
			}
			return ctx.Err()
		}
	}
	for i, st := range states {
		x.interpret(ctx, i, st, f)
	}
	return ctx.Err()
}

// interpret is expand of one state, without a program. It ends early with the context.
func (x *expander) interpret(
	ctx context.Context, source int, st interp.State, f func(source, action int, next successor),
) {
	for k, a := range x.model.System.Actions {
		if ctx.Err() != nil {
			return
		}
		n := 0
		// Steps without a value are left out.
		_ = x.model.Steps(ctx, st, a, func(step interp.Step) error {
			f(source, k, successor{state: step.State})
			if n++; n >= 500 {
				return interp.ErrStop
			}
			return nil
		})
	}
}

func (x *expander) compiled(states []interp.State) (*compile.Batch, error) {
	var packed []uint64
	for _, st := range states {
		p, err := x.program.Pack(st)
		if err != nil {
			return nil, err
		}
		packed = append(packed, p...)
	}
	return x.worker.Expand(packed)
}

// column gives the states in which a formula is true. Nil means that it has no value in some state.
func (w *world) column(key columnKey, t *logic.Term, env []binding) []uint64 {
	return w.list[w.numbered(key, t, env)]
}

// numbered gives the number of the column of a formula.
func (w *world) numbered(key columnKey, t *logic.Term, env []binding) int32 {
	i, ok := w.columns[key]
	if !ok {
		var c []uint64
		hasValue(func() { c = w.truth(w.grounded(key, t, env)) })
		i = int32(len(w.list))
		w.columns[key], w.list = i, append(w.list, c)
	}
	return i
}

func (w *world) words() int { return (len(w.states) + 63) / 64 }

// full has a bit for every state.
func (w *world) full() []uint64 {
	c := make([]uint64, w.words())
	for i := range c {
		c[i] = ^uint64(0)
	}
	if n := len(w.states) % 64; n > 0 {
		c[len(c)-1] = 1<<n - 1
	}
	return c
}

// slot gives the column of a truth value. It must not be changed.
func (w *world) slot(slot int) []uint64 {
	c, ok := w.slots[slot]
	if !ok {
		c = make([]uint64, w.words())
		for i, st := range w.states {
			c[i/64] |= uint64(st[slot]&1) << (i % 64)
		}
		w.slots[slot] = c
	}
	return c
}

// value gives the states in which a slot has a value. It must not be changed.
func (w *world) value(slot int, v int64) []uint64 {
	known, ok := w.values[slot]
	if !ok {
		known = map[int64][]uint64{}
		for i, st := range w.states {
			c := known[st[slot]]
			if c == nil {
				c = make([]uint64, w.words())
				known[st[slot]] = c
			}
			c[i/64] |= 1 << (i % 64)
		}
		w.values[slot] = known
	}
	if c := known[v]; c != nil {
		return c
	}
	return make([]uint64, w.words())
}

func (w *world) not(c []uint64) []uint64 {
	out := w.full()
	for i := range out {
		out[i] &^= c[i]
	}
	return out
}

func and(c, with []uint64) {
	for i := range c {
		c[i] &= with[i]
	}
}

func or(c, with []uint64) {
	for i := range c {
		c[i] |= with[i]
	}
}

// first is the number of the first state of a column, -1 if there is none.
func first(c []uint64) int {
	for i, word := range c {
		if word != 0 {
			return 64*i + bits.TrailingZeros64(word)
		}
	}
	return -1
}

// count is the number of states in a column.
func count(c []uint64) (n int) {
	for _, word := range c {
		n += bits.OnesCount64(word)
	}
	return n
}
