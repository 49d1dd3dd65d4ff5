package check

import (
	"fmt"
	"strings"

	"erelong.dev/erelong/internal/diag"
	"erelong.dev/erelong/internal/front/ere/syntax"
	"erelong.dev/erelong/internal/logic"
)

// elaborator turns expressions of one formula, or of one action, into terms.
//
// Sorts of variables without one are inferred: each variable has a cell, and cells that must agree
// are joined. Terms are built while some sorts are open; finish closes them. Terms are built
// without simplification, so that every part keeps its position.
type elaborator struct {
	c      *checker
	states int // how many states the formula is about
	step   int // the state of an unmarked symbol
	// Within an action: unmarked symbols are current values, old(..) gives the values at its start.
	action   bool
	temporal bool
	inOld    bool
	noFree   string // why a capital letter cannot stand for "every" here, "" if it can

	// modifies is what a transition changes, nil outside one.
	modifies map[*logic.Symbol]bool
	owner    string    // the transition, for messages
	listed   diag.Span // the end of its list of what it modifies, or of its parameters

	elements map[string]*logic.Term // names of values that the file does not declare

	scope   []*logic.Var
	implied []*logic.Term // quantifiers over them that have no place yet
	free    []*logic.Var  // capital letters that occurred, to be closed universally
	cells   map[*logic.Var]*cell
	uses    map[*logic.Var][]rangeUse // of variables without a declared sort
	pend    []*logic.Term             // terms whose sort depends on open cells, inner ones first

	// reads gives, for each mutable symbol that is read, where it is read; behind calls of
	// definitions, the positions of the calls, too.
	reads map[*logic.Symbol][]diag.Span

	sharing

	failed bool // a name was not resolved, so a missing sort needs no message of its own
}

// cell is a sort that may still be unknown.
type cell struct {
	link *cell
	sort *logic.Sort // nil while unknown; never a range
	why  diag.Span
}

// rangeUse says that a variable is an argument that ranges over sort, so the variable is meant to
// range over it.
type rangeUse struct {
	sort *logic.Sort
	span diag.Span
}

func (c *cell) root() *cell {
	for c.link != nil {
		c = c.link
	}
	return c
}

func (c *checker) elaborator(states int) *elaborator {
	e := &elaborator{c: c, states: states, cells: map[*logic.Var]*cell{},
		uses:    map[*logic.Var][]rangeUse{},
		reads:   map[*logic.Symbol][]diag.Span{},
		sharing: sharing{known: map[*syntax.Expr]*made{}, names: names{}}}
	e.step = e.base()
	return e
}

// formula elaborates a formula and closes it.
func (e *elaborator) formula(x *syntax.Expr) *logic.Term {
	t := e.closed(x, logic.Bool, "a formula is expected here")
	e.finish()
	return t
}

// closed elaborates an expression of the given sort; free capital letters are bound by a universal
// quantifier around it. Sorts are still open until finish.
func (e *elaborator) closed(x *syntax.Expr, sort *logic.Sort, why string) *logic.Term {
	outer := e.free
	e.free = nil
	t := e.expect(x, &cell{sort: sort}, why)
	vars := e.free
	e.free = outer
	for _, v := range vars {
		e.pend = append(e.pend, &logic.Term{Op: logic.OpVar, Var: v})
	}
	if len(vars) > 0 {
		t = logic.Forall(vars, t).At(x.Span)
		e.implied = append(e.implied, t)
	}
	return t
}

// finish gives the terms built so far their sorts.
func (e *elaborator) finish() {
	for _, t := range e.pend {
		switch t.Op {
		case logic.OpVar:
			e.settle(t.Var)
			t.Sort = t.Var.Sort.Base()
		case logic.OpIte, logic.OpLet:
			t.Sort = t.Args[len(t.Args)-1].Sort
		case logic.OpEq:
			if t.Args[0].Sort == logic.Bool {
				t.Op = logic.OpIff
			}
		}
	}
	e.pend = nil
	if !e.failed {
		e.narrow()
	}
}

// settle fixes the sort of a variable from its cell.
func (e *elaborator) settle(v *logic.Var) {
	if v.Sort != nil {
		return
	}
	c, uses := e.cells[v].root(), e.uses[v]
	switch {
	case c.sort == nil:
		if !e.failed {
			e.c.errs.Errorf(diag.NoSort, v.Span, "the sort of '%s' cannot be inferred", v.Name).
				Suggest("Write it: %s: SORT", v.Name)
		}
		v.Sort = logic.Bool
	case len(uses) == 0:
		v.Sort = c.sort
	default:
		v.Sort = uses[0].sort
		for _, r := range uses[1:] {
			if r.sort != v.Sort {
				e.c.errs.Errorf(diag.TwoRanges, v.Span, "'%s' could range over %s or over %s",
					v.Name, v.Sort.Name, r.sort.Name).
					Because(uses[0].span, "here it is an argument that ranges over %s",
						v.Sort.Name).
					Because(r.span, "here it is one that ranges over %s", r.sort.Name).
					Suggest("Say which: %s: %s", v.Name, v.Sort.Name)
				break
			}
		}
	}
}

