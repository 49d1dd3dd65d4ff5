package store

import (
	"errors"
	"fmt"
	"maps"
	"math"
	"math/bits"
	"math/rand"
	"slices"
	"strings"
	"sync"
	"testing"
)

// model is the obvious implementation of a store.
type model struct {
	number  map[string]int
	keys    [][]uint64
	parents []int
}

func (m *model) add(key []uint64, parent int) {
	name := fmt.Sprint(key)
	if _, ok := m.number[name]; !ok {
		m.number[name] = len(m.keys)
		m.keys = append(m.keys, slices.Clone(key))
		m.parents = append(m.parents, parent)
	}
}

func atOnce(n int, f func(i int)) {
	var wg sync.WaitGroup
	for i := range n {
		wg.Go(func() { f(i) })
	}
	wg.Wait()
}

// Random rounds give the same numbers, keys and parents as a map, also when states move to disk in
// between.
func TestStoreAgreesWithMap(t *testing.T) {
	for _, c := range []struct {
		words, rounds, values int
		spill                 int // after this many rounds
		compact, orphaned     bool
		room                  int // for filters of the runs on disk
	}{
		{words: 1, rounds: 60, values: 20000},
		{words: 2, rounds: 60, values: 2000},
		{words: 5, rounds: 60, values: 20000},
		{words: 1, rounds: 40, values: 20000, spill: 1},
		{words: 1, rounds: 40, values: 20000, spill: 1, room: 1 << 20},
		{words: 2, rounds: 40, values: 20000, spill: 2, room: 1 << 12},
		{words: 3, rounds: 40, values: 5000, spill: 3},
		{words: 3, rounds: 40, values: 5000, compact: true},
		{words: 1, rounds: 40, values: 5000, compact: true, spill: 2},
		{words: 2, rounds: 20, values: 2000, orphaned: true},
		{words: 2, rounds: 20, values: 2000, orphaned: true, spill: 2},
	} {
		t.Run(fmt.Sprintf("%+v", c), func(t *testing.T) {
			rng := rand.New(rand.NewSource(1))
			s := New(c.words)
			if c.compact {
				s = NewCompact(c.words)
			}
			if c.orphaned {
				s = NewOrphaned(c.words)
			}
			defer func() {
				if err := s.Close(); err != nil {
					t.Error(err)
				}
			}()
			m := &model{number: map[string]int{}}
			dir := t.TempDir()
			for round := range c.rounds {
				var all []*Candidates
				for range 1 + rng.Intn(4) {
					batch := &Candidates{}
					batch.Reset(s)
					for range rng.Intn(800) {
						key := make([]uint64, c.words)
						for i := range key {
							key[i] = uint64(rng.Intn(3)) << 40
						}
						key[rng.Intn(c.words)] = uint64(rng.Intn(c.values))
						parent := rng.Intn(s.Len() + 1)
						if c.orphaned {
							parent = 0
						}
						batch.Add(key, Hash(key), uint32(parent))
						m.add(key, parent)
					}
					all = append(all, batch)
				}
				for _, batch := range all {
					batch.Partition()
				}
				if _, _, err := s.insert(all, 0, atOnce); err != nil {
					t.Fatal(err)
				}
				if c.spill > 0 && round%c.spill == 0 {
					if err := s.Spill(dir, int64(c.room), 0); err != nil {
						t.Fatal(err)
					}
				}
			}
			if s.Len() != len(m.keys) {
				t.Fatalf("%d states, want %d", s.Len(), len(m.keys))
			}
			var buf []uint64
			for i, want := range m.keys {
				got, err := s.Keys(i, i+1, &buf)
				if err != nil {
					t.Fatal(err)
				}
				if !slices.Equal(got, s.Key(want)) {
					t.Fatalf("state %d is %v, want %v", i, got, want)
				}
				if parent, err := s.Parent(i); err != nil || parent != m.parents[i] {
					t.Fatalf("parent of %d is %d, want %d (%v)", i, parent, m.parents[i], err)
				}
				if c.compact {
					if got, err := s.States(i, i+1, &buf); err != nil || !slices.Equal(got, want) {
						t.Fatalf("state %d is %v, want %v (%v)", i, got, want, err)
					}
				}
			}
			all, err := s.Keys(0, s.Len(), &buf)
			if err != nil || len(all) != s.Len()*s.words {
				t.Errorf("%d words of all states: %v", len(all), err)
			}
		})
	}
}

