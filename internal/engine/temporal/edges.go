package temporal

import (
	"encoding/binary"
	"errors"
	"math"
	mathbits "math/bits"
	"slices"
)

// edges are the edges of a graph. States get their lists one after the other, in the order of their
// numbers. Of a list, the targets and the marks are kept apart. A target is a number in as many
// bytes as the largest of a block needs. The marks depend on little of a state: states with the
// same ones in the same order share them.
type edges struct {
	blocks []block
	marks  shared
	node   uint32   // the next state to get a list
	last   []uint32 // the marks of the list that was begun last
	size   int64    // bytes of finished blocks
	total  int      // edges
	room   []byte   // for the targets of a block
}

// block holds the lists of blockStates states.
type block struct {
	first []uint32 // of each state: how many edges of the block come before its list
	marks []uint32 // of each state: the number of its marks
	data  []byte   // the targets, each in the same number of bytes
	width int      // of a target
}

const (
	blockBits   = 12
	blockStates = 1 << blockBits
	fullWidth   = 4 // of a target in the block that grows
)

// The mark of an edge is the fairness condition that it takes, or one of the following.
const (
	someStep   uint32 = iota // in runs: any step; no edge has it
	unfair                   // a step of an action without fairness
	repetition               // a state without successor repeats for ever
	conditions               // the first fairness condition
)

// errEdges says that there are too many edges.
var errEdges = errors.New("the states of the instance have too many successors")

// begin begins the list of the next state.
func (e *edges) begin() {
	if e.end(); e.node%blockStates == 0 {
		e.finish()
		e.blocks = append(e.blocks, block{data: e.room[:0], width: fullWidth})
	}
	b := &e.blocks[len(e.blocks)-1]
	b.first = append(b.first, uint32(len(b.data)/fullWidth))
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

// finish gives the last block the room that it needs.
func (e *edges) finish() {
	e.end()
	if len(e.blocks) == 0 {
		return
	}
	b := &e.blocks[len(e.blocks)-1]
	largest := uint32(0)
	for i := 0; i < len(b.data); i += fullWidth {
		largest = max(largest, binary.LittleEndian.Uint32(b.data[i:]))
	}
	e.room, b.width = b.data, max(1, (mathbits.Len32(largest)+7)/8)
	n := len(b.data) / fullWidth
	// A target is written and read with what follows it, for which there is room behind the last.
	b.data = make([]byte, n*b.width+fullWidth-b.width)
	for i := range n {
		copy(b.data[i*b.width:][:fullWidth], e.room[i*fullWidth:][:fullWidth])
	}
	b.first, b.marks = slices.Clip(b.first), slices.Clip(b.marks)
	e.size += b.bytes()
}

func (b *block) bytes() int64 {
	return int64(cap(b.data)) + 4*int64(cap(b.first)+cap(b.marks))
}

// add appends an edge to the list that was begun last. It returns false when the list is full.
func (e *edges) add(to, mark uint32) bool {
	b := &e.blocks[len(e.blocks)-1]
	if len(b.data) >= math.MaxUint32 {
		return false
	}
	e.total++
	b.data = binary.LittleEndian.AppendUint32(b.data, to)
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

// list are the edges of a state.
type list struct {
	marks []uint32
	data  []byte
	width int
	bits  uint32 // of a target
}

// list is the list of a state. It is ended.
func (e *edges) list(n uint32) list {
	b := &e.blocks[n>>blockBits]
	i := n % blockStates
	return list{e.marks.of(b.marks[i]), b.data[int(b.first[i])*b.width:], b.width,
		math.MaxUint32 >> (32 - 8*b.width)}
}

// to is the target of an edge.
func (l *list) to(i int) uint32 {
	return binary.LittleEndian.Uint32(l.data[i*l.width:]) & l.bits
}

// edge is an edge, the mark in the high half.
func (l *list) edge(i int) uint64 { return uint64(l.marks[i])<<32 | uint64(l.to(i)) }

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
