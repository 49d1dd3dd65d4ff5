package store

// buckets is a list of buckets, as many as a power of two. A long one lies in blocks, so it doubles
// block by block, in hardly more memory than the result takes. The memory of a block serves again:
// what the system gives for the first time costs it a fault a page.
type buckets struct {
	blocks [][]bucket // nil for a block of a list that is doubling, if nothing was entered yet
	free   [][]bucket // blocks with any content
	count  int
}

// newBuckets makes a list of one bucket.
func newBuckets() buckets { return buckets{blocks: [][]bucket{make([]bucket, 1)}, count: 1} }

func (l *buckets) at(i int) *bucket { return &l.blocks[i/blockBuckets][i%blockBuckets] }

// after is the index after another one; the first bucket follows the last one.
func (l *buckets) after(i int) int { return (i + 1) & (l.count - 1) }

func (l *buckets) bytes() int64 {
	return int64(l.count+len(l.free)*blockBuckets) * bucketBytes
}

// double makes the list twice as long and empty. Then it calls move with each bucket that was there
// before, and its index; move enters what it holds with open.
func (l *buckets) double(move func(i int, b *bucket)) {
	old := l.blocks
	l.count *= 2
	if l.count <= blockBuckets {
		l.blocks = [][]bucket{make([]bucket, l.count)}
		for i := range old[0] {
			move(i, &old[0][i])
		}
		return
	}
	l.blocks = make([][]bucket, l.count/blockBuckets)
	for j, block := range old {
		for i := range block {
			move(j*blockBuckets+i, &block[i])
		}
		l.free = append(l.free, block)
	}
	for j := range l.blocks {
		l.open(j * blockBuckets)
	}
}

// open is the bucket with an index in a list that is doubling.
func (l *buckets) open(i int) *bucket {
	block := &l.blocks[i/blockBuckets]
	if *block == nil {
		*block = l.block()
	}
	return &(*block)[i%blockBuckets]
}

// block gives an empty block. It writes to each page of a new one. A search reads a bucket before
// it writes there. The system would serve the read with its shared page of zeros and the write with
// a page of its own, and would then interrupt every other thread, which may know the shared one.
func (l *buckets) block() []bucket {
	if last := len(l.free) - 1; last >= 0 {
		block := l.free[last]
		l.free = l.free[:last]
		clear(block)
		return block
	}
	const page = 4096 / bucketBytes
	block := make([]bucket, blockBuckets)
	for i := 0; i < len(block); i += page {
		block[i].meta = 0
	}
	return block
}
