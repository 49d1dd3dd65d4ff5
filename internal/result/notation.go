package result

import (
	"strconv"
	"strings"
)

// Notation is the language in which a value is written.
type Notation int

const (
	// Own is the program's language.
	Own Notation = iota
	// TLA is TLA+. An atom without a sort is a string there.
	TLA
)

// String is the name of the language; it is empty for Own.
func (n Notation) String() string {
	if n == TLA {
		return "TLA+"
	}
	return ""
}

// NotationOf is the notation of a name, Own where there is none.
func NotationOf(name string) Notation {
	if name == TLA.String() {
		return TLA
	}
	return Own
}

// In is a value with its parts in a notation.
func (v Value) In(n Notation) Value {
	v.Notation = n
	rows := v.Rows
	v.Rows = nil
	for _, r := range rows {
		out := Row{Result: r.Result.In(n)}
		for _, k := range r.Key {
			out.Key = append(out.Key, k.In(n))
		}
		v.Rows = append(v.Rows, out)
	}
	return v
}

// In is a trace with its values in a notation.
func (t *Trace) In(n Notation) *Trace {
	of := func(bs []Binding) []Binding {
		var out []Binding
		for _, b := range bs {
			out = append(out, Binding{b.Name, b.Value.In(n)})
		}
		return out
	}
	step := func(s Step) Step {
		s.Args, s.State, s.Described = of(s.Args), of(s.State), of(s.Described)
		return s
	}
	out := *t
	out.Params, out.Steps, out.Back, out.Fairness = of(t.Params), nil, step(t.Back), nil
	for _, s := range t.Steps {
		out.Steps = append(out.Steps, step(s))
	}
	for _, f := range t.Fairness {
		f.Args = of(f.Args)
		out.Fairness = append(out.Fairness, f)
	}
	return &out
}

// tla writes a value as TLA+ does.
func (v Value) tla() string {
	switch v.Kind {
	case BoolValue:
		return strings.ToUpper(strconv.FormatBool(v.Bool))
	case AtomValue:
		if v.Sort == "" {
			return strconv.Quote(v.Text)
		}
		return v.Text
	case ElementsValue, SetValue:
		return "{" + v.join(", ", Row.KeyString) + "}"
	case SequenceValue, TupleValue:
		return "<<" + v.join(", ", Row.KeyString) + ">>"
	case RecordValue:
		return "[" + v.join(", ", func(r Row) string {
			return r.Key[0].Text + " |-> " + r.Result.String()
		}) + "]"
	case EntriesValue, MapValue:
		return "(" + v.join(" @@ ", func(r Row) string {
			return r.KeyString() + " :> " + r.Result.String()
		}) + ")"
	}
	return v.Text
}

func (v Value) join(between string, write func(Row) string) string {
	parts := make([]string, len(v.Rows))
	for i, r := range v.Rows {
		parts[i] = write(r)
	}
	return strings.Join(parts, between)
}
