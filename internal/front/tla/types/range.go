package types

import (
	"slices"

	"erelong.dev/erelong/internal/front/tla/core"
)

// Numbers from a range such as 1..N are mostly names: they are compared, and in sets, and nobody
// computes with them. Then they can be elements of which there are as many.

// ranged is the type of the numbers of a range. They may become elements where the ends are made of
// constants.
func (t *Typing) ranged(n *core.Operator) *Type {
	out := at(n, Int)
	if !t.sums && isConstant(n.Args[0]) && isConstant(n.Args[1]) && len(constantsIn(n)) > 0 {
		out.ranges = []*core.Operator{n}
		t.ranges = append(t.ranges, out)
	}
	return out
}

// isConstant reports whether a node is made of numbers and constants.
func isConstant(n core.Node) bool {
	switch n := core.Strip(n).(type) {
	case *core.Literal, *core.Parameter:
		return true
	case *core.Operator:
		switch n.Name {
		case "+", "-", "*", "..":
			return !slices.ContainsFunc(n.Args, func(a core.Node) bool { return !isConstant(a) })
		}
	}
	return false
}

// constantsIn are the names of the constants in a node that is made of numbers and constants.
func constantsIn(n core.Node) (out []string) {
	n = core.Strip(n)
	if p, ok := n.(*core.Parameter); ok {
		return []string{p.Name}
	}
	core.Parts(n, func(p core.Node) { out = append(out, constantsIn(p)...) })
	return out
}

// Range is the range of which the values of a type are the elements; nil if there is none.
func (t *Type) Range() *core.Operator {
	if r := t.root(); r.kind == Element && len(r.ranges) > 0 {
		return r.ranges[0]
	}
	return nil
}

// AsNumbers makes integers of the elements of a range.
func (t *Type) AsNumbers() {
	r := t.root()
	r.kind, r.ranges = Int, nil
}

// Ranges makes elements of the numbers of ranges with which nobody computes, if a range may be one
// of elements. The others are integers for good.
func (t *Typing) Ranges(may func(of *core.Operator, constants []string) bool) {
	for _, r := range t.ranges {
		switch r = r.root(); {
		case r.kind != Int || len(r.ranges) == 0:
		case all(r.ranges, func(o *core.Operator) bool { return core.Alike(o, r.ranges[0]) }) &&
			may(r.ranges[0], constantsIn(r.ranges[0])):
			r.kind = Element
		default:
			r.ranges = nil
		}
	}
}

func all[T any](of []T, is func(T) bool) bool {
	return !slices.ContainsFunc(of, func(x T) bool { return !is(x) })
}

// rangesOf are the ranges of two types that are found to be the same: none where one is an integer
// of which more is known.
func rangesOf(a, b *Type) []*core.Operator {
	if len(a.ranges) == 0 || len(b.ranges) == 0 {
		return nil
	}
	return append(a.ranges, b.ranges...)
}

// unlike reports whether two types are of elements, and one of them of a range that the other one
// is not of.
func unlike(a, b *Type) bool {
	if a.kind != Element || b.kind != Element || len(a.ranges)+len(b.ranges) == 0 {
		return false
	}
	return len(a.ranges) == 0 || len(b.ranges) == 0 || !core.Alike(a.ranges[0], b.ranges[0])
}

// joins makes the numbers of a range the elements that these numbers are, and reports whether they
// are.
func joins(numbers, elements *Type) bool {
	if numbers.kind != Int || elements.kind != Element || len(numbers.ranges) == 0 ||
		len(elements.ranges) == 0 || !all(numbers.ranges, func(o *core.Operator) bool {
		return core.Alike(o, elements.ranges[0])
	}) {
		return false
	}
	numbers.up = elements
	return true
}
