package check

import (
	"slices"

	"erelong.dev/erelong/internal/diag"
	"erelong.dev/erelong/internal/front/ere/syntax"
	"erelong.dev/erelong/internal/logic"
	"erelong.dev/erelong/internal/system"
)

// buildActions makes the actions of the system, in the order of the file, each with both
// renderings.
func (c *checker) buildActions() {
	for _, d := range c.file.Decls {
		if c.ctx.Err() != nil {
			return
		}
		if def := c.action[d]; def != nil {
			c.ready(def, d.Pos())
		}
	}
	for _, u := range c.unconstrained {
		c.checkConstrained(u)
	}
	byName := map[string]*system.Action{}
	for _, a := range c.sys.Actions {
		byName[a.Name] = a
	}
	c.sys.Actions = nil
	for _, d := range c.file.Decls {
		if def := c.action[d]; def != nil && byName[def.name] != nil {
			c.sys.Actions = append(c.sys.Actions, byName[def.name])
			delete(byName, def.name)
		}
	}
}

// unconstrained is a symbol that a transition modifies, and that the transition's formula does not
// mention in the state after.
type unconstrained struct {
	term   *logic.Term
	symbol *logic.Symbol
	span   diag.Span
}

// checkConstrained asks whether the formula constrains the new value through a derived relation. It
// runs after the definitions of all derived relations are known.
func (c *checker) checkConstrained(u unconstrained) {
	seen := map[*logic.Symbol]bool{}
	var mentions func(t *logic.Term, step int) bool
	mentions = func(t *logic.Term, step int) (found bool) {
		logic.Walk(t, func(t *logic.Term) bool {
			if found || t.Op != logic.OpApp || t.Step != step {
				return !found
			}
			if t.Symbol == u.symbol {
				found = true
			} else if d := c.sys.DerivedOf(t.Symbol); t.Symbol.Derived && d != nil &&
				!seen[t.Symbol] {
				seen[t.Symbol] = true
				found = mentions(d.Axiom, logic.Pre)
			}
			return !found
		})
		return found
	}
	switch n := u.symbol.Notation; {
	case mentions(u.term, logic.Post), impossible(u.term):
	case n != nil:
		vars := make([]*logic.Var, len(u.symbol.Args))
		for i, sort := range u.symbol.Args {
			vars[i] = &logic.Var{Name: string(rune('A' + i)), Sort: sort}
		}
		c.errs.Errorf(diag.Unconstrained, u.span, "'%s' is listed under modifies, but nothing is "+
			"said of the new value of %s, so any would do", n.Name,
			logic.App(u.symbol, logic.Pre, logic.Refs(vars)...)).
			Suggest("Say what it is afterwards; if any value is meant, mention it in a conjunct "+
				"that is always true, such as new(%s) = new(%s).", n.Name, n.Name)
	default:
		c.errs.Errorf(diag.Unconstrained, u.span,
			"'%s' is listed under modifies, but nothing is said of its new value, so any would do",
			u.symbol.Name).
			Suggest("Drop %s from modifies; if any value is meant, mention it in a conjunct "+
				"that is always true.", u.symbol.Name)
	}
}

// impossible reports whether a formula is seen to be false. A transition that has no step leaves
// nothing open; and what package flat simplifies may mention less than the file does.
func impossible(t *logic.Term) bool {
	switch t.Op {
	case logic.OpAnd, logic.OpExists:
		return slices.ContainsFunc(t.Args, impossible)
	}
	return t.IsFalse()
}

