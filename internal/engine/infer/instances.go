package infer

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"maps"
	"math/rand"
	"slices"

	"erelong.dev/erelong/internal/effort"
	"erelong.dev/erelong/internal/engine/bmc"
	"erelong.dev/erelong/internal/interp"
	"erelong.dev/erelong/internal/logic"
	"erelong.dev/erelong/internal/result"
	"erelong.dev/erelong/internal/system"
)

// small lists instances of some sizes: all sorts have that size, and the parameters small values.
// Without sorts, the size is the largest value of a parameter. It adds the instances of the file if
// a system needs values that only a person can choose.
func (s *search) small(sizes ...int) (out []*system.Instance) {
	for _, n := range sizes {
		for _, values := range s.valuesOf(n) {
			inst := s.uniform(n)
			inst.Values = values.Values
			s.name(inst, values.Name)
			if _, err := interp.NewModel(s.finite, inst); err == nil {
				out = append(out, inst)
			}
		}
	}
	if len(out) == 0 {
		return s.sys.Instances
	}
	return out
}

// valuesOf lists values of the parameters for an instance of a size, as instances.
func (s *search) valuesOf(n int) []*system.Instance {
	if hasElements(s.sys) {
		return s.values
	}
	out := slices.DeleteFunc(parameters(s.sys, int64(n)), func(inst *system.Instance) bool {
		largest := int64(leastSize)
		for _, v := range inst.Values {
			largest = max(largest, v.Int.Int64())
		}
		return largest != int64(n)
	})
	return out[:min(len(out), manyValues)]
}

// hasElements reports whether a system has a sort of elements.
func hasElements(sys *system.System) bool {
	return slices.ContainsFunc(sys.Sorts, func(sort *logic.Sort) bool {
		return sort.Kind == logic.KindUninterpreted
	})
}

// leastSize is the smallest size of an instance that is sampled.
const leastSize = 2

// uniform is an instance in which all sorts have the same size.
func (s *search) uniform(n int) *system.Instance {
	inst := &system.Instance{Sizes: map[*logic.Sort]int{}, Values: s.values[0].Values}
	if values := s.valuesOf(n); len(values) > 0 {
		inst.Values = values[0].Values
	}
	for _, sort := range s.sys.Sized() {
		inst.Sizes[sort] = n
	}
	inst.Integers = s.sys.WindowFor(inst)
	s.name(inst)
	return inst
}

// manyValues bounds the values of the parameters of a system with elements.
const manyValues = 6

// parameters lists the values of the integer parameters up to a largest one that the axioms allow,
// as instances without sizes; a single one without values if there are no parameters. The first
// ones differ from each other and from 0: equal ones say too much.
func parameters(sys *system.System, largest int64) []*system.Instance {
	of := &linear{sys: sys}
	for _, sym := range sys.Symbols {
		if !sym.Mutable && !sym.Derived && len(sym.Args) == 0 && sym.Result.Base() == logic.Int {
			of.params = append(of.params, sym)
		}
	}
	if len(of.params) == 0 || len(of.params) > fullReach {
		return []*system.Instance{{}}
	}
	choices := make([]int64, largest+1)
	for i := range choices {
		choices[i] = int64(i)
	}
	out := of.list(of.params, func(*logic.Symbol, map[*logic.Symbol]int64) []int64 {
		return slices.Clone(choices)
	})
	if len(out) == 0 {
		return []*system.Instance{{}}
	}
	same := func(inst *system.Instance) int { // how many are 0, or equal to others
		seen := map[int64]bool{0: true}
		for _, v := range inst.Values {
			seen[v.Int.Int64()] = true
		}
		return len(inst.Values) + 1 - len(seen)
	}
	sum := func(inst *system.Instance) (n int64) {
		for _, v := range inst.Values {
			n += v.Int.Int64()
		}
		return n
	}
	slices.SortStableFunc(out, func(a, b *system.Instance) int {
		return cmp.Or(cmp.Compare(same(a), same(b)), cmp.Compare(sum(a), sum(b)))
	})
	return out
}

// smallParameters lists the values of parameters that instances with elements have.
func smallParameters(sys *system.System) []*system.Instance {
	out := parameters(sys, 3)
	return out[:min(len(out), manyValues)]
}

