//go:build !amd64

package store

import "math/bits"

// fetch reads the homes of hashes in a list of 1 << bits buckets, which lie in whole blocks. The
// result keeps the compiler from removing the reads.
func fetch(blocks [][]bucket, hashes []uint64, bits uint) (read uint32) {
	for _, hash := range hashes {
		home := home(hash, bits)
		read += blocks[home/blockBuckets][home%blockBuckets].meta
	}
	return read
}

// fetchQuotients is fetch for a table of n buckets of quotients.
func fetchQuotients(blocks []*block, hashes []uint64, n uint64) (read uint32) {
	for _, hash := range hashes {
		home, _ := bits.Mul64(hash, n)
		read += uint32(blocks[home/blockBuckets][home%blockBuckets*bucketBytes])
	}
	return read
}