// bind enters variables while f runs.
func (e *elaborator) bind(binders []*syntax.Binder, f func(vars []*logic.Var)) {
	vars := e.enter(binders)
	f(vars)
	e.scope = e.scope[:len(e.scope)-len(vars)]
}

// enter adds variables to the scope and leaves them there.
func (e *elaborator) enter(binders []*syntax.Binder) []*logic.Var {
	vars := make([]*logic.Var, len(binders))
	for i, b := range binders {
		e.c.checkShadow(b.Name)
		for _, other := range vars[:i] {
			if other.Name == b.Name.Text {
				e.c.errs.Errorf(diag.Duplicate, b.Name.Span, "the variable '%s' is bound twice",
					b.Name.Text).
					Because(other.Span, "it is bound here")
			}
		}
		v := &logic.Var{Name: b.Name.Text, Span: b.Name.Span}
		cl := &cell{why: b.Name.Span}
		if b.Sort != nil {
			v.Sort = e.c.sort(b.Sort)
			cl.sort, cl.why = v.Sort.Base(), b.Sort.Span
		}
		e.cells[v] = cl
		vars[i] = v
		e.c.variables = append(e.c.variables, v)
	}
	e.scope = append(e.scope, vars...)
	return vars
}

func (c *checker) checkShadow(n syntax.Name) {
	if g, ok := c.globals[n.Text]; ok {
		c.errs.Errorf(diag.Shadowing, n.Span,
			"'%s' is already declared as a %s, and a variable must not hide it", n.Text, g.what()).
			Because(g.span, "it is declared here").Suggest("Give the variable another name.")
	}
}

func (e *elaborator) lookup(name string) *logic.Var {
	for i := len(e.scope) - 1; i >= 0; i-- {
		if e.scope[i].Name == name {
			return e.scope[i]
		}
	}
	for _, v := range e.free {
		if v.Name == name {
			return v
		}
	}
	return nil
}

// join makes two cells agree, and reports whether they can.
func join(a, b *cell) bool {
	a, b = a.root(), b.root()
	if a == b {
		return true
	}
	if a.sort != nil && b.sort != nil && a.sort != b.sort {
		return false
	}
	if a.sort == nil {
		a.sort, a.why = b.sort, b.why
	}
	b.link = a
	return true
}

// expect elaborates an expression whose sort must agree with want.
func (e *elaborator) expect(x *syntax.Expr, want *cell, why string) *logic.Term {
	t, got := e.expr(x)
	if !join(want, got) && !e.c.unknown[want.root().sort] && !e.c.unknown[got.root().sort] {
		d := e.c.errs.Errorf(diag.SortMismatch, x.Span, "this has sort %s, but %s is expected",
			got.root().sort, want.root().sort)
		if s := want.root().why; !s.IsZero() && s.Source != nil {
			d.Because(s, "%s", why)
		} else if why != "" {
			d.Because(diag.Span{}, "%s", why)
		}
		if s := want.root().sort; got.root().sort == logic.Int {
			d.Suggest("%s", noNumbers(s))
		}
	}
	return t
}

// noNumbers says what stands for the elements of a sort whose elements have no numbers.
func noNumbers(s *logic.Sort) string {
	switch s.Kind {
	case logic.KindEnum:
		return fmt.Sprintf("The values of %s are %s.", s, strings.Join(s.Members, ", "))
	case logic.KindUninterpreted:
		return fmt.Sprintf("The elements of %s have no numbers. Give one a name, as in "+
			"immutable constant first: %s, or begin in any one by leaving the symbol open.", s, s)
	}
	return ""
}

func known(s *logic.Sort) *cell { return &cell{sort: s} }

// node builds a term without simplification.
func node(op logic.Op, span diag.Span, sort *logic.Sort, args ...*logic.Term) *logic.Term {
	return &logic.Term{Op: op, Sort: sort, Args: args, Span: span}
}

