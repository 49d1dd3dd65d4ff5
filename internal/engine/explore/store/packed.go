package store

import (
	"errors"
)

// packed is what a packed store has instead of tables of numbers, keys and parents.
type packed struct {
	tables [Shards]struct {
		quotients
		probes  Probes
		own     []uint64 // the hashes of a round
		touched uint32   // keeps the compiler from removing the reads that only fetch buckets
		beyond  uint64
		_       [64]byte
	}
	blocks blocks
	trail  trail
	mixer  mixer
}

// NewPacked makes an exact store for states of one word, of which only the lowest bits may be set;
// they need less than half of the bytes. It keeps the states themselves until Forget, and has no
// keys of the states before; Origin says how to find a state again. Candidates need ordinals, and
// parents must not decrease. It stays in memory.
func NewPacked(bits int) *Store {
	s := NewCompact(1)
	s.compact = false
	s.packed = &packed{trail: newTrail(), mixer: newMixer(bits)}
	for i := range s.packed.tables {
		t := &s.packed.tables[i]
		t.zeros = s.packed.mixer.zeros()
		t.reserve(0, &s.packed.blocks)
	}
	return s
}

// Origin gives the state from which a state of a packed store was found, and the ordinal of the
// candidate.
func (s *Store) Origin(number int) (parent, ordinal int) { return s.packed.trail.of(number) }

func (p *packed) bytes() int64 {
	n := int64(p.blocks.made)*blockBuckets*bucketBytes + p.trail.bytes()
	for i := range p.tables {
		n += int64(len(p.tables[i].rest)) * restBytes
	}
	return n
}

// insert marks the new candidates of a shard. Hashes of one word are bijective, so a hash stands
// for its state.
func (p *packed) insert(number int, round []*Candidates) {
	t := &p.tables[number]
	own := t.own[:0]
	for _, c := range round {
		for _, hash := range c.of(number).hashes {
			mixed, beyond := p.mixer.of(hash)
			own, t.beyond = append(own, mixed), t.beyond|beyond
		}
	}
	t.own = own
	t.probes.Inserts += int64(len(own))
	t.reserve(len(own), &p.blocks)
	t.touched += fetchQuotients(t.blocks, own[:min(2*group, len(own))], t.n)
	next := 0
	for _, c := range round {
		before, found := t.used, c.of(number).found
		for k := range found {
			if next%group == 0 && next+2*group < len(own) {
				ahead := own[next+2*group:]
				t.touched += fetchQuotients(t.blocks, ahead[:min(group, len(ahead))], t.n)
			}
			if t.add(own[next]) {
				found[k] = 1
			}
			next++
		}
		c.news[number] = uint32(t.used - before)
	}
}

// check says whether the states had only the bits that they may have. Others could be lost.
func (p *packed) check() error {
	for i := range p.tables {
		if p.tables[i].beyond != 0 {
			return errors.New("internal error: a state has more bits than its program says")
		}
	}
	return nil
}

// Unordered calls f with all states of a packed store, some at a time and in no particular order,
// until it returns false.
func (s *Store) Unordered(f func(states []uint64) (more bool, err error)) (err error) {
	var some []uint64
	more := true
	flush := func() {
		if more && err == nil && len(some) > 0 {
			more, err = f(some)
		}
		some = some[:0]
	}
	for i := range s.packed.tables {
		s.packed.tables[i].all(func(h uint64) {
			if some = append(some, s.packed.mixer.state(i, h)); len(some) == unorderedStates {
				flush()
			}
		})
		if flush(); !more || err != nil {
			break
		}
	}
	return err
}

// restBytes is about what an entry of a map of hashes takes.
const restBytes = 24

const unorderedStates = 1 << 10