// buildDefinition elaborates a definition. A transition also becomes an action.
func (c *checker) buildDefinition(d *syntax.DefinitionDecl, def *definition) {
	e := c.elaborator(d.States)
	e.owner = d.Name.Text
	modifies := c.modified(d)
	if n := len(d.Modifies); n > 0 {
		e.listed = d.Modifies[n-1].Span
	}
	if d.Transition || len(d.Modifies) > 0 {
		e.modifies = map[*logic.Symbol]bool{}
		for _, s := range modifies {
			e.modifies[s] = true
		}
	}
	before := len(c.errs.All)
	def.params = e.enter(d.Params)
	fairIf := e.fairIf(d.FairIf)
	term := e.closed(d.Expr, logic.Bool, "the body of a definition is a formula")
	for _, v := range def.params {
		e.pend = append(e.pend, &logic.Term{Op: logic.OpVar, Var: v})
	}
	e.finish()
	def.term, def.reads = term, e.reads
	if !d.Transition || len(c.errs.All) > before {
		return
	}
	for i, s := range modifies {
		if !logic.Occurs(term, s, logic.Post) {
			c.unconstrained = append(c.unconstrained, unconstrained{term, s, d.Modifies[i].Span})
		}
	}
	a := &system.Action{
		Name: d.Name.Text, Params: def.params, Fairness: fairness(d.Fairness), FairIf: fairIf,
		Modifies: modifies, Span: d.Span,
	}
	if c.errs.Err() == nil {
		a.Relation = system.Solve(c.sys, a, c.share(term))
		if err := system.CodeOf(c.sys, a); err != nil {
			c.errs.Errorf(diag.Unsupported, d.Span,
				"this transition cannot be carried out step by step: %v", err)
		}
	}
	c.sys.Actions = append(c.sys.Actions, a)
}

func (c *checker) modified(d *syntax.DefinitionDecl) (out []*logic.Symbol) {
	seen := map[string]bool{}
	for _, m := range d.Modifies {
		g := c.globals[m.Text]
		switch {
		case g == nil || g.symbol == nil:
			var names []string
			for _, s := range c.sys.Symbols {
				if s.Mutable && !s.Derived {
					names = append(names, s.Name)
				}
			}
			e := c.errs.Errorf(diag.UnresolvedName, m.Span,
				"there is no relation, constant or function '%s'", m.Text)
			if near := diag.Closest(m.Text, names); near != "" {
				e.DidYouMean(near)
			} else {
				e.Suggest("Declare it, as in mutable relation %s(SORT).", m.Text)
			}
		case !g.symbol.Mutable:
			c.errs.Errorf(diag.ImmutableTarget, m.Span,
				"'%s' is immutable, so it cannot be listed under modifies", m.Text).
				Because(g.span, "it is declared here").Suggest("Declare it mutable.")
		case g.symbol.Derived:
			c.errs.Errorf(diag.DerivedTarget, m.Span, "'%s' is derived, so it changes by itself",
				m.Text).
				Because(g.span, "it is declared here").Suggest("Drop it from modifies.")
		case seen[m.Text]:
			c.errs.Errorf(diag.Duplicate, m.Span, "'%s' is listed twice under modifies", m.Text)
		default:
			seen[m.Text] = true
			out = append(out, g.symbol)
		}
	}
	return out
}

// buildAction elaborates an imperative action.
func (c *checker) buildAction(d *syntax.ActionDecl, def *definition) {
	before := len(c.errs.All)
	e := c.elaborator(2)
	e.action, e.step, e.owner = true, logic.Post, d.Name.Text
	a := &system.Action{
		Name: d.Name.Text, Fairness: fairness(d.Fairness), Imperative: true, Span: d.Span,
	}
	a.Params = e.enter(d.Params)
	a.FairIf = e.fairIf(d.FairIf)
	a.Code = e.block(d.Body)
	for _, v := range a.Params {
		e.pend = append(e.pend, &logic.Term{Op: logic.OpVar, Var: v})
	}
	e.finish()
	e.settleCode(a.Code)
	def.params = a.Params
	c.sys.Actions = append(c.sys.Actions, a)
	if len(c.errs.All) > before || c.errs.Err() != nil {
		return
	}
	a.Modifies = system.Assigned(a.Code)
	if c.shareCode(a.Code); c.errs.Err() != nil {
		return
	}
	if err := system.RelationOf(c.ctx, c.sys, a); err != nil {
		c.errs.Errorf(diag.Unsupported, d.Span, "this action has no formula: %v", err)
		return
	}
	if len(a.Relation.Inputs) == 0 {
		def.term = a.Relation.Formula()
	}
}

