package infer

import (
	"cmp"
	"context"
	"math/rand"
	"slices"

	"erelong.dev/erelong/internal/engine/bmc"
	"erelong.dev/erelong/internal/interp"
	"erelong.dev/erelong/internal/logic"
	"erelong.dev/erelong/internal/system"
)

// A run of an instance with many records becomes a run of one with few: the records that it uses
// stay, and the others are left out. That this is a run is seen by carrying it out (follow).

// recordsLevel is the vocabulary before which instances with records are explored. The ones before
// it are quickly done with, and find what needs no such instance.
const recordsLevel = walkLevel

// Limits of these runs.
const (
	fewRecords   = 4 // of a sort, in the smaller instance
	runsLookedAt = 200
	someRuns     = 100 // of these that become runs of the smaller instance
)

// sampleRecords adds instances for a system with records. A brief search has one.
func (s *samples) sampleRecords(ctx context.Context, brief bool) {
	s.records = findRecords(s.instances, s.orders)
	shapes := s.records.shapes(2)
	if brief {
		shapes = shapes[:min(len(shapes), 1)]
	}
	for i, inst := range shapes {
		w := s.exploreRecords(ctx, inst, int64(i))
		if s.claims.violated() || ctx.Err() != nil {
			return
		}
		if w != nil {
			s.worlds = append(s.worlds, w)
		}
	}
}

// exploreRecords explores an instance with many records, and then one with few, from runs of the
// first. It gives the second one, nil where there is no such run, or a violation.
func (s *samples) exploreRecords(ctx context.Context, inst *system.Instance, seed int64) *world {
	rng := rand.New(rand.NewSource(seed))
	of := s.records.many(inst)
	if of == nil {
		return nil
	}
	initial, err := s.records.draw(ctx, of, bmc.Start{Values: s.inOrder(of)}, rng)
	if err != nil || len(initial) == 0 {
		return nil
	}
	from, claims := start{initial: initial, uncounted: s.records.all()}, s.claims.terms()
	many, err := exploreFrom(ctx, of, from, s.orders, claims, rng, exploreAll)
	if err != nil {
		return nil
	}
	s.claims.note("%s: %d states", inst.Name, len(many.states))
	few, err := s.records.few(inst)
	if err != nil {
		return nil
	}
	from.initial, from.runs = nil, s.records.runs(ctx, many, few, rng)
	if s.claims.violatedIn(ctx, many) || len(from.runs) == 0 {
		return nil
	}
	w, err := exploreFrom(ctx, few, from, s.orders, claims, rng, exploreAll)
	if err != nil {
		return nil
	}
	s.claims.note("%s: %d states", w.model.Instance.Name, len(w.states))
	if w.initial = nil; s.claims.violatedIn(ctx, w) {
		return nil
	}
	return w
}

// few is an instance with few records.
func (r *records) few(inst *system.Instance) (*structure, error) {
	out := *inst
	out.Sizes = map[*logic.Sort]int{}
	for sort, n := range inst.Sizes {
		if r.fields[sort] != nil {
			n = min(n, fewRecords)
		}
		out.Sizes[sort] = n
	}
	r.name(&out)
	return r.structure(&out)
}

// runs gives runs of a world that use few records, as runs of a smaller instance. First come the
// ones in whose last states two facts are true that are not in the last state of a longer one, and
// then any, from the longer half if possible.
func (r *records) runs(
	ctx context.Context, w *world, to *structure, rng *rand.Rand,
) (out [][]interp.State) {
	length := map[string]int{}
	for _, st := range w.states {
		length[w.model.Key(st)] = len(w.path(st))
	}
	states := slices.Clone(w.states)
	slices.SortStableFunc(states, func(a, b interp.State) int {
		return cmp.Compare(length[w.model.Key(b)], length[w.model.Key(a)])
	})
	seen := newFactPairs(w, r.orders)
	var first, others []interp.State
	for _, st := range states {
		if seen.add(st) {
			first = append(first, st)
		} else {
			others = append(others, st)
		}
	}
	longer := others[:len(others)/2]
	rng.Shuffle(len(longer), func(i, j int) { longer[i], longer[j] = longer[j], longer[i] })
	states = append(first, others...)
	taken := map[string]bool{}
	for _, st := range states[:min(len(states), runsLookedAt)] {
		if len(out) == someRuns || ctx.Err() != nil {
			break
		}
		if taken[w.model.Key(st)] {
			continue
		}
		path := w.path(st)
		stay, ok := r.used(ctx, w, path)
		if !ok {
			continue
		}
		var run []interp.State
		for _, x := range path {
			taken[w.model.Key(x)] = true
			run = append(run, w.restrict(x, to, stay))
		}
		out = append(out, run)
	}
	return out
}

