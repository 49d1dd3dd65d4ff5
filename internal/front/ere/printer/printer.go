// Package printer writes syntax trees as text.
//
// In: the declarations that a front end made of a file of another language. Out: a specification
// in erelong's language, laid out. Names that the language cannot read are changed.
package printer

import (
	"fmt"
	"strings"

	"erelong.dev/erelong/internal/front/ere/format"
	"erelong.dev/erelong/internal/front/ere/syntax"
)

// Text writes declarations; name is the file's in messages.
func Text(name string, decls []syntax.Decl) (string, error) {
	p := &printer{names: map[string]string{}, taken: map[string]bool{}}
	syntax.AddNames(decls, p.taken)
	for _, d := range decls {
		p.declaration(d)
	}
	out, err := format.Source(name, p.out.String())
	if err != nil {
		return "", fmt.Errorf("internal error: what is written of %s is not well-formed: %w", name,
			err)
	}
	return out, nil
}

// Reserved reports whether a word is none that a file can declare, or has a meaning of its own
// where a name can stand.
func Reserved(word string) bool { return syntax.IsKeyword(word) || reserved[word] }

// reserved are words that have a meaning in some places.
var reserved = map[string]bool{
	"modifies": true, "sort": true, "mutable": true, "immutable": true, "constant": true,
	"transition": true, "new": true,
	"zerostate": true, "onestate": true, "twostate": true, "safety": true, "any": true,
	"trace": true, "then": true, "sat": true,
	"unsat": true, "distinct": true, "int": true, "fbii": true, "prophecy": true, "by": true,
	"bool": true, "let": true, "in": true,
	"assert": true, "theorem": true, "init": true, "axiom": true, "invariant": true,
	"definition": true, "relation": true,
	"function": true, "derived": true,
	"require": true, "assume": true, "choose": true, "old": true, "always": true,
	"eventually": true, "until": true, "div": true, "mod": true,
}

// printer writes trees as text. Each operand that binds less tightly than its operator stands in
// parentheses.
type printer struct {
	out   strings.Builder
	names map[string]string
	taken map[string]bool
}

// name is a name that the language can read.
func (p *printer) name(n string) string {
	if got, ok := p.names[n]; ok {
		return got
	}
	wanted := strings.Map(func(c rune) rune {
		if c < 128 && (letter(byte(c)) || digit(byte(c))) {
			return c
		}
		return '_'
	}, n)
	if wanted == "" || digit(wanted[0]) {
		wanted = "_" + wanted
	}
	got := wanted
	for i := 1; got != n && p.taken[got] || Reserved(got); i++ {
		got = fmt.Sprintf("%s_%d", wanted, i)
	}
	p.taken[got], p.names[n] = true, got
	return got
}

func letter(c byte) bool { return c == '_' || 'a' <= c && c <= 'z' || 'A' <= c && c <= 'Z' }
func digit(c byte) bool  { return '0' <= c && c <= '9' }

func (p *printer) line(format string, args ...any) { fmt.Fprintf(&p.out, format+"\n", args...) }

func (p *printer) declaration(d syntax.Decl) {
	switch d := d.(type) {
	case *syntax.SortDecl:
		text := "sort " + p.name(d.Name.Text)
		for _, a := range d.Annotations {
			if a.Text == "@finite" || a.Text == "@infinite" {
				text += " " + a.Text
			}
		}
		p.line("%s", text)
	case *syntax.EnumDecl:
		var members []string
		for _, m := range d.Members {
			members = append(members, p.name(m.Text))
		}
		p.line("enum %s { %s }", p.name(d.Name.Text), strings.Join(members, ", "))
	case *syntax.TypeDecl:
		p.line("type %s = %s", p.name(d.Name.Text), p.sort(d.Sort))
	case *syntax.SymbolDecl:
		p.symbol(d)
	case *syntax.FormulaDecl:
		label := ""
		if d.Name.Text != "" {
			label = " [" + p.name(d.Name.Text) + "]"
		}
		p.line("%s%s %s", d.Word, label, p.expr(d.Expr, 0))
	case *syntax.DefinitionDecl: // of a formula without parameters
		p.line("definition %s() = %s  # meant: W0703", p.name(d.Name.Text), p.expr(d.Expr, 0))
	case *syntax.InstanceDecl:
		p.instance(d)
	case *syntax.ActionDecl:
		var params []string
		for _, b := range d.Params {
			params = append(params, p.binder(b))
		}
		before, behind := "", ""
		switch {
		case d.FairIf != nil:
			behind = " " + d.Fairness + " if " + p.expr(d.FairIf, 0)
		case d.Fairness != "":
			before = d.Fairness + " "
		}
		p.line("\n%saction %s(%s)%s {", before, p.name(d.Name.Text), strings.Join(params, ", "),
			behind)
		p.block(d.Body)
		p.line("}")
	}
}

