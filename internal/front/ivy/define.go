package ivy

import (
	"slices"

	"erelong.dev/erelong/internal/diag"
)

// distinct refuses a definition with a parameter twice: it would be about some arguments only.
func (l *loader) distinct(formals []binder) {
	for i, a := range formals {
		for _, b := range formals[:i] {
			if a.name.text == b.name.text {
				l.errorf(diag.Duplicate, a.name.span,
					"the parameter '%s' occurs twice in the definition", a.name.text).
					Because(b.name.span, "it is declared here")
			}
		}
	}
}

// definitions attaches definitions to the symbols that they define.
func (l *loader) definitions() {
	for _, p := range l.pending {
		d, s := p.decl, p.scope
		var formals []*variable
		l.distinct(d.args)
		for _, a := range d.args {
			v := &variable{name: a.name.text, typ: &cell{}, span: a.name.span}
			if a.typ.text != "" {
				unify(v.typ, known(l.sortOf(a.typ, s)))
			}
			formals = append(formals, v)
		}
		var sym *symbol
		if isOperator(d.name.text) {
			sym = &symbol{word: "function", span: d.name.span, scope: s, result: &cell{},
				formals: formals}
			for _, f := range formals {
				sym.args = append(sym.args, f.typ)
			}
			if t := formals[0].typ.root().sort; t != nil && t.ops[d.name.text] != nil {
				sym = t.ops[d.name.text]
			} else {
				l.operatorSymbol(sym, d.name)
				l.symbols = append(l.symbols, sym)
			}
		} else {
			if numeral(d.name.text) {
				l.refuse(d.span, "the definition of a numeral")
				continue
			}
			e := l.dotted(d.name, s)
			if e == nil { // it declares the symbol, too
				sym = &symbol{name: s.path + d.name.text, word: "function", span: d.name.span,
					scope: s, params: s.params, result: &cell{}}
				for _, f := range formals {
					sym.args = append(sym.args, f.typ)
				}
				l.enter(s, d.name, &entity{sym: sym, span: d.name.span})
				l.symbols = append(l.symbols, sym)
			} else if sym = e.sym; sym == nil {
				l.errorf(diag.NotCallable, d.name.span, "'%s' is no function", d.name.text)
				continue
			}
		}
		if sym.def != nil {
			l.errorf(diag.Duplicate, d.span, "'%s' is defined twice",
				sym.name).Because(sym.def.span, "it is defined here")
			continue
		}
		if len(formals) != len(sym.args) {
			l.errorf(diag.WrongArguments, d.span, "'%s' takes %d arguments, but here it has %d",
				sym.name, len(sym.args), len(formals)).
				Because(sym.span, "it is declared here")
			continue
		}
		for i, f := range formals {
			if !unify(f.typ, sym.args[i]) {
				l.errorf(diag.SortMismatch, f.span,
					"'%s' has another type in the declaration of '%s'", f.name, sym.name)
			}
		}
		if d.typ.text != "" {
			unify(sym.result, known(l.sortOf(d.typ, s)))
		}
		sym.def, sym.formals, sym.scope = d.body, formals, s
	}
}

// define elaborates the definition of a symbol, once.
func (l *loader) define(s *symbol) {
	if s.def == nil || s.body != nil {
		return
	}
	if s.def.op == nativeCode {
		l.errs.Warnf(diag.IvyReadOver, s.def.span,
			"code in another language defines '%s'; here it may have any values", s.name)
		s.def = nil
		return
	}
	if s.operator != "" && s.args[0].root().sort.number() {
		t := s.args[0].root().sort
		l.errorf(diag.Duplicate, s.def.span,
			"'%s' on %s is defined here, but %s is interpreted as %s, which gives it its meaning",
			s.operator, t.name, t.name, t.as)
		s.def = nil
		return
	}
	if s.busy {
		s.recursive = true
		return
	}
	s.busy = true
	e := &elaborator{l: l, scope: s.scope, nofree: "a definition has only its own parameters"}
	e.bound = append(slices.Clone(s.params), s.formals...)
	x := e.want(s.def, s.result)
	e.complete(x)
	s.busy = false
	if !s.recursive {
		s.body = x
		return
	}
	// Only proofs use it, and it may have no solution: it is not assumed.
	l.errs.Warnf(diag.IvyReadOver, s.def.span,
		"'%s' is defined in terms of itself; here it may have any values", s.name)
	s.def, s.loose = nil, x
}

// looseDefinitions refuses a definition in terms of itself that reads what steps change: its
// values, which may be any, would have to change, too.
func (l *loader) looseDefinitions() {
	seen := map[*symbol]bool{}
	var reads func(x *expr) *symbol
	reads = func(x *expr) *symbol {
		if s := x.sym; s != nil && !seen[s] {
			seen[s] = true
			if s.assigned {
				return s
			}
			for _, body := range []*expr{s.body, s.loose} {
				if body != nil {
					if found := reads(body); found != nil {
						return found
					}
				}
			}
		}
		for _, a := range x.args {
			if found := reads(a); found != nil {
				return found
			}
		}
		return nil
	}
	for _, s := range l.symbols {
		if s.loose == nil {
			continue
		}
		clear(seen)
		if found := reads(s.loose); found != nil {
			l.refuse(s.span,
				"the definition of '%s' in terms of itself, which reads '%s', and so changes,",
				s.name, found.name)
		}
	}
}
