package explicit

import (
	"cmp"
	"context"
	"fmt"
	"math"
	"math/bits"
	"math/rand/v2"
	"slices"

	"erelong.dev/erelong/internal/engine/explore"
	"erelong.dev/erelong/internal/engine/explore/store"
)

// An instance that is too large for any store is searched by a swarm (Holzmann, Joshi and Groce,
// "Swarm verification techniques", 2011): many depth-first searches that differ in the order of
// steps, in the hash by which states are remembered in few bits, and in the greatest depth. Each
// sees another part. What they see together is known by samples: each keeps the states with the
// smallest hashes, by a hash that all of them share (Bar-Yossef and others, "Counting distinct
// elements in a data stream", 2002).

// swarmSearch is one search of a swarm. The walker keeps the run to the current state.
type swarmSearch struct {
	*walker
	rng   *rand.Rand
	bits  []uint64 // what is remembered
	salt  uint64   // of the hash
	depth int64    // states of a run, at most
	found int64    // states
	limit int64    // of them
	seen  sample
}

// Limits of one search of a swarm.
const (
	swarmStates    = 1 << 20 // by default
	swarmBits      = 32      // for a state, of which it takes three
	leastDepth     = 6       // logarithm; the greatest depth of a run is chosen between
	greatestDepth  = 16      // these two
	stateHashes    = 3
	sampledStates  = 1 << 10
	sampledTooMany = 8 * sampledStates
)

func newSwarmSearch(w *walker, rng *rand.Rand) *swarmSearch {
	p := &swarmSearch{walker: w, rng: rng, salt: rng.Uint64(),
		limit: cmp.Or(w.opts.Limits.States, swarmStates), seen: sample{below: math.MaxUint64}}
	p.depth = int64(math.Exp2(leastDepth + rng.Float64()*(greatestDepth-leastDepth)))
	if w.opts.Limits.Depth > 0 {
		p.depth = min(p.depth, w.opts.Limits.Depth)
	}
	p.bits = make([]uint64, 1<<bits.Len64(uint64(p.limit)*swarmBits/64))
	return p
}

// isNew remembers a state, and reports whether it was not remembered.
func (p *swarmSearch) isNew(state []uint64) bool {
	shared := store.Hash(state)
	h := store.Hash1(shared ^ p.salt)
	step, fresh := store.Hash1(h^p.salt)|1, false
	for range stateHashes {
		at := h % (uint64(len(p.bits)) * 64)
		if mask := uint64(1) << (at % 64); p.bits[at/64]&mask == 0 {
			p.bits[at/64] |= mask
			fresh = true
		}
		h += step
	}
	if fresh {
		p.found++
		p.seen.add(shared)
	}
	return fresh
}

// run searches from each initial state, in a random order, up to the limit of states.
func (p *swarmSearch) run(ctx context.Context) error {
	var buf []uint64
	for _, i := range p.rng.Perm(p.initial.Len()) {
		state, err := p.initial.Keys(i, i+1, &buf)
		if err != nil {
			return err
		}
		if !p.isNew(state) {
			continue
		}
		if err := p.from(ctx, slices.Clone(state)); err != nil || p.over() {
			return err
		}
	}
	return nil
}

// over reports whether the search is at its end.
func (p *swarmSearch) over() bool { return p.found >= p.limit || p.enough().Given() }

// from searches from a state. The stack has the successors of each state of the run that are left.
func (p *swarmSearch) from(ctx context.Context, state []uint64) error {
	words := p.Program.Words()
	p.walk = p.walk[:0]
	var stack [][]uint64
	t := &explore.Task{}
	for {
		if err := ctx.Err(); err != nil {
			return err
		}
		p.walk = append(p.walk, state)
		p.longest = max(p.longest, int64(len(p.walk)))
		if err := p.look(ctx, t, int64(len(p.walk)) >= p.depth); err != nil || p.over() {
			return err
		}
		stack = append(stack, p.shuffled(t))
		for state = nil; state == nil; {
			top := len(stack) - 1
			if top < 0 {
				return nil
			}
			rest := stack[top]
			if len(rest) == 0 {
				stack, p.walk = stack[:top], p.walk[:top]
				continue
			}
			next := rest[len(rest)-words:]
			stack[top] = rest[:len(rest)-words]
			if p.steps++; p.isNew(next) {
				state = next
			}
		}
	}
}

// shuffled are the successors that a task found, in a random order.
func (p *swarmSearch) shuffled(t *explore.Task) []uint64 {
	out := make([]uint64, 0, len(t.States))
	for _, i := range p.rng.Perm(t.Len()) {
		out = append(out, t.State(i)...)
	}
	return out
}

// told says what the search did.
func (p *swarmSearch) told() string {
	return fmt.Sprintf("one search of a swarm found %d states on runs of at most %d states, with "+
		"seed %d", p.found, p.depth, p.opts.Seed)
}

// sample is the smallest hashes of the states that were seen.
type sample struct {
	hashes []uint64
	below  uint64 // larger ones are not kept
}

func (s *sample) add(hash uint64) {
	if hash > s.below {
		return
	}
	if s.hashes = append(s.hashes, hash); len(s.hashes) >= sampledTooMany {
		s.cut()
	}
}

// cut keeps the smallest, sorted.
func (s *sample) cut() []uint64 {
	slices.Sort(s.hashes)
	s.hashes = slices.Compact(s.hashes)
	if len(s.hashes) > sampledStates {
		s.hashes = s.hashes[:sampledStates]
		s.below = s.hashes[sampledStates-1]
	}
	return s.hashes
}

// Coverage is what the searches of a swarm saw together.
type Coverage struct {
	Searches int
	States   int64   // distinct, exact as long as they are few
	Each     float64 // the share of them that one search saw, on average
	// The share of them among all states, at most: all are estimated from below, by how many states
	// only one search saw, and how many two (Chao, "Estimating the population size for
	// capture-recapture data with unequal catchability", 1987). 0 for one search.
	Share float64
}

// Cover merges the samples of searches.
func Cover(samples [][]uint64) Coverage {
	below, whole := uint64(math.MaxUint64), true
	for _, s := range samples {
		if len(s) >= sampledStates {
			below, whole = min(below, s[len(s)-1]), false
		}
	}
	times, sum := map[uint64]int{}, 0
	for _, s := range samples {
		for _, h := range s {
			if h <= below {
				times[h]++
				sum++
			}
		}
	}
	c := Coverage{Searches: len(samples), States: int64(len(times))}
	if len(times) == 0 {
		return c
	}
	if !whole { // the sample has this part of all hashes
		c.States = int64(math.Round(float64(len(times)) / (float64(below) / math.MaxUint64)))
	}
	n, m := float64(len(times)), float64(len(samples))
	c.Each = float64(sum) / n / m
	if len(samples) > 1 {
		once, twice := 0.0, 0.0
		for _, k := range times {
			switch k {
			case 1:
				once++
			case 2:
				twice++
			}
		}
		c.Share = n / (n + (m-1)/m*once*(once-1)/(2*(twice+1)))
	}
	return c
}

// String says what was seen.
func (c Coverage) String() string {
	text := fmt.Sprintf("a swarm of %d searches saw about %d states", c.Searches, c.States)
	if c.States <= sampledStates {
		text = fmt.Sprintf("a swarm of %d searches saw %d states", c.Searches, c.States)
	}
	if c.Searches > 1 && c.States > 0 {
		text += fmt.Sprintf(", and each of them %.0f %% of these; by the states that few of them "+
			"saw, this is at most about %.0f %% of all", 100*c.Each, 100*c.Share)
	}
	return text
}
