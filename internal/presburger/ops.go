package presburger

import (
	"encoding/binary"
	"fmt"
	"math/bits"
	"slices"
	"unsafe"
)

// pair is a node of each of two automata.
type pair [2]int32

// nowhere is the pair that stands for the empty set.
var nowhere = pair{-1, -1}

// And is the intersection of two sets of one space.
func (s *Store) And(x, y *Set) *Set {
	switch {
	case x.space != y.space:
		panic("presburger: sets of different spaces")
	case x == y || y.IsAll() || x.IsEmpty():
		return x
	case x.IsAll() || y.IsEmpty():
		return y
	}
	if x.hash > y.hash {
		x, y = y, x
	}
	return s.memo(operation{what: "and", a: x, b: y}, func() *Set {
		reduce := func(k pair) pair {
			switch {
			case x.none[k[0]] || y.none[k[1]]:
				return nowhere
			case x.all[k[0]]:
				k[0] = -1
			case y.all[k[1]]:
				k[1] = -1
			}
			return k
		}
		// A component -1 alone stands for all vectors.
		return automaton(s, x.space, reduce(pair{0, 0}), func(k pair, _, digit int) pair {
			switch {
			case k == nowhere:
				return k
			case k[0] < 0:
				k[1] = y.next[k[1]][digit]
				if y.none[k[1]] {
					return nowhere
				}
				return k
			case k[1] < 0:
				k[0] = x.next[k[0]][digit]
				if x.none[k[0]] {
					return nowhere
				}
				return k
			}
			return reduce(pair{x.next[k[0]][digit], y.next[k[1]][digit]})
		}, func(k pair) sign {
			switch {
			case k == nowhere:
				return no
			case k[0] < 0:
				return y.end[k[1]]
			case k[1] < 0:
				return x.end[k[0]]
			}
			return s.signs.and(x.end[k[0]], y.end[k[1]])
		})
	})
}

// Not is the set of the vectors of the space that are not in x.
func (s *Store) Not(x *Set) *Set {
	return s.memo(operation{what: "not", a: x}, func() *Set {
		y := &Set{space: x.space, next: x.next, level: x.level, end: slices.Clone(x.end)}
		for i, l := range x.level {
			if l == 0 {
				y.end[i] = s.signs.not(x.end[i])
			}
		}
		y = s.share(y)
		s.done[operation{what: "not", a: y}] = x
		return y
	})
}

// Or is the union of two sets.
func (s *Store) Or(x, y *Set) *Set { return s.Not(s.And(s.Not(x), s.Not(y))) }

// Minus is the set of the vectors of x that are not in y.
func (s *Store) Minus(x, y *Set) *Set { return s.And(x, s.Not(y)) }

// Within reports whether each vector of x is in y.
func (s *Store) Within(x, y *Set) bool { return s.Minus(x, y).IsEmpty() }

// Forget is the set of the vectors that are in x after a change of component i: projection, in the
// same space. An automaton that guesses the digits of the component is made deterministic. The
// vector that it guesses may have more digits than the others, so their ends are saturated.
func (s *Store) Forget(x *Set, i int) *Set {
	if x.IsEmpty() || x.IsAll() {
		return x
	}
	return s.memo(operation{what: "forget", a: x, arg: fmt.Sprint(i)}, func() *Set {
		sets := newSubsets()
		root := sets.of(x, []int32{0})
		var to []int32
		d := explore(s, x.space, root, func(k int32, level, digit int) int32 {
			to = to[:0]
			for _, n := range sets.nodes[k] {
				if level == i {
					to = append(to, x.next[n][0], x.next[n][1])
				} else {
					to = append(to, x.next[n][digit])
				}
			}
			return sets.of(x, to)
		}, func(k int32) sign {
			f := no
			for _, n := range sets.nodes[k] {
				f = s.signs.or(f, x.end[n])
			}
			return s.signs.exists(f, int32(i))
		})
		s.saturate(d)
		return s.finish(d)
	})
}

// subsets numbers sets of nodes.
type subsets struct {
	nodes [][]int32
	index map[string]int32
}

func newSubsets() *subsets { return &subsets{index: map[string]int32{}} }

// of numbers a set of nodes of x; they are sorted here, and the ones that add nothing left out.
func (s *subsets) of(x *Set, nodes []int32) int32 {
	slices.Sort(nodes)
	kept := nodes[:0]
	for j, n := range nodes {
		switch {
		case j > 0 && n == nodes[j-1] && len(kept) > 0 && kept[len(kept)-1] == n || x.none[n]:
		case x.all[n]:
			kept = append(kept[:0], n)
			return s.number(kept)
		default:
			kept = append(kept, n)
		}
	}
	return s.number(kept)
}

