package main

import (
	"go/ast"
	"go/token"
	"slices"
	"strconv"
	"strings"
)

// finder collects the sites of a file.
type finder struct {
	file     string
	text     []byte
	set      *token.FileSet
	function string
	last     ast.Stmt // of the function: without it a result is missing
	seen     map[string]int
	out      []site
}

// opposites are pairs of names that stand for one another's dual in this program.
var opposites = pairs("And Or", "OpAnd OpOr", "Forall Exists", "OpForall OpExists", "Le Lt",
	"OpLe OpLt", "Pre Post", "min max", "union intersect", "union meet", "Add Sub", "lo hi",
	"lower upper")

func pairs(words ...string) map[string]string {
	out := map[string]string{}
	for _, w := range words {
		a, b, _ := strings.Cut(w, " ")
		if out[a] == "" {
			out[a] = b
		}
		if out[b] == "" {
			out[b] = a
		}
	}
	return out
}

// comparisons gives for each operator a weaker or stronger one, and its negation.
var comparisons = map[token.Token][]token.Token{
	token.LSS: {token.LEQ, token.GEQ}, token.LEQ: {token.LSS, token.GTR},
	token.GTR: {token.GEQ, token.LEQ}, token.GEQ: {token.GTR, token.LSS},
	token.EQL: {token.NEQ}, token.NEQ: {token.EQL},
}

// swapped gives operators that are exchanged.
var swapped = map[token.Token]token.Token{
	token.ADD: token.SUB, token.SUB: token.ADD,
	token.ADD_ASSIGN: token.SUB_ASSIGN, token.SUB_ASSIGN: token.ADD_ASSIGN,
	token.INC: token.DEC, token.DEC: token.INC,
	token.LAND: token.LOR, token.LOR: token.LAND,
}

// visit adds the faults of a node. It does not go into the handling of errors, which tests do not
// cause, and into messages.
func (f *finder) visit(n ast.Node) bool {
	switch n := n.(type) {
	case *ast.IfStmt:
		if isErrorCheck(n.Cond) && n.Init == nil && n.Else == nil {
			return false
		}
		f.negate(n.Cond)
	case *ast.ForStmt:
		f.negate(n.Cond)
	case *ast.CallExpr:
		if isMessage(n) {
			return false
		}
		f.call(n)
	case *ast.BinaryExpr:
		f.binary(n)
	case *ast.UnaryExpr:
		if n.Op == token.NOT || n.Op == token.SUB {
			f.replace("operator left out", n, f.source(n.X))
		}
	case *ast.IncDecStmt:
		f.replace("direction", n, f.source(n.X)+swapped[n.Tok].String())
	case *ast.AssignStmt:
		if op, ok := swapped[n.Tok]; ok {
			f.replace("direction", n,
				f.source(n.Lhs[0])+" "+op.String()+" "+f.source(n.Rhs[0]))
		}
	case *ast.BasicLit:
		f.number(n)
	case *ast.Ident:
		f.name(n)
	case *ast.BlockStmt:
		f.statements(n.List)
	case *ast.CaseClause:
		f.statements(n.Body)
	case *ast.RangeStmt:
		f.loop(n)
	case *ast.CompositeLit:
		if a, ok := n.Type.(*ast.ArrayType); ok && a.Len == nil {
			f.elements("element left out", n.Elts)
		}
	case *ast.ArrayType:
		return false // a length
	}
	return true
}

func isErrorCheck(cond ast.Expr) bool {
	b, ok := cond.(*ast.BinaryExpr)
	if !ok || b.Op != token.NEQ {
		return false
	}
	x, isName := b.X.(*ast.Ident)
	y, isNil := b.Y.(*ast.Ident)
	return isName && isNil && x.Name == "err" && y.Name == "nil"
}

// isMessage reports whether a call makes a text or ends the program.
func isMessage(c *ast.CallExpr) bool {
	switch fun := c.Fun.(type) {
	case *ast.Ident:
		return fun.Name == "panic"
	case *ast.SelectorExpr:
		x, ok := fun.X.(*ast.Ident)
		return ok && (x.Name == "fmt" || x.Name == "errors")
	}
	return false
}

func (f *finder) negate(cond ast.Expr) {
	if b, ok := cond.(*ast.BinaryExpr); cond == nil || ok && comparisons[b.Op] != nil {
		return // inverted as a comparison
	}
	if u, ok := cond.(*ast.UnaryExpr); ok && u.Op == token.NOT {
		return
	}
	f.replace("condition", cond, "!("+f.source(cond)+")")
}

func (f *finder) binary(n *ast.BinaryExpr) {
	with := func(op token.Token) string {
		return f.source(n.X) + " " + op.String() + " " + f.source(n.Y)
	}
	for _, op := range comparisons[n.Op] {
		f.replace("comparison", n, with(op))
	}
	op, ok := swapped[n.Op]
	switch {
	case n.Op == token.LAND || n.Op == token.LOR:
		// Alternatives in parentheses: && binds more tightly.
		f.replace("connective", n, "("+with(op)+")")
		f.replace("operand left out", n, f.source(n.X))
		f.replace("operand left out", n, f.source(n.Y))
	case ok:
		f.replace("arithmetic", n, "("+with(op)+")")
	}
}

func (f *finder) number(n *ast.BasicLit) {
	if n.Kind != token.INT {
		return
	}
	value, err := strconv.ParseInt(n.Value, 0, 64)
	if err != nil {
		return
	}
	f.replace("constant", n, strconv.FormatInt(value+1, 10))
	if value > 0 {
		f.replace("constant", n, strconv.FormatInt(value-1, 10))
	}
}

