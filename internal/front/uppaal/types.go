package uppaal

import (
	"iter"
	"math"
)

type kind int

const (
	intKind kind = iota
	boolKind
	scalarKind
	clockKind
	chanKind
	arrayKind
	structKind
	voidKind
)

// typ is a resolved type. Its values take size cells, clocks or channels, depending on its leaves.
type typ struct {
	kind   kind
	lo, hi int32 // of numbers
	set    int   // of a scalar: which set
	elem   *typ
	index  *typ // of an array: the type of its indices
	fields []field
	size   int

	constant, urgent, broadcast bool
}

type field struct {
	name string
	typ  *typ
	off  int
}

var (
	defaultInt = &typ{kind: intKind, lo: math.MinInt16, hi: math.MaxInt16, size: 1}
	boolType   = &typ{kind: boolKind, lo: 0, hi: 1, size: 1}
	// of results of operators
	anyInt = &typ{kind: intKind, lo: math.MinInt32, hi: math.MaxInt32, size: 1}
)

func (t *typ) number() bool {
	return t.kind == intKind || t.kind == boolKind || t.kind == scalarKind
}

// count is the number of values of a number type.
func (t *typ) count() int64 { return int64(t.hi) - int64(t.lo) + 1 }

// values gives the values of a number type, ascending.
func (t *typ) values() iter.Seq[int32] {
	return func(yield func(int32) bool) {
		for n := int64(t.lo); n <= int64(t.hi) && yield(int32(n)); n++ {
		}
	}
}

// leaf is the kind of the smallest parts; the parts of a struct are numbers.
func (t *typ) leaf() kind {
	for t.kind == arrayKind {
		t = t.elem
	}
	return t.kind
}

// same reports whether values can be assigned as a whole.
func (t *typ) same(u *typ) bool {
	if t.number() && u.number() {
		return t.kind != scalarKind && u.kind != scalarKind || t.kind == u.kind && t.set == u.set
	}
	if t.kind != u.kind || t.size != u.size || len(t.fields) != len(u.fields) {
		return false
	}
	if t.kind == arrayKind {
		return t.elem.same(u.elem)
	}
	for i := range t.fields {
		if !t.fields[i].typ.same(u.fields[i].typ) {
			return false
		}
	}
	return true
}
