package store

import (
	"slices"
)

// Candidates are states that may be new, in the order in which they were found.
type Candidates struct {
	States  []uint64 // packed, one after the other
	Hashes  []uint64 // of their keys
	Parents []uint32
	// For a packed store: which of the successors of its parent a candidate is.
	Ordinals []uint32

	words   int      // of a state
	prints  []uint64 // the keys, when keys are fingerprints
	compact bool

	// Shard by shard: the indices of the candidates, their hashes, and 1 for each that is new. The
	// shards of a thread follow each other, so threads seldom write to the same cache line.
	order  []uint32
	hashes []uint64
	found  []uint8
	start  [Shards + 1]uint32
	news   [Shards]uint32 // the new candidates of each shard

	fresh    []uint8  // for each candidate, 1 if it is new: set by gather
	number   []uint32 // of the new candidates
	from, to int      // the new candidates have the numbers from, ..., to-1
}

// Reset empties the candidates, and prepares them for a store.
func (c *Candidates) Reset(s *Store) {
	c.words, c.compact = s.stateWords, s.compact
	c.States, c.Hashes, c.Parents, c.prints = c.States[:0], c.Hashes[:0], c.Parents[:0],
		c.prints[:0]
	c.Ordinals = c.Ordinals[:0]
}

// Add appends a state with its Hash.
func (c *Candidates) Add(state []uint64, hash uint64, parent uint32) {
	if len(state) == 1 {
		c.States = append(c.States, state[0])
	} else {
		c.States = append(c.States, state...)
	}
	if c.compact {
		c.prints = append(c.prints, hash)
		hash = Hash1(hash)
	}
	c.Hashes = append(c.Hashes, hash)
	c.Parents = append(c.Parents, parent)
}

// State is the state of a candidate.
func (c *Candidates) State(i int) []uint64 { return c.States[i*c.words : (i+1)*c.words] }

// AddAll appends states with their hashes, and with their parents, which a store of NewOrphaned
// does not need.
func (c *Candidates) AddAll(states, hashes []uint64, parents []uint32) {
	c.States = append(c.States, states...)
	if c.compact {
		c.prints = append(c.prints, hashes...)
		for _, h := range hashes {
			c.Hashes = append(c.Hashes, Hash1(h))
		}
	} else {
		c.Hashes = append(c.Hashes, hashes...)
	}
	c.Parents = append(c.Parents, parents...)
}

func (c *Candidates) key(i int) []uint64 {
	if c.compact {
		return c.prints[i : i+1]
	}
	return c.States[i*c.words : (i+1)*c.words]
}

// Len is the number of candidates.
func (c *Candidates) Len() int { return len(c.Hashes) }

// Fresh reports whether Insert found a candidate to be new.
func (c *Candidates) Fresh(i int) bool { return c.fresh[i] != 0 }

// Number is the number of the state of a candidate, after Insert into a store of NewNumbered.
func (c *Candidates) Number(i int) uint32 { return c.number[i] }

// Partition prepares the candidates for Insert: it sorts them by shard, keeping their order within
// each.
func (c *Candidates) Partition() {
	n := len(c.Hashes)
	c.order = slices.Grow(c.order[:0], n)[:n]
	c.hashes = slices.Grow(c.hashes[:0], n)[:n]
	c.found = slices.Grow(c.found[:0], n)[:n]
	c.number = slices.Grow(c.number[:0], n)[:n]
	c.fresh = slices.Grow(c.fresh[:0], n)[:n]
	clear(c.found)
	clear(c.start[:])
	clear(c.news[:])
	for _, h := range c.Hashes {
		c.start[h>>(64-shardBits)+1]++
	}
	for i := range Shards {
		c.start[i+1] += c.start[i]
	}
	at := c.start
	for i, h := range c.Hashes {
		shard := h >> (64 - shardBits)
		c.order[at[shard]], c.hashes[at[shard]] = uint32(i), h
		at[shard]++
	}
}

// part is the candidates of a shard, in order.
type part struct {
	order  []uint32
	hashes []uint64
	found  []uint8
}

func (c *Candidates) of(shard int) part {
	from, to := c.start[shard], c.start[shard+1]
	return part{c.order[from:to], c.hashes[from:to], c.found[from:to]}
}

// gather tells the candidates what the shards found.
func (c *Candidates) gather() {
	for at, i := range c.order {
		c.fresh[i] = c.found[at]
	}
}

// new is the number of new candidates that the shards found.
func (c *Candidates) new() int {
	sum := 0
	for _, n := range c.news {
		sum += int(n)
	}
	return sum
}

// nth is the index of the new candidate that n new ones precede.
func (c *Candidates) nth(n int) int {
	for i, fresh := range c.fresh {
		if fresh != 0 {
			if n == 0 {
				return i
			}
			n--
		}
	}
	return len(c.fresh)
}
