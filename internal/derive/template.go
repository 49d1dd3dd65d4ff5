package derive

import (
	"fmt"
	"strconv"
	"strings"

	"erelong.dev/erelong/internal/diag"
	"erelong.dev/erelong/internal/front/ere/syntax"
)

// template is the text of a derived system with holes for the user's expressions. The expressions
// keep their positions, so that an error in one points into the user's file.
//
// Every insertion into the text is a part, so an inserted expression never joins with the text
// beside it.
type template struct {
	names  *names
	text   strings.Builder
	holes  map[string]*syntax.Expr
	bodies map[string][]syntax.Stmt // by the target of the assignment in their place
	labels map[string]label         // by the identifier in its place
	sorts  map[string]*syntax.SortExpr
	places map[string]diag.Span // of symbols that stand for something in the user's text
}

// part is an insertion into the text: a name, or an expression, which then stands in parentheses.
type part interface{ String() string }

// name is an identifier, or a number.
type name string

// expr is an expression.
type expr string

func (n name) String() string { return string(n) }
func (x expr) String() string { return "(" + string(x) + ")" }

const (
	yes expr = "true"
	no  expr = "false"
)

// number is a number as a part.
func number(n int) name { return name(strconv.Itoa(n)) }

// exprOf makes an expression of its parts.
func exprOf(format string, parts ...part) expr { return expr(written(format, parts)) }

func written(format string, parts []part) string {
	args := make([]any, len(parts))
	for i, p := range parts {
		args[i] = p
	}
	return fmt.Sprintf(format, args...)
}

// conjunction and some are a conjunction and a disjunction.
func conjunction(xs ...expr) expr { return joined(xs, " & ", yes) }
func disjunction(xs ...expr) expr { return joined(xs, " | ", no) }

func joined(xs []expr, by string, none expr) expr {
	switch len(xs) {
	case 0:
		return none
	case 1:
		return xs[0]
	}
	texts := make([]string, len(xs))
	for i, x := range xs {
		texts[i] = x.String()
	}
	return expr(strings.Join(texts, by))
}

// list puts names next to each other.
func list(names []name) name {
	texts := make([]string, len(names))
	for i, n := range names {
		texts[i] = string(n)
	}
	return name(strings.Join(texts, ", "))
}

// line adds a line of text.
func (t *template) line(format string, parts ...part) {
	t.text.WriteString(written(format, parts))
	t.text.WriteByte('\n')
}

// name gives the name of a generated symbol, which is not a name of the file.
func (t *template) name(wanted string) name { return t.names.of(wanted) }

// hole gives the text in place of an expression.
func (t *template) hole(x *syntax.Expr) expr {
	if t.holes == nil {
		t.holes = map[string]*syntax.Expr{}
	}
	hole := t.name(fmt.Sprintf("hole__%d", len(t.holes)))
	t.holes[string(hole)] = x
	return expr(hole)
}

// sort gives the text in place of a sort.
func (t *template) sort(s *syntax.SortExpr) name {
	if t.sorts == nil {
		t.sorts = map[string]*syntax.SortExpr{}
	}
	hole := t.name(fmt.Sprintf("sort__%d", len(t.sorts)))
	t.sorts[string(hole)] = s
	return hole
}

// place gives a symbol of the text its place in the user's text.
func (t *template) place(symbol string, at diag.Span) {
	if t.places == nil {
		t.places = map[string]diag.Span{}
	}
	t.places[symbol] = at
}

// insert writes statements into an action.
func (t *template) insert(body []syntax.Stmt) {
	if t.bodies == nil {
		t.bodies = map[string][]syntax.Stmt{}
	}
	at := t.name(fmt.Sprintf("body__%d", len(t.bodies)))
	t.bodies[string(at)] = body
	t.line("  %s := true;", at)
}

// label is the name of a property, which need not be an identifier, and its position in the user's
// text.
type label struct {
	name string
	from diag.Span
}

// label gives the text in place of the name of a property.
func (t *template) label(property string, from diag.Span) name {
	if t.labels == nil {
		t.labels = map[string]label{}
	}
	at := t.name(fmt.Sprintf("label__%d", len(t.labels)))
	t.labels[string(at)] = label{property, from}
	return at
}

