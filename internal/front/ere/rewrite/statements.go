package rewrite

import (
	"slices"
	"strings"

	"erelong.dev/erelong/internal/front/ere/names"
	"erelong.dev/erelong/internal/front/ere/syntax"
	"erelong.dev/erelong/internal/logic"
)

// statement gives another text of the first statements of a block, and how many they are; none
// where the first one stays.
type statement func(body []syntax.Stmt) (text string, n int)

// statements makes a rewrite of the statements of actions.
func statements(name string, f func(*source) statement) Rewrite {
	return Rewrite{Name: name, Keeps: States, apply: func(s *source) error {
		change := f(s)
		for _, d := range s.actions() {
			if text := s.body(d.Body, change); text != s.body(d.Body, nil) {
				s.replace(d.Span, s.action(d, d.Name.Text, s.binders(d.Params), text))
			}
		}
		return nil
	}}
}

func (s *source) actions() (out []*syntax.ActionDecl) {
	for _, d := range s.file.Decls {
		if a, ok := d.(*syntax.ActionDecl); ok {
			out = append(out, a)
		}
	}
	return out
}

// action is the text of an action.
func (s *source) action(d *syntax.ActionDecl, name, params, code string) string {
	head := "action " + name + "(" + params + ")"
	switch {
	case d.FairIf != nil:
		head += " " + d.Fairness + " if " + s.at(d.FairIf.Span)
	case d.Fairness != "":
		head = d.Fairness + " " + head
	}
	return head + " {" + code + "\n}"
}

// body is the text of statements, some of them changed.
func (s *source) body(code []syntax.Stmt, change statement) string {
	var b strings.Builder
	for i := 0; i < len(code); {
		if change != nil {
			if text, n := change(code[i:]); n > 0 {
				b.WriteString("\n  " + text)
				i += n
				continue
			}
		}
		b.WriteString("\n  " + s.statement(code[i], change))
		i++
	}
	return b.String()
}

func (s *source) statement(st syntax.Stmt, change statement) string {
	switch st := st.(type) {
	case *syntax.RequireStmt:
		return "require " + s.at(st.Cond.Span) + ";"
	case *syntax.AssignStmt:
		value := "*"
		if st.Value != nil {
			value = s.at(st.Value.Span)
		}
		return s.at(st.Target.Span) + " := " + value + ";"
	case *syntax.LetStmt:
		return "let " + s.binders([]*syntax.Binder{st.Binder}) + " = " + s.at(st.Value.Span) + ";"
	case *syntax.ChooseStmt:
		text := "choose " + s.binders([]*syntax.Binder{st.Binder})
		if st.Such != nil {
			text += " with " + s.at(st.Such.Span)
		}
		if st.Block {
			return text + " {" + s.body(st.Body, change) + "\n}"
		}
		return text + ";"
	case *syntax.IfStmt:
		return s.conditional(s.at(st.Cond.Span), s.body(st.Then, change),
			s.body(st.Else, change))
	}
	panic("rewrite: a statement without a text")
}

func (s *source) conditional(cond, then, els string) string {
	text := "if " + cond + " {" + then + "\n}"
	if els != "" {
		text += " else {" + els + "\n}"
	}
	return text
}

// closed is the text of a part of a formula, with a quantifier around it for its capital letters.
func (s *source) closed(part, whole *syntax.Expr) string {
	var vars []*logic.Var
	for _, v := range s.implied(whole) {
		if contains(part, func(x *syntax.Expr) bool { return s.variable(x) == v }) {
			vars = append(vars, v)
		}
	}
	if len(vars) == 0 {
		return "(" + s.at(part.Span) + ")"
	}
	return "(forall " + logic.Printer{}.Vars(vars) + ". " + s.at(part.Span) + ")"
}

// explicit is the text of a closed formula with its quantifiers written out.
func (s *source) explicit(x *syntax.Expr) string { return "(" + s.each(x) + ")" }

// each closes the conjuncts of a formula one by one, since a range may be empty.
func (s *source) each(x *syntax.Expr) string {
	return join(conjuncts(x), " & ", func(a *syntax.Expr) string { return s.closed(a, x) })
}

func conjuncts(x *syntax.Expr) []*syntax.Expr {
	if x.Kind == syntax.ExprAnd {
		return x.Args
	}
	return []*syntax.Expr{x}
}

