// Package value holds the values of untyped set theory as TLA+ uses it: truth values, integers,
// strings, model values, sets, and functions, of which tuples and records are special ones.
//
// In: the parts of a value. Out: a *Value, which is immutable. Each value has one form, so equal
// values have equal hashes: a function whose domain is 1..n is a tuple, one whose domain are
// strings is a record. Sets that are large or infinite are kept as what describes them until their
// elements are asked for: intervals, powersets, sets of functions and so on (see lazy.go).
//
// A Space gives values numbers, by which states are stored. The order of values is TLC's, for the
// choice of CHOOSE depends on it: see order.go. An operation that has no value panics with an
// *Error, which the evaluator of an expression turns into an error with a place.
package value

import (
	"fmt"
	"math/big"
	"math/bits"
	"sync/atomic"
)

// Kind says what a value is.
type Kind uint8

// The kinds. The ones from Interval on describe sets that are not listed.
const (
	Bool Kind = iota
	Int
	String
	Model
	Set
	Tuple
	Record
	Function
	Lambda // a function that is given by an expression
	Interval
	Subset
	Functions
	Records
	Product
	Naturals
	Integers
	Strings
	Sequences
	Filtered
	Union
	Intersection
	Difference
	Everything
)

// Value is a value. It is immutable, and safe for concurrent use.
type Value struct {
	kind  Kind
	id    atomic.Uint32 // in the space that it was interned in, plus 1; 0 before
	n     int64         // a truth value, an integer; the sum of the hashes of the parts
	hash  uint64
	elems []*Value // of a set by hash; of a tuple; the values of a function by its domain
	more  *more    // nil for a truth value, an integer of 64 bits, a tuple, a listed set
	// The elements of a listed set in TLC's order, where they were asked for.
	sorted atomic.Pointer[[]*Value]
}

// more is what few values have. Records of the same fields have it in common, and so have functions
// on a domain.
type more struct {
	text   string   // of a string or model value
	order  int      // of a string or model value: when it was met
	large  *big.Int // an integer that does not fit into 64 bits
	domain *Value   // of a function: a listed set
	fields *Fields  // of a record
	lazy   *lazy    // of a set that is not listed, and a lambda
	common bool     // the one that a space has for the fields, or for the domain
	forced atomic.Pointer[Value]
}

// Error says that an operation has no value.
type Error struct{ Message string }

func (e *Error) Error() string { return e.Message }

func fail(format string, args ...any) { panic(&Error{fmt.Sprintf(format, args...)}) }

// Seeds of the hashes of kinds.
const (
	seedInt      uint64 = 0x9e3779b97f4a7c15
	seedBool     uint64 = 0xd1b54a32d192ed03
	seedString   uint64 = 0x8cb92ba72f3d8dd7
	seedModel    uint64 = 0xaef17502108ef2d9
	seedSet      uint64 = 0xf1357aea2e62a9c5
	seedFunction uint64 = 0x94d049bb133111eb
)

// mix is the finaliser of splitmix64 (Steele, Lea and Flood, 2014).
func mix(x uint64) uint64 {
	x ^= x >> 30
	x *= 0xbf58476d1ce4e5b9
	x ^= x >> 27
	x *= 0x94d049bb133111eb
	return x ^ x>>31
}

func hashInt(n int64) uint64 { return mix(uint64(n) + seedInt) }

// hashText is FNV-1a, mixed.
func hashText(s string, seed uint64) uint64 {
	h := uint64(0xcbf29ce484222325)
	for i := range len(s) {
		h = (h ^ uint64(s[i])) * 0x100000001b3
	}
	return mix(h + seed)
}

// pair is the part of a function's hash for a key and its value.
func pair(key, value uint64) uint64 {
	return mix(bits.RotateLeft64(key, 23) ^ mix(value+seedFunction))
}

func member(elem uint64) uint64 { return mix(elem ^ seedSet) }

// Kind says what the value is.
func (v *Value) Kind() Kind { return v.kind }

// Hash is equal for equal values, and the same in every run.
func (v *Value) Hash() uint64 { return v.hash }

// ID is the number of the value in the space that it was interned in.
func (v *Value) ID() (id uint32, ok bool) {
	n := v.id.Load()
	return n - 1, n != 0
}

// IsSet reports whether the value is a set.
func (v *Value) IsSet() bool { return v.kind == Set || v.kind >= Interval }

// IsFunction reports whether the value is a function.
func (v *Value) IsFunction() bool { return v.kind >= Tuple && v.kind <= Lambda }

// Truth is the value as a truth value.
func (v *Value) Truth() bool {
	if v.kind != Bool {
		fail("%s is not a truth value", v)
	}
	return v.n != 0
}