// sample explores small instances.
func (s *search) sample(ctx context.Context) error {
	ctx, ended := effort.Begin(ctx, "states of small instances")
	defer ended()
	if s.linear != nil {
		s.linear.wide = s.linear.wide && s.opts.Effort == 0
		return s.sampleGrid(ctx)
	}
	s.orders = s.findOrders(ctx)
	last := s.enlarge(ctx, s.small(leastSize, leastSize+1))
	for size := 4; size <= largest && s.tiny() && !s.violated && ctx.Err() == nil &&
		s.enlarge(ctx, s.small(size)) == nil; size++ {
		s.hasLarge = true
	}
	// such as for want of values that only a person can choose
	if len(s.worlds) == 0 && ctx.Err() == nil {
		last = cmp.Or(s.enlarge(ctx, s.sys.Instances), last)
	}
	if ctx.Err() != nil {
		return ctx.Err()
	}
	return s.explored(last)
}

// explored ends the search where no instance can be explored.
func (s *search) explored(last error) error {
	if len(s.worlds) == 0 && last != nil {
		s.out.Reason = result.Because(result.Unsupported,
			fmt.Sprintf("no instance could be explored: %v", last))
		return errUnexplored
	}
	return nil
}

var errUnexplored = errors.New("no instance could be explored")

