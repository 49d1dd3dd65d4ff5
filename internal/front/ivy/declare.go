package ivy

import (
	"strings"

	"erelong.dev/erelong/internal/diag"
	"erelong.dev/erelong/internal/front/parse"
)

func (l *loader) typeDecl(d *typeDecl, s *scope) {
	t := &sort{name: s.path + d.name.text, span: d.span, home: s, ops: map[string]*symbol{}}
	if d.name.text == "this" {
		t.name, s.this = strings.TrimSuffix(s.path, "."), t
		own := s.entity
		if own == nil {
			l.errorf(diag.UnresolvedSort, d.span,
				"'this' is the type of an object, and here is none")
			return
		}
		if own.typ != nil {
			l.errorf(diag.Duplicate, d.span, "'%s' is declared twice", t.name).Because(own.span,
				"it is declared here")
			return
		}
		own.typ = t
	} else {
		l.enter(s, d.name, &entity{typ: t, span: d.name.span})
	}
	l.sorts = append(l.sorts, t)
	switch {
	case d.lo != "":
		t.kind, t.lo, t.hi = sortRange, d.lo, d.hi
	case len(d.members) > 0:
		t.kind = sortEnum
		for i, m := range d.members {
			t.members = append(t.members, m.text)
			l.enter(s, m,
				&entity{sym: &symbol{name: s.path + m.text, span: m.span, scope: s,
					result: known(t), enum: t, member: i}, span: m.span})
		}
	case d.structs:
		t.structs = true
		for i, f := range d.fields {
			sym := &symbol{name: s.path + f.name.text, word: "field", span: f.name.span, scope: s,
				result: &cell{}, field: t}
			sym.args = []*cell{known(t)}
			args := d.args[i]
			l.enter(s, f.name, &entity{sym: sym, span: f.name.span})
			l.symbols = append(l.symbols, sym)
			t.fields = append(t.fields, sym)
			l.later = append(l.later, func() {
				for _, a := range args {
					sym.args = append(sym.args, known(l.sortOf(a.typ, s)))
				}
				sym.result = l.resultOf("function", f.typ, s)
			})
		}
	}
}

// resultOf is the type of a symbol's values.
func (l *loader) resultOf(word string, typ name, s *scope) *cell {
	switch {
	case word == "relation":
		return known(boolean)
	case typ.text == "":
		return &cell{}
	}
	return known(l.sortOf(typ, s))
}

func (l *loader) symbolDecl(d *symbolDecl, s *scope) {
	sym := &symbol{name: s.path + d.name.text, word: d.word, span: d.name.span, scope: s,
		params: s.params, def: d.def}
	sym.result = &cell{}
	if d.def != nil {
		l.distinct(d.args)
	}
	for _, a := range d.args {
		v := &variable{name: a.name.text, typ: &cell{}, span: a.name.span}
		sym.formals = append(sym.formals, v)
		sym.args = append(sym.args, v.typ)
	}
	operator := isOperator(d.name.text)
	if !operator {
		l.enter(s, d.name, &entity{sym: sym, span: d.name.span})
	}
	l.symbols = append(l.symbols, sym)
	l.later = append(l.later, func() {
		for i, a := range d.args {
			if a.typ.text != "" {
				unify(sym.args[i], known(l.sortOf(a.typ, s)))
			}
		}
		unify(sym.result, l.resultOf(d.word, d.typ, s))
		if d.word == "destructor" && len(sym.args) > 0 && sym.args[0].root().sort != nil {
			t := sym.args[0].root().sort
			t.structs, sym.field = true, t
			t.fields = append(t.fields, sym)
		}
		if operator {
			l.operatorSymbol(sym, d.name)
		}
	})
}

func isOperator(n string) bool { return parse.Symbol(n, lexicon.Symbols) == n }

// operatorSymbol enters an operator on the values of a type.
func (l *loader) operatorSymbol(sym *symbol, n name) {
	t := sym.args[0].root().sort
	if t == nil {
		t = sym.args[len(sym.args)-1].root().sort
	}
	if t == nil {
		l.errorf(diag.NoSort, n.span, "the type on which '%s' is declared is not given", n.text)
		return
	}
	if t.ops[n.text] != nil {
		l.errorf(diag.Duplicate, n.span, "'%s' is declared twice on %s", n.text,
			t.name).Because(t.ops[n.text].span, "it is declared here")
		return
	}
	sym.name, sym.operator = t.name+"."+operatorNames[n.text], n.text
	for _, a := range sym.args {
		unify(a, known(t))
	}
	if n.text == "<" || n.text == "<=" {
		unify(sym.result, known(boolean))
	} else {
		unify(sym.result, known(t))
	}
	t.ops[n.text] = sym
}

var operatorNames = map[string]string{"<": "less", "<=": "at_most", ">": "greater",
	">=": "at_least", "+": "plus", "-": "minus", "*": "times", "/": "div", "*>": "pto"}
