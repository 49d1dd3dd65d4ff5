package store

import (
	"math/bits"
)

// Constants of wyhash (Wang Yi), whose mixing step this is: the two halves of a 128-bit product,
// combined.
const (
	mixA = 0xa0761d6478bd642f
	mixB = 0xe7037ed1a0b428db
	mixC = 0x8ebc6af09c88c6e3
)

func mix(a, b uint64) uint64 {
	hi, lo := bits.Mul64(a, b)
	return hi ^ lo
}

// Hash of a key. It is the same in every process. For one word it is a bijection, so that
// fingerprints of states of one word never collide.
func Hash(key []uint64) uint64 {
	switch len(key) {
	case 1:
		return Hash1(key[0])
	case 2:
		return mix(key[0]^mixA, key[1]^mixB) ^ Hash1(key[0]+bits.RotateLeft64(key[1], 32))
	}
	h := uint64(len(key)) * mixC
	for ; len(key) >= 2; key = key[2:] {
		// The second term keeps the state of the hash when the product is zero.
		h = mix(key[0]^mixA^h, key[1]^mixB) + bits.RotateLeft64(h, 29)*mixC
	}
	if len(key) == 1 {
		h ^= Hash1(key[0])
	}
	return Hash1(h)
}

// Hash1 is the finaliser of MurmurHash3 with the constants of Stafford's variant 13.
func Hash1(x uint64) uint64 {
	x ^= x >> 30
	x *= 0xbf58476d1ce4e5b9
	x ^= x >> 27
	x *= 0x94d049bb133111eb
	return x ^ x>>31
}

// unhash1 is the inverse of Hash1.
func unhash1(x uint64) uint64 {
	x ^= x>>31 ^ x>>62
	x *= 0x319642b2d24d8ec3
	x ^= x>>27 ^ x>>54
	x *= 0x96de1b173f119089
	return x ^ x>>30 ^ x>>60
}
