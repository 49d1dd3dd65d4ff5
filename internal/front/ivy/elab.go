package ivy

import (
	"maps"
	"slices"
	"strings"

	"erelong.dev/erelong/internal/diag"
	"erelong.dev/erelong/internal/front/parse"
)

// expr is a term with resolved names. Its type is known when the formula around it is complete.
type expr struct {
	op   string // see below
	span diag.Span
	sym  *symbol
	v    *variable
	loc  *local
	args []*expr
	vars []*variable
	typ  *cell
	text string // of a numeral
}

// The operators of expr, beside the signs of the text (~ & | -> <-> = ~= < <= > >= + - * / neg).
const (
	opSymbol  = "symbol"
	opVar     = "variable"
	opLocal   = "local"
	opNumeral = "numeral"
	opTrue    = "true"
	opFalse   = "false"
	opIte     = "ite"
	opForall  = "forall"
	opExists  = "exists"
	opOld     = "old"
)

// local is a parameter, a result or a variable of an action. Its value changes; env has it.
type local struct {
	name   string
	typ    *cell
	span   diag.Span
	number int
}

// elaborator resolves the names of one formula, and infers its types.
type elaborator struct {
	l      *loader
	scope  *scope
	locals *names
	bound  []*variable
	free   []*variable // capital letters without a quantifier, and parameters of objects
	nofree string      // why a capital letter needs a quantifier here, empty if it does not
	old    bool        // old is allowed: in an action
	failed bool
}

// names is a chain of the names of locals.
type names struct {
	outer *names
	name  string
	local *local
}

func (n *names) find(text string) *local {
	for ; n != nil; n = n.outer {
		if n.name == text {
			return n.local
		}
	}
	return nil
}

func (e *elaborator) fail(code diag.Code, span diag.Span, format string, args ...any) *expr {
	if !e.failed {
		e.l.errorf(code, span, format, args...)
	}
	e.failed = true
	return &expr{op: opTrue, span: span, typ: &cell{}}
}

func (e *elaborator) refuse(span diag.Span, what string) *expr {
	return e.fail(diag.IvyConstruct, span, "%s is not supported in Ivy files", what)
}

// want elaborates a term of a given type.
func (e *elaborator) want(t *term, typ *cell) *expr {
	x := e.term(t)
	if !unify(x.typ, typ) && !e.failed {
		e.fail(diag.SortMismatch, t.span, "this has type %s, but %s is expected", x.typ, typ)
	}
	return x
}

func (e *elaborator) formula(t *term) *expr { return e.want(t, known(boolean)) }

func (e *elaborator) term(t *term) *expr {
	if e.l.depth++; e.l.depth > 4*parse.MaxDepth {
		e.l.depth--
		return e.fail(diag.TooDeep, t.span, "definitions are nested too deeply")
	}
	defer func() { e.l.depth-- }()
	x := e.bare(t)
	if t.typ.text != "" && !unify(x.typ, known(e.l.sortOf(t.typ, e.scope))) && !e.failed {
		e.fail(diag.SortMismatch, t.span, "this has type %s, and not %s", x.typ, t.typ.text)
	}
	return x
}

func (e *elaborator) bare(t *term) *expr {
	x := &expr{op: t.op, span: t.span, typ: known(boolean)}
	switch t.kind {
	case termBool:
	case termVar:
		if t.applied {
			return e.refuse(t.span, "a variable that is a function")
		}
		return e.variable(t)
	case termOp:
		e.operation(t, x)
	case termQuant:
		depth := len(e.bound)
		for _, b := range t.vars {
			v := &variable{name: b.name.text, typ: &cell{}, span: b.name.span}
			if b.typ.text != "" {
				v.typ = known(e.l.sortOf(b.typ, e.scope))
			}
			x.vars = append(x.vars, v)
		}
		e.bound = append(e.bound, x.vars...)
		x.args = []*expr{e.formula(t.args[0])}
		e.bound = e.bound[:depth]
	case termOld:
		if !e.old {
			return e.fail(diag.NewHere, t.span, "'old' has a meaning only in an action")
		}
		a := e.term(t.args[0])
		x.op, x.args, x.typ = opOld, []*expr{a}, a.typ
	case termRun:
		x.args = []*expr{e.formula(t.args[0])}
	case termName, termDot:
		return e.application(t)
	default:
		what := map[string]string{"isa": "a test of a variant ('isa')",
			"$": "a named binder ('$')"}[t.op]
		return e.refuse(t.span, what)
	}
	return x
}

