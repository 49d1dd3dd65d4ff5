package temporal

import (
	"encoding/binary"
	"errors"
	"math"
	"slices"
)

// edges are the edges of a graph, packed. States get their lists one after the other, in the order
// of their numbers. An edge is its target, as the difference from the target before it (from the
// state itself for the first edge), and its mark. The successors of a state that were found from it
// have numbers in a row, so most differences are small.
type edges struct {
	blocks []block
	node   uint32 // the next state to get a list
	last   uint32 // the target of the last edge
	size   int64  // bytes of finished blocks
	total  int    // edges
	flat   *flat  // the same, not packed; nil if there is none
}

// flat are edges that are not packed: their marks in the high halves, and their targets. They are
// about three times as large, and much faster to read.
type flat struct {
	first []int
	edges []uint64
}

// block holds the lists of blockStates states.
type block struct {
	first []uint32 // where the list of a state begins
	data  []byte
}

const (
	blockBits   = 12
	blockStates = 1 << blockBits
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
	if e.node%blockStates == 0 {
		e.finish()
		e.blocks = append(e.blocks, block{})
	}
	b := &e.blocks[len(e.blocks)-1]
	b.first = append(b.first, uint32(len(b.data)))
	e.last = e.node
	e.node++
}

// finish gives back the room that the last block does not need.
func (e *edges) finish() {
	if len(e.blocks) > 0 {
		b := &e.blocks[len(e.blocks)-1]
		b.first, b.data = slices.Clip(b.first), slices.Clip(b.data)
		e.size += int64(len(b.data)) + 4*int64(len(b.first))
	}
}

// add appends an edge to the list that was begun last. It returns false when the list is full.
func (e *edges) add(to, mark uint32) bool {
	b := &e.blocks[len(e.blocks)-1]
	if len(b.data) > math.MaxUint32-2*binary.MaxVarintLen64 {
		return false
	}
	d := int64(to) - int64(e.last)
	x := uint64(d<<1^d>>63) << 1
	if mark != unfair {
		x |= 1
	}
	e.total++
	b.data = binary.AppendUvarint(b.data, x)
	if mark != unfair {
		b.data = binary.AppendUvarint(b.data, uint64(mark))
	}
	e.last = to
	return true
}

// bytes is the memory of the edges.
func (e *edges) bytes() int64 {
	n := e.size
	if len(e.blocks) > 0 {
		b := &e.blocks[len(e.blocks)-1]
		n += int64(cap(b.data)) + 4*int64(cap(b.first))
	}
	if e.flat != nil {
		n += e.flatBytes()
	}
	return n
}

// flatBytes is the memory of the edges if they are not packed.
func (e *edges) flatBytes() int64 { return 8 * (int64(e.node) + 1 + int64(e.total)) }

// unpack makes the edges fast to read.
func (e *edges) unpack() {
	f := &flat{first: make([]int, e.node+1), edges: make([]uint64, 0, e.total)}
	for n := range e.node {
		f.edges = e.appendTo(f.edges, n)
		f.first[n+1] = len(f.edges)
	}
	e.flat = f
}

// unpackWithin unpacks the edges if memory suffices; 0 for no limit.
func (g *graph) unpackWithin(memory int64) {
	if g.flat == nil && (memory == 0 || g.graphBytes()+g.flatBytes() < forProduct(memory)/2) {
		g.unpack()
	}
}

func (e *edges) appendTo(buf []uint64, n uint32) []uint64 {
	list := e.list(n)
	for to, mark, ok := list.next(); ok; to, mark, ok = list.next() {
		buf = append(buf, uint64(mark)<<32|uint64(to))
	}
	return buf
}

// of gives the edges of a state, the marks in the high halves. They are valid until buf is used
// again.
func (e *edges) of(n uint32, buf *[]uint64) []uint64 {
	if e.flat != nil {
		return e.flat.edges[e.flat.first[n]:e.flat.first[n+1]]
	}
	*buf = e.appendTo((*buf)[:0], n)
	return *buf
}

// cursor goes through a list of edges.
type cursor struct {
	data []byte
	last uint32
}

// list is the list of a state.
func (e *edges) list(n uint32) cursor {
	b := &e.blocks[n>>blockBits]
	i := n % blockStates
	data := b.data[b.first[i]:]
	if int(i)+1 < len(b.first) {
		data = b.data[b.first[i]:b.first[i+1]]
	}
	return cursor{data, n}
}

// next gives the next edge.
func (c *cursor) next() (to, mark uint32, ok bool) {
	if len(c.data) == 0 {
		return 0, 0, false
	}
	x := c.number()
	mark = unfair
	if x&1 != 0 {
		mark = uint32(c.number())
	}
	x >>= 1
	c.last += uint32(x>>1) ^ -uint32(x&1)
	return c.last, mark, true
}

func (c *cursor) number() uint64 {
	x := uint64(c.data[0])
	if x < 0x80 {
		c.data = c.data[1:]
		return x
	}
	x &= 0x7f
	for i := 1; ; i++ {
		b := uint64(c.data[i])
		if x |= b & 0x7f << (7 * i); b < 0x80 {
			c.data = c.data[i+1:]
			return x
		}
	}
}
