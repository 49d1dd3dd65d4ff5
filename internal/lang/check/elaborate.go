package check

import (
	"fmt"
	"slices"
	"unicode"

	"erelong/internal/diag"
	"erelong/internal/lang/syntax"
	"erelong/internal/logic"
)

// elaborator turns expressions of one formula, or of one action, into terms.
//
// Sorts of variables without one are inferred: each variable has a cell, and cells that must agree are joined. Terms are
// built while some sorts are open; finish closes them. Terms are built as written, without simplification, so that every
// part keeps its position.
type elaborator struct {
	c        *checker
	states   int  // how many states the formula speaks of
	step     int  // the state of an unmarked symbol
	action   bool // within an action: unmarked symbols are current values, old(..) those at its start
	temporal bool
	inOld    bool
	noFree   string // why a capital letter cannot stand for "every" here, "" if it can

	// modifies is what a transition changes, nil outside one.
	modifies map[*logic.Symbol]bool
	owner    string // the transition, for messages

	elements map[string]*logic.Term // names of values that the file does not declare

	scope []*logic.Var
	free  []*logic.Var // capital letters that were met, to be closed universally
	cells map[*logic.Var]*cell
	uses  map[*logic.Var][]rangeUse // of variables without a declared sort
	pend  []*logic.Term             // terms whose sort depends on open cells, inner ones first

	failed bool // a name was not resolved, so that a missing sort is no news
}

// cell is a sort, perhaps not yet known.
type cell struct {
	link *cell
	sort *logic.Sort // nil while unknown; never a range
	why  diag.Span
}

// rangeUse says that a variable is an argument that ranges over sort: it is meant to do so itself.
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
	e := &elaborator{c: c, states: states, cells: map[*logic.Var]*cell{}, uses: map[*logic.Var][]rangeUse{}}
	e.step = e.base()
	return e
}

// formula elaborates a formula and closes it.
func (e *elaborator) formula(x *syntax.Expr) *logic.Term {
	t := e.closed(x, logic.Bool, "a formula is expected here")
	e.finish()
	return t
}

// closed elaborates an expression of the given sort; free capital letters are bound by a universal quantifier around it.
// Sorts are still open until finish.
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
				e.c.errs.Errorf(diag.TwoRanges, v.Span, "'%s' could range over %s or over %s", v.Name, v.Sort.Name, r.sort.Name).
					Because(uses[0].span, "here it is an argument that ranges over %s", v.Sort.Name).
					Because(r.span, "here it is one that ranges over %s", r.sort.Name).
					Suggest("Say which: %s: %s", v.Name, v.Sort.Name)
				break
			}
		}
	}
}

// bind enters variables for the time of f.
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
				e.c.errs.Errorf(diag.Duplicate, b.Name.Span, "the variable '%s' is bound twice", b.Name.Text).
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
	}
	e.scope = append(e.scope, vars...)
	return vars
}