func (f *finder) name(n *ast.Ident) {
	switch n.Name {
	case "true":
		f.replace("truth value", n, "false")
	case "false":
		f.replace("truth value", n, "true")
	default:
		if other := opposites[n.Name]; other != "" {
			f.replace("opposite", n, other)
		}
	}
}

// symmetric are functions whose value does not depend on the order of their arguments, or for
// which the order is no question of meaning.
var symmetric = []string{"append", "min", "max", "Equal", "SameSort", "equal", "Eq", "And", "Or",
	"Add", "Iff", "Distinct", "union", "meet", "intersect", "join", "gcd"}

func (f *finder) call(n *ast.CallExpr) {
	name := ""
	switch fun := n.Fun.(type) {
	case *ast.Ident:
		name = fun.Name
	case *ast.SelectorExpr:
		name = fun.Sel.Name
	}
	for i := 0; i+1 < len(n.Args) && !slices.Contains(symmetric, name); i++ {
		a, b := f.source(n.Args[i]), f.source(n.Args[i+1])
		if !isLiteral(n.Args[i]) && !isLiteral(n.Args[i+1]) && a != b {
			f.edit("arguments", n, []ast.Expr{n.Args[i], n.Args[i+1]}, []string{b, a})
		}
	}
	switch {
	case name == "append" && len(n.Args) > 2:
		f.elements("element left out", n.Args[1:])
	case name == "And" || name == "Or":
		f.elements("element left out", n.Args)
	}
}

func isLiteral(e ast.Expr) bool {
	switch e.(type) {
	case *ast.BasicLit, *ast.FuncLit, *ast.CompositeLit:
		return true
	}
	return false
}

// elements leaves out one of a list.
func (f *finder) elements(kind string, list []ast.Expr) {
	for i, e := range list {
		from, to := f.offset(e.Pos()), f.offset(e.End())
		switch {
		case i+1 < len(list):
			to = f.offset(list[i+1].Pos())
		case i > 0:
			from = f.offset(list[i-1].End())
		}
		f.add(kind, e, short(f.source(e)), "nothing", []edit{{from, to, ""}})
	}
}

// statements leaves out one of them. It stays in a branch that is never taken, so that what it
// names is still used.
func (f *finder) statements(list []ast.Stmt) {
	for _, s := range list {
		switch s := s.(type) {
		case *ast.ExprStmt:
			if c, ok := s.X.(*ast.CallExpr); !ok || isMessage(c) {
				continue
			}
		case *ast.AssignStmt:
			if s.Tok == token.DEFINE || blank(s.Lhs) {
				continue
			}
		case *ast.IncDecStmt, *ast.BranchStmt:
		case *ast.ReturnStmt:
			if s == f.last {
				continue
			}
		default:
			continue
		}
		from, to := f.offset(s.Pos()), f.offset(s.End())
		f.add("statement left out", s, short(f.source(s)), "nothing",
			[]edit{{from, from, "if false { "}, {to, to, " }"}})
	}
}

func blank(list []ast.Expr) bool {
	return !slices.ContainsFunc(list, func(e ast.Expr) bool {
		x, ok := e.(*ast.Ident)
		return !ok || x.Name != "_"
	})
}

// loop leaves out the first or the last element of a range.
func (f *finder) loop(n *ast.RangeStmt) {
	if n.Tok == token.ASSIGN {
		return
	}
	key, from, to, header := "i", f.offset(n.For)+len("for"), f.offset(n.Range), ""
	switch x, ok := n.Key.(*ast.Ident); {
	case n.Key == nil:
		header = " skipped := "
		key = "skipped"
	case ok && x.Name == "_":
		key = "skipped"
		header = " skipped, " + f.source(n.Value) + " := "
	default:
		key = f.source(n.Key)
		header = string(f.text[from:to])
	}
	body := f.offset(n.Body.Lbrace) + 1
	over := f.source(n.X)
	for _, skip := range []struct{ which, index string }{
		{"first", "0"}, {"last", "len(" + over + ")-1"},
	} {
		f.add("loop", n, "range "+short(over), "without the "+skip.which, []edit{
			{from, to, header},
			{body, body, " if " + key + " == " + skip.index + " { continue }; "}})
	}
}

// replace adds a site whose node becomes another text.
func (f *finder) replace(kind string, n ast.Node, after string) {
	f.add(kind, n, short(f.source(n)), short(after),
		[]edit{{f.offset(n.Pos()), f.offset(n.End()), after}})
}

// edit adds a site in which several parts of a node change.
func (f *finder) edit(kind string, n ast.Node, parts []ast.Expr, after []string) {
	var edits []edit
	var now []string
	for i, p := range parts {
		edits = append(edits, edit{f.offset(p.Pos()), f.offset(p.End()), after[i]})
		now = append(now, f.source(p))
	}
	f.add(kind, n, short(strings.Join(now, ", ")), short(strings.Join(after, ", ")), edits)
}

func (f *finder) add(kind string, n ast.Node, before, after string, edits []edit) {
	s := site{file: f.file, function: f.function, kind: kind, before: before, after: after,
		line: f.set.Position(n.Pos()).Line, edits: edits}
	f.seen[s.key()]++
	s.number = f.seen[s.key()]
	f.out = append(f.out, s)
}

func (f *finder) offset(p token.Pos) int { return f.set.Position(p).Offset }

func (f *finder) source(n ast.Node) string {
	return string(f.text[f.offset(n.Pos()):f.offset(n.End())])
}

// short is a text on one line, which is cut where it is long.
func short(text string) string {
	text = strings.Join(strings.Fields(text), " ")
	if r := []rune(text); len(r) > 70 {
		return string(r[:67]) + "..."
	}
	return text
}
