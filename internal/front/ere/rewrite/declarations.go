package rewrite

import (
	"fmt"
	"slices"
	"strings"

	"erelong.dev/erelong/internal/diag"
	"erelong.dev/erelong/internal/front/ere/names"
	"erelong.dev/erelong/internal/front/ere/syntax"
	"erelong.dev/erelong/internal/logic"
)

// shuffled puts the declarations that satisfy a condition into another order.
func shuffled(name string, keeps Keeps, is func(syntax.Decl) bool) Rewrite {
	return Rewrite{Name: name, Keeps: keeps, data: true, apply: func(s *source) error {
		var spans []diag.Span
		for _, d := range s.file.Decls {
			switch n := len(spans); {
			case !is(d) || ofStrings(d):
			case n > 0 && spans[n-1].Start == d.Pos().Start: // a part of the same list
				spans[n-1] = d.Pos()
			default:
				spans = append(spans, d.Pos())
			}
		}
		order := slices.Clone(spans)
		slices.Reverse(order)
		if !s.all {
			s.rng.Shuffle(len(order), func(i, j int) { order[i], order[j] = order[j], order[i] })
		}
		for i, span := range spans {
			s.replace(span, s.at(order[i]))
		}
		return nil
	}}
}

// ofStrings reports whether a declaration is the one of the strings of a file, which has no place
// of its own.
func ofStrings(d syntax.Decl) bool {
	e, ok := d.(*syntax.EnumDecl)
	return ok && syntax.IsOfStrings(e)
}

func isAction(d syntax.Decl) bool {
	t, ok := d.(*syntax.DefinitionDecl)
	_, action := d.(*syntax.ActionDecl)
	return action || ok && t.Transition
}

func isClaim(d syntax.Decl) bool {
	f, ok := d.(*syntax.FormulaDecl)
	return ok && f.Word != "init" && f.Word != "axiom"
}

// Named gives a name to each property that has none: else its name is that of its line.
func Named(name, text string) (string, error) {
	s, err := read(name, text)
	if err != nil {
		return "", err
	}
	for _, d := range s.file.Decls {
		f, ok := d.(*syntax.FormulaDecl)
		if !ok || f.Name.Text != "" || !isClaim(d) {
			continue
		}
		at := f.Expr.Span
		at.End = at.Start
		s.replace(at, "["+s.fresh(f.Word+"_unnamed")+"] ")
	}
	return s.text(), nil
}

// pieces states each conjunct of invariants, axioms and initial conditions on its own.
var pieces = Rewrite{Name: "pieces", Keeps: Claims, apply: func(s *source) error {
	for _, d := range s.file.Decls {
		f, ok := d.(*syntax.FormulaDecl)
		if !ok || f.Expr.Kind != syntax.ExprAnd || !s.some() ||
			f.Word != "invariant" && f.Word != "init" && f.Word != "axiom" {
			continue
		}
		var out []string
		for i, a := range f.Expr.Args {
			label := ""
			if f.Name.Text != "" {
				label = " [" + f.Name.Text + "]"
				if i > 0 {
					label = " [" + s.fresh(fmt.Sprintf("%s_%d", f.Name.Text, i)) + "]"
				}
			}
			out = append(out, f.Word+label+" "+s.closed(a, f.Expr))
		}
		s.replace(f.Span, strings.Join(out, "\n"))
	}
	return nil
}}

// whole makes one invariant of all, and one initial condition.
var whole = Rewrite{Name: "whole", Keeps: Claims, apply: func(s *source) error {
	for _, word := range []string{"invariant", "init"} {
		var all []*syntax.FormulaDecl
		for _, d := range s.file.Decls {
			f, ok := d.(*syntax.FormulaDecl)
			if ok && f.Word == word && !s.mentioned(f) {
				all = append(all, f)
			}
		}
		if len(all) < 2 {
			continue
		}
		parts := make([]string, len(all))
		for i, f := range all {
			parts[i] = s.explicit(f.Expr)
			if i > 0 {
				s.replace(f.Span, "")
			}
		}
		label := ""
		if all[0].Name.Text != "" {
			label = " [" + all[0].Name.Text + "]"
		}
		s.replace(all[0].Span, word+label+" "+strings.Join(parts, " & "))
	}
	return nil
}}

// mentioned reports whether something else in the file names a formula.
func (s *source) mentioned(f *syntax.FormulaDecl) bool {
	return slices.ContainsFunc(s.table.Declarations, func(d *names.Declaration) bool {
		return d.Node == f && d.Kind == names.Formula && len(d.Uses) > 1
	})
}

