// Package ivy reads protocol models of Ivy (#lang ivy1.3 to ivy1.8).
//
// In: a file. Out: the same transition system as a syntax tree of erelong's language, with the
// positions of the file, and the specification that package ere makes of it; or diagnostics. What
// is not read is refused by name.
//
// The meaning is that of McMillan and Padon, Ivy: a multi-modal verification tool for distributed
// algorithms (CAV 2020), and of Ivy's own documents: an exported action, with everything that it
// calls, is one step; invariants hold between steps; what an action requires of its caller is
// assumed of the environment, and is an obligation of actions that call it. Isolates are read over:
// all claims are about the whole program.
package ivy

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"erelong.dev/erelong/internal/diag"
	"erelong.dev/erelong/internal/front/ere"
	"erelong.dev/erelong/internal/front/ere/printer"
	"erelong.dev/erelong/internal/front/ere/syntax"
	"erelong.dev/erelong/internal/front/parse"
)

// Extension reports whether a file is for this package, by its name.
func Extension(path string) bool { return strings.EqualFold(filepath.Ext(path), ".ivy") }

// Read makes a specification of a text; name is what messages call it, and beside reads the files
// that it includes. The error is a *diag.List when the text is at fault. Warnings come back in any
// case.
func Read(
	ctx context.Context, name, text string, beside func(path string) ([]byte, error),
) (*ere.Specification, *diag.List, error) {
	errs := &diag.List{}
	file := Tree(name, text, beside, errs)
	if err := errs.Err(); err != nil {
		errs.Sort()
		return nil, errs, err
	}
	spec, err := ere.Build(ctx, file, errs)
	return spec, errs, err
}

// Text writes a file of Ivy in erelong's language. Names with dots get underscores. The error is a
// *diag.List when the text is at fault.
func Text(name, text string) (string, error) {
	errs := &diag.List{}
	file := Tree(name, text, os.ReadFile, errs)
	if err := errs.Err(); err != nil {
		errs.Sort()
		return "", err
	}
	return printer.Text(name, file.Decls)
}

// Tree reads a text, and writes it as a specification. After an error the tree is not complete.
func Tree(
	name, text string, beside func(path string) ([]byte, error), errs *diag.List,
) *syntax.File {
	src := diag.NewSource(name, text)
	file := &syntax.File{Source: src}
	v := versionOf(src, errs)
	decls := read(src, v, errs)
	if errs.Err() != nil {
		return file
	}
	l := &loader{src: src, errs: errs, beside: beside, version: v, included: map[string]bool{},
		library: map[*diag.Source]string{},
		globals: map[string]bool{}}
	l.root = &scope{names: map[string]*entity{}}
	l.collect(decls, l.root)
	for i := 0; i < len(l.later); i++ {
		l.later[i]()
	}
	l.definitions()
	for _, s := range l.symbols {
		l.define(s)
	}
	if errs.Err() == nil {
		file.Decls, file.Included = l.declarations(), l.files
	}
	return file
}

// declarations writes everything.
func (l *loader) declarations() []syntax.Decl {
	for _, s := range l.symbols {
		l.globals[s.name] = true
	}
	for _, t := range l.sorts {
		for _, m := range t.members {
			l.globals[m] = true
		}
	}
	for _, a := range l.actions {
		l.globals[a.name] = true
	}
	var steps, flags []syntax.Decl
	for _, a := range l.actions {
		if a.exported || !l.exports {
			s, f := l.step(a)
			steps, flags = append(steps, s...), append(flags, f...)
		}
	}
	inits := l.initialisation()
	l.looseDefinitions()
	claims := l.properties()
	checkFragment(l)
	l.doubts(slices.Concat(flags, claims))
	var out []syntax.Decl
	for _, t := range l.sorts {
		switch t.kind {
		case sortUninterpreted:
			out = append(out,
				&syntax.SortDecl{Span: t.span,
					Name: syntax.Name{Text: l.sortName(t), Span: t.span}})
		case sortEnum:
			d := &syntax.EnumDecl{Span: t.span,
				Name: syntax.Name{Text: l.sortName(t), Span: t.span}}
			for _, m := range t.members {
				d.Members = append(d.Members, syntax.Name{Text: memberName(t, m), Span: t.span})
			}
			out = append(out, d)
		}
	}
	for _, s := range l.symbols {
		if s.def == nil {
			out = append(out, l.symbol(s)...)
		}
	}
	// What is assumed comes before the steps.
	for _, d := range claims {
		if d, ok := d.(*syntax.FormulaDecl); ok && (d.Word == "axiom" || d.Word == "init") {
			out = append(out, d)
		}
	}
	claims = slices.DeleteFunc(claims, func(d syntax.Decl) bool { return slices.Contains(out, d) })
	return slices.Concat(out, flags, inits, steps, claims)
}

// memberName is the name of a member of an enumeration: it stands beside the type.
func memberName(t *sort, m string) string {
	if t.home != nil {
		return t.home.path + m
	}
	return m
}

