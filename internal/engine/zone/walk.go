package zone

import (
	"context"
	"math/rand/v2"
	"sync"

	"erelong.dev/erelong/internal/timed"
)

// Random walks through the zones find a state of a large network that many runs reach long before a
// search that goes through all zones (Kiviriga, Larsen, Nyman: Randomized reachability analysis in
// UPPAAL: fast error detection in timed systems). In: a network and a formula. Out: the steps of a
// run to a state in which it holds, if a walk has met one. No zone is remembered, and none is
// approximated, so nothing is said where no walk meets one.

const (
	walksFrom  = 1 << 8 // steps of a search of few clocks before the first walks
	shortWalk  = 1 << 6 // steps of a short walk; each other walk is longer
	longestLog = 6      // the longest walks have shortWalk << longestLog steps
)

// walker walks. It is deterministic.
type walker struct {
	*explorer
	target   *timed.Formula
	random   *rand.Rand
	walks    uint64
	looked   int64 // at this many steps, for the ones that were made
	from, to zone
	state    []int32
	steps    []guardedStep // that the data allow
	path     []guardedStep // of the walk
	memory   walked
	found    []guardedStep // a run to a state in which the target holds, nil for none
}

// walked is memory of a walk that the next one uses again.
type walked struct {
	possible slab[timed.Participant] // of the steps that may be next
	taken    slab[timed.Participant] // of the steps that were taken
}

// walkers are the walks beside a search; each may be nil for none.
type walkers struct {
	zones *walker
	exact *stroller
	due   int64 // steps of the search after which they walk again
}

func newWalkers(net *timed.Network, a *analysis, f *timed.Formula) walkers {
	w := walkers{exact: newStroller(net, a, f), due: walksFrom}
	if w.exact != nil { // steps with zones cost more, the more clocks there are
		w.due = max(walksFrom/w.exact.share(), 8)
	}
	if !net.Stops() {
		w.zones = newWalker(net, a, f)
	}
	return w
}

// meet looks at as many steps on walks as a search has made, each time that number has doubled, and
// reports whether a walk has met the target. To look at a step costs less than to make it, so walks
// cost less than the search. Together, both walkers walk at the same time; a run of exact values
// goes first, as it does otherwise.
func (w *walkers) meet(ctx context.Context, made int64, together bool) bool {
	if w.zones == nil && w.exact == nil || made < w.due {
		return false
	}
	w.due = 2 * made
	if !together || w.zones == nil || w.exact == nil {
		return w.exact.stroll(ctx, made) || w.zones.meets(ctx, made)
	}
	var beside sync.WaitGroup
	beside.Go(func() { w.exact.stroll(ctx, made) })
	w.zones.meets(ctx, made)
	beside.Wait()
	return w.met()
}

// run is the run of exact values that was found, nil for none.
func (w *walkers) run() *timed.Run {
	if w.exact == nil {
		return nil
	}
	return w.exact.found
}

func (w *walkers) met() bool { return w.run() != nil || w.zones.way() != nil }

// way is the run that was found.
func (w *walker) way() []guardedStep {
	if w == nil {
		return nil
	}
	return w.found
}

// meets walks some steps, and reports whether a walk has met the target.
func (w *walker) meets(ctx context.Context, made int64) bool {
	if w == nil {
		return false
	}
	w.found = w.walk(ctx, made)
	return w.found != nil
}

func newWalker(net *timed.Network, a *analysis, f *timed.Formula) *walker {
	n := len(net.Clocks)
	return &walker{explorer: newExplorer(net, a), target: f, random: rand.New(rand.NewPCG(1, 1)),
		from: zero(n), to: zero(n)}
}

// walk looks at some steps in all, on walks of different lengths, and gives the first run that it
// finds, nil for none.
func (w *walker) walk(ctx context.Context, budget int64) (found []guardedStep) {
	m := &w.explorer.steps.Memory
	for w.looked = 0; w.looked < budget && ctx.Err() == nil && m.Fault == nil; {
		w.walks++
		w.memory.taken.drop()
		length := int64(shortWalk) << min(trailing(w.walks), longestLog)
		path, ok := w.once(min(length, budget-w.looked))
		if ok {
			return path
		}
		w.looked++
	}
	return nil
}

// trailing is the number of zeros at the end: half of the walks are short, a quarter twice as long.
func trailing(n uint64) (out int) {
	for ; n&1 == 0; n >>= 1 {
		out++
	}
	return out
}

// once walks from the start, and reports whether it has met the target.
func (w *walker) once(length int64) (path []guardedStep, met bool) {
	copy(w.explorer.steps.Memory.Cells, w.net.Init)
	z, ok := w.start()
	if !ok {
		return nil, false
	}
	copy(w.from.m, z.m)
	w.path = w.path[:0]
	for {
		if w.explorer.steps.Memory.Fault != nil {
			return nil, false
		}
		if len(w.satisfying(w.target, []zone{w.from}, nil)) > 0 {
			return w.path, true
		}
		if length--; length < 0 || int64(len(w.path))*(w.a.largest+1) > limit/2 {
			return nil, false
		}
		step, ok := w.next()
		if !ok {
			return nil, false
		}
		w.path = append(w.path, step)
	}
}

// next makes a step that is possible, each of them equally likely.
func (w *walker) next() (taken guardedStep, ok bool) {
	w.state = w.explorer.steps.State(w.state)
	w.steps = w.steps[:0]
	w.memory.possible.drop()
	if w.table != nil {
		w.eachFrom(w.from, func(parts []timed.Participant, apart []limitOf) {
			free := whole(w.n)
			free.constrainAll(apart)
			w.steps = append(w.steps, guardedStep{parts: w.memory.possible.keep(parts), free: free})
		})
	} else {
		w.each(func(m guardedStep) {
			m.parts = w.memory.possible.keep(m.parts)
			w.steps = append(w.steps, m)
		})
	}
	w.looked += int64(len(w.steps))
	for n := len(w.steps); n > 0 && w.explorer.steps.Memory.Fault == nil; n-- {
		k := w.random.IntN(n)
		m := w.steps[k]
		w.steps[k] = w.steps[n-1]
		w.explorer.steps.Load(w.state)
		copy(w.to.m, w.from.m)
		if !w.to.constrainAll(w.guards(m.parts)) || !w.to.intersect(m.free) {
			continue
		}
		if s, ok := w.take(m.parts); ok && w.to.constrainAll(s.limits) {
			s.finish(w.to)
			w.from, w.to = w.to, w.from
			m.parts = w.memory.taken.keep(m.parts)
			return m, true
		}
	}
	return taken, false
}
