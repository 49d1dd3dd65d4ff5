package result

import (
	"slices"
	"strconv"
	"strings"
)

// stateView reads values from the symbols of one state.
type stateView struct {
	values   map[string]Value
	universe []Universe
}

// symbol is the value of a symbol: for one with arguments, a map from the points.
func (s stateView) symbol(sym *StructuredSymbol) Value {
	if len(sym.Parts) == 1 && len(sym.Parts[0].Args) == 0 {
		return s.value(sym.Parts[0].Value, nil)
	}
	all := Value{Kind: MapValue}
	if sym.Relation {
		all.Kind = SetValue
	}
	for _, p := range sym.Parts {
		for _, point := range s.points(p.Value, p.Args) {
			if sym.Relation && !s.at(p.Value.Leaf, point).Bool {
				continue
			}
			var row Row
			rest := point
			for _, k := range p.Args {
				row.Key = append(row.Key, k.value(rest))
				rest = rest[k.Width():]
			}
			if !sym.Relation {
				row.Result = s.value(p.Value, point)
			}
			all.Rows = append(all.Rows, row)
		}
	}
	SortRows(all.Rows)
	return all
}

// points lists the arguments at which a symbol has a value: the ones that the functions among its
// parts have, and otherwise the ones that its relations have.
func (s stateView) points(shape *Shape, args []*Key) (out [][]Value) {
	width, universe := 0, [][]Value{{}}
	for _, k := range args {
		width += k.Width()
		universe = s.extend(universe, k)
	}
	if len(universe) > 0 {
		return universe
	}
	seen := map[string]bool{}
	add := func(row Row) {
		point := row.Key[:min(width, len(row.Key))]
		if key := (Row{Key: point}).KeyString(); !seen[key] {
			seen[key] = true
			out = append(out, point)
		}
	}
	var leaves []string
	shape.leaves(&leaves)
	for _, kind := range []ValueKind{MapValue, SetValue} {
		for _, l := range leaves {
			if v := s.values[l]; v.Kind == kind {
				for _, r := range v.Rows {
					add(r)
				}
			}
		}
		if kind == MapValue && len(out) > 0 {
			return out
		}
	}
	return out
}

// extend adds the values of a key to points: all elements of its sorts. It gives nil where a sort
// has no elements that the trace names.
func (s stateView) extend(points [][]Value, k *Key) (out [][]Value) {
	if k.Form != Plain {
		for _, p := range k.Parts {
			points = s.extend(points, p)
		}
		return points
	}
	values := k.All
	for _, u := range s.universe {
		if u.Sort == k.Sort {
			for _, e := range u.Elements {
				values = append(values, Atom(u.Sort, e))
			}
		}
	}
	for _, p := range points {
		for _, v := range values {
			out = append(out, append(slices.Clone(p), v))
		}
	}
	return out
}

func (s *Shape) leaves(to *[]string) {
	if s == nil {
		return
	}
	if s.Leaf != "" {
		*to = append(*to, s.Leaf)
	}
	for _, p := range s.Parts {
		p.leaves(to)
	}
	for _, c := range s.Cases {
		for _, p := range c.Parts {
			p.leaves(to)
		}
	}
	for _, e := range s.Elems {
		*to = append(*to, e.Leaf)
		e.Value.leaves(to)
	}
}

// at is the value of a symbol at a point. A relation without the point is false.
func (s stateView) at(leaf string, point []Value) Value {
	v, ok := s.values[leaf]
	switch {
	case !ok:
		return Value{Kind: NoValue}
	case v.Kind != SetValue && v.Kind != MapValue:
		return v
	}
	for _, r := range v.Rows {
		if slices.EqualFunc(r.Key, point, Value.Equal) {
			if v.Kind == SetValue {
				return Bool(true)
			}
			return r.Result
		}
	}
	if v.Kind == SetValue {
		return Bool(false)
	}
	return Value{Kind: NoValue}
}

// value is a value at a point.
func (s stateView) value(shape *Shape, point []Value) Value {
	all := func(parts []*Shape) []Value {
		out := make([]Value, len(parts))
		for i, p := range parts {
			out[i] = s.value(p, point)
		}
		return out
	}
	switch shape.Form {
	case Record:
		return named(RecordValue, "", shape.Names, all(shape.Parts))
	case Tuple:
		return listed(TupleValue, all(shape.Parts))
	case Option:
		switch some := s.at(shape.Leaf, point); {
		case some.Kind == NoValue:
			return some
		case !some.Bool:
			return named(VariantValue, "none", nil, nil)
		}
		return named(VariantValue, "some", []string{optionField}, all(shape.Parts))
	case Variant:
		if c := shape.Cases[0]; shape.Leaf == "" {
			return named(VariantValue, c.Name, c.Names, all(c.Parts))
		}
		member := s.at(shape.Leaf, point)
		for _, c := range shape.Cases {
			if c.Member == member.Text {
				return named(VariantValue, c.Name, c.Names, all(c.Parts))
			}
		}
		return member
	case Seq:
		return s.sequence(shape, point)
	case Set, Map:
		return s.elements(shape, point)
	}
	return s.at(shape.Leaf, point)
}

// optionField is the name of the field of some(x).
const optionField = "value"

// elements is a set or a map at a point, in the order of its text.
func (s stateView) elements(shape *Shape, point []Value) Value {
	v := Value{Kind: ElementsValue}
	if shape.Form == Map {
		v.Kind = EntriesValue
	}
	for _, e := range shape.Elems {
		for _, row := range s.rows(e.Leaf, point) {
			r := Row{Key: []Value{e.Key.value(row[len(point):])}}
			if e.Value != nil {
				r.Result = s.value(e.Value, row)
			}
			v.Rows = append(v.Rows, r)
		}
	}
	SortElements(v.Rows)
	return v
}

// SortElements puts the elements of a set, or the entries of a map, in the order of their texts.
func SortElements(rows []Row) {
	slices.SortFunc(rows, func(a, b Row) int {
		return strings.Compare(a.KeyString(), b.KeyString())
	})
}

func (s stateView) sequence(shape *Shape, point []Value) Value {
	size := s.at(shape.Leaf, point)
	var parts []Value
	for i := 1; size.Kind == IntValue && len(parts) < maxShown; i++ {
		if Int(strconv.Itoa(i)).Compare(size) > 0 {
			break
		}
		at := append(slices.Clone(point), Int(strconv.Itoa(i)))
		parts = append(parts, s.value(shape.Parts[0], at))
	}
	return listed(SequenceValue, parts)
}

// maxShown bounds the elements of a sequence that are written, should its size be senseless.
const maxShown = 1000

// rows lists the points of a relation that begin with a point.
func (s stateView) rows(leaf string, point []Value) (out [][]Value) {
	v := s.values[leaf]
	if v.Kind == BoolValue && v.Bool {
		return [][]Value{nil} // an element without parts
	}
	for _, r := range v.Rows {
		if len(r.Key) >= len(point) && slices.EqualFunc(r.Key[:len(point)], point, Value.Equal) {
			out = append(out, r.Key)
		}
	}
	return out
}
