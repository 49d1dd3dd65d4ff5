package temporal

import (
	"encoding/binary"
	"errors"
	"math"
	"slices"
)

// edges are the edges of a graph. States get their lists one after the other, in the order of their
// numbers. Of a list, the targets and the marks are kept apart. The marks depend on little of a
// state: states with the same ones in the same order share them. Targets are packed in blocks.
type edges struct {
	blocks []block
	marks  shared
	node   uint32   // the next state to get a list
	last   []uint32 // the marks of the list that was begun last
	size   int64    // bytes of finished blocks
	total  int      // edges
	room   growing  // for a block
	packer packer
}

// block holds the lists of blockStates states.
type block struct {
	growing
	packed *packedBlock // nil while the block grows
}

// growing has the lists of a block one after the other.
type growing struct {
	first []uint32 // of each state: how many edges of the block come before its list
	marks []uint32 // of each state: the number of its marks
	to    []uint32 // the targets
}

const (
	blockBits   = 12
	blockStates = 1 << blockBits
	fullWidth   = 4 // bytes of a target in the block that grows
)

// The mark of an edge is the fairness condition that it takes, or one of the following.
const (
	someStep   uint32 = iota // in runs: any step; no edge has it
	unfair                   // a step of an action without fairness
	repetition               // a state without successor repeats for ever
	conditions               // the first fairness condition
)

// mostEdges is how many edges a block may have: the place of each in the packed block is a number
// of 32 bits.
const mostEdges = (math.MaxUint32 - blockStates*stateBytes) / fullWidth

// errEdges says that there are too many edges.
var errEdges = errors.New("the states of the instance have too many successors")

// copy gives the same edges. It can grow and be packed without a change of the others, up to their
// next list: a block that grows has an array of its own, since a packed one gives its array away.
func (e *edges) copy() edges {
	out := *e
	out.blocks, out.room = slices.Clone(e.blocks), growing{}
	if last := len(out.blocks) - 1; last >= 0 {
		of := &out.blocks[last].growing
		*of = growing{slices.Clone(of.first), slices.Clone(of.marks), slices.Clone(of.to)}
	}
	return out
}

// begin begins the list of the next state.
func (e *edges) begin() {
	if e.end(); e.node%blockStates == 0 {
		e.finish()
		r := &e.room
		e.blocks = append(e.blocks, block{growing: growing{r.first[:0], r.marks[:0], r.to[:0]}})
		e.room = growing{}
	}
	b := &e.blocks[len(e.blocks)-1]
	b.first = append(b.first, uint32(len(b.to)))
	e.node++
}

// end ends the list that was begun last.
func (e *edges) end() {
	if len(e.blocks) == 0 {
		return
	}
	if b := &e.blocks[len(e.blocks)-1]; len(b.marks) < len(b.first) {
		b.marks = append(b.marks, e.marks.number(e.last))
		e.last = e.last[:0]
	}
}

// finish packs the last block.
func (e *edges) finish() {
	e.end()
	if len(e.blocks) == 0 {
		return
	}
	b := &e.blocks[len(e.blocks)-1]
	b.packed = e.packer.pack(b.growing, &e.marks)
	e.room, b.growing = b.growing, growing{}
	e.size += b.bytes()
}

func (b *block) bytes() int64 {
	n := 4 * int64(cap(b.first)+cap(b.marks)+cap(b.to))
	if b.packed != nil {
		n += b.packed.bytes()
	}
	return n
}

// add appends an edge to the list that was begun last. It returns false when the list is full.
func (e *edges) add(to, mark uint32) bool {
	b := &e.blocks[len(e.blocks)-1]
	if len(b.to) >= mostEdges {
		return false
	}
	e.total++
	b.to = append(b.to, to)
	e.last = append(e.last, mark)
	return true
}

// bytes is the memory of the edges.
func (e *edges) bytes() int64 {
	n := e.size + e.marks.bytes()
	if len(e.blocks) > 0 {
		n += e.blocks[len(e.blocks)-1].bytes()
	}
	return n
}

// list is the list of a state. It is ended.
func (e *edges) list(n uint32) list {
	b := &e.blocks[n>>blockBits]
	i := n % blockStates
	if b.packed != nil {
		return b.packed.list(i, &e.marks)
	}
	l := list{marks: e.marks.of(b.marks[i]), width: fullWidth, bits: math.MaxUint32}
	for _, to := range b.to[b.first[i]:][:len(l.marks)] {
		l.data = binary.LittleEndian.AppendUint32(l.data, to)
	}
	return l
}

// shared are lists of marks. The ones that were met last are found again.
type shared struct {
	marks []uint32 // one list after the other
	ends  []int    // where each ends
	// By hashes: the number of a list, which may belong to a later graph with the same beginning.
	recent []uint32
}

const recentBits = 14

// of is the list with a number.
func (s *shared) of(number uint32) []uint32 {
	if number == 0 {
		return nil
	}
	first := 0
	if number > 1 {
		first = s.ends[number-2]
	}
	return s.marks[first:s.ends[number-1]]
}

// number is the number of a list. The empty one has the number 0.
func (s *shared) number(marks []uint32) uint32 {
	if len(marks) == 0 {
		return 0
	}
	if s.recent == nil {
		s.recent = make([]uint32, 1<<recentBits)
	}
	h := uint64(0)
	for _, m := range marks {
		h = (h ^ uint64(m)) * spread
	}
	at := &s.recent[h>>(64-recentBits)]
	if *at != 0 && int(*at) <= len(s.ends) && slices.Equal(s.of(*at), marks) {
		return *at
	}
	s.marks = append(s.marks, marks...)
	s.ends = append(s.ends, len(s.marks))
	*at = uint32(len(s.ends))
	return *at
}

func (s *shared) bytes() int64 {
	return 4*int64(cap(s.marks)+cap(s.recent)) + 8*int64(cap(s.ends))
}
