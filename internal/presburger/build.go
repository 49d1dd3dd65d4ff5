package presburger

import (
	"encoding/binary"
	"hash/maphash"
)

// automaton explores an automaton. Its states are keys: root is of level 0, next gives the
// successor of a key of a level by a digit, and end says for which signs a key of level 0 accepts.
// Keys of different levels are different states.
func automaton[K comparable](
	s *Store, space Space, root K, next func(k K, level, digit int) K, end func(k K) sign,
) *Set {
	d := explore(s, space, root, next, end)
	return s.finish(d)
}

// draft is an automaton that need not be minimal.
type draft struct {
	space Space
	next  [][2]int32
	level []uint8
	end   []sign
}

// explored is a key with its level.
type explored[K comparable] struct {
	key   K
	level uint8
}

func explore[K comparable](
	s *Store, space Space, root K, next func(k K, level, digit int) K, end func(k K) sign,
) *draft {
	n := len(space)
	if n > maxComponents {
		s.stop("vectors of more than %d components", maxComponents)
	}
	d := &draft{space: space}
	index := map[explored[K]]int32{}
	var todo []explored[K]
	number := func(k K, level uint8) int32 {
		e := explored[K]{k, level}
		i, ok := index[e]
		if !ok {
			i = int32(len(todo))
			index[e] = i
			todo = append(todo, e)
			d.level = append(d.level, level)
		}
		return i
	}
	number(root, 0)
	for i := 0; i < len(todo); i++ {
		if i&4095 == 4095 {
			s.check(len(todo))
		}
		e := todo[i]
		final := no
		if e.level == 0 {
			final = end(e.key)
		}
		after := uint8((int(e.level) + 1) % n)
		var to [2]int32
		for digit := range to {
			to[digit] = number(next(e.key, int(e.level), digit), after)
		}
		d.next = append(d.next, to)
		d.end = append(d.end, final)
	}
	s.Made += int64(len(todo))
	return d
}

// check ends an operation when its automaton is too large, or when the context is done.
func (s *Store) check(nodes int) {
	if nodes > s.limit {
		s.stop("an automaton of more than %d nodes", s.limit)
	}
	s.Check()
}

// finish makes an automaton minimal, numbers its nodes, and shares it with an equal one.
func (s *Store) finish(d *draft) *Set {
	block := minimal(d)
	x := &Set{space: d.space}
	number := make([]int32, len(d.next))
	for i := range number {
		number[i] = -1
	}
	var nodes []int32 // of the draft, one for each block that was met
	visit := func(of int32) int32 {
		b := block[of]
		if number[b] < 0 {
			number[b] = int32(len(nodes))
			nodes = append(nodes, of)
		}
		return number[b]
	}
	visit(0)
	for i := 0; i < len(nodes); i++ {
		of := nodes[i]
		lo, hi := visit(d.next[of][0]), visit(d.next[of][1])
		x.next = append(x.next, [2]int32{lo, hi})
		x.level = append(x.level, d.level[of])
		x.end = append(x.end, d.end[of])
	}
	return s.share(x)
}

// share gives the known set that is equal to x, which is x if there is none.
func (s *Store) share(x *Set) *Set {
	x.hash = x.sum()
	for _, y := range s.known[x.hash] {
		if x.Equal(y) {
			return y
		}
	}
	x.none = leadingNowhere(x, no)
	x.all = leadingNowhere(x, yes)
	s.known[x.hash] = append(s.known[x.hash], x)
	s.kept += x.Nodes()
	return x
}

var seed = maphash.MakeSeed()

func (x *Set) sum() uint64 {
	var h maphash.Hash
	h.SetSeed(seed)
	h.WriteString(string(x.space))
	var b [12]byte
	for i, to := range x.next {
		binary.LittleEndian.PutUint32(b[:], uint32(to[0]))
		binary.LittleEndian.PutUint32(b[4:], uint32(to[1]))
		binary.LittleEndian.PutUint32(b[8:], uint32(x.end[i]))
		h.Write(b[:])
	}
	return h.Sum64()
}

// leadingNowhere marks the nodes from which each node of level 0 has the given end: they stand for
// the empty set or for all vectors.
func leadingNowhere(x *Set, end sign) []bool {
	out := make([]bool, len(x.next))
	first, edges := reversed(x.next)
	var todo []int32
	for i := range out {
		out[i] = x.level[i] != 0 || x.end[i] == end
		if !out[i] {
			todo = append(todo, int32(i))
		}
	}
	for len(todo) > 0 {
		i := todo[len(todo)-1]
		todo = todo[:len(todo)-1]
		for _, e := range edges[first[i]:first[i+1]] {
			if p := e >> 1; out[p] {
				out[p] = false
				todo = append(todo, p)
			}
		}
	}
	return out
}

// reversed lists the edges to each node i, edges[first[i]:first[i+1]]: twice the node that an edge
// comes from, plus its digit.
func reversed(next [][2]int32) (first, edges []int32) {
	first = make([]int32, len(next)+2)
	for _, to := range next {
		first[to[0]+2]++
		first[to[1]+2]++
	}
	for i := 2; i < len(first); i++ {
		first[i] += first[i-1]
	}
	edges = make([]int32, 2*len(next))
	for i, to := range next {
		for digit, t := range to {
			edges[first[t+1]] = int32(2*i + digit)
			first[t+1]++
		}
	}
	return first[:len(next)+1], edges
}
