package symmetry

import "slices"

// partition is an ordered partition of the elements into cells: the elements of a cell are next to
// each other in the order.
type partition struct {
	order []int32 // elements
	cell  []int32 // for each element, the position at which its cell begins
	size  []int32 // for each position at which a cell begins, its size
	cells int
}

func (p *partition) clone() partition {
	return partition{slices.Clone(p.order), slices.Clone(p.cell), slices.Clone(p.size), p.cells}
}

func (p *partition) copyFrom(q *partition) {
	copy(p.order, q.order)
	copy(p.cell, q.cell)
	copy(p.size, q.size)
	p.cells = q.cells
}

// single makes a cell of its own, before the rest, of an element of a cell.
func (p *partition) single(e int32) {
	start := p.cell[e]
	n := p.size[start]
	at := slices.Index(p.order[start:start+n], e)
	p.order[start], p.order[int(start)+at] = e, p.order[start]
	p.size[start], p.size[start+1] = 1, n-1
	for _, other := range p.order[start+1 : start+n] {
		p.cell[other] = start + 1
	}
	p.cells++
}

// Odd numbers with bits in no order, so that sums of different products differ.
const (
	oddKey    = 0x9e3779b97f4a7c15
	oddValue  = 0xd6e8feb86659fd93
	oddArg    = 0xa0761d6478bd642f
	oddResult = 0xe7037ed1a0b428db
)

func mix(x uint64) uint64 {
	x ^= x >> 32
	x *= 0xd6e8feb86659fd93
	return x ^ x>>29
}

// refine divides cells by the links between them, until the links tell no more elements apart. What
// it adds up does not depend on the numbers of elements, only on their cells. So a permutation of
// the state permutes the cells. Equal sums of different links leave elements together, which costs
// time and is no error.
func (r *Reducer) refine() {
	for len(r.links) > 0 && r.cells < len(r.elements) {
		clear(r.acc)
		for i := range r.links {
			r.link(&r.links[i])
		}
		if !r.split() {
			return
		}
	}
}

// link adds a link to what the state says of its elements.
func (r *Reducer) link(f *fact) {
	sum, odd := f.key, uint64(oddArg)
	for _, e := range f.args {
		sum += uint64(r.cell[e]+1) * odd
		odd *= oddArg
	}
	if f.result >= 0 {
		sum += uint64(r.cell[f.result+int32(f.value)]+1) * oddResult
	} else {
		sum += f.value * oddValue
	}
	sum, odd = mix(sum), oddArg
	for _, e := range f.args {
		r.acc[e] += sum * odd
		odd *= oddArg
	}
	if f.result >= 0 {
		r.acc[f.result+int32(f.value)] += sum * oddResult
	}
}

// split divides cells by what was added up. It reports whether it divided any.
func (r *Reducer) split() (any bool) {
	n := int32(len(r.order))
	for start, next := int32(0), int32(0); start < n; start = next {
		size := r.size[start]
		next = start + size
		if size == 1 {
			continue
		}
		cell := r.order[start:next]
		if !r.sort(cell) {
			continue
		}
		any = true
		begin := start
		for at := start + 1; at < next; at++ {
			if r.acc[r.order[at]] != r.acc[r.order[at-1]] {
				r.size[begin] = at - begin
				begin = at
				r.cells++
			}
			r.cell[r.order[at]] = begin
		}
		r.size[begin] = next - begin
	}
	return any
}

// sort sorts elements by what was added up. It reports whether they differ.
func (r *Reducer) sort(cell []int32) (differ bool) {
	for i := 1; i < len(cell); i++ {
		e := cell[i]
		v, k := r.acc[e], i
		differ = differ || v != r.acc[cell[0]]
		for ; k > 0 && r.acc[cell[k-1]] > v; k-- {
			cell[k] = cell[k-1]
		}
		cell[k] = e
	}
	return differ
}