func (c *checker) checkShadow(n syntax.Name) {
	if g, ok := c.globals[n.Text]; ok {
		c.errs.Errorf(diag.Shadowing, n.Span, "'%s' is already declared as a %s, and a variable must not hide it", n.Text, g.what()).
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

// join makes two cells agree; it reports whether they can.
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
	if !join(want, got) {
		d := e.c.errs.Errorf(diag.SortMismatch, x.Span, "this has sort %s, but %s is expected", got.root().sort, want.root().sort)
		if s := want.root().why; !s.IsZero() && s.Source != nil {
			d.Because(s, "%s", why)
		} else if why != "" {
			d.Because(diag.Span{}, "%s", why)
		}
		if x.Kind == syntax.ExprName && len(x.Args) == 0 && want.root().sort == logic.Bool {
			d.Suggest("! binds tighter than =, so !x = y means (!x) = y; write x != y, or use parentheses.")
		}
	}
	return t
}

func known(s *logic.Sort) *cell { return &cell{sort: s} }

// node builds a term as written.
func node(op logic.Op, span diag.Span, sort *logic.Sort, args ...*logic.Term) *logic.Term {
	return &logic.Term{Op: op, Sort: sort, Args: args, Span: span}
}

var formulaOps = map[syntax.ExprKind]logic.Op{
	syntax.ExprNot: logic.OpNot, syntax.ExprAnd: logic.OpAnd, syntax.ExprOr: logic.OpOr, syntax.ExprImplies: logic.OpImplies,
	syntax.ExprIff: logic.OpIff, syntax.ExprAlways: logic.OpAlways, syntax.ExprEventually: logic.OpEventually,
	syntax.ExprUntil: logic.OpUntil, syntax.ExprLeadsTo: logic.OpLeadsTo,
}

var integerOps = map[syntax.ExprKind]logic.Op{
	syntax.ExprAdd: logic.OpAdd, syntax.ExprSub: logic.OpSub, syntax.ExprMul: logic.OpMul, syntax.ExprNeg: logic.OpNeg,
	syntax.ExprLt: logic.OpLt, syntax.ExprLe: logic.OpLe, syntax.ExprGt: logic.OpLt, syntax.ExprGe: logic.OpLe,
}

// expr elaborates an expression, and gives its sort.
func (e *elaborator) expr(x *syntax.Expr) (*logic.Term, *cell) {
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
		return e.call(x, e.c.safety), known(logic.Bool)
	case syntax.ExprNew, syntax.ExprOld:
		return e.otherState(x)

	case syntax.ExprNot, syntax.ExprAnd, syntax.ExprOr, syntax.ExprImplies, syntax.ExprIff, syntax.ExprAlways,
		syntax.ExprEventually, syntax.ExprUntil, syntax.ExprLeadsTo:
		if x.Kind >= syntax.ExprAlways && !e.temporal {
			e.c.errs.Errorf(diag.TemporalHere, span, "a temporal operator can stand only in a liveness or temporal property")
		}
		args := make([]*logic.Term, len(x.Args))
		for i, a := range x.Args {
			args[i] = e.expect(a, known(logic.Bool), "the operands of logical operators are formulas")
		}
		return node(formulaOps[x.Kind], span, logic.Bool, args...), known(logic.Bool)

	case syntax.ExprAdd, syntax.ExprSub, syntax.ExprMul, syntax.ExprNeg, syntax.ExprLt, syntax.ExprLe, syntax.ExprGt,
		syntax.ExprGe:
		args := make([]*logic.Term, len(x.Args))
		for i, a := range x.Args {
			args[i] = e.expect(a, known(logic.Int), "arithmetic and comparisons are about integers")
		}
		sort := logic.Int
		switch x.Kind {
		case syntax.ExprGt, syntax.ExprGe:
			args[0], args[1] = args[1], args[0]
			sort = logic.Bool
		case syntax.ExprLt, syntax.ExprLe:
			sort = logic.Bool
		}
		return node(integerOps[x.Kind], span, sort, args...), known(sort)

	case syntax.ExprEq, syntax.ExprNe:
		a, s := e.expr(x.Args[0])
		s.root().why = spanOr(s.root().why, x.Args[0].Span)
		b := e.expect(x.Args[1], s, "both sides of an equation have the same sort")
		t := node(logic.OpEq, span, logic.Bool, a, b)
		e.pend = append(e.pend, t)
		if x.Kind == syntax.ExprNe {
			t = node(logic.OpNot, span, logic.Bool, t)
		}
		return t, known(logic.Bool)

	case syntax.ExprDistinct:
		all := &cell{}
		args := make([]*logic.Term, len(x.Args))
		for i, a := range x.Args {
			args[i] = e.expect(a, all, "the arguments of distinct have the same sort")
			all.root().why = spanOr(all.root().why, a.Span)
		}
		return node(logic.OpDistinct, span, logic.Bool, args...), known(logic.Bool)

	case syntax.ExprIf:
		c := e.expect(x.Args[0], known(logic.Bool), "the condition of 'if' is a formula")
		a, s := e.expr(x.Args[1])
		s.root().why = spanOr(s.root().why, x.Args[1].Span)
		b := e.expect(x.Args[2], s, "both branches of 'if' have the same sort")
		t := node(logic.OpIte, span, nil, c, a, b)
		e.pend = append(e.pend, t)
		return t, s

	case syntax.ExprForall, syntax.ExprExists:
		op := logic.OpForall
		if x.Kind == syntax.ExprExists {
			op = logic.OpExists
		}
		t := node(op, span, logic.Bool)
		e.bind(x.Binders, func(vars []*logic.Var) {
			body := e.expect(x.Args[0], known(logic.Bool), "the body of a quantifier is a formula")
			t.Vars, t.Args = vars, []*logic.Term{body}
		})
		for _, v := range t.Vars {
			e.pend = append(e.pend, &logic.Term{Op: logic.OpVar, Var: v}) // so that an unused one is settled, too
		}
		return t, known(logic.Bool)

	case syntax.ExprLet:
		value, s := e.expr(x.Args[0])
		t := node(logic.OpLet, span, nil)
		var result *cell
		e.bind(x.Binders, func(vars []*logic.Var) {
			if !join(e.cells[vars[0]], s) {
				e.c.errs.Errorf(diag.SortMismatch, x.Args[0].Span, "this has sort %s, but '%s' has sort %s",
					s.root().sort, vars[0].Name, e.cells[vars[0]].root().sort)
			}
			body, r := e.expr(x.Args[1])
			result = r
			t.Vars, t.Args = vars, []*logic.Term{value, body}
		})
		e.pend = append(e.pend, &logic.Term{Op: logic.OpVar, Var: t.Vars[0]}, t)
		return t, result
	}
	panic(fmt.Sprintf("check: expression of kind %d", x.Kind))
}

