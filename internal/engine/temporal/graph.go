package temporal

import (
	"context"
	"errors"
	"fmt"
	"math"
	"slices"

	"erelong.dev/erelong/internal/interp"
	"erelong.dev/erelong/internal/system"
)

// graph is the reachable part of a finite instance. States are numbered in breadth-first order,
// beginning with the initial states. The edges of state s have the indices from first[s] up to
// first[s+1], each edge once.
type graph struct {
	model   *interp.Model
	keys    []string // of the states, see interp.Model.Key
	text    int64    // bytes of keys
	initial int      // how many states are initial
	depth   int64    // states on the longest shortest path from an initial state
	parent  []uint32 // the state from which a state was found; itself for an initial one
	first   []int
	target  []uint32
	label   []uint32 // of an edge: an index into labels
	labels  []label
	// States that were not expanded, because of a limit or because they are outside a range.
	open []bool

	expanded bool   // all states inside their ranges are expanded
	stopped  string // why states are missing, empty if none are
	failed   error  // the failed evaluation, in state bad
	bad      uint32 // math.MaxUint32 for none
}

// label is an action with values of its parameters.
type label struct {
	action *system.Action // nil for the repetition of a state without successor
	params []interp.Arg
}

// limits of an exploration; 0 for none.
type limits struct {
	states, depth, memory int64
	tell                  func(states, depth int64)
	statesNote, depthNote string // see Options
}

// explorer finds the graph of an instance. When ctx is cancelled it returns its error.
type explorer func(ctx context.Context, m *interp.Model, l limits) (*graph, error)

// fewStates and manyEdges are the numbers after which the memory is checked.
const fewStates, manyEdges = 1 << 10, 1 << 16

var errLimit = errors.New("limit")

// errMemory says that the memory for a graph or a product is used up.
var errMemory = errors.New("--memory does not suffice")

// explore is the explorer that runs the interpreter.
func explore(ctx context.Context, m *interp.Model, l limits) (*graph, error) {
	b := newBuilding(m, l)
	g, err := b.graph, b.run(ctx)
	var action *interp.ActionError
	var term *interp.EvalError
	switch {
	case err == nil:
	case ctx.Err() != nil:
		return nil, ctx.Err()
	case errors.Is(err, errMemory):
		g.stopped = fmt.Sprintf("stopped after %d states: %v for more", len(g.keys), err)
	case errors.Is(err, errLimit):
		g.stopped = fmt.Sprintf("stopped at the limit of %d states%s", l.states, l.statesNote)
	case errors.As(err, &action), errors.As(err, &term):
		g.failed = err
	default:
		return nil, err
	}
	for len(g.first) <= len(g.keys) { // unexpanded states have no edges
		g.first = append(g.first, len(g.target))
	}
	return g, nil
}

type building struct {
	*graph
	limits
	numbers map[string]uint32 // key of a state -> its number
	labelOf map[string]uint32
	ranges  []*system.Property
	taken   map[uint64]bool // the edges of an action in the current state: label and target
	key     []byte
	outside string // a range property that some state violates
}

// Approximate memory in bytes: the overhead of a string, and of an entry of a map from strings or
// from numbers.
const overhead, stringEntry, numberEntry = 5, 42, 24

// bytes is the memory of the graph.
func (g *graph) bytes() int64 {
	return g.text + int64(len(g.keys))*overhead +
		int64(cap(g.keys))*16 + int64(cap(g.first))*8 + int64(cap(g.parent)+cap(g.target)+cap(g.label))*4 + int64(cap(g.open))
}

// full reports whether the memory is used up, or would be with a small product. Half of it is left
// for garbage.
func (b *building) full() bool {
	small := b.bytes() + int64(len(b.keys))*2*nodeBytes
	return b.limits.memory > 0 && (b.used() > b.limits.memory/2 || small > forProduct(b.limits.memory))
}

// used is the memory of the graph while it is built.
func (b *building) used() int64 {
	return b.bytes() + int64(len(b.keys))*stringEntry + int64(len(b.taken))*numberEntry
}

func newBuilding(m *interp.Model, l limits) *building {
	b := &building{
		graph: &graph{model: m, labels: []label{{}}}, limits: l,
		numbers: map[string]uint32{}, labelOf: map[string]uint32{}, taken: map[uint64]bool{},
	}
	for _, p := range m.System.Properties {
		if p.Kind == system.Range {
			b.ranges = append(b.ranges, p)
		}
	}
	return b
}

