package temporal

import (
	"context"
	"errors"
	"fmt"
	"math"
	"slices"

	"erelong.dev/erelong/internal/engine"
	"erelong.dev/erelong/internal/engine/explore"
	"erelong.dev/erelong/internal/engine/explore/store"
	"erelong.dev/erelong/internal/interp"
	"erelong.dev/erelong/internal/logic"
	"erelong.dev/erelong/internal/result"
	"erelong.dev/erelong/internal/system"
)

// graph is the reachable part of a finite instance. States are numbered in breadth-first order,
// beginning with the initial states. A state has each edge once: a target, and a mark.
type graph struct {
	states
	edges
	predicates
	model          *interp.Model
	initial        int            // how many states are initial
	depth          int64          // states on the longest shortest path from an initial state
	steps          int64          // distinct: a state, an action with parameters, a successor
	transitions    int64          // the same without the parameters; only where it is asked for
	takenActions   taken          // of the current state, with the successors: for transitions
	deadlocks      int64          // expanded states without successor
	enabled        []bool         // for each action, whether it has a step
	labels         []label        // of marks; zero for the ones that are no condition
	computed       *computedGraph // of a computed system, else nil
	unexpanded     bits           // states that were not expanded because they are outside a range
	unexpandedFrom uint32         // from this state on, no state was expanded

	stopped     result.Reason // why states are missing, empty if none are
	failed      error         // the failed evaluation, in failedState
	failedState uint32        // math.MaxUint32 for none
	unsaved     bool          // a checkpoint was asked for, and there is none
}

// states are the states of a graph.
type states interface {
	count() int
	state(n uint32) interp.State
	parentOf(n uint32) uint32 // the state from which a state was found; itself for an initial one
	stateBytes() int64
}

// label is an action with values of its parameters.
type label struct {
	action *system.Action
	params []interp.Arg
}

// limits of an exploration; 0 for none.
type limits struct {
	engine.Limits
	memory     int64
	threads    int // 0 for one a processor
	brief      bool
	predicates []*logic.Term // to evaluate in all states while exploring, if possible
	tell       func(states, depth int64)
	// near checks the properties on a part of the graph, and says whether all are violated there;
	// nil to explore without it. See lookNear; firstLook is for tests, 0 for the usual one.
	near       func(ctx context.Context, g *graph) (decided bool, err error)
	firstLook  int
	checkpoint explore.Checkpoint
	watch      *watch // properties of states; nil for none
	alike      bool   // representatives stand for the states that are alike
}

// explorer finds the graph of an instance. When ctx is cancelled it returns its error.
type explorer func(ctx context.Context, m *interp.Model, l limits) (*graph, error)

// errMemory says that the memory for a graph or a product is used up.
var errMemory = errors.New("--memory does not suffice")

// errNotBrief says that an exploration is not as short as it should be.
var errNotBrief = errors.New("too many states for a brief exploration")

// findGraph begins with the interpreter, which finds the states of a small instance in less time
// than a compilation takes, and compiles the others.
func findGraph(ctx context.Context, m *interp.Model, l limits) (*graph, error) {
	if m.System.Computed != nil {
		return exploreComputed(ctx, m, l)
	}
	short := l
	short.brief, short.tell = true, nil
	g, err := interpret(ctx, m, short)
	if errors.Is(err, errNotBrief) {
		return exploreCompiled(ctx, m, l)
	}
	return g, err
}

func newGraph(m *interp.Model) *graph {
	return &graph{model: m, labels: make([]label, conditions),
		enabled:        make([]bool, len(m.System.Actions)),
		unexpandedFrom: math.MaxUint32, failedState: math.MaxUint32}
}

// isOpen says that a state was not expanded.
func (g *graph) isOpen(n uint32) bool { return n >= g.unexpandedFrom || g.unexpanded.holds(n) }

// ended completes a graph after its exploration, which may have ended early with an error: one that
// leaves a useful graph is recorded in it, and any other is given back.
func (g *graph) ended(ctx context.Context, err error, l engine.Limits) error {
	var action *interp.ActionError
	var term *interp.EvalError
	var disk *explore.DiskError
	switch {
	case err == nil:
	case ctx.Err() != nil:
		return ctx.Err()
	case errors.Is(err, errMemory):
		g.stopped = result.Because(result.Machine,
			fmt.Sprintf("stopped after %d states: %v for more", g.count(), err))
	case errors.As(err, &disk):
		g.stopped = result.Because(result.Machine,
			fmt.Sprintf("stopped after %d states: %v", g.count(), err))
	case errors.Is(err, errDecided):
		g.stopped = result.Because(result.Bounded,
			fmt.Sprintf("stopped after %d states: %v", g.count(), errDecided))
	case errors.Is(err, store.ErrLimit):
		g.stopped = l.AtStates(g.count())
	case errors.As(err, &action), errors.As(err, &term):
		g.failed = err
	default:
		return err
	}
	g.close()
	return nil
}

// close completes the lists of edges: states that were not expanded have none.
func (g *graph) close() {
	for int(g.edges.node) < g.count() {
		g.begin()
	}
	g.finish()
}

// graphBytes is the memory of the graph.
func (g *graph) graphBytes() int64 {
	return g.stateBytes() + g.edges.bytes() + g.predicates.bytes() + int64(cap(g.unexpanded))*8
}

// full reports whether the memory, 0 for no limit, is used up, or would be with a small product.
// Half of it is left for garbage. The exploration itself needs some more until it ends.
func (g *graph) full(memory int64) bool {
	if memory <= 0 {
		return false
	}
	used := g.graphBytes()
	return used > memory/2 || used+int64(g.count())*searchBytes > forProduct(memory)
}

// pathTo lists the states of the run by which a state was found.
func (g *graph) pathTo(n uint32) []uint32 {
	path := []uint32{n}
	for p := g.parentOf(n); p != n; p = g.parentOf(n) {
		n = p
		path = append(path, n)
	}
	slices.Reverse(path)
	return path
}

// taken is the set of the edges of one state, with what they are edges of.
type taken struct {
	met  uint64 // has a bit of each pair; most pairs are new, and most of these have another bit
	few  []uint64
	many map[uint64]bool
}

// fewTaken is the number of edges up to which comparing them all is fastest.
const fewTaken = 24

// spread is the multiplier of Fibonacci hashing.
const spread = 0x9e3779b97f4a7c15

func (t *taken) clear() {
	t.met, t.few = 0, t.few[:0]
	clear(t.many)
}

// add enters a pair, and reports whether it is new.
func (t *taken) add(of, to uint32) bool {
	x := uint64(of)<<32 | uint64(to)
	bit := uint64(1) << (x * spread >> 58)
	if t.met&bit != 0 && (slices.Contains(t.few, x) || t.many[x]) {
		return false
	}
	t.met |= bit
	if len(t.few) < fewTaken {
		t.few = append(t.few, x)
		return true
	}
	if t.many == nil {
		t.many = map[uint64]bool{}
	}
	t.many[x] = true
	return true
}
