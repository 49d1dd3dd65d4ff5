package store

import (
	"math"
	"math/bits"
)

// filter is a bit array in which every state sets a few bits (Holzmann, "An analysis of bitstate
// hashing", 1998). A state whose bits are all set counts as known, rightly or wrongly. Each shard
// has a part of its own, so that results do not depend on threads.
type filter struct {
	parts [Shards]struct {
		bits   []uint64
		set    int
		missed float64 // the expected number of missed states
		_      [64]byte
	}
}

const hashes = 3 // bits that a state sets

// NewBitstate makes a store that remembers states by bits in an array of the given size.
func NewBitstate(words int, bytes int64) *Store {
	s := NewCompact(words)
	s.filter = &filter{}
	each := max(bytes/Shards/8, 1)
	each = 1 << (bits.Len64(uint64(each)) - 1)
	for i := range s.filter.parts {
		s.filter.parts[i].bits = make([]uint64, each)
	}
	return s
}

func (f *filter) bytes() int64 { return int64(len(f.parts[0].bits)) * 8 * Shards }

// Missed is the expected number of states that a bit array took for known ones.
func (s *Store) Missed() float64 {
	sum := 0.0
	if s.filter != nil {
		for i := range s.filter.parts {
			sum += s.filter.parts[i].missed
		}
	}
	return sum
}

func (f *filter) insert(shard int, round []*Candidates) {
	p := &f.parts[shard]
	size := uint64(len(p.bits)) * 64
	for _, c := range round {
		some := c.of(shard)
		for i, h := range some.hashes {
			step := Hash1(h^mixC) | 1
			before := p.set
			for k := range uint64(hashes) {
				bit := (h + k*step) & (size - 1)
				if mask := uint64(1) << (bit % 64); p.bits[bit/64]&mask == 0 {
					p.bits[bit/64] |= mask
					p.set++
				}
			}
			if p.set > before {
				some.found[i] = 1
				c.news[shard]++
				p.missed += math.Pow(float64(before)/float64(size), hashes)
			}
		}
	}
}