// operation elaborates an operator with its operands.
func (e *elaborator) operation(t *term, x *expr) {
	switch t.op {
	case "~", "&", "|", "->", "<->":
		for _, a := range t.args {
			x.args = append(x.args, e.formula(a))
		}
	case "=", "~=", "<", "<=", ">", ">=", "*>":
		a := e.term(t.args[0])
		x.args = []*expr{a, e.want(t.args[1], a.typ)}
		if t.op == "*>" {
			e.refuse(t.span, "the operator '*>' of variants")
		}
	case "+", "-", "*", "/", "neg":
		a := e.term(t.args[0])
		x.args, x.typ = []*expr{a}, a.typ
		if len(t.args) > 1 {
			x.args = append(x.args, e.want(t.args[1], a.typ))
		}
	case opIte:
		c, a := e.formula(t.args[0]), e.term(t.args[1])
		x.args, x.typ = []*expr{c, a, e.want(t.args[2], a.typ)}, a.typ
	}
}

// variable resolves a capital letter.
func (e *elaborator) variable(t *term) *expr {
	if ent := e.scope.find(t.name.text); ent != nil { // a parameter of a module or an object
		return e.entity(t, ent, nil)
	}
	for _, v := range slices.Backward(e.bound) {
		if v.name == t.name.text {
			return &expr{op: opVar, span: t.span, v: v, typ: v.typ}
		}
	}
	for _, v := range e.free {
		if v.name == t.name.text {
			return &expr{op: opVar, span: t.span, v: v, typ: v.typ}
		}
	}
	if e.nofree != "" {
		return e.fail(diag.UnresolvedName, t.span, "'%s' is not bound here: %s", t.name.text,
			e.nofree)
	}
	v := &variable{name: t.name.text, typ: &cell{}, span: t.span}
	e.free = append(e.free, v)
	return &expr{op: opVar, span: t.span, v: v, typ: v.typ}
}

// parameter is the value of a parameter of an object around.
func (e *elaborator) parameter(v *variable, span diag.Span) *expr {
	if loc := e.locals.find("\x00" + v.name); loc != nil {
		return &expr{op: opLocal, span: span, loc: loc, typ: loc.typ}
	}
	if !slices.Contains(e.bound, v) && !slices.Contains(e.free, v) {
		e.free = append(e.free, v)
	}
	return &expr{op: opVar, span: span, v: v, typ: v.typ}
}

// head is what the name of an application means, with the arguments on the way there: the ones in
// front of dots. A method of a value has the value as its first argument.
type head struct {
	entity *entity
	local  *local
	args   []*term
	span   diag.Span
}

// head resolves the name of a term. After an error ok is false.
func (e *elaborator) head(t *term) (h head, ok bool) {
	if t.kind == termName {
		if loc := e.locals.find(t.name.text); loc != nil {
			return head{local: loc, args: t.args, span: t.name.span}, true
		}
		if t.name.text == "this" {
			return head{entity: &entity{sub: e.scope, typ: e.scope.this}, span: t.span}, true
		}
		for _, v := range slices.Backward(e.bound) {
			if v.name == t.name.text {
				return head{entity: &entity{param: v}, args: t.args, span: t.name.span}, true
			}
		}
		ent := e.scope.find(t.name.text)
		if ent == nil && numeral(t.name.text) {
			return head{entity: &entity{op: t.name.text}, span: t.span}, true
		}
		if ent == nil {
			e.unresolved(t.name)
			return h, false
		}
		return head{entity: ent, args: t.args, span: t.name.span}, true
	}
	receiver, rest := t.args[0], t.args[1:]
	if receiver.kind == termName || receiver.kind == termDot {
		r, ok := e.head(receiver)
		if !ok {
			return h, false
		}
		if r.local == nil && r.entity.sub != nil {
			if m := r.entity.sub.names[t.name.text]; m != nil {
				return head{entity: m, args: append(slices.Clone(r.args), rest...), span: t.span},
					true
			}
		}
		if r.local == nil && r.entity.typ != nil && r.entity.typ.home != nil &&
			r.entity.sym == nil {
			if m := r.entity.typ.home.names[t.name.text]; m != nil {
				return head{entity: m, args: append(slices.Clone(r.args), rest...), span: t.span},
					true
			}
		}
		if r.local == nil && r.entity.sym == nil && r.entity.param == nil && r.entity.act == nil &&
			r.entity.op == "" {
			if !e.failed {
				d := e.l.errorf(diag.UnresolvedName, t.name.span, "there is no '%s' in '%s'",
					t.name.text, receiver.name.text)
				if r.entity.sub != nil {
					lacks(d, r.entity.sub.library)
				}
			}
			e.failed = true
			return h, false
		}
	}
	typ := e.typeOf(receiver)
	if typ == nil {
		e.fail(diag.NoSort, receiver.span,
			"the type of this is not known here, so '%s' has no meaning", t.name.text)
		return h, false
	}
	m := typ.home.find(t.name.text)
	if m == nil {
		e.unresolved(t.name)
		return h, false
	}
	return head{entity: m, args: append([]*term{receiver}, rest...), span: t.span}, true
}

