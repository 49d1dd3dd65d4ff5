package store

import (
	"testing"
)

// A list keeps what was in it when it doubles, and takes no more blocks than it needs then.
func TestBuckets(t *testing.T) {
	l := newBuckets()
	l.at(0).add(0, 0, 0)
	for l.count < 16*blockBuckets {
		before := l.count
		l.double(func(i int, b *bucket) {
			if b.used() != 1 || b.number[0] != uint32(i) {
				t.Fatalf("bucket %d of %d: %+v", i, before, b)
			}
			l.open(2*i).add(uint32(2*i), 0, 0)
			l.open(2*i+1).add(uint32(2*i+1), 0, 0)
		})
		if l.count != 2*before || len(l.free) > 1 {
			t.Fatalf("%d buckets became %d, and %d blocks are free", before, l.count, len(l.free))
		}
	}
	if l.after(l.count-1) != 0 || l.bytes() > int64(l.count+blockBuckets)*bucketBytes {
		t.Errorf("%d buckets take %d bytes", l.count, l.bytes())
	}
	l.double(func(int, *bucket) {})
	for i := range l.count {
		if b := l.at(i); *b != (bucket{}) {
			t.Fatalf("bucket %d of a list that was emptied: %+v", i, b)
		}
	}
}

// Fetching changes nothing, and reads within the list, whatever the hashes.
func TestFetch(t *testing.T) {
	l := newBuckets()
	bits := uint(0)
	for ; l.count < 4*blockBuckets; bits++ {
		l.double(func(int, *bucket) {})
	}
	for i := range l.count {
		l.at(i).add(uint32(i), 1, 0)
	}
	hashes := []uint64{0, ^uint64(0)}
	for i := range uint64(1000) {
		hashes = append(hashes, Hash1(i))
	}
	for n := range len(hashes) {
		fetch(l.blocks, hashes[:n], bits)
	}
	for i := range l.count {
		if b := l.at(i); b.used() != 1 || b.number[0] != uint32(i) {
			t.Fatalf("bucket %d: %+v", i, b)
		}
	}
}
