package zone

import (
	"encoding/binary"
	"runtime"
	"slices"
	"sync"
	"sync/atomic"
)

// With several threads the search remains the search of one thread: it takes nodes, and adds
// successors, in the same order, so it finds the same nodes and the same run. The successors of
// nodes that wait are computed ahead, by all threads, while nothing is added. Where a kept zone
// covers a successor then, it is left out: some kept zone will cover it as long as the search
// lasts, since a node is dropped only for a node that covers it. Other threads write nothing that
// the search keeps, and what is kept is the same as with one thread.

// Nodes are expanded ahead in batches, if at least fewestAhead nodes wait. A batch has up to
// mostAhead nodes: no more zones than have aheadBounds bounds, and no more nodes than have been
// visited, since the search may end with the next one.
const (
	fewestAhead = 16
	mostAhead   = 1024
	aheadBounds = 1 << 20
)

// successor is where a step leads to, before zones are cut and compared.
type successor struct {
	ordinal    int32
	steps      int64 // of the node, up to this one
	rename     rename
	state      []int32
	zone       zone
	deadlocked *deadlocks // nil if not known
}

// expansion holds the successors of a node that no kept zone covers.
type expansion struct {
	node       int32
	steps      int64
	successors []successor
	failed     bool // the model has an error here, which the search itself has to find
}

// ahead holds the expansions of a batch.
type ahead struct {
	threads    []*expander
	nodes      []int32
	expansions []expansion
	index      map[int32]int // of the expansions that are left, by node
	alone      int           // nodes expanded by the search since the batch began
	batch      int

	// The deadlocks of states that the batch meets for the first time: many nodes lead to each.
	mu         sync.Mutex
	deadlocked map[string]*deadlocks
}

// expander computes successors ahead, as one thread of the search.
type expander struct {
	*explorer
	buffers
	s      *search
	view   view
	packed []uint32
	key    []byte
	states slab[int32]
	bounds slab[bound]
}

// slab holds rows until all of them are dropped.
type slab[T any] struct{ items []T }

func (s *slab[T]) keep(row []T) []T {
	if len(s.items)+len(row) > cap(s.items) {
		s.items = make([]T, 0, max(2*cap(s.items), partItems, len(row)))
	}
	from := len(s.items)
	s.items = append(s.items, row...)
	return s.items[from:len(s.items):len(s.items)]
}

func (s *slab[T]) drop() { s.items = s.items[:0] }

// take gives the expansion of a node, nil if there is none.
func (a *ahead) take(k int32) *expansion {
	i, some := a.index[k]
	if !some {
		return nil
	}
	delete(a.index, k)
	return &a.expansions[i]
}

// lookAhead gives the expansion of a node that is no longer waiting. It is nil if the search has to
// expand the node.
func (s *search) lookAhead(k int32) *expansion {
	a := &s.ahead
	e := a.take(k)
	if e == nil {
		a.alone++
		few := s.waiting.waiting < fewestAhead && !s.o.eager
		if s.o.Threads == 1 || few || len(a.index) > 0 && a.alone < a.batch {
			return nil
		}
		s.begin(k)
		e = a.take(k)
	}
	if e.failed {
		return nil
	}
	return e
}

// begin expands a node, and the nodes that the search would take next.
func (s *search) begin(k int32) {
	a := &s.ahead
	if a.threads == nil {
		a.index, a.deadlocked = map[int32]int{}, map[string]*deadlocks{}
		for range s.o.Threads {
			x := newExplorer(s.net, s.a)
			x.table = s.table
			a.threads = append(a.threads, &expander{explorer: x, s: s,
				view: s.zones.newView(), buffers: buffers{from: zero(s.n), to: zero(s.n)}})
		}
	}
	a.batch = min(mostAhead, max(fewestAhead, min(aheadBounds/(s.n*s.n), int(s.result.Visited))))
	a.nodes = s.waiting.ahead(append(a.nodes[:0], k), a.batch-1)
	a.nodes = slices.DeleteFunc(a.nodes, func(k int32) bool { return s.node(k).zone == none })
	a.expansions = slices.Grow(a.expansions[:0], len(a.nodes))[:len(a.nodes)]
	a.alone = 0
	clear(a.index)
	clear(a.deadlocked)
	for i, k := range a.nodes {
		a.index[k] = i
	}
	var next atomic.Int32
	var done sync.WaitGroup
	for _, x := range a.threads {
		done.Go(func() {
			x.states.drop()
			x.bounds.drop()
			for i := next.Add(1) - 1; int(i) < len(a.nodes); i = next.Add(1) - 1 {
				x.expand(a.nodes[i], &a.expansions[i])
			}
		})
	}
	done.Wait()
}

