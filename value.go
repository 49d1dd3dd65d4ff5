package erelong

import (
	"fmt"
	"math/big"
	"strconv"

	"erelong.dev/erelong/internal/result"
)

// Kind is the kind of a [Value].
type Kind int

// The kinds of values.
const (
	KindUnknown  Kind = iota // a solver left the value open
	KindBool                 // true or false
	KindInteger              // of any size
	KindElement              // an element of a sort, such as node0
	KindMember               // a member of an enum, or a location of a timed automaton
	KindTime                 // the value of a clock, or a delay: an exact rational number
	KindRelation             // of arguments: the tuples of which it is true
	KindFunction             // of arguments: a value for each tuple
	KindRecord               // fields with their values
	KindVariant              // a constructor, and fields with their values
	KindTuple                // values
	KindSequence             // values
	KindSet                  // values
	KindMap                  // keys with their values
)

var kindNames = [...]string{"unknown", "bool", "integer", "element", "member", "time", "relation",
	"function", "record", "variant", "tuple", "sequence", "set", "map"}

// String is the name of a kind, such as "integer".
func (k Kind) String() string {
	if k < 0 || int(k) >= len(kindNames) {
		return fmt.Sprintf("Kind(%d)", int(k))
	}
	return kindNames[k]
}

// Value is the value of a symbol, a parameter or a choice. It is immutable. Its accessors panic
// for a value of another kind, as the ones of [reflect.Value] do.
type Value struct {
	kind    Kind
	text    string // in the specification's language
	sort    string
	truth   bool
	number  *big.Rat // of an integer or a time
	entries []Entry
}

// Entry is a tuple of arguments of a relation or function, with its value; of a relation it is
// true. Of structured data it is a field with its name, an element of a tuple or sequence with its
// position from 1 on, an element of a set with true, or a key with its value.
type Entry struct {
	Arguments []Value
	Value     Value
}

// Kind returns the kind of the value.
func (v Value) Kind() Kind { return v.kind }

// String prints the value on one line, in the specification's language: node0, {(a, 1), (b, 2)},
// {a: 1, b: 2}, and ? for an unknown value.
func (v Value) String() string {
	if v.kind == KindUnknown {
		return "?"
	}
	return v.text
}

// Bool returns the value of a [KindBool].
func (v Value) Bool() bool {
	v.mustBe("Bool", KindBool)
	return v.truth
}

// Int returns the value of a [KindInteger].
func (v Value) Int() *big.Int {
	v.mustBe("Int", KindInteger)
	return new(big.Int).Set(v.number.Num())
}

// Int64 returns the value of a [KindInteger], and whether it is exact.
func (v Value) Int64() (n int64, exact bool) {
	v.mustBe("Int64", KindInteger)
	return v.number.Num().Int64(), v.number.Num().IsInt64()
}

// Rat returns the value of a [KindTime] or a [KindInteger].
func (v Value) Rat() *big.Rat {
	v.mustBe("Rat", KindTime, KindInteger)
	return new(big.Rat).Set(v.number)
}

// Sort returns the name of the sort of a [KindElement], or of the enum of a [KindMember]. It is
// empty for other kinds.
func (v Value) Sort() string {
	if v.kind == KindVariant {
		return ""
	}
	return v.sort
}

// Entries returns the entries of a [KindRelation] or a [KindFunction], ordered by arguments, and
// the parts of structured data.
func (v Value) Entries() []Entry {
	v.mustBe("Entries", KindRelation, KindFunction, KindRecord, KindVariant, KindTuple,
		KindSequence, KindSet, KindMap)
	return v.entries
}

// Field returns a field of a [KindRecord] or a [KindVariant]. Of a field that it does not have it
// is unknown.
func (v Value) Field(name string) Value {
	v.mustBe("Field", KindRecord, KindVariant)
	for _, e := range v.entries {
		if e.Arguments[0].text == name {
			return e.Value
		}
	}
	return Value{}
}

// Constructor returns the constructor of a [KindVariant].
func (v Value) Constructor() string {
	v.mustBe("Constructor", KindVariant)
	return v.sort
}