// split states each conjunct of a guard on its own.
var split = statements("split guards", func(s *source) statement {
	return func(body []syntax.Stmt) (string, int) {
		r, ok := body[0].(*syntax.RequireStmt)
		if !ok || r.Cond.Kind != syntax.ExprAnd || !s.some() {
			return "", 0
		}
		return join(r.Cond.Args, " ", func(a *syntax.Expr) string {
			return "require " + s.closed(a, r.Cond) + ";"
		}), 1
	}
})

// joined makes one guard of guards that follow each other.
var joined = statements("joined guards", func(s *source) statement {
	return func(body []syntax.Stmt) (string, int) {
		var guards []string
		for _, st := range body {
			r, ok := st.(*syntax.RequireStmt)
			if !ok {
				break
			}
			guards = append(guards, s.explicit(r.Cond))
		}
		if len(guards) < 2 || !s.some() {
			return "", 0
		}
		return "require " + strings.Join(guards, " & ") + ";", len(guards)
	}
})

// turnedIf says if c { a } else { b } as if !c { b } else { a }.
var turnedIf = statements("turned if", func(s *source) statement {
	var change statement
	change = func(body []syntax.Stmt) (string, int) {
		i, ok := body[0].(*syntax.IfStmt)
		if !ok || !s.some() {
			return "", 0
		}
		return s.conditional("!"+s.explicit(i.Cond), s.body(i.Else, change),
			s.body(i.Then, change)), 1
	}
	return change
})

// pointwise says r(x) := v as r(X) := if X = x then v else r(X).
var pointwise = statements("pointwise", func(s *source) statement {
	return func(body []syntax.Stmt) (string, int) {
		st, ok := body[0].(*syntax.AssignStmt)
		sym := s.symbol(target(body[0]))
		if !ok || st.Value == nil || sym == nil || len(sym.Args) != 1 ||
			sym.Args[0].Kind == logic.KindRange || s.isPoint(st.Target.Args[0]) || !s.some() {
			return "", 0 // to write outside of a range is an error
		}
		x := s.fresh("X")
		return sym.Name + "(" + x + ") := if " + x + " = " + s.at(st.Target.Args[0].Span) +
			" then (" + s.at(st.Value.Span) + ") else " + sym.Name + "(" + x + ");", 1
	}
})

// target is the target of an assignment; of another statement it is no symbol.
func target(st syntax.Stmt) *syntax.Expr {
	if a, ok := st.(*syntax.AssignStmt); ok {
		return a.Target
	}
	return &syntax.Expr{Kind: syntax.ExprTrue}
}

// isPoint reports whether an argument of a target stands for every value.
func (s *source) isPoint(x *syntax.Expr) bool {
	d := s.declarationOf(x)
	return d != nil && d.Kind == names.Point
}

// swapped changes the order of statements of which neither reads what the other writes.
var swapped = statements("swapped", func(s *source) statement {
	return func(body []syntax.Stmt) (string, int) {
		if len(body) < 2 || !s.some() {
			return "", 0
		}
		a, b := body[0], body[1]
		if !s.independent(a, b) || !s.independent(b, a) {
			return "", 0
		}
		return s.statement(b, nil) + "\n  " + s.statement(a, nil), 2
	}
})

// independent reports whether two assignments or guards can change places: neither can be an error,
// and the second reads nothing that the first writes.
func (s *source) independent(a, b syntax.Stmt) bool {
	parts := func(st syntax.Stmt) (writes *logic.Symbol, reads []*syntax.Expr, ok bool) {
		switch st := st.(type) {
		case *syntax.RequireStmt:
			return nil, []*syntax.Expr{st.Cond}, s.total(st.Cond)
		case *syntax.AssignStmt:
			reads := slices.Clone(st.Target.Args)
			if st.Value != nil {
				reads = append(reads, st.Value)
			}
			return s.symbol(st.Target), reads, s.total(st.Target) && st.Value != nil &&
				s.total(st.Value)
		}
		return nil, nil, false
	}
	w, _, ok := parts(a)
	v, reads, fine := parts(b)
	if !ok || !fine || w != nil && w == v {
		return false
	}
	return w == nil || !slices.ContainsFunc(reads, func(x *syntax.Expr) bool {
		return contains(x, func(x *syntax.Expr) bool {
			return s.symbol(x) == w || s.definition(x) != nil || derived(s.symbol(x))
		})
	})
}

func derived(sym *logic.Symbol) bool { return sym != nil && sym.Derived }
