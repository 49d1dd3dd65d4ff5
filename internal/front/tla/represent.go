package tla

import (
	"slices"
	"sync"

	"erelong.dev/erelong/internal/system"
	"erelong.dev/erelong/internal/value"
)

// maker finds the state that stands for others: among the ones that a symmetry makes of a state the
// least one, and among the ones with an equal view the first one that was found.
type maker struct {
	*model
	images map[image]*value.Value
	values []*value.Value
	best   []*value.Value
}

// image is a value, by its number, under a permutation.
type image struct {
	value       uint32
	permutation int
}

func newMaker(m *model) *maker { return &maker{model: m, images: map[image]*value.Value{}} }

// represent gives the representative of a state, whose values are interned. It may change the
// slice.
func (k *maker) represent(vs []*value.Value, view func([]*value.Value) (*value.Value, error)) (
	[]*value.Value, error,
) {
	if len(k.perms) > 1 {
		vs = k.least(vs)
	}
	if k.views == nil {
		return vs, nil
	}
	v, err := view(vs)
	if err != nil {
		return nil, err
	}
	id, _ := k.program.Space.Intern(v).ID()
	return k.views.of(id, vs), nil
}

// least is the state with the least hashes that a permutation makes. Hashes are equal in all runs.
func (k *maker) least(vs []*value.Value) []*value.Value {
	k.best = append(k.best[:0], vs...)
	for p := range k.perms {
		k.values = k.values[:0]
		better := false
		for i, v := range vs {
			w := k.image(v, p)
			if !better && w != k.best[i] {
				if w.Hash() > k.best[i].Hash() {
					break
				}
				better = true
			}
			k.values = append(k.values, w)
		}
		if better {
			k.best, k.values = k.values, k.best
		}
	}
	return k.best
}

// image is an interned value under a permutation.
func (k *maker) image(v *value.Value, p int) *value.Value {
	id, _ := v.ID()
	key := image{id, p}
	w := k.images[key]
	if w == nil {
		perm := k.perms[p]
		w = k.program.Space.Intern(value.Permuted(v, func(m *value.Value) *value.Value {
			if to, ok := value.At(perm, m); ok {
				return to
			}
			return m
		}))
		k.images[key] = w
	}
	return w
}

// views are the first states that were found with a view, by its number.
type views struct {
	sync.Mutex
	first map[uint32][]*value.Value
}

func (v *views) of(id uint32, vs []*value.Value) []*value.Value {
	v.Lock()
	defer v.Unlock()
	if first, ok := v.first[id]; ok {
		return first
	}
	v.first[id] = slices.Clone(vs)
	return v.first[id]
}

// group lists the permutations of the group that some generate: TLC closes a symmetry set so.
func group(generators []*value.Value) []*value.Value {
	var all []*value.Value
	known := map[uint64]bool{}
	add := func(p *value.Value) {
		if !known[p.Hash()] {
			known[p.Hash()] = true
			all = append(all, p)
		}
	}
	for _, g := range generators {
		add(g)
	}
	for i := 0; i < len(all); i++ {
		for _, g := range generators {
			add(composed(all[i], g))
		}
	}
	return all
}

// composed is the first permutation followed by the second, where both may leave values out.
func composed(f, g *value.Value) *value.Value {
	domain := value.Cup(value.Domain(f), value.Domain(g)).Forced()
	to := func(p, v *value.Value) *value.Value {
		if w, ok := value.At(p, v); ok {
			return w
		}
		return v
	}
	values := make([]*value.Value, 0, value.Size(domain))
	for _, v := range domain.Listed() {
		values = append(values, to(g, to(f, v)))
	}
	return value.FunctionOf(domain, values)
}

// quotient is a model with a symmetry or a view.
type quotient struct{ *model }

// Representative is the state that stands for a state.
func (q *quotient) Representative(state []int64) []int64 {
	c := q.Computer().(*computer)
	if !c.represents() {
		return state
	}
	vs, err := c.maker.represent(slices.Clone(c.values(state, &c.before)), c.view)
	if err != nil {
		return state
	}
	return c.numbers(vs, nil)
}

// Whole is the model without its symmetry and its view.
func (q *quotient) Whole() (c system.Computed, finite bool) {
	m := *q.model
	m.perms, m.views = nil, nil
	return &m, q.views == nil
}