// decls parses the text and fills the holes. Each declaration gets a position in the user's text.
func (t *template) decls(name string, from diag.Span) ([]syntax.Decl, error) {
	errs := &diag.List{}
	file := syntax.Parse(diag.NewSource(name, t.text.String()), errs)
	if err := errs.Err(); err != nil {
		return nil, fmt.Errorf("internal error: the derived system %s is not well-formed: %w\n%s",
			name, err, t.text.String())
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
	t.fillBinders(x)
	return replace(x, func(x *syntax.Expr) *syntax.Expr { return t.holes[x.Name.Text] })
}

// fillBinders puts the user's sorts into an expression of the text.
func (t *template) fillBinders(x *syntax.Expr) {
	t.fillSorts(x.Binders)
	for _, a := range x.Args {
		t.fillBinders(a)
	}
}

func (t *template) fillSorts(bs []*syntax.Binder) {
	for _, b := range bs {
		b.Sort = t.fillSort(b.Sort)
	}
}

func (t *template) fillSort(s *syntax.SortExpr) *syntax.SortExpr {
	switch {
	case s == nil:
		return nil
	case t.sorts[s.Name] != nil:
		return t.sorts[s.Name]
	case s.Hi != nil:
		return &syntax.SortExpr{Lo: t.fill(s.Lo), Hi: t.fill(s.Hi), Span: s.Span}
	}
	return s
}

// from is the position in the user's text of a declaration of the text.
func (t *template) from(n *syntax.Name, otherwise diag.Span) diag.Span {
	if at, ok := t.places[n.Text]; ok {
		otherwise = at
	}
	n.Span = otherwise
	return otherwise
}

func (t *template) fillDecl(d syntax.Decl, from diag.Span) {
	switch d := d.(type) {
	case *syntax.SortDecl:
		d.Span = t.from(&d.Name, from)
	case *syntax.EnumDecl:
		d.Span = t.from(&d.Name, from)
		for i := range d.Members {
			t.from(&d.Members[i], from)
		}
	case *syntax.TypeDecl:
		d.Span = t.from(&d.Name, from)
		d.Sort = t.fillSort(d.Sort)
	case *syntax.SymbolDecl:
		d.Span = t.from(&d.Name, from)
		for i, s := range d.Args {
			d.Args[i] = t.fillSort(s)
		}
		d.Result = t.fillSort(d.Result)
	case *syntax.FormulaDecl:
		d.Span = from
		if n, ok := t.labels[d.Name.Text]; ok {
			d.Name.Text, d.Span = n.name, n.from
		}
		reposition(d.Expr, d.Span)
		d.Expr = t.fill(d.Expr)
	case *syntax.DefinitionDecl:
		d.Span = t.from(&d.Name, from)
		t.fillSorts(d.Params)
		reposition(d.Expr, d.Span)
		d.Expr = t.fill(d.Expr)
	case *syntax.ActionDecl:
		d.Span = t.from(&d.Name, from)
		t.fillSorts(d.Params)
		d.Body = t.fillBlock(d.Body)
	}
}

// reposition gives an expression of the text another position.
func reposition(x *syntax.Expr, to diag.Span) {
	x.Span = to
	for _, a := range x.Args {
		reposition(a, to)
	}
}

func (t *template) fillBlock(body []syntax.Stmt) (out []syntax.Stmt) {
	for _, s := range body {
		if a, ok := s.(*syntax.AssignStmt); ok && t.stands(a.Target.Name.Text) {
			out = append(out, t.bodies[a.Target.Name.Text]...)
			continue
		}
		out = append(out, s)
		switch s := s.(type) {
		case *syntax.RequireStmt:
			s.Cond = t.fill(s.Cond)
		case *syntax.AssignStmt:
			s.Value = t.fill(s.Value)
		case *syntax.IfStmt:
			s.Cond = t.fill(s.Cond)
			s.Then = t.fillBlock(s.Then)
			s.Else = t.fillBlock(s.Else)
		case *syntax.ChooseStmt:
			if s.Such != nil {
				s.Such = t.fill(s.Such)
			}
			s.Body = t.fillBlock(s.Body)
		case *syntax.LetStmt:
			s.Value = t.fill(s.Value)
		}
	}
	return out
}

// stands reports whether a target stands for statements.
func (t *template) stands(target string) bool {
	_, ok := t.bodies[target]
	return ok
}
