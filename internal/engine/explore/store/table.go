package store

import (
	"maps"
	"math/bits"
	"slices"
)

const (
	bucketSlots = 10
	bucketBits  = 6
	bucketBytes = 1 << bucketBits
	dead        = ^uint32(0) // the number in a slot whose state is on disk
)

// bucket is a cache line of slots. Slots fill from the first; a full bucket overflows into the
// next.
//
// A slot of a table of numbers holds the number of a state, counted from the first state in memory,
// and sixteen bits of its hash, its print. So a lookup rarely reads the key of another state, and a
// growing table rarely reads a key at all.
//
// A slot of a table of hashes holds the bits of a hash that its home does not say, the upper
// sixteen as its print: keys of one word have different hashes, so a lookup reads no key (Cleary,
// "Compact hash tables using bidirectional linear probing", 1984).
type bucket struct {
	number [bucketSlots]uint32
	print  [bucketSlots]uint16
	// for each slot in use one more than the buckets between it and its home, at most far
	meta uint32
}

const (
	distanceBits = 3
	far          = 1<<distanceBits - 2 // a table of numbers has slots this far from home, or more
	hashReach    = far + 1             // buckets of a table of hashes where a hash may be
	// hashesFrom is the logarithm of the buckets from which on 48 bits are the rest of a hash.
	hashesFrom = 64 - shardBits - 48
)

func (b *bucket) used() int { return (bits.Len32(b.meta) + distanceBits - 1) / distanceBits }

// distance is the number of buckets between a slot in use and its home.
func (b *bucket) distance(slot int) int {
	return int(b.meta>>(distanceBits*slot)&(1<<distanceBits-1)) - 1
}

// rest is what a slot of a table of hashes holds.
func (b *bucket) rest(slot int) uint64 {
	return uint64(b.print[slot])<<32 | uint64(b.number[slot])
}

// add fills the next slot.
func (b *bucket) add(number uint32, print uint16, distance int) {
	used := b.used()
	b.number[used], b.print[used] = number, print
	b.meta |= uint32(min(distance, far)+1) << (distanceBits * used)
}

// shard is the table for the keys whose hashes begin with its number.
type shard struct {
	buckets buckets // 1 << bits of them
	bits    uint
	hashes  bool // it is a table of hashes, not of numbers
	// crowded are the hashes for which a table of hashes has no room within reach of their home,
	// without the bits of the shard.
	crowded map[uint64]struct{}
	used    int
	pending []pending // the new states of this round, in order
	probes  Probes
	touched uint32   // keeps the compiler from removing the reads that only fetch buckets
	_       [64]byte // keeps shards of different threads on different cache lines
}

// pending is a candidate in a slot, under a preliminary number: the number of states in memory plus
// its index in the list.
type pending struct {
	batch   uint32
	ordinal uint32
	slot    uint32 // bucket * bucketSlots + slot
}

// maxLoad is the share of slots in use above which a table grows, in percent.
const maxLoad = 90

// home is the bucket where a key belongs: the bits of its hash after the bits of the shard. When a
// table doubles, its buckets stay in order, and the next bit decides the half of its home for a
// key.
func (h *shard) home(hash uint64) int { return home(hash, h.bits) }

func home(hash uint64, bits uint) int { return int(hash << shardBits >> (64 - bits)) }

// print is the part of a hash that a slot keeps. It begins where home ended when home last had a
// multiple of eight bits. So up to seven of its bits follow from the home, and at least nine
// distinguish keys there.
func (h *shard) print(hash uint64) uint16 { return uint16(hash << (shardBits + h.bits&^7) >> 48) }

// group is the number of lookups whose first buckets are fetched together, so that the memory
// serves them at the same time. Two groups are fetched before the first lookup.
const group = 32

func (h *shard) insert(s *Store, number int, round []*Candidates) {
	incoming := incoming(round, number)
	if incoming == 0 {
		return
	}
	h.grow(s, incoming)
	h.probes.Inserts += int64(incoming)
	inMemory := uint32(s.count - s.base)
	ahead := ahead{round: round, number: number}
	ahead.fetch(h, 2*group)
	left := group // lookups until the next group is fetched
	for b, c := range round {
		before := h.used
		some := c.of(number)
		for k, hash := range some.hashes {
			if left == 0 {
				ahead.fetch(h, group)
				left = group
			}
			left--
			if h.hashes && h.enter(hash) ||
				!h.hashes && h.lookup(s, c, b, some.order[k], inMemory, round) {
				some.found[k] = 1
			}
		}
		c.news[number] = uint32(h.used - before)
	}
}

