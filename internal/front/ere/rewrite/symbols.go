package rewrite

import (
	"fmt"
	"slices"
	"strings"

	"erelong.dev/erelong/internal/front/ere/names"
	"erelong.dev/erelong/internal/front/ere/syntax"
	"erelong.dev/erelong/internal/logic"
)

// symbols lists the declarations of symbols that satisfy a condition. Derived ones are none of
// them.
func (s *source) symbols(is func(*syntax.SymbolDecl, *logic.Symbol) bool) (
	out []*syntax.SymbolDecl,
) {
	for _, d := range s.file.Decls {
		if d, ok := d.(*syntax.SymbolDecl); ok && d.Derived == nil {
			if sym := s.symbolOf(d); sym != nil && is(d, sym) {
				out = append(out, d)
			}
		}
	}
	return out
}

// tabled reports whether an instance gives a symbol its values.
func (s *source) tabled(d *syntax.SymbolDecl) bool {
	return slices.ContainsFunc(s.file.Decls, func(in syntax.Decl) bool {
		i, ok := in.(*syntax.InstanceDecl)
		return ok && slices.ContainsFunc(i.Items, func(item syntax.InstanceItem) bool {
			return item.Name.Text == d.Name.Text
		})
	})
}

// applies reports whether an expression applies the symbol of a declaration.
func (s *source) applies(x *syntax.Expr, d *syntax.SymbolDecl) bool {
	got := s.declarationOf(x)
	return got != nil && got.Symbol() == d
}

// values changes what is read of a symbol, and what is assigned to it, where each is given as a
// text.
func (s *source) values(d *syntax.SymbolDecl, reads, writes func(string) string) {
	read := func(x *syntax.Expr, show func(*syntax.Expr) string) (string, bool) {
		if !s.applies(x, d) {
			return "", false
		}
		return reads(s.inner(x, show)), true
	}
	written := map[*syntax.Expr]bool{}
	for _, f := range s.file.Decls {
		if a, ok := f.(*syntax.ActionDecl); ok {
			assignments(a.Body, func(st *syntax.AssignStmt) {
				if st.Value != nil && s.applies(st.Target, d) {
					written[st.Value] = true
				}
			})
		}
	}
	for _, p := range s.places {
		switch {
		case p.target: // the point, but not the symbol itself
			if text := s.inner(p.x, func(x *syntax.Expr) string { return s.show(x, read) }); text !=
				s.at(p.x.Span) {
				s.replace(p.x.Span, text)
			}
		case written[p.x]:
			s.replace(p.x.Span, writes(s.show(p.x, read)))
		default:
			s.edit(p, read)
		}
	}
}

func assignments(body []syntax.Stmt, f func(*syntax.AssignStmt)) {
	for _, st := range body {
		switch st := st.(type) {
		case *syntax.AssignStmt:
			f(st)
		case *syntax.IfStmt:
			assignments(st.Then, f)
			assignments(st.Else, f)
		case *syntax.ChooseStmt:
			assignments(st.Body, f)
		}
	}
}

// complement has a relation hold where it did not.
var complement = Rewrite{Name: "complement", Keeps: States, apply: func(s *source) error {
	d, err := pick(s, s.symbols(func(d *syntax.SymbolDecl, sym *logic.Symbol) bool {
		return sym.Result == logic.Bool && !s.tabled(d) && len(d.Annotations) == 0
	}), "relation without a table")
	if err != nil {
		return err
	}
	s.values(d, not, not)
	return nil
}}

// enums has an enum of two members in place of a truth value.
var enums = Rewrite{Name: "enum", Keeps: States, apply: func(s *source) error {
	d, err := pick(s, s.symbols(func(d *syntax.SymbolDecl, sym *logic.Symbol) bool {
		return sym.Result == logic.Bool && !s.tabled(d) && len(d.Annotations) == 0
	}), "relation without a table")
	if err != nil {
		return err
	}
	sort, no, yes := s.fresh("truth_of_"+d.Name.Text), s.fresh("no_"+d.Name.Text),
		s.fresh("yes_"+d.Name.Text)
	s.redeclare(d, "enum "+sort+" { "+no+", "+yes+" }", func(p *parts) {
		p.word, p.result = "function", sort
	})
	s.values(d, func(x string) string { return x + " = " + yes }, func(x string) string {
		return "if " + x + " then " + yes + " else " + no
	})
	return nil
}}

// shift moves the range of the values of a symbol.
var shift = Rewrite{Name: "shift", Keeps: States, apply: func(s *source) error {
	d, err := pick(s, s.symbols(func(d *syntax.SymbolDecl, sym *logic.Symbol) bool {
		return sym.Mutable && sym.Result.Kind == logic.KindRange && len(d.Annotations) == 0
	}), "mutable symbol with a range")
	if err != nil {
		return err
	}
	by := fmt.Sprint(1 + s.rng.Intn(3))
	r := s.symbolOf(d).Result
	s.redeclare(d, "", func(p *parts) {
		p.result = "(" + r.Lo.String() + ") + " + by + "..(" + r.Hi.String() + ") + " + by
	})
	s.values(d, func(x string) string { return x + " - " + by }, func(x string) string {
		return "(" + x + ") + " + by
	})
	return nil
}}

