package uppaal

import (
	"erelong.dev/erelong/internal/diag"
	"erelong.dev/erelong/internal/timed"
)

// callable is a function. It may not call itself, so its parameters and locals have fixed cells.
type callable struct {
	params []parameter
	result *value // its cells, nil for void
	run    exec   // nil while the body is being read

	effects bool // it changes more than its locals
	outside bool // and more than its process

	cells int  // the first of its own ones
	reads bool // more than its own cells and constants
}

type parameter struct {
	typ  *typ
	ref  bool
	cell int // of the first cell of the value, or of its address

	written *bool // of a reference: the function assigns it
}

// exec runs a statement, and reports whether the function returned.
type exec func(m *timed.Memory) bool

// maxLoop bounds the rounds of one loop: a longer one is an error of the model.
const maxLoop = 1_000_000

func (c *elaborator) declareFunction(f *function) {
	fn := &callable{cells: len(c.mem.Cells)}
	if t := c.inhabited(c.declared(f.result), f.result); t.kind != voidKind {
		if k := t.leaf(); k == clockKind || k == chanKind {
			c.fail(diag.Unsupported, f.span, "a function gives no clock or channel")
		}
		fn.result = c.place(t, c.cells(t))
	}
	c.define(f.name, &symbol{val: &value{typ: &typ{kind: voidKind}, fn: fn}, span: f.span})
	inner := c.in(c.scope.inner())
	inner.fn, inner.prefix, inner.pure, inner.shared = fn, "", false, false
	for _, p := range f.params {
		t := inner.inhabited(inner.declared(p), p)
		if k := t.leaf(); k == clockKind || k == chanKind || k == voidKind {
			c.fail(diag.Unsupported, p.span,
				"parameters of functions that are clocks or channels are not supported")
		}
		var v *value
		q := parameter{typ: t, ref: p.ref}
		if p.ref {
			q.cell = inner.cells(anyInt)
			k := q.cell
			v = &value{typ: t, alo: 0, ahi: maxCells, addr: func(m *timed.Memory) int32 {
				return m.Cells[k]
			}}
			v.load()
			q.written = new(bool)
			v.written = q.written
		} else {
			q.cell = inner.cells(t)
			v = inner.place(t, q.cell)
			v.local = true
		}
		v.writable = !t.constant
		inner.define(p.name, &symbol{val: v, span: p.span})
		fn.params = append(fn.params, q)
	}
	run := inner.statement(f.body)
	result := fn.result
	at := f.span
	fn.run = func(m *timed.Memory) bool {
		if !run(m) && result != nil && m.Fault == nil {
			m.Fail(at, "the function ends without a value")
		}
		return false
	}
}

// callee finds the called function; in queries it may be a function of a process.
func (c *elaborator) callee(e *expr) *symbol {
	f := e.kids[0]
	if f.op == "name" {
		return c.scope.find(f.text)
	}
	if c.query && f.op == "field" {
		if p := c.process(f.kids[0]); p != nil {
			for s := p.scope; s != c.global; s = s.up {
				if x := s.names[f.text]; x != nil {
					return x
				}
			}
		}
	}
	return nil
}

func (c *elaborator) call(e *expr) *value {
	s := c.callee(e)
	if s == nil && e.kids[0].op == "name" {
		if v := c.builtin(e); v != nil {
			return v
		}
	}
	if s == nil || s.val == nil || s.val.fn == nil {
		c.fail(diag.NotCallable, e.span, "there is no function and no process %s", e.kids[0].text)
	}
	fn := s.val.fn
	if fn.run == nil {
		c.fail(diag.Cyclic, e.span, "recursive functions are not supported")
	}
	if len(fn.params) != len(e.kids)-1 {
		c.fail(diag.WrongArguments, e.span, "%s takes %d arguments, not %d", e.kids[0].text,
			len(fn.params), len(e.kids)-1)
	}
	if fn.effects {
		c.affects(e.span, fn.outside)
	}
	args, constant := make([]*value, len(fn.params)), !fn.effects && !fn.reads
	for i, p := range fn.params {
		args[i] = c.argument(p, e.kids[i+1])
		constant = constant && args[i].constant
	}
	if c.fn != nil && fn.reads {
		c.fn.reads = true
	}
	invoke := fn.invocation(args, e.span)
	out := &value{typ: &typ{kind: voidKind}, eval: func(m *timed.Memory) int32 {
		invoke(m)
		return 0
	}}
	if r := fn.result; r != nil {
		out.typ = r.typ
		if r.typ.number() {
			k := r.alo
			out.lo, out.hi = r.lo, r.hi
			out.eval = func(m *timed.Memory) int32 { invoke(m); return m.Cells[k] }
			out.constant = constant
			return c.fold(out, e.span)
		}
		out.addr, out.alo, out.ahi, out.computed = r.addr, r.alo, r.ahi, constant
	}
	return out
}

