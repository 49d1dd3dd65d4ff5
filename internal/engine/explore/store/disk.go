package store

import (
	"bufio"
	"cmp"
	"encoding/binary"
	"errors"
	"fmt"
	"io/fs"
	"math/bits"
	"os"
	"path/filepath"
	"slices"
)

// disk holds the keys of the states before base, sorted by hash, in disjoint runs.
type disk struct {
	dir    string
	runs   []*sorted
	serial int
	room   int64 // for filters, in bytes
}

// sorted is a file of keys in the order of their hashes.
type sorted struct {
	file  *os.File
	words int
	count int
	first []uint64 // the hash of the first key of each block
	sums  []uint64 // of the hashes of the keys of each block
	// A Bloom filter of the hashes, which avoids most searches for absent keys; nil for none.
	bloom []uint64

	block  int // the last block read, -1 for none
	keys   []uint64
	hashes []uint64
}

const (
	blockKeys = 256
	maxRuns   = 8 // with this many runs, they are merged
)

func (d *disk) bytes() int64 {
	n := int64(0)
	for _, r := range d.runs {
		n += int64(len(r.first)+len(r.sums)+len(r.bloom)) * 8
	}
	return n
}

// Spill moves all states in memory to files in a folder, and may use some memory for faster
// lookups. Tables of hashes say all of their states, so they stay as long as they take no more than
// the memory that is for tables; then only what else there is of the states moves. After an error
// the store still has all states.
func (s *Store) Spill(dir string, room, tables int64) error {
	if s.log == nil {
		l, err := NewLog(dir, s.words)
		if err != nil {
			return err
		}
		s.log = l
	}
	if err := s.Save(); err != nil {
		return err
	}
	if s.filter != nil { // a filter forgets nothing
		s.forget()
		return nil
	}
	if s.hashesDo() && !s.Outgrows(tables) {
		s.forgetKeys()
		s.tabled = s.count
		return nil
	}
	if s.disk == nil {
		s.disk = &disk{dir: dir, room: room}
	}
	if err := s.disk.add(s); err != nil {
		return err
	}
	s.forget()
	return s.disk.compact(s.words)
}

// Outgrows reports whether some table is not one of hashes, or all together take more than some
// memory, or will soon.
func (s *Store) Outgrows(memory int64) bool {
	n := int64(0)
	for i := range s.shards {
		h := &s.shards[i]
		if !h.hashes {
			return true
		}
		size := h.buckets.bytes()
		if h.used*100 > h.buckets.count*bucketSlots*soonLoad {
			size *= 2
		}
		n += size
	}
	return n > memory
}

// soonLoad is the share of slots in use above which a table will soon grow, in percent.
const soonLoad = maxLoad - 5

// Tabled is the memory of the tables if they have states of which nothing else is in memory.
func (s *Store) Tabled() (n int64) {
	if s.tabled == 0 {
		return 0
	}
	for i := range s.shards {
		n += s.shards[i].buckets.bytes()
	}
	return n
}

// forget drops the states in memory.
func (s *Store) forget() {
	s.forgetKeys()
	s.tabled = 0
	for i := range s.shards {
		h := &s.shards[i]
		h.buckets, h.bits, h.hashes, h.used = newBuckets(), 0, false, 0
	}
}

// forgetKeys drops what is not in the tables.
func (s *Store) forgetKeys() {
	s.base = s.count
	s.keys.clear()
	s.parents.clear()
}

// Close removes the sorted runs and closes the log.
func (s *Store) Close() error {
	var err error
	if s.disk != nil {
		for _, r := range s.disk.runs {
			err = cmp.Or(err, r.remove())
		}
		s.disk = nil
	}
	if s.log != nil {
		err = cmp.Or(err, s.log.Close())
		s.log = nil
	}
	return err
}

// runWriter makes a sorted file.
type runWriter struct {
	run *sorted
	w   *bufio.Writer
}

