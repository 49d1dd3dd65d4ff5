package zone

import (
	"math/bits"
	"slices"
)

// rows is a list of rows of one width. It grows in parts, so that no row ever moves.
type rows[T any] struct {
	width int
	shift uint // logarithm of the rows of a part
	parts [][]T
	count int32
}

// partItems bounds the items of a part that has more than one row.
const partItems = 1 << 12

func newRows[T any](width int) rows[T] {
	r := rows[T]{width: width}
	for width<<(r.shift+1) <= partItems {
		r.shift++
	}
	return r
}

func (r *rows[T]) at(k int32) []T {
	from := int(k&(1<<r.shift-1)) * r.width
	return r.parts[k>>r.shift][from : from+r.width : from+r.width]
}

// push appends a row, and gives its number.
func (r *rows[T]) push(row ...T) int32 {
	k := r.count
	if int(k>>r.shift) == len(r.parts) {
		r.parts = append(r.parts, make([]T, r.width<<r.shift))
	}
	r.count++
	copy(r.at(k), row)
	return k
}

// item is what the rows of a pool consist of.
type item interface {
	~int8 | ~int16 | ~int32 | ~uint32
}

// pool numbers rows, each once, in the order in which they come.
type pool[T item] struct {
	rows[T]
	entries []entry // a hash table with linear probing
}

// entry holds the number of a row, plus one, or zero where it is free.
type entry struct {
	hash   uint32
	number int32
}

func newPool[T item](width int) pool[T] { return pool[T]{rows: newRows[T](width)} }

// number gives the number of a row, and whether it is new.
func (p *pool[T]) number(row []T) (k int32, fresh bool) {
	if 4*int(p.count) >= 3*len(p.entries) {
		p.grow()
	}
	h := hash(row)
	for at := p.home(h); ; at = p.home(at + 1) {
		switch e := &p.entries[at]; {
		case e.number == 0:
			*e = entry{h, p.count + 1}
			return p.push(row...), true
		case e.hash == h && slices.Equal(p.at(e.number-1), row):
			return e.number - 1, false
		}
	}
}

// find gives the number of a row, if it has one.
func (p *pool[T]) find(row []T) (k int32, known bool) {
	if len(p.entries) == 0 {
		return 0, false
	}
	h := hash(row)
	for at := p.home(h); ; at = p.home(at + 1) {
		switch e := &p.entries[at]; {
		case e.number == 0:
			return 0, false
		case e.hash == h && slices.Equal(p.at(e.number-1), row):
			return e.number - 1, true
		}
	}
}

// home is the index of a hash in the table.
func (p *pool[T]) home(hash uint32) uint32 { return hash & uint32(len(p.entries)-1) }

func (p *pool[T]) grow() {
	old := p.entries
	p.entries = make([]entry, max(16, 2*len(old)))
	for _, e := range old {
		if e.number == 0 {
			continue
		}
		at := p.home(e.hash)
		for p.entries[at].number != 0 {
			at = p.home(at + 1)
		}
		p.entries[at] = e
	}
}

// hash folds the product of two pairs of items with the result so far (as wyhash of Wang Yi does),
// in two lanes.
func hash[T item](row []T) uint32 {
	h, g := uint64(len(row)), uint64(0)
	for ; len(row) >= 8; row = row[8:] {
		h = fold(h^pair(row[0], row[1]), pair(row[2], row[3]))
		g = fold(g^pair(row[4], row[5]), pair(row[6], row[7]))
	}
	for _, x := range row {
		h = fold(h^pair(x, 0), g)
	}
	return uint32(fold(h, g))
}

func fold(a, b uint64) uint64 {
	hi, lo := bits.Mul64(a^0xa0761d6478bd642f, b^0xe7037ed1a0b428db)
	return hi ^ lo
}

func pair[T item](a, b T) uint64 { return uint64(uint32(a))<<32 | uint64(uint32(b)) }
