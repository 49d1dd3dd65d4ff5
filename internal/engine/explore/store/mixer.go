package store

// mixer gives states their hashes in the tables of a packed store. A hash has the bits of a state
// and zeros at the end, so the fewer bits states have, the less is kept of each. States of nearly a
// whole word have the hash of all stores instead, without the bits that say the shard.
type mixer struct{ bits uint }

// leastMixed is the least number of bits that are mixed. Fewer would save nothing.
const leastMixed = 16

func newMixer(bits int) mixer { return mixer{uint(max(bits, leastMixed))} }

// whole reports whether the hash of all stores serves.
func (m mixer) whole() bool { return m.bits >= 64-shardBits }

// zeros is the number of bits at the end of a hash that are always zero.
func (m mixer) zeros() uint {
	if m.whole() {
		return shardBits
	}
	return 64 - m.bits
}

// of gives the hash of the state that has a hash in all stores, and the bits that the state should
// not have: the hash says nothing of them.
func (m mixer) of(hash uint64) (mixed, beyond uint64) {
	if m.whole() {
		return hash << shardBits, 0
	}
	// Each line is one to one on numbers of the bits of a state, as in Hash1.
	x, half := unhash1(hash), (m.bits+1)/2
	beyond = x >> m.bits
	x ^= x >> half
	x = x * mixB << (64 - m.bits) >> (64 - m.bits)
	x ^= x >> half
	x = x * mixC << (64 - m.bits) >> (64 - m.bits)
	x ^= x >> half
	return x << (64 - m.bits), beyond
}

// state gives the state of a shard that has a hash here.
func (m mixer) state(shard int, hash uint64) uint64 {
	if m.whole() {
		return unhash1(uint64(shard)<<(64-shardBits) | hash>>shardBits)
	}
	x, half := hash>>(64-m.bits), (m.bits+1)/2
	x ^= x >> half
	x = x * unmixC << (64 - m.bits) >> (64 - m.bits)
	x ^= x >> half
	x = x * unmixB << (64 - m.bits) >> (64 - m.bits)
	return x ^ x>>half
}

// The inverses of mixB and mixC, whose products with them are one.
const unmixB, unmixC = 0x2e1b9953f3b39353, 0x776cd5b0c8f4aecb
