package store

// fetch asks the memory for the homes of hashes in a list of 1 << bits buckets, which lie in whole
// blocks, and waits for none of them. The result says nothing.
//
//go:noescape
func fetch(blocks [][]bucket, hashes []uint64, bits uint) uint32

// fetchQuotients is fetch for a table of n buckets of quotients.
//
//go:noescape
func fetchQuotients(blocks []*block, hashes []uint64, n uint64) uint32
