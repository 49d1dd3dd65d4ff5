package ivy

import (
	"maps"
	"slices"
	"strings"

	"erelong.dev/erelong/internal/diag"
)

// object enters an object. Sections are parts of the object around them, and a second object with
// the same name continues the first.
func (l *loader) object(d *objectDecl, s *scope) {
	if d.name.text == "" {
		if d.word == "common" && len(s.params) > 0 {
			l.refuse(d.span, "'common' in an object with parameters")
		}
		l.collect(d.body, s)
		return
	}
	l.isolates = l.isolates || d.word == "isolate" || d.word == "trusted"
	if len(d.listed) > 0 {
		l.later = append(l.later, func() { listed(l, d, s) })
		return
	}
	sub := l.sub(s, d.name, d.params)
	if sub == nil {
		return
	}
	if d.typed {
		l.typeDecl(&typeDecl{span: d.name.span, name: name{"this", d.name.span}}, sub)
	}
	sub.trusted = sub.trusted || d.trusted
	sub.verified = sub.verified || d.word == "isolate" && !d.trusted
	l.collect(d.body, sub)
}

// listed notes what an isolate lists: what it verifies, or what is trusted unless another isolate
// verifies it.
func listed(l *loader, d *objectDecl, s *scope) {
	for _, n := range d.listed {
		if e := l.dotted(n, s); e != nil && e.sub != nil {
			if d.trusted {
				e.sub.trusted = true
			} else {
				e.sub.verified = true
			}
		}
	}
}

// trusts reports whether what an object promises is assumed: it is trusted, or an object around it.
func (s *scope) trusts() bool {
	for ; s != nil; s = s.parent {
		own := s
		if s.entity != nil && s.entity.sub != nil { // s may be a view of it
			own = s.entity.sub
		}
		if own.trusted || own.verified {
			return !own.verified
		}
	}
	return false
}

// sub gives the scope of an object.
func (l *loader) sub(s *scope, n name, params []binder) *scope {
	if e := s.names[n.text]; e != nil && e.sub != nil {
		return e.sub
	}
	sub := &scope{parent: s, path: s.path + n.text + ".", names: map[string]*entity{},
		params: slices.Clone(s.params)}
	l.enter(s, n, &entity{sub: sub, span: n.span})
	if sub.entity = s.names[n.text]; sub.entity.sub != sub {
		return nil
	}
	for _, p := range params {
		v := &variable{name: p.name.text, typ: &cell{}, span: p.name.span}
		sub.params = append(sub.params, v)
		sub.names[p.name.text] = &entity{param: v, span: p.name.span}
		if p.typ.text == "" {
			l.errorf(diag.NoSort, p.name.span, "the parameter '%s' of an object needs a type",
				p.name.text)
			continue
		}
		l.later = append(l.later, func() { unify(v.typ, known(l.sortOf(p.typ, s))) })
	}
	return sub
}

// instance expands an instance of a module.
func (l *loader) instance(d *instanceDecl, s *scope) {
	e := l.dotted(d.module, s)
	if e == nil || e.module == nil {
		lacks(l.errorf(diag.UnresolvedName, d.module.span, "there is no module '%s'",
			d.module.text), slices.Sorted(maps.Values(l.library))...)
		return
	}
	m := e.module.decl
	if len(m.params) != len(d.args) {
		l.errorf(diag.WrongArguments, d.span,
			"the module '%s' takes %d arguments, but here it has %d", m.name.text, len(m.params),
			len(d.args)).
			Because(m.name.span, "it is declared here")
		return
	}
	into := s
	if d.name.text != "" {
		if into = l.sub(s, d.name, d.params); into == nil {
			return
		}
		into.library = l.library[m.name.span.Source]
	}
	// The body is read in the object that instantiates it. Its parameters are names for what the
	// arguments mean here; the names that the module sees around it come next.
	if len(m.params) > 0 {
		into = l.view(into, s, m, d)
	}
	l.collect(m.body, into)
}

// view is an object as a module sees it that is expanded into it: the same names, and beside them
// the module's parameters.
func (l *loader) view(into, s *scope, m *moduleDecl, d *instanceDecl) *scope {
	around := &scope{parent: into.parent, names: map[string]*entity{}}
	if d.name.text == "" {
		around.parent = s.parent
	}
	for i, p := range m.params {
		a := d.args[i]
		e := into.names[a.text] // a parameter of the instance itself
		if d.name.text != "" && e != nil && e.param != nil {
			around.names[p.text] = e
			continue
		}
		if isOperator(a.text) || a.text == "=" || a.text == "~=" {
			e = &entity{op: a.text, span: a.span}
		} else if e = l.dotted(a, s); e == nil {
			switch {
			case a.text == "bool":
				e = &entity{typ: boolean, span: a.span}
			case numeral(a.text) || a.text == "true" || a.text == "false" ||
				strings.Contains(a.text, "["):
				e = &entity{op: a.text, span: a.span}
			default:
				l.errorf(diag.UnresolvedName, a.span, "'%s' is not declared", a.text)
				e = &entity{op: a.text, span: a.span}
			}
		}
		around.names[p.text] = e
	}
	if d.name.text != "" {
		into.parent = around
		return into
	}
	return &scope{parent: around, path: into.path, params: into.params, names: into.names,
		entity: into.entity, this: into.this}
}