func TestInsertStopsAtTheLimit(t *testing.T) {
	s := New(1)
	round := []*Candidates{{}, {}}
	for i, c := range round {
		c.Reset(s)
		for k := range uint64(5) {
			key := []uint64{k/2 + uint64(i)*10} // 0 0 1 1 2, 10 10 11 11 12
			c.Add(key, Hash(key), 0)
		}
	}
	batch, ordinal, err := s.Add(round, 4)
	if !errors.Is(err, ErrLimit) || batch != 1 || ordinal != 2 || s.Len() != 4 {
		t.Errorf("%d, %d, %v, %d states", batch, ordinal, err, s.Len())
	}
	var buf []uint64
	if keys, err := s.Keys(0, 4, &buf); err != nil || !slices.Equal(keys, []uint64{0, 1, 2, 10}) {
		t.Errorf("states %v, %v", keys, err)
	}
}

func TestInsertAboveTheLimit(t *testing.T) {
	s := New(1)
	for _, limit := range []int{0, 2} {
		c := &Candidates{}
		c.Reset(s)
		for k := range uint64(5 - limit) { // then 0 1 2 are known, and 7 is new
			c.Add([]uint64{k}, Hash([]uint64{k}), 0)
		}
		c.Add([]uint64{uint64(5 + limit)}, Hash([]uint64{uint64(5 + limit)}), 0)
		batch, ordinal, err := s.Add([]*Candidates{c}, limit)
		if limit > 0 && (!errors.Is(err, ErrLimit) || batch != 0 || ordinal != 3) || s.Len() != 6 {
			t.Errorf("limit %d: %d, %d, %v, %d states", limit, batch, ordinal, err, s.Len())
		}
	}
}

// While tables grow past a size where their prints begin anew, every slot keeps the distance from
// its home and the print of its key, and every key is found again.
func TestGrowth(t *testing.T) {
	s := NewNumbered(1)
	const most = 2 * Shards * bucketSlots << 8
	c := &Candidates{}
	for s.Len() < most {
		c.Reset(s)
		for i := range most / 16 {
			key := []uint64{uint64(s.Len()+i) * 0x9e3779b9}
			c.Add(key, Hash(key), 0)
		}
		for again := range 2 {
			before := s.Len()
			if _, _, err := s.Add([]*Candidates{c}, 0); err != nil {
				t.Fatal(err)
			}
			if found := s.Len() - before; found != (1-again)*c.Len() {
				t.Fatalf("%d of %d keys are new at time %d", found, c.Len(), again)
			}
		}
	}
	displaced := [far + 1]int{}
	for i := range s.shards {
		h := &s.shards[i]
		for at := range h.buckets.count {
			b := h.buckets.at(at)
			for slot := range b.used() {
				hash := Hash(s.keys.at(int(b.number[slot])))
				distance := (at - h.home(hash)) & (h.buckets.count - 1)
				displaced[b.distance(slot)]++
				if b.distance(slot) != min(distance, far) || b.print[slot] != h.print(hash) {
					t.Fatalf("slot %d of bucket %d: distance %d for %d, print %x for %x", slot, at,
						b.distance(slot), distance, b.print[slot], h.print(hash))
				}
			}
		}
	}
	if bits := s.shards[0].bits; bits <= 8 || slices.Min(displaced[:4]) == 0 {
		t.Errorf("%d bits, slots by distance %d", bits, displaced)
	}
}

func TestMatches(t *testing.T) {
	rng := rand.New(rand.NewSource(1))
	for range 100_000 {
		var b bucket
		for i := range b.print {
			b.print[i] = uint16(rng.Intn(4)) * 0x5555
		}
		print := uint16(rng.Intn(4)) * 0x5555
		got := b.matches(print)
		for i, x := range b.print {
			if x == print && got>>i&1 == 0 {
				t.Fatalf("%v misses %d in %v: %b", print, i, b.print, got)
			}
		}
		if got>>bucketSlots != 0 {
			t.Fatalf("%b has slots that do not exist", got)
		}
		if bits.OnesCount32(got) > 0 && b.print[bits.TrailingZeros32(got)] != print {
			t.Fatalf("the first match in %v is none: %b", b.print, got)
		}
	}
}

