package result

import (
	"strconv"
	"strings"
)

// Structured reports whether values of a kind are structured data.
func (k ValueKind) Structured() bool { return k >= ElementsValue }

// data writes structured data as the language does.
func (v Value) data() string {
	parts := make([]string, len(v.Rows))
	for i, r := range v.Rows {
		parts[i] = r.KeyString()
		switch v.Kind {
		case EntriesValue, RecordValue:
			parts[i] += ": " + r.Result.String()
		case VariantValue:
			parts[i] = r.Result.String()
		}
	}
	text := strings.Join(parts, ", ")
	switch v.Kind {
	case EntriesValue:
		if text == "" {
			text = ":"
		}
		return "[" + text + "]"
	case SequenceValue:
		return "[" + text + "]"
	case TupleValue:
		return "(" + text + ")"
	case VariantValue:
		if text != "" {
			text = "(" + text + ")"
		}
		return v.Text + text
	}
	return "{" + text + "}"
}

// Part is a field of a record, a tuple or a variant, by its name or number.
func (v Value) Part(name string) (Value, bool) {
	for _, r := range v.Rows {
		if v.Kind != TupleValue && len(r.Key) == 1 && r.Key[0].Text == name {
			return r.Result, true
		}
	}
	if i, err := strconv.Atoi(name); v.Kind == TupleValue && err == nil && 1 <= i &&
		i <= len(v.Rows) {
		return v.Rows[i-1].Key[0], true
	}
	return Value{Kind: NoValue}, false
}

// named is a record or variant.
func named(kind ValueKind, text string, names []string, parts []Value) Value {
	v := Value{Kind: kind, Text: text}
	for i, p := range parts {
		v.Rows = append(v.Rows, Row{Key: []Value{Atom("", names[i])}, Result: p})
	}
	return v
}

// listed is structured data that lists values.
func listed(kind ValueKind, parts []Value) Value {
	v := Value{Kind: kind}
	for _, p := range parts {
		v.Rows = append(v.Rows, Row{Key: []Value{p}})
	}
	return v
}

// Atoms calls f with the elements and members that a value is made of.
func (v Value) Atoms(f func(Value)) {
	if v.Kind == AtomValue {
		f(v)
	}
	for _, r := range v.Rows {
		for _, k := range r.Key {
			if v.Kind != RecordValue && v.Kind != VariantValue {
				k.Atoms(f)
			}
		}
		r.Result.Atoms(f)
	}
}
