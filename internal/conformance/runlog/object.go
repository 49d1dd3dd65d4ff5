package runlog

import (
	"bytes"
	"cmp"
	"encoding/json"
	"slices"
	"strings"
)

// Object is an object of JSON: its fields by their names, each once. A few may be in any order. It
// costs a third of a map's memory, and programs that write logs give an event few fields.
type Object []Field

// Field is a name and a value: nil, a bool, a string, a json.Number, a []any or an Object.
type Field struct {
	Name  string
	Value any
}

func byName(a, b Field) int { return strings.Compare(a.Name, b.Name) }

// NewObject is the object of fields with different names.
func NewObject(fields ...Field) Object {
	slices.SortFunc(fields, byName)
	return fields
}

// fewFields is the number of fields up to which they are compared one after the other.
const fewFields = 12

// find is the place of a field, and whether it is there.
func (o Object) find(name string) (int, bool) {
	if len(o) <= fewFields {
		for i := range o {
			if o[i].Name == name {
				return i, true
			}
		}
		return 0, false
	}
	return slices.BinarySearchFunc(o, name, func(f Field, name string) int {
		return cmp.Compare(f.Name, name)
	})
}

// Get is the value of a field.
func (o Object) Get(name string) (any, bool) {
	if i, ok := o.find(name); ok {
		return o[i].Value, true
	}
	return nil, false
}

// With is a copy with another value of a field that it has.
func (o Object) With(name string, v any) Object {
	out := slices.Clone(o)
	if i, ok := out.find(name); ok {
		out[i].Value = v
	}
	return out
}

// Without is a copy without a field.
func (o Object) Without(name string) Object {
	return slices.DeleteFunc(slices.Clone(o), func(f Field) bool { return f.Name == name })
}

// MarshalJSON writes the fields in the order of their names.
func (o Object) MarshalJSON() ([]byte, error) {
	var b bytes.Buffer
	e := json.NewEncoder(&b)
	e.SetEscapeHTML(false)
	b.WriteByte('{')
	for i, f := range NewObject(slices.Clone(o)...) {
		if i > 0 {
			b.WriteByte(',')
		}
		if err := e.Encode(f.Name); err != nil {
			return nil, err
		}
		b.WriteByte(':')
		if err := e.Encode(f.Value); err != nil {
			return nil, err
		}
	}
	b.WriteByte('}')
	return b.Bytes(), nil
}