// argument elaborates what is passed for a parameter.
func (c *elaborator) argument(p parameter, e *expr) *value {
	v := c.expr(e)
	if p.ref && p.typ.constant && p.typ.number() && v.addr == nil {
		v = c.stored(v, p.typ, e.span)
	}
	switch {
	case !p.typ.same(v.typ) || v.clocks != nil || v.condition != nil,
		(p.ref || !p.typ.number()) && v.addr == nil,
		!p.ref && p.typ.number() && v.eval == nil:
		c.fail(diag.SortMismatch, e.span, "this argument does not fit")
	case p.ref && !p.typ.constant && !v.writable:
		c.fail(diag.ImmutableTarget, e.span,
			"this cannot be assigned, and the function may do so")
	}
	if p.ref && *p.written {
		c.writes(v, e.span)
	}
	return v
}

// invocation passes arguments and runs the function. All arguments are evaluated before the first
// is passed: an argument may call the same function.
func (fn *callable) invocation(args []*value, at diag.Span) func(*timed.Memory) {
	return func(m *timed.Memory) {
		if !m.Round(at) {
			return
		}
		buffer := make([]int32, 0, 8)
		for i, p := range fn.params {
			switch {
			case p.ref:
				buffer = append(buffer, args[i].addr(m))
			case p.typ.number():
				buffer = append(buffer, args[i].eval(m))
			default:
				if args[i].eval != nil {
					args[i].eval(m)
				}
				from := args[i].addr(m)
				buffer = append(buffer, m.Cells[from:from+int32(p.typ.size)]...)
			}
		}
		for _, p := range fn.params {
			n := 1
			if !p.ref {
				n = p.typ.size
				if p.typ.number() && (buffer[0] < p.typ.lo || buffer[0] > p.typ.hi) {
					if p.typ.kind == boolKind {
						buffer[0] = 1
					} else {
						m.Fail(at, "the argument %d is not between %d and %d", buffer[0], p.typ.lo,
							p.typ.hi)
					}
				}
			}
			copy(m.Cells[p.cell:p.cell+n], buffer[:n])
			buffer = buffer[n:]
		}
		if m.Fault == nil {
			fn.run(m)
		}
	}
}

// stored gives a number a cell of its own, so that a constant reference can refer to it.
func (c *elaborator) stored(a *value, t *typ, span diag.Span) *value {
	eval, k := c.asNumber(a, span).eval, c.cells(t)
	out := *c.place(t, k)
	out.addr = func(m *timed.Memory) int32 {
		n := eval(m)
		if n < t.lo || n > t.hi {
			m.Fail(span, "the argument %d is not between %d and %d", n, t.lo, t.hi)
			n = t.lo
		}
		m.Cells[k] = n
		return int32(k)
	}
	return &out
}

func (c *elaborator) statement(s *stmt) exec {
	switch s.kind {
	case "block":
		return c.blockOf(s)
	case "expr":
		run := c.effect(c.expr(s.exprs[0]), s.span)
		return func(m *timed.Memory) bool { run(m); return m.Fault != nil }
	case "if":
		test := c.number(s.exprs[0]).eval
		then := c.statement(s.body[0])
		if len(s.body) == 1 {
			return func(m *timed.Memory) bool { return test(m) != 0 && then(m) }
		}
		other := c.statement(s.body[1])
		return func(m *timed.Memory) bool {
			if test(m) != 0 {
				return then(m)
			}
			return other(m)
		}
	case "while", "do":
		return loop(c.number(s.exprs[0]).eval, nil, c.statement(s.body[0]), s.kind == "do", s.span)
	case "for":
		var parts [3]timed.Eval
		for i, e := range s.exprs {
			switch {
			case e != nil && i == 1:
				parts[i] = c.number(e).eval
			case e != nil:
				parts[i] = c.effect(c.expr(e), e.span)
			}
		}
		if parts[1] == nil {
			parts[1] = number(boolType, 1).eval
		}
		run := loop(parts[1], parts[2], c.statement(s.body[0]), false, s.span)
		return func(m *timed.Memory) bool {
			if parts[0] != nil {
				parts[0](m)
			}
			return run(m)
		}
	case "each":
		return c.each(s)
	case "return":
		return c.returns(s)
	}
	panic("a statement of kind " + s.kind)
}

