package derive

import (
	"slices"

	"erelong.dev/erelong/internal/diag"
	"erelong.dev/erelong/internal/front/ere/syntax"
)

// programScope checks the names in the program of a role before the program becomes actions: no
// variable hides a declaration, a capital letter stands for every value only as an argument of what
// is assigned to, and values at the start depend on no state.
type programScope struct {
	*protocolCheck
	role *role
}

func (s *programScope) check() {
	for _, v := range s.role.Vars {
		if v.Value != nil {
			s.start(v.Value)
		}
	}
	for _, h := range s.role.Handlers {
		bound := []string{}
		for _, n := range append(h.Params[:len(h.Params):len(h.Params)], h.From) {
			bound = append(bound, n.Text)
		}
		s.block(h.Body, bound)
	}
	for _, d := range s.role.Steps {
		if d.Timer != nil {
			s.expr(d.After, nil)
			s.expr(d.Timer, nil)
			s.fires(d)
		}
		if d.When != nil {
			s.expr(d.When, nil)
		}
		s.block(d.Body, nil)
	}
}

// start refuses a value at the start that depends on the state, since whoever recovers begins with
// it anew.
func (s *programScope) start(x *syntax.Expr) {
	s.expr(x, nil)
	eachName(x, func(x *syntax.Expr) {
		if of := s.p.reads(x.Name.Text, s.p.isState); of != "" {
			s.fail(x.Span, "a value at the start that depends on the state: '%s'", of).
				Suggest("It is made of constants, and of self.")
		}
	})
}

// fires refuses a step after more steps of a timer than it counts.
func (s *programScope) fires(d *syntax.StepDecl) {
	v := s.role.vars[d.Timer.Name.Text]
	if v == nil || !v.Counts() || s.bound(v.Sort) == nil {
		return // it is reported elsewhere
	}
	most := s.bound(v.Sort)
	never := func(in instanceValues) bool {
		n, m := in.value(d.After), in.value(most)
		return n != nil && m != nil && n.Cmp(m) > 0
	}
	if never(instanceValues{}) {
		s.fail(d.After.Span, "this never happens: '%s' stops at %s", v.Name.Text,
			most.Span.Text()).
			Because(v.Span, "it is declared here").
			Suggest("Let it count as far: %s %s: 0..%s", v.Word(), v.Name.Text,
				d.After.Span.Text())
		return
	}
	for _, in := range s.instances() {
		if never(in) {
			s.errs.Warnf(diag.NoEffect, in.Name.Span,
				"in '%s' the step after %s of %s never happens: the %s stops at %s",
				in.Name.Text, d.After.Span.Text(), v.Name.Text, v.Word(), most.Span.Text()).
				Because(d.Span, "the step is here")
		}
	}
}

// bind gives the variables in scope with one more, which must not hide anything.
func (s *programScope) bind(n syntax.Name, bound []string) []string {
	if n.Text == "_" {
		return bound
	}
	before, hides := s.seen[n.Text]
	if hides = hides || n.Text == selfWord || slices.Contains(bound, n.Text); hides {
		d := s.errs.Errorf(diag.Shadowing, n.Span,
			"'%s' is already declared, and a variable must not hide it", n.Text).
			Suggest("Give this another name.")
		if !before.IsZero() {
			d.Because(before, "it is declared here")
		}
	}
	return append(bound[:len(bound):len(bound)], n.Text)
}

func (s *programScope) block(body []syntax.Stmt, bound []string) {
	for _, x := range body {
		switch x := x.(type) {
		case *syntax.AssignStmt:
			s.assign(x, bound)
		case *syntax.IfStmt:
			s.expr(x.Cond, bound)
			s.block(x.Then, bound)
			s.block(x.Else, bound)
		case *syntax.LetStmt:
			s.expr(x.Value, bound)
			bound = s.bind(x.Binder.Name, bound)
		case *syntax.MatchStmt:
			s.expr(x.Value, bound)
			for _, a := range x.Arms {
				s.block(a.Body, s.variables(a.Variables, bound))
			}
		case *syntax.ChooseStmt:
			within := s.variables([]*syntax.Binder{x.Binder}, bound)
			s.expr(x.Such, within)
			s.block(x.Body, within)
			if !x.Block {
				bound = within
			}
		case *syntax.ResetStmt:
			s.expr(x.Timer, bound)
		case *syntax.SendStmt:
			s.expr(x.To, bound)
			if x.Each != nil {
				bound := s.bind(x.Each.Name, bound)
				s.expr(x.If, bound)
				s.exprs(x.Args, bound)
			} else {
				s.exprs(x.Args, bound)
			}
			s.payload(x)
		}
	}
}

