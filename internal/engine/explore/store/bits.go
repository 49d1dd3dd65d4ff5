package store

import (
	"cmp"
	"errors"
	"math/bits"
	"slices"
	"sync"
	"sync/atomic"
)

// Bits is a set of packed states of one word, with one bit for each possible state. It suits
// searches that reach a good part of all possible states, and takes the memory of the pages that
// have any. An added state is marked until its level is taken. Bits is safe for concurrent use,
// except Take.
type Bits struct {
	codes  permutation
	states permutation // the inverse
	root   []atomic.Pointer[branch]
	bytes  atomic.Int64
	mu     sync.Mutex
	marked [2][]*page // pages with marks, of the even and of the odd levels
}

// MostBits is the size of the largest states that a set of bits can hold.
const MostBits = 46

// The code of a state is the number of its bit. Its highest bits are the number of a branch, which
// has pages.
const (
	pageBits   = 12
	branchBits = 12
)

type (
	bitmap [1 << pageBits / 64]uint64
	branch [1 << branchBits]atomic.Pointer[page]
)

const pageBytes, branchBytes = 1<<pageBits/8 + 40, 1 << branchBits * 8

// page holds the states whose codes have the same upper bits.
type page struct {
	marks [2]atomic.Pointer[bitmap]
	first uint64 // code
	has   bitmap
}

// permutation moves bits: for each byte of a number and each of its values, the moved bits.
type permutation [(MostBits + 7) / 8][256]uint64

// mapBit makes a bit move to another position.
func (p *permutation) mapBit(from, to int) {
	for v := range p[from/8] {
		p[from/8][v] |= uint64(v>>(from%8)&1) << to
	}
}

func (p *permutation) of(v uint64) (out uint64) {
	for i := range p {
		out |= p[i][v>>(8*i)&255]
	}
	return out
}

// NewBits makes an empty set. The order lists the bits of a state as they are in its code, from the
// lowest. Pages are well filled when the first bits vary more than the others.
func NewBits(order []int) (*Bits, error) {
	size := len(order)
	if size > MostBits {
		return nil, errors.New("states have too many bits for a set of bits")
	}
	b := &Bits{root: make([]atomic.Pointer[branch], 1<<max(size-pageBits-branchBits, 0))}
	b.bytes.Store(int64(8 * len(b.root)))
	for code, state := range order {
		b.codes.mapBit(state, code)
		b.states.mapBit(code, state)
	}
	return b, nil
}

// Add adds a state, marks it for a level, and reports whether it is new.
func (b *Bits) Add(state uint64, level int) bool {
	code := b.codes.of(state)
	p := b.page(code)
	word, bit := code%(1<<pageBits)/64, uint64(1)<<(code%64)
	if atomic.LoadUint64(&p.has[word])&bit != 0 || atomic.OrUint64(&p.has[word], bit)&bit != 0 {
		return false
	}
	b.mark(p, word, bit, level)
	return true
}

// Has reports whether a state is in the set.
func (b *Bits) Has(state uint64) bool {
	code := b.codes.of(state)
	made := b.root[code>>(pageBits+branchBits)].Load()
	if made == nil {
		return false
	}
	p := made[code>>pageBits%(1<<branchBits)].Load()
	return p != nil && atomic.LoadUint64(&p.has[code%(1<<pageBits)/64])>>(code%64)&1 == 1
}

// Code gives the code of a state, or of a mask of bits of states.
func (b *Bits) Code(state uint64) uint64 { return b.codes.of(state) }

// State is the inverse of Code.
func (b *Bits) State(code uint64) uint64 { return b.states.of(code) }

// Place remembers the page that was used last. The zero value works.
type Place struct{ page *page }

// AddWord adds up to 64 states, whose codes have the same upper bits: one for each bit of word. It
// marks the new ones for a level, and returns their number.
func (b *Bits) AddWord(at *Place, code, word uint64, level int) int {
	p := at.page
	if p == nil || p.first != code&^(1<<pageBits-1) {
		p = b.page(code)
		at.page = p
	}
	i := code % (1 << pageBits) / 64
	fresh := word &^ atomic.LoadUint64(&p.has[i])
	if fresh != 0 {
		fresh &^= atomic.OrUint64(&p.has[i], fresh)
	}
	if fresh != 0 {
		b.mark(p, i, fresh, level)
	}
	return bits.OnesCount64(fresh)
}

// mark marks states of a page for a level.
func (b *Bits) mark(p *page, word, states uint64, level int) {
	at := &p.marks[level%2]
	marks := at.Load()
	if marks == nil {
		if marks = new(bitmap); at.CompareAndSwap(nil, marks) {
			b.mu.Lock()
			b.marked[level%2] = append(b.marked[level%2], p)
			b.mu.Unlock()
			b.bytes.Add(pageBytes)
		} else {
			marks = at.Load()
		}
	}
	atomic.OrUint64(&marks[word], states)
}

// page finds the page of a code.
func (b *Bits) page(code uint64) *page {
	at := &b.root[code>>(pageBits+branchBits)]
	made := at.Load()
	if made == nil {
		if made = new(branch); at.CompareAndSwap(nil, made) {
			b.bytes.Add(branchBytes)
		} else {
			made = at.Load()
		}
	}
	slot := &made[code>>pageBits%(1<<branchBits)]
	p := slot.Load()
	if p == nil {
		if p = (&page{first: code &^ (1<<pageBits - 1)}); slot.CompareAndSwap(nil, p) {
			b.bytes.Add(pageBytes)
		} else {
			p = slot.Load()
		}
	}
	return p
}

// Bytes is the memory in use.
func (b *Bits) Bytes() int64 { return b.bytes.Load() }

// PageStates holds the states of one page.
type PageStates struct {
	set   *Bits
	first uint64
	*bitmap
}

// Take returns the states that are marked for a level, in the order of their codes, and removes the
// marks. States of the next level can be added meanwhile.
func (b *Bits) Take(level int) []PageStates {
	var out []PageStates
	for _, p := range b.marked[level%2] {
		out = append(out, PageStates{b, p.first, p.marks[level%2].Swap(nil)})
		b.bytes.Add(-pageBytes)
	}
	b.marked[level%2] = nil
	slices.SortFunc(out, func(p, q PageStates) int { return cmp.Compare(p.first, q.first) })
	return out
}

// All calls visit for the states of each page, until it returns false.
func (b *Bits) All(visit func(PageStates) bool) {
	for i := range b.root {
		made := b.root[i].Load()
		if made == nil {
			continue
		}
		for k := range made {
			if p := made[k].Load(); p != nil && !visit(PageStates{b, p.first, &p.has}) {
				return
			}
		}
	}
}

// Append appends the states to buf.
func (p PageStates) Append(buf []uint64) []uint64 {
	for code, word := range p.Words {
		buf = p.set.AppendWord(buf, code, word)
	}
	return buf
}

// Words calls visit with the words that have states, and the code of the first state of each.
func (p PageStates) Words(visit func(code, word uint64) bool) {
	for i, word := range p.bitmap {
		if word != 0 && !visit(p.first+uint64(64*i), word) {
			return
		}
	}
}

// AppendWord appends the states of a word to buf.
func (b *Bits) AppendWord(buf []uint64, code, word uint64) []uint64 {
	for ; word != 0; word &= word - 1 {
		buf = append(buf, b.State(code+uint64(bits.TrailingZeros64(word))))
	}
	return buf
}
