package store

import (
	"unsafe"
)

// chunks is a growing list of items of a fixed number of words. Items are never copied.
type chunks[T uint8 | uint32 | uint64] struct {
	width int  // words of an item
	shift uint // logarithm of the items of a chunk
	parts [][]T
	n     int
	free  [][]T // parts that were dropped, with items of any value
	drops int   // the parts that were dropped
	made  int   // words of the parts and of the free ones
}

// chunkWords bounds the size of a chunk.
const chunkWords = 1 << 15

func newChunks[T uint8 | uint32 | uint64](width int) chunks[T] {
	c := chunks[T]{width: width, shift: 14}
	for c.shift > 4 && width<<c.shift > 2*chunkWords {
		c.shift--
	}
	return c
}

func (c *chunks[T]) at(i int) []T {
	part, j := c.parts[i>>c.shift], (i&(1<<c.shift-1))*c.width
	return part[j : j+c.width : j+c.width]
}

// run is the slice of items in a range if they lie in one chunk, otherwise nil.
func (c *chunks[T]) run(from, to int) []T {
	if from >= to {
		return []T{}
	}
	p := from >> c.shift
	if p != (to-1)>>c.shift {
		return nil
	}
	start := p << c.shift
	return c.parts[p][(from-start)*c.width : (to-start)*c.width]
}

// extend adds n items, which are zero unless items were dropped.
func (c *chunks[T]) extend(n int) {
	whole, before := 1<<c.shift, c.n
	c.n += n
	for len(c.parts)<<c.shift < c.n {
		size := whole
		if len(c.parts) == 0 {
			size = 0
		} else if last := len(c.free) - 1; last >= 0 {
			c.parts, c.free = append(c.parts, c.free[last]), c.free[:last]
			continue
		}
		c.parts, c.made = append(c.parts, make([]T, size*c.width)), c.made+size*c.width
	}
	// Most searches are small: the first chunk grows.
	if need := min(c.n, whole); before < need && len(c.parts[0]) < need*c.width {
		grown := make([]T, min(whole, max(256, 2*need))*c.width)
		copy(grown, c.parts[0])
		c.made += len(grown) - len(c.parts[0])
		c.parts[0] = grown
	}
}

func (c *chunks[T]) clear() {
	for _, p := range c.parts {
		c.made -= len(p)
	}
	c.parts, c.n, c.drops = nil, 0, 0
}

// drop gives up the items before i. Their chunks serve for later items.
func (c *chunks[T]) drop(i int) {
	for ; c.drops < min(i>>c.shift, len(c.parts)); c.drops++ {
		p := c.drops
		if len(c.parts[p]) == c.width<<c.shift {
			c.free = append(c.free, c.parts[p])
		} else {
			c.made -= len(c.parts[p])
		}
		c.parts[p] = nil
	}
}

func (c *chunks[T]) bytes() int64 {
	var zero T
	return int64(c.made) * int64(unsafe.Sizeof(zero))
}