// typeOf is the type of a term as far as it is known without its surroundings, nil if it is not.
func (e *elaborator) typeOf(t *term) *sort {
	if t.kind == termName || t.kind == termDot {
		if h, ok := e.head(t); ok && h.entity != nil && h.entity.act != nil {
			if r := h.entity.act.decl.returns; len(r) == 1 && r[0].typ.text != "" {
				return e.l.sortOf(r[0].typ, h.entity.act.scope)
			}
		}
	}
	return e.term(t).typ.root().sort
}

func (e *elaborator) unresolved(n name) {
	if e.failed {
		return
	}
	e.failed = true
	var known []string
	for s := e.scope; s != nil; s = s.parent {
		for k := range s.names {
			known = append(known, k)
		}
	}
	slices.Sort(known)
	d := e.l.errorf(diag.UnresolvedName, n.span, "'%s' is not declared", n.text)
	if near := diag.Closest(n.text, known); near != "" {
		d.Suggest("Did you mean '%s'?", near)
	} else {
		lacks(d, slices.Sorted(maps.Values(e.l.library))...)
	}
}

func (e *elaborator) application(t *term) *expr {
	h, ok := e.head(t)
	if !ok {
		return &expr{op: opTrue, span: t.span, typ: &cell{}}
	}
	if h.local != nil {
		if len(h.args) > 0 {
			return e.fail(diag.NotCallable, t.span,
				"'%s' is a variable of the action, and takes no arguments", h.local.name)
		}
		return &expr{op: opLocal, span: t.span, loc: h.local, typ: h.local.typ}
	}
	return e.entity(t, h.entity, h.args)
}

// entity elaborates an application of what a name means.
func (e *elaborator) entity(t *term, ent *entity, args []*term) *expr {
	switch {
	case ent.sym != nil:
		return e.symbol(t, ent.sym, args)
	case ent.param != nil && len(args) == 0:
		return e.parameter(ent.param, t.span)
	case ent.op != "" && len(args) == 0 && numeral(ent.op):
		return &expr{op: opNumeral, span: t.span, text: ent.op, typ: &cell{}}
	case ent.op == "true" || ent.op == "false":
		return &expr{op: ent.op, span: t.span, typ: known(boolean)}
	case ent.op != "" && len(args) == 2:
		return e.term(&term{kind: termOp, op: ent.op, args: args, span: t.span})
	case ent.act != nil:
		return e.fail(diag.NotCallable, t.span, "the action '%s' cannot be called within a formula",
			ent.act.name)
	}
	return e.fail(diag.NotCallable, t.span, "'%s' is no function or individual", t.span.Text())
}

func (e *elaborator) symbol(t *term, s *symbol, args []*term) *expr {
	if s.enum != nil {
		if len(args) > 0 {
			return e.fail(diag.NotCallable, t.span, "'%s' is a value, and takes no arguments",
				s.name)
		}
		return &expr{op: opSymbol, span: t.span, sym: s, typ: s.result}
	}
	e.l.define(s)
	x := &expr{op: opSymbol, span: t.span, sym: s, typ: s.result}
	// The parameters of the objects around come first. The parameters of objects that are around
	// here, too, need not be written.
	missing := len(s.params) + len(s.args) - len(args)
	switch {
	case missing < 0 || missing > len(s.params):
		return e.fail(diag.WrongArguments, t.span, "'%s' takes %d arguments, but here it has %d",
			s.name, len(s.params)+len(s.args), len(args))
	case missing > 0:
		for _, v := range s.params[:missing] {
			if !e.within(v) {
				return e.fail(diag.WrongArguments, t.span,
					"'%s' takes %d arguments, but here it has %d", s.name,
					len(s.params)+len(s.args), len(args))
			}
			x.args = append(x.args, e.parameter(v, t.span))
		}
	}
	for _, a := range args {
		i := len(x.args)
		want := (*cell)(nil)
		if i < len(s.params) {
			want = s.params[i].typ
		} else {
			want = s.args[i-len(s.params)]
		}
		x.args = append(x.args, e.want(a, want))
	}
	return x
}

// within reports whether a parameter is one of an object around.
func (e *elaborator) within(v *variable) bool { return slices.Contains(e.scope.params, v) }

// complete reports variables without a type.
func (e *elaborator) complete(x *expr) {
	if e.failed {
		return
	}
	for _, v := range append(slices.Clone(x.vars), e.free...) {
		if v.typ.root().sort == nil && !e.failed {
			e.fail(diag.NoSort, v.span, "the type of '%s' cannot be inferred", v.name)
		}
	}
	if x.op == opNumeral && x.typ.root().sort == nil {
		e.fail(diag.NoSort, x.span, "the type of '%s' cannot be inferred", x.text)
	}
	if strings.Contains("= ~= < <= > >=", x.op) && len(x.args) == 2 &&
		x.args[0].typ.root().sort == nil {
		e.fail(diag.NoSort, x.span, "the type of these values cannot be inferred")
	}
	for _, a := range x.args {
		e.complete(a)
	}
}