// A table of hashes and a map agree on which keys are new, while the table grows, also where the
// hashes crowd at both ends of a shard; the table gives all hashes back, and so does the disk.
func TestTableOfHashes(t *testing.T) {
	for _, spread := range []uint64{1 << (64 - shardBits), 1 << 54, 1 << 40} {
		rng := rand.New(rand.NewSource(1))
		s, known, c := New(1), map[uint64]bool{}, &Candidates{}
		var all []uint64
		round := func(count int, hash func() uint64) {
			c.Reset(s)
			var want []bool
			for range count {
				h := hash()
				want = append(want, !known[h])
				known[h] = true
				c.Add([]uint64{unhash1(h)}, h, 0)
			}
			if _, _, err := s.Add([]*Candidates{c}, 0); err != nil {
				t.Fatal(err)
			}
			for i, fresh := range want {
				if fresh {
					all = append(all, c.Hashes[i])
				}
				if c.Fresh(i) != fresh {
					t.Fatalf("spread %d, hash %x: new %v, want %v", spread, c.Hashes[i],
						c.Fresh(i), fresh)
				}
			}
		}
		draw := func() uint64 {
			switch h := rng.Uint64() % spread; rng.Intn(4) {
			case 0:
				return 1<<(64-shardBits) - 1 - h
			case 1:
				if len(all) > 0 {
					return all[rng.Intn(len(all))]
				}
				fallthrough
			default:
				return h
			}
		}
		for range 60 {
			round(500, draw)
		}
		h := &s.shards[0]
		if !h.hashes || h.used != len(known) {
			t.Fatalf("spread %d: a table of hashes: %v; %d hashes, want %d", spread, h.hashes,
				h.used, len(known))
		}
		if near := spread < 1<<(64-shardBits); near && len(h.crowded) == 0 {
			t.Errorf("spread %d: no hash is far from home", spread)
		}
		left := maps.Clone(known)
		h.each(0, func(hash uint64) {
			if !left[hash] {
				t.Fatalf("spread %d: hash %x is not known, or is there twice", spread, hash)
			}
			delete(left, hash)
		})
		if len(left) > 0 {
			t.Errorf("spread %d: %d hashes are lost", spread, len(left))
		}
		if err := s.Spill(t.TempDir(), 1<<20, 0); err != nil {
			t.Fatal(err)
		}
		for range 5 {
			round(500, draw)
		}
		if err := s.Close(); err != nil {
			t.Error(err)
		}
	}
}

// Hashes of similar states spread evenly over shards and buckets, and a million of them have no
// collision.
func TestHash(t *testing.T) {
	for _, words := range []int{1, 2, 3, 4, 7} {
		seen := map[uint64]bool{}
		var shards [Shards]int
		const n = 1 << 20
		for i := range n {
			key := make([]uint64, words)
			key[i%words] = uint64(i) << (i % 3 * 20)
			key[words-1] += uint64(i/words) << 32
			key[0] ^= uint64(i)
			h := Hash(key)
			seen[h] = true
			shards[h>>(64-shardBits)]++
		}
		if words != 1 && len(seen) < n-1 {
			t.Errorf("%d words: %d of %d hashes differ", words, len(seen), n)
		}
		for i, k := range shards {
			if math.Abs(float64(k)-n/Shards) > 8*math.Sqrt(n/Shards) && words != 1 {
				t.Errorf("%d words: shard %d has %d of %d", words, i, k, n)
			}
		}
	}
}

// A bit array takes few states for known ones while it is mostly empty, and expects about this
// number.
func TestBitstate(t *testing.T) {
	const n = 1 << 16
	for _, size := range []int64{1 << 20, 1 << 16, 1 << 14} {
		s := NewBitstate(2, size)
		rng := rand.New(rand.NewSource(1))
		for range n / 1024 {
			c := &Candidates{}
			c.Reset(s)
			for range 1024 {
				key := []uint64{rng.Uint64(), rng.Uint64()}
				c.Add(key, Hash(key), 0)
			}
			if _, _, err := s.Add([]*Candidates{c}, 0); err != nil {
				t.Fatal(err)
			}
		}
		missed := float64(n - s.Len())
		if s.filter.bytes() != size {
			t.Errorf("%d bytes, want %d", s.filter.bytes(), size)
		}
		switch expected := s.Missed(); {
		case size == 1<<20 && (missed > 500 || math.Abs(missed-expected) > 5*math.Sqrt(expected)+5):
			t.Errorf("%d bytes: %g missed, %g expected", size, missed, expected)
		case size == 1<<14 && missed < n/10:
			t.Errorf("%d bytes: only %g missed", size, missed)
		}
	}
}

