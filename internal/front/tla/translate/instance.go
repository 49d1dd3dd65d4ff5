package translate

import (
	"fmt"
	"maps"
	"slices"

	"erelong.dev/erelong/internal/diag"
	"erelong.dev/erelong/internal/front/ere/build"
	"erelong.dev/erelong/internal/front/ere/syntax"
	"erelong.dev/erelong/internal/front/tla/types"
	"erelong.dev/erelong/internal/value"
)

// instance declares the instance in which the constants have values. A constant of structured data
// has none in an instance, so it is left open.
type instance struct {
	*writer
	decl     *syntax.InstanceDecl
	elements map[*types.Type][]*value.Value // of each class, in the order of their numbers
}

// instance declares an instance with a name.
func (w *writer) instance(name string, values map[string]*value.Value) {
	in := &instance{writer: w, elements: map[*types.Type][]*value.Value{},
		decl: &syntax.InstanceDecl{Span: w.span,
			Name: syntax.Name{Text: w.name(name), Span: w.span}}}
	values = maps.Clone(values)
	used := slices.Sorted(maps.Keys(w.constants))
	for _, c := range used {
		switch v := values[c]; {
		case v == nil:
		case fits(v, w.types.Constant(c)):
			in.collect(v, w.types.Constant(c))
		default:
			if f := w.constants[c].family; f != "" {
				in.item(f, build.Number(1))
			}
			delete(values, c)
			w.errs.Warnf(diag.NoEffect, w.span, "the value of %s is left out of the instance: "+
				"the module needs %s", c, w.types.Constant(c))
		}
	}
	for _, t := range w.ordered() {
		if c := w.classes[t]; c.numbers != nil {
			from, ok := number(c.numbers.Args[0], values)
			to, too := number(c.numbers.Args[1], values)
			for k := from; ok && too && k <= to; k++ {
				in.element(w.model.Space.Int(k), t)
			}
		}
		if c := w.classes[t]; !c.enumerated() {
			for _, s := range c.texts {
				in.element(w.model.Space.String(s), t)
			}
			n := len(in.elements[t]) + c.chosen
			in.item(c.sort, build.Number(int64(max(n, 1))))
		}
	}
	for _, c := range used {
		if v := values[c]; v != nil {
			in.constant(w.constants[c], w.types.Constant(c), v)
		}
	}
	for _, t := range w.ordered() {
		if c := w.classes[t]; !c.enumerated() {
			for _, s := range c.texts {
				in.item(c.members[s], in.scalar(w.model.Space.String(s), t))
			}
		}
	}
	in.unspecified()
	w.decls = append(w.decls, in.decl)
}

// unspecified gives some value to what stands for the CASE of which no condition is true.
func (in *instance) unspecified() {
	var names []string
	values := map[string]*syntax.Expr{}
	for _, all := range in.chosen {
		for _, c := range all {
			if c.by != noCondition {
				continue
			}
			x := in.usual(c.term.typ)
			if c.term.typ.Kind() == types.Element {
				if e := in.class(c.term.typ); e.enumerated() {
					x = &term{typ: c.term.typ, text: e.texts[0]}
				} else {
					x = in.of(c.term.typ, build.Ref(e.sort+"0"))
				}
			}
			if x != nil {
				names, values[c.term.symbol] = append(names, c.term.symbol), in.expr(x)
			}
		}
	}
	slices.Sort(names)
	for _, name := range names {
		in.item(name, values[name])
	}
}

// fits reports whether a value has a type.
func fits(v *value.Value, t *types.Type) bool {
	all := func(vs []*value.Value, t *types.Type) bool {
		return !slices.ContainsFunc(vs, func(e *value.Value) bool { return !fits(e, t) })
	}
	switch t.Kind() {
	case types.Bool:
		return v.Kind() == value.Bool
	case types.Int:
		return v.Kind() == value.Int
	case types.Element:
		return !v.IsSet() && !v.IsFunction()
	case types.Set:
		return v.IsSet() && value.Finite(v) && all(v.Sorted(), t.Elem())
	case types.Tuple:
		parts := t.Parts()
		if v.Kind() != value.Tuple || len(v.Elems()) != len(parts) {
			return false
		}
		for i, p := range v.Elems() {
			if !fits(p, parts[i]) {
				return false
			}
		}
		return true
	case types.Map:
		if !v.IsFunction() {
			return false
		}
		for _, k := range value.Domain(v).Sorted() {
			if !fits(k, t.Key()) || !fits(value.Apply(v, k), t.Elem()) {
				return false
			}
		}
		return true
	}
	return v.IsFunction() // a sequence or a record, of which an instance says nothing
}

// ordered are the types of the classes that have a sort, by its name.
func (w *writer) ordered() (out []*types.Type) {
	for t, c := range w.classes {
		if c.sort != "" {
			out = append(out, t)
		}
	}
	slices.SortFunc(out, func(a, b *types.Type) int {
		if w.classes[a].sort < w.classes[b].sort {
			return -1
		}
		return 1
	})
	return out
}

