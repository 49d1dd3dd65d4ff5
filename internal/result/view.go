package result

import (
	"cmp"
	"slices"
	"strings"
)

// View says how the values of the symbols of a system make up structured data: records, variants,
// sets, sequences and maps, which the system keeps in relations and functions.
type View struct {
	Symbols []*StructuredSymbol
	Actions map[string]*StructuredAction // by the name in the system
	Hidden  []string                     // symbols that the user did not declare
	Codes   []*CodeSort
	// Variables of formulas, made of variables of the system.
	Variables []NamedShape
}

// CodeSort says that the elements of a sort stand for values: each for the one at this point.
type CodeSort struct {
	Sort  string
	Shape *Shape
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
	Name    string
	Params  []NamedKey
	Choices []NamedShape
}

// NamedShape is a choice or a variable, made of ones of the system. One without a name is not
// shown: the others say what it is.
type NamedShape struct {
	Name  string
	Shape *Shape
}

// NamedKey is a parameter, made of the next parameters of the system's action, which Flat names.
type NamedKey struct {
	Name string
	Key  *Key
	Flat []string
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
	Names []string // of the fields of a record or constructor
	Parts []*Key
}

// Shape says how a value is made of the values of symbols.
type Shape struct {
	Form Form
	// Leaf is the symbol of a plain value, a constructor, whether there is one, or a size. It is
	// empty for a variant that one constructor has made, the only case.
	Leaf  string
	Sort  string   // of a variant: the enum of its constructors
	Names []string // of the fields of a record
	Parts []*Shape // fields; the value of an option; the elements of a sequence
	Cases []*ShapeCase
	Elems []*ShapeElem // of a set or map: what is in it
}

// ShapeCase is a constructor: the member of the enum that stands for it, and its fields.
type ShapeCase struct {
	Name, Member string
	Names        []string
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
	if len(t.View.Codes) > 0 {
		defer t.View.decode(&out, stateOf(t.Params, t.Universe))
	}
	out.Hidden = t.View.hidden(t)
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

// Told is Shown with what the file says to show in place of the states.
func (t *Trace) Told() *Trace {
	out := *t.Shown()
	out.Steps = slices.Clone(out.Steps)
	for i, s := range out.Steps {
		if s.Described == nil {
			return t.Shown()
		}
		out.Steps[i].State = s.Described
	}
	return &out
}

// hidden is what a trace says of the symbols and sorts that the user did not declare.
func (v *View) hidden(t *Trace) *Hidden {
	if len(v.Hidden) == 0 {
		return nil
	}
	h := &Hidden{}
	for _, b := range t.Params {
		if slices.Contains(v.Hidden, b.Name) {
			h.Params = append(h.Params, b)
		}
	}
	for _, u := range t.Universe {
		if slices.Contains(v.Hidden, u.Sort) {
			h.Universe = append(h.Universe, u)
		}
	}
	return h
}

func (v *View) step(s Step, universe []Universe) Step {
	s.Action, s.Args = v.Call(s.Action, s.Args)
	s.State = v.Bindings(s.State, universe)
	return s
}

// Action is the name of an action in the file.
func (v *View) Action(name string) string {
	if v == nil || v.Actions[name] == nil {
		return name
	}
	return v.Actions[name].Name
}

// Title is the name of an action in the file, and which constructors have made its arguments where
// each has an action of its own.
func (v *View) Title(action string) string {
	if v == nil || v.Actions[action] == nil {
		return action
	}
	a := v.Actions[action]
	var made []string
	for _, p := range a.Params {
		if p.Key.Form == Variant {
			made = append(made, p.Name+" is "+p.Key.Name)
		}
	}
	if len(made) == 0 {
		return a.Name
	}
	return a.Name + "(" + strings.Join(made, ", ") + ")"
}

// Hides reports whether a symbol or a sort is none that the user declared.
func (v *View) Hides(name string) bool { return v != nil && slices.Contains(v.Hidden, name) }

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
		if used+p.Key.Width() > len(values) {
			return action, args
		}
		out = append(out, Binding{p.Name, p.Key.value(values[used:])})
		used += p.Key.Width()
	}
	return a.Name, append(out, joined(args[used:], a.Choices)...)
}

// Joined are values of variables of the system as values of the variables of the file.
func (v *View) Joined(bs []Binding) []Binding {
	if v == nil {
		return bs
	}
	var whole []NamedShape
	parts := func(s NamedShape) (out []string) {
		s.Shape.leaves(&out)
		return out
	}
	for _, s := range v.Variables {
		if !slices.ContainsFunc(parts(s), func(leaf string) bool {
			return !slices.ContainsFunc(bs, func(b Binding) bool { return b.Name == leaf })
		}) {
			whole = append(whole, s)
		}
	}
	// Variables of other formulas may have the same first parts.
	slices.SortStableFunc(whole, func(a, b NamedShape) int {
		return cmp.Compare(len(parts(b)), len(parts(a)))
	})
	return joined(bs, whole)
}

// joined are bindings, where the ones of parts are replaced by one of what they are parts of.
func joined(bs []Binding, shapes []NamedShape) (out []Binding) {
	state := stateOf(bs, nil)
	done := map[int]bool{}
	for _, b := range bs {
		i := slices.IndexFunc(shapes, func(s NamedShape) bool { return s.Shape.has(b.Name) })
		switch {
		case i < 0:
			out = append(out, b)
		case !done[i] && shapes[i].Name != "":
			done[i] = true
			out = append(out, Binding{shapes[i].Name, state.value(shapes[i].Shape, nil)})
		}
	}
	return out
}

// Width is how many values a key is made of.
func (k *Key) Width() int {
	if k.Form == Plain {
		return 1
	}
	n := 0
	for _, p := range k.Parts {
		n += p.Width()
	}
	return n
}

// value makes the value of a row.
func (k *Key) value(row []Value) Value {
	if k.Form == Plain {
		return row[0]
	}
	parts := make([]Value, len(k.Parts))
	for i, p := range k.Parts {
		parts[i] = p.value(row)
		row = row[p.Width():]
	}
	switch k.Form {
	case Record:
		return named(RecordValue, "", k.Names, parts)
	case Tuple:
		return listed(TupleValue, parts)
	}
	return named(VariantValue, k.Name, k.Names, parts)
}

// Bindings replaces the symbols that hold parts. The universe has the elements of the sorts.
func (v *View) Bindings(bs []Binding, universe []Universe) []Binding {
	if v == nil {
		return bs
	}
	state := stateOf(bs, universe)
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

// IsPart reports whether a symbol of the system holds parts of structured data.
func (v *View) IsPart(leaf string) bool { return v != nil && v.owner(leaf) != nil }

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