var formulaOps = map[syntax.ExprKind]logic.Op{
	syntax.ExprNot: logic.OpNot, syntax.ExprAnd: logic.OpAnd, syntax.ExprOr: logic.OpOr,
	syntax.ExprImplies: logic.OpImplies,
	syntax.ExprIff:     logic.OpIff, syntax.ExprAlways: logic.OpAlways,
	syntax.ExprEventually: logic.OpEventually,
	syntax.ExprUntil:      logic.OpUntil, syntax.ExprLeadsTo: logic.OpLeadsTo,
}

// prefixes say how operators in front of a formula bind.
var prefixes = map[syntax.ExprKind]string{
	syntax.ExprNot: "! binds tighter than =, so !x = y means (!x) = y; write x != y, or " +
		"use parentheses.",
	syntax.ExprAlways: "always binds tighter than =, so always x = y means (always x) = y; " +
		"write always (x = y).",
	syntax.ExprEventually: "eventually binds tighter than =, so eventually x = y means " +
		"(eventually x) = y; write eventually (x = y).",
}

var integerOps = map[syntax.ExprKind]logic.Op{
	syntax.ExprAdd: logic.OpAdd, syntax.ExprSub: logic.OpSub, syntax.ExprMul: logic.OpMul,
	syntax.ExprDiv: logic.OpDiv, syntax.ExprMod: logic.OpMod, syntax.ExprNeg: logic.OpNeg,
	syntax.ExprLt: logic.OpLt, syntax.ExprLe: logic.OpLe, syntax.ExprGt: logic.OpLt,
	syntax.ExprGe: logic.OpLe,
}

// construct elaborates an expression that stands in one place.
func (e *elaborator) construct(x *syntax.Expr) (*logic.Term, *cell) {
	span := x.Span
	switch x.Kind {
	case syntax.ExprTrue:
		return logic.True.At(span), known(logic.Bool)
	case syntax.ExprFalse:
		return logic.False.At(span), known(logic.Bool)
	case syntax.ExprInt:
		return logic.BigLit(x.Int).At(span), known(logic.Int)
	case syntax.ExprName:
		return e.name(x)
	case syntax.ExprSafety:
		if e.c.safety == nil { // sorts are resolved before there are formulas
			e.c.errs.Errorf(diag.RangeEnds, x.Span,
				"the ends of a range are made of numbers and immutable constants only")
			return logic.True.At(x.Span), known(logic.Bool)
		}
		return e.call(x, e.c.safety), known(logic.Bool)
	case syntax.ExprNew, syntax.ExprOld:
		return e.otherState(x)

	case syntax.ExprNot, syntax.ExprAnd, syntax.ExprOr, syntax.ExprImplies, syntax.ExprIff,
		syntax.ExprAlways,
		syntax.ExprEventually, syntax.ExprUntil, syntax.ExprLeadsTo:
		return e.logical(x)
	case syntax.ExprAdd, syntax.ExprSub, syntax.ExprMul, syntax.ExprDiv, syntax.ExprMod,
		syntax.ExprNeg, syntax.ExprLt, syntax.ExprLe, syntax.ExprGt,
		syntax.ExprGe:
		return e.arithmetic(x)
	case syntax.ExprEq, syntax.ExprNe:
		return e.equation(x)
	case syntax.ExprDistinct:
		return e.distinct(x)
	case syntax.ExprIf:
		return e.conditional(x)
	case syntax.ExprForall, syntax.ExprExists:
		return e.quantified(x)
	case syntax.ExprLet:
		return e.let(x)
	}
	switch x.Kind {
	case syntax.ExprNeeds:
		return e.needing(x)
	case syntax.ExprFold:
		e.c.folds = true
		return e.fold(x)
	}
	if x.Kind >= syntax.ExprIn { // package flat leaves it where it does not know what is meant
		e.failed = true
		e.c.errs.Errorf(diag.Unsupported, x.Span, "structured data cannot stand here")
		return logic.True.At(x.Span), &cell{}
	}
	panic(fmt.Sprintf("check: expression of kind %d", x.Kind))
}

// logical elaborates a formula made of formulas.
func (e *elaborator) logical(x *syntax.Expr) (*logic.Term, *cell) {
	if x.Kind >= syntax.ExprAlways && !e.temporal {
		e.c.errs.Errorf(diag.TemporalHere, x.Span,
			"a temporal operator can stand only in a liveness or temporal property")
	}
	args := make([]*logic.Term, len(x.Args))
	for i, a := range x.Args {
		before := len(e.c.errs.All)
		args[i] = e.expect(a, known(logic.Bool),
			"the operands of logical operators are formulas")
		if hint := prefixes[x.Kind]; hint != "" && len(e.c.errs.All) > before &&
			e.c.errs.All[before].Code == diag.SortMismatch && a.Kind == syntax.ExprName {
			e.c.errs.All[before].Suggest("%s", hint)
		}
	}
	return node(formulaOps[x.Kind], x.Span, logic.Bool, args...), known(logic.Bool)
}