// create begins a file for count keys.
func (d *disk) create(words, count int) (*runWriter, error) {
	f, err := os.Create(filepath.Join(d.dir, fmt.Sprint("run", d.serial)))
	if err != nil {
		return nil, fmt.Errorf("moving states to disk: %w", err)
	}
	d.serial++
	r := &sorted{file: f, words: words, block: -1}
	if size := 1 << bits.Len(uint(count/8)); d.bytes()+int64(size)*8 <= d.room {
		r.bloom = make([]uint64, size) // 8 to 16 bits a key
	}
	return &runWriter{r, bufio.NewWriterSize(f, 1<<16)}, nil
}

func (w *runWriter) add(key []uint64, hash uint64) error {
	if w.run.count%blockKeys == 0 {
		w.run.first, w.run.sums = append(w.run.first, hash), append(w.run.sums, 0)
	}
	w.run.count++
	chain(&w.run.sums[len(w.run.sums)-1], hash)
	if w.run.bloom != nil {
		w.run.mark(hash)
	}
	var raw [8]byte
	for _, k := range key {
		binary.LittleEndian.PutUint64(raw[:], k)
		if _, err := w.w.Write(raw[:]); err != nil {
			return fmt.Errorf("moving states to disk: %w", err)
		}
	}
	return nil
}

// finish completes the file, or removes it if there was an error.
func (w *runWriter) finish(err error) (*sorted, error) {
	if err == nil {
		if err = w.w.Flush(); err == nil {
			return w.run, nil
		}
		err = fmt.Errorf("moving states to disk: %w", err)
	}
	_ = w.run.remove()
	return nil, err
}

func (r *sorted) remove() error {
	_ = r.file.Close()
	if err := os.Remove(r.file.Name()); err != nil && !errors.Is(err, fs.ErrNotExist) {
		return fmt.Errorf("removing states from disk: %w", err)
	}
	return nil
}

// entry is a state in memory.
type entry struct {
	hash   uint64
	number uint32
	key    [1]uint64 // of one word
}

// entries appends the states of a shard, which is the one with the given number.
func (h *shard) entries(s *Store, number int, to []entry) []entry {
	if h.hashes {
		h.each(number, func(hash uint64) {
			to = append(to, entry{hash: hash, key: [1]uint64{unhash1(hash)}})
		})
		return to
	}
	for i := range h.buckets.count {
		b := h.buckets.at(i)
		for _, n := range b.number[:b.used()] {
			if n != dead {
				key := s.keys.at(int(n))
				to = append(to, entry{Hash(key), n, [1]uint64{key[0]}})
			}
		}
	}
	return to
}

// add writes the states in memory as a run. The shards are already in the order of the hashes.
func (d *disk) add(s *Store) error {
	n := s.count - s.base + s.tabled
	if n == 0 {
		return nil
	}
	w, err := d.create(s.words, n)
	if err != nil {
		return err
	}
	var entries []entry
	for i := range s.shards {
		entries = s.shards[i].entries(s, i, entries[:0])
		slices.SortFunc(entries, func(a, b entry) int { return cmp.Compare(a.hash, b.hash) })
		for _, e := range entries {
			key := e.key[:]
			if s.words > 1 {
				key = s.keys.at(int(e.number))
			}
			if err = w.add(key, e.hash); err != nil {
				_, err = w.finish(err)
				return err
			}
		}
	}
	r, err := w.finish(nil)
	if err != nil {
		return err
	}
	d.runs = append(d.runs, r)
	return nil
}

