package types

import (
	"strings"

	"erelong.dev/erelong/internal/front/tla/core"
	"erelong.dev/erelong/internal/value"
)

// node is the type of a node.
func (t *Typing) node(n core.Node) *Type {
	if done := t.of[n]; done != nil {
		return done
	}
	if g, ok := n.(*core.Global); ok { // it has places of its own
		outer := t.places
		t.places = map[int]*Type{}
		defer func() { t.places = outer }()
		return t.node(g.Value)
	}
	if in, ok := core.Inside(n); ok {
		return t.node(in)
	}
	if t.nodes++; t.nodes%64 == 0 && t.ctx.Err() != nil {
		t.fail(n.Span(), "stopped while types are found")
	}
	out := &Type{}
	t.of[n] = out
	t.same(out, t.compound(n), n)
	return out
}

// at makes a type at a node.
func at(n core.Node, k Kind, parts ...*Type) *Type {
	return &Type{kind: k, parts: parts, span: n.Span()}
}

func (t *Typing) compound(n core.Node) *Type {
	switch n := n.(type) {
	case *core.Literal:
		return t.literal(n, n.Value)
	case *core.Parameter:
		if t.constants[n.Name] == nil {
			t.constants[n.Name] = &Type{}
		}
		return t.constants[n.Name]
	case *core.Application:
		return t.application(n)
	case *core.Variable:
		return t.Variables[n.Index]
	case *core.Slot:
		if p := t.places[n.Slot]; p != nil {
			return p
		}
		t.fail(n.Span(), "this name has no type")
	case *core.Operator:
		return t.operator(n)
	case *core.Equal:
		t.compared(n, n.Left, n.Right)
	case *core.In:
		t.contained(n)
	case *core.If:
		t.is(n.Cond, Bool)
		out := &Type{}
		t.into(n.Then, out, n)
		t.into(n.Else, out, n)
		return out
	case *core.Case:
		return t.cases(n)
	case *core.Let:
		t.bind(n, []*Type{t.node(n.Value)})
		return t.node(n.Body)
	case *core.Quantified:
		t.bindings(n, n.Bindings)
		t.is(n.Body, Bool)
	case *core.Choose:
		elem := t.bindings(n, []core.Binding{n.Binding})
		t.is(n.Body, Bool)
		return elem[0]
	case *core.Filter:
		elem := t.bindings(n, []core.Binding{n.Binding})
		t.is(n.Body, Bool)
		return at(n, Set, elem[0])
	case *core.Image:
		t.bindings(n, n.Bindings)
		return at(n, Set, t.node(n.Body))
	case *core.Function:
		return t.function(n)
	case *core.Record:
		return t.record(n)
	case *core.Select:
		f := &Type{}
		t.needs(n.Record, &Type{kind: Record, fields: map[string]*Type{n.Field: f},
			span: n.Span()}, n)
		return f
	case *core.Except:
		return t.except(n)
	case *core.Taken:
		return at(n, Bool)
	case *core.Junction, *core.Not, *core.Implies, *core.Equivalent:
		core.Parts(n, func(p core.Node) { t.is(p, Bool) })
	case *core.Always, *core.Eventually, *core.LeadsTo:
		core.Parts(n, func(p core.Node) { t.is(p, Bool) })
	case *core.Fair:
		t.is(n.Taken, Bool)
	case *core.Action:
		t.is(n.Body, Bool)
		t.is(n.Unchanged, Bool)
	case *core.Call:
		t.fail(n.Span(), "the recursive operator %s is not translated", n.Procedure.Name)
	case *core.Refused:
		t.fail(n.Span(), "%s", n.Why)
	default:
		t.fail(n.Span(), "%s is not translated", nameOf(n))
	}
	return at(n, Bool)
}

// nameOf names an expression in a message.
func nameOf(n core.Node) string {
	switch n.(type) {
	case *core.Enabled:
		return "ENABLED"
	case *core.Composed:
		return `\cdot`
	}
	return "this expression"
}

func (t *Typing) literal(n core.Node, v *value.Value) *Type {
	switch v.Kind() {
	case value.Bool:
		return at(n, Bool)
	case value.Int:
		return at(n, Int)
	case value.String:
		s := at(n, Element)
		s.text = true
		return s
	}
	switch v {
	case t.space.Nat, t.space.Integers:
		return at(n, Set, at(n, Int))
	case t.space.Boolean:
		return at(n, Set, at(n, Bool))
	case t.space.Strings:
		s := at(n, Element)
		s.text = true
		return at(n, Set, s)
	}
	t.fail(n.Span(), "the value %s is not translated", v)
	return nil
}

// bind gives types to the places that a node binds.
func (t *Typing) bind(n core.Node, ts []*Type) {
	t.slots[n] = ts
	for i, s := range core.Bound(n) {
		t.places[s] = ts[i]
	}
}

