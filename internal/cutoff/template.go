package cutoff

import (
	"fmt"
	"strings"

	"erelong/internal/diag"
	"erelong/internal/lang/syntax"
)

// template is the text of a derived system with holes for the user's expressions. The expressions keep their positions,
// so that an error in one points into the user's file.
type template struct {
	text  strings.Builder
	holes map[string]*syntax.Expr
	names map[string]named // by the identifier that stands for it
}

// line adds a line of text.
func (t *template) line(format string, args ...any) {
	fmt.Fprintf(&t.text, format, args...)
	t.text.WriteByte('\n')
}

// hole gives the text that stands for an expression.
func (t *template) hole(x *syntax.Expr) string {
	if t.holes == nil {
		t.holes = map[string]*syntax.Expr{}
	}
	name := fmt.Sprintf("hole__%d", len(t.holes))
	t.holes[name] = x
	return name
}

// named is a name that need not be an identifier, and the place in the user's text that it comes from.
type named struct {
	name string
	from diag.Span
}

// name gives the text that stands for the name of a property.
func (t *template) name(property string, from diag.Span) string {
	if t.names == nil {
		t.names = map[string]named{}
	}
	name := fmt.Sprintf("name__%d", len(t.names))
	t.names[name] = named{property, from}
	return name
}

// decls parses the text and fills the holes. Formulas and actions get the position of a place in the user's text.
func (t *template) decls(name string, from diag.Span) ([]syntax.Decl, error) {
	errs := &diag.List{}
	file := syntax.Parse(diag.NewSource(name, t.text.String()), errs)
	if err := errs.Err(); err != nil {
		return nil, fmt.Errorf("internal error: the derived system %s is not well-formed: %w\n%s", name, err, t.text.String())
	}
	for _, d := range file.Decls {
		t.fillDecl(d, from)
	}
	return file.Decls, nil
}

func (t *template) fill(x *syntax.Expr) *syntax.Expr {
	if x == nil {
		return nil
	}
	return replace(x, func(x *syntax.Expr) *syntax.Expr { return t.holes[x.Name.Text] })
}

func (t *template) fillDecl(d syntax.Decl, from diag.Span) {
	switch d := d.(type) {
	case *syntax.FormulaDecl:
		d.Span = from
		if n, ok := t.names[d.Name.Text]; ok {
			d.Name.Text, d.Span = n.name, n.from
		}
		moved(d.Expr, d.Span)
		d.Expr = t.fill(d.Expr)
	case *syntax.DefinitionDecl:
		d.Expr = t.fill(d.Expr)
	case *syntax.ActionDecl:
		d.Span = from
		t.fillBlock(d.Body)
	}
}

// moved gives an expression of the text another position.
func moved(x *syntax.Expr, to diag.Span) {
	x.Span = to
	for _, a := range x.Args {
		moved(a, to)
	}
}

func (t *template) fillBlock(body []syntax.Stmt) {
	for _, s := range body {
		switch s := s.(type) {
		case *syntax.RequireStmt:
			s.Cond = t.fill(s.Cond)
		case *syntax.AssignStmt:
			s.Value = t.fill(s.Value)
		case *syntax.IfStmt:
			s.Cond = t.fill(s.Cond)
			t.fillBlock(s.Then)
			t.fillBlock(s.Else)
		case *syntax.ChooseStmt:
			if s.Such != nil {
				s.Such = t.fill(s.Such)
			}
			t.fillBlock(s.Body)
		case *syntax.LetStmt:
			s.Value = t.fill(s.Value)
		}
	}
}
