package quint

import (
	"math/big"
	"slices"
	"strings"

	"erelong.dev/erelong/internal/result"
	"erelong.dev/erelong/internal/value"
)

// typ is a type of Quint. It is how results show its values.
type typ struct {
	Kind   string `json:"kind"`
	Name   string `json:"name"` // of a type constant or a variable
	Elem   *typ   `json:"elem"` // of a set or a list
	Arg    *typ   `json:"arg"`  // of a map
	Res    *typ   `json:"res"`  // of a map or an operator
	Args   []*typ `json:"args"` // of an operator
	Fields row    `json:"fields"`
}

// row is the fields of a record, a tuple or a variant.
type row struct {
	Kind   string  `json:"kind"`
	Fields []field `json:"fields"`
	Other  *row    `json:"other"`
}

type field struct {
	Name string `json:"fieldName"`
	Type *typ   `json:"fieldType"`
}

// all are the fields of a row with the ones of the rows that it extends.
func (r *row) all() (out []field) {
	for ; r != nil; r = r.Other {
		out = append(out, r.Fields...)
	}
	return out
}

func (t *typ) field(name string) (*typ, bool) {
	for _, f := range t.Fields.all() {
		if f.Name == name {
			return f.Type, true
		}
	}
	return nil, false
}

// unit reports whether a type is the one of the empty tuple.
func (t *typ) unit() bool {
	return t != nil && (t.Kind == "tup" || t.Kind == "rec") && len(t.Fields.all()) == 0
}

// String is the type as Quint writes it.
func (t *typ) String() string {
	fields := func(named bool) string {
		var parts []string
		for _, f := range t.Fields.all() {
			text := f.Type.String()
			if named {
				text = f.Name + ": " + text
			}
			parts = append(parts, text)
		}
		return strings.Join(parts, ", ")
	}
	switch t.Kind {
	case "set":
		return "Set[" + t.Elem.String() + "]"
	case "list":
		return "List[" + t.Elem.String() + "]"
	case "fun":
		return "(" + t.Arg.String() + " -> " + t.Res.String() + ")"
	case "tup":
		return "(" + fields(false) + ")"
	case "rec":
		return "{ " + fields(true) + " }"
	case "sum":
		var parts []string
		for _, f := range t.Fields.all() {
			if f.Type.unit() {
				parts = append(parts, f.Name)
			} else {
				parts = append(parts, f.Name+"("+f.Type.String()+")")
			}
		}
		return strings.Join(parts, " | ")
	case "const", "var":
		return t.Name
	}
	return t.Kind
}

// tagField is the field of a variant, as a record, that names its constructor. What the constructor
// is applied to is in a field with its name, so that each field has one type.
const tagField = "tag"

// Show is a value of the type.
func (t *typ) Show(v *value.Value) result.Value {
	v = v.Forced()
	if v.Kind() == value.Model { // of a variable that has no value yet
		return result.Value{Kind: result.NoValue, Text: v.Text()}
	}
	out := result.Value{}
	entry := func(key string, t *typ, v *value.Value) {
		out.Rows = append(out.Rows, result.Row{
			Key: []result.Value{result.Atom("", key)}, Result: t.Show(v)})
	}
	element := func(t *typ, v *value.Value) {
		out.Rows = append(out.Rows, result.Row{Key: []result.Value{t.Show(v)}})
	}
	switch t.Kind {
	case "bool":
		return result.Bool(v.Truth())
	case "int":
		return result.Int(v.Integer().String())
	case "set":
		out.Kind = result.ElementsValue
		for _, e := range v.Printed() {
			element(t.Elem, e)
		}
	case "list":
		out.Kind = result.SequenceValue
		for _, e := range v.Elems() {
			element(t.Elem, e)
		}
	case "tup":
		out.Kind = result.TupleValue
		for i, f := range t.Fields.all() {
			element(f.Type, v.Elems()[i])
		}
	case "rec":
		out.Kind = result.RecordValue
		for i, name := range v.Names().Names {
			if of, ok := t.field(name); ok {
				entry(name, of, v.Values()[i])
			}
		}
	case "fun":
		out.Kind = result.EntriesValue
		for _, k := range value.Domain(v).Printed() {
			out.Rows = append(out.Rows, result.Row{Key: []result.Value{t.Arg.Show(k)},
				Result: t.Res.Show(value.Apply(v, k))})
		}
	case "sum":
		out.Kind, out.Text = result.VariantValue, value.Field(v, tagField).Text()
		of, _ := t.field(out.Text)
		if of.unit() {
			break
		}
		inner := value.Field(v, out.Text)
		if of.Kind == "rec" {
			out.Rows = of.Show(inner).Rows
		} else {
			entry("", of, inner)
		}
	default: // a string, or a value of a type without definition, which is one
		return result.Atom("", v.Text())
	}
	return out
}