// compact merges the runs when there are many.
func (d *disk) compact(words int) error {
	if len(d.runs) < maxRuns {
		return nil
	}
	total := 0
	for _, r := range d.runs {
		total += r.count
	}
	w, err := d.create(words, total)
	if err != nil {
		return err
	}
	at := make([]int, len(d.runs))
	for err == nil {
		least := -1
		for i, r := range d.runs {
			if at[i] == r.count {
				continue
			}
			if err = r.load(at[i] / blockKeys); err != nil {
				break
			}
			if h := r.hashes[at[i]%blockKeys]; least < 0 ||
				h < d.runs[least].hashes[at[least]%blockKeys] {
				least = i
			}
		}
		if err != nil || least < 0 {
			break
		}
		r, j := d.runs[least], at[least]%blockKeys
		err = w.add(r.keys[j*words:(j+1)*words], r.hashes[j])
		at[least]++
	}
	merged, err := w.finish(err)
	if err != nil {
		return err // the runs are still there
	}
	old := d.runs
	d.runs = []*sorted{merged}
	for _, r := range old {
		if err := r.remove(); err != nil {
			return err
		}
	}
	return nil
}

// load reads a block.
func (r *sorted) load(block int) error {
	if r.block == block {
		return nil
	}
	from := block * blockKeys
	to := min(from+blockKeys, r.count)
	raw, err := read(r.file, from*r.words, to*r.words, 8)
	if err != nil {
		r.block = -1
		return err
	}
	r.keys, r.hashes = r.keys[:0], r.hashes[:0]
	for i := 0; i < len(raw); i += 8 {
		r.keys = append(r.keys, binary.LittleEndian.Uint64(raw[i:]))
	}
	sum := uint64(0)
	for i := range to - from {
		h := Hash(r.keys[i*r.words : (i+1)*r.words])
		r.hashes = append(r.hashes, h)
		chain(&sum, h)
	}
	if r.block = block; sum != r.sums[block] {
		r.block = -1
		return damaged(r.file)
	}
	return nil
}

// bit gives the position of a hash's k-th bit in the filter of a run.
func (r *sorted) bit(hash uint64, k int) (word int, mask uint64) {
	at := Hash1(hash+uint64(k)*mixC) & uint64(len(r.bloom)*64-1)
	return int(at / 64), 1 << (at % 64)
}

func (r *sorted) mark(hash uint64) {
	for k := range hashes {
		word, mask := r.bit(hash, k)
		r.bloom[word] |= mask
	}
}

// mayHave is false only for keys that are not in the run.
func (r *sorted) mayHave(hash uint64) bool {
	if r.bloom == nil {
		return true
	}
	for k := range hashes {
		if word, mask := r.bit(hash, k); r.bloom[word]&mask == 0 {
			return false
		}
	}
	return true
}

// has looks a key up. It is fast for keys that come in the order of their hashes.
func (r *sorted) has(key []uint64, hash uint64) (bool, error) {
	// The block before the first block that begins with at least this hash may hold the key, as may
	// all blocks that begin with this hash.
	block, _ := slices.BinarySearch(r.first, hash)
	for block = max(block-1, 0); block < len(r.first) && r.first[block] <= hash; block++ {
		if err := r.load(block); err != nil {
			return false, err
		}
		i, found := slices.BinarySearch(r.hashes, hash)
		for ; found && i < len(r.hashes) && r.hashes[i] == hash; i++ {
			if slices.Equal(r.keys[i*r.words:(i+1)*r.words], key) {
				return true, nil
			}
		}
	}
	return false, nil
}

// exclude unmarks the candidates that are new in memory but already on disk.
func (d *disk) exclude(s *Store, round []*Candidates) error {
	type entry struct {
		hash           uint64
		batch, ordinal int
	}
	var entries []entry
	for b, c := range round {
		for i, fresh := range c.fresh {
			if fresh != 0 {
				entries = append(entries, entry{c.Hashes[i], b, i})
			}
		}
	}
	slices.SortFunc(entries, func(a, b entry) int { return cmp.Compare(a.hash, b.hash) })
	for _, r := range d.runs {
		for _, e := range entries {
			c := round[e.batch]
			if c.fresh[e.ordinal] == 0 || !r.mayHave(e.hash) {
				continue
			}
			found, err := r.has(c.key(e.ordinal), e.hash)
			if err != nil {
				return err
			}
			if found {
				c.fresh[e.ordinal] = 0
				c.news[e.hash>>(64-shardBits)]--
			}
		}
	}
	return nil
}