func TestLogAfterAnUnfinishedWrite(t *testing.T) {
	dir := t.TempDir()
	l, err := NewLog(dir, 2)
	if err != nil {
		t.Fatal(err)
	}
	s := New(2)
	s.KeepLog(l)
	add := func(s *Store, from, to uint64) {
		c := &Candidates{}
		c.Reset(s)
		for i := from; i < to; i++ {
			c.Add([]uint64{i, ^i}, Hash([]uint64{i, ^i}), uint32(i/2))
		}
		if _, _, err := s.Add([]*Candidates{c}, 0); err != nil {
			t.Fatal(err)
		}
		if err := s.Save(); err != nil {
			t.Fatal(err)
		}
	}
	add(s, 0, 10_000)
	count, digest := l.Len(), l.Digest()
	add(s, 10_000, 12_345) // a checkpoint does not include this yet
	if err := errors.Join(l.Sync(), s.Close()); err != nil {
		t.Fatal(err)
	}
	again, err := OpenLog(dir, 2)
	if err != nil {
		t.Fatal(err)
	}
	s = New(2)
	s.KeepLog(again)
	if err := again.Load(count, digest, s.Load); err != nil {
		t.Fatal(err)
	}
	add(s, 10_000, 12_345)
	if again.Len() != 12_345 || s.Len() != 12_345 {
		t.Errorf("%d saved, %d states", again.Len(), s.Len())
	}
	if p, err := again.parent(12_000); err != nil || p != 6000 {
		t.Errorf("parent %d, %v", p, err)
	}
	if err := s.Close(); err != nil {
		t.Fatal(err)
	}
	other, err := OpenLog(dir, 2)
	if err != nil {
		t.Fatal(err)
	}
	if err := other.Load(count, digest+1, New(2).Load); err == nil ||
		!strings.Contains(err.Error(), "damaged") {
		t.Error(err)
	}
	if err := other.Close(); err != nil {
		t.Fatal(err)
	}
}

// Tables of hashes stay when their states move to disk, until they take too much memory. Known
// states are found all the time.
func TestSpillKeepsTables(t *testing.T) {
	rng := rand.New(rand.NewSource(7))
	s := New(1)
	defer func() {
		if err := s.Close(); err != nil {
			t.Error(err)
		}
	}()
	dir := t.TempDir()
	number := map[uint64]bool{}
	var keys []uint64
	add := func(states int) {
		t.Helper()
		for len(keys) < states {
			c := &Candidates{}
			c.Reset(s)
			for range 5000 {
				key := uint64(rng.Intn(1_500_000))
				c.Add([]uint64{key}, Hash([]uint64{key}), uint32(len(keys)))
				if !number[key] {
					number[key] = true
					keys = append(keys, key)
				}
			}
			if _, _, err := s.Add([]*Candidates{c}, 0); err != nil {
				t.Fatal(err)
			}
		}
		if s.Len() != len(keys) {
			t.Fatalf("%d states, not %d", s.Len(), len(keys))
		}
		var buf []uint64
		for _, from := range []int{0, len(keys) / 2, len(keys) - 3} {
			got, err := s.Keys(from, from+3, &buf)
			if err != nil || !slices.Equal(got, keys[from:from+3]) {
				t.Fatalf("states from %d: %v %v, not %v", from, got, err, keys[from:from+3])
			}
		}
	}
	spill := func(tables int64, stay bool) {
		t.Helper()
		if err := s.Spill(dir, 1<<20, tables); err != nil {
			t.Fatal(err)
		}
		if s.InMemory() != 0 || s.Tabled() > 0 != stay || stay != (s.disk == nil) {
			t.Fatalf("%d states are in memory, and tables of %d bytes", s.InMemory(), s.Tabled())
		}
	}
	add(800_000)
	spill(1<<30, true)
	add(900_000)
	spill(1<<30, true)
	add(1_000_000)
	spill(1<<20, false)
	add(1_050_000)
	spill(1<<30, false)
	add(1_100_000)
}