// defined introduces a definition for each property, and for each guard.
var defined = Rewrite{Name: "defined", Keeps: States, apply: func(s *source) error {
	for _, p := range s.places {
		f, claim := p.decl.(*syntax.FormulaDecl)
		_, action := p.decl.(*syntax.ActionDecl)
		if !p.closed || twoStates(p.x) || temporal(p.x) || p.x.Kind == syntax.ExprName ||
			!action && !(claim && (f.Word == "safety" || f.Word == "invariant")) || !s.some() {
			continue
		}
		params, args := s.captured(p.x)
		name := s.fresh("said")
		call := name
		if len(args) > 0 {
			call += "(" + strings.Join(args, ", ") + ")"
		}
		s.replace(p.x.Span, call)
		at := p.decl.Pos()
		at.End = at.Start
		s.replace(at, "definition "+name+"("+params+") = "+s.explicit(p.x)+"\n")
	}
	return nil
}}

// captured are the variables that a closed formula reads and does not bind.
func (s *source) captured(x *syntax.Expr) (params string, args []string) {
	var vars []*logic.Var
	contains(x, func(y *syntax.Expr) bool {
		d := s.declarationOf(y)
		if d == nil || !d.Local() || x.Span.Start <= d.Name.Span.Start &&
			d.Name.Span.End <= x.Span.End {
			return false
		}
		if v := s.variable(y); v != nil && !slices.Contains(vars, v) {
			vars, args = append(vars, v), append(args, v.Name)
		}
		return false
	})
	return logic.Printer{}.Vars(vars), args
}

// expanded puts the bodies of definitions in place of their calls.
var expanded = Rewrite{Name: "expanded", Keeps: States, apply: func(s *source) error {
	call := func(x *syntax.Expr, show func(*syntax.Expr) string) (string, bool) {
		d := s.definition(x)
		if d == nil || d.Recursive() || x.Primes > 0 || d.States > 1 || len(d.Modifies) > 0 ||
			len(d.Params) != len(x.Args) || !s.some() {
			return "", false
		}
		return s.expansion(d, x, show)
	}
	for _, p := range s.places {
		if !p.target {
			s.edit(p, call)
		}
	}
	return nil
}}

// expansion is the body of a definition with arguments for its parameters, unless it would capture
// a variable of them.
func (s *source) expansion(
	d *syntax.DefinitionDecl, x *syntax.Expr, show func(*syntax.Expr) string,
) (string, bool) {
	bound := map[string]bool{}
	for _, n := range s.table.Declarations {
		if n.Node == d && (n.Kind == names.Variable || n.Kind == names.Implied) {
			bound[n.Name.Text] = true
		}
	}
	if slices.ContainsFunc(x.Args, func(a *syntax.Expr) bool {
		return contains(a, func(y *syntax.Expr) bool { return bound[y.Name.Text] })
	}) {
		return "", false
	}
	values := map[int]*syntax.Expr{}
	for i, b := range d.Params {
		values[b.Name.Span.Start] = x.Args[i]
	}
	var text func(y *syntax.Expr) string
	text = func(y *syntax.Expr) string {
		if n := s.declarationOf(y); n != nil && values[n.Name.Span.Start] != nil {
			return "(" + show(values[n.Name.Span.Start]) + ")"
		}
		return s.inner(y, text)
	}
	if vars := s.implied(d.Expr); len(vars) > 0 {
		return "forall " + logic.Printer{}.Vars(vars) + ". " + text(d.Expr), true
	}
	return text(d.Expr), true
}

// parameters puts the first parameter of a definition, or of an action that nothing else
// names, last.
var parameters = Rewrite{Name: "parameters", Keeps: States, apply: func(s *source) error {
	for _, d := range s.plain() {
		if len(d.Params) > 1 && s.some() {
			s.replace(d.Span, s.action(d, d.Name.Text, s.binders(rotate(d.Params)),
				s.body(d.Body, nil)))
		}
	}
	return nil
}}

// All are the rewrites.
var All = []Rewrite{
	quantifiers, spread, deMorgan, implications, disjunctions, contraposition, currying, equations,
	comparisons, successors, turned, equivalences, branches, nested, reordered, idle, explicitly,
	complement, enums, shift, permuted, renamed,
	split, joined, turnedIf, pointwise, swapped, parameters, cases, apart, together, transitions,
	shuffled("declarations", States, func(syntax.Decl) bool { return true }),
	shuffled("actions", States, isAction),
	shuffled("claims", States, isClaim),
	pieces, whole, defined, expanded,
}