// ahead goes through the candidates of a shard before the lookups do.
type ahead struct {
	round  []*Candidates // without the ones that it has passed
	number int           // of the shard
	at     int           // the next candidate of the first ones
}

// fetch fetches the first buckets of the next n candidates, if the table is large.
func (a *ahead) fetch(h *shard, n int) {
	if len(h.buckets.blocks) == 1 {
		return
	}
	for len(a.round) > 0 {
		hashes := a.round[0].of(a.number).hashes[a.at:]
		some := min(n, len(hashes))
		h.touched += fetch(h.buckets.blocks, hashes[:some], h.bits)
		if n -= some; n == 0 {
			a.at += some
			return
		}
		a.round, a.at = a.round[1:], 0
	}
}

// incoming is the number of candidates of a shard.
func incoming(round []*Candidates, shard int) int {
	n := 0
	for _, c := range round {
		n += int(c.start[shard+1] - c.start[shard])
	}
	return n
}

// lookup finds a key or enters it; it returns true for a new one.
func (h *shard) lookup(
	s *Store, c *Candidates, batch int, i, inMemory uint32, round []*Candidates,
) bool {
	hash := c.Hashes[i]
	key := c.key(int(i))
	print := h.print(hash)
	for at, distance := h.home(hash), 0; ; at, distance = h.buckets.after(at), distance+1 {
		h.probes.Buckets++
		b := h.buckets.at(at)
		used := b.used()
		for m := b.matches(print); m != 0; m &= m - 1 {
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
				if s.numbered {
					c.number[i] = n
				}
				return false
			}
		}
		if used < bucketSlots {
			b.add(inMemory+uint32(len(h.pending)), print, distance)
			h.used++
			h.pending = append(h.pending, pending{uint32(batch), i, uint32(at*bucketSlots + used)})
			return true
		}
	}
}

// enter finds a hash in a table of hashes or enters it; it returns true for a new one.
func (h *shard) enter(hash uint64) bool {
	rest := h.rest(hash)
	number, print := uint32(rest), uint16(rest>>32)
	at := h.home(hash)
	for distance := range hashReach {
		h.probes.Buckets++
		b := h.buckets.at(at)
		used := b.used()
		for m := b.matches(print); m != 0; m &= m - 1 {
			slot := bits.TrailingZeros32(m)
			if slot >= used {
				break
			}
			if b.number[slot] == number && b.distance(slot) == distance {
				return false
			}
		}
		if used < bucketSlots {
			b.add(number, print, distance)
			h.used++
			return true
		}
		at = h.buckets.after(at)
	}
	hash = hash << shardBits >> shardBits
	if _, ok := h.crowded[hash]; ok {
		return false
	}
	h.crowd(hash)
	return true
}

// crowd adds a hash that has no room within reach of its home. The buckets there stay full until
// the table doubles, so a lookup passes them before it comes here.
func (h *shard) crowd(hash uint64) {
	if h.crowded == nil {
		h.crowded = map[uint64]struct{}{}
	}
	h.crowded[hash] = struct{}{}
	h.used++
}

// rest is the part of a hash that the home does not say.
func (h *shard) rest(hash uint64) uint64 { return hash << (shardBits + h.bits) >> 16 }

// hash is the hash with a home and a rest, without the bits of the shard.
func (h *shard) hash(home, rest uint64) uint64 {
	return home<<(64-shardBits-h.bits) | rest<<16>>(shardBits+h.bits)
}

// each calls f for the hashes in a table of hashes, which is the one with the given number.
func (h *shard) each(number int, f func(hash uint64)) {
	for i := range h.buckets.count {
		b := h.buckets.at(i)
		for slot := range b.used() {
			home := uint64(i-b.distance(slot)) & uint64(h.buckets.count-1)
			f(uint64(number)<<(64-shardBits) | h.hash(home, b.rest(slot)))
		}
	}
	for _, hash := range slices.Sorted(maps.Keys(h.crowded)) {
		f(uint64(number)<<(64-shardBits) | hash)
	}
}

// resolve replaces the preliminary numbers of the candidates of a shard that are not new. A
// candidate beyond the limit of states has no number. InMemory is the number of states before the
// round.
func (h *shard) resolve(number int, inMemory uint32, round []*Candidates) {
	for _, c := range round {
		for _, i := range c.of(number).order {
			if n := c.number[i]; c.fresh[i] == 0 && n >= inMemory {
				p := h.pending[n-inMemory]
				c.number[i] = round[p.batch].number[p.ordinal]
			}
		}
	}
}

