package oracletest

import (
	"fmt"
	"strconv"

	"erelong.dev/erelong/internal/front/ere/syntax"
)

// domain lists the values of a type that has finitely many.
func (m *Machine) domain(s *syntax.SortExpr) []Value {
	if s.Data != nil {
		return m.dataDomain(s.Data)
	}
	switch s.Name {
	case "":
		var out []Value
		lo, hi := m.constant(s.Lo), m.constant(s.Hi)
		for i := lo; i <= hi; i++ {
			out = append(out, i)
		}
		return out
	case "bool":
		return []Value{false, true}
	case "int": // all that conditions of generated sums are true of
		return []Value{0, 1, 2}
	}
	if t := m.types[s.Name]; t != nil {
		return m.domain(t)
	}
	if out := m.sorts[s.Name]; out != nil {
		return out
	}
	panic(fmt.Sprintf("oracletest: the values of %s", s.Name))
}

// constant is a number in a type.
func (m *Machine) constant(x *syntax.Expr) int {
	return (&evaluator{m: m}).eval(x, nil).(int)
}

func (m *Machine) dataDomain(d *syntax.DataType) (out []Value) {
	switch d.Form {
	case syntax.RecordType, syntax.TupleType:
		return m.product(d.Parts, func(vs []Value) Value { return Record{fieldNames(d), vs} })
	case syntax.OptionType:
		out = append(out, Made{Name: "none"})
		return append(out, m.product(d.Parts, func(vs []Value) Value {
			return Made{"some", vs}
		})...)
	case syntax.VariantType:
		for _, c := range d.Cases {
			out = append(out, m.product(c.Parts, func(vs []Value) Value {
				return Made{c.Name.Text, vs}
			})...)
		}
		return out
	case syntax.SetType:
		out = []Value{Set{}}
		for _, e := range m.domain(d.Parts[0]) {
			for _, s := range out {
				out = append(out, union(s.(Set), setOf(e)))
			}
		}
		return out
	case syntax.SeqType:
		elems := m.domain(d.Parts[0])
		out = []Value{Seq{}}
		last := out
		for range m.constant(d.Bound) {
			var next []Value
			for _, s := range last {
				for _, e := range elems {
					next = append(next, added(s.(Seq), e))
				}
			}
			out, last = append(out, next...), next
		}
		return out
	}
	out = []Value{Map{}}
	for _, k := range m.domain(d.Parts[0]) {
		before := out
		for _, v := range m.domain(d.Parts[1]) {
			for _, x := range before {
				out = append(out, x.(Map).with(k, v))
			}
		}
	}
	return out
}

func fieldNames(d *syntax.DataType) (out []string) {
	for i := range d.Parts {
		if d.Form == syntax.TupleType {
			out = append(out, strconv.Itoa(i+1))
		} else {
			out = append(out, d.Fields[i].Text)
		}
	}
	return out
}

// product lists what is made of all combinations of values.
func (m *Machine) product(parts []*syntax.SortExpr, build func([]Value) Value) (out []Value) {
	rows := [][]Value{nil}
	for _, p := range parts {
		var next [][]Value
		for _, r := range rows {
			for _, v := range m.domain(p) {
				next = append(next, append(r[:len(r):len(r)], v))
			}
		}
		rows = next
	}
	for _, r := range rows {
		out = append(out, build(r))
	}
	return out
}

// fits reports whether a value that a state holds keeps to the ranges and bounds of its type.
func (m *Machine) fits(v Value, s *syntax.SortExpr) bool {
	if s.Data == nil {
		if t := m.types[s.Name]; t != nil {
			return m.fits(v, t)
		}
		n, isInt := v.(int)
		return s.Name != "" || !isInt || m.constant(s.Lo) <= n && n <= m.constant(s.Hi)
	}
	all := func(vs []Value, parts []*syntax.SortExpr) bool {
		for i, v := range vs {
			if !m.fits(v, parts[i]) {
				return false
			}
		}
		return true
	}
	d := s.Data
	switch v := v.(type) {
	case Record:
		return all(v.Values, d.Parts)
	case Made:
		if d.Form == syntax.OptionType {
			return all(v.Args, d.Parts)
		}
		for _, c := range d.Cases {
			if c.Name.Text == v.Name {
				return all(v.Args, c.Parts)
			}
		}
	case Map:
		for _, e := range v {
			if !all([]Value{e.Key, e.Value}, d.Parts) {
				return false
			}
		}
	case Set, Seq:
		for _, e := range elements(v) {
			if !m.fits(e, d.Parts[0]) {
				return false
			}
		}
		q, isSeq := v.(Seq)
		return !isSeq || d.Bound == nil || len(q) <= m.constant(d.Bound)
	}
	return true
}

func union(a, b Set) Set {
	out := Set{}
	for _, s := range []Set{a, b} {
		for k, v := range s {
			out[k] = v
		}
	}
	return out
}

func added(s Seq, vs ...Value) Seq { return append(s[:len(s):len(s)], vs...) }

func (m Map) with(k, v Value) Map {
	out := Map{Text(k): {k, v}}
	for t, e := range m {
		if t != Text(k) {
			out[t] = e
		}
	}
	return out
}
