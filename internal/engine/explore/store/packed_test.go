package store

import (
	"math/bits"
	"math/rand/v2"
	"slices"
	"testing"
)

// A table of quotients and a map agree on which hashes are new, while the table grows, also where
// the hashes crowd in a few buckets; and the table gives all hashes back.
func TestQuotients(t *testing.T) {
	for i, spread := range []uint64{1, 64, 1 << 12, 1 << 40, 1 << 58, 1 << 16, 1 << 30} {
		rng := rand.New(rand.NewPCG(1, spread))
		zeros := []uint{shardBits, shardBits, shardBits, shardBits, shardBits, 48, 34}[i]
		q, known, free := &quotients{zeros: zeros}, map[uint64]bool{}, &blocks{}
		q.reserve(0, free)
		for i := range 60000 {
			q.reserve(1, free)
			h := rng.Uint64N(spread) << zeros
			if i%2 == 0 { // at the upper end
				h = -h
			}
			if fresh := q.add(h); fresh == known[h] {
				t.Fatalf("spread %d, hash %x: new %v, want %v", spread, h, fresh, !known[h])
			}
			known[h] = true
		}
		if q.used != len(known) {
			t.Errorf("spread %d: %d hashes, want %d", spread, q.used, len(known))
		}
		q.all(func(h uint64) {
			if !known[h] {
				t.Fatalf("spread %d: hash %x is not known, or is there twice", spread, h)
			}
			delete(known, h)
		})
		if len(known) > 0 {
			t.Errorf("spread %d: %d hashes are missing", spread, len(known))
		}
	}
}

// A hash follows from its home and rest for tables of any size, at the ends of buckets, too.
func TestQuotientHash(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 1))
	for range 200000 {
		n := max(rng.Uint64()>>(30+rng.IntN(34)), leastBuckets)
		zeros := uint(shardBits)
		if rng.IntN(2) == 0 { // as many bits as there may be states
			zeros += uint(rng.IntN(max(1, 64-shardBits-bits.Len64(n))))
		}
		q := &quotients{n: n, zeros: zeros, form: formOf(n, zeros)}
		h := rng.Uint64()
		if start, _ := bits.Div64(rng.Uint64N(n), 0, n); rng.IntN(2) == 0 {
			h = start + rng.Uint64N(200) - 100
		}
		h &^= 1<<zeros - 1
		home, fraction := bits.Mul64(h, n)
		rest := fraction >> q.shift
		if rest>>printBits<<shortBits > q.mask() || q.entries > countAt ||
			int(printBits+q.width)*q.entries > 8*countAt {
			t.Fatalf("n %d: the rest %x does not fit into %d bits, or %d entries do not fit", n,
				rest, q.width, q.entries)
		}
		if got := q.hash(home, rest); got != h {
			t.Fatalf("n %d: hash %x from home %x and rest %x; want %x", n, got, home, rest, h)
		}
	}
}

func TestUnhash(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 1))
	for range 10000 {
		if x := rng.Uint64(); unhash1(Hash1(x)) != x {
			t.Fatalf("%x becomes %x", x, unhash1(Hash1(x)))
		}
	}
}

// States of any number of bits have different hashes, from which they follow.
func TestMixer(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 1))
	for bits := range 65 {
		m, hashes := newMixer(bits), map[uint64]uint64{}
		for i := range uint64(1000) {
			x := i
			if i%2 == 1 {
				x = rng.Uint64()
			}
			x &= 1<<bits - 1
			hash := Hash1(x)
			h, beyond := m.of(hash)
			if got := m.state(int(hash>>(64-shardBits)), h); got != x || beyond != 0 ||
				h<<(64-m.zeros()) != 0 {
				t.Fatalf("%d bits: the state %x has the hash %x, which is of %x", bits, x, h, got)
			}
			if y, known := hashes[h]; known && y != x && !m.whole() {
				t.Fatalf("%d bits: %x and %x have the same hash", bits, x, y)
			}
			hashes[h] = x
		}
	}
}

// A state with bits that it should not have is an error, since it could be lost.
func TestPackedBeyond(t *testing.T) {
	for _, bits := range []int{20, 57, 58, 64} {
		s, c := NewPacked(bits), &Candidates{}
		c.Reset(s)
		c.Add([]uint64{1<<63 | 1}, Hash([]uint64{1<<63 | 1}), 0)
		c.Ordinals = append(c.Ordinals, 0)
		if _, _, err := s.Add([]*Candidates{c}, 0); (err != nil) != (bits < 58) {
			t.Errorf("%d bits: %v", bits, err)
		}
	}
}