func (s *subsets) number(nodes []int32) int32 {
	var key string
	if len(nodes) > 0 {
		key = unsafe.String((*byte)(unsafe.Pointer(&nodes[0])), 4*len(nodes))
	}
	i, ok := s.index[key]
	if !ok {
		i = int32(len(s.nodes))
		s.nodes = append(s.nodes, slices.Clone(nodes))
		b := make([]byte, 0, 4*len(nodes))
		for _, n := range nodes {
			b = binary.NativeEndian.AppendUint32(b, uint32(n))
		}
		s.index[string(b)] = i
	}
	return i
}

// saturate adds to the ends of a draft what its nodes say after more digits of the signs: what is
// accepted after them is accepted at once.
func (s *Store) saturate(d *draft) {
	n := len(d.space)
	byLevel := make([][]int32, n)
	for i, l := range d.level {
		byLevel[l] = append(byLevel[l], int32(i))
	}
	after := make([]sign, len(d.next)) // what a node says after the rest of its round
	for changed := true; changed; {
		s.check(len(d.next))
		changed = false
		for l := n - 1; l >= 0; l-- {
			for _, i := range byLevel[l] {
				to := d.next[i]
				lo, hi := after[to[0]], after[to[1]]
				if l == n-1 {
					lo, hi = d.end[to[0]], d.end[to[1]]
				}
				f := lo
				if d.space.signed(l) && lo != hi {
					f = s.signs.ite(s.signs.negative(l), hi, lo)
				}
				if l > 0 {
					after[i] = f
				} else if more := s.signs.or(d.end[i], f); more != d.end[i] {
					d.end[i] = more
					changed = true
				}
			}
		}
	}
}

// Affine is a map between spaces: a sum for each component of a value.
type Affine []Linear

// Identity is the map that changes nothing.
func Identity(n int) Affine {
	out := make(Affine, n)
	for i := range out {
		out[i].Coeffs = make([]int64, n)
		out[i].Coeffs[i] = 1
	}
	return out
}

// Of is the value for a vector.
func (f Affine) Of(x []int64) []int64 {
	out := make([]int64, len(f))
	for i, l := range f {
		out[i] = l.Of(x)
	}
	return out
}

// carried is a state of a preimage: a node, what is carried to the next round for each component,
// and the digits of this round that are still needed.
type carried struct {
	node   int32
	carry  [2]uint64
	digits uint64
}

// Before is the preimage of x: the vectors y of a space with f(y) in x. Components of f(y) that
// the space of x does not have are in no set. As y = 2 z + b, with digits b, f(y) - f(0) is twice
// f(z) - f(0), and what the digits make of it: digits of f(y), and carries.
func (s *Store) Before(x *Set, space Space, f Affine) *Set {
	if len(f) != len(x.space) {
		panic("presburger: a map into another space")
	}
	if x.IsEmpty() {
		return s.None(space)
	}
	return s.memo(operation{what: "before", a: x, arg: fmt.Sprint(space, f)}, func() *Set {
		p := s.newPreimage(x, space, f)
		d := explore(s, space, p.root(), p.next, p.end)
		s.saturate(d)
		return s.finish(d)
	})
}

// preimage computes a preimage.
type preimage struct {
	s     *Store
	x     *Set
	space Space
	f     Affine
	rows  [][]int    // the components of x whose digits are known after a component of y, in order
	keep  []uint64   // the digits that are needed after a component of y
	low   []int64    // the least carry of each component of x
	shift []int      // where the carry of a component is stored; -1 where it is always 0
	width []int      // in how many bits
	ends  []signPair // what the signs of y make of a carry
	known []map[int64]signPair
}

// signPair says for which signs a component is 0, and for which it is -1.
type signPair struct{ zero, minus sign }

