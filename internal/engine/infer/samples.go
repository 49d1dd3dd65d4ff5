package infer

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"math/rand"
	"slices"

	"erelong.dev/erelong/internal/effort"
	"erelong.dev/erelong/internal/engine/bmc"
	"erelong.dev/erelong/internal/interp"
	"erelong.dev/erelong/internal/logic"
	"erelong.dev/erelong/internal/system"
)

// samples are what a search knows of the states of small instances. Each explored state is shown to
// the claims.
type samples struct {
	*instances
	claims    *claims
	orders    orders
	records   *records           // nil until they are looked for
	worlds    []*world           // of reachable states
	assumed   []*world           // of states that nothing excludes
	asked     []*system.Instance // that get questions, from small to large
	hasLarge  bool               // instances with at least four elements are explored, or cannot be
	expanders map[*structure]*expander
}

func newSamples(sys *system.System, claims *claims) *samples {
	return &samples{instances: newInstances(sys), claims: claims,
		expanders: map[*structure]*expander{}}
}

// Limits of instances.
const (
	largest   = 5     // elements of a sort
	fewStates = 1_000 // with fewer, a larger instance is explored from the beginning
	fewSlots  = 60    // slots of the state: with fewer, a large instance gets questions, too
	manySlots = 120   // no instance of a counterexample to induction has more
)

// sample explores small instances; for bounds, ones with small values of the parameters.
func (s *samples) sample(ctx context.Context, bounds *linear) error {
	ctx, ended := effort.Begin(ctx, "states of small instances")
	defer ended()
	if bounds != nil {
		return s.sampleGrid(ctx, bounds)
	}
	s.orders = findOrders(ctx, s.instances)
	last := s.enlarge(ctx, s.small(leastSize, leastSize+1))
	for size := 4; size <= largest && s.tiny() && !s.claims.violated() && ctx.Err() == nil &&
		s.enlarge(ctx, s.small(size)) == nil; size++ {
		s.hasLarge = true
	}
	// such as for want of values that only a person can choose
	if len(s.worlds) == 0 && ctx.Err() == nil {
		last = cmp.Or(s.enlarge(ctx, s.sys.Instances), last)
	}
	return cmp.Or(ctx.Err(), s.explored(last))
}

// explored is an error where no instance can be explored.
func (s *samples) explored(last error) error {
	if len(s.worlds) == 0 && last != nil {
		return fmt.Errorf("%w: %v", errUnexplored, last)
	}
	return nil
}

var errUnexplored = errors.New("no instance could be explored")

func (s *samples) sampleGrid(ctx context.Context, l *linear) error {
	states := 0
	var last error
	var grown, asked []*world
	grid, large := l.instances()
	grid = grid[:min(len(grid), l.most())]
	most := exploreAll
	if l.wide {
		most = exploreWide
	}
	for i, inst := range append(grid, large...) {
		if ctx.Err() != nil || states > manyStates && i < len(grid) {
			continue
		}
		of, err := s.structure(inst)
		if err != nil {
			last = err
			continue
		}
		w, err := explore(ctx, of, nil, nil, 0, most)
		if err != nil {
			last = err
			continue
		}
		if len(w.states) == 0 || !w.complete {
			continue
		}
		states += len(w.states)
		l.add(w)
		if s.join(ctx, w) {
			return ctx.Err()
		}
		if slices.Contains(large, inst) {
			asked = append(asked, w)
		} else {
			grown = append(grown, w)
		}
	}
	if err := s.explored(last); err != nil {
		return err
	}
	l.prune()
	slices.SortStableFunc(grown, func(a, b *world) int {
		return cmp.Compare(len(a.states), len(b.states))
	})
	for _, w := range inTurn(grown, asked) {
		s.ask(w.model.Instance)
	}
	return ctx.Err()
}

// inTurn is the order in which worlds get questions. Grown are sorted by the number of states, the
// fewest first. Worlds with few states come late: where a parameter is 1, much holds for reasons of
// its own, and lemmas for that have lemmas of their own.
func inTurn(grown, large []*world) []*world {
	slices.SortStableFunc(large, func(a, b *world) int {
		return cmp.Compare(len(b.states), len(a.states))
	})
	first := max(0, len(grown)-askedGrown)
	rest := slices.Clone(grown[:first])
	slices.Reverse(rest)
	return slices.Concat(grown[first:], large, rest)
}

// askedGrown is the number of instances with small parameters that get questions first: the ones
// with the most states.
const askedGrown = 2

// tiny reports whether the largest instance has too few states to be informative.
func (s *samples) tiny() bool {
	n := len(s.worlds)
	return n > 0 && s.worlds[n-1].complete && len(s.worlds[n-1].states) < fewStates
}

// join makes the states of a world samples. It reports whether a claim is violated in one.
func (s *samples) join(ctx context.Context, w *world) bool {
	s.claims.note("%s: %d states", w.model.Instance.Name, len(w.states))
	s.worlds = append(s.worlds, w)
	return s.claims.violatedIn(ctx, w)
}

// enlarge adds instances, until one has a violation. The error is the error of the last instance
// that cannot be explored.
func (s *samples) enlarge(ctx context.Context, instances []*system.Instance) (last error) {
	for _, inst := range instances {
		of, err := s.structure(inst)
		if err != nil {
			last = err
			continue
		}
		seed := int64(len(s.worlds))
		w, err := explore(ctx, of, s.orders, s.claims.terms(), seed, exploreAll)
		if err != nil {
			last = err
			continue
		}
		if s.join(ctx, w) {
			return nil
		}
		if len(s.asked) < 2 || len(of.symbols) <= fewSlots {
			s.asked = append(s.asked, inst)
		}
	}
	return last
}