// arithmetic elaborates a sum, a product or a comparison of integers.
func (e *elaborator) arithmetic(x *syntax.Expr) (*logic.Term, *cell) {
	args := make([]*logic.Term, len(x.Args))
	for i, a := range x.Args {
		args[i] = e.expect(a, known(logic.Int), "arithmetic and comparisons are about integers")
	}
	sort := logic.Int
	switch x.Kind {
	case syntax.ExprDiv, syntax.ExprMod:
		if args[1].Int.Sign() == 0 {
			e.c.errs.Errorf(diag.Divisor, x.Args[1].Span, "nothing can be divided by 0")
			args[1] = logic.IntLit(1).At(x.Args[1].Span)
		}
	case syntax.ExprGt, syntax.ExprGe:
		args[0], args[1] = args[1], args[0]
		sort = logic.Bool
	case syntax.ExprLt, syntax.ExprLe:
		sort = logic.Bool
	}
	return node(integerOps[x.Kind], x.Span, sort, args...), known(sort)
}

// equation elaborates an equation or its opposite.
func (e *elaborator) equation(x *syntax.Expr) (*logic.Term, *cell) {
	a, s := e.expr(x.Args[0])
	s.root().why = spanOr(s.root().why, x.Args[0].Span)
	b := e.expect(x.Args[1], s, "both sides of an equation have the same sort")
	t := node(logic.OpEq, x.Span, logic.Bool, a, b)
	e.pend = append(e.pend, t)
	if x.Kind == syntax.ExprNe {
		t = node(logic.OpNot, x.Span, logic.Bool, t)
	}
	return t, known(logic.Bool)
}

// distinct elaborates a formula that says that values differ.
func (e *elaborator) distinct(x *syntax.Expr) (*logic.Term, *cell) {
	all := &cell{}
	args := make([]*logic.Term, len(x.Args))
	for i, a := range x.Args {
		args[i] = e.expect(a, all, "the arguments of distinct have the same sort")
		all.root().why = spanOr(all.root().why, a.Span)
	}
	return node(logic.OpDistinct, x.Span, logic.Bool, args...), known(logic.Bool)
}

// conditional elaborates if c then a else b.
func (e *elaborator) conditional(x *syntax.Expr) (*logic.Term, *cell) {
	c := e.expect(x.Args[0], known(logic.Bool), "the condition of 'if' is a formula")
	a, s := e.expr(x.Args[1])
	s.root().why = spanOr(s.root().why, x.Args[1].Span)
	b := e.expect(x.Args[2], s, "both branches of 'if' have the same sort")
	t := node(logic.OpIte, x.Span, nil, c, a, b)
	e.pend = append(e.pend, t)
	return t, s
}

// quantified elaborates a quantifier.
func (e *elaborator) quantified(x *syntax.Expr) (*logic.Term, *cell) {
	op := logic.OpForall
	if x.Kind == syntax.ExprExists {
		op = logic.OpExists
	}
	t := node(op, x.Span, logic.Bool)
	e.bind(x.Binders, func(vars []*logic.Var) {
		body := e.expect(x.Args[0], known(logic.Bool), "the body of a quantifier is a formula")
		t.Vars, t.Args = vars, []*logic.Term{body}
	})
	for _, v := range t.Vars {
		// So that the sort of an unused variable is settled, too.
		e.pend = append(e.pend, &logic.Term{Op: logic.OpVar, Var: v})
	}
	return t, known(logic.Bool)
}

// let elaborates let x = e in e.
func (e *elaborator) let(x *syntax.Expr) (*logic.Term, *cell) {
	value, s := e.expr(x.Args[0])
	t := node(logic.OpLet, x.Span, nil)
	var result *cell
	e.bind(x.Binders, func(vars []*logic.Var) {
		if !join(e.cells[vars[0]], s) {
			e.c.errs.Errorf(diag.SortMismatch, x.Args[0].Span,
				"this has sort %s, but '%s' has sort %s",
				s.root().sort, vars[0].Name, e.cells[vars[0]].root().sort)
		}
		body, r := e.expr(x.Args[1])
		result = r
		t.Vars, t.Args = vars, []*logic.Term{value, body}
	})
	e.pend = append(e.pend, &logic.Term{Op: logic.OpVar, Var: t.Vars[0]}, t)
	return t, result
}

func spanOr(a, b diag.Span) diag.Span {
	if a.IsZero() {
		return b
	}
	return a
}