// fairIf elaborates the condition under which an action is fair, about the state before the step.
func (e *elaborator) fairIf(x *syntax.Expr) *logic.Term {
	if x == nil {
		return nil
	}
	of := *e
	of.states, of.action, of.modifies = 1, false, nil
	of.step, of.reads = of.base(), map[*logic.Symbol][]diag.Span{}
	t := of.closed(x, logic.Bool, "the condition of fairness is a formula")
	e.pend, e.implied, e.failed = of.pend, of.implied, of.failed
	return t
}

// settleCode fixes the sort of every variable that the code binds.
func (e *elaborator) settleCode(code []system.Stmt) {
	for _, s := range code {
		switch s := s.(type) {
		case system.Choose:
			e.settle(s.Var)
		case system.Let:
			e.settle(s.Var)
		case system.If:
			e.settleCode(s.Then)
			e.settleCode(s.Else)
		}
	}
}

// block elaborates statements. A variable that they bind is in scope up to the end of the block.
func (e *elaborator) block(stmts []syntax.Stmt) (out []system.Stmt) {
	depth := len(e.scope)
	defer func() { e.scope = e.scope[:depth] }()
	for _, s := range stmts {
		switch s := s.(type) {
		case *syntax.RequireStmt:
			cond := e.closed(s.Cond, logic.Bool, "a condition is a formula")
			out = append(out, system.Require{Cond: roomFor(e.c.sys, s.Room, cond), Span: s.Span})
		case *syntax.IfStmt:
			cond := e.closed(s.Cond, logic.Bool, "the condition of 'if' is a formula")
			out = append(out,
				system.If{Cond: cond, Then: e.block(s.Then), Else: e.block(s.Else), Span: s.Span})
		case *syntax.LetStmt:
			noFree := e.noFree
			e.noFree = "the value of a variable is no formula of its own, around which a " +
				"quantifier could stand; write forall"
			value, sort := e.expr(s.Value)
			e.noFree = noFree
			v := e.enter([]*syntax.Binder{s.Binder})[0]
			if !join(e.cells[v], sort) {
				e.c.errs.Errorf(diag.SortMismatch, s.Value.Span,
					"this has sort %s, but '%s' has sort %s",
					sort.root().sort, v.Name, e.cells[v].root().sort).Because(s.Binder.Name.Span,
					"it is declared here")
			}
			out = append(out, system.Let{Var: v, Value: value, Span: s.Span})
		case *syntax.ChooseStmt:
			inner := len(e.scope)
			v := e.enter([]*syntax.Binder{s.Binder})[0]
			such := logic.True
			if s.Such != nil {
				such = e.closed(s.Such, logic.Bool, "what follows 'with' is a formula")
			}
			out = append(out, system.Choose{Var: v, Such: such, Span: s.Span})
			if s.Block {
				out = append(out, e.block(s.Body)...)
				e.scope = e.scope[:inner]
			}
		case *syntax.AssignStmt:
			if stmt := e.assign(s); stmt != nil {
				out = append(out, stmt)
			}
		case *syntax.TogetherStmt:
			var all system.Assign
			for _, a := range s.Assigns {
				if stmt, ok := e.assign(a).(system.Assign); ok {
					all.Updates = append(all.Updates, stmt.Updates...)
				}
			}
			out = append(out, all)
		}
	}
	return out
}

