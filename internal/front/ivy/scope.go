package ivy

import (
	"fmt"
	"strings"

	"erelong.dev/erelong/internal/diag"
	"erelong.dev/erelong/internal/front/parse"
)

// sortKind is the kind of a type.
type sortKind int

const (
	sortUninterpreted sortKind = iota
	sortBool
	sortEnum
	sortInt
	sortNat   // integers from 0 on; subtraction ends at 0
	sortBits  // integers from 0 to 2^bits - 1; arithmetic wraps around
	sortRange // integers from lo to hi
)

// sort is a type.
type sort struct {
	kind    sortKind
	name    string
	span    diag.Span
	members []string
	bits    int
	lo, hi  string
	fields  []*symbol // of a structure: its destructors
	structs bool
	as      string // what it is interpreted as
	// where its operations are: the object with the type's name, or the one that declares it
	home *scope
	ops  map[string]*symbol
}

// number reports whether values are integers.
func (s *sort) number() bool {
	return s.kind == sortInt || s.kind == sortNat || s.kind == sortBits || s.kind == sortRange
}

var boolean = &sort{kind: sortBool, name: "bool"}

// variable is a variable of a formula, a parameter of an object, or a parameter of a definition.
type variable struct {
	name string
	typ  *cell
	span diag.Span
}

// symbol is a relation, a function or an individual. The parameters of the objects around it are
// its first arguments.
type symbol struct {
	name   string
	word   string
	span   diag.Span
	scope  *scope
	params []*variable
	args   []*cell // without params
	result *cell
	// A definition: the body over formals, after the parameters of the objects.
	def     *term
	formals []*variable
	body    *expr
	busy    bool
	// recursive says that the definition mentions the symbol. It is then loose, and not assumed.
	recursive bool
	loose     *expr
	assigned  bool   // by an action, so it is mutable
	initial   bool   // by an initialisation
	member    int    // of an enumeration, with enum
	enum      *sort  // nil for other symbols
	numeral   string // of a numeral of an uninterpreted type
	field     *sort  // the structure that it is a field of
	operator  string // that it is, on the type of its arguments
}

// action is an action with everything that is done at its calls.
type action struct {
	name           string
	decl           *actionDecl
	scope          *scope
	before, after  []*mixin
	implementation *mixin
	exported       bool
}

type mixin struct {
	decl  *mixinDecl
	scope *scope
}

// entity is what a name means. An object may have the name of a type.
type entity struct {
	typ    *sort
	sym    *symbol
	act    *action
	sub    *scope
	module *module
	param  *variable
	op     string // an operator, as the argument of a module
	span   diag.Span
}

type module struct {
	decl  *moduleDecl
	scope *scope
}

// scope is an object: the names in it.
type scope struct {
	parent  *scope
	path    string // with a dot at the end, or empty
	params  []*variable
	names   map[string]*entity
	entity  *entity // this object; nil for the file
	this    *sort
	library string // the one whose module the object is an instance of; empty for none
	// trusted says that what the object promises is assumed, verified that it is not.
	trusted, verified bool
	warned            bool // of that
}

// find looks a name up here, and then around. Without a scope nothing has a name.
func (s *scope) find(n string) *entity {
	for ; s != nil; s = s.parent {
		if e := s.names[n]; e != nil {
			return e
		}
	}
	return nil
}

// claim is an axiom, property, invariant or initial condition.
type claim struct {
	decl  *formulaDecl
	scope *scope
}

type initial struct {
	decl  *mixinDecl
	scope *scope
}

// loader holds what the phases share.
type loader struct {
	src     *diag.Source
	errs    *diag.List
	version version
	root    *scope
	beside  func(path string) ([]byte, error) // reads what is included

	sorts    []*sort
	symbols  []*symbol
	actions  []*action
	claims   []claim
	inits    []initial
	pending  []pendingDef
	later    []func() // what needs all names
	exports  bool
	isolates bool // there are some
	depth    int
	included map[string]bool
	library  map[*diag.Source]string // the files of Ivy's library that were included
	files    []*diag.Source          // that were included, without the library

	globals map[string]bool // names that a local must not have
	// open is a symbol without its definition that was written, nil if there was none.
	open *symbol
}