func (p *printer) symbol(d *syntax.SymbolDecl) {
	text := "immutable "
	if d.Mutable {
		text = "mutable "
	}
	if d.Derived != nil {
		text = "derived "
	}
	text += d.Word + " " + p.name(d.Name.Text)
	if len(d.Args) > 0 {
		var args []string
		for _, a := range d.Args {
			args = append(args, p.sort(a))
		}
		text += "(" + strings.Join(args, ", ") + ")"
	}
	if d.Result != nil {
		text += ": " + p.sort(d.Result)
	}
	if d.Derived != nil {
		text += ": " + p.expr(d.Derived, 0)
	}
	p.line("%s", text)
}

func (p *printer) sort(s *syntax.SortExpr) string {
	if s.Data != nil {
		return p.data(s.Data)
	}
	switch s.Name {
	case "":
		return p.expr(s.Lo, levelSums) + ".." + p.expr(s.Hi, levelSums)
	case "bool", "int":
		return s.Name
	}
	return p.name(s.Name)
}

func (p *printer) binder(b *syntax.Binder) string {
	switch {
	case b.In != nil:
		return p.name(b.Name.Text) + " in " + p.expr(b.In, levelData)
	case b.Sort == nil:
		return p.name(b.Name.Text)
	}
	return p.name(b.Name.Text) + ": " + p.sort(b.Sort)
}

func (p *printer) block(body []syntax.Stmt) {
	for _, s := range body {
		switch s := s.(type) {
		case *syntax.RequireStmt:
			p.line("require %s;", p.expr(s.Cond, 0))
		case *syntax.LetStmt:
			p.line("let %s = %s;", p.binder(s.Binder), p.expr(s.Value, 0))
		case *syntax.ChooseStmt:
			such := ""
			if s.Such != nil {
				such = " with " + p.expr(s.Such, 0)
			}
			p.line("choose %s%s;", p.binder(s.Binder), such)
		case *syntax.AssignStmt:
			value := "*"
			if s.Value != nil {
				value = p.expr(s.Value, 0)
			}
			p.line("%s := %s;", p.expr(s.Target, levelPrimary), value)
		case *syntax.IfStmt:
			p.line("if %s {", p.expr(s.Cond, 0))
			p.block(s.Then)
			if len(s.Else) > 0 {
				p.line("} else {")
				p.block(s.Else)
			}
			p.line("}")
		}
	}
}

// Levels of the language's grammar, loosest first.
const (
	levelOpen = iota // quantifiers, let and if-then-else, which extend to the right
	levelLeadsTo
	levelIff
	levelImplies
	levelUntil
	levelOrs
	levelAnds
	levelCompares
	levelData // with, union and the like
	levelSums
	levelProducts
	levelUnary
	levelPrimary
)

