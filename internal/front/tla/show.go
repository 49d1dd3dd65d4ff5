package tla

import (
	"context"
	"math/big"

	"erelong.dev/erelong/internal/logic"
	"erelong.dev/erelong/internal/result"
	"erelong.dev/erelong/internal/value"
)

// modelValue is the sort of a model value that is in no constant set.
const modelValue = "value"

// Show is a value as results have it.
func (m *model) Show(s *logic.Sort, v int64) result.Value {
	of := m.program.Space.Of(uint32(v))
	if f := m.forms[s]; f != nil {
		return f.Show(of)
	}
	return m.shown(of).In(result.TLA)
}

// shown is a value as structured data. A tuple is a sequence, unless its parts are of different
// kinds.
func (m *model) shown(v *value.Value) result.Value {
	switch v = v.Forced(); v.Kind() {
	case value.Bool:
		return result.Bool(v.Truth())
	case value.Int:
		return result.Int(v.Integer().String())
	case value.String:
		return result.Atom("", v.Text())
	case value.Model:
		sort := m.owners()[v.Text()]
		if sort == "" {
			sort = modelValue
		}
		return result.Atom(sort, v.Text())
	case value.Set:
		return m.listed(result.ElementsValue, v.Printed())
	case value.Tuple:
		kind := result.SequenceValue
		if mixed(v.Elems()) {
			kind = result.TupleValue
		}
		return m.listed(kind, v.Elems())
	case value.Record:
		out := result.Value{Kind: result.RecordValue}
		for i, name := range v.Names().Names {
			out.Rows = append(out.Rows, result.Row{
				Key: []result.Value{result.Atom("", name)}, Result: m.shown(v.Values()[i])})
			if !value.Identifier(name) {
				out.Kind = result.EntriesValue
			}
		}
		return out
	}
	out := result.Value{Kind: result.EntriesValue}
	for _, k := range value.Domain(v).Printed() {
		out.Rows = append(out.Rows, result.Row{
			Key: []result.Value{m.shown(k)}, Result: m.shown(value.Apply(v, k))})
	}
	return out
}

func (m *model) listed(kind result.ValueKind, vs []*value.Value) result.Value {
	out := result.Value{Kind: kind}
	for _, v := range vs {
		out.Rows = append(out.Rows, result.Row{Key: []result.Value{m.shown(v)}})
	}
	return out
}

// mixed reports whether values cannot be the elements of a sequence of one type. A model value may
// stand for the value that is not there.
func mixed(vs []*value.Value) bool {
	var first *value.Value
	for _, v := range vs {
		switch {
		case v.Kind() == value.Model:
		case first == nil:
			first = v
		case first.Kind() != v.Kind() && !(first.IsFunction() && v.IsFunction()):
			return true
		}
	}
	return false
}

// Read is the inverse of Show. It knows the forms in which other programs write a value, too.
func (m *model) Read(s *logic.Sort, v result.Value) (number int64, ok bool) {
	defer func() {
		switch r := recover().(type) {
		case nil:
		case *value.Error: // such as for a set of a number and a string
			number, ok = 0, false
		default:
			panic(r)
		}
	}()
	read := (*value.Value)(nil)
	if f := m.forms[s]; f != nil {
		read = f.Read(v, m.program.Space)
	} else {
		read = m.read(v)
	}
	if read == nil {
		return 0, false
	}
	id, _ := m.program.Space.Intern(read).ID()
	return int64(id), true
}

// read is the value that is shown so, nil for none.
func (m *model) read(v result.Value) *value.Value {
	space := m.program.Space
	switch v.Kind {
	case result.BoolValue:
		return space.Bool(v.Bool)
	case result.IntValue:
		n, ok := new(big.Int).SetString(v.Text, 10)
		if !ok {
			return nil
		}
		return space.Integer(n)
	case result.AtomValue:
		if v.Sort != "" {
			return space.Model(v.Text)
		}
		return space.String(v.Text)
	case result.ElementsValue, result.SetValue:
		if keys := m.keys(v.Rows); keys != nil {
			return value.SetOf(keys...)
		}
	case result.SequenceValue, result.TupleValue:
		if keys := m.keys(v.Rows); keys != nil {
			return value.TupleOf(keys...)
		}
	case result.RecordValue, result.EntriesValue, result.MapValue:
		return m.function(v.Rows)
	case result.VariantValue: // in TLA+ a record with a field for the constructor
		inner := m.function(v.Rows)
		if inner != nil {
			return value.RecordOf(space.Fields("tag", "value"), space.String(v.Text), inner)
		}
	}
	return nil
}

// keys are the keys of rows; several arguments are a tuple.
func (m *model) keys(rows []result.Row) []*value.Value {
	out := []*value.Value{}
	for _, r := range rows {
		key := r.Key[0]
		if len(r.Key) > 1 {
			key = result.Value{Kind: result.TupleValue}
			for _, k := range r.Key {
				key.Rows = append(key.Rows, result.Row{Key: []result.Value{k}})
			}
		}
		v := m.read(key)
		if v == nil {
			return nil
		}
		out = append(out, v)
	}
	return out
}

// function is a function from the keys of rows to their results.
func (m *model) function(rows []result.Row) *value.Value {
	keys := m.keys(rows)
	if keys == nil {
		return nil
	}
	at := map[*value.Value]*value.Value{}
	for i, k := range keys {
		v := m.read(rows[i].Result)
		if v == nil {
			return nil
		}
		at[m.program.Space.Intern(k)] = v
	}
	domain := value.SetOf(keys...)
	var values []*value.Value
	for _, k := range domain.Listed() {
		values = append(values, at[m.program.Space.Intern(k)])
	}
	return value.FunctionOf(domain, values)
}

// Universe is a sort for each constant that is a set of model values. One that is in several is of
// the first.
func (m *model) Universe() []result.Universe {
	m.owners()
	return m.atoms.universe
}

// owners are the constants by the model values that they have.
func (m *model) owners() map[string]string {
	m.atoms.once.Do(func() {
		m.atoms.owner = map[string]string{}
		for _, c := range m.program.Model.ModelSets() {
			u := result.Universe{Sort: c.Name}
			for _, v := range c.Set.Printed() {
				if m.atoms.owner[v.Text()] == "" {
					m.atoms.owner[v.Text()] = c.Name
					u.Elements = append(u.Elements, v.Text())
				}
			}
			if len(u.Elements) > 0 {
				m.atoms.universe = append(m.atoms.universe, u)
			}
		}
	})
	return m.atoms.owner
}

// Describe gives the fields of the record that the ALIAS is, or another value of it. Where it has
// none, it gives the state and the reason.
func (m *model) Describe(state, next []int64, place int) []result.Binding {
	if m.program.Alias == nil {
		return nil
	}
	c := m.computer(context.Background())
	c.machine.Level = place
	before := c.valuesOf(state, &c.state)
	v, err := c.machine.Between(m.program.Alias, before, c.valuesOf(next, &c.after))
	switch {
	case err != nil:
		var out []result.Binding
		for i, name := range m.program.Model.Variables {
			out = append(out, result.Binding{Name: name, Value: m.Show(nil, state[i])})
		}
		return append(out, result.Binding{Name: "ALIAS",
			Value: result.Value{Kind: result.NoValue, Text: err.Error()}})
	case v.Kind() != value.Record:
		return []result.Binding{{Name: "ALIAS", Value: m.shown(v).In(result.TLA)}}
	}
	var out []result.Binding
	for i, name := range v.Names().Names {
		out = append(out, result.Binding{Name: name, Value: m.shown(v.Values()[i]).In(result.TLA)})
	}
	return out
}