// ask makes an instance get questions.
func (s *samples) ask(inst *system.Instance) {
	if !slices.Contains(s.asked, inst) {
		s.asked = append(s.asked, inst)
	}
}

// covers reports whether an instance with questions has at least as many elements of each sort.
func (s *samples) covers(inst *system.Instance) bool {
	return slices.ContainsFunc(s.asked, func(other *system.Instance) bool {
		for sort, n := range inst.Sizes {
			if other.Sizes[sort] < n {
				return false
			}
		}
		for p, v := range inst.Values {
			if w := other.Values[p]; len(inst.Sizes) == 0 && (w == nil || w.Int.Cmp(v.Int) < 0) {
				return false
			}
		}
		return true
	})
}

// witness adds reachable states of a structure, found elsewhere. Was is the world that the new one
// takes in, if there is one.
func (s *samples) witness(of *structure, states []interp.State) (was, now *world) {
	if old := slices.IndexFunc(s.worlds, func(w *world) bool {
		return w.structure == of && len(w.states) < fullWitness
	}); old >= 0 {
		was = s.worlds[old]
		states = append(slices.Clip(was.states), states...)
		s.worlds = slices.Delete(s.worlds, old, old+1)
	}
	now = newWorld(of, states...)
	s.worlds = append(s.worlds, now)
	return was, now
}

// manyAssumed bounds the successors of a state that no candidate excludes.
const manyAssumed = 2_000

// assume takes a state for reachable, with the ones that are reachable from it.
func (s *samples) assume(ctx context.Context, x sample) (w *world, err error) {
	e := s.expanders[x.structure]
	if e == nil {
		if e, err = newExpander(ctx, x.structure); err != nil {
			return nil, err
		}
		s.expanders[x.structure] = e
	}
	if w, err = forward(ctx, e, x.state, manyAssumed); err == nil {
		s.assumed = append(s.assumed, w)
	}
	return w, err
}

// all are the worlds in which a candidate has to be true.
func (s *samples) all() []*world { return slices.Concat(s.worlds, s.assumed) }

// start is where a solver looks for states of an instance: with elements in their orders, and with
// integers that are not far from the explored ones.
func (s *samples) start(inst *system.Instance, of *structure) bmc.Start {
	out := bmc.Start{Values: s.inOrder(of)}
	if w := s.worldOf(inst); w != nil {
		out.Integers = w.integers()
	}
	return out
}

// worldOf is the world with an instance, nil if it was not explored.
func (s *samples) worldOf(inst *system.Instance) *world {
	for _, w := range s.worlds {
		if w.model.Instance == inst {
			return w
		}
	}
	return nil
}

// orders are total orders of sorts.
type orders map[*logic.Sort]*logic.Symbol

// ascending reports whether the elements of a state are numbered in their orders. Renaming elements
// makes any state ascending.
func (s sample) ascending(by orders) bool {
	for sort, order := range by {
		n, from := s.domain(sort).n, s.tables[order].offset
		for a := range n {
			for b := range a {
				if s.state[from+int(b*n+a)] == 0 {
					return false
				}
			}
		}
	}
	return true
}

// valuesOf gives the values of the orders in a state.
func (s *structure) valuesOf(by orders, st interp.State) map[int]int64 {
	out := map[int]int64{}
	for sort, order := range by {
		n, from := s.domain(sort).n, s.tables[order].offset
		for slot := from; slot < from+int(n*n); slot++ {
			out[slot] = st[slot]
		}
	}
	return out
}

// inOrder gives the values of the orders in a state that is ascending.
func (s *samples) inOrder(of *structure) map[int]int64 {
	out := map[int]int64{}
	for sort, order := range s.orders {
		n, from := of.domain(sort).n, of.tables[order].offset
		// whether it holds between each element and itself, in explored states
		i := slices.IndexFunc(s.worlds, func(w *world) bool { return len(w.states) > 0 })
		reflexive := i >= 0 && s.worlds[i].states[0][s.worlds[i].tables[order].offset] == 1
		for a := range n {
			for b := range n {
				out[from+int(a*n+b)] = truth(a < b || a == b && reflexive)
			}
		}
	}
	return out
}

// findOrders looks for relations that are a total order in the initial states of an instance.
func findOrders(ctx context.Context, among *instances) orders {
	out := orders{}
	list := among.small(3)
	if len(list) == 0 {
		return out
	}
	of, err := among.structure(list[0])
	if err != nil {
		return out
	}
	initial, err := of.initial(ctx, nil, rand.New(rand.NewSource(0)))
	if err != nil || len(initial) == 0 {
		return out
	}
	for _, sym := range among.sys.Symbols {
		if sym.Mutable || sym.Result != logic.Bool || len(sym.Args) != 2 ||
			sym.Args[0] != sym.Args[1] || out[sym.Args[0]] != nil ||
			sym.Args[0].Kind != logic.KindUninterpreted {
			continue
		}
		if !slices.ContainsFunc(initial, func(st interp.State) bool {
			return !(sample{of, st}).orders(sym)
		}) {
			out[sym.Args[0]] = sym
		}
	}
	return out
}