// assign elaborates an assignment. In f(C, t) := e a capital letter that is a whole argument stands
// for every value of that argument's sort; all points are assigned at once, from the values before
// the statement.
func (e *elaborator) assign(s *syntax.AssignStmt) system.Stmt {
	target := s.Target
	sym := e.target(target, s.Value == nil)
	if sym == nil {
		return nil
	}
	depth := len(e.scope)
	defer func() { e.scope = e.scope[:depth] }()
	noFree := e.noFree
	defer func() { e.noFree = noFree }()

	var vars []*logic.Var
	args := make([]*logic.Term, len(sym.Args))
	whole := !target.Applied && s.Value == nil // r := * is about all points
	for i := range sym.Args {
		if !whole && !e.isPointVariable(target.Args[i]) {
			continue
		}
		name := syntax.Name{Text: "X", Span: target.Span}
		if !whole {
			name = target.Args[i].Name
		}
		v := &logic.Var{Name: name.Text, Sort: sym.Args[i], Span: name.Span}
		for _, w := range vars {
			if !whole && w.Name == v.Name {
				e.c.errs.Errorf(diag.PointVariable, v.Span,
					"'%s' stands for every value of two arguments", v.Name).
					Because(w.Span, "it is used here already").
					Suggest("Use two letters, and if only equal ones are meant, an if-then-else " +
						"on the right.")
			}
		}
		e.cells[v] = &cell{sort: v.Sort.Base(), why: v.Span}
		vars = append(vars, v)
		e.c.variables = append(e.c.variables, v)
		args[i] = logic.Ref(v)
	}
	e.noFree = "in an assignment a capital letter stands for every value only when it is itself " +
		"an argument of the target"
	for i := range sym.Args {
		if args[i] == nil {
			want := &cell{sort: sym.Args[i].Base(), why: sym.Span}
			args[i] = e.expect(target.Args[i], want,
				"the arguments of '"+sym.Name+"' are declared here")
		}
	}
	if s.Value == nil {
		return system.Havoc{Symbol: sym, Vars: vars, Args: args, Span: s.Span}
	}
	e.scope = append(e.scope, vars...)
	value := e.expect(s.Value, &cell{sort: sym.Result.Base(), why: sym.Span},
		"'"+sym.Name+"' is declared here")
	return system.Assign{Updates: []system.Update{{Symbol: sym, Vars: vars, Args: args,
		Value: value, Span: s.Span}}}
}

// isPointVariable reports whether an argument of a target is a capital letter that stands for every
// value.
func (e *elaborator) isPointVariable(x *syntax.Expr) bool {
	return x.Kind == syntax.ExprName && !x.Applied && x.Primes == 0 &&
		syntax.IsCapital(x.Name.Text) &&
		e.lookup(x.Name.Text) == nil && e.c.globals[x.Name.Text] == nil
}

// target finds the assigned symbol, nil after an error. With whole set its arguments may be left
// out.
func (e *elaborator) target(x *syntax.Expr, whole bool) *logic.Symbol {
	g := e.c.globals[x.Name.Text]
	fail := func(code diag.Code, format string, args ...any) *diag.Diagnostic {
		return e.c.errs.Errorf(code, x.Span, format, args...)
	}
	switch {
	case x.Kind != syntax.ExprName || x.Primes > 0:
		fail(diag.NotATarget,
			"this cannot be assigned to").Suggest("The target of ':=' is a mutable symbol, or a " +
			"point f(a, b) of one.")
	case g == nil && e.lookup(x.Name.Text) != nil:
		fail(diag.NotATarget, "'%s' is a variable; only mutable symbols can be assigned to",
			x.Name.Text)
	case g == nil:
		var names []string
		for n := range e.c.globals {
			names = append(names, n)
		}
		d := fail(diag.UnresolvedName, "'%s' is not declared", x.Name.Text)
		if near := diag.Closest(x.Name.Text, names); near != "" {
			d.DidYouMean(near)
		}
	case g.symbol == nil:
		fail(diag.NotATarget, "'%s' is a %s; only mutable symbols can be assigned to", x.Name.Text,
			g.what())
	case !g.symbol.Mutable:
		fail(diag.ImmutableTarget, "'%s' is immutable", x.Name.Text).Because(g.span,
			"it is declared here").Suggest("Declare it mutable.")
	case g.symbol.Derived:
		fail(diag.DerivedTarget, "'%s' is derived, so it changes by itself",
			x.Name.Text).Because(g.span, "it is declared here")
	case g.symbol.Result == nil:
	case (x.Applied || !whole) && len(x.Args) != len(g.symbol.Args):
		e.c.wrongArguments(x.Span, x.Name.Text, len(x.Args), g.span, sortNames(g.symbol.Args),
			"a value")
	default:
		return g.symbol
	}
	return nil
}