// settle replaces the preliminary numbers of a round by the final ones.
func (h *shard) settle(s *Store, round []*Candidates) {
	for _, p := range h.pending {
		c := round[p.batch]
		entry := &h.buckets.at(int(p.slot / bucketSlots)).number[p.slot%bucketSlots]
		if c.fresh[p.ordinal] == 0 {
			*entry = dead // the state is on disk
			continue
		}
		*entry = c.number[p.ordinal] - uint32(s.base)
	}
	h.pending = h.pending[:0]
}

// matches has a bit for each slot whose print may be the given one. It misses none, and slots
// beyond the used ones may match. The test for a zero in a word is Mycroft's.
func (b *bucket) matches(print uint16) uint32 {
	const ones = 0x0001000100010001
	zeros := func(a, b, c, d uint16) uint32 {
		x := (uint64(a) | uint64(b)<<16 | uint64(c)<<32 | uint64(d)<<48) ^ ones*uint64(print)
		x = (x - ones) & ^x & (ones << 15)
		return uint32((x >> 15) * (1<<48 | 1<<33 | 1<<18 | 1<<3) >> 48 & 15) // gathers the top bits
	}
	p := &b.print
	return zeros(p[0], p[1], p[2], p[3]) | zeros(p[4], p[5], p[6], p[7])<<4 | zeros(p[8], p[9],
		^print, ^print)<<8
}

// grow makes room for incoming more keys.
func (h *shard) grow(s *Store, incoming int) {
	for (h.used+incoming)*100 > h.buckets.count*bucketSlots*maxLoad {
		h.double(s)
	}
}

// double makes the table twice as large; a large one of keys of one word becomes a table of hashes.
func (h *shard) double(s *Store) {
	h.bits, h.used = h.bits+1, 0
	switch {
	case h.hashes:
		h.doubleHashes()
	case s.hashesDo() && h.bits >= hashesFrom:
		h.hashes = true
		h.buckets.double(func(_ int, b *bucket) {
			for _, n := range b.number[:b.used()] {
				hash := Hash(s.keys.at(int(n)))
				h.place(h.home(hash), h.rest(hash))
			}
		})
	default:
		h.doubleNumbers(s)
	}
}

// hashesDo reports whether large tables can be tables of hashes. A state on disk stays in a table
// of numbers as a dead one.
func (s *Store) hashesDo() bool { return s.words == 1 && !s.numbered && s.disk == nil }

// doubleHashes finds the new home of a hash from the old home and the rest.
func (h *shard) doubleHashes() {
	crowded, old := h.crowded, h.buckets.count
	h.crowded = nil
	h.buckets.double(func(i int, b *bucket) {
		for slot := range b.used() {
			rest := b.rest(slot)
			h.place((i-b.distance(slot))&(old-1)<<1|int(rest>>47), rest<<17>>16)
		}
	})
	for _, hash := range slices.Sorted(maps.Keys(crowded)) {
		h.place(h.home(hash), h.rest(hash))
	}
}

// place enters a hash that is not in a table that doubles, by its home and its rest.
func (h *shard) place(home int, rest uint64) {
	at := home
	for distance := range hashReach {
		b := h.buckets.open(at)
		if b.used() < bucketSlots {
			b.add(uint32(rest), uint16(rest>>32), distance)
			h.used++
			return
		}
		at = h.buckets.after(at)
	}
	h.crowd(h.hash(uint64(home), rest))
}

// doubleNumbers finds the new home of a key from the old home and the print. It reads the keys only
// of slots far from home; once in eight times, when no bit of the prints is left, it reads all
// keys.
func (h *shard) doubleNumbers(s *Store) {
	next := 15 - (h.bits-1)&7 // the bit of a print that the home gains
	last := next == 8         // and then the print begins anew
	old := h.buckets.count
	h.buckets.double(func(i int, b *bucket) {
		var hashes [bucketSlots]uint64 // all keys are read first, so that the reads overlap
		for slot, n := range b.number[:b.used()] {
			if n != dead && (last || b.distance(slot) == far) {
				hashes[slot] = Hash(s.keys.at(int(n)))
			}
		}
		for slot, n := range b.number[:b.used()] {
			if n == dead {
				continue
			}
			print, distance := b.print[slot], b.distance(slot)
			home := (i-distance)&(old-1)<<1 | int(print>>next&1)
			if last || distance == far {
				home, print = h.home(hashes[slot]), h.print(hashes[slot])
			}
			h.reenter(home, print, n)
		}
	})
}

func (h *shard) reenter(home int, print uint16, number uint32) {
	at, distance := home, 0
	for ; h.buckets.open(at).used() == bucketSlots; distance++ {
		at = h.buckets.after(at)
	}
	h.buckets.open(at).add(number, print, distance)
	h.used++
}