type pendingDef struct {
	decl  *definitionDecl
	scope *scope
}

func (l *loader) errorf(
	code diag.Code, span diag.Span, format string, args ...any,
) *diag.Diagnostic {
	return l.errs.Errorf(code, span, format, args...)
}

func (l *loader) refuse(span diag.Span, format string, args ...any) {
	l.errorf(diag.IvyConstruct, span, "%s is not supported in Ivy files",
		fmt.Sprintf(format, args...))
}

// collect enters the declarations of an object, and expands instances of modules.
func (l *loader) collect(decls []decl, s *scope) {
	if len(decls) == 0 {
		return
	}
	if l.depth++; l.depth > 100 {
		l.errorf(diag.TooDeep, decls[0].pos(), "objects and modules are nested more than 100 deep")
		l.depth--
		return
	}
	defer func() { l.depth-- }()
	for _, d := range decls {
		if len(l.errs.All) > 50 {
			return
		}
		l.collectOne(d, s)
	}
}

func (l *loader) collectOne(d decl, s *scope) {
	switch d := d.(type) {
	case *typeDecl:
		l.typeDecl(d, s)
	case *symbolDecl:
		l.symbolDecl(d, s)
	case *definitionDecl:
		l.pending = append(l.pending, pendingDef{d, s})
	case *formulaDecl:
		l.claims = append(l.claims, claim{d, s})
	case *moduleDecl:
		l.enter(s, d.name, &entity{module: &module{d, s}, span: d.name.span})
	case *objectDecl:
		l.object(d, s)
	case *instanceDecl:
		l.instance(d, s)
	case *actionDecl:
		a := &action{name: s.path + d.name.text, decl: d, scope: s, exported: d.export == "export"}
		l.exports = l.exports || a.exported
		l.enter(s, d.name, &entity{act: a, span: d.name.span})
		l.actions = append(l.actions, a)
	case *mixinDecl:
		if d.word == "after" && d.name.text == "init" {
			l.inits = append(l.inits, initial{d, s})
			return
		}
		l.later = append(l.later, func() { l.mixin(d, s) })
	case *portDecl:
		l.exports = l.exports || d.word == "export"
		l.later = append(l.later, func() { l.port(d, s) })
	case *interpretDecl:
		l.later = append(l.later, func() { l.interpret(d, s) })
	case *aliasDecl:
		l.alias(d, s)
	case *includeDecl:
		l.include(d, s)
	case *readOverDecl:
		if d.note != "" {
			l.errs.Warnf(diag.IvyReadOver, d.span, "%s", d.note)
		}
	}
}

// enter adds a name to an object. The entity of an object and of a type may share it.
func (l *loader) enter(s *scope, n name, e *entity) {
	before := s.names[n.text]
	if before == nil {
		s.names[n.text] = e
		return
	}
	switch {
	case e.module != nil && before.module != nil && before.span.Source != e.span.Source:
		s.names[n.text] = e // in the place of a module of an included file
	case e.typ != nil && before.typ == nil && before.sub != nil:
		before.typ = e.typ
	case e.sub != nil && before.sub == nil && before.typ != nil:
		before.sub = e.sub
	default:
		l.errorf(diag.Duplicate, n.span, "'%s' is declared twice", n.text).Because(before.span,
			"it is declared here")
	}
}

// sortOf finds a type by its name.
func (l *loader) sortOf(n name, s *scope) *sort {
	if n.text == "bool" {
		return boolean
	}
	bad := &sort{name: n.text, span: n.span, home: s, ops: map[string]*symbol{}}
	if strings.Contains(n.text, "[") {
		l.refuse(n.span, "the type '%s'", n.text)
		return bad
	}
	e := l.dotted(n, s)
	if e == nil || e.typ == nil && (e.sub == nil || e.sub.this == nil) {
		// An object with a type t stands for it in older files.
		if e != nil && e.sub != nil && e.sub.names["t"] != nil && e.sub.names["t"].typ != nil {
			return e.sub.names["t"].typ
		}
		l.errorf(diag.UnresolvedSort, n.span, "there is no type '%s'", n.text)
		return bad
	}
	if e.typ != nil {
		return e.typ
	}
	return e.sub.this
}

