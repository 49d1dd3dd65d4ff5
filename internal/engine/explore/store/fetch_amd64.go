package store

// fetch asks the memory for the homes of hashes in a list of 1 << bits buckets, which lie in whole
// blocks, and waits for none of them. The result says nothing.
//
//go:noescape
func fetch(blocks [][]bucket, hashes []uint64, bits uint) uint32
