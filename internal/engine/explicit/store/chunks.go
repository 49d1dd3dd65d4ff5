package store

import "unsafe"

// chunks is a list of items of a fixed number of words that grows without being copied.
type chunks[T uint32 | uint64] struct {
	width int  // words of an item
	shift uint // logarithm of the items of a chunk
	parts [][]T
	last  []T // the part that append1 wrote to last
	n     int
}

// chunkWords bounds the size of a chunk.
const chunkWords = 1 << 15

func newChunks[T uint32 | uint64](width int) chunks[T] {
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

// run is the items in a range if they lie in one chunk, else nil.
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

func (c *chunks[T]) room() {
	if c.n>>c.shift == len(c.parts) {
		size := c.width << c.shift
		if len(c.parts) == 0 {
			size = c.width << min(c.shift, 8) // most searches are small: the first chunk grows
		}
		c.parts = append(c.parts, make([]T, size))
	}
	if first := c.parts[0]; c.n < 1<<c.shift && c.n*c.width == len(first) {
		grown := make([]T, min(4*len(first), c.width<<c.shift))
		copy(grown, first)
		c.parts[0] = grown
	}
}

func (c *chunks[T]) append(item []T) {
	c.room()
	copy(c.parts[c.n>>c.shift][(c.n&(1<<c.shift-1))*c.width:], item)
	c.n++
}

// append1 is append for items of one word.
func (c *chunks[T]) append1(item T) {
	if at := c.n & (1<<c.shift - 1); at < len(c.last) && at > 0 {
		c.last[at] = item
		c.n++
		return
	}
	c.room()
	c.last = c.parts[c.n>>c.shift]
	c.last[c.n&(1<<c.shift-1)] = item
	c.n++
}

func (c *chunks[T]) clear() { c.parts, c.last, c.n = nil, nil, 0 }

// drop frees the chunks whose items all come before i.
func (c *chunks[T]) drop(i int) {
	for p := range min(i>>c.shift, len(c.parts)) {
		c.parts[p] = nil
	}
}

func (c *chunks[T]) bytes() int64 {
	var zero T
	n := int64(0)
	for _, p := range c.parts {
		n += int64(len(p)) * int64(unsafe.Sizeof(zero))
	}
	return n
}
