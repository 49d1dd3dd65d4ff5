package tla

import (
	"context"
	"encoding/binary"
	"slices"
	"sync"

	"erelong.dev/erelong/internal/system"
	"erelong.dev/erelong/internal/value"
)

// maker finds the state that stands for others: among the ones that a symmetry makes of a state the
// least one, and among the ones with an equal view the first one that was found.
//
// States are compared variable by variable. So the permutations that make the least value of the
// first variable go on to the second one, and so on. A set of permutations that goes on has a
// number, and what a value does to it is remembered.
type maker struct {
	*model
	images map[uint32][]*value.Value // of parts of values, by their numbers, under the permutations
	going  map[string]uint32         // the sets of permutations that were met: their numbers
	sets   [][]int                   // by the numbers
	choice map[choice]chosen
	latest []latest // choices, of which each has one place
	// Of the images of parts, by their numbers: hashes, and what they add to the hash of a set.
	hashes, members map[uint32][]uint64
	values          []*value.Value
	key             []uint32 // of a view
}

// choice is a value of a variable and the permutations to choose from, by their numbers.
type choice struct{ set, value uint32 }

// latest is a choice with what was chosen.
type latest struct {
	choice
	chosen
}

const mostLatest = 1 << 13

// chosen are the least value that one of them makes, and the ones that make it.
type chosen struct {
	set   uint32
	value *value.Value
}

func newMaker(m *model) *maker {
	k := &maker{model: m, images: map[uint32][]*value.Value{}, going: map[string]uint32{},
		choice: map[choice]chosen{},
		hashes: map[uint32][]uint64{}, members: map[uint32][]uint64{}}
	if len(m.perms) > 1 {
		k.latest = make([]latest, mostLatest)
	}
	all := make([]int, len(m.perms))
	for i := range all {
		all[i] = i
	}
	k.number(all)
	return k
}

// number gives a set of permutations its number. The one of all is 0.
func (k *maker) number(set []int) uint32 {
	key := make([]byte, 0, 4*len(set))
	for _, p := range set {
		key = binary.LittleEndian.AppendUint32(key, uint32(p))
	}
	n, ok := k.going[string(key)]
	if !ok {
		n = uint32(len(k.sets))
		k.going[string(key)], k.sets = n, append(k.sets, set)
	}
	return n
}

// represent gives the representative of a state, whose values are interned. It may change the
// slice.
func (k *maker) represent(
	vs []*value.Value, view func([]*value.Value) ([]*value.Value, error),
) ([]*value.Value, error) {
	if len(k.perms) > 1 {
		vs = k.least(vs)
	}
	if k.views == nil {
		return vs, nil
	}
	parts, err := view(vs)
	if err != nil {
		return nil, err
	}
	k.key = k.views.of(k.program.Space, parts, vs, k.key)
	return vs, nil
}

// least is the state with the least hashes that a permutation makes. Hashes are equal in all runs.
func (k *maker) least(vs []*value.Value) []*value.Value {
	k.values = k.values[:0]
	set := uint32(0)
	for _, v := range vs {
		id, _ := v.ID()
		s := k.chosenOf(choice{set, id}, v)
		k.values = append(k.values, s.chosen.value)
		set = s.chosen.set
	}
	return k.values
}

// chosenOf is what is chosen of a value, which is remembered.
func (k *maker) chosenOf(c choice, v *value.Value) *latest {
	at := &k.latest[(uint64(c.set)<<32|uint64(c.value))*0x9e3779b97f4a7c15>>32%mostLatest]
	if at.choice == c && at.chosen.value != nil {
		return at
	}
	s, ok := k.choice[c]
	if !ok {
		s = k.choose(c.set, v)
		k.choice[c] = s
	}
	*at = latest{c, s}
	return at
}

// choose finds the least value that one of some permutations makes. Only values with the least hash
// are made.
func (k *maker) choose(set uint32, v *value.Value) chosen {
	hashes := k.hashesOf(v)
	if hashes == nil {
		return chosen{set, v}
	}
	all := k.sets[set]
	least := hashes[all[0]]
	for _, p := range all {
		least = min(least, hashes[p])
	}
	var best *value.Value
	var by []int
	for _, p := range all {
		if hashes[p] != least {
			continue
		}
		w := k.program.Space.Intern(k.permuted(v, p))
		if best == nil {
			best = w
		}
		if w == best { // else two values have one hash
			by = append(by, p)
		}
	}
	return chosen{k.number(by), best}
}

// hashesOf are the hashes of what each permutation makes of a value; nil where it stays what it is.
func (k *maker) hashesOf(v *value.Value) []uint64 {
	switch {
	case v.Kind() < value.Model:
		return nil
	case v.Kind() == value.Model:
		out, moves := make([]uint64, len(k.perms)), false
		for p := range k.perms {
			to := k.moved(v, p)
			out[p], moves = to.Hash(), moves || to != v
		}
		if !moves {
			return nil
		}
		return out
	}
	return value.MappedHashes(v, len(k.perms), k.hashesOfPart, func(e *value.Value) []uint64 {
		id, ok := e.ID()
		if !ok {
			return value.MappedMembers(k.hashesOf(e))
		}
		h, ok := k.members[id]
		if !ok {
			h = value.MappedMembers(k.hashesOfPart(e))
			k.members[id] = h
		}
		return h
	})
}

// hashesOfPart is hashesOf, remembered.
func (k *maker) hashesOfPart(e *value.Value) []uint64 {
	id, ok := e.ID()
	if !ok {
		return k.hashesOf(e)
	}
	h, ok := k.hashes[id]
	if !ok {
		h = k.hashesOf(e)
		k.hashes[id] = h
	}
	return h
}

// moved is a model value under a permutation.
func (k *maker) moved(v *value.Value, p int) *value.Value {
	if to, ok := value.At(k.perms[p], v); ok {
		return to
	}
	return v
}

// permuted is an interned value under a permutation. The images of its parts are remembered.
func (k *maker) permuted(v *value.Value, p int) *value.Value {
	switch {
	case v.Kind() < value.Model:
		return v
	case v.Kind() == value.Model:
		return k.moved(v, p)
	}
	return value.Mapped(v, func(e *value.Value) *value.Value {
		id, ok := e.ID()
		if !ok || e.Kind() <= value.Model {
			return k.permuted(e, p)
		}
		all := k.images[id]
		if all == nil {
			all = make([]*value.Value, len(k.perms))
			k.images[id] = all
		}
		if all[p] == nil {
			all[p] = k.program.Space.Intern(k.permuted(e, p))
		}
		return all[p]
	})
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
type quotient struct {
	*model
	computers sync.Pool
}

// Representative is the state that stands for a state.
func (q *quotient) Representative(state []int64) []int64 {
	c, ok := q.computers.Get().(*computer)
	if !ok {
		c = q.computer(context.Background())
	}
	defer q.computers.Put(c)
	out, err := c.Stand(state)
	if err != nil {
		return state
	}
	return slices.Clone(out)
}

// Whole is the model without its symmetry and its view.
func (q *quotient) Whole() (c system.Computed, finite bool) {
	m := *q.model
	m.perms, m.views = nil, nil
	return &m, q.views == nil
}