func (b *building) run(ctx context.Context) error {
	err := b.model.Initial(ctx, func(s interp.State) error {
		n, err := b.visit(s, math.MaxUint32)
		if err == nil {
			b.parent[n] = n
		}
		return err
	})
	b.initial = len(b.keys)
	if err != nil {
		b.bad = math.MaxUint32
		return err
	}
	levelEnd := 0
	for n := 0; n < len(b.keys); n++ {
		if n == levelEnd {
			levelEnd = len(b.keys)
			b.graph.depth++
			if b.limits.depth > 0 && b.graph.depth >= b.limits.depth {
				b.stopped = fmt.Sprintf("stopped at the limit of %d states a run%s", b.limits.depth, b.limits.depthNote)
				for i := n; i < levelEnd; i++ {
					b.open[i] = true
				}
				return nil
			}
		}
		if n%1024 == 0 && b.tell != nil {
			b.tell(int64(len(b.keys)), b.graph.depth)
		}
		if n%fewStates == 0 && n > 0 && b.full() { // many edges between known states
			for i := n; i < len(b.keys); i++ {
				b.open[i] = true
			}
			return errMemory
		}
		b.first = append(b.first, len(b.target))
		if b.open[n] {
			continue
		}
		if err := b.expand(ctx, uint32(n)); err != nil {
			// Its edges are incomplete, so it counts as not expanded.
			b.target, b.label = b.target[:b.first[n]], b.label[:b.first[n]]
			for i := n; i < len(b.keys); i++ {
				b.open[i] = true
			}
			b.bad = uint32(n)
			return err
		}
	}
	b.expanded = true
	if b.outside != "" {
		b.stopped = fmt.Sprintf("states that violate %s were not explored further", b.outside)
	}
	return nil
}

// expand finds the edges of a state. A state without successor gets one to itself.
func (b *building) expand(ctx context.Context, n uint32) error {
	from := len(b.target)
	s := b.model.StateOfKey(b.keys[n])
	for i, a := range b.model.System.Actions {
		clear(b.taken)
		err := b.model.Steps(ctx, s, a, func(step interp.Step) error {
			to, err := b.visit(step.State, n)
			if err != nil {
				return err
			}
			l := b.intern(i, a, step.Args[:len(a.Params)])
			if b.taken[uint64(l)<<32|uint64(to)] { // already, with other choices
				return nil
			}
			b.taken[uint64(l)<<32|uint64(to)] = true
			if len(b.target)%manyEdges == manyEdges-1 && b.full() {
				return errMemory
			}
			if len(b.target) >= math.MaxInt32 {
				return fmt.Errorf("the instance has more than %d transitions", math.MaxInt32)
			}
			b.target, b.label = append(b.target, to), append(b.label, l)
			return nil
		})
		if err != nil {
			return err
		}
	}
	if len(b.target) == from {
		b.target, b.label = append(b.target, n), append(b.label, 0)
	}
	return nil
}

func (b *building) intern(index int, a *system.Action, params []interp.Arg) uint32 {
	b.key = fmt.Append(b.key[:0], index)
	for _, p := range params {
		b.key = fmt.Append(b.key, " ", p.Value)
	}
	l, ok := b.labelOf[string(b.key)]
	if !ok {
		l = uint32(len(b.labels))
		b.labelOf[string(b.key)] = l
		b.labels = append(b.labels, label{a, slices.Clone(params)})
	}
	return l
}

// visit gives the number of a state, adding the state if it is new.
func (b *building) visit(s interp.State, parent uint32) (uint32, error) {
	b.key = b.model.AppendKey(b.key[:0], s)
	if n, ok := b.numbers[string(b.key)]; ok {
		return n, nil
	}
	if b.limits.states > 0 && int64(len(b.keys)) >= b.limits.states {
		return 0, errLimit
	}
	if len(b.keys) >= math.MaxInt32 {
		return 0, fmt.Errorf("the instance has more than %d states", math.MaxInt32)
	}
	n := uint32(len(b.keys))
	if n%fewStates == fewStates-1 && b.full() {
		return 0, errMemory
	}
	key := string(b.key)
	b.text += int64(len(key))
	b.numbers[key] = n
	b.keys = append(b.keys, key)
	b.parent = append(b.parent, parent)
	outside := false
	for _, p := range b.ranges {
		if holds, err := b.model.Holds(p.Term, s); err == nil && !holds {
			outside = true
			b.outside = p.Name
		}
	}
	b.open = append(b.open, outside)
	return n, nil
}

func (g *graph) state(n uint32) interp.State { return g.model.StateOfKey(g.keys[n]) }

// transitions counts the edges that are steps.
func (g *graph) transitions() int64 {
	n := int64(0)
	for _, l := range g.label {
		if l != 0 {
			n++
		}
	}
	return n
}

// pathTo lists the states of the run by which a state was found.
func (g *graph) pathTo(n uint32) []uint32 {
	states := []uint32{n}
	for g.parent[n] != n {
		n = g.parent[n]
		states = append(states, n)
	}
	slices.Reverse(states)
	return states
}