// parts are what a declaration of a symbol consists of.
type parts struct {
	word, name, result string // result is empty for a relation
	args               []string
	instead            *string // what stands in the place of the declaration; nil for none
}

// redeclare changes the declaration of a symbol; before stands in front of it. A list of
// declarations is taken apart.
func (s *source) redeclare(d *syntax.SymbolDecl, before string, f func(*parts)) {
	first, last := d.Span, d.Span
	var list []*syntax.SymbolDecl
	for _, o := range s.file.Decls {
		if o, ok := o.(*syntax.SymbolDecl); ok && o.Span.Start == d.Span.Start {
			list, last = append(list, o), o.Span
		}
	}
	lines := []string{}
	if before != "" {
		lines = append(lines, before)
	}
	for _, o := range list {
		p := &parts{word: o.Word, name: o.Name.Text}
		for _, a := range o.Args {
			p.args = append(p.args, s.at(a.Span))
		}
		if o.Result != nil {
			p.result = s.at(o.Result.Span)
		}
		if o == d {
			f(p)
		}
		if p.instead != nil {
			lines = append(lines, *p.instead)
		} else {
			lines = append(lines, p.text(o))
		}
	}
	s.replace(first.To(last), strings.Join(lines, "\n"))
}

func (p *parts) text(d *syntax.SymbolDecl) string {
	word := map[bool]string{true: "mutable ", false: "immutable "}[d.Mutable]
	if d.Ghost {
		word = "ghost "
	}
	if p.word != "relation" && len(p.args) == 0 {
		p.word = "constant"
	}
	text := word + p.word + " " + p.name
	if len(p.args) > 0 {
		text += "(" + strings.Join(p.args, ", ") + ")"
	}
	if p.result != "" {
		text += ": " + p.result
	}
	for _, a := range d.Annotations {
		text += " " + a.Text
	}
	return text
}

// permuted puts the first argument of a symbol last.
var permuted = Rewrite{Name: "permuted", Keeps: States, apply: func(s *source) error {
	d, err := pick(s, s.symbols(func(d *syntax.SymbolDecl, sym *logic.Symbol) bool {
		return len(sym.Args) > 1 && len(d.Annotations) == 0
	}), "symbol with two arguments")
	if err != nil {
		return err
	}
	s.redeclare(d, "", func(p *parts) { p.args = rotate(p.args) })
	c := func(x *syntax.Expr, show func(*syntax.Expr) string) (string, bool) {
		if !s.applies(x, d) || len(x.Args) < 2 {
			return "", false
		}
		return s.rotated(x, show), true
	}
	for _, p := range s.places {
		if !p.target {
			s.edit(p, c)
			continue
		}
		show := func(x *syntax.Expr) string { return s.show(x, c) }
		text := s.inner(p.x, show)
		if s.applies(p.x, d) && len(p.x.Args) > 1 {
			text = s.rotated(p.x, show)
		}
		if text != s.at(p.x.Span) {
			s.replace(p.x.Span, text)
		}
	}
	s.rows(d)
	return nil
}}

// rotated is the text of an application with its first argument last.
func (s *source) rotated(x *syntax.Expr, show func(*syntax.Expr) string) string {
	head := x.Name.Span // without parentheses around
	head.End = x.Args[0].Span.Start
	return s.at(head) + join(rotate(x.Args), ", ", show) + ")"
}

// rows permutes the tables of a symbol.
func (s *source) rows(d *syntax.SymbolDecl) {
	for _, in := range s.file.Decls {
		in, ok := in.(*syntax.InstanceDecl)
		if !ok {
			continue
		}
		for _, item := range in.Items {
			if item.Table == nil || item.Name.Text != d.Name.Text {
				continue
			}
			for _, row := range item.Table.Rows {
				if n := len(row.Args); n > 1 {
					s.replace(row.Args[0].Span.To(row.Args[n-1].Span),
						join(rotate(row.Args), ", ", func(a *syntax.Expr) string {
							return s.at(a.Span)
						}))
				}
			}
		}
	}
}

func rotate[T any](list []T) []T {
	if len(list) == 0 {
		return list
	}
	return append(slices.Clone(list[1:]), list[0])
}

// renamed gives everything another name, except for properties and instances, by which results are
// compared.
var renamed = Rewrite{Name: "renamed", Keeps: States, data: true, apply: func(s *source) error {
	const letters = "qzxkw"
	for _, d := range s.table.Declarations {
		if d.Kind == names.Formula || d.Kind == names.Instance ||
			strings.HasPrefix(d.Name.Text, `"`) || !s.some() {
			continue // a string is a value of its own
		}
		prefix := string(letters[s.rng.Intn(len(letters))])
		if syntax.IsCapital(d.Name.Text) {
			prefix = strings.ToUpper(prefix)
		}
		name := s.fresh(prefix + "_" + d.Name.Text)
		if d.Kind == names.Sort { // its elements end in numbers
			name = s.fresh(name + "_s")
		}
		for _, o := range d.Uses {
			s.replace(o.Span, name)
		}
	}
	return nil
}}
