package uppaal

import (
	"fmt"
	"slices"

	"erelong.dev/erelong/internal/diag"
	"erelong.dev/erelong/internal/timed"
)

// resolve gives the type of a type expression.
func (c *elaborator) resolve(t *typeExpr) *typ {
	var out typ
	switch t.base {
	case "int":
		out = *defaultInt
		if t.constant {
			out = *anyInt
		}
	case "bool":
		out = *boolType
	case "range":
		lo, hi := c.constant(t.lo), c.constant(t.hi)
		if lo > hi { // no variable can have it, but a quantifier may range over it
			hi = lo - 1
		}
		out = typ{kind: intKind, lo: lo, hi: hi, size: 1}
	case "scalar":
		n := c.constant(t.hi)
		if n < 1 {
			c.fail(diag.BadValue, t.span, "a scalar set has at least one element")
		}
		if n > maxScalars {
			c.fail(diag.BadValue, t.span, "a scalar set of %d elements: at most %d are supported",
				n, maxScalars)
		}
		out = typ{kind: scalarKind, lo: 0, hi: n - 1, size: 1, set: len(c.net.Scalars)}
		c.net.Scalars = append(c.net.Scalars, timed.Scalars{Size: n})
	case "clock":
		out = typ{kind: clockKind, size: 1}
	case "chan":
		out = typ{kind: chanKind, size: 1}
	case "void":
		out = typ{kind: voidKind}
	case "struct":
		out = typ{kind: structKind}
		for _, f := range t.fields {
			ft := c.inhabited(c.declared(f), f)
			if k := ft.leaf(); k == clockKind || k == chanKind {
				c.fail(diag.Unsupported, f.span, "clocks and channels in records are not supported")
			}
			out.fields = append(out.fields, field{f.name, ft, out.size})
			out.size += ft.size
		}
	default:
		s := c.scope.find(t.base)
		if s == nil || s.typ == nil {
			c.fail(diag.UnresolvedSort, t.span, "there is no type %s", t.base)
		}
		out = *s.typ
	}
	out.constant = out.constant || t.constant
	out.urgent = out.urgent || t.urgent
	out.broadcast = out.broadcast || t.broadcast
	return &out
}

// declared gives the type of a variable with its dimensions.
func (c *elaborator) declared(v *variable) *typ {
	base := c.resolve(v.typ)
	t := base
	for i := len(v.dims) - 1; i >= 0; i-- {
		d := v.dims[i]
		var index *typ
		switch {
		case d.typ != nil:
			index = c.resolve(d.typ)
		case d.size.op == "name" && c.scope.isType(d.size.text):
			index = c.scope.find(d.size.text).typ
		default:
			n := c.constant(d.size)
			if n < 1 {
				c.fail(diag.BadValue, d.size.span, "an array of %d elements is not supported", n)
			}
			index = &typ{kind: intKind, lo: 0, hi: n - 1, size: 1}
		}
		if !index.number() {
			c.fail(diag.SortMismatch, v.span, "an array is indexed by numbers or scalars")
		}
		n := index.count()
		if n < 1 {
			c.fail(diag.BadValue, v.span, "an array of %d elements is not supported", n)
		}
		if n*int64(max(t.size, 1)) > maxCells {
			c.fail(diag.BadValue, v.span, "%s is too large", v.name)
		}
		t = &typ{kind: arrayKind, elem: t, index: index, size: int(n) * t.size,
			constant: base.constant,
			urgent:   base.urgent, broadcast: base.broadcast}
	}
	return t
}

func (s *scope) isType(name string) bool {
	found := s.find(name)
	return found != nil && found.typ != nil
}

// constant evaluates an expression that must not depend on the state.
func (c *elaborator) constant(e *expr) int32 {
	v := c.number(e)
	if !v.constant && !v.faulty {
		c.fail(diag.MutableHere, e.span, "a constant is needed here")
	}
	return c.evaluate(v, e.span)
}

func (c *elaborator) evaluate(v *value, span diag.Span) int32 {
	c.mem.Begin()
	x := v.eval(&c.mem)
	if f := c.mem.Fault; f != nil {
		c.continues()
		c.mem.Fault = nil
		c.fail(diag.BadValue, span, "%s", f.Message)
	}
	return x
}

// declare makes a variable, a type or a function known.
func (c *elaborator) declare(d *declaration) {
	switch {
	case d.typedef != nil:
		c.define(d.typedef.name, &symbol{typ: c.declared(d.typedef), span: d.typedef.span})
	case d.function != nil:
		c.declareFunction(d.function)
	case c.fn != nil && !d.variable.typ.constant:
		panic("a local variable is declared by its block")
	default:
		c.declareVariable(d.variable)
	}
}

// inhabited refuses variables without a value.
func (c *elaborator) inhabited(t *typ, v *variable) *typ {
	switch leaf := t; {
	case t.kind == arrayKind:
		c.inhabited(t.elem, v)
	case leaf.number() && leaf.count() < 1:
		c.fail(diag.BadValue, v.span, "the range of %s is empty", v.name)
	}
	return t
}

