package itf

import (
	"fmt"
	"slices"
	"strings"

	"erelong.dev/erelong/internal/result"
)

func (e *itfWriter) field(b result.Binding) {
	e.WriteByte(',')
	e.quote(b.Name)
	e.WriteByte(':')
	e.value(b)
}

// bindings writes a list, which keeps the order and may repeat a name, unlike an object.
func (e *itfWriter) bindings(list []result.Binding) {
	e.WriteByte('[')
	for i, b := range list {
		e.comma(i)
		e.WriteString(`{"name":`)
		e.quote(b.Name)
		e.WriteString(`,"value":`)
		e.value(b)
		e.WriteByte('}')
	}
	e.WriteByte(']')
}

func (e *itfWriter) value(b result.Binding) {
	if err := e.expr(b.Value); err != nil {
		e.fail("the value of %s: %w", b.Name, err)
	}
}

func (e *itfWriter) expr(v result.Value) error {
	switch v.Kind {
	case result.BoolValue:
		fmt.Fprintf(e, "%t", v.Bool)
	case result.IntValue:
		if text, ok := decimal(v.Text); !ok || text != v.Text {
			return fmt.Errorf("%q is not a decimal integer", v.Text)
		}
		e.WriteString(`{"#bigint":"` + v.Text + `"}`)
	case result.AtomValue:
		e.quote(e.atom(atomID{v.Sort, v.Text}))
	case result.NoValue:
		text := v.Text
		if text == "" {
			text = "?"
		}
		e.WriteString(`{"#unserializable":`)
		e.quote(text)
		e.WriteByte('}')
	case result.SetValue:
		e.WriteString(`{"#set":[`)
		for i, row := range v.Rows {
			e.comma(i)
			if err := e.key(row.Key); err != nil {
				return err
			}
		}
		e.WriteString("]}")
	case result.MapValue:
		e.WriteString(`{"#map":[`)
		for i, row := range v.Rows {
			e.comma(i)
			e.WriteByte('[')
			if err := e.key(row.Key); err != nil {
				return err
			}
			e.WriteByte(',')
			if err := e.expr(row.Result); err != nil {
				return err
			}
			e.WriteByte(']')
		}
		e.WriteString("]}")
	default:
		return e.structured(v)
	}
	return nil
}

func (e *itfWriter) structured(v result.Value) error {
	switch v.Kind {
	case result.ElementsValue:
		return e.wrapped(`{"#set":[`, `]}`, v.Rows, e.element)
	case result.TupleValue:
		return e.wrapped(`{"#tup":[`, `]}`, v.Rows, e.element)
	case result.SequenceValue:
		return e.wrapped(`[`, `]`, v.Rows, e.element)
	case result.RecordValue:
		rows := v.Rows
		if len(rows) == 2 && rows[0].Key[0].Text == "tag" && rows[1].Key[0].Text == "value" {
			rows = []result.Row{rows[1], rows[0]} // in their order they are a variant
		}
		return e.wrapped(`{`, `}`, rows, e.named)
	case result.EntriesValue:
		return e.wrapped(`{"#map":[`, `]}`, v.Rows, func(r result.Row) error {
			e.WriteByte('[')
			if err := e.element(r); err != nil {
				return err
			}
			e.WriteByte(',')
			defer e.WriteByte(']')
			return e.expr(r.Result)
		})
	case result.VariantValue:
		e.WriteString(`{"tag":`)
		e.quote(v.Text)
		e.WriteString(`,"value":`)
		defer e.WriteByte('}')
		switch {
		case len(v.Rows) == 0:
			e.WriteString(`{"#tup":[]}`)
			return nil
		case isSome(v) || len(v.Rows) == 1 && v.Rows[0].Key[0].Text == "":
			return e.expr(v.Rows[0].Result)
		}
		return e.wrapped(`{`, `}`, v.Rows, e.named)
	}
	return fmt.Errorf("kind %d of value is not known", v.Kind)
}

// isSome reports whether a variant is some(x) of an option.
func isSome(v result.Value) bool {
	return v.Text == "some" && len(v.Rows) == 1 && v.Rows[0].Key[0].Text == "value"
}