// payload refuses numbers that are outside of the ranges of what a message says.
func (s *programScope) payload(x *syntax.SendStmt) {
	m := s.p.message(x.Message.Text)
	if m == nil || len(x.Args) != len(m.Fields) {
		return // it is reported elsewhere
	}
	for i, a := range x.Args {
		of := s.p.whole(m.Fields[i].Sort)
		if of.Lo == nil || of.Hi == nil {
			continue
		}
		var fixed instanceValues
		n := fixed.value(a)
		if n == nil {
			continue
		}
		least, most := fixed.value(of.Lo), fixed.value(of.Hi)
		if least != nil && n.Cmp(least) < 0 || most != nil && n.Cmp(most) > 0 {
			s.fail(a.Span, "%s is outside of %s..%s, the range of '%s' of %s", n,
				of.Lo.Span.Text(), of.Hi.Span.Text(), m.Fields[i].Name.Text, m.Name.Text).
				Because(m.Name.Span, "the message is declared here").
				Suggest("Send a number of the range, or declare a greater one.")
		}
	}
}

// assign checks an assignment, in which a capital letter that is an argument of the target stands
// for every value.
func (s *programScope) assign(x *syntax.AssignStmt, bound []string) {
	root := changed(x.Target)
	bound = slices.Clone(bound)
	for _, a := range root.Args {
		if s.free(a, bound) {
			bound = append(bound, a.Name.Text)
		}
	}
	s.expr(x.Target, bound)
	s.expr(x.Value, bound)
}

// free reports whether an expression is a capital letter that nothing binds.
func (s *programScope) free(x *syntax.Expr, bound []string) bool {
	n := x.Name.Text
	_, known := s.seen[n]
	return x.Kind == syntax.ExprName && !x.Applied && syntax.IsCapital(n) && !known &&
		!slices.Contains(bound, n)
}

func (s *programScope) exprs(xs []*syntax.Expr, bound []string) {
	for _, x := range xs {
		s.expr(x, bound)
	}
}

func (s *programScope) variables(bs []*syntax.Binder, bound []string) []string {
	for _, b := range bs {
		s.expr(b.In, bound)
		bound = s.bind(b.Name, bound)
	}
	return bound
}

// expr checks an expression; nil is none.
func (s *programScope) expr(x *syntax.Expr, bound []string) {
	if x == nil {
		return
	}
	if s.free(x, bound) {
		s.errs.Errorf(diag.UnresolvedName, x.Span, "'%s' is not declared", x.Name.Text).
			Because(diag.Span{}, "in a protocol a capital letter stands for every value only "+
				"as an argument of what is assigned to").
			Suggest("Write forall, or exists; send to every process with send ... to all, or " +
				"send ... to every q with ...")
	}
	if x.Kind == syntax.ExprLet {
		s.expr(x.Args[0], bound)
		s.expr(x.Args[1], s.variables(x.Binders, bound))
		return
	}
	bound = s.variables(x.Binders, bound)
	s.exprs(x.Args, bound)
	for _, a := range x.Arms {
		s.expr(a.Value, s.variables(a.Variables, bound))
	}
}

// eachName visits the names in an expression that stand for declarations or variables.
func eachName(x *syntax.Expr, visit func(*syntax.Expr)) {
	if x == nil {
		return
	}
	if x.Kind == syntax.ExprName {
		visit(x)
	}
	for _, b := range x.Binders {
		eachName(b.In, visit)
	}
	for _, a := range x.Args {
		eachName(a, visit)
	}
	for _, a := range x.Arms {
		eachName(a.Value, visit)
	}
}

// mentions reports whether an expression mentions a name.
func mentions(x *syntax.Expr, n string) (found bool) {
	eachName(x, func(x *syntax.Expr) { found = found || x.Name.Text == n })
	return found
}

// reads finds what a name stands for by definitions and derived relations: a name, perhaps itself,
// with a property; empty if there is none.
func (p *protocol) reads(n string, is func(string) bool) (found string) {
	visited := map[string]bool{}
	var visit func(string)
	visit = func(n string) {
		if found != "" || visited[n] {
			return
		}
		if visited[n] = true; is(n) {
			found = n
			return
		}
		var body *syntax.Expr
		switch d := p.globals[n].(type) {
		case *syntax.DefinitionDecl:
			body = d.Expr
		case *syntax.SymbolDecl:
			body = d.Derived
		}
		eachName(body, func(x *syntax.Expr) { visit(x.Name.Text) })
	}
	visit(n)
	return found
}

// hidden reports whether a name is one that only properties mention with its process: a variable of
// processes, a message, or a word about crashes.
func (p *protocol) hidden(n string) bool {
	return p.owner(n) != nil || p.message(n) != nil || p.recorded(n) != nil || p.isWord(n)
}

// isState reports whether a name has a value in a state.
func (p *protocol) isState(n string) bool {
	d, ok := p.globals[n].(*syntax.SymbolDecl)
	return p.hidden(n) || ok && d.Mutable && d.Derived == nil
}

// isWord reports whether a name is a fact about processes that only properties mention.
func (p *protocol) isWord(n string) bool {
	return slices.ContainsFunc(p.roles, func(r *role) bool {
		return slices.ContainsFunc(append(p.faultWords(), correctWord), func(word string) bool {
			return n == p.of(word, r)
		})
	})
}