func (c *elaborator) declareVariable(v *variable) {
	t := c.inhabited(c.declared(v), v)
	name := c.prefix + v.name
	val := &value{typ: t}
	switch t.leaf() {
	case voidKind:
		c.fail(diag.SortMismatch, v.span, "a variable has no type void")
	case clockKind:
		if n := len(c.net.Clocks) + t.size - 1; n > maxClocks {
			c.fail(diag.BadValue, v.span, "with %s there are %d clocks; at most %d are supported",
				v.name, n, maxClocks)
		}
		val = c.place(t, len(c.net.Clocks))
		c.flatten(name, c.memberOf(v.name), t, func(name string, at timed.Member, _ *typ) {
			c.net.Clocks, c.net.ClockMembers = append(c.net.Clocks, name),
				append(c.net.ClockMembers, at)
		})
	case chanKind:
		val = c.place(t, len(c.net.Channels))
		c.flatten(name, timed.Member{}, t, func(name string, _ timed.Member, _ *typ) {
			c.net.Channels = append(c.net.Channels,
				timed.Channel{Name: name, Broadcast: t.broadcast, Urgent: t.urgent})
		})
	default:
		if n := len(c.mem.Cells) + t.size; n > maxMemory {
			c.fail(diag.BadValue, v.span,
				"with %s the variables have %d values; at most %d are supported", name, n,
				maxMemory)
		}
		c.continues()
		at := c.cells(t)
		if in := c.given(v, t); in != nil {
			c.initialise(t, at, in)
		} else if v.init != nil {
			c.initialise(t, at, v.init)
		}
		val = c.place(t, at)
		val.writable, val.constant, val.fixed = !t.constant, t.constant, t.constant
		if t.constant && t.number() {
			val = number(t, c.mem.Cells[at])
		}
		if t.constant {
			c.even(t, at)
			break
		}
		c.flatten(name, c.memberOf(v.name), t, func(name string, place timed.Member, leaf *typ) {
			c.net.Variables = append(c.net.Variables,
				timed.Variable{Name: name, Cell: at, Bool: leaf.kind == boolKind, Set: leaf.set,
					Member: place})
			at++
		})
	}
	if v.init != nil && (t.leaf() == clockKind || t.leaf() == chanKind) {
		c.fail(diag.Unsupported, v.init.span, "clocks and channels have no initial value")
	}
	c.define(v.name, &symbol{val: val, span: v.span})
}

// flatten calls leaf for all parts of a variable, in the order of their cells.
func (c *elaborator) flatten(
	name string, at timed.Member, t *typ, leaf func(string, timed.Member, *typ),
) {
	switch t.kind {
	case arrayKind:
		for i := range t.index.values() {
			index := fmt.Sprintf("[%d]", i)
			inner := at
			if t.index.kind == scalarKind {
				inner = timed.Member{Family: at.Family + "[#]",
					At: append(slices.Clone(at.At), timed.Element{Set: t.index.set, Value: i})}
			} else {
				inner.Family += index
			}
			c.flatten(name+index, inner, t.elem, leaf)
		}
	case structKind:
		for _, f := range t.fields {
			c.flatten(name+"."+f.name, timed.Member{Family: at.Family + "." + f.name, At: at.At},
				f.typ, leaf)
		}
	default:
		c.continues()
		leaf(name, at, t)
	}
}

// cells allocates a variable; its value is 0 if its range allows it, otherwise the lower bound.
func (c *elaborator) cells(t *typ) int {
	at := len(c.mem.Cells)
	c.fill(t)
	return at
}

func (c *elaborator) fill(t *typ) {
	switch t.kind {
	case arrayKind:
		for range t.index.count() {
			c.fill(t.elem)
		}
	case structKind:
		for _, f := range t.fields {
			c.fill(f.typ)
		}
	default:
		c.mem.Cells = append(c.mem.Cells, min(max(0, t.lo), t.hi))
	}
}

func (c *elaborator) initialise(t *typ, at int, in *initializer) {
	if in.list == nil {
		v := c.expr(in.expr)
		switch {
		case !v.typ.same(t) || v.eval == nil && v.addr == nil:
			c.fail(diag.SortMismatch, in.span, "this initial value does not fit")
		case !v.constant && !v.faulty && !v.computed:
			c.fail(diag.MutableHere, in.span, "an initial value must be constant")
		case t.number():
			x := c.evaluate(c.asAtom(v, in.span), in.span)
			if x < t.lo || x > t.hi {
				c.fail(diag.BadValue, in.span, "%d is not between %d and %d", x, t.lo, t.hi)
			}
			c.mem.Cells[at] = x
		default:
			if v.computed {
				c.evaluate(v, in.span)
			}
			from := int(v.addr(&c.mem))
			copy(c.mem.Cells[at:at+t.size], c.mem.Cells[from:from+t.size])
		}
		return
	}
	switch {
	case t.kind == arrayKind && len(in.list) == int(t.index.hi-t.index.lo)+1:
		for i, item := range in.list {
			c.initialise(t.elem, at+i*t.elem.size, item)
		}
	case t.kind == structKind && len(in.list) == len(t.fields):
		for i, item := range in.list {
			f := t.fields[i]
			if item.name != "" && item.name != f.name {
				c.fail(diag.UnresolvedName, item.span, "the field %s is expected here", f.name)
			}
			c.initialise(f.typ, at+f.off, item)
		}
	default:
		c.fail(diag.SortMismatch, in.span, "this initial value does not fit")
	}
}

// place is the value of a variable at a known position.
func (c *elaborator) place(t *typ, at int) *value {
	k := int32(at)
	v := &value{typ: t, alo: at, ahi: at, addr: func(*timed.Memory) int32 { return k }}
	v.load()
	return v
}

// Bounds of declarations.
const (
	maxCells   = 1 << 20 // of one variable
	maxMemory  = 1 << 20 // of all variables
	maxClocks  = 1 << 12
	maxScalars = 1 << 16 // elements of a scalar set
)
