package flat

import (
	"erelong.dev/erelong/internal/diag"
	"erelong.dev/erelong/internal/front/ere/syntax"
)

// global is the meaning of a name of the file.
type global struct {
	name    syntax.Name
	params  []*typ
	result  *typ
	symbol  *syntax.SymbolDecl
	def     *syntax.DefinitionDecl // also a transition
	action  *syntax.ActionDecl
	ctor    *ctor // of the variant that is the result
	formula bool  // a named property, axiom or initial condition
	begun   bool  // a definition whose result is known, or is being found
}

// scope holds the variables that are bound around an expression, with their types.
type scope struct {
	outer *scope
	name  string
	typ   *typ
}

func (s *scope) find(name string) *typ {
	for ; s != nil; s = s.outer {
		if s.name == name {
			return s.typ
		}
	}
	return nil
}

func (s *scope) with(name string, t *typ) *scope { return &scope{s, name, t} }

// declareGlobal enters a name. A formula may have the name of a symbol or of a function of the
// language, which the name then means.
func (f *known) declareGlobal(n syntax.Name, g *global) {
	g.name = n
	before, ok := f.globals[n.Text]
	switch {
	case g.formula && f.builtins[n.Text] != nil && !ok:
	case !ok, before.formula && g.symbol != nil:
		f.globals[n.Text] = g
	case g.formula && before.symbol != nil:
	default:
		f.errs.Errorf(diag.Duplicate, n.Span, "'%s' is declared twice", n.Text).
			Because(before.name.Span, "it is declared here").
			Suggest("Give one of the two another name, or delete it.")
	}
}

// readGlobals enters what the file declares.
func (f *known) readGlobals() {
	types := func(sorts []*syntax.SortExpr) (out []*typ) {
		for _, s := range sorts {
			out = append(out, f.typeAt(s, nil))
		}
		return out
	}
	for _, d := range f.file.Decls {
		switch d := d.(type) {
		case *syntax.SymbolDecl:
			g := &global{symbol: d, params: types(d.Args), result: boolType}
			for i, at := range d.Args {
				f.checkElements(at, g.params[i],
					"a relation or function cannot have arguments")
			}
			if d.Result != nil {
				g.result = f.typeAt(d.Result, nil)
			}
			f.declareGlobal(d.Name, g)
		case *syntax.EnumDecl:
			for _, m := range d.Members {
				f.declareGlobal(m, &global{result: &typ{form: scalar, name: d.Name.Text,
					sort: &syntax.SortExpr{Name: d.Name.Text}}})
			}
		case *syntax.TypeDecl:
			f.declareCtors(d)
		case *syntax.DefinitionDecl:
			g := &global{def: d, result: boolType}
			if d.Result != nil {
				g.result = f.typeAt(d.Result, nil)
			}
			for _, b := range d.Params {
				g.params = append(g.params, f.binderType(b))
			}
			f.declareGlobal(d.Name, g)
		case *syntax.ActionDecl:
			f.declareGlobal(d.Name, &global{action: d, result: boolType})
		case *syntax.FormulaDecl:
			if d.Name.Text != "" {
				f.declareGlobal(d.Name, &global{result: boolType, formula: true})
			}
		}
	}
}

func (f *known) declareCtors(d *syntax.TypeDecl) {
	if d.Sort.Data == nil || d.Sort.Data.Form != syntax.VariantType ||
		f.types[d.Name.Text] == nil ||
		f.sorts[d.Name.Text] != syntax.Decl(d) {
		return
	}
	t := f.types[d.Name.Text]
	for i, c := range t.ctors {
		f.declareGlobal(d.Sort.Data.Cases[i].Name, &global{params: c.parts, result: t, ctor: c})
	}
}

// binderType is the type of a variable, unknown unless it is written.
func (f *known) binderType(b *syntax.Binder) *typ {
	if t, ok := f.binders[b]; ok {
		return t
	}
	t := newUnknown()
	if b.Sort != nil {
		t = f.typeAt(b.Sort, nil)
	}
	f.binders[b] = t
	return t
}
