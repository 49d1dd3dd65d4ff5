// Package store keeps the states of an exploration, each once, in the order in which they are
// found.
//
// In: candidates, in rounds. Out: numbers of states, their keys, and the parent of each, which is
// the state from which it was found. A key is a packed state, or its fingerprint. Numbers depend on
// the order of the candidates alone, not on the number of threads: the states are divided by their
// hashes into a fixed number of shards, which work independently, and new states are numbered in
// the order of the round.
//
// A shard is an open-addressing table in buckets of one cache line. When memory is scarce, older
// states move to disk. As long as their tables can stay, these tell which states are known. Then
// the states become sorted runs, and the new states of a round are compared with the runs (delayed
// duplicate detection: Stern and Dill, "Using magnetic disk instead of main memory in the Murphi
// verifier", 1998; Korf, "Best-first frontier search with delayed duplicate detection", 2004).
package store

import (
	"errors"
)

// Shards is the number of shards. The highest bits of its hash give the shard of a key.
const (
	Shards    = 1 << shardBits
	shardBits = 6
)

// MaxStates is the number of states that a store can hold. It leaves room for the numbers of
// candidates, which follow the numbers of states.
const MaxStates = 1<<32 - 1<<28

// ErrLimit says that a state exceeds the limit given to Insert.
var ErrLimit = errors.New("limit of states")

// Store is the set of states.
type Store struct {
	words      int // of a key
	stateWords int
	compact    bool            // keys are fingerprints
	states     *chunks[uint64] // of a compact or packed store: the ones not forgotten
	packed     *packed         // nil if the store is not packed

	count   int
	base    int // states with smaller numbers are on disk
	tabled  int // the first states, if they are in the tables, too
	keys    chunks[uint64]
	parents chunks[uint32]
	shards  [Shards]shard
	filter  *filter // of a bitstate store, which has no tables
	disk    *disk   // nil while all states are in memory
	log     *Log    // nil while nothing was written
	probes  Probes
	// Whether candidates that are not new get the numbers of their states, too.
	numbered bool
}

// Probes count the work of a store.
type Probes struct {
	Inserts  int64 // candidates looked up
	Buckets  int64 // buckets visited
	Compares int64 // keys compared
}

// New makes an empty store for states of the given number of words.
func New(words int) *Store {
	s := &Store{words: words, stateWords: words, keys: newChunks[uint64](words),
		parents: newChunks[uint32](1)}
	for i := range s.shards {
		s.shards[i].buckets = newBuckets()
	}
	return s
}

// NewOrphaned makes a store that keeps no parents.
func NewOrphaned(words int) *Store {
	s := New(words)
	s.parents = newChunks[uint32](0)
	return s
}

// NewNumbered makes a store whose candidates get a Number each. It stays in memory.
func NewNumbered(words int) *Store {
	s := New(words)
	s.numbered = true
	return s
}

// Seal gives up what only Insert needs. No further states can be inserted.
func (s *Store) Seal() {
	for i := range s.shards {
		s.shards[i].buckets = buckets{}
	}
}

// NewCompact makes a store whose keys are the hashes of the states (hash compaction: Wolper and
// Leroy, 1993). It keeps the states themselves until Forget.
func NewCompact(words int) *Store {
	s := New(1)
	states := newChunks[uint64](words)
	s.stateWords, s.compact, s.states = words, true, &states
	return s
}

// Key is the key of a state.
func (s *Store) Key(state []uint64) []uint64 {
	if s.compact {
		return []uint64{Hash(state)}
	}
	return state
}

// States returns the states in a range of numbers, as Keys does.
func (s *Store) States(from, to int, buf *[]uint64) ([]uint64, error) {
	if s.states == nil {
		return s.Keys(from, to, buf)
	}
	if run := s.states.run(from, to); run != nil {
		return run, nil
	}
	out := (*buf)[:0]
	for ; from < to; from++ {
		out = append(out, s.states.at(from)...)
	}
	*buf = out
	return out, nil
}

// Forget drops the states before a number: they will not be asked for.
func (s *Store) Forget(before int) {
	if s.states != nil {
		s.states.drop(before)
	}
}

// Len is the number of states.
func (s *Store) Len() int { return s.count }

// Parent is the number of the state from which a state was found.
func (s *Store) Parent(number int) (int, error) {
	if s.packed != nil {
		parent, _ := s.Origin(number)
		return parent, nil
	}
	if number < s.base {
		p, err := s.log.parent(number)
		return int(p), err
	}
	return int(s.parent(number)), nil
}

// parent is Parent for a state in memory; 0 if no parents are kept.
func (s *Store) parent(number int) uint32 {
	if s.parents.width == 0 {
		return 0
	}
	return s.parents.at(number - s.base)[0]
}

// Keys returns the keys of the states in a range of numbers, one after the other. They are valid
// until the store changes or buf is used again.
func (s *Store) Keys(from, to int, buf *[]uint64) ([]uint64, error) {
	if from >= s.base {
		if run := s.keys.run(from-s.base, to-s.base); run != nil {
			return run, nil
		}
	}
	out := (*buf)[:0]
	if from < s.base {
		var err error
		if out, err = s.log.keys(from, min(to, s.base), out); err != nil {
			return nil, err
		}
		from = min(to, s.base)
	}
	for ; from < to; from++ {
		out = append(out, s.keys.at(from-s.base)...)
	}
	*buf = out
	return out, nil
}

// Bytes is the memory in use, without the filters of the runs on disk.
func (s *Store) Bytes() int64 {
	n := s.keys.bytes() + s.parents.bytes()
	if s.states != nil {
		n += s.states.bytes()
	}
	if s.packed != nil {
		return n + s.packed.bytes()
	}
	for i := range s.shards {
		n += s.shards[i].buckets.bytes()
	}
	if s.filter != nil {
		n += s.filter.bytes()
	}
	return n
}

