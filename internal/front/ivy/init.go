package ivy

import (
	"fmt"
	"maps"
	"slices"

	"erelong.dev/erelong/internal/diag"
	"erelong.dev/erelong/internal/front/ere/syntax"
)

// initialisation writes the initial states as formulas: all `after init` in their order are one
// program, which begins with any values, and its symbolic execution says what they are after it.
func (l *loader) initialisation() []syntax.Decl {
	r := &runner{l: l, used: map[string]bool{}, obligations: map[*syntax.RequireStmt]*claimStmt{},
		initial: true}
	st := state{map[*local]string{}, map[*symbol]bool{}}
	assumed := map[string]bool{"require": true}
	var from func(i int) then
	from = func(i int) then {
		return func(st state) []syntax.Stmt {
			if i == len(l.inits) {
				return nil
			}
			in := l.inits[i]
			f := frame{scope: in.scope, assumed: assumed, every: len(in.scope.params) > 0}
			for j, p := range in.decl.params {
				if j < len(in.scope.params) {
					continue // a parameter of the object, under its name
				}
				l.refuse(p.name.span, "a parameter of an initialisation")
			}
			return r.run(in.decl.body, f, st, from(i+1))
		}
	}
	body := from(0)(st)
	for _, c := range r.obligations {
		l.refuse(c.span, "an assertion in an initialisation")
	}
	if l.errs.Err() != nil {
		return nil
	}
	x := &execution{l: l, values: map[string]lambda{}, bound: map[string]*syntax.Expr{}}
	assigned := assignedIn(body)
	for _, n := range assigned {
		x.values[n] = x.input(n, l.byName(n).span)
	}
	x.run(body, nil)
	return x.formulas(assigned)
}

// lambda is the value of a symbol at every point.
type lambda struct {
	params []string
	body   *syntax.Expr
	span   diag.Span
}

// execution is a symbolic execution: the values of symbols as terms over inputs, and what was
// assumed.
type execution struct {
	l      *loader
	values map[string]lambda
	bound  map[string]*syntax.Expr // the values of let and choose
	guards []*syntax.Expr
	inputs []input
}

// input is an arbitrary value of a symbol, or of a choice.
type input struct {
	name   string
	symbol string // whose value it is; empty for a choice
	result *syntax.SortExpr
	span   diag.Span
}

func (x *execution) input(n string, span diag.Span) lambda {
	in := input{name: fmt.Sprintf("\x00%d", len(x.inputs)), symbol: n, span: span}
	x.inputs = append(x.inputs, in)
	var v lambda
	var args []*syntax.Expr
	for i := range x.l.byName(n).arguments() {
		p := fmt.Sprintf("X%d", i+1)
		v.params = append(v.params, p)
		args = append(args, ident(p, span))
	}
	v.body, v.span = call(in.name, span, args), span
	return v
}

// at is the value at a point.
func (v lambda) at(args []*syntax.Expr) *syntax.Expr {
	m := map[string]*syntax.Expr{}
	for i, p := range v.params {
		m[p] = args[i]
	}
	return substitute(v.body, m)
}

// whole reports whether the value, which is that of one symbol, is at every point that at this
// point.
func (v lambda) whole() bool {
	return slices.EqualFunc(v.body.Args, v.params, func(a *syntax.Expr, p string) bool {
		return a.Kind == syntax.ExprName && !a.Applied && a.Name.Text == p
	})
}

// value is a term in the present state.
func (x *execution) value(e *syntax.Expr) *syntax.Expr {
	if e == nil {
		return nil
	}
	out := *e
	out.Args = nil
	for _, a := range e.Args {
		out.Args = append(out.Args, x.value(a))
	}
	if e.Kind != syntax.ExprName {
		return &out
	}
	if v, ok := x.values[e.Name.Text]; ok {
		return v.at(out.Args)
	}
	if v, ok := x.bound[e.Name.Text]; ok {
		return v
	}
	return &out
}

func (x *execution) guard(cond *syntax.Expr, path []*syntax.Expr) {
	if len(path) > 0 {
		cond = apply(syntax.ExprImplies, cond.Span, conjunction(path, cond.Span), cond)
	}
	x.guards = append(x.guards, cond)
}

// run executes statements; path are the conditions around them.
func (x *execution) run(body []syntax.Stmt, path []*syntax.Expr) {
	for _, s := range body {
		switch s := s.(type) {
		case *syntax.RequireStmt:
			x.guard(x.value(s.Cond), path)
		case *syntax.LetStmt:
			x.bound[s.Binder.Name.Text] = x.value(s.Value)
		case *syntax.ChooseStmt:
			in := input{name: s.Binder.Name.Text, result: s.Binder.Sort, span: s.Span}
			x.inputs = append(x.inputs, in)
			x.bound[in.name] = ident(in.name, s.Span)
			if s.Such != nil {
				x.guard(x.value(s.Such), path)
			}
		case *syntax.AssignStmt:
			x.assign(s)
		case *syntax.IfStmt:
			x.branch(s, path)
		}
	}
}