// Text is the text of a string, or the name of a model value.
func (v *Value) Text() string {
	if v.kind != String && v.kind != Model {
		fail("%s is not a string", v)
	}
	return v.more.text
}

// Elems are the elements of a tuple.
func (v *Value) Elems() []*Value {
	if v = v.Forced(); v.kind != Tuple {
		fail("%s is not a sequence", v)
	}
	return v.elems
}

// class are the kinds whose values can be compared with each other.
func (v *Value) class() Kind {
	switch {
	case v.IsSet():
		return Set
	case v.IsFunction():
		return Function
	}
	return v.kind
}

// Equal reports whether values are equal. Values of different classes have no order and no
// equality, but a model value differs from all others.
func Equal(a, b *Value) bool {
	if a == b {
		return true
	}
	if a.kind > Function || b.kind > Function {
		if a.kind == b.kind && a.kind >= Interval {
			if same, known := sameDescription(a, b); known {
				return same
			}
		}
		if a.kind == Set && b.kind == Interval {
			return sameInterval(a, b)
		}
		if a.kind == Interval && b.kind == Set {
			return sameInterval(b, a)
		}
		if a.IsSet() != b.IsSet() && a.kind != Model && b.kind != Model {
			fail("%s cannot be compared with %s", a, b)
		}
		a, b = a.Forced(), b.Forced()
	}
	if a.hash != b.hash {
		if a.kind != b.kind && a.kind != Model && b.kind != Model && a.class() != b.class() {
			fail("%s cannot be compared with %s", a, b)
		}
		return false
	}
	return same(a, b)
}

// same is Equal for values in their form, with equal hashes.
func same(a, b *Value) bool {
	if a == b {
		return true
	}
	if a.kind > Function || b.kind > Function {
		a, b = a.Forced(), b.Forced()
	}
	if a.hash != b.hash || a.kind != b.kind || len(a.elems) != len(b.elems) {
		return false
	}
	switch a.kind {
	case Bool, Int:
		return compareIntegers(a, b) == 0
	case String, Model:
		return a.more.text == b.more.text
	case Record:
		if !a.more.fields.same(b.more.fields) {
			return false
		}
	case Function:
		if !same(a.more.domain, b.more.domain) {
			return false
		}
	}
	for i, e := range a.elems {
		if !same(e, b.elems[i]) {
			return false
		}
	}
	return true
}

// tuple makes a tuple of elements, which it keeps.
func tuple(elems []*Value) *Value {
	sum := uint64(0)
	for i, e := range elems {
		sum += pair(hashInt(int64(i+1)), e.hash)
	}
	return sealed(Tuple, elems, sum, nil)
}

// sealed makes a value of parts whose hashes have a sum.
func sealed(kind Kind, elems []*Value, sum uint64, m *more) *Value {
	hash := sealedHash(kind, sum, len(elems))
	return &Value{kind: kind, n: int64(sum), hash: hash, elems: elems, more: m}
}

func sealedHash(kind Kind, sum uint64, parts int) uint64 {
	seed := seedFunction
	if kind == Set {
		seed = seedSet
	}
	return mix(sum + seed + uint64(parts))
}

// TupleOf makes a tuple. It keeps the slice.
func TupleOf(elems ...*Value) *Value {
	for i, e := range elems {
		elems[i] = e.Forced()
	}
	return tuple(elems)
}

// Fields are the names of a record's fields, in alphabetical order, with the strings that they are.
type Fields struct {
	Names   []string
	Strings []*Value
	hashes  []uint64
	more    *more // of the records
}

// newFields are fields whose names are strings, in alphabetical order.
func newFields(strings []*Value) *Fields {
	f := &Fields{Strings: strings}
	for _, s := range strings {
		f.Names, f.hashes = append(f.Names, s.more.text), append(f.hashes, s.hash)
	}
	f.more = &more{fields: f}
	return f
}

func (f *Fields) same(g *Fields) bool {
	if f == g {
		return true
	}
	if len(f.Names) != len(g.Names) {
		return false
	}
	for i, n := range f.Names {
		if g.Names[i] != n {
			return false
		}
	}
	return true
}

// Find is the place of a field, -1 for none.
func (f *Fields) Find(name string) int {
	for i, n := range f.Names {
		if n == name {
			return i
		}
	}
	return -1
}

// RecordOf makes a record of the values of fields. It keeps the slice.
func RecordOf(f *Fields, values ...*Value) *Value {
	sum := uint64(0)
	for i, v := range values {
		values[i] = v.Forced()
		sum += pair(f.hashes[i], values[i].hash)
	}
	return sealed(Record, values, sum, f.more)
}

// Names are the fields of a record.
func (v *Value) Names() *Fields { return v.more.fields }

// Values are the values of a function, by the elements of its domain in their order, or of a
// record, by its fields.
func (v *Value) Values() []*Value { return v.Forced().elems }
