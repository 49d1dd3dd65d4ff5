package store

import (
	"math/rand"
	"testing"
)

// Every candidate of a numbered store has the number of its state, also where the limit is reached.
func TestNumbers(t *testing.T) {
	r := rand.New(rand.NewSource(1))
	for _, limit := range []int{0, 700} {
		s := NewNumbered(1)
		want := map[uint64]uint32{}
		for range 50 {
			round := []*Candidates{{}, {}, {}}
			for _, c := range round {
				c.Reset(s)
				for range r.Intn(40) {
					state := []uint64{uint64(r.Intn(1000))}
					c.Add(state, Hash(state), 0)
				}
			}
			batch, ordinal, err := s.Add(round, limit)
			for b, c := range round {
				for i := range c.Len() {
					if err != nil && (b > batch || b == batch && i >= ordinal) {
						break
					}
					key := c.State(i)[0]
					if _, ok := want[key]; !ok {
						want[key] = uint32(len(want))
					}
					if c.Number(i) != want[key] {
						t.Fatalf("state %d has the number %d, want %d", key, c.Number(i), want[key])
					}
				}
			}
			if err != nil {
				break
			}
		}
		if limit > 0 && s.Len() != limit || s.Len() != len(want) {
			t.Errorf("%d states of %d, limit %d", s.Len(), len(want), limit)
		}
	}
}

// Insert of new states and Lookup of known states; a million of one word each.
func BenchmarkStore(b *testing.B) {
	const n = 1 << 20
	fill := func(s *Store) {
		c := &Candidates{}
		for from := 0; from < n; from += 1 << 16 {
			c.Reset(s)
			for i := range uint64(1 << 16) {
				key := [1]uint64{(uint64(from) + i) * 0x9e3779b9}
				c.Add(key[:], Hash(key[:]), 0)
			}
			if _, _, err := s.Add([]*Candidates{c}, 0); err != nil {
				b.Fatal(err)
			}
		}
	}
	b.Run("insert", func(b *testing.B) {
		for b.Loop() {
			fill(New(1))
		}
		b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N)/n, "ns/state")
	})
	b.Run("lookup", func(b *testing.B) {
		s := New(1)
		fill(s)
		for b.Loop() {
			fill(s)
		}
		b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N)/n, "ns/state")
	})
}
