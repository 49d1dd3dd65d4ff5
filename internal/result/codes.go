package result

import "slices"

// stateOf reads values from bindings.
func stateOf(bs []Binding, universe []Universe) stateView {
	s := stateView{values: map[string]Value{}, universe: universe}
	for _, b := range bs {
		s.values[b.Name] = b.Value
	}
	return s
}

// decoder replaces codes by the values for which they stand.
type decoder struct {
	state stateView // has the symbols that hold the values of codes
	codes []*CodeSort
}

// decode replaces the codes of a trace. State has the symbols that are the same in all states.
func (v *View) decode(t *Trace, state stateView) {
	d := &decoder{state, v.Codes}
	t.Params = d.bindings(t.Params)
	for i := range t.Steps {
		t.Steps[i] = d.step(t.Steps[i])
	}
	t.Back = d.step(t.Back)
	t.Fairness = slices.Clone(t.Fairness)
	for i := range t.Fairness {
		t.Fairness[i].Args = d.bindings(t.Fairness[i].Args)
	}
}

// Decoded replaces codes by values, where params are the symbols that are the same in all states.
func (v *View) Decoded(bs, params []Binding, universe []Universe) []Binding {
	return (&decoder{stateOf(params, universe), v.Codes}).bindings(bs)
}

func (d *decoder) step(s Step) Step {
	s.Args, s.State = d.bindings(s.Args), d.bindings(s.State)
	return s
}

func (d *decoder) bindings(bs []Binding) []Binding {
	out := make([]Binding, len(bs))
	for i, b := range bs {
		out[i] = Binding{b.Name, d.value(b.Value)}
	}
	return out
}

// value is a value without codes.
func (d *decoder) value(v Value) Value {
	if v.Kind == AtomValue {
		for _, c := range d.codes {
			if c.Sort == v.Sort {
				return d.value(d.state.value(c.Shape, []Value{v}))
			}
		}
		return v
	}
	if len(v.Rows) == 0 {
		return v
	}
	out := v
	out.Rows = make([]Row, len(v.Rows))
	for i, r := range v.Rows {
		out.Rows[i] = r
		out.Rows[i].Key = make([]Value, len(r.Key))
		for j, k := range r.Key {
			out.Rows[i].Key[j] = d.value(k)
		}
		out.Rows[i].Result = d.value(r.Result)
	}
	switch v.Kind {
	case ElementsValue, EntriesValue:
		SortElements(out.Rows)
	case SetValue, MapValue:
		SortRows(out.Rows)
	}
	return out
}

// encoder has, by the sort of codes and by the text of a value, the code of the value.
type encoder map[string]map[string]Value

// encoder reads from a trace which codes its values have; empty if it does not say that.
func (v *View) encoder(t *Trace) encoder {
	out := encoder{}
	if len(v.Codes) == 0 || t.Hidden == nil {
		return out
	}
	d := &decoder{stateOf(t.Hidden.Params, t.Hidden.Universe), v.Codes}
	for _, c := range v.Codes {
		atoms := map[string]Value{}
		for _, u := range t.Hidden.Universe {
			if u.Sort == c.Sort {
				for _, e := range u.Elements {
					atom := Atom(u.Sort, e)
					atoms[d.value(atom).String()] = atom
				}
			}
		}
		out[c.Sort] = atoms
	}
	return out
}
