// Package oracletest is the oracle of package flat. It runs a file with structured data as it
// stands: a state holds records, variants, sets, sequences and maps, and every expression is
// evaluated on them.
//
// In: a parsed file, and the sizes of its sorts. Out: all its states in breadth-first order, which
// properties they violate, and whether a trace is a run. Nothing is translated. The package is slow
// and obvious, and shares no more than the parser with the rest of the program.
//
// It also generates files (Generate), for comparisons.
package oracletest

import (
	"maps"
	"slices"
	"strconv"
	"strings"
)

// Value is a value of any type: bool, int, or one of the types below.
type Value any

type (
	// Made is a value that a constructor made; also a member of an enum, and an element of a sort.
	Made struct {
		Name string
		Args []Value
	}
	// Record has the fields in the order of its type. A tuple's are 1, 2, ...
	Record struct {
		Names  []string
		Values []Value
	}
	// Seq is a sequence.
	Seq []Value
	// Set has its elements by their texts.
	Set map[string]Value
	// Map has its entries by the texts of the keys.
	Map map[string]Entry
	// Entry is a key with its value.
	Entry struct{ Key, Value Value }
)

func setOf(values ...Value) Set {
	out := Set{}
	for _, v := range values {
		out[Text(v)] = v
	}
	return out
}

// elements lists the values of a collection in a fixed order: elements, or keys.
func elements(v Value) (out []Value) {
	switch v := v.(type) {
	case Seq:
		return v
	case Set:
		for _, k := range slices.Sorted(maps.Keys(v)) {
			out = append(out, v[k])
		}
	case Map:
		for _, k := range slices.Sorted(maps.Keys(v)) {
			out = append(out, v[k].Key)
		}
	}
	return out
}

// field is a field of a record; nil if there is none.
func (r Record) field(name string) Value {
	if i := slices.Index(r.Names, name); i >= 0 {
		return r.Values[i]
	}
	return nil
}

// with is the record with another value of a field.
func (r Record) with(name string, v Value) Record {
	out := Record{r.Names, slices.Clone(r.Values)}
	out.Values[slices.Index(r.Names, name)] = v
	return out
}

// same compares by text. The fields of two records may be in different orders.
func same(a, b Value) bool { return Text(a) == Text(b) }

// Text writes a value as traces do. Equal values have equal texts.
func Text(v Value) string {
	texts := func(vs []Value) []string {
		out := make([]string, len(vs))
		for i, v := range vs {
			out[i] = Text(v)
		}
		return out
	}
	switch v := v.(type) {
	case bool:
		return strconv.FormatBool(v)
	case int:
		return strconv.Itoa(v)
	case Made:
		if len(v.Args) == 0 {
			return v.Name
		}
		return v.Name + "(" + strings.Join(texts(v.Args), ", ") + ")"
	case Record:
		parts := texts(v.Values)
		if v.Names[0] == "1" {
			return "(" + strings.Join(parts, ", ") + ")"
		}
		for i := range parts {
			parts[i] = v.Names[i] + ": " + parts[i]
		}
		return "{" + strings.Join(parts, ", ") + "}"
	case Seq:
		return "[" + strings.Join(texts(v), ", ") + "]"
	case Set:
		return "{" + strings.Join(slices.Sorted(maps.Keys(v)), ", ") + "}"
	case Map:
		var parts []string
		for k, e := range v {
			parts = append(parts, k+": "+Text(e.Value))
		}
		if len(parts) == 0 {
			return "[:]"
		}
		slices.Sort(parts)
		return "[" + strings.Join(parts, ", ") + "]"
	}
	return "?"
}