// Read is the value that is shown so, nil for none.
func (t *typ) Read(v result.Value, s *value.Space) *value.Value {
	if v.Kind == result.NoValue && v.Text == absentName {
		return s.Model(v.Text)
	}
	switch t.Kind {
	case "bool":
		if v.Kind == result.BoolValue {
			return s.Bool(v.Bool)
		}
	case "int":
		if n, ok := new(big.Int).SetString(v.Text, 10); ok && v.Kind == result.IntValue {
			return s.Integer(n)
		}
	case "set":
		if es, ok := readAll(v, s, t.Elem); ok {
			return value.SetOf(es...)
		}
	case "list":
		if es, ok := readAll(v, s, t.Elem); ok {
			return value.TupleOf(es...)
		}
	case "tup":
		var of []*typ
		for _, f := range t.Fields.all() {
			of = append(of, f.Type)
		}
		if es, ok := readAll(v, s, of...); ok && len(of) == len(es) {
			return value.TupleOf(es...)
		}
	case "rec":
		return t.readRecord(v, s)
	case "fun":
		return t.readMap(v, s)
	case "sum":
		return t.readVariant(v, s)
	default:
		if v.Kind == result.AtomValue {
			return s.String(v.Text)
		}
	}
	return nil
}

// readAll reads the elements of a value: all of one type, or each of its own.
func readAll(v result.Value, s *value.Space, types ...*typ) ([]*value.Value, bool) {
	out := []*value.Value{}
	for i, r := range v.Rows {
		t := types[min(i, len(types)-1)]
		if len(r.Key) != 1 || len(types) == 0 {
			return nil, false
		}
		e := t.Read(r.Key[0], s)
		if e == nil {
			return nil, false
		}
		out = append(out, e)
	}
	return out, true
}

func (t *typ) readRecord(v result.Value, s *value.Space) *value.Value {
	var names []string
	for _, f := range t.Fields.all() {
		names = append(names, f.Name)
	}
	fields := s.Fields(names...)
	var values []*value.Value
	for _, name := range fields.Names {
		part, ok := v.Part(name)
		if !ok {
			return nil
		}
		of, _ := t.field(name)
		e := of.Read(part, s)
		if e == nil {
			return nil
		}
		values = append(values, e)
	}
	return value.RecordOf(fields, values...)
}

func (t *typ) readMap(v result.Value, s *value.Space) *value.Value {
	at := map[*value.Value]*value.Value{}
	var keys []*value.Value
	for _, r := range v.Rows {
		if len(r.Key) != 1 {
			return nil
		}
		k, e := t.Arg.Read(r.Key[0], s), t.Res.Read(r.Result, s)
		if k == nil || e == nil {
			return nil
		}
		k = s.Intern(k)
		keys, at[k] = append(keys, k), e
	}
	domain := value.SetOf(keys...)
	var values []*value.Value
	for _, k := range domain.Listed() {
		values = append(values, at[s.Intern(k)])
	}
	return value.FunctionOf(domain, values)
}

func (t *typ) readVariant(v result.Value, s *value.Space) *value.Value {
	of, ok := t.field(v.Text)
	tag := s.String(v.Text)
	switch {
	case !ok:
		return nil
	case of.unit():
		return value.RecordOf(s.Fields(tagField), tag)
	}
	inner := result.Value{Kind: result.RecordValue, Rows: v.Rows}
	if of.Kind != "rec" {
		if len(v.Rows) != 1 {
			return nil
		}
		inner = v.Rows[0].Result
	}
	e := of.Read(inner, s)
	if e == nil {
		return nil
	}
	fields := s.Fields(tagField, v.Text)
	values := []*value.Value{tag, e}
	if slices.Index(fields.Names, tagField) == 1 {
		values = []*value.Value{e, tag}
	}
	return value.RecordOf(fields, values...)
}
