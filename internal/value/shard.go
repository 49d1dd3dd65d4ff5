package value

import (
	"slices"
	"sync"
	"sync/atomic"
)

// shard holds interned values by their hash. It is read without a lock: who does not find a value
// looks again with the lock.
type shard struct {
	sync.Mutex // of who adds a value
	table      atomic.Pointer[hashTable]
	count      int
}

// hashTable is a table with open addressing. A value is behind the place of its hash, with no empty
// place between.
type hashTable struct {
	mask  uint64
	slots []hashSlot
}

// hashSlot has a part of the hash, so that values with another one are not looked at. It is written
// before the value.
type hashSlot struct {
	tag   atomic.Uint32
	value atomic.Pointer[Value]
}

const firstSlots = 1 << 6

func newTable(n int) *hashTable { return &hashTable{uint64(n - 1), make([]hashSlot, n)} }

// place is where a search for a hash begins, and tag is its part that is kept.
func (t *hashTable) place(hash uint64) (at uint64, tag uint32) {
	return hash / shards & t.mask, uint32(hash >> 32)
}

// find is the value with a hash that is the one that is sought; nil for none.
func (t *hashTable) find(hash uint64, is func(*Value) bool) *Value {
	for at, tag := t.place(hash); ; at = (at + 1) & t.mask {
		s := &t.slots[at]
		v := s.value.Load()
		if v == nil {
			return nil
		}
		if s.tag.Load() == tag && v.hash == hash && is(v) {
			return v
		}
	}
}

func (t *hashTable) add(v *Value) {
	at, tag := t.place(v.hash)
	for t.slots[at].value.Load() != nil {
		at = (at + 1) & t.mask
	}
	t.slots[at].tag.Store(tag)
	t.slots[at].value.Store(v)
}

// add adds a value that is not there. The shard is locked.
func (h *shard) add(v *Value) {
	t := h.table.Load()
	if h.count++; h.count > len(t.slots)/3*2 {
		more := newTable(2 * len(t.slots))
		for i := range t.slots {
			if w := t.slots[i].value.Load(); w != nil {
				more.add(w)
			}
		}
		more.add(v)
		h.table.Store(more)
		return
	}
	t.add(v)
}

// known is the interned value with a hash that is the one that is sought; nil for none.
func (s *Space) known(hash uint64, is func(*Value) bool) *Value {
	return s.shards[hash%shards].table.Load().find(hash, is)
}

// With is With for interned values, and interned. It makes no value that is there already.
func (s *Space) With(set, x *Value) *Value {
	if set.kind != Set || len(set.elems) == 0 {
		return s.Intern(With(set, x))
	}
	checkTogether(set.elems[0], x)
	if set.find(x) >= 0 {
		return set
	}
	n := len(set.elems) + 1
	w := s.known(sealedHash(Set, uint64(set.n)+member(x.hash), n), func(w *Value) bool {
		if w.kind != Set || len(w.elems) != n {
			return false
		}
		k := 0
		for _, e := range w.elems {
			if k < n-1 && e == set.elems[k] {
				k++
			} else if e != x {
				return false
			}
		}
		return k == n-1
	})
	if w != nil {
		return w
	}
	return s.Intern(With(set, x))
}

// Except is Except for interned values, and interned. It makes no value that is there already.
func (s *Space) Except(f, x, v *Value) *Value {
	i := -1
	if f.kind >= Tuple && f.kind <= Function {
		i = f.place(x)
	}
	if i < 0 {
		return s.Intern(Except(f, x, v))
	}
	if f.elems[i] == v {
		return f
	}
	sum := uint64(f.n) - pair(f.keyHash(i), f.elems[i].hash) + pair(f.keyHash(i), v.hash)
	w := s.known(sealedHash(f.kind, sum, len(f.elems)), func(w *Value) bool {
		if w.kind != f.kind || len(w.elems) != len(f.elems) || !sameKeys(f, w) {
			return false
		}
		for k, e := range w.elems {
			if e != f.elems[k] && k != i {
				return false
			}
		}
		return w.elems[i] == v
	})
	if w != nil {
		return w
	}
	return s.Intern(Except(f, x, v))
}

// sameKeys reports whether two functions of a kind have the same arguments, as far as it is seen
// without looking at them.
func sameKeys(f, g *Value) bool {
	switch f.kind {
	case Record:
		return f.more.fields.same(g.more.fields)
	case Function:
		return f.more.domain == g.more.domain
	}
	return true
}

// keyHash is the hash of the argument at a place of a function.
func (v *Value) keyHash(i int) uint64 {
	switch v.kind {
	case Record:
		return v.more.fields.hashes[i]
	case Function:
		return v.more.domain.elems[i].hash
	}
	return hashInt(int64(i + 1))
}

// Parts are the values of a function that is listed, or of a record, in the order in which it keeps
// them; nil for another value.
func (v *Value) Parts() []*Value {
	if v.kind < Tuple || v.kind > Function {
		return nil
	}
	return v.elems
}

// Alike reports whether two interned values are functions of the same arguments.
func Alike(f, g *Value) bool {
	return f.kind == g.kind && f.kind >= Tuple && f.kind <= Function &&
		len(f.elems) == len(g.elems) && sameKeys(f, g)
}

// Like is the function with the arguments of another one, and with interned values in their order.
// It makes no value that is there already, and keeps no slice.
func (s *Space) Like(f *Value, elems []*Value) *Value {
	sum := uint64(0)
	for i, e := range elems {
		sum += pair(f.keyHash(i), e.hash)
	}
	return s.parted(f.kind, elems, sum, f.more, func(w *Value) bool { return sameKeys(f, w) })
}

// SetOf is the set of interned elements that are in the order in which a set lists them. It makes
// no value that is there already, and keeps no slice.
func (s *Space) SetOf(elems []*Value) *Value {
	sum := uint64(0)
	for _, e := range elems {
		sum += member(e.hash)
	}
	return s.parted(Set, elems, sum, nil, func(*Value) bool { return true })
}

// parted is the value of a kind with some parts.
func (s *Space) parted(
	kind Kind, elems []*Value, sum uint64, m *more, fits func(*Value) bool,
) *Value {
	w := s.known(sealedHash(kind, sum, len(elems)), func(w *Value) bool {
		return w.kind == kind && slices.Equal(w.elems, elems) && fits(w)
	})
	if w != nil {
		return w
	}
	return s.Intern(sealed(kind, slices.Clone(elems), sum, m))
}