func (s *Store) newPreimage(x *Set, space Space, f Affine) *preimage {
	n := len(space)
	if n > maxComponents || len(x.space) > maxComponents {
		s.stop("vectors of more than %d components", maxComponents)
	}
	p := &preimage{s: s, x: x, space: space, f: f, rows: make([][]int, n), keep: make([]uint64, n)}
	needed := 0
	used := 0
	for e, l := range f {
		s.within(append([]int64{l.Constant}, l.Coeffs...)...)
		var least, most int64
		for j, a := range l.Coeffs {
			if a != 0 {
				needed = max(needed, j)
			}
			least, most = least+min(a, 0), most+max(a, 0)
		}
		p.rows[needed] = append(p.rows[needed], e)
		p.known = append(p.known, map[int64]signPair{})
		lo, hi := min(least, l.Constant), max(most-1, l.Constant, 0)
		w := bits.Len64(uint64(hi - lo))
		p.low, p.width = append(p.low, lo), append(p.width, w)
		if w == 0 {
			p.shift = append(p.shift, -1)
			continue
		}
		if used < 64 && used+w > 64 {
			used = 64
		}
		p.shift = append(p.shift, used)
		if used += w; used > 128 {
			s.stop("a step whose numbers have more than 128 digits")
		}
	}
	for level := range n {
		for later := level + 1; later < n; later++ {
			for _, e := range p.rows[later] {
				for j, a := range f[e].Coeffs {
					if a != 0 && j <= level {
						p.keep[level] |= 1 << j
					}
				}
			}
		}
	}
	return p
}

func (p *preimage) carry(k *carried, e int) int64 {
	if p.shift[e] < 0 {
		return p.low[e]
	}
	w := k.carry[p.shift[e]/64] >> (p.shift[e] % 64)
	return int64(w&(1<<p.width[e]-1)) + p.low[e]
}

func (p *preimage) setCarry(k *carried, e int, c int64) {
	if p.shift[e] < 0 {
		return
	}
	w := &k.carry[p.shift[e]/64]
	at := p.shift[e] % 64
	*w = *w&^((1<<p.width[e]-1)<<at) | uint64(c-p.low[e])<<at
}

func (p *preimage) root() carried {
	var k carried
	for e, l := range p.f {
		p.setCarry(&k, e, l.Constant)
	}
	return k
}

// dead is the state from which nothing is accepted.
var dead = carried{node: -1}

func (p *preimage) next(k carried, level, digit int) carried {
	if k.node < 0 {
		return k
	}
	k.digits |= uint64(digit) << level
	for _, e := range p.rows[level] {
		t := p.carry(&k, e)
		for j, a := range p.f[e].Coeffs[:level+1] {
			if a != 0 && k.digits>>j&1 == 1 {
				t += a
			}
		}
		k.node = p.x.next[k.node][t&1]
		p.setCarry(&k, e, t>>1)
	}
	k.digits &= p.keep[level]
	if p.x.none[k.node] {
		return dead
	}
	return k
}

// end says for which signs of y the components of f(y), which are the carries then, are all 0 or
// -1, and accepted as signs.
func (p *preimage) end(k carried) sign {
	if k.node < 0 {
		return no
	}
	g := &p.s.signs
	all := yes
	p.ends = p.ends[:0]
	for e := range p.f {
		c := p.carry(&k, e)
		pair, ok := p.known[e][c]
		if !ok {
			pair.zero = p.s.bySigns(p.space, p.f[e].Coeffs, -c,
				func(v int64) bool { return v == 0 })
			if p.x.space.signed(e) {
				pair.minus = p.s.bySigns(p.space, p.f[e].Coeffs, -c,
					func(v int64) bool { return v == 1 })
			}
			p.known[e][c] = pair
		}
		p.ends = append(p.ends, pair)
		if all = g.and(all, g.or(pair.zero, pair.minus)); all == no {
			return no
		}
	}
	var compose func(f sign) sign
	compose = func(f sign) sign {
		if f == no || f == yes {
			return f
		}
		n := g.nodes[f]
		return g.ite(p.ends[n.at].minus, compose(n.hi), compose(n.lo))
	}
	return g.and(all, compose(p.x.end[k.node]))
}

// Without is a set without component i, on which it does not depend.
func (s *Store) Without(x *Set, i int) *Set {
	space := x.space[:i] + x.space[i+1:]
	f := make(Affine, len(x.space))
	for e := range f {
		f[e].Coeffs = make([]int64, len(space))
		switch {
		case e < i:
			f[e].Coeffs[e] = 1
		case e > i:
			f[e].Coeffs[e-1] = 1
		}
	}
	return s.Before(x, space, f)
}

// With is a set with one more component, of any value, before component i.
func (s *Store) With(x *Set, i int, kind byte) *Set {
	space := x.space[:i] + Space(kind) + x.space[i:]
	f := make(Affine, len(x.space))
	for e := range f {
		f[e].Coeffs = make([]int64, len(space))
		if e < i {
			f[e].Coeffs[e] = 1
		} else {
			f[e].Coeffs[e+1] = 1
		}
	}
	return s.Before(x, space, f)
}