func spanOr(a, b diag.Span) diag.Span {
	if a.IsZero() {
		return b
	}
	return a
}

// name elaborates a name: a variable, a symbol, a member of an enum, or a definition.
func (e *elaborator) name(x *syntax.Expr) (*logic.Term, *cell) {
	if v := e.lookup(x.Name.Text); v != nil {
		return e.variable(x, v)
	}
	g := e.c.globals[x.Name.Text]
	if t := e.elements[x.Name.Text]; g == nil && t != nil && !x.Applied && x.Primes == 0 {
		return t.At(x.Span), known(t.Sort)
	}
	if g == nil {
		return e.unresolved(x)
	}
	switch {
	case g.symbol != nil:
		return e.symbol(x, g.symbol)
	case g.member != nil:
		if x.Applied || x.Primes > 0 {
			e.c.errs.Errorf(diag.NotCallable, x.Span, "'%s' is a member of the enum %s", x.Name.Text, g.member.Sort)
		}
		return g.member.At(x.Span), known(g.member.Sort)
	}
	return e.call(x, g.def), known(logic.Bool)
}

func (e *elaborator) variable(x *syntax.Expr, v *logic.Var) (*logic.Term, *cell) {
	if x.Applied {
		e.c.errs.Errorf(diag.NotCallable, x.Span, "'%s' is a variable and takes no arguments", v.Name).
			Because(v.Span, "it is bound here")
	}
	if x.Primes > 0 {
		e.c.errs.Errorf(diag.NewHere, x.Span, "'%s' is a variable; only mutable symbols have a value after the step", v.Name)
	}
	t := &logic.Term{Op: logic.OpVar, Var: v, Span: x.Span}
	e.pend = append(e.pend, t)
	return t, e.cells[v]
}

// unresolved handles a name that nobody declared: a capital letter stands for every value, all else is an error.
func (e *elaborator) unresolved(x *syntax.Expr) (*logic.Term, *cell) {
	capital := unicode.IsUpper(rune(x.Name.Text[0]))
	if capital && !x.Applied && x.Primes == 0 && e.noFree == "" {
		v := &logic.Var{Name: x.Name.Text, Span: x.Span}
		e.cells[v] = &cell{why: x.Span}
		e.free = append(e.free, v)
		return e.variable(x, v)
	}
	var names []string
	for _, v := range e.scope {
		names = append(names, v.Name)
	}
	for n := range e.c.globals {
		names = append(names, n)
	}
	for n := range e.elements {
		names = append(names, n)
	}
	e.failed = true
	d := e.c.errs.Errorf(diag.UnresolvedName, x.Name.Span, "'%s' is not declared", x.Name.Text)
	if near := diag.Closest(x.Name.Text, names); near != "" {
		d.Suggest("Did you mean '%s'?", near)
	} else if capital && e.noFree != "" {
		d.Because(diag.Span{}, "%s", e.noFree)
	}
	for _, a := range x.Args {
		e.expr(a)
	}
	return logic.True.At(x.Span), &cell{}
}