// sampleGrid explores instances with small values of the parameters.
func (s *search) sampleGrid(ctx context.Context) error {
	states := 0
	var last error
	var grown, asked []*world
	grid, large := s.linear.instances()
	grid = grid[:min(len(grid), s.linear.most())]
	most := exploreAll
	if s.linear.wide {
		most = exploreWide
	}
	for i, inst := range append(grid, large...) {
		if ctx.Err() != nil || states > manyStates && i < len(grid) {
			continue
		}
		m, err := interp.NewModel(s.finite, inst)
		if err != nil {
			last = err
			continue
		}
		w, err := exploreUpTo(ctx, newStructure(m), nil, nil, 0, most)
		if err != nil {
			last = err
			continue
		}
		if len(w.states) == 0 || !w.complete {
			continue
		}
		s.note("%s: %d states", inst.Name, len(w.states))
		states += len(w.states)
		s.linear.add(w)
		s.worlds = append(s.worlds, w)
		if s.violatedIn(ctx, w) {
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
	s.linear.prune()
	slices.SortStableFunc(grown, func(a, b *world) int {
		return cmp.Compare(len(a.states), len(b.states))
	})
	for _, w := range inTurn(grown, asked) {
		s.instances = append(s.instances, w.model.Instance)
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
func (s *search) tiny() bool {
	n := len(s.worlds)
	return n > 0 && s.worlds[n-1].complete && len(s.worlds[n-1].states) < fewStates
}

// enlarge adds instances, until one has a violation. The error is the error of the last instance
// that cannot be explored.
func (s *search) enlarge(ctx context.Context, instances []*system.Instance) (last error) {
	for _, inst := range instances {
		m, err := interp.NewModel(s.finite, inst)
		if err != nil {
			last = err
			continue
		}
		w, err := explore(ctx, newStructure(m), s.orders, s.properties(), int64(len(s.worlds)))
		if err != nil {
			last = err
			continue
		}
		s.note("%s: %d states", inst.Name, len(w.states))
		s.worlds = append(s.worlds, w)
		if s.violatedIn(ctx, w) {
			return nil
		}
		if len(s.instances) < 2 || len(w.model.SlotSymbols()) <= fewSlots {
			s.instances = append(s.instances, inst)
		}
	}
	for _, t := range s.templates {
		t.pool = nil
	}
	return last
}

// instanceOf adds the instance of a counterexample to induction that nothing excludes, if none of
// the instances has its sizes and parameters. (It need not be a part of a larger one.) It reports
// whether it did.
func (s *search) instanceOf(ctx context.Context, t *result.Trace) bool {
	given, err := interp.InstanceOf(s.sys, t)
	if err != nil || s.linear != nil || s.instancesFromTraces == mostFromTraces {
		return false
	}
	inst := s.uniform(2)
	inst.Name = "instance of a counterexample"
	for sort, n := range given.Sizes {
		inst.Sizes[sort] = max(n, 2)
	}
	if len(given.Values) > 0 {
		inst.Values = given.Values
	}
	if slices.ContainsFunc(s.instances, func(other *system.Instance) bool {
		return maps.Equal(inst.Sizes, other.Sizes) &&
			maps.EqualFunc(inst.Values, other.Values, logic.Equal)
	}) {
		return false
	}
	m, err := interp.NewModel(s.finite, inst)
	if err != nil || len(m.SlotSymbols()) > manySlots {
		return false
	}
	s.instancesFromTraces++
	if s.enlarge(ctx, []*system.Instance{inst}) != nil {
		return false
	}
	s.ask(inst)
	return true
}

// probe is a larger instance: no state of it is explored until the goals are not inductive there.
type probe struct {
	inst *system.Instance
	ind  *bmc.Induction
}

// Limits of probes: the conflicts of a question, and the slots of a state.
const (
	probeConflicts = 5_000
	probeSlots     = 400
)

// probe makes probes of larger instances: with many elements of one sort, and some of all.
func (s *search) probe(ctx context.Context, many, some int) {
	if s.linear != nil {
		return
	}
	add := func(inst *system.Instance) {
		m, err := interp.NewModel(s.finite, inst)
		if err != nil || ctx.Err() != nil || len(m.SlotSymbols()) > probeSlots || s.covers(inst) {
			return
		}
		if ind, err := s.induction(inst); err == nil {
			ind.Limit = probeConflicts
			s.probes = append(s.probes, &probe{inst, ind})
		}
	}
	for _, size := range []int{2, 3} {
		for _, sort := range s.sys.Sized() {
			inst := s.uniform(size)
			inst.Sizes[sort] = many
			s.name(inst)
			add(inst)
		}
	}
	add(s.uniform(some))
}

// widen looks for a probe in which the goals are not inductive, which then is explored and gets
// questions as the other instances: a solver that is asked about all instances at once rarely says
// that a lemma is false in one of that size. A probe with hard questions is given up. Widen reports
// whether there is one.
func (s *search) widen(ctx context.Context) bool {
	for _, p := range slices.Clone(s.probes) {
		if ctx.Err() != nil || s.covers(p.inst) {
			continue
		}
		left, err := s.breaks(ctx, p.ind)
		if !left && err == nil || ctx.Err() != nil {
			continue
		}
		s.probes = slices.DeleteFunc(s.probes, func(x *probe) bool { return x == p })
		p.ind.Limit = questionConflicts
		if left && s.enlarge(ctx, []*system.Instance{p.inst}) == nil {
			s.ask(p.inst)
			return true
		}
	}
	return false
}

// breaks reports whether a step on an instance is found that leads out of the goals. An error means
// that this is unknown.
func (s *search) breaks(ctx context.Context, ind *bmc.Induction) (bool, error) {
	assumed := formulas(s.goals)
	for _, g := range s.goals {
		if _, _, found, err := ind.Counterexample(ctx, assumed, g.term, nil, 0); found ||
			err != nil {
			return found, err
		}
	}
	return false, nil
}

// covers reports whether an instance with questions has at least as many elements of each sort.
func (s *search) covers(inst *system.Instance) bool {
	return slices.ContainsFunc(s.instances, func(other *system.Instance) bool {
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

// ask makes an instance get questions.
func (s *search) ask(inst *system.Instance) {
	if !slices.Contains(s.instances, inst) {
		s.instances = append(s.instances, inst)
	}
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
func (s *search) inOrder(of *structure) map[int]int64 {
	out := map[int]int64{}
	for sort, order := range s.orders {
		n, from := of.domain(sort).n, of.tables[order].offset
		reflexive := s.reflexive(order)
		for a := range n {
			for b := range n {
				if a < b || a == b && reflexive {
					out[from+int(a*n+b)] = 1
				} else {
					out[from+int(a*n+b)] = 0
				}
			}
		}
	}
	return out
}

// reflexive reports whether an order holds between each element and itself, in explored states.
func (s *search) reflexive(order *logic.Symbol) bool {
	for _, w := range s.worlds {
		if len(w.states) > 0 {
			return w.states[0][w.tables[order].offset] == 1
		}
	}
	return false
}

// findOrders looks for relations that are a total order in the initial states of an instance.
func (s *search) findOrders(ctx context.Context) orders {
	out := orders{}
	instances := s.small(3)
	if len(instances) == 0 {
		return out
	}
	m, err := interp.NewModel(s.finite, instances[0])
	if err != nil {
		return out
	}
	of := newStructure(m)
	initial, err := of.initial(ctx, nil, rand.New(rand.NewSource(0)))
	if err != nil || len(initial) == 0 {
		return out
	}
	for _, sym := range s.sys.Symbols {
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