// factPairs are pairs of facts that were true together. A fact says that a relation holds for some
// elements without an order, and for given ones with an order.
type factPairs struct {
	facts []int // by slot, -1 for none
	seen  map[[2]int]bool
}

func newFactPairs(w *world, by orders) *factPairs {
	p := &factPairs{facts: slices.Clone(newSignatures(w.structure, by, nil).classes),
		seen: map[[2]int]bool{}}
	for slot, sym := range w.symbols {
		if !sym.Mutable || sym.Result != logic.Bool {
			p.facts[slot] = -1
		}
	}
	return p
}

// add reports whether facts are true in a state that were never true together before.
func (p *factPairs) add(st interp.State) (some bool) {
	var now []int
	for slot, v := range st {
		if f := p.facts[slot]; f >= 0 && v == 1 && !slices.Contains(now, f) {
			now = append(now, f)
		}
	}
	for i, a := range now {
		for _, b := range now[:i] {
			pair := [2]int{min(a, b), max(a, b)}
			some = some || !p.seen[pair]
			p.seen[pair] = true
		}
	}
	return some
}

// used lists by sort the records that stay for a run: the arguments of its steps, and a few
// more. Between two states it takes the step with the fewest further ones. It gives false if they
// are too many.
func (r *records) used(
	ctx context.Context, w *world, path []interp.State,
) (map[*logic.Sort][]int64, bool) {
	used := map[*logic.Sort][]int64{}
	for i, st := range path[1:] {
		a := r.finite.Actions[w.origins[w.model.Key(st)].action]
		if !slices.ContainsFunc(a.Params, func(v *logic.Var) bool {
			return r.fields[v.Sort] != nil
		}) {
			continue
		}
		var best []interp.Arg
		found := false
		// An action without a value in this state has no such step.
		_ = w.model.Steps(ctx, path[i], a, func(step interp.Step) error {
			if !slices.Equal(step.State, st) {
				return nil
			}
			var more []interp.Arg
			for _, x := range step.Args {
				if r.fields[x.Var.Sort] != nil && !slices.Contains(used[x.Var.Sort], x.Value) {
					more = append(more, x)
				}
			}
			if !found || len(more) < len(best) {
				found, best = true, more
			}
			if len(best) == 0 {
				return interp.ErrStop
			}
			return nil
		})
		for _, x := range best {
			sort := x.Var.Sort
			if !slices.Contains(used[sort], x.Value) {
				used[sort] = append(used[sort], x.Value)
			}
			if len(used[sort]) > fewRecords {
				return nil, false
			}
		}
	}
	for sort := range r.fields {
		for e := range w.domain(sort).n {
			if len(used[sort]) < fewRecords && !slices.Contains(used[sort], e) {
				used[sort] = append(used[sort], e)
			}
		}
	}
	return used, true
}

// restrict gives a state without the elements that are not among the ones that stay.
func (w *world) restrict(
	st interp.State, to *structure, stay map[*logic.Sort][]int64,
) interp.State {
	out := make(interp.State, len(to.symbols))
	args := to.model.SlotArguments()
	for slot, sym := range to.symbols {
		tab := w.tables[sym]
		index := int64(0)
		for i, v := range args[slot] {
			if s := stay[sym.Args[i]]; s != nil {
				v = s[v]
			}
			index = index*tab.args[i].n + v - tab.args[i].lo
		}
		v := st[tab.offset+int(index)]
		if s := stay[sym.Result]; s != nil {
			v = int64(max(slices.Index(s, v), 0))
		}
		out[slot] = v
	}
	return out
}
