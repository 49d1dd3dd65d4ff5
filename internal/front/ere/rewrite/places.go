package rewrite

import (
	"cmp"
	"slices"
	"strings"

	"erelong.dev/erelong/internal/front/ere/names"
	"erelong.dev/erelong/internal/front/ere/syntax"
	"erelong.dev/erelong/internal/logic"
)

// place is an expression that is not a part of another one.
type place struct {
	x      *syntax.Expr
	closed bool // capital letters without a quantifier stand for every value
	target bool // of an assignment: a symbol, and the point
	decl   syntax.Decl
}

// collect finds the places of a text.
func (s *source) collect() {
	for _, d := range s.file.Decls {
		s.declaration(d)
	}
}

func (s *source) add(d syntax.Decl, x *syntax.Expr, closed bool) {
	if x != nil {
		s.places = append(s.places, place{x: x, closed: closed, decl: d})
	}
}

func (s *source) declaration(d syntax.Decl) {
	switch d := d.(type) {
	case *syntax.SymbolDecl:
		if d.Derived != nil {
			s.keepForm(d.Derived)
			s.add(d, d.Derived, true)
		}
	case *syntax.FormulaDecl:
		s.add(d, d.Expr, true)
	case *syntax.DefinitionDecl:
		s.add(d, d.FairIf, true)
		s.add(d, d.Expr, true)
	case *syntax.ActionDecl:
		s.add(d, d.FairIf, true)
		s.block(d, d.Body)
	case *syntax.TraceDecl:
		for _, c := range d.Components {
			s.add(d, c.Assert, true)
			for _, call := range c.Calls {
				for _, a := range call.Args {
					s.add(d, a, false)
				}
			}
		}
	case *syntax.RankDecl:
		for _, item := range d.Items {
			if item.Word == "bound" {
				s.fixed[item.Expr] = true
			}
			for _, x := range item.Args {
				s.add(d, x, false)
			}
			s.add(d, item.Expr, false)
		}
	}
}

// keepForm fixes what makes a derived relation one that has a definition.
func (s *source) keepForm(x *syntax.Expr) {
	s.fixed[x] = true
	if x.Kind == syntax.ExprForall {
		s.keepForm(x.Args[0])
	}
	if x.Kind == syntax.ExprIff || x.Kind == syntax.ExprEq {
		s.fixed[x.Args[0]] = true
	}
}

func (s *source) block(d syntax.Decl, body []syntax.Stmt) {
	for _, st := range body {
		switch st := st.(type) {
		case *syntax.RequireStmt:
			s.add(d, st.Cond, true)
		case *syntax.IfStmt:
			s.add(d, st.Cond, true)
			s.block(d, st.Then)
			s.block(d, st.Else)
		case *syntax.LetStmt:
			s.add(d, st.Value, false)
		case *syntax.ChooseStmt:
			s.add(d, st.Such, true)
			s.block(d, st.Body)
		case *syntax.AssignStmt:
			s.places = append(s.places, place{x: st.Target, target: true, decl: d})
			s.add(d, st.Value, false)
		}
	}
}

// change gives the new text of an expression, from the texts of its parts; ok is false where the
// expression stays.
type change func(x *syntax.Expr, show func(*syntax.Expr) string) (text string, ok bool)

// formulas changes expressions where only their meaning counts: not the temporal part of a
// property, and not what keeps its form.
func (s *source) formulas(c change) {
	for _, p := range s.places {
		if p.target {
			continue
		}
		s.edit(p, func(x *syntax.Expr, show func(*syntax.Expr) string) (string, bool) {
			if s.fixed[x] || temporal(x) || !s.some() {
				return "", false
			}
			return c(x, show)
		})
	}
}

func (s *source) edit(p place, c change) {
	changed := false
	counting := func(x *syntax.Expr, show func(*syntax.Expr) string) (string, bool) {
		text, ok := c(x, show)
		changed = changed || ok
		return text, ok
	}
	if text := s.show(p.x, counting); changed {
		s.replace(p.x.Span, text)
	}
}

// show gives the text of an expression after a change.
func (s *source) show(x *syntax.Expr, c change) string {
	show := func(x *syntax.Expr) string { return s.show(x, c) }
	if text, ok := c(x, show); ok {
		return "(" + text + ")"
	}
	return s.inner(x, show)
}

// inner is the text of an expression with the given texts of its parts.
func (s *source) inner(x *syntax.Expr, show func(*syntax.Expr) string) string {
	parts := slices.Clone(x.Args)
	slices.SortFunc(parts, func(a, b *syntax.Expr) int {
		return cmp.Compare(a.Span.Start, b.Span.Start)
	})
	var b strings.Builder
	at := x.Span.Start
	for _, a := range parts {
		b.WriteString(s.file.Source.Text[at:a.Span.Start])
		b.WriteString(show(a))
		at = a.Span.End
	}
	return b.String() + s.file.Source.Text[at:x.Span.End]
}

