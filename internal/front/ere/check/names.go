package check

import (
	"fmt"
	"slices"
	"strings"

	"erelong.dev/erelong/internal/diag"
	"erelong.dev/erelong/internal/front/ere/syntax"
	"erelong.dev/erelong/internal/logic"
	"erelong.dev/erelong/internal/system"
)

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
			e.c.errs.Errorf(diag.NotCallable, x.Span, "'%s' is a member of the enum %s",
				x.Name.Text, g.member.Sort)
		}
		return g.member.At(x.Span), known(g.member.Sort)
	}
	return e.call(x, g.def), known(logic.Bool)
}

func (e *elaborator) variable(x *syntax.Expr, v *logic.Var) (*logic.Term, *cell) {
	if x.Applied {
		e.c.errs.Errorf(diag.NotCallable, x.Span, "'%s' is a variable and takes no arguments",
			v.Name).
			Because(v.Span, "it is bound here")
	}
	if x.Primes > 0 {
		e.c.errs.Errorf(diag.NewHere, x.Span,
			"'%s' is a variable; only mutable symbols have a value after the step", v.Name)
	}
	t := &logic.Term{Op: logic.OpVar, Var: v, Span: x.Span}
	e.pend = append(e.pend, t)
	return t, e.cells[v]
}

// unresolved handles an undeclared name: a capital letter stands for every value, any other name is
// an error.
func (e *elaborator) unresolved(x *syntax.Expr) (*logic.Term, *cell) {
	capital := syntax.IsCapital(x.Name.Text)
	if capital && !x.Applied && x.Primes == 0 && e.noFree == "" {
		v := &logic.Var{Name: x.Name.Text, Span: x.Span}
		e.cells[v] = &cell{why: x.Span}
		e.free = append(e.free, v)
		e.c.variables = append(e.c.variables, v)
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
	if x.Name.Text == "size" && len(x.Args) == 1 { // of what is no structured data
		e.c.errs.Errorf(diag.UnresolvedName, x.Span, "a relation has no size, but a set has").
			Suggest("Declare a set, as in mutable constant s: set[SORT]; x in s says what is in " +
				"it.")
		return logic.True.At(x.Span), &cell{}
	}
	d := e.c.errs.Errorf(diag.UnresolvedName, x.Name.Span, "'%s' is not declared", x.Name.Text)
	if near := diag.Closest(x.Name.Text, names); near != "" {
		d.DidYouMean(near)
	} else if capital && e.noFree != "" {
		d.Because(diag.Span{}, "%s", e.noFree)
		if e.c.safety == nil { // an end of a range: sorts are resolved before there are formulas
			d.Suggest("Declare it: immutable constant %s: int", x.Name.Text)
		}
	} else if len(x.Args) == 0 && e.noFree == "" {
		d.Suggest("%s", syntax.Undeclared(x.Name.Text))
	} else {
		d.Suggest("Declare it, as in mutable relation %s(SORT) or immutable constant %s: SORT.",
			x.Name.Text, x.Name.Text)
	}
	for _, a := range x.Args {
		e.expr(a)
	}
	return logic.True.At(x.Span), &cell{}
}

// wrongArguments reports a name with a wrong number of arguments. Each of the right ones is called
// by a word, and what says what stands for it.
func (c *checker) wrongArguments(
	at diag.Span, name string, got int, declared diag.Span, words []string, what string,
) {
	right := name + " without arguments"
	if len(words) > 0 {
		right = fmt.Sprintf("%s(%s), with %s for each word in capitals", name,
			strings.ToUpper(strings.Join(words, ", ")), what)
	}
	c.errs.Errorf(diag.WrongArguments, at, "'%s' takes %s, but here it has %s", name,
		plural(len(words), "argument"), plural(got, "argument")).
		Because(declared, "it is declared here").Suggest("Write %s.", right)
}

// sortNames are the words for arguments that have sorts and no names.
func sortNames(sorts []*logic.Sort) []string {
	words := make([]string, len(sorts))
	for i, s := range sorts {
		words[i] = "value"
		if s != nil { // nil where its own declaration is wrong
			words[i] = s.Name
		}
	}
	return words
}

// parameters are the words for the arguments of an action.
func parameters(a *system.Action) []string {
	words := make([]string, len(a.Params))
	for i, p := range a.Params {
		words[i] = p.Name
	}
	return words
}

// arguments elaborates the arguments of a symbol or definition.
func (e *elaborator) arguments(
	x *syntax.Expr, what string, declared diag.Span, sorts []*logic.Sort,
) []*logic.Term {
	if len(x.Args) != len(sorts) {
		e.c.wrongArguments(x.Span, x.Name.Text, len(x.Args), declared, sortNames(sorts), "a value")
	}
	args := make([]*logic.Term, len(sorts))
	for i := range sorts {
		args[i] = logic.True
		if i >= len(x.Args) || sorts[i] == nil {
			continue
		}
		want := &cell{sort: sorts[i].Base(), why: declared}
		args[i] = e.expect(x.Args[i], want,
			fmt.Sprintf("argument %d of the %s '%s' has sort %s", i+1, what, x.Name.Text, sorts[i]))
		if t := args[i]; t.Op == logic.OpVar && t.Var.Sort == nil &&
			sorts[i].Kind == logic.KindRange {
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

// symbol elaborates an application of a symbol. Its marks and the context determine the state.
func (e *elaborator) symbol(x *syntax.Expr, s *logic.Symbol) (*logic.Term, *cell) {
	args := e.arguments(x, s.Kind.String(), s.Span, s.Args)
	if e.c.resolve(s); s.Result == nil {
		e.c.errs.Errorf(diag.Cyclic, x.Span,
			"the sort of '%s' is a range that depends on '%s' itself", s.Name, s.Name).
			Because(s.Span, "it is declared here")
		return logic.IntLit(0), known(logic.Int)
	}
	t := &logic.Term{Op: logic.OpApp, Sort: s.Result.Base(), Symbol: s, Args: args, Span: x.Span}
	if !s.Mutable {
		if x.Primes > 0 {
			e.c.errs.Errorf(diag.ImmutableTarget, x.Span,
				"'%s' is immutable, so it has no value after the step", s.Name).
				Because(s.Span, "it is declared here")
		}
		return t, &cell{sort: t.Sort, why: s.Span}
	}
	t.Step = e.step + x.Primes
	if e.reads[s] == nil {
		e.reads[s] = []diag.Span{x.Span}
	}
	switch {
	case e.states == 0:
		fix := "An axiom is about what never changes; for the first state write init, for every " +
			"state invariant."
		if e.noFree == endsOfRanges {
			fix = "Write int, and say in the action or formula between which values it is, as in " +
				"1 <= k & k <= n."
		}
		e.c.errs.Errorf(diag.MutableHere, x.Span,
			"only immutable symbols can be used here, but '%s' is mutable", s.Name).
			Because(s.Span, "it is declared here").Suggest("%s", fix)
	case x.Primes > 0:
		e.checkNew(x.Span, x.Primes)
	}
	if e.c.old && e.modifies != nil && !s.Derived && !e.modifies[s] {
		// Not modified: both values are the same, and the old dialect has no mark for either.
		t.Step = logic.Pre
	}
	e.checkModified(t, x.Span, nil)
	return t, &cell{sort: t.Sort, why: s.Span}
}

// checkNew refuses a mark for the next state where there is none.
func (e *elaborator) checkNew(span diag.Span, primes int) bool {
	if e.action {
		e.c.errs.Errorf(diag.NewHere, span,
			"in an action a plain name is the current value, and nothing is marked as new").
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
	if e.modifies == nil || t.Step != logic.Post || t.Symbol.Derived || e.modifies[t.Symbol] ||
		e.c.old {
		return
	}
	if via == nil {
		e.c.errs.Errorf(diag.NotModified, span,
			"'%s' is used in the new state, but '%s' does not list it under modifies",
			t.Symbol.Name, e.owner).Suggest("Add %s to modifies.", t.Symbol.Name).Insert(e.listed,
			", "+t.Symbol.Name)
		return
	}
	d := e.c.errs.Errorf(diag.NotModified, span,
		"this use of '%s' refers to '%s' in the new state, but '%s' does not list it "+
			"under modifies",
		via.name, t.Symbol.Name, e.owner).Suggest("Add %s to modifies.",
		t.Symbol.Name).Insert(e.listed, ", "+t.Symbol.Name)
	for i, at := range via.reads[t.Symbol] {
		if i < len(via.reads[t.Symbol])-1 {
			d.Because(at, "this leads to '%s'", t.Symbol.Name)
		} else {
			d.Because(at, "here '%s' is used", t.Symbol.Name)
		}
	}
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
		e.c.errs.Errorf(diag.NewHere, x.Span,
			"old(..) can stand only in an action, or in a transition of a file that never uses "+
				"new(..)")
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
			e.c.errs.Errorf(diag.DefinitionHere, x.Span,
				"'%s' chooses whole functions on its way, so no formula of first order can "+
					"stand for it", d.name).
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
	key := ""
	if d.size >= largeDefinition {
		key = e.callKey(d, step, args)
		if t := e.calls[key]; t != nil {
			return t.At(x.Span)
		}
	}
	if d.states == 2 {
		if e.states != 2 || e.action || e.inOld || x.Primes > 0 || e.step != e.base() {
			e.c.errs.Errorf(diag.DefinitionHere, x.Span,
				"'%s' speaks of two states, so it cannot be used here", d.name).
				Because(d.span,
					"it is defined here").Suggest("Use it in a transition or a twostate " +
				"theorem, outside new(..).")
			return logic.True.At(x.Span)
		}
	} else {
		if speaksOfState(body) && e.states == 0 {
			e.c.errs.Errorf(diag.MutableHere, x.Span,
				"'%s' depends on the state, so it cannot be used here", d.name).
				Because(d.span, "it is defined here")
		}
		if x.Primes > 0 && !e.checkNew(x.Span, x.Primes) {
			step = e.step
		}
		body = logic.Shift(body, step)
	}
	if e.c.old && e.modifies != nil {
		body = logic.Map(body, func(t *logic.Term) *logic.Term {
			if t.Op == logic.OpApp && t.Step == logic.Post && !t.Symbol.Derived &&
				!e.modifies[t.Symbol] {
				c := *t
				c.Step = logic.Pre
				return &c
			}
			return t
		})
	}
	if e.modifies != nil {
		e.checkReads(body, x, d)
	}
	for sym, way := range d.reads {
		if e.reads[sym] == nil {
			e.reads[sym] = append([]diag.Span{x.Span}, way...)
		}
	}
	m := make(map[*logic.Var]*logic.Term, len(args))
	for i, p := range d.params {
		m[p] = args[i]
	}
	t := logic.Subst(body, m)
	if key != "" {
		e.calls[key] = t
	}
	if slices.Contains(args, t) {
		return t // its sort may still be open: such a term must not be copied
	}
	return t.At(x.Span)
}

// largeDefinition is the number of nodes from which on calls of a definition with the same
// arguments share their expansion.
const largeDefinition = 200

// callKey distinguishes calls within one formula.
func (e *elaborator) callKey(d *definition, step int, args []*logic.Term) string {
	if e.calls == nil {
		e.calls, e.identity = map[string]*logic.Term{}, logic.NewIdentity()
	}
	key := fmt.Sprintf("%p %d", d, step)
	for _, a := range args {
		key += fmt.Sprintf(" %d", e.identity.Of(a))
	}
	return key
}

// checkReads refuses a definition that reads post-state values of symbols that the transition does
// not modify.
func (e *elaborator) checkReads(body *logic.Term, x *syntax.Expr, d *definition) {
	reported := map[*logic.Symbol]bool{}
	for t := range logic.Applications(body) {
		if !reported[t.Symbol] {
			before := len(e.c.errs.All)
			e.checkModified(t, x.Span, d)
			reported[t.Symbol] = len(e.c.errs.All) > before
		}
	}
}

// base is the state of an unmarked symbol at the top of the formula.
func (e *elaborator) base() int {
	if e.action || e.c.old && e.states == 2 {
		return logic.Post
	}
	return logic.Pre
}