// expand computes the successors of a node. It only reads what the search keeps.
func (x *expander) expand(k int32, e *expansion) {
	*e = expansion{node: k, successors: e.successors[:0]}
	x.s.read(&x.view, k, x.from)
	x.state = x.s.states.state(x.state[:0], x.s.node(k).state)
	x.successors(x.state, x.from, x.to, func(ordinal int32) bool {
		e.steps++
		c := successor{ordinal: ordinal, steps: e.steps}
		x.now = x.steps.State(x.now)
		if x.s.symmetry != nil {
			if c.rename = x.s.symmetry.canonical(x.now, x.to); c.rename != nil {
				x.steps.Load(x.now)
			}
		}
		if covered, known := x.covered(); !covered {
			if x.a.aboutDeadlocks && !known && len(x.a.diagonals) == 0 {
				c.deadlocked = x.deadlocksOnce()
			}
			c.state = x.states.keep(x.now)
			c.zone = zone{x.n, x.bounds.keep(x.to.m)}
			e.successors = append(e.successors, c)
		}
		return !x.stopped()
	})
	e.failed = x.steps.Memory.Fault != nil || x.stopped()
	x.steps.Memory.Fault = nil
}

// deadlocksOnce gives the deadlocks of the state in the memory, and computes them at most once in a
// batch and thread. Where the model has an error, nothing is kept for others, who have to find it,
// too.
func (x *expander) deadlocksOnce() *deadlocks {
	x.key = x.key[:0]
	for _, v := range x.now {
		x.key = binary.LittleEndian.AppendUint32(x.key, uint32(v))
	}
	a := &x.s.ahead
	a.mu.Lock()
	found := a.deadlocked[string(x.key)]
	a.mu.Unlock()
	if found == nil {
		found = x.deadlocks()
		if x.steps.Memory.Fault == nil && !x.stopped() {
			a.mu.Lock()
			a.deadlocked[string(x.key)] = found
			a.mu.Unlock()
		}
	}
	return found
}

// covered says whether a kept zone covers the successor, and whether the deadlocks of its state are
// known. Zones that will be cut are not compared.
func (x *expander) covered() (covered, known bool) {
	if len(x.a.diagonals) > 0 {
		return false, false
	}
	k, known := x.s.states.find(x.now, &x.packed)
	if !known {
		return false, false
	}
	at := &x.s.stateZones.at(k)[0]
	x.view.load(at.table)
	y := x.view.over(x.to)
	return at.kept.covering(x.view.digest(y), func(k int32) bool {
		return y.within(x.view.at(x.s.node(k).zone), x.view.numbers.lower, x.view.numbers.upper)
	}) != none, x.s.halts.known[k] != nil
}

// commit adds the successors of a node.
func (s *search) commit(e *expansion) {
	for i := range e.successors {
		c := &e.successors[i]
		s.now = append(s.now[:0], c.state...)
		s.steps.Load(s.now)
		n := node{parent: e.node, ordinal: c.ordinal, depth: s.node(e.node).depth + 1}
		if c.rename != nil {
			n.rename = s.symmetry.number(c.rename)
		}
		s.halts.ahead = c.deadlocked
		s.split(n, c.zone, s.a.diagonals)
		s.halts.ahead = nil
		if s.found != none || s.steps.Memory.Fault != nil {
			s.result.Steps += c.steps
			return
		}
	}
	s.result.Steps += e.steps
}

// threads is how many threads a search has.
func (o Options) threads() int {
	switch {
	case o.DepthFirst:
		return 1
	case o.Threads <= 0:
		return runtime.GOMAXPROCS(0)
	}
	return o.Threads
}