// At returns the value of a [KindRelation] or a [KindFunction] for arguments, and of a [KindSet],
// [KindSequence] or [KindMap] for an element, position or key. Of a relation or set it is true or
// false. Without an entry it is unknown.
func (v Value) At(arguments ...Value) Value {
	v.mustBe("At", KindRelation, KindFunction, KindSet, KindSequence, KindMap)
	for _, e := range v.entries {
		if equal(e.Arguments, arguments) {
			return e.Value
		}
	}
	if v.kind == KindRelation || v.kind == KindSet {
		return truth(false)
	}
	return Value{}
}

// Equal reports whether two values are of the same kind and sort, and the same. Nothing is equal to
// an unknown value.
func (v Value) Equal(w Value) bool {
	if v.kind != w.kind || v.sort != w.sort {
		return false
	}
	switch v.kind {
	case KindUnknown:
		return false
	case KindInteger, KindTime:
		return v.number.Cmp(w.number) == 0
	case KindRelation, KindFunction, KindRecord, KindVariant, KindTuple, KindSequence, KindSet,
		KindMap:
		if len(v.entries) != len(w.entries) {
			return false
		}
		for i, e := range v.entries {
			if !equal(e.Arguments, w.entries[i].Arguments) || !e.Value.Equal(w.entries[i].Value) {
				return false
			}
		}
		return true
	}
	return v.text == w.text
}

func equal(a, b []Value) bool {
	if len(a) != len(b) {
		return false
	}
	for i := range a {
		if !a[i].Equal(b[i]) {
			return false
		}
	}
	return true
}

func (v Value) mustBe(method string, kinds ...Kind) {
	for _, k := range kinds {
		if v.kind == k {
			return
		}
	}
	panic(fmt.Sprintf("erelong: Value.%s of a value of kind %s", method, v.kind))
}

func truth(b bool) Value { return Value{kind: KindBool, truth: b, text: fmt.Sprint(b)} }

// values converts the values of a trace.
type values struct {
	elements map[string]bool // the sorts whose values are elements; other names are members
	timed    bool            // of timed automata: names of the sort clockSort are numbers
}

// clockSort is the sort of clocks and delays in traces of timed automata.
const clockSort = "time"

func (c *values) value(v result.Value) Value {
	out := Value{text: v.String()}
	switch v.Kind {
	case result.BoolValue:
		return truth(v.Bool)
	case result.IntValue:
		out.kind, out.number = KindInteger, number(v.Text)
	case result.AtomValue:
		switch {
		case c.timed && v.Sort == clockSort:
			out.kind, out.number = KindTime, number(v.Text)
		case c.elements[v.Sort]:
			out.kind, out.sort = KindElement, v.Sort
		default:
			out.kind, out.sort = KindMember, v.Sort
		}
	case result.SetValue, result.MapValue:
		out.kind, out.entries = c.entries(v)
	}
	if v.Kind.Structured() {
		return c.structured(v)
	}
	return out
}

// structured converts structured data.
func (c *values) structured(v result.Value) Value {
	out := Value{text: v.String(), kind: map[result.ValueKind]Kind{
		result.ElementsValue: KindSet, result.EntriesValue: KindMap,
		result.RecordValue: KindRecord, result.TupleValue: KindTuple,
		result.SequenceValue: KindSequence, result.VariantValue: KindVariant}[v.Kind]}
	if out.kind == KindVariant {
		out.sort = v.Text
	}
	for i, r := range v.Rows {
		key := c.value(r.Key[0])
		switch out.kind {
		case KindTuple, KindSequence:
			position := c.value(result.Int(strconv.Itoa(i + 1)))
			out.entries = append(out.entries, Entry{[]Value{position}, key})
		case KindSet:
			out.entries = append(out.entries, Entry{[]Value{key}, truth(true)})
		default:
			out.entries = append(out.entries, Entry{[]Value{key}, c.value(r.Result)})
		}
	}
	return out
}

func (c *values) entries(v result.Value) (k Kind, out []Entry) {
	k = KindRelation
	if v.Kind == result.MapValue {
		k = KindFunction
	}
	for _, r := range v.Rows {
		e := Entry{Value: truth(true)}
		if k == KindFunction {
			e.Value = c.value(r.Result)
		}
		for _, a := range r.Key {
			e.Arguments = append(e.Arguments, c.value(a))
		}
		out = append(out, e)
	}
	return k, out
}

// number reads an integer or a fraction that the engines wrote.
func number(text string) *big.Rat {
	n, ok := new(big.Rat).SetString(text)
	if !ok {
		panic(fmt.Sprintf("erelong: %q is no number", text))
	}
	return n
}