func loop(test, step timed.Eval, body exec, first bool, at diag.Span) exec {
	return func(m *timed.Memory) bool {
		for n := 0; first && n == 0 || test(m) != 0; n++ {
			if n == maxLoop {
				m.Fail(at, "this loop does not end within %d rounds", maxLoop)
			}
			if !m.Round(at) || body(m) {
				return true
			}
			if step != nil {
				step(m)
			}
		}
		return m.Fault != nil
	}
}

func (c *elaborator) each(s *stmt) exec {
	inner := c.in(c.scope.inner())
	t := c.enumerable(c.declared(s.bound), s.bound.span)
	cell := c.cells(t)
	inner.define(s.bound.name, &symbol{val: inner.place(t, cell), span: s.bound.span})
	body := inner.statement(s.body[0])
	if t.kind == scalarKind && !c.anyOrder(s) {
		c.apart(t.set, "a loop runs through its elements in order")
	}
	at := s.span
	return func(m *timed.Memory) bool {
		for n := int64(t.lo); n <= int64(t.hi); n++ {
			m.Cells[cell] = int32(n)
			if !m.Round(at) || body(m) {
				return true
			}
		}
		return false
	}
}

func (c *elaborator) returns(s *stmt) exec {
	r := c.fn.result
	if (r == nil) != (len(s.exprs) == 0) {
		c.fail(diag.SortMismatch, s.span, "this return does not fit the type of the function")
	}
	if r == nil {
		return func(*timed.Memory) bool { return true }
	}
	v := c.expr(s.exprs[0])
	if !v.typ.same(r.typ) || v.clocks != nil {
		c.fail(diag.SortMismatch, s.span, "this return does not fit the type of the function")
	}
	if r.typ.number() {
		set := c.store(r, c.asAtom(v, s.span), s.span, false).eval
		return func(m *timed.Memory) bool { set(m); return true }
	}
	from, to, n := v.addr, int32(r.alo), int32(r.typ.size)
	return func(m *timed.Memory) bool {
		k := from(m)
		copy(m.Cells[to:to+n], m.Cells[k:k+n])
		return true
	}
}

// blockOf runs declarations, then statements. Locals start anew each time.
func (c *elaborator) blockOf(s *stmt) exec {
	inner := c.in(c.scope.inner())
	var steps []exec
	for _, d := range s.decls {
		v := d.variable
		if v == nil || v.typ.constant {
			inner.declare(d)
			continue
		}
		t := inner.inhabited(inner.declared(v), v)
		if k := t.leaf(); k == clockKind || k == chanKind || k == voidKind {
			c.fail(diag.Unsupported, v.span, "a local variable of this type is not supported")
		}
		at := inner.cells(t)
		place := inner.place(t, at)
		place.writable, place.local = true, true
		switch {
		case v.init != nil && v.init.list == nil && t.number():
			x := inner.atom(v.init.expr)
			if !x.typ.same(t) {
				c.fail(diag.SortMismatch, v.init.span, "this initial value does not fit")
			}
			set := inner.store(place, x, v.init.span, false).eval
			steps = append(steps, func(m *timed.Memory) bool { set(m); return m.Fault != nil })
		case v.init != nil && v.init.list == nil:
			x := inner.expr(v.init.expr)
			if !x.typ.same(t) || x.addr == nil {
				c.fail(diag.SortMismatch, v.init.span, "this initial value does not fit")
			}
			steps = append(steps, func(m *timed.Memory) bool {
				if x.eval != nil {
					x.eval(m)
				}
				k := int(x.addr(m))
				copy(m.Cells[at:at+t.size], m.Cells[k:k+t.size])
				return m.Fault != nil
			})
		default:
			if v.init != nil {
				inner.initialise(t, at, v.init)
			}
			inner.even(t, at)
			start := append([]int32(nil), inner.mem.Cells[at:at+t.size]...)
			steps = append(steps, func(m *timed.Memory) bool {
				copy(m.Cells[at:], start)
				return false
			})
		}
		inner.define(v.name, &symbol{val: place, span: v.span})
	}
	for _, b := range s.body {
		steps = append(steps, inner.statement(b))
	}
	return func(m *timed.Memory) bool {
		for _, run := range steps {
			if run(m) {
				return true
			}
		}
		return false
	}
}
