package ivy

import (
	"fmt"
	"math/big"
	"slices"

	"erelong.dev/erelong/internal/diag"
	"erelong.dev/erelong/internal/front/ere/syntax"
)

// writer writes terms in the language of specifications. A quantified variable gets a name that
// nothing around it has, so definitions can be put in the place of their uses.
type writer struct {
	l      *loader
	vars   map[*variable]*syntax.Expr
	taken  map[string]bool // names of variables around
	values map[*local]string
	choose func(*local) string // a value for a local that has none
	before func(*local) (string, bool)
	dirty  map[*symbol]bool // assigned before the action that old speaks of began
	inOld  bool
}

func (w *writer) with(v *variable, x *syntax.Expr) (undo func()) {
	before, had := w.vars[v]
	w.vars[v] = x
	return func() {
		if delete(w.vars, v); had {
			w.vars[v] = before
		}
	}
}

// named gives variables their own names.
func (w *writer) named(vars []*variable) *writer {
	for _, v := range vars {
		w.vars[v] = ident(v.name, v.span)
	}
	return w
}

func ident(n string, span diag.Span) *syntax.Expr {
	return &syntax.Expr{Kind: syntax.ExprName, Name: syntax.Name{Text: n, Span: span}, Span: span}
}

func apply(kind syntax.ExprKind, span diag.Span, args ...*syntax.Expr) *syntax.Expr {
	return &syntax.Expr{Kind: kind, Span: span, Args: args}
}

func integer(n *big.Int, span diag.Span) *syntax.Expr {
	return &syntax.Expr{Kind: syntax.ExprInt, Int: n, Span: span}
}

func call(n string, span diag.Span, args []*syntax.Expr) *syntax.Expr {
	x := ident(n, span)
	x.Args, x.Applied = args, len(args) > 0
	return x
}

var kinds = map[string]syntax.ExprKind{
	"~": syntax.ExprNot, "&": syntax.ExprAnd, "|": syntax.ExprOr, "->": syntax.ExprImplies,
	"<->":  syntax.ExprIff,
	opTrue: syntax.ExprTrue, opFalse: syntax.ExprFalse, opIte: syntax.ExprIf,
	"<": syntax.ExprLt, "<=": syntax.ExprLe, ">": syntax.ExprGt, ">=": syntax.ExprGe,
	"globally": syntax.ExprAlways, "eventually": syntax.ExprEventually,
}

// expr writes a term.
func (w *writer) expr(x *expr) *syntax.Expr {
	switch x.op {
	case opVar:
		return w.variable(x)
	case opLocal:
		return ident(w.local(x.loc), x.span)
	case opNumeral:
		return w.numeral(x)
	case opSymbol:
		return w.symbol(x)
	case opForall, opExists:
		return w.quantified(x.op, x.vars, x.span, func() *syntax.Expr { return w.expr(x.args[0]) })
	case opOld:
		return w.old(x)
	case "=", "~=", "<", "<=", ">", ">=":
		return w.compare(x)
	case "+", "-", "*", "/", "neg":
		return w.arithmetic(x)
	}
	return apply(kinds[x.op], x.span, w.exprs(x.args)...)
}

func (w *writer) exprs(xs []*expr) (out []*syntax.Expr) {
	for _, x := range xs {
		out = append(out, w.expr(x))
	}
	return out
}

func (w *writer) variable(x *expr) *syntax.Expr {
	if y := w.vars[x.v]; y != nil {
		return y
	}
	return ident(x.v.name, x.span)
}

func (w *writer) local(v *local) string {
	if w.inOld && w.before != nil {
		if n, ok := w.before(v); ok {
			return n
		}
	}
	if n, ok := w.values[v]; ok {
		return n
	}
	return w.choose(v)
}

// numeral is a number, or a constant of an uninterpreted type.
func (w *writer) numeral(x *expr) *syntax.Expr {
	t := x.typ.root().sort
	if n, ok := new(big.Int).SetString(x.text, 0); ok && t.number() {
		if t.kind == sortBits {
			n.Mod(n, new(big.Int).Lsh(big.NewInt(1), uint(t.bits)))
		}
		return integer(n, x.span)
	}
	if t.kind != sortUninterpreted || x.text[0] == '"' && t.number() {
		w.l.errorf(diag.SortMismatch, x.span, "'%s' is no value of type %s", x.text, t.name)
		return ident(x.text, x.span)
	}
	s := t.ops[x.text]
	if s == nil {
		s = &symbol{name: fmt.Sprintf("%s.%s", t.name, x.text), word: "individual", span: x.span,
			result: known(t), numeral: x.text}
		t.ops[x.text] = s
		w.l.symbols = append(w.l.symbols, s)
	}
	return ident(w.l.symbolName(s), x.span)
}

func (w *writer) symbol(x *expr) *syntax.Expr {
	s := x.sym
	args := w.exprs(x.args)
	if s.loose != nil {
		w.l.open = s
	}
	if s.def == nil {
		return call(w.l.symbolName(s), x.span, args)
	}
	return w.expand(s, args)
}

