package rewrite

import (
	"cmp"
	"fmt"
	"reflect"
	"slices"
	"strings"

	"erelong.dev/erelong/internal/front/ere/names"
	"erelong.dev/erelong/internal/front/ere/syntax"
)

// Data are the rewrites between structured and other data: a record is its fields, a set is a
// relation, a sequence is a function and a size, and the other way round.
var Data = []Rewrite{fields, relation, function, record, set}

// errDepend refuses to put statements in the place of one of which a later one would read what an
// earlier one changes.
var errDepend = fmt.Errorf("%w: several values depend on each other", ErrNothing)

// recast says what is read of a variable, and what is assigned to it, by other variables.
type recast struct {
	*source
	of []*syntax.SymbolDecl
	// read is another text of an expression that applies the variable, or takes a part of it; ok
	// is false where the expression has none.
	read func(x *syntax.Expr) (text string, ok bool)
	// assign is the text of statements in the place of an assignment to the variable.
	assign func(st *syntax.AssignStmt) (string, error)
	said   map[int]bool // the places of the names that were read or assigned to
}

// do changes the text.
func (r *recast) do() error {
	r.said = map[int]bool{}
	assigned := map[*syntax.Expr]bool{}
	for _, st := range assignmentsIn(r.file.Decls) {
		if root := rootOf(st.Target); r.applied(root) {
			text, err := r.assign(st)
			if err != nil {
				return err
			}
			r.replace(st.Span, strings.TrimSuffix(text, ";"))
			r.said[root.Name.Span.Start] = true
			assigned[st.Target], assigned[st.Value] = true, true
		}
	}
	for _, x := range expressionsIn(r.file.Decls) {
		if text := r.show(x); !assigned[x] && text != r.at(x.Span) {
			r.replace(x.Span, text)
		}
	}
	for _, d := range r.table.Declarations {
		if d.Symbol() == nil || !slices.Contains(r.of, d.Symbol()) {
			continue
		}
		for _, o := range d.Uses {
			if !o.Declares && !r.said[o.Span.Start] {
				return fmt.Errorf("%w: %s stands where only a name can", ErrNothing, d.Name.Text)
			}
		}
	}
	return nil
}

// applied reports whether an expression applies the variable in the state of its place.
func (r *recast) applied(x *syntax.Expr) bool {
	d := r.declarationOf(x)
	return d != nil && x.Primes == 0 && d.Symbol() != nil && slices.Contains(r.of, d.Symbol())
}

// show is the text of an expression in other words.
func (r *recast) show(x *syntax.Expr) string {
	if r.applied(x) {
		r.said[x.Name.Span.Start] = true
	}
	if text, ok := r.read(x); ok {
		return text
	}
	parts := expressionsIn(*x)
	var b strings.Builder
	at := x.Span.Start
	for _, a := range parts {
		b.WriteString(r.file.Source.Text[at:a.Span.Start])
		b.WriteString(r.show(a))
		at = a.Span.End
	}
	return b.String() + r.file.Source.Text[at:x.Span.End]
}

// point is the text of arguments, with further ones.
func (r *recast) point(args []*syntax.Expr, more ...string) string {
	var texts []string
	for _, a := range args {
		texts = append(texts, r.show(a))
	}
	if texts = append(texts, more...); len(texts) == 0 {
		return ""
	}
	return "(" + strings.Join(texts, ", ") + ")"
}

// valueOf is the text of the value of an assignment, in parentheses. What the value is made of
// changes while several statements take the place of one, so there a name stands for it: before is
// its declaration. It is an error where a point in the target stands for every value.
func (r *recast) valueOf(st *syntax.AssignStmt, text string) (value, before string, err error) {
	root := rootOf(st.Target)
	if !r.depends(root.Args...) && !r.depends(st.Value) && st.Target == root {
		return "(" + text + ")", "", nil
	}
	if r.depends(root.Args...) || slices.ContainsFunc(root.Args, r.isPoint) {
		return "", "", errDepend
	}
	value = r.fresh("value")
	return value, "let " + value + ": " + r.at(r.of[0].Result.Span) + " = " + text + ";\n  ", nil
}

// depends reports whether expressions read the variable, or may by a definition.
func (r *recast) depends(xs ...*syntax.Expr) bool {
	return slices.ContainsFunc(xs, func(x *syntax.Expr) bool {
		d := r.declarationOf(x)
		return r.applied(x) || d != nil && d.Kind == names.Definition ||
			r.depends(expressionsIn(*x)...)
	})
}

// rootOf is what the target of an assignment is a part of.
func rootOf(x *syntax.Expr) *syntax.Expr {
	for x.Kind != syntax.ExprName {
		x = x.Args[0]
	}
	return x
}