func (x *execution) branch(s *syntax.IfStmt, path []*syntax.Expr) {
	cond := x.value(s.Cond)
	before := maps.Clone(x.values)
	x.run(s.Then, append(slices.Clone(path), cond))
	then := x.values
	x.values = before
	x.run(s.Else, append(slices.Clone(path), apply(syntax.ExprNot, cond.Span, cond)))
	for n, b := range x.values {
		if a := then[n]; a.body != b.body {
			args := make([]*syntax.Expr, len(a.params))
			for i, p := range a.params {
				args[i] = ident(p, b.span)
			}
			x.values[n] = lambda{a.params, choice(cond, a.body, b.at(args)), s.Span}
		}
	}
}

// choice is if-then-else, or a shorter formula.
func choice(cond, a, b *syntax.Expr) *syntax.Expr {
	switch {
	case a.Kind == syntax.ExprTrue && b.Kind == syntax.ExprFalse:
		return cond
	case a.Kind == syntax.ExprTrue:
		return apply(syntax.ExprOr, cond.Span, cond, b)
	case a.Kind == syntax.ExprFalse:
		return apply(syntax.ExprAnd, cond.Span, apply(syntax.ExprNot, cond.Span, cond), b)
	}
	return apply(syntax.ExprIf, cond.Span, cond, a, b)
}

func (x *execution) assign(s *syntax.AssignStmt) {
	n := s.Target.Name.Text
	before := x.values[n]
	value := (*syntax.Expr)(nil)
	next := lambda{params: before.params, span: s.Span}
	if s.Value == nil {
		value = x.input(n, s.Span).body
		if !s.Target.Applied {
			x.values[n] = lambda{before.params, value, s.Span}
			return
		}
	}
	// A letter of the target is the parameter in its place; any other argument is a condition.
	m := map[string]*syntax.Expr{}
	var conds []*syntax.Expr
	for i, a := range s.Target.Args {
		p := ident(before.params[i], s.Span)
		if a.Kind == syntax.ExprName && !a.Applied && a.Name.Text[0] >= 'A' &&
			a.Name.Text[0] <= 'Z' && x.bound[a.Name.Text] == nil {
			m[a.Name.Text] = p
			continue
		}
		conds = append(conds, apply(syntax.ExprEq, a.Span, p, x.value(a)))
	}
	if value == nil {
		value = substitute(x.value(s.Value), m)
	}
	next.body = value
	if len(conds) > 0 {
		next.body = choice(conjunction(conds, s.Span), value, before.body)
	}
	x.values[n] = next
}

// formulas says what the values are. An input that is the whole value of a symbol is that symbol:
// nothing is said of it but by the guards. Another input is an immutable symbol of its own.
func (x *execution) formulas(assigned []string) []syntax.Decl {
	names := map[string]string{} // of inputs
	var said []string            // the symbols whose values formulas say
	for _, n := range assigned {
		if in := x.values[n].body.Name.Text; x.untouched(n) && names[in] == "" {
			names[in] = n
		} else {
			said = append(said, n)
		}
	}
	out := x.declareInputs(names, assigned)
	final := func(e *syntax.Expr) *syntax.Expr {
		return replaced(e, func(e *syntax.Expr) {
			if n := names[e.Name.Text]; e.Kind == syntax.ExprName && n != "" {
				e.Name.Text = n
			}
		})
	}
	for _, g := range x.guards {
		out = append(out, x.l.initially(final(g), g.Span))
	}
	for _, n := range said {
		out = append(out, x.l.initially(x.equation(n, final), x.values[n].span))
	}
	return out
}

// untouched reports whether the value of a symbol is one of its inputs at every point.
func (x *execution) untouched(n string) bool {
	v := x.values[n]
	return v.whole() && slices.ContainsFunc(x.inputs, func(i input) bool {
		return i.symbol == n && i.name == v.body.Name.Text
	})
}