// temporal reports whether a temporal operator occurs.
func temporal(x *syntax.Expr) bool {
	return x.Kind >= syntax.ExprAlways || slices.ContainsFunc(x.Args, temporal)
}

// contains reports whether an expression has a part of a kind.
func contains(x *syntax.Expr, is func(*syntax.Expr) bool) bool {
	return is(x) || slices.ContainsFunc(x.Args, func(a *syntax.Expr) bool {
		return contains(a, is)
	})
}

// twoStates reports whether an expression speaks of another state than that of its place.
func twoStates(x *syntax.Expr) bool {
	return contains(x, func(x *syntax.Expr) bool {
		return x.Primes > 0 || x.Kind == syntax.ExprNew || x.Kind == syntax.ExprOld
	})
}

// implied are the capital letters that stand for every value around an expression.
func (s *source) implied(x *syntax.Expr) (out []*logic.Var) {
	for _, d := range s.table.Declarations {
		if d.Kind == names.Implied && d.Scope == x.Span {
			if v := s.variables[d.Name.Span.Start]; v != nil {
				out = append(out, v)
			}
		}
	}
	return out
}

// declarationOf is what a name stands for, nil for another expression.
func (s *source) declarationOf(x *syntax.Expr) *names.Declaration {
	if x.Kind != syntax.ExprName {
		return nil
	}
	return s.of[x.Name.Span.Start]
}

// symbol is what an expression applies, nil if that is no symbol.
func (s *source) symbol(x *syntax.Expr) *logic.Symbol {
	d := s.declarationOf(x)
	if d == nil || d.Symbol() == nil {
		return nil
	}
	return s.symbolOf(d.Symbol())
}

func (s *source) symbolOf(d *syntax.SymbolDecl) *logic.Symbol {
	i := slices.IndexFunc(s.sys.Symbols, func(x *logic.Symbol) bool {
		return x.Name == d.Name.Text
	})
	if i < 0 {
		return nil
	}
	return s.sys.Symbols[i]
}

// variable is the variable that an expression is, nil for another one.
func (s *source) variable(x *syntax.Expr) *logic.Var {
	if d := s.declarationOf(x); d != nil && d.Local() {
		return s.variables[d.Name.Span.Start]
	}
	return nil
}

// definition is the definition that an expression calls, nil for another one.
func (s *source) definition(x *syntax.Expr) *syntax.DefinitionDecl {
	if d := s.declarationOf(x); d != nil && d.Kind == names.Definition {
		return d.Node.(*syntax.DefinitionDecl)
	}
	return nil
}

// integer and boolean report what sort an expression has, as far as can be seen.
func (s *source) integer(x *syntax.Expr) bool { return s.sort(x) == logic.Int }
func (s *source) boolean(x *syntax.Expr) bool { return s.sort(x) == logic.Bool }

// sort is the sort of an expression, nil where it cannot be seen.
func (s *source) sort(x *syntax.Expr) *logic.Sort {
	switch x.Kind {
	case syntax.ExprInt, syntax.ExprNeg, syntax.ExprAdd, syntax.ExprSub, syntax.ExprMul,
		syntax.ExprDiv, syntax.ExprMod:
		return logic.Int
	case syntax.ExprNew, syntax.ExprOld:
		return s.sort(x.Args[0])
	case syntax.ExprIf, syntax.ExprLet:
		return s.sort(x.Args[len(x.Args)-1])
	case syntax.ExprName:
		if v := s.variable(x); v != nil {
			return v.Sort.Base()
		}
		if sym := s.symbol(x); sym != nil {
			return sym.Result.Base()
		}
		if s.definition(x) != nil {
			return logic.Bool
		}
		return nil
	}
	return logic.Bool
}

// total reports whether reading an expression can be no error: it applies symbols with ranges as
// arguments to variables of these ranges only.
func (s *source) total(x *syntax.Expr) bool {
	if sym := s.symbol(x); sym != nil {
		for i, a := range x.Args {
			if i >= len(sym.Args) || sym.Args[i].Kind != logic.KindRange {
				continue
			}
			v := s.variable(a)
			if v == nil || logic.SortText(v.Sort) != logic.SortText(sym.Args[i]) {
				return false
			}
		}
	}
	if d := s.definition(x); d != nil && (len(d.Params) != len(x.Args) || !s.total(d.Expr)) {
		return false
	} else if d != nil {
		for i, b := range d.Params {
			v := s.variable(x.Args[i])
			if p := s.variables[b.Name.Span.Start]; p == nil || p.Sort.Kind == logic.KindRange &&
				(v == nil || logic.SortText(v.Sort) != logic.SortText(p.Sort)) {
				return false
			}
		}
	}
	return !slices.ContainsFunc(x.Args, func(a *syntax.Expr) bool { return !s.total(a) })
}
