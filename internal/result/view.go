package result

import (
	"slices"
	"strconv"
	"strings"
)

// View says how the values of the symbols of a system make up structured data: records, variants,
// sets, sequences and maps, which the system keeps in relations and functions.
type View struct {
	Symbols []*StructuredSymbol
	Actions map[string]*StructuredAction // by the name in the system
	Hidden  []string                     // symbols that the user did not declare
}

// StructuredSymbol is a symbol of the file whose arguments or value have structure. It has a part
// for each way in which values become arguments.
type StructuredSymbol struct {
	Name     string
	Relation bool // it says which arguments it has
	Parts    []SymbolPart
}

// SymbolPart is a symbol for one constructor of each variant among its arguments.
type SymbolPart struct {
	Args  []*Key
	Value *Shape
}

// StructuredAction is an action of the file, for one constructor of each variant among its
// parameters.
type StructuredAction struct {
	Name   string
	Params []NamedKey
}

// NamedKey is a parameter, made of the next parameters of the system's action.
type NamedKey struct {
	Name string
	Key  *Key
}

// Form is the form of structured data.
type Form int

const (
	Plain Form = iota // one value
	Record
	Tuple
	Variant
	Option
	Set
	Seq
	Map
)

// Key says how a value without collections is made of a row of values.
type Key struct {
	Form  Form     // Plain, Record, Tuple, Variant
	Sort  string   // of a plain value
	All   []Value  // of a plain value whose sort has the same values in every instance
	Name  string   // the constructor
	Names []string // of the fields of a record
	Parts []*Key
}

// Shape says how a value is made of the values of symbols.
type Shape struct {
	Form  Form
	Leaf  string   // the symbol of a plain value, a constructor, whether there is one, or a size
	Names []string // of the fields of a record
	Parts []*Shape // fields; the value of an option; the elements of a sequence
	Cases []*ShapeCase
	Elems []*ShapeElem // of a set or map: what is in it
}

// ShapeCase is a constructor: the member of the enum that stands for it, and its fields.
type ShapeCase struct {
	Name, Member string
	Parts        []*Shape
}

// ShapeElem is a relation that says which values of one constructor are in a set or are keys of a
// map, and for a map their values.
type ShapeElem struct {
	Leaf  string
	Key   *Key
	Value *Shape
}

// Shown is a trace with structured data in place of the symbols that hold their parts.
func (t *Trace) Shown() *Trace {
	if t == nil || t.View == nil {
		return t
	}
	out := *t
	out.View = nil
	out.Params = t.View.Bindings(t.Params, t.Universe)
	out.Universe = slices.DeleteFunc(slices.Clone(t.Universe), func(u Universe) bool {
		return slices.Contains(t.View.Hidden, u.Sort)
	})
	out.Steps = make([]Step, len(t.Steps))
	for i, s := range t.Steps {
		out.Steps[i] = t.View.step(s, t.Universe)
	}
	if t.Back.Action != "" {
		out.Back = t.View.step(t.Back, t.Universe)
	}
	out.Fairness = slices.Clone(t.Fairness)
	for i, f := range out.Fairness {
		out.Fairness[i].Action, out.Fairness[i].Args = t.View.Call(f.Action, f.Args)
	}
	return &out
}

func (v *View) step(s Step, universe []Universe) Step {
	s.Action, s.Args = v.Call(s.Action, s.Args)
	s.State = v.Bindings(s.State, universe)
	return s
}

// Call is an action with its parameters, as the file declares them. Choices follow the parameters.
func (v *View) Call(action string, args []Binding) (string, []Binding) {
	if v == nil {
		return action, args
	}
	a := v.Actions[action]
	if a == nil {
		return action, args
	}
	values := make([]Value, len(args))
	for i, b := range args {
		values[i] = b.Value
	}
	var out []Binding
	used := 0
	for _, p := range a.Params {
		if used+p.Key.width() > len(values) {
			return action, args
		}
		out = append(out, Binding{p.Name, p.Key.value(values[used:])})
		used += p.Key.width()
	}
	return a.Name, append(out, args[used:]...)
}

// width is how many values a key is made of.
func (k *Key) width() int {
	if k.Form == Plain {
		return 1
	}
	n := 0
	for _, p := range k.Parts {
		n += p.width()
	}
	return n
}

