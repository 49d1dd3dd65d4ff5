package temporal

import (
	"context"
	"fmt"
	"math"
	"slices"

	"erelong.dev/erelong/internal/engine"
	"erelong.dev/erelong/internal/engine/explore/store"
	"erelong.dev/erelong/internal/interp"
	"erelong.dev/erelong/internal/system"
)

// naive is an explorer that is as plain as can be: the oracle of the others.
func naive(ctx context.Context, m *interp.Model, l limits) (*graph, error) {
	b := newBuilding(m, l)
	if err := b.ended(ctx, b.run(ctx), l.Limits); err != nil {
		return nil, err
	}
	return b.graph, nil
}

// keyed are states as texts: see interp.Model.Key.
type keyed struct {
	model  *interp.Model
	keys   []string
	parent []uint32
}

func (k *keyed) count() int                  { return len(k.keys) }
func (k *keyed) state(n uint32) interp.State { return k.model.StateOfKey(k.keys[n]) }
func (k *keyed) parentOf(n uint32) uint32    { return k.parent[n] }

func (k *keyed) stateBytes() int64 { return 0 }

type building struct {
	*graph
	limits  limits
	keyed   *keyed
	numbers map[string]uint32 // key of a state -> its number
	// action with its parameters -> mark, or with bit 31 the number of an unfair one
	marks          map[string]uint32
	ranges         []*system.Property
	steps          taken // of the current state: by label
	edgesByMark    taken // by mark
	enabledActions []int // the actions that have a step from it
	key            []byte
	outside        string // a range property that some state violates
}

const unfairLabel = 1 << 31

func newBuilding(m *interp.Model, l limits) *building {
	b := &building{
		graph: newGraph(m), limits: l, keyed: &keyed{model: m},
		numbers: map[string]uint32{}, marks: map[string]uint32{}, ranges: m.System.Ending(),
	}
	b.graph.states = b.keyed
	return b
}

func (b *building) run(ctx context.Context) error {
	err := b.model.Initial(ctx, func(s interp.State) error {
		n, err := b.visit(s, math.MaxUint32)
		if err == nil {
			b.keyed.parent[n] = n
		}
		return err
	})
	b.initial = b.count()
	if err != nil {
		b.unexpandedFrom = 0
		return err
	}
	levelEnd := 0
	for n := 0; n < b.count(); n++ {
		if n == levelEnd {
			levelEnd = b.count()
			b.graph.depth++
			if b.limits.Depth > 0 && b.graph.depth >= b.limits.Depth {
				b.stopped = b.limits.AtDepth()
				b.unexpandedFrom = uint32(n)
				return nil
			}
		}
		b.begin()
		if b.unexpanded.holds(uint32(n)) {
			continue
		}
		if err := b.expand(ctx, uint32(n)); err != nil {
			// Its edges are incomplete, so it counts as not expanded.
			b.undo()
			b.unexpandedFrom, b.failedState = uint32(n), uint32(n)
			return err
		}
	}
	if b.outside != "" {
		b.stopped = engine.Outside(b.outside)
	}
	return nil
}

// expand finds the edges of a state. A state without successor gets one to itself.
func (b *building) expand(ctx context.Context, n uint32) error {
	b.steps.clear()
	b.edgesByMark.clear()
	b.takenActions.clear()
	b.enabledActions = b.enabledActions[:0]
	before, known := b.graph.steps, b.graph.steps
	s := b.state(n)
	for i, a := range b.model.System.Actions {
		err := b.model.Steps(ctx, s, a, func(step interp.Step) error {
			to, err := b.visit(step.State, n)
			if err != nil {
				return err
			}
			l, err := b.intern(i, a, step.Args[:len(a.Params)], s)
			if err != nil {
				return err
			}
			if !b.steps.add(l, to) { // already, with other choices
				return nil
			}
			known++
			b.enabledActions = append(b.enabledActions, i)
			mark := l
			if l >= unfairLabel {
				mark = unfair
			}
			if b.edgesByMark.add(mark, to) && !b.add(to, mark) {
				return errEdges
			}
			return nil
		})
		if err != nil {
			return err
		}
	}
	for _, i := range b.enabledActions {
		b.enabled[i] = true
	}
	if b.graph.steps = known; known == before {
		b.deadlocks++
		b.add(n, repetition)
	}
	return nil
}

// intern is the mark of an action with its parameters; or a number of its own, if its steps from
// the state are not fair.
func (b *building) intern(
	index int, a *system.Action, params []interp.Arg, from interp.State,
) (uint32, error) {
	fair, err := b.model.FairIn(from, a, params)
	if err != nil {
		return 0, err
	}
	b.key = fmt.Append(b.key[:0], index, " ", fair)
	for _, p := range params {
		b.key = fmt.Append(b.key, " ", p.Value)
	}
	l, ok := b.marks[string(b.key)]
	if !ok {
		if l = unfairLabel | uint32(len(b.marks)); fair {
			l = uint32(len(b.labels))
			b.labels = append(b.labels, label{a, slices.Clone(params)})
		}
		b.marks[string(b.key)] = l
	}
	return l, nil
}

// visit gives the number of a state, adding the state if it is new.
func (b *building) visit(s interp.State, parent uint32) (uint32, error) {
	b.key = b.model.AppendKey(b.key[:0], s)
	if n, ok := b.numbers[string(b.key)]; ok {
		return n, nil
	}
	count := b.count()
	if b.limits.States > 0 && int64(count) >= b.limits.States {
		return 0, store.ErrLimit
	}
	n := uint32(count)
	k := b.keyed
	key := string(b.key)
	b.numbers[key] = n
	k.keys, k.parent = append(k.keys, key), append(k.parent, parent)
	for _, p := range b.ranges {
		if holds, err := b.model.Holds(p.Term, s); err == nil && !holds {
			b.unexpanded = b.unexpanded.with(n)
			b.outside = p.Name
		}
	}
	return n, nil
}

// undo empties the list that was begun last.
func (e *edges) undo() {
	b := &e.blocks[len(e.blocks)-1]
	e.total -= len(e.last)
	b.to, e.last = b.to[:b.first[len(b.first)-1]], e.last[:0]
}