// A trail gives back what it was told.
func TestTrail(t *testing.T) {
	for _, jump := range []uint32{1, 3, 1000} {
		rng := rand.New(rand.NewPCG(1, uint64(jump)))
		trail, parent := newTrail(), uint32(0)
		var parents, ordinals []int
		for range 20000 {
			if rng.IntN(3) == 0 {
				parent += rng.Uint32N(jump + 1)
			}
			ordinal := rng.Uint32N(300)
			trail.add(parent, ordinal)
			parents, ordinals = append(parents, int(parent)), append(ordinals, int(ordinal))
		}
		for i := range parents {
			if p, o := trail.of(i); p != parents[i] || o != ordinals[i] {
				t.Fatalf("state %d: parent %d, ordinal %d; want %d, %d", i, p, o, parents[i],
					ordinals[i])
			}
		}
	}
}

// A packed store and an exact store agree about rounds of candidates, and about limits; at the end
// the packed store has all states.
func TestPackedStore(t *testing.T) {
	for seed := range uint64(20) {
		rng := rand.New(rand.NewPCG(1, seed))
		bits := []int{15, 20, 40, 57, 58, 64}[seed%6]
		p, exact, limit := NewPacked(bits), New(1), 0
		if seed%4 == 3 {
			limit = 1 + rng.IntN(5000)
		}
		var all, buf []uint64
		var err error
		for parent := uint32(0); err == nil && parent < 40; {
			var rounds [2][]*Candidates
			for range 3 {
				a, b := &Candidates{}, &Candidates{}
				a.Reset(p)
				b.Reset(exact)
				for i := range rng.Uint32N(300) {
					state := []uint64{rng.Uint64N(20000) << (bits - 15)}
					a.Add(state, Hash(state), parent)
					a.Ordinals = append(a.Ordinals, i)
					b.Add(state, Hash(state), parent)
				}
				parent++
				rounds[0], rounds[1] = append(rounds[0], a), append(rounds[1], b)
			}
			before := p.Len()
			var batch, ordinal int
			batch, ordinal, err = p.Add(rounds[0], limit)
			batch2, ordinal2, err2 := exact.Add(rounds[1], limit)
			if batch != batch2 || ordinal != ordinal2 || err != err2 || p.Len() != exact.Len() {
				t.Fatalf("seed %d: %d states, %d %d %v; want %d states, %d %d %v", seed, p.Len(),
					batch, ordinal, err, exact.Len(), batch2, ordinal2, err2)
			}
			states, _ := p.States(before, p.Len(), &buf)
			all = append(all, states...)
			p.Forget(p.Len())
		}
		want, _ := exact.Keys(0, exact.Len(), &buf)
		if !slices.Equal(all, want) {
			t.Fatalf("seed %d: other states", seed)
		}
		for i := range p.Len() {
			have, _ := p.Parent(i)
			if want, _ := exact.Parent(i); have != want {
				t.Fatalf("seed %d: the parent of %d is %d, want %d", seed, i, have, want)
			}
		}
		if err != nil {
			continue
		}
		var swept []uint64
		_ = p.Unordered(func(some []uint64) (bool, error) {
			swept = append(swept, some...)
			return true, nil
		})
		slices.Sort(swept)
		slices.Sort(all)
		if !slices.Equal(swept, all) {
			t.Fatalf("seed %d: other states in the table", seed)
		}
	}
}

// What a state takes depends on its bits, even where the last block of a table is mostly empty.
func TestPackedBytes(t *testing.T) {
	for bits, most := range map[int]float64{20: 8, 40: 9, 64: 12} {
		s, c := NewPacked(bits), &Candidates{}
		for parent := range uint32(40) {
			c.Reset(s)
			for i := range uint32(1 << 14) {
				state := []uint64{(uint64(parent)<<14 | uint64(i)) << (bits - 20)}
				c.Add(state, Hash(state), parent)
				c.Ordinals = append(c.Ordinals, i%16)
			}
			if _, _, err := s.Add([]*Candidates{c}, 0); err != nil {
				t.Fatal(err)
			}
			s.Forget(s.Len())
		}
		each := float64(s.Bytes()) / float64(s.Len())
		if s.Len() != 40<<14 || each > most {
			t.Errorf("%d bits: %d states of %.2f bytes", bits, s.Len(), each)
		}
	}
}