// expand writes a definition in the place of a use.
func (w *writer) expand(s *symbol, args []*syntax.Expr) *syntax.Expr {
	if s.body == nil {
		return apply(syntax.ExprTrue, s.span)
	}
	var undo []func()
	for i, v := range append(slices.Clone(s.params), s.formals...) {
		undo = append(undo, w.with(v, args[i]))
	}
	out := w.expr(s.body)
	for _, u := range slices.Backward(undo) {
		u()
	}
	return out
}

// quantified writes a quantifier. Natural numbers are integers from 0 on, for example.
func (w *writer) quantified(
	op string, vars []*variable, span diag.Span, body func() *syntax.Expr,
) *syntax.Expr {
	if len(vars) == 0 {
		return body()
	}
	out := &syntax.Expr{Kind: syntax.ExprForall, Span: span}
	if op == opExists {
		out.Kind = syntax.ExprExists
	}
	var undo []func()
	var from []*syntax.Expr
	for _, v := range vars {
		n := upper(v.name)
		for i := 1; w.taken[n]; i++ {
			n = fmt.Sprintf("%s_%d", upper(v.name), i)
		}
		w.taken[n] = true
		undo = append(undo, w.with(v, ident(n, v.span)), func() { delete(w.taken, n) })
		t := v.typ.root().sort
		out.Binders = append(out.Binders,
			&syntax.Binder{Name: syntax.Name{Text: n, Span: v.span}, Sort: w.l.sortExpr(t, v.span)})
		if t.partial() {
			from = append(from, within(t, ident(n, v.span)))
		}
	}
	b := body()
	if len(from) > 0 {
		if out.Kind == syntax.ExprForall {
			b = apply(syntax.ExprImplies, span, conjunction(from, span), b)
		} else {
			b = conjunction(append(from, b), span)
		}
	}
	out.Args = []*syntax.Expr{b}
	for _, u := range slices.Backward(undo) {
		u()
	}
	return out
}

func conjunction(xs []*syntax.Expr, span diag.Span) *syntax.Expr {
	switch len(xs) {
	case 0:
		return apply(syntax.ExprTrue, span)
	case 1:
		return xs[0]
	}
	return apply(syntax.ExprAnd, span, xs...)
}

// upper is a name for a variable of a formula. No variable of an action has such a name.
func upper(n string) string {
	switch {
	case n[0] >= 'a' && n[0] <= 'z':
		return string(n[0]-'a'+'A') + n[1:]
	case n[0] == '_':
		return "V" + n
	}
	return n
}

func (w *writer) compare(x *expr) *syntax.Expr {
	a, b := w.expr(x.args[0]), w.expr(x.args[1])
	t := x.args[0].typ.root().sort
	equal := func() *syntax.Expr {
		if t == boolean || t != nil && t.kind == sortBool {
			return apply(syntax.ExprIff, x.span, a, b)
		}
		return apply(syntax.ExprEq, x.span, a, b)
	}
	switch {
	case x.op == "=":
		return equal()
	case x.op == "~=":
		return apply(syntax.ExprNot, x.span, equal())
	case t.number():
		return apply(kinds[x.op], x.span, a, b)
	case t.kind != sortUninterpreted:
		w.l.refuse(x.span, "'%s' on the type %s", x.op, t.name)
		return apply(syntax.ExprTrue, x.span)
	}
	// On an uninterpreted type < is a relation, and the others are made of it.
	if x.op[0] == '>' {
		a, b = b, a
	}
	if s := t.ops[x.op]; s != nil && x.op != "<" {
		if x.op[0] == '>' {
			a, b = b, a
		}
		return w.operator(s, x.span, a, b)
	}
	less := w.operator(w.l.operatorOf(t, "<", x.span), x.span, a, b)
	if len(x.op) == 1 {
		return less
	}
	return apply(syntax.ExprOr, x.span, less, equal())
}

func (w *writer) operator(s *symbol, span diag.Span, args ...*syntax.Expr) *syntax.Expr {
	if w.l.define(s); s.def != nil {
		return w.expand(s, args)
	}
	return call(w.l.symbolName(s), span, args)
}

// operatorOf is the symbol of an operator on an uninterpreted type.
func (l *loader) operatorOf(t *sort, op string, span diag.Span) *symbol {
	if s := t.ops[op]; s != nil {
		return s
	}
	s := &symbol{name: t.name + "." + operatorNames[op], word: "function", span: span,
		args: []*cell{known(t), known(t)}, result: known(t)}
	if op == "<" {
		s.word, s.result = "relation", known(boolean)
	}
	t.ops[op] = s
	l.symbols = append(l.symbols, s)
	return s
}

