package value

import (
	"math"
	"slices"
	"sync"
)

// Space makes the values that carry their number, and gives numbers to others. It is safe for
// concurrent use.
type Space struct {
	True, False, EmptySet, EmptyTuple *Value
	Nat, Integers, Strings, Boolean   *Value

	small   [smallInts]*Value // from lowInt on
	shards  [shards]shard
	byID    [chunks]*[chunk]*Value
	grow    sync.Mutex
	next    uint32
	texts   sync.Mutex
	strings map[string]*Value
	models  map[string]*Value
	fields  []*Fields
	// What functions have in common, by their interned domains.
	functions map[*Value]*more
	sealed    bool
}

const (
	lowInt    = -1 << 7
	smallInts = 1 << 11
	shards    = 1 << 6
	chunkBits = 14
	chunk     = 1 << chunkBits
	chunks    = 1 << (32 - chunkBits)
)

// NewSpace makes a space.
func NewSpace() *Space {
	s := &Space{strings: map[string]*Value{}, models: map[string]*Value{},
		functions: map[*Value]*more{}}
	for i := range s.shards {
		s.shards[i].table.Store(newTable(firstSlots))
	}
	s.False = &Value{kind: Bool, hash: mix(seedBool)}
	s.True = &Value{kind: Bool, n: 1, hash: mix(seedBool + 1)}
	for i := range s.small {
		s.small[i] = newInt(int64(i) + lowInt)
	}
	s.EmptySet, s.EmptyTuple = sealed(Set, nil, 0, nil), tuple(nil)
	s.Nat, s.Integers, s.Strings = describe(Naturals), describe(Integers), describe(Strings)
	s.Boolean = SetOf(s.False, s.True)
	for _, v := range append(s.small[:], s.False, s.True, s.EmptySet, s.EmptyTuple) {
		s.Intern(v)
	}
	return s
}

// Bool is a truth value.
func (s *Space) Bool(b bool) *Value {
	if b {
		return s.True
	}
	return s.False
}

// Seal says that the texts that a specification has are known. Strings that are made later stand
// behind them, by their texts: when they are made depends on the threads of a search.
func (s *Space) Seal() {
	s.texts.Lock()
	defer s.texts.Unlock()
	s.sealed = true
}

// String is a string. Its place in the order is when it was met first, if it was met before Seal.
func (s *Space) String(text string) *Value { return s.met(s.strings, text, String, seedString) }

// Model is a model value. Its place in the order is when it was met first.
func (s *Space) Model(name string) *Value { return s.met(s.models, name, Model, seedModel) }

func (s *Space) met(known map[string]*Value, text string, kind Kind, seed uint64) *Value {
	s.texts.Lock()
	defer s.texts.Unlock()
	v := known[text]
	if v == nil {
		order := len(s.strings) + len(s.models)
		if s.sealed {
			order = math.MaxInt
		}
		v = &Value{kind: kind, hash: hashText(text, seed), more: &more{text: text, order: order}}
		known[text] = v
	}
	return v
}

// Fields are the names of fields, in any order.
func (s *Space) Fields(names ...string) *Fields {
	var strings []*Value
	for _, n := range slices.Sorted(slices.Values(names)) {
		strings = append(strings, s.String(n))
	}
	return s.oneOf(newFields(strings))
}

// oneOf gives the fields of the space that equal some.
func (s *Space) oneOf(f *Fields) *Fields {
	s.texts.Lock()
	defer s.texts.Unlock()
	if i := slices.IndexFunc(s.fields, f.same); i >= 0 {
		return s.fields[i]
	}
	f = newFields(f.Strings)
	f.more.common = true
	s.fields = append(s.fields, f)
	return f
}

// Intern gives the value of the space that equals v. It has a number.
func (s *Space) Intern(v *Value) *Value {
	if v.id.Load() != 0 {
		return v
	}
	v = v.Forced()
	h := &s.shards[v.hash%shards]
	is := func(w *Value) bool { return same(v, w) }
	if w := h.table.Load().find(v.hash, is); w != nil {
		return w
	}
	v = s.canonical(v)
	h.Lock()
	defer h.Unlock()
	if w := h.table.Load().find(v.hash, is); w != nil {
		return w
	}
	s.number(v)
	h.add(v)
	return v
}

// canonical is a value made of interned values.
func (s *Space) canonical(v *Value) *Value {
	if len(v.elems) == 0 {
		return v
	}
	c := compact(len(v.elems))
	for i, e := range v.elems {
		c.elems[i] = s.Intern(e)
	}
	c.kind, c.n, c.hash, c.more = v.kind, v.n, v.hash, v.more
	switch {
	case c.more == nil || c.more.common:
	case c.kind == Record:
		c.more = s.oneOf(c.more.fields).more
	default:
		c.more = s.functionsOn(s.Intern(c.more.domain))
	}
	return c
}

// compact is a value with room for some parts, next to it if they are few: who looks for a value
// compares the parts of others.
func compact(parts int) *Value {
	var v *Value
	switch {
	case parts <= 2:
		c := &struct {
			Value
			room [2]*Value
		}{}
		v, c.elems = &c.Value, c.room[:parts:parts]
	case parts <= 4:
		c := &struct {
			Value
			room [4]*Value
		}{}
		v, c.elems = &c.Value, c.room[:parts:parts]
	case parts <= 6:
		c := &struct {
			Value
			room [6]*Value
		}{}
		v, c.elems = &c.Value, c.room[:parts:parts]
	default:
		v = &Value{elems: make([]*Value, parts)}
	}
	return v
}

// functionsOn is what the functions on an interned set have in common.
func (s *Space) functionsOn(domain *Value) *more {
	s.texts.Lock()
	defer s.texts.Unlock()
	m := s.functions[domain]
	if m == nil {
		m = &more{domain: domain, common: true}
		s.functions[domain] = m
	}
	return m
}

func (s *Space) number(v *Value) {
	s.grow.Lock()
	defer s.grow.Unlock()
	if s.byID[s.next>>chunkBits] == nil {
		s.byID[s.next>>chunkBits] = new([chunk]*Value)
	}
	s.byID[s.next>>chunkBits][s.next&(chunk-1)] = v
	s.next++
	v.id.Store(s.next)
}

// Of is the value with a number.
func (s *Space) Of(id uint32) *Value { return s.byID[id>>chunkBits][id&(chunk-1)] }

// Len is how many values have numbers.
func (s *Space) Len() int {
	s.grow.Lock()
	defer s.grow.Unlock()
	return int(s.next)
}
