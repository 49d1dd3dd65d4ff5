package result

import (
	"fmt"
	"slices"
	"strconv"
)

// Flat is the inverse of Shown, for a trace that was read: it has the symbols that hold the parts
// of structured data, as far as the values determine them. Where a value has no part, a symbol has
// no value.
func (t *Trace) Flat(v *View) (*Trace, error) {
	if v == nil || t.View != nil {
		return t, nil
	}
	out := *t
	out.View, out.Hidden = v, nil
	f := &flattening{v, v.encoder(t)}
	var err error
	if out.Params, err = f.bindings(t.Params); err != nil {
		return nil, err
	}
	if t.Hidden != nil {
		out.Params = append(out.Params, t.Hidden.Params...)
		out.Universe = append(slices.Clone(t.Universe), t.Hidden.Universe...)
	}
	out.Steps = slices.Clone(t.Steps)
	for i := range out.Steps {
		if err := f.step(&out.Steps[i]); err != nil {
			return nil, fmt.Errorf("state %d: %w", i, err)
		}
	}
	if err := f.step(&out.Back); err != nil {
		return nil, fmt.Errorf("the step that closes the loop: %w", err)
	}
	out.Fairness = slices.Clone(t.Fairness)
	for i, a := range out.Fairness {
		out.Fairness[i].Action, out.Fairness[i].Args, err = f.call(a.Action, a.Args)
		if err != nil {
			return nil, err
		}
	}
	return &out, nil
}

// flattening is one call of Flat.
type flattening struct {
	view  *View
	codes encoder
}

func (f *flattening) step(s *Step) (err error) {
	if s.Action, s.Args, err = f.call(s.Action, s.Args); err != nil {
		return err
	}
	s.State, err = f.bindings(s.State)
	return err
}

// call is the inverse of View.Call.
func (f *flattening) call(action string, args []Binding) (string, []Binding, error) {
	declared := false
	for name, a := range f.view.Actions {
		if a.Name != action {
			continue
		}
		declared = true
		if flat, ok := a.flat(args, f.codes); ok {
			return name, flat, nil
		}
	}
	if !declared {
		return action, args, nil
	}
	return "", nil, fmt.Errorf("%s cannot be taken with these arguments", action)
}

// flat gives the parameters and choices of an action of the system. It reports whether they are of
// its constructors.
func (a *StructuredAction) flat(args []Binding, codes encoder) (out []Binding, ok bool) {
	for _, b := range args {
		var row []Value
		fits, flat := false, []string{b.Name}
		for _, p := range a.Params {
			if p.Name == b.Name {
				if row, fits = p.Key.row(b.Value, codes); !fits {
					return nil, false
				}
				flat = p.Flat
			}
		}
		if !fits {
			row = []Value{b.Value}
			if i := slices.IndexFunc(a.Choices, func(c NamedShape) bool {
				return c.Name == b.Name
			}); i >= 0 {
				to := collector{codes: codes}
				if err := to.value(a.Choices[i].Shape, nil, b.Value); err != nil {
					return nil, false
				}
				out = append(out, to.bindings()...)
				continue
			}
		}
		for i, v := range row {
			out = append(out, Binding{flat[i], v})
		}
	}
	return out, true
}

// row is the inverse of value. It reports whether the value is of this constructor.
func (k *Key) row(v Value, codes encoder) (row []Value, ok bool) {
	if k.Form == Plain {
		if atoms := codes[k.Sort]; atoms != nil {
			v, ok = atoms[v.String()]
			return []Value{v}, ok
		}
		return []Value{v}, !v.Kind.Structured()
	}
	if k.Form == Variant && (v.Text != k.Name || v.Kind != VariantValue && v.Kind != AtomValue) {
		return nil, false
	}
	for i, p := range k.Parts {
		part, ok := v.Part(k.PartName(i))
		if !ok {
			return nil, false
		}
		inner, ok := p.row(part, codes)
		if !ok {
			return nil, false
		}
		row = append(row, inner...)
	}
	return row, true
}

// PartName is the name of a part of a value.
func (k *Key) PartName(i int) string {
	if k.Form == Tuple {
		return strconv.Itoa(i + 1)
	}
	return k.Names[i]
}

// bindings replaces the values of structured symbols by the ones of their parts.
func (f *flattening) bindings(bs []Binding) (out []Binding, err error) {
	symbols := f.view.Symbols
	for _, b := range bs {
		i := slices.IndexFunc(symbols, func(s *StructuredSymbol) bool { return s.Name == b.Name })
		if i < 0 {
			out = append(out, b)
			continue
		}
		to := collector{codes: f.codes}
		if err := to.symbol(symbols[i], b.Value); err != nil {
			return nil, fmt.Errorf("the value of %s: %w", b.Name, err)
		}
		out = append(out, to.bindings()...)
	}
	return out, nil
}

// collector collects the values of symbols at points.
type collector struct {
	names  []string
	values map[string]Value
	codes  encoder
}

func (c *collector) bindings() (out []Binding) {
	for _, name := range c.names {
		v := c.values[name]
		SortRows(v.Rows)
		out = append(out, Binding{name, v})
	}
	return out
}

// nothing says that nothing is in a relation.
func (c *collector) nothing(leaf string, args []*Key) {
	for _, k := range args {
		if k.Width() > 0 {
			c.begin(leaf, Value{Kind: SetValue})
			return
		}
	}
	c.begin(leaf, Bool(false))
}

// begin gives a symbol its first value.
func (c *collector) begin(leaf string, v Value) {
	if c.values == nil {
		c.values = map[string]Value{}
	}
	if _, ok := c.values[leaf]; !ok {
		c.names = append(c.names, leaf)
		c.values[leaf] = v
	}
}