// collect gives numbers to the elements in a value.
func (in *instance) collect(v *value.Value, t *types.Type) {
	switch t.Kind() {
	case types.Element:
		in.element(v, t)
	case types.Set:
		for _, e := range v.Sorted() {
			in.collect(e, t.Elem())
		}
	case types.Tuple:
		for i, p := range v.Elems() {
			in.collect(p, t.Parts()[i])
		}
	case types.Map:
		in.points(v, t, func(args []*value.Value, of *value.Value, result *types.Type) {
			in.collect(of, result)
		})
	}
}

func (in *instance) element(v *value.Value, t *types.Type) int {
	t = t.Root()
	i := slices.Index(in.elements[t], v)
	if i < 0 {
		i = len(in.elements[t])
		in.elements[t] = append(in.elements[t], v)
	}
	return i
}

// points gives the points of a function, with all of their arguments, and the values there.
func (in *instance) points(
	v *value.Value, t *types.Type, each func([]*value.Value, *value.Value, *types.Type),
) {
	var next func(args []*value.Value, v *value.Value, t *types.Type)
	next = func(args []*value.Value, v *value.Value, t *types.Type) {
		if t.Kind() != types.Map {
			each(args, v, t)
			return
		}
		for _, k := range value.Domain(v).Sorted() {
			if r := value.Apply(v, k); r != nil {
				next(append(args[:len(args):len(args)], k), r, t.Elem())
			}
		}
	}
	next(nil, v, t)
}

func (in *instance) item(name string, x *syntax.Expr) {
	in.decl.Items = append(in.decl.Items, syntax.InstanceItem{Span: in.span,
		Name: syntax.Name{Text: name, Span: in.span}, Value: x})
}

func (in *instance) table(name string, rows []syntax.InstanceRow) {
	in.decl.Items = append(in.decl.Items, syntax.InstanceItem{Span: in.span,
		Name:  syntax.Name{Text: name, Span: in.span},
		Table: &syntax.InstanceTable{Span: in.span, Rows: rows}})
}

// scalar is a value in an instance; nil for structured data.
func (in *instance) scalar(v *value.Value, t *types.Type) *syntax.Expr {
	switch t.Kind() {
	case types.Bool:
		return build.Truth(v == in.model.Space.True)
	case types.Int:
		return build.Integer(v.Integer())
	case types.Element:
		c := in.class(t)
		if c.enumerated() {
			return build.Ref(c.members[v.Text()])
		}
		return build.Ref(fmt.Sprintf("%s%d", c.sort, in.element(v, t)))
	}
	return nil
}

// constant gives a constant its value.
func (in *instance) constant(c *term, t *types.Type, v *value.Value) {
	switch t.Kind() {
	case types.Set:
		in.set(c, t, v)
	case types.Map:
		in.function(c, t, v)
	default:
		if x := in.scalar(v, t); x != nil {
			in.item(c.symbol, x)
		}
	}
}

func (in *instance) set(c *term, t *types.Type, v *value.Value) {
	elem := t.Elem()
	var rows []syntax.InstanceRow
	switch {
	case c.symbol == "": // all elements of its sort
		return
	case elem.Kind() == types.Set:
		family := v.Sorted()
		for i, s := range family {
			for _, e := range s.Sorted() {
				x := in.scalar(e, elem.Elem())
				if x == nil {
					return
				}
				q := build.Ref(fmt.Sprintf("%s%d", c.family, i))
				rows = append(rows, syntax.InstanceRow{Span: in.span,
					Args: []*syntax.Expr{q, x}})
			}
		}
		in.item(c.family, build.Number(int64(len(family))))
	default:
		for _, e := range v.Sorted() {
			args := in.keysOf(e, elem)
			if slices.Contains(args, nil) {
				return
			}
			rows = append(rows, syntax.InstanceRow{Span: in.span, Args: args})
		}
	}
	in.table(c.symbol, rows)
}

// keysOf are the arguments that a value stands for: of a tuple its parts.
func (in *instance) keysOf(v *value.Value, t *types.Type) (out []*syntax.Expr) {
	if t.Kind() != types.Tuple {
		return []*syntax.Expr{in.scalar(v, t)}
	}
	for i, p := range v.Elems() {
		out = append(out, in.keysOf(p, t.Parts()[i])...)
	}
	return out
}

func (in *instance) function(c *term, t *types.Type, v *value.Value) {
	var rows []syntax.InstanceRow
	complete := true
	in.points(v, t, func(args []*value.Value, of *value.Value, result *types.Type) {
		row := syntax.InstanceRow{Span: in.span, Value: in.scalar(of, result)}
		key := t
		for _, a := range args {
			row.Args = append(row.Args, in.keysOf(a, key.Key())...)
			key = key.Elem()
		}
		complete = complete && row.Value != nil && !slices.Contains(row.Args, nil)
		if result.Kind() == types.Bool {
			if of != in.model.Space.True {
				return
			}
			row.Value = nil
		}
		rows = append(rows, row)
	})
	if complete {
		in.table(c.symbol, rows)
	}
}