func (w *writer) arithmetic(x *expr) *syntax.Expr {
	args := w.exprs(x.args)
	t := x.typ.root().sort
	if t == nil {
		w.l.errorf(diag.NoSort, x.span, "the type of this cannot be inferred")
		return args[0]
	}
	if !t.number() {
		if x.op == "neg" || t.kind != sortUninterpreted {
			w.l.refuse(x.span, "'%s' on the type %s", x.op, t.name)
			return args[0]
		}
		return w.operator(w.l.operatorOf(t, x.op, x.span), x.span, args...)
	}
	kind := map[string]syntax.ExprKind{"+": syntax.ExprAdd, "-": syntax.ExprSub,
		"*": syntax.ExprMul, "neg": syntax.ExprNeg}
	if x.op == "/" {
		if x.args[1].op != opNumeral || args[1].Int == nil || args[1].Int.Sign() <= 0 {
			w.l.refuse(x.span, "division by anything but a positive numeral")
			return args[0]
		}
		return apply(syntax.ExprDiv, x.span, args...)
	}
	out := apply(kind[x.op], x.span, args...)
	switch {
	case t.kind == sortBits:
		return apply(syntax.ExprMod, x.span, out,
			integer(new(big.Int).Lsh(big.NewInt(1), uint(t.bits)), x.span))
	case t.kind == sortNat && x.op == "-":
		return apply(syntax.ExprIf, x.span, apply(syntax.ExprLt, x.span, args...),
			integer(new(big.Int), x.span), out)
	case t.kind == sortNat && x.op == "neg":
		return integer(new(big.Int), x.span)
	}
	return out
}

// old writes the value before the call of the action. That is the value before the step as long as
// nothing in it was assigned before the call.
func (w *writer) old(x *expr) *syntax.Expr {
	reads := false
	var walk func(x *expr)
	walk = func(x *expr) {
		if x.op == opSymbol && x.sym.enum == nil {
			if reads = true; w.dirty[x.sym] {
				w.l.refuse(x.span, "'old' of what the caller has assigned before the call")
			}
			if x.sym.def != nil && x.sym.body != nil {
				walk(x.sym.body)
			}
		}
		for _, a := range x.args {
			walk(a)
		}
	}
	walk(x.args[0])
	inOld := w.inOld
	w.inOld = true
	a := w.expr(x.args[0])
	w.inOld = inOld
	if !reads || inOld {
		return a
	}
	return apply(syntax.ExprOld, x.span, a)
}

// sortExpr writes a type.
func (l *loader) sortExpr(t *sort, span diag.Span) *syntax.SortExpr {
	switch {
	case t == nil:
		return &syntax.SortExpr{Name: "bool", Span: span}
	case t.kind == sortBool:
		return &syntax.SortExpr{Name: "bool", Span: span}
	case t.kind == sortInt || t.partial():
		return &syntax.SortExpr{Name: "int", Span: span}
	case t.kind == sortBits:
		top := new(big.Int).Lsh(big.NewInt(1), uint(t.bits))
		return &syntax.SortExpr{Lo: integer(new(big.Int), span),
			Hi: integer(top.Sub(top, big.NewInt(1)), span), Span: span}
	case t.kind == sortRange:
		return &syntax.SortExpr{Lo: l.end(t, t.lo, span), Hi: l.end(t, t.hi, span), Span: span}
	}
	return &syntax.SortExpr{Name: l.sortName(t), Span: span}
}

// end is an end of a range: a numeral or an individual.
func (l *loader) end(t *sort, text string, span diag.Span) *syntax.Expr {
	if n, ok := new(big.Int).SetString(text, 10); ok {
		return integer(n, span)
	}
	if e := l.dotted(name{text, span}, t.home); e != nil && e.sym != nil && len(e.sym.args) == 0 &&
		e.sym.enum == nil {
		return ident(l.symbolName(e.sym), span)
	}
	l.refuse(t.span, "the end '%s' of a range", text)
	return integer(new(big.Int), span)
}

// sortName and symbolName are the names in the specification: dotted names as in the file.
func (l *loader) sortName(t *sort) string     { return t.name }
func (l *loader) symbolName(s *symbol) string { return s.name }

// maxRange is the number of bits up to which numbers are a range. The ends of longer ones are no
// values of 64 bits.
const maxRange = 62

// partial reports whether a type is integers with a condition: natural numbers, and numbers of many
// bits.
func (t *sort) partial() bool {
	return t != nil && (t.kind == sortNat || t.kind == sortBits && t.bits > maxRange)
}

// within says that a value of a type that is integers with a condition meets it; nil for others.
func within(t *sort, x *syntax.Expr) *syntax.Expr {
	if !t.partial() {
		return nil
	}
	from := apply(syntax.ExprLe, x.Span, integer(new(big.Int), x.Span), x)
	if t.kind == sortNat {
		return from
	}
	end := new(big.Int).Lsh(big.NewInt(1), uint(t.bits))
	return apply(syntax.ExprAnd, x.Span, from,
		apply(syntax.ExprLt, x.Span, x, integer(end, x.Span)))
}