// declareInputs names the inputs that have no name yet and that guards or values use, and declares
// them.
func (x *execution) declareInputs(names map[string]string, assigned []string) (out []syntax.Decl) {
	used := map[string]bool{}
	note := func(e *syntax.Expr) {
		if e.Kind == syntax.ExprName {
			used[e.Name.Text] = true
		}
	}
	for _, g := range x.guards {
		walk(g, note)
	}
	for _, n := range assigned {
		walk(x.values[n].body, note)
	}
	for _, in := range x.inputs {
		if names[in.name] != "" || !used[in.name] {
			continue
		}
		d := &syntax.SymbolDecl{Span: in.span, Word: "constant", Result: in.result}
		wanted := in.name
		if in.symbol != "" {
			s := x.l.byName(in.symbol)
			wanted = in.symbol
			for _, a := range s.arguments() {
				d.Args = append(d.Args, x.l.sortExpr(a.root().sort, in.span))
			}
			d.Result = x.l.sortExpr(s.result.root().sort, in.span)
			if len(d.Args) > 0 {
				d.Word = "function"
			}
		}
		if d.Result.Name == "bool" {
			d.Word, d.Result = "relation", nil
		}
		names[in.name] = x.l.unique("initial_" + wanted)
		d.Name = syntax.Name{Text: names[in.name], Span: in.span}
		out = append(out, d)
	}
	return out
}

// equation says what the value of a symbol is at every point.
func (x *execution) equation(n string, final func(*syntax.Expr) *syntax.Expr) *syntax.Expr {
	s, v := x.l.byName(n), x.values[n]
	w := &writer{l: x.l, vars: map[*variable]*syntax.Expr{}, taken: map[string]bool{}}
	vars, _ := s.point()
	return w.quantified(opForall, vars, v.span, func() *syntax.Expr {
		var args []*syntax.Expr
		for _, y := range vars {
			args = append(args, w.vars[y])
		}
		left, right := call(n, v.span, args), final(v.at(args))
		switch {
		case right.Kind == syntax.ExprTrue:
			return left
		case right.Kind == syntax.ExprFalse:
			return apply(syntax.ExprNot, v.span, left)
		case s.result.root().sort.kind == sortBool:
			return apply(syntax.ExprIff, v.span, left, right)
		}
		return apply(syntax.ExprEq, v.span, left, right)
	})
}

// initially states a formula: of the initial states if it has a symbol that steps change.
func (l *loader) initially(e *syntax.Expr, span diag.Span) syntax.Decl {
	word := "axiom"
	walk(e, func(e *syntax.Expr) {
		if e.Kind == syntax.ExprName && slices.ContainsFunc(l.symbols, func(s *symbol) bool {
			return s.assigned && l.symbolName(s) == e.Name.Text
		}) {
			word = "init"
		}
	})
	return &syntax.FormulaDecl{Span: span, Word: word, Expr: e}
}

// walk visits every part of a term.
func walk(e *syntax.Expr, f func(*syntax.Expr)) {
	f(e)
	for _, a := range e.Args {
		walk(a, f)
	}
}

// replaced is a copy of a term in which f has changed every part.
func replaced(e *syntax.Expr, f func(*syntax.Expr)) *syntax.Expr {
	out := *e
	out.Args = nil
	for _, a := range e.Args {
		out.Args = append(out.Args, replaced(a, f))
	}
	f(&out)
	return &out
}

// substitute puts terms in the place of names without arguments. Variables that are bound within
// get other names where a term would be captured.
func substitute(e *syntax.Expr, m map[string]*syntax.Expr) *syntax.Expr {
	if len(m) == 0 {
		return e
	}
	if e.Kind == syntax.ExprName && !e.Applied {
		if x := m[e.Name.Text]; x != nil {
			return x
		}
		return e
	}
	out := *e
	if len(e.Binders) > 0 {
		names := map[string]bool{}
		for _, x := range m {
			walk(x, func(e *syntax.Expr) { names[e.Name.Text] = true })
		}
		walk(e, func(e *syntax.Expr) {
			names[e.Name.Text] = names[e.Name.Text] || e.Kind == syntax.ExprName
		})
		m = maps.Clone(m)
		out.Binders = nil
		for _, b := range e.Binders {
			c := *b
			delete(m, b.Name.Text)
			captures := false
			for _, x := range m {
				walk(x, func(e *syntax.Expr) {
					captures = captures || e.Kind == syntax.ExprName && e.Name.Text == b.Name.Text
				})
			}
			if captures {
				for i := 1; names[c.Name.Text]; i++ {
					c.Name.Text = fmt.Sprintf("%s_%d", b.Name.Text, i)
				}
				names[c.Name.Text] = true
				m[b.Name.Text] = ident(c.Name.Text, b.Name.Span)
			}
			out.Binders = append(out.Binders, &c)
		}
	}
	out.Args = nil
	for _, a := range e.Args {
		out.Args = append(out.Args, substitute(a, m))
	}
	return &out
}