// value makes the value of a row.
func (k *Key) value(row []Value) Value {
	if k.Form == Plain {
		return row[0]
	}
	parts := make([]string, len(k.Parts))
	for i, p := range k.Parts {
		parts[i] = p.value(row).String()
		row = row[p.width():]
	}
	return structured(k.Form, k.Name, k.Names, parts)
}

// structured writes a value of parts as the language does.
func structured(form Form, name string, names, parts []string) Value {
	parts = slices.Clone(parts)
	for i := range parts {
		if form == Record {
			parts[i] = names[i] + ": " + parts[i]
		}
	}
	text := strings.Join(parts, ", ")
	switch form {
	case Record:
		text = "{" + text + "}"
	case Tuple:
		text = "(" + text + ")"
	case Variant:
		if text != "" {
			text = "(" + text + ")"
		}
		text = name + text
	case Set:
		text = "{" + text + "}"
	case Seq:
		text = "[" + text + "]"
	case Map:
		if text == "" {
			text = ":"
		}
		text = "[" + text + "]"
	}
	return Atom("", text)
}

// Bindings replaces the symbols that hold parts. The universe has the elements of the sorts.
func (v *View) Bindings(bs []Binding, universe []Universe) []Binding {
	if v == nil {
		return bs
	}
	state := stateView{values: map[string]Value{}, universe: universe}
	for _, b := range bs {
		state.values[b.Name] = b.Value
	}
	var out []Binding
	done := map[*StructuredSymbol]bool{}
	for _, b := range bs {
		s := v.owner(b.Name)
		switch {
		case s == nil && !slices.Contains(v.Hidden, b.Name):
			out = append(out, b)
		case s != nil && !done[s]:
			done[s] = true
			out = append(out, Binding{s.Name, state.symbol(s)})
		}
	}
	return out
}

// owner is the symbol of which a symbol of the system holds a part, nil if there is none.
func (v *View) owner(leaf string) *StructuredSymbol {
	for _, s := range v.Symbols {
		for _, p := range s.Parts {
			if p.Value.has(leaf) {
				return s
			}
		}
	}
	return nil
}

func (s *Shape) has(leaf string) bool {
	if s == nil {
		return false
	}
	return s.Leaf == leaf ||
		slices.ContainsFunc(s.Parts, func(p *Shape) bool { return p.has(leaf) }) ||
		slices.ContainsFunc(s.Cases, func(c *ShapeCase) bool {
			return slices.ContainsFunc(c.Parts, func(p *Shape) bool { return p.has(leaf) })
		}) ||
		slices.ContainsFunc(s.Elems, func(e *ShapeElem) bool {
			return e.Leaf == leaf || e.Value.has(leaf)
		})
}

// stateView reads values from the symbols of one state.
type stateView struct {
	values   map[string]Value
	universe []Universe
}

// symbol is the value of a symbol: for one with arguments, a map from the points.
func (s stateView) symbol(sym *StructuredSymbol) Value {
	if len(sym.Parts) == 1 && len(sym.Parts[0].Args) == 0 {
		return s.value(sym.Parts[0].Value, nil)
	}
	all := Value{Kind: MapValue}
	if sym.Relation {
		all.Kind = SetValue
	}
	for _, p := range sym.Parts {
		for _, point := range s.points(p.Value, p.Args) {
			if sym.Relation && !s.at(p.Value.Leaf, point).Bool {
				continue
			}
			var row Row
			rest := point
			for _, k := range p.Args {
				row.Key = append(row.Key, k.value(rest))
				rest = rest[k.width():]
			}
			if !sym.Relation {
				row.Result = s.value(p.Value, point)
			}
			all.Rows = append(all.Rows, row)
		}
	}
	SortRows(all.Rows)
	return all
}

// points lists the arguments at which a symbol has a value: the ones that the functions among its
// parts have, and otherwise the ones that its relations have.
func (s stateView) points(shape *Shape, args []*Key) (out [][]Value) {
	width, universe := 0, [][]Value{{}}
	for _, k := range args {
		width += k.width()
		universe = s.extend(universe, k)
	}
	if len(universe) > 0 {
		return universe
	}
	seen := map[string]bool{}
	add := func(row Row) {
		point := row.Key[:min(width, len(row.Key))]
		if key := (Row{Key: point}).KeyString(); !seen[key] {
			seen[key] = true
			out = append(out, point)
		}
	}
	var leaves []string
	shape.leaves(&leaves)
	for _, kind := range []ValueKind{MapValue, SetValue} {
		for _, l := range leaves {
			if v := s.values[l]; v.Kind == kind {
				for _, r := range v.Rows {
					add(r)
				}
			}
		}
		if kind == MapValue && len(out) > 0 {
			return out
		}
	}
	return out
}