// set notes the value of a symbol at a point.
func (c *collector) set(leaf string, point []Value, v Value) {
	if len(point) == 0 {
		c.begin(leaf, v)
		c.values[leaf] = v
		return
	}
	kind := MapValue
	if v.Kind == BoolValue {
		kind = SetValue
	}
	c.begin(leaf, Value{Kind: kind})
	all := c.values[leaf]
	switch {
	case kind == MapValue:
		all.Rows = append(all.Rows, Row{Key: point, Result: v})
	case v.Bool:
		all.Rows = append(all.Rows, Row{Key: point})
	}
	c.values[leaf] = all
}

// symbol notes the value of a symbol: of one with arguments, the values at its points.
func (c *collector) symbol(s *StructuredSymbol, v Value) error {
	if len(s.Parts) == 1 && len(s.Parts[0].Args) == 0 {
		return c.value(s.Parts[0].Value, nil, v)
	}
	if v.Kind == NoValue {
		return nil
	}
	if s.Relation {
		for _, p := range s.Parts {
			c.nothing(p.Value.Leaf, p.Args)
		}
	}
	if v.Kind != MapValue && v.Kind != SetValue {
		return fmt.Errorf("%s is no relation or function", v)
	}
	for _, r := range v.Rows {
		part, point := s.partAt(r.Key, c.codes)
		if part == nil {
			return fmt.Errorf("%s are no arguments of it", r.KeyString())
		}
		result := r.Result
		if s.Relation {
			result = Bool(true)
		}
		if err := c.value(part.Value, point, result); err != nil {
			return err
		}
	}
	return nil
}

// partAt finds the part for some arguments, and the point that they are.
func (s *StructuredSymbol) partAt(key []Value, codes encoder) (*SymbolPart, []Value) {
	for i, p := range s.Parts {
		if len(p.Args) != len(key) {
			continue
		}
		var point []Value
		fits := true
		for j, k := range p.Args {
			row, ok := k.row(key[j], codes)
			fits = fits && ok
			point = append(point, row...)
		}
		if fits {
			return &s.Parts[i], point
		}
	}
	return nil, nil
}

// value notes the parts of a value at a point. A point has its own memory.
func (c *collector) value(s *Shape, point []Value, v Value) error {
	if v.Kind == NoValue {
		return nil
	}
	point = slices.Clip(point)
	switch s.Form {
	case Record, Tuple:
		return c.parts(s.Parts, func(i int) string {
			if s.Form == Tuple {
				return strconv.Itoa(i + 1)
			}
			return s.Names[i]
		}, point, v)
	case Option:
		if v.Text != "some" && v.Text != "none" {
			return fmt.Errorf("%s is neither none nor some(x)", v)
		}
		c.set(s.Leaf, point, Bool(v.Text == "some"))
		if v.Text == "none" {
			return nil
		}
		return c.parts(s.Parts, func(int) string { return optionField }, point, v)
	case Variant:
		i := slices.IndexFunc(s.Cases, func(k *ShapeCase) bool { return k.Name == v.Text })
		if i < 0 {
			return fmt.Errorf("%s has none of the constructors", v)
		}
		k := s.Cases[i]
		c.set(s.Leaf, point, Atom(s.Sort, k.Member))
		return c.parts(k.Parts, func(i int) string { return k.Names[i] }, point, v)
	case Seq:
		if v.Kind != SequenceValue {
			return fmt.Errorf("%s is no sequence", v)
		}
		c.set(s.Leaf, point, Int(strconv.Itoa(len(v.Rows))))
		for i, r := range v.Rows {
			at := append(point, Int(strconv.Itoa(i+1)))
			if err := c.value(s.Parts[0], slices.Clone(at), r.Key[0]); err != nil {
				return err
			}
		}
		return nil
	case Set, Map:
		return c.elements(s, point, v)
	}
	if atoms := c.codes[s.Sort]; atoms != nil {
		v = atoms[v.String()]
	}
	if v.Kind.Structured() {
		return fmt.Errorf("%s is no single value", v)
	}
	c.set(s.Leaf, point, v)
	return nil
}

func (c *collector) parts(
	shapes []*Shape, name func(int) string, point []Value, v Value,
) error {
	for i, s := range shapes {
		part, ok := v.Part(name(i))
		if !ok {
			return fmt.Errorf("%s has no field %s", v, name(i))
		}
		if err := c.value(s, point, part); err != nil {
			return err
		}
	}
	return nil
}

// elements notes what is in a set, or the entries of a map.
func (c *collector) elements(s *Shape, point []Value, v Value) error {
	switch v.Kind {
	case ElementsValue, EntriesValue, SetValue, MapValue:
	default:
		return fmt.Errorf("%s is no set or map", v)
	}
	for _, e := range s.Elems {
		if len(point) > 0 {
			c.begin(e.Leaf, Value{Kind: SetValue})
		} else {
			c.nothing(e.Leaf, []*Key{e.Key})
		}
	}
	for _, r := range v.Rows {
		key := r.Key[0]
		if len(r.Key) > 1 {
			key = listed(TupleValue, r.Key)
		}
		i, row := 0, []Value(nil)
		for fits := false; !fits; i++ {
			if i == len(s.Elems) {
				return fmt.Errorf("%s is no element of it", key)
			}
			row, fits = s.Elems[i].Key.row(key, c.codes)
		}
		e, at := s.Elems[i-1], slices.Concat(point, row)
		c.set(e.Leaf, at, Bool(true))
		if e.Value == nil {
			continue
		}
		if err := c.value(e.Value, at, r.Result); err != nil {
			return err
		}
	}
	return nil
}