// Probes is the work of the store so far.
func (s *Store) Probes() Probes {
	p := s.probes
	if s.packed != nil {
		for i := range s.packed.tables {
			p.Inserts += s.packed.tables[i].probes.Inserts
		}
	}
	for i := range s.shards {
		p.Inserts += s.shards[i].probes.Inserts
		p.Buckets += s.shards[i].probes.Buckets
		p.Compares += s.shards[i].probes.Compares
	}
	return p
}

// Insert adds the new states of a round, in the order of its candidates, which must be partitioned.
// If limit is positive, it stops with ErrLimit at the first state beyond it, and returns that
// candidate's batch and index. After an error the store accepts no further rounds. A small round is
// the work of one thread.
func (s *Store) Insert(round []*Candidates, limit, threads int) (batch, ordinal int, err error) {
	found := 0
	for _, c := range round {
		found += c.Len()
	}
	threads = Threads(threads, found)
	return s.insert(round, limit, func(n int, f func(i int)) {
		Parallel(n, threads, func(_, i int) { f(i) })
	})
}

// insert is Insert where each calls f once for every number below n, in any order or in parallel.
func (s *Store) insert(
	round []*Candidates, limit int, each func(n int, f func(i int)),
) (batch, ordinal int, err error) {
	switch {
	case s.filter != nil:
		each(Shards, func(i int) { s.filter.insert(i, round) })
	case s.packed != nil:
		each(Shards, func(i int) { s.packed.insert(i, round) })
		if err := s.packed.check(); err != nil {
			return 0, 0, err
		}
	default:
		each(Shards, func(i int) { s.shards[i].insert(s, i, round) })
	}
	before := s.count
	batch, ordinal, err = s.commit(round, limit, each)
	if s.numbered {
		each(Shards, func(i int) { s.shards[i].resolve(i, uint32(before), round) })
	}
	if err == nil && s.isPending() {
		each(Shards, func(i int) { s.shards[i].settle(s, round) })
	}
	return batch, ordinal, err
}

// isPending reports whether some shard has preliminary numbers.
func (s *Store) isPending() bool {
	for i := range s.shards {
		if len(s.shards[i].pending) > 0 {
			return true
		}
	}
	return false
}

// commit numbers the new states and stores them.
func (s *Store) commit(
	round []*Candidates, limit int, each func(n int, f func(i int)),
) (batch, ordinal int, err error) {
	if s.disk != nil {
		for _, c := range round {
			c.gather()
		}
		if err := s.disk.exclude(s, round); err != nil {
			return 0, 0, err
		}
	}
	if limit <= 0 || limit > MaxStates {
		limit = MaxStates
	}
	before := s.count
	for b, c := range round {
		c.from = s.count
		fresh := c.new()
		if room := max(limit-s.count, 0); fresh > room {
			for _, c := range round[b:] {
				s.gather(c)
			}
			batch, ordinal, err = b, c.nth(room), ErrLimit
			fresh, round = room, round[:b+1]
		}
		s.count += fresh
		c.to = s.count
		if err != nil {
			break
		}
	}
	if s.states != nil {
		s.states.extend(s.count - before)
	}
	if s.packed != nil {
		each(len(round), func(b int) {
			s.gather(round[b])
			round[b].visit(func(i, number int) {
				copy(s.states.at(number), round[b].State(i))
			})
		})
		for _, c := range round {
			c.visit(func(i, _ int) { s.packed.trail.add(c.Parents[i], c.Ordinals[i]) })
		}
		return batch, ordinal, err
	}
	s.keys.extend(s.count - before)
	s.parents.extend(s.count - before)
	each(len(round), func(b int) { s.write(round[b]) })
	return batch, ordinal, err
}

// gather tells the candidates what the shards found, unless that was done for the disk.
func (s *Store) gather(c *Candidates) {
	if s.disk == nil {
		c.gather()
	}
}

// visit calls f for each candidate with a new number.
func (c *Candidates) visit(f func(i, number int)) {
	number := c.from
	for i, fresh := range c.fresh {
		if number == c.to {
			break
		}
		if fresh != 0 {
			f(i, number)
			number++
		}
	}
}

// write stores the states that have new numbers.
func (s *Store) write(c *Candidates) {
	s.gather(c)
	c.visit(func(i, number int) {
		c.number[i] = uint32(number)
		at := number - s.base
		if up := s.parents.at(at); len(up) > 0 {
			up[0] = c.Parents[i]
		}
		copy(s.keys.at(at), c.key(i))
		if s.compact {
			copy(s.states.at(number), c.State(i))
		}
	})
}

// Load adds states of an exact store that are known to be new and distinct, as when a search
// resumes.
func (s *Store) Load(states []uint64, parents []uint32) error {
	c := &Candidates{}
	c.Reset(s)
	for i, p := range parents {
		state := states[i*s.words : (i+1)*s.words]
		c.Add(state, Hash(state), p)
	}
	before := s.count
	if _, _, err := s.Add([]*Candidates{c}, 0); err != nil {
		return err
	}
	if s.count-before != len(parents) {
		return errors.New("the saved states repeat themselves")
	}
	return nil
}

// Add is a whole round in one thread.
func (s *Store) Add(round []*Candidates, limit int) (batch, ordinal int, err error) {
	for _, c := range round {
		c.Partition()
	}
	return s.Insert(round, limit, 1)
}

// InMemory is the number of states in memory.
func (s *Store) InMemory() int { return s.count - s.base }
