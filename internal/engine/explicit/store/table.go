package store

import (
	"encoding/binary"
	"math/bits"
	"slices"
)

const (
	bucketSlots = 12
	bucketBytes = 64
	dead        = ^uint32(0) // the number in a slot whose state is on disk
)

// bucket is a cache line of slots. A slot has the number of a state, counted from the first that is in memory, and eight
// bits of its hash, so that a lookup reads the keys of hardly any other states. Slots fill from the first; a full bucket
// overflows into the next.
type bucket struct {
	number [bucketSlots]uint32
	tag    [bucketSlots]uint8
	used   uint32
}

// shard is the table for the keys whose hashes begin with its number.
type shard struct {
	buckets []bucket // a power of two of them
	used    int
	pending []pending // the new ones of this round, in order
	probes  Probes
	touched uint32   // keeps the reads that only fetch buckets
	_       [64]byte // two shards that threads work on do not share a cache line
}

// pending is a candidate in a slot, under a number that is not final: the states in memory plus its place in the list.
type pending struct {
	batch   uint32
	ordinal uint32
	slot    uint32 // bucket * bucketSlots + slot
}

// maxLoad is the share of slots in use above which a table grows, in percent.
const maxLoad = 85

func (h *shard) home(hash uint64) int { return int(hash>>8) & (len(h.buckets) - 1) }

// group is the number of lookups whose first buckets are read together, so that the memory serves them at the same time.
const group = 16

func (h *shard) insert(s *Store, number int, round []*Candidates) {
	incoming := 0
	for _, c := range round {
		incoming += len(c.of(number))
	}
	if incoming == 0 {
		return
	}
	h.grow(s, incoming)
	inMemory := uint32(s.count - s.base)
	for b, c := range round {
		list := c.of(number)
		for len(list) > 0 {
			some := list[:min(group, len(list))]
			list = list[len(some):]
			touched := h.touched
			for _, i := range some {
				touched += h.buckets[h.home(c.Hashes[i])].used
			}
			h.touched = touched
			for _, i := range some {
				if h.lookup(s, c, b, i, inMemory, round) {
					c.fresh[i] = 1
				}
			}
		}
	}
}

// lookup finds a key or enters it; it returns true for a new one.
func (h *shard) lookup(s *Store, c *Candidates, batch int, i, inMemory uint32, round []*Candidates) bool {
	hash := c.Hashes[i]
	key := c.key(int(i))
	tag := uint8(hash)
	h.probes.Inserts++
	for at := h.home(hash); ; at = (at + 1) & (len(h.buckets) - 1) {
		h.probes.Buckets++
		b := &h.buckets[at]
		used := int(b.used)
		for m := b.matches(tag); m != 0; m &= m - 1 {
			slot := bits.TrailingZeros32(m)
			if slot >= used {
				break
			}
			n := b.number[slot]
			if n == dead {
				continue
			}
			h.probes.Compares++
			var other []uint64
			if n < inMemory {
				other = s.keys.at(int(n))
			} else {
				p := h.pending[n-inMemory]
				other = round[p.batch].key(int(p.ordinal))
			}
			if other[0] == key[0] && slices.Equal(other[1:], key[1:]) {
				return false
			}
		}
		if used < bucketSlots {
			b.number[used], b.tag[used] = inMemory+uint32(len(h.pending)), tag
			b.used++
			h.used++
			h.pending = append(h.pending, pending{uint32(batch), i, uint32(at*bucketSlots + used)})
			return true
		}
	}
}

// matches has a bit for each slot whose tag may be the given one; it misses none. Slots beyond those in use may match.
// The test for a zero byte is Mycroft's.
func (b *bucket) matches(tag uint8) uint32 {
	const ones, tops = 0x0101010101010101, 0x8080808080808080
	lo := binary.LittleEndian.Uint64(b.tag[:8]) ^ ones*uint64(tag)
	hi := uint64(binary.LittleEndian.Uint32(b.tag[8:])) ^ ones*uint64(tag)
	lo = (lo - ones) & ^lo & tops
	hi = (hi - ones) & ^hi & tops & 0xffffffff
	// Gather the top bit of every byte.
	const gather = 0x0102040810204080
	return uint32((lo>>7)*gather>>56) | uint32((hi>>7)*gather>>56)<<8
}

// grow makes room for so many more keys.
func (h *shard) grow(s *Store, incoming int) {
	size := len(h.buckets)
	for (h.used+incoming)*100 > size*bucketSlots*maxLoad {
		size *= 2
	}
	if size == len(h.buckets) {
		return
	}
	old := h.buckets
	h.buckets, h.used = make([]bucket, size), 0
	for i := range old {
		b := &old[i]
		var hashes [bucketSlots]uint64 // first all keys are read, so that the memory serves them at the same time
		for slot, n := range b.number[:b.used] {
			if n != dead {
				hashes[slot] = Hash(s.keys.at(int(n)))
			}
		}
		for slot, n := range b.number[:b.used] {
			if n != dead {
				h.reenter(hashes[slot], n)
			}
		}
	}
}

func (h *shard) reenter(hash uint64, number uint32) {
	at := h.home(hash)
	for h.buckets[at].used == bucketSlots {
		at = (at + 1) & (len(h.buckets) - 1)
	}
	b := &h.buckets[at]
	b.number[b.used], b.tag[b.used] = number, uint8(hash)
	b.used++
	h.used++
}