func (e *itfWriter) wrapped(
	begin, end string, rows []result.Row, write func(result.Row) error,
) error {
	e.WriteString(begin)
	for i, r := range rows {
		e.comma(i)
		if err := write(r); err != nil {
			return err
		}
	}
	e.WriteString(end)
	return nil
}

func (e *itfWriter) element(r result.Row) error { return e.expr(r.Key[0]) }

func (e *itfWriter) named(r result.Row) error {
	e.quote(r.Key[0].Text)
	e.WriteByte(':')
	return e.expr(r.Result)
}

func (e *itfWriter) key(key []result.Value) error {
	for _, k := range key {
		if !isScalar(k.Kind) && !k.Kind.Structured() {
			return fmt.Errorf("the argument %s is a relation or function", k)
		}
	}
	if len(key) == 1 && key[0].Kind != result.TupleValue {
		return e.expr(key[0])
	}
	e.WriteString(`{"#tup":[`)
	for i, k := range key {
		e.comma(i)
		if err := e.expr(k); err != nil {
			return err
		}
	}
	e.WriteString("]}")
	return nil
}

func isScalar(k result.ValueKind) bool {
	return k == result.BoolValue || k == result.IntValue || k == result.AtomValue
}

// atom chooses the string of an atom, a different one for each.
func (e *itfWriter) atom(id atomID) string {
	if s, ok := e.strings[id]; ok {
		return s
	}
	s := strings.Trim(id.name, `"`) // of a string, which ITF writes in quotes of its own
	if e.uninterpreted[id.sort] {
		s += ofSort + id.sort
	}
	for e.taken[s] { // an enum member with the name of an element, or of a member of another enum
		s += "'"
	}
	e.taken[s] = true
	e.strings[id] = s
	if splitAtom(s) != id {
		e.special = append(e.special, id)
	}
	return s
}

// splitAtom reads name and sort from a string, as far as it shows them.
func splitAtom(s string) atomID {
	if i := strings.LastIndex(s, ofSort); i >= 0 {
		return atomID{name: s[:i], sort: s[i+len(ofSort):]}
	}
	return atomID{name: s}
}

// types gives the variables with Apalache's names of their types, as far as the values show them.
func (e *itfWriter) types(t *result.Trace, vars []string) (typed [][2]string) {
	for _, v := range vars {
		for _, s := range t.Steps {
			i := slices.IndexFunc(s.State, func(b result.Binding) bool { return b.Name == v })
			if i < 0 {
				continue
			}
			if name := e.typeOf(s.State[i].Value); name != "" {
				typed = append(typed, [2]string{v, name})
				break
			}
		}
	}
	return typed
}

func (e *itfWriter) typeOf(v result.Value) string {
	switch v.Kind {
	case result.BoolValue:
		return "Bool"
	case result.IntValue:
		return "Int"
	case result.AtomValue:
		if e.uninterpreted[v.Sort] {
			return v.Sort
		}
		return "Str"
	}
	if v.Kind.Structured() || v.Kind == result.NoValue || len(v.Rows) == 0 {
		return ""
	}
	key := make([]string, len(v.Rows[0].Key))
	for i, k := range v.Rows[0].Key {
		key[i] = e.typeOf(k)
	}
	argument := strings.Join(key, ", ")
	if len(key) != 1 {
		argument = "<<" + argument + ">>"
	}
	if v.Kind == result.SetValue {
		return "Set(" + argument + ")"
	}
	if result := e.typeOf(v.Rows[0].Result); result != "" {
		return argument + " -> " + result
	}
	return ""
}

// decimal brings an integer into its shortest form.
func decimal(s string) (string, bool) {
	digits, negative := strings.CutPrefix(s, "-")
	if digits == "" || strings.Trim(digits, "0123456789") != "" {
		return "", false
	}
	digits = strings.TrimLeft(digits, "0")
	switch {
	case digits == "":
		return "0", true
	case negative:
		return "-" + digits, true
	}
	return digits, true
}