// expressionsIn lists the expressions in a tree that are not parts of others, as the text has them.
func expressionsIn(tree any) []*syntax.Expr { return found[*syntax.Expr](tree) }

// assignmentsIn lists the assignments in a tree.
func assignmentsIn(tree any) []*syntax.AssignStmt { return found[*syntax.AssignStmt](tree) }

func found[T interface {
	*syntax.Expr | *syntax.AssignStmt
	comparable
}](tree any) (out []T) {
	var visit func(v reflect.Value)
	visit = func(v reflect.Value) {
		switch v.Kind() {
		case reflect.Pointer, reflect.Interface:
			if x, ok := v.Interface().(T); ok && x != nil {
				out = append(out, x)
			} else if !v.IsNil() {
				visit(v.Elem())
			}
		case reflect.Slice:
			for i := range v.Len() {
				visit(v.Index(i))
			}
		case reflect.Struct:
			for i := range v.NumField() {
				if v.Type().Field(i).IsExported() {
					visit(v.Field(i))
				}
			}
		}
	}
	visit(reflect.ValueOf(tree))
	slices.SortStableFunc(out, func(a, b T) int { return cmp.Compare(start(a), start(b)) })
	return slices.Compact(out) // variables in a list have one sort
}

func start(x any) int {
	switch x := x.(type) {
	case *syntax.Expr:
		return x.Span.Start
	case *syntax.AssignStmt:
		return x.Span.Start
	}
	panic("rewrite: a tree without a place")
}

// data is the type of structured data that a sort stands for, nil for another one.
func data(s *source, sort *syntax.SortExpr) *syntax.DataType {
	for sort != nil && sort.Data == nil {
		i := slices.IndexFunc(s.file.Decls, func(d syntax.Decl) bool {
			t, ok := d.(*syntax.TypeDecl)
			return ok && t.Name.Text == sort.Name
		})
		if i < 0 {
			return nil
		}
		sort = s.file.Decls[i].(*syntax.TypeDecl).Sort
	}
	if sort == nil {
		return nil
	}
	return sort.Data
}

// variables lists the mutable symbols that satisfy a condition, and of which nothing else in the
// file says what form they have.
func variables(s *source, is func(*syntax.SymbolDecl) bool) (out []*syntax.SymbolDecl) {
	for _, d := range s.file.Decls {
		d, ok := d.(*syntax.SymbolDecl)
		if ok && d.Mutable && d.Derived == nil && len(d.Annotations) == 0 && !s.tabled(d) &&
			is(d) {
			out = append(out, d)
		}
	}
	return out
}

// structured lists the variables with a form of data.
func structured(s *source, forms ...syntax.DataForm) []*syntax.SymbolDecl {
	return variables(s, func(d *syntax.SymbolDecl) bool {
		t := data(s, d.Result)
		return t != nil && slices.Contains(forms, t.Form)
	})
}

// declared is the declaration of a variable, with further arguments.
func (r *recast) declared(name, result string, more ...string) string {
	d := r.of[0]
	p := &parts{word: "function", name: name, result: result}
	if result == "bool" {
		p.word, p.result = "relation", ""
	}
	for _, a := range d.Args {
		p.args = append(p.args, r.at(a.Span))
	}
	p.args = append(p.args, more...)
	return p.text(d)
}

// declare puts declarations in the place of the one of a variable.
func declare(s *source, d *syntax.SymbolDecl, lines ...string) {
	text := strings.Join(lines, "\n")
	s.redeclare(d, "", func(p *parts) { p.instead = &text })
}

// hasNumbers reports whether a type has numbers or sequences, which may be outside of a range.
func hasNumbers(s *source, sort *syntax.SortExpr) bool {
	if sort.Name == "int" || sort.Name == "" && sort.Data == nil {
		return true
	}
	t := data(s, sort)
	if t == nil {
		alias := slices.ContainsFunc(s.file.Decls, func(d syntax.Decl) bool {
			t, ok := d.(*syntax.TypeDecl)
			return ok && t.Name.Text == sort.Name && hasNumbers(s, t.Sort)
		})
		return alias
	}
	of := slices.Clone(t.Parts)
	for _, c := range t.Cases {
		of = append(of, c.Parts...)
	}
	return t.Form == syntax.SeqType ||
		slices.ContainsFunc(of, func(p *syntax.SortExpr) bool { return hasNumbers(s, p) })
}

// hasCollections reports whether a type has sets, sequences or maps.
func hasCollections(s *source, sort *syntax.SortExpr) bool {
	t := data(s, sort)
	if t == nil {
		return false
	}
	of := slices.Clone(t.Parts)
	for _, c := range t.Cases {
		of = append(of, c.Parts...)
	}
	return t.Form >= syntax.SetType ||
		slices.ContainsFunc(of, func(p *syntax.SortExpr) bool { return hasCollections(s, p) })
}
