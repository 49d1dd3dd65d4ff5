package value

import (
	"slices"
	"strconv"
	"strings"
)

// String is the value in TLA+.
func (v *Value) String() string {
	var b strings.Builder
	v.write(&b)
	return b.String()
}

func (v *Value) write(b *strings.Builder) {
	switch v.kind {
	case Bool:
		b.WriteString(strings.ToUpper(strconv.FormatBool(v.n != 0)))
	case Int:
		b.WriteString(v.Integer().String())
	case String:
		b.WriteString(strconv.Quote(v.more.text))
	case Model:
		b.WriteString(v.more.text)
	case Set:
		list(b, "{", v.Printed(), ", ", "}")
	case Tuple:
		list(b, "<<", v.elems, ", ", ">>")
	case Record:
		if slices.ContainsFunc(v.more.fields.Names, func(n string) bool { return !Identifier(n) }) {
			v.writePairs(b)
			return
		}
		b.WriteByte('[')
		for i, n := range v.more.fields.Names {
			if i > 0 {
				b.WriteString(", ")
			}
			b.WriteString(n + " |-> ")
			v.elems[i].write(b)
		}
		b.WriteByte(']')
	case Function:
		v.writePairs(b)
	default:
		v.describe(b)
	}
}

// writePairs writes a function by its arguments and their values.
func (v *Value) writePairs(b *strings.Builder) {
	b.WriteByte('(')
	for i, k := range Domain(v).Printed() {
		if i > 0 {
			b.WriteString(" @@ ")
		}
		k.write(b)
		b.WriteString(" :> ")
		Apply(v, k).write(b)
	}
	b.WriteByte(')')
}

// Identifier reports whether a string can be a field in the notation of records.
func Identifier(s string) bool {
	letter := false
	for _, r := range s {
		switch {
		case 'a' <= r && r <= 'z' || 'A' <= r && r <= 'Z':
			letter = true
		case r != '_' && (r < '0' || r > '9'):
			return false
		}
	}
	return letter
}

// Printed are the elements of a listed set in the order of values, or in any order where they have
// none.
func (v *Value) Printed() (out []*Value) {
	defer func() {
		if recover() != nil {
			out = v.elems
		}
	}()
	return v.Sorted()
}

func list(b *strings.Builder, open string, vs []*Value, between, end string) {
	b.WriteString(open)
	for i, v := range vs {
		if i > 0 {
			b.WriteString(between)
		}
		v.write(b)
	}
	b.WriteString(end)
}

// describe writes a set that is not listed.
func (v *Value) describe(b *strings.Builder) {
	parts := v.more.lazy.parts
	switch v.kind {
	case Interval:
		b.WriteString(strconv.FormatInt(v.more.lazy.lo, 10) + ".." +
			strconv.FormatInt(v.more.lazy.hi, 10))
	case Subset:
		list(b, "SUBSET ", parts, "", "")
	case Functions:
		list(b, "[", parts, " -> ", "]")
	case Records:
		b.WriteByte('[')
		for i, n := range v.more.fields.Names {
			if i > 0 {
				b.WriteString(", ")
			}
			b.WriteString(n + " : ")
			parts[i].write(b)
		}
		b.WriteByte(']')
	case Product:
		list(b, "(", parts, ` \X `, ")")
	case Naturals:
		b.WriteString("Nat")
	case Integers:
		b.WriteString("Int")
	case Strings:
		b.WriteString("STRING")
	case Sequences:
		list(b, "Seq(", parts, "", ")")
	case Union:
		list(b, "(", parts, ` \cup `, ")")
	case Intersection:
		list(b, "(", parts, ` \cap `, ")")
	case Difference:
		list(b, "(", parts, ` \ `, ")")
	case Filtered:
		list(b, "{x \\in ", parts, "", " : ...}")
	case Lambda:
		list(b, "[x \\in ", []*Value{v.more.domain}, "", " |-> ...]")
	default:
		b.WriteString("Any")
	}
}
