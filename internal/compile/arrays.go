package compile

import (
	"context"
	"errors"
	"fmt"
	"math/rand"
	"slices"

	"erelong.dev/erelong/internal/interp"
	"erelong.dev/erelong/internal/logic"
	"erelong.dev/erelong/internal/system"
)

// array is a symbol with slots. A constant is an array of one point.
type array struct {
	symbol *logic.Symbol
	offset int // of its first slot in a state of the interpreter
	args   []Interval
	points int
	// A constant array is the same in all initial states, and immutable.
	constant bool
	values   []int64 // of a constant array
	table    uint32  // their address, once a dynamic index is used
	tabled   bool

	fields   []field // unless the array is constant
	wordBits int     // used bits of each packed word
}

// size is the number of values of an interval.
func (i Interval) size() int { return int(i.Hi - i.Lo + 1) }

// geometry is the layout of the values of a model.
type geometry struct {
	model       *interp.Model
	arrays      map[*logic.Symbol]*array
	order       []*array                          // by offset
	derived     map[*logic.Symbol]*system.Derived // with a body; they are not part of a state
	freeDerived []*system.Derived                 // without a body: relations of a state
	slots       int
	first       interp.State // an initial state
	ranges      []knownRange
	window      *system.Window // of the integers; nil for all
}

// knownRange is a range that a symbol has for an argument, which is therefore the same in all
// states: see interp.NewModel.
type knownRange struct {
	sort *logic.Sort
	Interval
}

// initialLimit bounds the initial states that decide which immutable symbols are constant.
const initialLimit = 1 << 14

// someInitial is the number of initial states after which a few others, chosen at random, may show
// that no immutable symbol is constant. The rest of the initial states need not be known then.
const someInitial = 1 << 8

// some gives a few initial states, chosen at random.
func some(ctx context.Context, m *interp.Model) (out []interp.State, err error) {
	rng := rand.New(rand.NewSource(1))
	for range 8 {
		s, _, err := m.Sample(ctx, rng, 1<<10)
		if err != nil {
			return nil, err
		}
		if s != nil {
			out = append(out, s)
		}
	}
	return out, nil
}

// allVary reports whether no immutable symbol that the instance leaves open is the same in all of
// some states.
func allVary(m *interp.Model, states []interp.State) bool {
	varies := map[*logic.Symbol]bool{}
	for slot, s := range m.SlotSymbols() {
		if !s.Mutable && !m.Fixes(s) {
			differs := func(t interp.State) bool { return t[slot] != states[0][slot] }
			varies[s] = varies[s] || slices.ContainsFunc(states, differs)
		}
	}
	for _, v := range varies {
		if !v {
			return false
		}
	}
	return true
}

// measure finds the arrays of a model, and decides which are constant.
func measure(ctx context.Context, m *interp.Model, initial []interp.State) (*geometry, error) {
	g := &geometry{model: m, window: m.Instance.Integers, arrays: map[*logic.Symbol]*array{},
		derived: map[*logic.Symbol]*system.Derived{}}
	complete := true
	if initial == nil {
		var err error
		if initial, complete, err = initialStates(ctx, m); err != nil {
			return nil, err
		}
	}
	if len(initial) == 0 {
		return nil, fmt.Errorf("%w: there is no initial state", ErrUnsupported)
	}
	g.first = initial[0]
	g.slots = len(g.first)
	for _, d := range m.System.Derived {
		if d.Body == nil {
			g.freeDerived = append(g.freeDerived, d)
		} else {
			g.derived[d.Symbol] = d
		}
	}
	// A state that holds the number of each slot shows where the interpreter keeps a point.
	numbers := make(interp.State, g.slots)
	for i := range numbers {
		numbers[i] = int64(i)
	}
	for _, s := range m.System.Symbols {
		if g.derived[s] != nil {
			continue
		}
		a, err := g.array(s, numbers)
		if err != nil {
			return nil, err
		}
		part := func(state interp.State) []int64 { return state[a.offset : a.offset+a.points] }
		if a.constant = !s.Mutable && (complete || m.Fixes(s)); a.constant {
			a.values = slices.Clone(part(g.first))
			a.constant = !slices.ContainsFunc(initial, func(s interp.State) bool {
				return !slices.Equal(part(s), a.values)
			})
		}
		g.arrays[s] = a
		g.order = append(g.order, a)
	}
	slices.SortStableFunc(g.order, func(a, b *array) int { return a.offset - b.offset })
	return g, nil
}

// initialStates are all initial states, or some of them. If the instance and the axioms fix all
// parameters, one is enough.
func initialStates(
	ctx context.Context, m *interp.Model,
) (out []interp.State, complete bool, err error) {
	open := slices.ContainsFunc(m.System.Symbols, func(s *logic.Symbol) bool {
		return !s.Mutable && !m.Fixes(s)
	})
	complete = true
	err = m.Initial(ctx, func(s interp.State) error {
		if complete = len(out) < initialLimit; complete {
			out = append(out, s)
		}
		if len(out) == someInitial {
			samples, err := some(ctx, m)
			if err != nil {
				return err
			}
			complete = !allVary(m, samples)
		}
		if !complete || !open {
			return interp.ErrStop
		}
		return nil
	})
	return out, complete, err
}

// array is the place of a symbol in a state, without its values.
func (g *geometry) array(s *logic.Symbol, numbers interp.State) (*array, error) {
	a := &array{symbol: s, points: 1}
	point := make([]*logic.Term, len(s.Args))
	for i, sort := range s.Args {
		d, err := g.domain(sort)
		if err != nil {
			return nil, err
		}
		a.args = append(a.args, d)
		if sort.Kind == logic.KindRange {
			g.ranges = append(g.ranges, knownRange{sort, d})
		}
		a.points *= max(d.size(), 0)
		point[i] = logic.Literal(sort, d.Lo)
	}
	if a.points == 0 {
		return a, nil
	}
	v, err := g.model.Eval(logic.App(s, logic.Pre, point...), numbers)
	if err != nil {
		return nil, fmt.Errorf("%w: %s has no place in a state: %v", ErrUnsupported, s, err)
	}
	a.offset = int(v)
	return a, nil
}

// isInfinite reports whether a sort has infinitely many values.
func (g *geometry) isInfinite(s *logic.Sort) bool {
	return s.Kind == logic.KindInt && g.window == nil
}

// domain is the set of values of a sort. A range must be the same in all states.
func (g *geometry) domain(s *logic.Sort) (Interval, error) {
	switch s.Kind {
	case logic.KindBool:
		return Interval{0, 1}, nil
	case logic.KindEnum:
		return Interval{0, int64(len(s.Members)) - 1}, nil
	case logic.KindUninterpreted:
		return Interval{0, int64(g.model.Instance.Sizes[s]) - 1}, nil
	case logic.KindRange:
		lo, err := g.model.Eval(s.Lo, g.first)
		if err != nil {
			return Interval{}, err
		}
		hi, err := g.model.Eval(s.Hi, g.first)
		return Interval{lo, hi}, err
	case logic.KindInt:
		if w := g.window; w != nil {
			return Interval{w.Lo, max(w.Hi, w.Lo-1)}, nil
		}
	}
	return Interval{}, errors.New("int has infinitely many values")
}