// arguments elaborates the arguments of a symbol or definition.
func (e *elaborator) arguments(x *syntax.Expr, what string, declared diag.Span, sorts []*logic.Sort) []*logic.Term {
	if len(x.Args) != len(sorts) {
		e.c.errs.Errorf(diag.WrongArguments, x.Span, "'%s' takes %s, but here it has %s", x.Name.Text,
			plural(len(sorts), "argument"), plural(len(x.Args), "argument")).Because(declared, "it is declared here")
	}
	args := make([]*logic.Term, len(sorts))
	for i := range sorts {
		args[i] = logic.True
		if i >= len(x.Args) || sorts[i] == nil {
			continue
		}
		want := &cell{sort: sorts[i].Base(), why: declared}
		args[i] = e.expect(x.Args[i], want, fmt.Sprintf("argument %d of the %s '%s' has sort %s", i+1, what, x.Name.Text, sorts[i]))
		if t := args[i]; t.Op == logic.OpVar && t.Var.Sort == nil && sorts[i].Kind == logic.KindRange {
			e.uses[t.Var] = append(e.uses[t.Var], rangeUse{sorts[i], x.Args[i].Span})
		}
	}
	for i := len(sorts); i < len(x.Args); i++ {
		e.expr(x.Args[i])
	}
	return args
}

func plural(n int, word string) string {
	switch n {
	case 0:
		return "no " + word + "s"
	case 1:
		return "1 " + word
	}
	return fmt.Sprintf("%d %ss", n, word)
}

// symbol elaborates an application of a symbol in the state that its marks and the context say.
func (e *elaborator) symbol(x *syntax.Expr, s *logic.Symbol) (*logic.Term, *cell) {
	args := e.arguments(x, s.Kind.String(), s.Span, s.Args)
	if e.c.resolve(s); s.Result == nil {
		e.c.errs.Errorf(diag.Cyclic, x.Span, "the sort of '%s' is a range that depends on '%s' itself", s.Name, s.Name).
			Because(s.Span, "it is declared here")
		return logic.IntLit(0), known(logic.Int)
	}
	t := &logic.Term{Op: logic.OpApp, Sort: s.Result.Base(), Symbol: s, Args: args, Span: x.Span}
	if !s.Mutable {
		if x.Primes > 0 {
			e.c.errs.Errorf(diag.ImmutableTarget, x.Span, "'%s' is immutable, so it has no value after the step", s.Name).
				Because(s.Span, "it is declared here")
		}
		return t, &cell{sort: t.Sort, why: s.Span}
	}
	t.Step = e.step + x.Primes
	switch {
	case e.states == 0:
		e.c.errs.Errorf(diag.MutableHere, x.Span, "only immutable symbols can be used here, but '%s' is mutable", s.Name).
			Because(s.Span, "it is declared here").Suggest("An axiom is about what never changes; for the first state write init, for every state invariant.")
	case x.Primes > 0:
		e.checkNew(x.Span, x.Primes)
	}
	if e.c.old && e.modifies != nil && !s.Derived && !e.modifies[s] {
		t.Step = logic.Pre // not modified: both values are the same, and the old dialect does not say which it means
	}
	e.checkModified(t, x.Span, nil)
	return t, &cell{sort: t.Sort, why: s.Span}
}

// checkNew refuses a mark for the next state where there is none.
func (e *elaborator) checkNew(span diag.Span, primes int) bool {
	if e.action {
		e.c.errs.Errorf(diag.NewHere, span, "in an action a plain name is the current value, and nothing is marked as new").
			Suggest("Drop the mark; for the value at the start of the action write old(..).")
		return false
	}
	if e.c.old || e.step+primes > e.states-1 {
		e.c.errs.Errorf(diag.NewHere, span, "there is no state after this one to speak of").
			Because(diag.Span{}, "this formula is about %s", plural(e.states, "state"))
		return false
	}
	return true
}