// operators give each operator its sign, its level, and the levels of its operands.
var operators = map[syntax.ExprKind]struct {
	sign               string
	level, left, right int
}{
	syntax.ExprLeadsTo: {"~>", levelLeadsTo, levelIff, levelIff},
	syntax.ExprIff:     {"<->", levelIff, levelImplies, levelImplies},
	syntax.ExprImplies: {"->", levelImplies, levelUntil, levelImplies},
	syntax.ExprUntil:   {"until", levelUntil, levelOrs, levelOrs},
	syntax.ExprOr:      {"|", levelOrs, levelAnds, levelAnds},
	syntax.ExprAnd:     {"&", levelAnds, levelCompares, levelCompares},
	syntax.ExprEq:      {"=", levelCompares, levelData, levelData},
	syntax.ExprNe:      {"!=", levelCompares, levelData, levelData},
	syntax.ExprLt:      {"<", levelCompares, levelData, levelData},
	syntax.ExprLe:      {"<=", levelCompares, levelData, levelData},
	syntax.ExprGt:      {">", levelCompares, levelData, levelData},
	syntax.ExprGe:      {">=", levelCompares, levelData, levelData},
	syntax.ExprAdd:     {"+", levelSums, levelSums, levelProducts},
	syntax.ExprSub:     {"-", levelSums, levelSums, levelProducts},
	syntax.ExprMul:     {"*", levelProducts, levelProducts, levelUnary},
	syntax.ExprDiv:     {"div", levelProducts, levelProducts, levelPrimary},
	syntax.ExprMod:     {"mod", levelProducts, levelProducts, levelPrimary},

	syntax.ExprIn:        {"in", levelCompares, levelData, levelData},
	syntax.ExprSubset:    {"subset", levelCompares, levelData, levelData},
	syntax.ExprUnion:     {"union", levelData, levelData, levelSums},
	syntax.ExprIntersect: {"intersect", levelData, levelData, levelSums},
	syntax.ExprMinus:     {"minus", levelData, levelData, levelSums},
	syntax.ExprWith:      {"with", levelData, levelData, levelSums},
	syntax.ExprWithout:   {"without", levelData, levelData, levelSums},
}

// prefixes are the operators before their operand.
var prefixes = map[syntax.ExprKind]string{syntax.ExprNot: "!", syntax.ExprNeg: "-",
	syntax.ExprAlways: "always ", syntax.ExprEventually: "eventually "}

// expr writes an expression where the grammar has one of a level.
func (p *printer) expr(x *syntax.Expr, least int) string {
	text, level := p.bare(x)
	if level < least {
		return "(" + text + ")"
	}
	return text
}

func (p *printer) bare(x *syntax.Expr) (string, int) {
	if op, ok := operators[x.Kind]; ok {
		parts := []string{p.expr(x.Args[0], op.left)}
		for _, a := range x.Args[1:] {
			parts = append(parts, p.expr(a, op.right))
		}
		if len(parts) == 1 {
			return parts[0], op.left
		}
		return strings.Join(parts, " "+op.sign+" "), op.level
	}
	if sign, ok := prefixes[x.Kind]; ok {
		return sign + p.expr(x.Args[0], levelUnary), levelUnary
	}
	switch x.Kind {
	case syntax.ExprTrue:
		return "true", levelPrimary
	case syntax.ExprFalse:
		return "false", levelPrimary
	case syntax.ExprInt:
		return x.Int.String(), levelPrimary
	case syntax.ExprOld:
		return "old" + p.list(x.Args), levelPrimary
	case syntax.ExprNew:
		return "new" + p.list(x.Args), levelPrimary
	case syntax.ExprSafety:
		return "safety" + strings.Repeat("'", x.Primes), levelPrimary
	case syntax.ExprIf:
		return fmt.Sprintf("if %s then %s else %s", p.expr(x.Args[0], 0), p.expr(x.Args[1], 0),
			p.expr(x.Args[2], 0)), levelOpen
	case syntax.ExprForall, syntax.ExprExists:
		var binders []string
		for _, b := range x.Binders {
			binders = append(binders, p.binder(b))
		}
		word := "forall"
		if x.Kind == syntax.ExprExists {
			word = "exists"
		}
		return fmt.Sprintf("%s %s. %s", word, strings.Join(binders, ", "), p.expr(x.Args[0], 0)),
			levelOpen
	case syntax.ExprLet:
		return fmt.Sprintf("let %s = %s in %s", p.binder(x.Binders[0]), p.expr(x.Args[0], 0),
			p.expr(x.Args[1], 0)), levelOpen
	case syntax.ExprDistinct:
		return "distinct" + p.list(x.Args), levelPrimary
	case syntax.ExprName:
		return p.name(x.Name.Text) + strings.Repeat("'", x.Primes) + p.list(x.Args), levelPrimary
	}
	return p.structure(x)
}

// list writes arguments.
func (p *printer) list(args []*syntax.Expr) string {
	if len(args) == 0 {
		return ""
	}
	texts := make([]string, len(args))
	for i, a := range args {
		texts[i] = p.expr(a, 0)
	}
	return "(" + strings.Join(texts, ", ") + ")"
}
