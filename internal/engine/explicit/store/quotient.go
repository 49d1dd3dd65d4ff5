package store

import (
	"encoding/binary"
	"maps"
	"math/bits"
	"slices"
	"sync"
)

// quotients is a set of hashes of one shard, whose lowest bits are zeros. The place of a hash says
// much of it, so only the rest is kept (Cleary, "Compact hash tables using bidirectional linear
// probing", 1984): of a product h*n of 128 bits, the upper word is the bucket and the lower one the
// rest. Buckets are in the order of their hashes for any number n of them, so a table grows by a
// fifth at a time.
//
// A bucket is a cache line. Its slots hold the rests, in as many bytes as they need, and how many
// buckets there are from the home of the hash. So a lookup is mostly one access to memory.
type quotients struct {
	zeros  uint // bits at the end of each hash that are zero
	blocks []*block
	n      uint64 // buckets
	form
	used int
	rest map[uint64]struct{} // hashes without room near their homes
}

// block is a sequence of buckets. All tables take blocks of this size, so what one gives back
// serves another.
type block [blockBuckets * bucketBytes]byte

const (
	blockBits    = 9
	blockBuckets = 1 << blockBits
	leastBuckets = 8
	reach        = 1 << shortBits // buckets where a hash may be
	// the slots in use in usedBits, then for each slot the buckets between it and its home
	usedBits      = 4
	shortBits     = 2
	metaAt        = bucketBytes - 4
	mostRestSlots = (32 - usedBits) / shortBits
	// restLoad is the share of slots in use above which a table of quotients grows, in percent.
	restLoad = 88
)

// form says how the rest of a hash is kept in a table of some size.
type form struct {
	shift uint // the bits of the fraction that distinguish no hashes
	width int  // bytes of a slot
	slots int  // of a bucket
	mask  uint64
}

// formOf is the form for n buckets of hashes with these zeros at the end: neighbours differ by
// n<<zeros in the lower word of the product.
func formOf(n uint64, zeros uint) form {
	shift := min(uint(bits.Len64(n)-1)+zeros, 63)
	width := int(64-shift+7) / 8
	return form{shift, width, min(metaAt/width, mostRestSlots), 1<<(8*width) - 1}
}

// blocks are the blocks that no table uses.
type blocks struct {
	mu   sync.Mutex
	free []*block
	made int
}

func (b *blocks) take(n int) (out []*block) {
	b.mu.Lock()
	defer b.mu.Unlock()
	for range n {
		if last := len(b.free) - 1; last >= 0 {
			out, b.free = append(out, b.free[last]), b.free[:last]
			continue
		}
		b.made++
		out = append(out, new(block))
	}
	return out
}

func (b *blocks) giveBack(list []*block) {
	for _, x := range list {
		clear(x[:])
	}
	b.mu.Lock()
	defer b.mu.Unlock()
	b.free = append(b.free, list...)
}

func (q *quotients) reset(n uint64, from *blocks) {
	q.n, q.form, q.used = n, formOf(n, q.zeros), 0
	q.blocks = from.take(int((n + blockBuckets - 1) / blockBuckets))
}

// bucket is the bucket with a number below 2n, modulo n.
func (q *quotients) bucket(at uint64) []byte {
	if at >= q.n {
		at -= q.n
	}
	i := at % blockBuckets * bucketBytes
	return q.blocks[at/blockBuckets][i : i+bucketBytes : i+bucketBytes]
}

// add adds a hash; it returns true for a new one.
func (q *quotients) add(h uint64) bool {
	home, fraction := bits.Mul64(h, q.n)
	rest := fraction >> q.shift
	for d := range uint64(reach) {
		b := q.bucket(home + d)
		meta := binary.LittleEndian.Uint32(b[metaAt:])
		used := int(meta & (1<<usedBits - 1))
		for i, at := 0, 0; i < used; i, at = i+1, at+q.width {
			if binary.LittleEndian.Uint64(b[at:])&q.mask == rest &&
				uint64(meta>>(usedBits+shortBits*i))&(reach-1) == d {
				return false
			}
		}
		if used < q.slots {
			at := used * q.width
			old := binary.LittleEndian.Uint64(b[at:])
			binary.LittleEndian.PutUint64(b[at:], old&^q.mask|rest)
			meta += 1 + uint32(d)<<(usedBits+shortBits*used)
			binary.LittleEndian.PutUint32(b[metaAt:], meta)
			q.used++
			return true
		}
	}
	if _, known := q.rest[h]; known {
		return false
	}
	if q.rest == nil {
		q.rest = map[uint64]struct{}{}
	}
	q.rest[h] = struct{}{}
	q.used++
	return true
}

// each calls f for every hash.
func (q *quotients) each(f func(h uint64)) {
	for at := range q.n {
		b := q.bucket(at)
		meta := binary.LittleEndian.Uint32(b[metaAt:])
		for i := range int(meta & (1<<usedBits - 1)) {
			home := at - uint64(meta>>(usedBits+shortBits*i)&(reach-1))
			if home >= q.n { // below zero
				home += q.n
			}
			f(q.hash(home, binary.LittleEndian.Uint64(b[i*q.width:])&q.mask))
		}
	}
	for h := range q.rest {
		f(h)
	}
}

// hash is the hash with a home and a rest: the least multiple of 1<<zeros whose product with n is
// not below them.
func (q *quotients) hash(home, rest uint64) uint64 {
	h, remainder := bits.Div64(home, rest<<q.shift, q.n)
	if remainder > 0 {
		h++
	}
	return (h + 1<<q.zeros - 1) &^ (1<<q.zeros - 1)
}

// reserve makes room for incoming more hashes.
func (q *quotients) reserve(incoming int, from *blocks) {
	need, n := q.used+incoming, max(q.n, leastBuckets)
	for uint64(need)*100 > n*uint64(formOf(n, q.zeros).slots)*restLoad {
		n += n/5 + 1
	}
	if n == q.n {
		return
	}
	old, rest := *q, slices.Collect(maps.Keys(q.rest))
	old.rest = nil
	clear(q.rest) // it serves again: a new map for each table would leave much garbage
	q.reset(n, from)
	old.each(func(h uint64) { q.add(h) })
	for _, h := range rest {
		q.add(h)
	}
	from.giveBack(old.blocks)
}