// symbol declares a symbol, and says which integers its values are.
func (l *loader) symbol(s *symbol) []syntax.Decl {
	args := s.arguments()
	for _, a := range append(slices.Clone(args), s.result) {
		if a.root().sort == nil {
			l.errorf(diag.NoSort, s.span, "the type of '%s' is not given, and cannot be inferred",
				s.name)
			return nil
		}
	}
	n := syntax.Name{Text: l.symbolName(s), Span: s.span}
	d := &syntax.SymbolDecl{Span: s.span, Name: n, Mutable: s.assigned}
	for _, a := range args {
		d.Args = append(d.Args, l.sortExpr(a.root().sort, s.span))
	}
	result := s.result.root().sort
	switch {
	case result.kind == sortBool:
		d.Word = "relation"
	case len(args) > 0:
		d.Word, d.Result = "function", l.sortExpr(result, s.span)
	default:
		d.Word, d.Result = "constant", l.sortExpr(result, s.span)
	}
	out := []syntax.Decl{d}
	if !result.partial() {
		return out
	}
	w := &writer{l: l, vars: map[*variable]*syntax.Expr{}, taken: map[string]bool{}}
	vars, x := s.point()
	formula := func() *syntax.Expr {
		return w.quantified(opForall, vars, s.span, func() *syntax.Expr {
			return within(result, w.expr(x))
		})
	}
	if !s.assigned {
		return append(out, &syntax.FormulaDecl{Span: s.span, Word: "axiom", Expr: formula()})
	}
	word := "nat"
	if result.kind == sortBits {
		word = "bits"
	}
	return append(out, &syntax.FormulaDecl{Span: s.span, Word: "init", Expr: formula()},
		&syntax.FormulaDecl{Span: s.span, Word: "invariant",
			Name: syntax.Name{Text: word + ":" + s.name, Span: s.span}, Expr: formula()})
}

// arguments are the types of all arguments.
func (s *symbol) arguments() (out []*cell) {
	for _, p := range s.params {
		out = append(out, p.typ)
	}
	return append(out, s.args...)
}

// point is the symbol at every point.
func (s *symbol) point() ([]*variable, *expr) {
	x := &expr{op: opSymbol, span: s.span, sym: s, typ: s.result}
	var vars []*variable
	for i, a := range s.arguments() {
		v := &variable{name: fmt.Sprintf("X%d", i+1), typ: a, span: s.span}
		vars = append(vars, v)
		x.args = append(x.args, &expr{op: opVar, span: s.span, v: v, typ: a})
	}
	return vars, x
}

// properties writes axioms, initial conditions, properties and invariants.
func (l *loader) properties() (out []syntax.Decl) {
	taken := map[string]bool{}
	for _, c := range l.claims {
		d := c.decl
		e := &elaborator{l: l, scope: c.scope}
		x := e.formula(d.term)
		e.complete(x)
		if e.failed {
			continue
		}
		if s := assignedFirst(x); d.word == "init" && s != nil {
			l.refuse(d.span, "'init' about '%s', which 'after init' assigns,", s.name)
			continue
		}
		w := &writer{l: l, vars: map[*variable]*syntax.Expr{}, taken: map[string]bool{}}
		f := &syntax.FormulaDecl{Span: d.span,
			Word: map[string]string{"axiom": "axiom", "init": "init",
				"property": "theorem"}[d.word], States: 1}
		if f.Word == "" {
			f.Word = "safety"
		}
		switch trusted := c.scope.trusts(); {
		case trusted && f.Word == "theorem":
			f.Word = "axiom"
		case trusted && f.Word == "safety":
			f.Word = "trusted"
		}
		if n := c.scope.path + d.label.text; d.label.text != "" && !parse.Digit(d.label.text[0]) &&
			!l.globals[n] && !taken[n] && f.Word != "axiom" {
			taken[n] = true
			f.Name = syntax.Name{Text: n, Span: d.label.span}
		}
		before := l.open
		l.open = nil
		f.Expr = w.quantified(opForall, e.free, d.term.span, func() *syntax.Expr {
			return w.expr(x)
		})
		switch {
		case l.open != nil && (f.Word == "theorem" || f.Word == "safety"):
			f.Doubt = loosely(l.open)
			l.open = before // what is claimed restricts nothing
		case l.open == nil:
			l.open = before
		}
		if f.Doubt == "" && f.Word == "theorem" && !d.proof.IsZero() {
			f.Doubt = "the file has a proof of it, which may use what is not assumed otherwise"
		}
		out = append(out, f)
	}
	return out
}

// loosely says why what depends on a symbol without its definition is not known to be false.
func loosely(s *symbol) string {
	return fmt.Sprintf("'%s' is defined in terms of itself, and has any values here", s.name)
}

// doubts marks all claims, if steps or assumptions depend on a symbol without its definition.
func (l *loader) doubts(claims []syntax.Decl) {
	if l.open == nil {
		return
	}
	for _, d := range claims {
		if f, ok := d.(*syntax.FormulaDecl); ok && f.Doubt == "" {
			f.Doubt = loosely(l.open)
		}
	}
}

// assignedFirst finds a symbol in a term that an initialisation assigns, nil if there is none.
func assignedFirst(x *expr) *symbol {
	if x.op == opSymbol && x.sym.initial {
		return x.sym
	}
	if x.op == opSymbol && x.sym.body != nil {
		if s := assignedFirst(x.sym.body); s != nil {
			return s
		}
	}
	for _, a := range x.args {
		if s := assignedFirst(a); s != nil {
			return s
		}
	}
	return nil
}