// dotted finds what a dotted name means.
func (l *loader) dotted(n name, s *scope) *entity {
	parts := strings.Split(n.text, ".")
	var e *entity
	if parts[0] == "this" {
		at := s
		for len(parts) == 1 && at.this == nil && at.parent != nil {
			at = at.parent // the type of an object around
		}
		if len(parts) > 1 || at.this == nil {
			at = s
		}
		e = &entity{sub: at, typ: at.this}
	} else {
		e = s.find(parts[0])
	}
	for _, p := range parts[1:] {
		if e == nil {
			return nil
		}
		switch {
		case e.sub != nil && e.sub.names[p] != nil:
			e = e.sub.names[p]
		case e.typ != nil && e.typ.home != nil && e.typ.home.names[p] != nil:
			e = e.typ.home.names[p]
		default:
			return nil
		}
	}
	return e
}

func numeral(s string) bool { return s != "" && (parse.Digit(s[0]) || s[0] == '"') }

func (l *loader) alias(d *aliasDecl, s *scope) {
	e := l.dotted(d.of, s)
	if e == nil {
		if d.of.text == "bool" {
			e = &entity{typ: boolean}
		} else {
			l.errorf(diag.UnresolvedName, d.of.span, "'%s' is not declared", d.of.text)
			return
		}
	}
	copied := *e
	copied.span = d.span
	l.enter(s, d.name, &copied)
}

// actionOf finds an action by its name.
func (l *loader) actionOf(n name, s *scope) *action {
	e := l.dotted(n, s)
	if e == nil || e.act == nil {
		l.errorf(diag.UnresolvedName, n.span, "there is no action '%s'", n.text)
		return nil
	}
	return e.act
}

func (l *loader) mixin(d *mixinDecl, s *scope) {
	a := l.actionOf(d.name, s)
	if a == nil {
		return
	}
	m := &mixin{d, s}
	switch d.word {
	case "before":
		a.before = append(a.before, m)
	case "after":
		a.after = append(a.after, m)
	default:
		if a.implementation != nil {
			l.errorf(diag.Duplicate, d.span, "the action '%s' is implemented twice",
				a.name).Because(a.implementation.decl.span, "it is implemented here")
		}
		a.implementation = m
	}
}

func (l *loader) port(d *portDecl, s *scope) {
	e := l.dotted(d.name, s)
	if e != nil && e.act == nil && e.sub != nil { // an object: all of its actions
		for _, a := range l.actions {
			if strings.HasPrefix(a.name, e.sub.path) {
				a.exported = a.exported || d.word == "export"
			}
		}
		return
	}
	if a := l.actionOf(d.name, s); a != nil {
		a.exported = a.exported || d.word == "export"
	}
}

// interpret gives a type its interpretation.
func (l *loader) interpret(d *interpretDecl, s *scope) {
	if isOperator(d.name.text) {
		l.refuse(d.span, "an interpreted operator")
		return
	}
	e := l.dotted(d.name, s)
	if e != nil && e.typ == nil && e.sym != nil {
		l.refuse(d.span, "an interpreted function")
		return
	}
	t := l.sortOf(d.name, s)
	as := d.as
	if p := s.find(as.text); p != nil && p.op != "" {
		as.text = p.op // the argument of a module
	}
	t.as = as.text
	switch {
	case d.native:
		l.errs.Warnf(diag.IvyReadOver, d.span,
			"code in another language gives the type '%s' its values; here it may have any", t.name)
	case d.hi != "":
		t.kind, t.lo, t.hi = sortRange, d.lo, d.hi
		t.as = fmt.Sprintf("{%s..%s}", d.lo, d.hi)
	case as.text == "int":
		t.kind = sortInt
	case as.text == "nat":
		t.kind = sortNat
	case strings.HasPrefix(as.text, "bv["):
		var bits int
		if n, err := fmt.Sscanf(as.text, "bv[%d]", &bits); n != 1 || err != nil || bits < 1 ||
			bits > 1024 {
			l.refuse(d.span, "the interpretation '%s'", as.text)
			return
		}
		t.kind, t.bits = sortBits, bits
	case as.text == "bool":
		t.kind = sortBool
	default:
		l.refuse(d.span, "the interpretation '%s'", as.text)
	}
}