// extend adds the values of a key to points: all elements of its sorts. It gives nil where a sort
// has no elements that the trace names.
func (s stateView) extend(points [][]Value, k *Key) (out [][]Value) {
	if k.Form != Plain {
		for _, p := range k.Parts {
			points = s.extend(points, p)
		}
		return points
	}
	values := k.All
	for _, u := range s.universe {
		if u.Sort == k.Sort {
			for _, e := range u.Elements {
				values = append(values, Atom(u.Sort, e))
			}
		}
	}
	for _, p := range points {
		for _, v := range values {
			out = append(out, append(slices.Clone(p), v))
		}
	}
	return out
}

func (s *Shape) leaves(to *[]string) {
	if s == nil {
		return
	}
	if s.Leaf != "" {
		*to = append(*to, s.Leaf)
	}
	for _, p := range s.Parts {
		p.leaves(to)
	}
	for _, c := range s.Cases {
		for _, p := range c.Parts {
			p.leaves(to)
		}
	}
	for _, e := range s.Elems {
		*to = append(*to, e.Leaf)
		e.Value.leaves(to)
	}
}

// at is the value of a symbol at a point. A relation without the point is false.
func (s stateView) at(leaf string, point []Value) Value {
	v, ok := s.values[leaf]
	switch {
	case !ok:
		return Value{Kind: NoValue}
	case v.Kind != SetValue && v.Kind != MapValue:
		return v
	}
	for _, r := range v.Rows {
		if slices.EqualFunc(r.Key, point, Value.Equal) {
			if v.Kind == SetValue {
				return Bool(true)
			}
			return r.Result
		}
	}
	if v.Kind == SetValue {
		return Bool(false)
	}
	return Value{Kind: NoValue}
}

// value is a value at a point.
func (s stateView) value(shape *Shape, point []Value) Value {
	texts := func(parts []*Shape) []string {
		out := make([]string, len(parts))
		for i, p := range parts {
			out[i] = s.value(p, point).String()
		}
		return out
	}
	switch shape.Form {
	case Record, Tuple:
		return structured(shape.Form, "", shape.Names, texts(shape.Parts))
	case Option:
		if !s.at(shape.Leaf, point).Bool {
			return Atom("", "none")
		}
		return structured(Variant, "some", nil, texts(shape.Parts))
	case Variant:
		member := s.at(shape.Leaf, point)
		for _, c := range shape.Cases {
			if c.Member == member.Text {
				return structured(Variant, c.Name, nil, texts(c.Parts))
			}
		}
		return member
	case Seq:
		return s.sequence(shape, point)
	case Set, Map:
		var parts []string
		for _, e := range shape.Elems {
			for _, row := range s.rows(e.Leaf, point) {
				text := e.Key.value(row[len(point):]).String()
				if e.Value != nil {
					text += ": " + s.value(e.Value, row).String()
				}
				parts = append(parts, text)
			}
		}
		slices.Sort(parts)
		if shape.Form == Set {
			v := Value{Kind: ElementsValue}
			for _, p := range parts {
				v.Rows = append(v.Rows, Row{Key: []Value{Atom("", p)}})
			}
			return v
		}
		return structured(shape.Form, "", nil, parts)
	}
	return s.at(shape.Leaf, point)
}

func (s stateView) sequence(shape *Shape, point []Value) Value {
	size := s.at(shape.Leaf, point)
	var parts []string
	for i := 1; size.Kind == IntValue && len(parts) < maxShown; i++ {
		if Int(strconv.Itoa(i)).Compare(size) > 0 {
			break
		}
		at := append(slices.Clone(point), Int(strconv.Itoa(i)))
		parts = append(parts, s.value(shape.Parts[0], at).String())
	}
	return structured(Seq, "", nil, parts)
}

// maxShown bounds the elements of a sequence that are written, should its size be senseless.
const maxShown = 1000

// rows lists the points of a relation that begin with a point.
func (s stateView) rows(leaf string, point []Value) (out [][]Value) {
	v := s.values[leaf]
	if v.Kind == BoolValue && v.Bool {
		return [][]Value{nil} // an element without parts
	}
	for _, r := range v.Rows {
		if len(r.Key) >= len(point) && slices.EqualFunc(r.Key[:len(point)], point, Value.Equal) {
			out = append(out, r.Key)
		}
	}
	return out
}