// checkModified refuses a post-state value of a symbol that the transition does not modify.
func (e *elaborator) checkModified(t *logic.Term, span diag.Span, via *definition) {
	if e.modifies == nil || t.Step != logic.Post || t.Symbol.Derived || e.modifies[t.Symbol] || e.c.old {
		return
	}
	if via == nil {
		e.c.errs.Errorf(diag.NotModified, span, "'%s' is used in the new state, but '%s' does not list it under modifies",
			t.Symbol.Name, e.owner).Suggest("Add %s to modifies.", t.Symbol.Name)
		return
	}
	e.c.errs.Errorf(diag.NotModified, span, "this use of '%s' refers to '%s' in the new state, but '%s' does not list it under modifies",
		via.name, t.Symbol.Name, e.owner).
		Because(t.Span, "here '%s' is used", t.Symbol.Name).Suggest("Add %s to modifies.", t.Symbol.Name)
}

// otherState elaborates new(..) and old(..).
func (e *elaborator) otherState(x *syntax.Expr) (*logic.Term, *cell) {
	if x.Kind == syntax.ExprOld && e.c.globals["old"] != nil {
		c := *x
		c.Kind = syntax.ExprName
		return e.name(&c)
	}
	before, beforeOld := e.step, e.inOld
	defer func() { e.step, e.inOld = before, beforeOld }()
	if x.Kind == syntax.ExprNew {
		if e.checkNew(x.Span, 1) {
			e.step++
		}
		return e.expr(x.Args[0])
	}
	switch {
	case e.inOld:
		e.c.errs.Errorf(diag.NewHere, x.Span, "old(..) within old(..)")
	case !e.action && !(e.c.old && e.states == 2):
		e.c.errs.Errorf(diag.NewHere, x.Span, "old(..) can stand only in an action, or in a transition of a file that never uses new(..)")
	}
	e.step, e.inOld = logic.Pre, true
	return e.expr(x.Args[0])
}

// call expands a definition.
func (e *elaborator) call(x *syntax.Expr, d *definition) *logic.Term {
	if !e.c.ready(d, x.Span) {
		return logic.True.At(x.Span)
	}
	if d.term == nil {
		if e.c.errs.Err() == nil {
			e.c.errs.Errorf(diag.DefinitionHere, x.Span, "'%s' chooses whole functions on its way, so no formula of first order can stand for it", d.name).
				Because(d.span, "it is defined here")
		}
		return logic.True.At(x.Span)
	}
	sorts := make([]*logic.Sort, len(d.params))
	for i, p := range d.params {
		sorts[i] = p.Sort
	}
	args := e.arguments(x, d.what, d.span, sorts)
	step := e.step + x.Primes
	body := d.term
	if d.states == 2 {
		if e.states != 2 || e.action || e.inOld || x.Primes > 0 || e.step != e.base() {
			e.c.errs.Errorf(diag.DefinitionHere, x.Span, "'%s' speaks of two states, so it cannot be used here", d.name).
				Because(d.span, "it is defined here").Suggest("Use it in a transition or a twostate theorem, outside new(..).")
			return logic.True.At(x.Span)
		}
	} else {
		if speaksOfState(body) && e.states == 0 {
			e.c.errs.Errorf(diag.MutableHere, x.Span, "'%s' depends on the state, so it cannot be used here", d.name).
				Because(d.span, "it is defined here")
		}
		if x.Primes > 0 && !e.checkNew(x.Span, x.Primes) {
			step = e.step
		}
		body = logic.Shift(body, step)
	}
	if e.c.old && e.modifies != nil {
		body = logic.Map(body, func(t *logic.Term) *logic.Term {
			if t.Op == logic.OpApp && t.Step == logic.Post && !t.Symbol.Derived && !e.modifies[t.Symbol] {
				c := *t
				c.Step = logic.Pre
				return &c
			}
			return t
		})
	}
	reported := map[*logic.Symbol]bool{}
	logic.Walk(body, func(t *logic.Term) bool {
		if t.Op == logic.OpApp && !reported[t.Symbol] {
			before := len(e.c.errs.All)
			e.checkModified(t, x.Span, d)
			reported[t.Symbol] = len(e.c.errs.All) > before
		}
		return true
	})
	m := make(map[*logic.Var]*logic.Term, len(args))
	for i, p := range d.params {
		m[p] = args[i]
	}
	t := logic.Subst(body, m)
	if slices.Contains(args, t) {
		return t // its sort may still be open: it must not be copied
	}
	return t.At(x.Span)
}

// base is the state of an unmarked symbol at the top of the formula.
func (e *elaborator) base() int {
	if e.action || e.c.old && e.states == 2 {
		return logic.Post
	}
	return logic.Pre
}