// bindings types what a node binds, before its body is typed. The result has the type of the
// elements of each set. More are types of further places.
func (t *Typing) bindings(n core.Node, bs []core.Binding, more ...*Type) (elems []*Type) {
	var places []*Type
	for _, b := range bs {
		elem := &Type{}
		if b.Set != nil {
			t.needs(b.Set, at(b.Set, Set, elem), b.Set)
		}
		elems = append(elems, elem)
		if !b.Tuple {
			places = append(places, elem)
			continue
		}
		var parts []*Type
		for range b.Slots {
			parts = append(parts, &Type{})
		}
		t.same(elem, at(n, Tuple, parts...), n)
		places = append(places, parts...)
	}
	t.bind(n, append(places, more...))
	return elems
}

// key is the type of the arguments of a function: of several ones a tuple.
func key(n core.Node, elems []*Type) *Type {
	if len(elems) == 1 {
		return elems[0]
	}
	return at(n, Tuple, elems...)
}

func (t *Typing) function(n *core.Function) *Type {
	if n.Self < 0 {
		elems := t.bindings(n, n.Bindings)
		value := &Type{}
		t.into(n.Body, value, n)
		return at(n, Map, key(n, elems), value)
	}
	self, value := &Type{}, &Type{}
	elems := t.bindings(n, n.Bindings, self)
	t.same(self, at(n, Map, key(n, elems), value), n)
	t.into(n.Body, value, n)
	return self
}

func (t *Typing) record(n *core.Record) *Type {
	fields := map[string]*Type{}
	for i, name := range n.Fields.Names {
		f := &Type{}
		fields[name] = f
		if n.Sets {
			t.intoSet(n.Values[i], f, n.Values[i])
		} else {
			t.into(n.Values[i], f, n.Values[i])
		}
	}
	r := &Type{kind: Record, fields: fields, span: n.Span()}
	if n.Sets {
		return at(n, Set, r)
	}
	return r
}

func (t *Typing) cases(n *core.Case) *Type {
	out := &Type{}
	for i, c := range n.Conds {
		t.is(c, Bool)
		t.into(n.Values[i], out, n.Values[i])
	}
	if n.Other != nil {
		t.into(n.Other, out, n.Other)
	}
	return out
}

func (t *Typing) except(n *core.Except) *Type {
	f := t.node(n.Function)
	var olds []*Type
	for _, u := range n.Updates {
		part := f
		for _, p := range u.Path {
			part = t.index(part, p, n)
		}
		if u.Old >= 0 {
			olds = append(olds, part)
		}
	}
	t.bind(n, olds)
	for _, u := range n.Updates {
		if u.Old >= 0 { // an update before it may have bound its place
			t.places[u.Old], olds = olds[0], olds[1:]
		}
		part := f
		for _, p := range u.Path {
			part = t.index(part, p, n)
		}
		t.into(u.Value, part, u.Value)
	}
	return f
}

// index is the type of what a function, sequence, tuple or record has at an argument.
func (t *Typing) index(f *Type, arg, n core.Node) *Type {
	out := &Type{}
	key := &Type{}
	t.needs(arg, key, arg) // now: the places around it have their types
	t.when(f, arg, func(f *Type) {
		switch f.kind {
		case Record:
			name, ok := text(arg)
			if !ok {
				t.fail(arg.Span(), "a field of a record is a string here")
			}
			t.same(f, &Type{kind: Record, fields: map[string]*Type{name: out}, span: n.Span()}, n)
		case Tuple:
			i, ok := number(arg)
			if !ok || i < 1 || i > len(f.parts) {
				t.fail(arg.Span(), "a tuple of %d parts has no such part", len(f.parts))
			}
			t.same(f.parts[i-1], out, n)
		case Sequence:
			t.same(f.parts[0], out, n)
			t.same(key, &Type{kind: Int, span: arg.Span()}, arg)
		default:
			t.same(f, at(n, Map, key, out), n)
		}
	}, func(f *Type) {
		if name, ok := text(arg); ok {
			t.same(f, &Type{kind: Record, fields: map[string]*Type{name: out}, span: n.Span()}, n)
			return
		}
		t.same(f, at(n, Map, key, out), n)
	})
	return out
}

// text is the string that a node is.
func text(n core.Node) (string, bool) {
	if in, ok := core.Inside(n); ok {
		return text(in)
	}
	l, ok := n.(*core.Literal)
	if !ok || l.Value.Kind() != value.String {
		return "", false
	}
	return strings.Trim(l.Value.String(), `"`), true
}

// number is the number that a node is.
func number(n core.Node) (int, bool) {
	if in, ok := core.Inside(n); ok {
		return number(in)
	}
	l, ok := n.(*core.Literal)
	if !ok || !l.Value.Small() {
		return 0, false
	}
	return int(l.Value.Int()), true
}
