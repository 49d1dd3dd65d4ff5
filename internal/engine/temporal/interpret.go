package temporal

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"sync"

	"erelong.dev/erelong/internal/engine/explore/program"
	"erelong.dev/erelong/internal/engine/explore/store"
	"erelong.dev/erelong/internal/interp"
)

// interpret is the explorer that runs the interpreter: for small instances, and for systems that
// cannot be compiled. It evaluates no predicates, and saves nothing.
func interpret(ctx context.Context, m *interp.Model, l limits) (_ *graph, err error) {
	l.near, l.predicates = nil, nil
	s := &search{graph: newGraph(m), limits: l}
	ranges := s.rangeTerms()
	keys := program.NewKeyed(m, len(ranges))
	steps := &interned{graph: s.graph, numbers: map[string]uint32{}, brief: l.brief}
	s.marker = steps
	if err := s.open(keys, ranges, steps.label); err != nil {
		return nil, err
	}
	defer func() { err = errors.Join(err, s.release()) }()
	s.packed.keys = keys
	short := l.brief && (l.States == 0 || l.States > program.BriefStates)
	if short {
		s.MaxStates = program.BriefStates
	}
	err = s.run(ctx)
	if short && errors.Is(err, store.ErrLimit) {
		return nil, errNotBrief
	}
	if err := s.ended(ctx, err, l.Limits); err != nil {
		return nil, err
	}
	s.Store.Seal()
	keys.Seal()
	return s.graph, nil
}

// briefSteps bounds a brief exploration, beside program.BriefStates: the interpreter finds that
// much in about the time of a compilation.
const briefSteps = 6000

// interned are the actions with parameters of the transitions so far. Their numbers depend on the
// order in which threads find them; no mark does.
type interned struct {
	graph *graph
	brief bool

	mu      sync.Mutex
	numbers map[string]uint32
	list    []transition
	steps   int
}

// transition is an action with parameters, whose steps fairness asks for or not.
type transition struct {
	label
	action int
	fair   bool
	mark   uint32 // of fair ones, 0 before the first is observed
}

// label is the number of a step from a state.
func (t *interned) label(action int, from interp.State, step interp.Step) (uint32, error) {
	a := t.graph.model.System.Actions[action]
	params := step.Args[:len(a.Params)]
	fair, err := t.graph.model.FairIn(from, a, params)
	if err != nil {
		return 0, err
	}
	key := fmt.Append(nil, action, " ", fair)
	for _, p := range params {
		key = fmt.Append(key, " ", p.Value)
	}
	t.mu.Lock()
	defer t.mu.Unlock()
	if t.steps++; t.brief && t.steps > briefSteps {
		return 0, errNotBrief
	}
	n, known := t.numbers[string(key)]
	if !known {
		n = uint32(len(t.list))
		t.numbers[string(key)] = n
		t.list = append(t.list, transition{label: label{a, slices.Clone(params)}, action: action,
			fair: fair})
	}
	return n, nil
}

func (t *interned) markOf(n uint32, _ []uint64) (action int, mark uint32) {
	x := &t.list[n]
	if !x.fair {
		return x.action, unfair
	}
	if x.mark == 0 {
		x.mark = uint32(len(t.graph.labels))
		t.graph.labels = append(t.graph.labels, x.label)
	}
	return x.action, x.mark
}
