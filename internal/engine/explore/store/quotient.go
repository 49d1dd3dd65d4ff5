package store

import (
	"encoding/binary"
	"math/bits"
	"sync"
)

// quotients is a set of hashes of one shard, whose lowest bits are zeros. The place of a hash says
// much of it, so only the rest is kept (Cleary, "Compact hash tables using bidirectional linear
// probing", 1984): of a product h*n of 128 bits, the upper word is the bucket and the lower one the
// rest. Buckets are in the order of their hashes for any number n of them, so a table grows by a
// half at a time.
//
// A bucket is a cache line. Its entries hold the rests, in as few bits as they need, and how many
// buckets there are from the home of the hash. First come the lowest eight bits of each rest, its
// print, so that a word of eight entries is compared at once; then what remains of each entry. The
// last byte is the number of entries. So a lookup is mostly one access to memory.
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
	shortBits    = 2              // of an entry: the buckets between it and its home
	countAt      = bucketBytes - 1
	printBits    = 8
	lastWordAt   = bucketBytes - 8
	// quotientLoad is the share of entries in use above which a table of quotients grows, in
	// percent. It grows by a half: by a fifth, the memory of a search would be a tenth less, and
	// its time a third more.
	quotientLoad = 88
)

// form says how a hash is kept in a table of some size.
type form struct {
	shift   uint // the bits of the fraction that distinguish no hashes
	width   uint // bits of an entry without its print
	entries int  // of a bucket
}

// formOf is the form for n buckets of hashes with these zeros at the end: neighbours differ by
// n<<zeros in the lower word of the product.
func formOf(n uint64, zeros uint) form {
	shift := min(uint(bits.Len64(n)-1)+zeros, 64-printBits)
	width := 64 - shift - printBits + shortBits
	return form{shift, width, 8 * countAt / int(width+printBits)}
}

func (f form) mask() uint64 { return 1<<f.width - 1 }

// entryAt is where an entry without its print is in a bucket: a word of eight bytes, and in it the
// lowest bit.
func (f form) entryAt(i int) (word, shift uint) {
	at := uint(f.entries)*printBits + uint(i)*f.width
	word = min(at/8, lastWordAt)
	return word, at - 8*word
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
func (q *quotients) bucket(at uint64) *[bucketBytes]byte {
	if at >= q.n {
		at -= q.n
	}
	i := at % blockBuckets * bucketBytes
	return (*[bucketBytes]byte)(q.blocks[at/blockBuckets][i:])
}

// add adds a hash; it returns true for a new one.
func (q *quotients) add(h uint64) bool {
	fresh, room := q.enter(h)
	if !room {
		if _, known := q.rest[h]; known {
			return false
		}
		if q.rest == nil {
			q.rest = map[uint64]struct{}{}
		}
		q.rest[h] = struct{}{}
		fresh = true
	}
	if fresh {
		q.used++
	}
	return fresh
}

// parts gives the home of a hash, and its entry there.
func (q *quotients) parts(h uint64) (home uint64, print byte, entry uint64) {
	home, fraction := bits.Mul64(h, q.n)
	rest := fraction >> q.shift
	return home, byte(rest), rest >> printBits << shortBits
}

// enter puts a hash into a bucket near its home, if it is not there already and there is room.
func (q *quotients) enter(h uint64) (fresh, room bool) {
	home, print, entry := q.parts(h)
	for d := range uint64(reach) {
		b := q.bucket(home + d)
		used := int(b[countAt])
		if q.has(b, used, print, entry|d) {
			return false, true
		}
		if used < q.entries {
			q.put(b, used, print, entry|d)
			return true, true
		}
	}
	return false, false
}

// has reports whether a bucket has an entry. The test for a zero in a word is Mycroft's.
func (q *quotients) has(b *[bucketBytes]byte, used int, print byte, entry uint64) bool {
	const ones = 0x0101010101010101
	mask := q.mask()
	for at := 0; at < used; at += 8 {
		x := binary.LittleEndian.Uint64(b[at:]) ^ ones*uint64(print)
		for zeros := (x - ones) & ^x & (ones << 7); zeros != 0; zeros &= zeros - 1 {
			i := at + bits.TrailingZeros64(zeros)/8
			if i >= used {
				return false
			}
			word, shift := q.entryAt(i)
			if binary.LittleEndian.Uint64(b[word:])>>shift&mask == entry && b[i] == print {
				return true
			}
		}
	}
	return false
}

// put puts an entry behind the ones that a bucket has.
func (q *quotients) put(b *[bucketBytes]byte, used int, print byte, entry uint64) {
	word, shift := q.entryAt(used)
	old := binary.LittleEndian.Uint64(b[word:])
	binary.LittleEndian.PutUint64(b[word:], old|entry<<shift)
	b[used] = print
	b[countAt]++
}

// place puts a hash that is not there into a bucket near its home, if there is room.
func (q *quotients) place(h uint64) (room bool) {
	home, print, entry := q.parts(h)
	for d := range uint64(reach) {
		b := q.bucket(home + d)
		if used := int(b[countAt]); used < q.entries {
			q.put(b, used, print, entry|d)
			return true
		}
	}
	return false
}

// each calls f for every hash in a bucket.
func (q *quotients) each(f func(h uint64)) {
	mask := q.mask()
	for at := range q.n {
		b := q.bucket(at)
		for i := range int(b[countAt]) {
			word, shift := q.entryAt(i)
			entry := binary.LittleEndian.Uint64(b[word:]) >> shift & mask
			home := at - entry&(reach-1)
			if home >= q.n { // below zero
				home += q.n
			}
			f(q.hash(home, entry>>shortBits<<printBits|uint64(b[i])))
		}
	}
}

// all calls f for every hash.
func (q *quotients) all(f func(h uint64)) {
	q.each(f)
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
	for uint64(need)*100 > n*uint64(formOf(n, q.zeros).entries)*quotientLoad {
		n += n/2 + 1
	}
	if n == q.n {
		return
	}
	old := *q
	q.reset(n, from)
	old.each(func(h uint64) {
		if !q.place(h) {
			q.add(h)
		}
	})
	for h := range q.rest { // the map serves again: a new one for each table would be much garbage
		if q.place(h) {
			delete(q.rest, h)
		}
	}
	q.used = old.used
	from.giveBack(old.blocks)
}
