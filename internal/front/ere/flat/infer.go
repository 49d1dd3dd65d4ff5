package flat

import (
	"erelong.dev/erelong/internal/diag"
	"erelong.dev/erelong/internal/front/ere/syntax"
)

// global is the meaning of a name of the file.
type global struct {
	name   syntax.Name
	params []*typ
	result *typ
	symbol *syntax.SymbolDecl
	def    *syntax.DefinitionDecl // also a transition
	action *syntax.ActionDecl
	ctor   *ctor // of the variant that is the result
	begun  bool  // a definition whose result is known, or is being found
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

func (f *flattener) declareGlobal(n syntax.Name, g *global) {
	g.name = n
	if before, ok := f.globals[n.Text]; ok && before.symbol == nil {
		if g.ctor != nil || before.ctor != nil {
			f.errs.Errorf(diag.Duplicate, n.Span, "'%s' is declared twice", n.Text).
				Because(before.name.Span, "it is declared here").
				Suggest("Give one of the two another name.")
		}
		return
	}
	f.globals[n.Text] = g
}

// readGlobals enters what the file declares.
func (f *flattener) readGlobals() {
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
				f.declareGlobal(d.Name, &global{result: boolType})
			}
		}
	}
}

func (f *flattener) declareCtors(d *syntax.TypeDecl) {
	if d.Sort.Data == nil || d.Sort.Data.Form != syntax.VariantType || f.types[d.Name.Text] == nil {
		return
	}
	t := f.types[d.Name.Text]
	for i, c := range t.ctors {
		f.declareGlobal(d.Sort.Data.Cases[i].Name, &global{params: c.parts, result: t, ctor: c})
	}
}

// binderType is the type of a variable, unknown unless it is written.
func (f *flattener) binderType(b *syntax.Binder) *typ {
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

// inferAll finds the types of all expressions.
func (f *flattener) inferAll() {
	for _, d := range f.file.Decls {
		switch d := d.(type) {
		case *syntax.SymbolDecl:
			if d.Derived != nil {
				f.formula(d.Derived, nil)
			}
		case *syntax.FormulaDecl:
			f.formula(d.Expr, nil)
		case *syntax.DefinitionDecl:
			f.inferDefinition(f.globals[d.Name.Text], d)
		case *syntax.ActionDecl:
			env := f.bindAll(d.Params, nil)
			if d.FairIf != nil {
				f.formula(d.FairIf, env)
			}
			f.inferBlock(d.Body, env)
		case *syntax.TraceDecl:
			for _, c := range d.Components {
				if c.Assert != nil {
					f.formula(c.Assert, nil)
				}
				for _, call := range c.Calls {
					for _, a := range call.Args {
						if a != nil {
							f.infer(a, nil)
						}
					}
				}
			}
		case *syntax.RankDecl:
			f.inferRank(d)
		}
	}
}

func (f *flattener) inferRank(d *syntax.RankDecl) {
	var env *scope
	for _, item := range d.Items {
		inner := f.bindAll(item.Binders, env)
		if item.Word == "choose" {
			env = inner
		}
		for _, a := range item.Args {
			f.infer(a, inner)
		}
		for _, n := range item.Params {
			inner = inner.with(n.Text, newUnknown())
		}
		if item.Expr != nil {
			f.infer(item.Expr, inner)
		}
	}
}

// inferDefinition finds the types of a definition, whose parameters may get theirs from its body.
func (f *flattener) inferDefinition(g *global, d *syntax.DefinitionDecl) {
	if g == nil || g.def != d || g.begun {
		return
	}
	g.begun = true
	var env *scope
	for i, b := range d.Params {
		env = env.with(b.Name.Text, g.params[i])
	}
	if d.FairIf != nil {
		f.formula(d.FairIf, env)
	}
	f.closed(d.Expr, env, g.result)
}

// formula infers a formula that is closed: capital letters in it that are not declared stand for
// every value.
func (f *flattener) formula(x *syntax.Expr, env *scope) { f.closed(x, env, boolType) }

func (f *flattener) closed(x *syntax.Expr, env *scope, t *typ) {
	outer := f.free
	f.free = nil
	f.want(x, env, t)
	f.freeOf[x] = f.free
	f.free = outer
}

// capital is the type of an undeclared capital letter.
func (f *flattener) capital(name string) *typ {
	for _, v := range f.free {
		if v.name == name {
			return v.typ
		}
	}
	f.free = append(f.free, freeVariable{name, newUnknown()})
	return f.free[len(f.free)-1].typ
}

// freeVariable is a capital letter that stands for every value of its type.
type freeVariable struct {
	name string
	typ  *typ
}

// bindAll enters variables; each may stand for the elements of a set over the ones before it.
func (f *flattener) bindAll(bs []*syntax.Binder, env *scope) *scope {
	for _, b := range bs {
		t := f.binderType(b)
		if b.In != nil {
			f.wantElement(b.In, env, t)
		}
		env = env.with(b.Name.Text, t)
	}
	return env
}

// wantElement infers a set, sequence or map of which something is an element or key.
func (f *flattener) wantElement(x *syntax.Expr, env *scope, element *typ) {
	t := f.infer(x, env).root()
	switch t.form {
	case set, seq, mapping:
		if !unify(t.parts[0], element) {
			f.mismatch(x, t.parts[0], element, "the elements have the type of the variable")
		}
	case unknown:
		unify(t, setOf(element))
	default:
		d := f.errs.Errorf(diag.SortMismatch, x.Span, "this has type %s, and is no set", t)
		if _, ok := f.sorts[x.Name.Text]; ok || t.form == scalar {
			d.Suggest("A variable of a sort is written x: %s.", t)
		}
	}
}

func (f *flattener) inferBlock(stmts []syntax.Stmt, env *scope) {
	for _, s := range stmts {
		switch s := s.(type) {
		case *syntax.RequireStmt:
			f.formula(s.Cond, env)
		case *syntax.IfStmt:
			f.formula(s.Cond, env)
			f.inferBlock(s.Then, env)
			f.inferBlock(s.Else, env)
		case *syntax.LetStmt:
			t := f.binderType(s.Binder)
			f.want(s.Value, env, t)
			env = env.with(s.Binder.Name.Text, t)
		case *syntax.ChooseStmt:
			inner := f.bindAll([]*syntax.Binder{s.Binder}, env)
			if s.Such != nil {
				f.formula(s.Such, inner)
			}
			if s.Block {
				f.inferBlock(s.Body, inner)
			} else {
				env = inner
			}
		case *syntax.MatchStmt:
			f.inferArms(s.Value, s.Arms, env, func(a *syntax.Arm, inner *scope) {
				f.inferBlock(a.Body, inner)
			})
		case *syntax.AssignStmt:
			f.inferAssign(s, env)
		}
	}
}

// inferAssign knows that a capital letter that is an argument of the target stands for every value.
func (f *flattener) inferAssign(s *syntax.AssignStmt, env *scope) {
	root := s.Target
	for root.Kind == syntax.ExprAt || root.Kind == syntax.ExprField {
		root = root.Args[0]
	}
	for _, a := range root.Args {
		if a.Kind == syntax.ExprName && !a.Applied && syntax.IsCapital(a.Name.Text) &&
			env.find(a.Name.Text) == nil && f.globals[a.Name.Text] == nil {
			env = env.with(a.Name.Text, newUnknown())
		}
	}
	t := f.infer(s.Target, env)
	if s.Value != nil {
		f.want(s.Value, env, t)
	}
}

// want infers an expression that must have a type.
func (f *flattener) want(x *syntax.Expr, env *scope, t *typ) {
	if got := f.infer(x, env); !unify(t, got) {
		f.mismatch(x, got, t, "")
	}
}

// mismatch reports two types of which one is structured; package check reports the other ones.
func (f *flattener) mismatch(x *syntax.Expr, got, want *typ, why string) {
	if got.plain() && want.plain() {
		return
	}
	d := f.errs.Errorf(diag.SortMismatch, x.Span, "this has type %s, but %s is expected", got, want)
	if why != "" {
		d.Because(diag.Span{}, "%s", why)
	}
	if want.is(scalar) && collection(got) != nil {
		d.Suggest("A %s is the value of a symbol that is declared so: mutable constant x: %s.",
			collection(got).word(), got)
	}
}

func (f *flattener) infer(x *syntax.Expr, env *scope) *typ {
	t := f.inferBare(x, env)
	f.typeOf[x] = t
	return t
}

// wantAll infers expressions that have one type.
func (f *flattener) wantAll(xs []*syntax.Expr, env *scope, t *typ) *typ {
	for _, x := range xs {
		f.want(x, env, t)
	}
	return t
}

func (f *flattener) inferBare(x *syntax.Expr, env *scope) *typ {
	switch x.Kind {
	case syntax.ExprName, syntax.ExprOld:
		return f.inferName(x, env)
	case syntax.ExprNew:
		return f.infer(x.Args[0], env)
	case syntax.ExprInt:
		return intType
	case syntax.ExprAdd, syntax.ExprSub, syntax.ExprMul, syntax.ExprDiv, syntax.ExprMod,
		syntax.ExprNeg:
		f.wantAll(x.Args, env, intType)
		return intType
	case syntax.ExprLt, syntax.ExprLe, syntax.ExprGt, syntax.ExprGe:
		f.wantAll(x.Args, env, intType)
		return boolType
	case syntax.ExprEq, syntax.ExprNe, syntax.ExprDistinct:
		f.wantAll(x.Args, env, newUnknown())
		return boolType
	case syntax.ExprForall, syntax.ExprExists:
		f.want(x.Args[0], f.bindAll(x.Binders, env), boolType)
		return boolType
	case syntax.ExprIf:
		f.want(x.Args[0], env, boolType)
		return f.wantAll(x.Args[1:], env, newUnknown())
	case syntax.ExprLet:
		t := f.binderType(x.Binders[0])
		f.want(x.Args[0], env, t)
		return f.infer(x.Args[1], env.with(x.Binders[0].Name.Text, t))
	}
	if x.Kind >= syntax.ExprIn {
		return f.inferData(x, env)
	}
	f.wantAll(x.Args, env, boolType)
	return boolType
}

// inferName infers a name: a variable, a declared name, or a function of the language.
func (f *flattener) inferName(x *syntax.Expr, env *scope) *typ {
	name := x.Name.Text
	if x.Kind == syntax.ExprOld && f.globals["old"] == nil {
		return f.infer(x.Args[0], env)
	}
	if t := env.find(name); t != nil {
		return t
	}
	g := f.globals[name]
	if g == nil {
		if b, ok := f.builtins[name]; ok && x.Applied {
			return f.inferBuiltin(x, b, env)
		}
		if t := f.inferOption(x, env); t != nil {
			return t
		}
		for _, a := range x.Args {
			f.infer(a, env)
		}
		if f.otherWords(x); syntax.IsCapital(name) && !x.Applied {
			return f.capital(name)
		}
		return newUnknown()
	}
	if g.def != nil {
		f.inferDefinition(g, g.def)
	}
	for i, a := range x.Args {
		if i < len(g.params) {
			f.want(a, env, g.params[i])
		} else {
			f.infer(a, env)
		}
	}
	if g.ctor != nil && len(x.Args) != len(g.params) {
		f.errs.Errorf(diag.WrongArguments, x.Span, "'%s' takes %d values, but here it has %d", name,
			len(g.params), len(x.Args)).Because(g.name.Span, "it is declared here").
			Suggest("Write a value for each field: %s(%s).", name, fieldTexts(g.ctor.fields,
				g.ctor.parts))
	}
	return g.result
}

// inferOption infers `none` and `some(x)`.
func (f *flattener) inferOption(x *syntax.Expr, env *scope) *typ {
	switch {
	case x.Name.Text == "none" && len(x.Args) == 0:
		return optionOf(newUnknown())
	case x.Name.Text == "some" && len(x.Args) == 1:
		return optionOf(f.infer(x.Args[0], env))
	}
	return nil
}

// inferData infers the expressions of structured data.
func (f *flattener) inferData(x *syntax.Expr, env *scope) *typ {
	switch x.Kind {
	case syntax.ExprIn:
		f.wantElement(x.Args[1], env, f.infer(x.Args[0], env))
		return boolType
	case syntax.ExprSubset:
		f.wantAll(x.Args, env, setOf(newUnknown()))
		return boolType
	case syntax.ExprUnion, syntax.ExprIntersect, syntax.ExprMinus:
		return f.wantAll(x.Args, env, setOf(newUnknown()))
	case syntax.ExprWith, syntax.ExprWithout:
		return f.inferChange(x, env)
	case syntax.ExprField:
		return f.inferField(x, env)
	case syntax.ExprAt:
		return f.inferAt(x, env)
	case syntax.ExprIs:
		t := f.infer(x.Args[0], env)
		f.knownCtor(t, x.Args[0], x.Name)
		return boolType
	case syntax.ExprRecord:
		t := &typ{form: record}
		for i, a := range x.Args {
			t.fields = append(t.fields, x.Fields[i].Text)
			t.parts = append(t.parts, f.infer(a, env))
		}
		f.checkNames(x.Fields, "field")
		return t
	case syntax.ExprTuple:
		t := &typ{form: record}
		for i, a := range x.Args {
			t.fields = append(t.fields, itoa(i+1))
			t.parts = append(t.parts, f.infer(a, env))
		}
		return t
	case syntax.ExprSet:
		return setOf(f.wantAll(x.Args, env, newUnknown()))
	case syntax.ExprSeq:
		return seqOf(f.wantAll(x.Args, env, newUnknown()))
	case syntax.ExprMap:
		t := &typ{form: mapping, parts: []*typ{newUnknown(), newUnknown()}}
		for i, a := range x.Args {
			f.want(a, env, t.parts[i%2])
		}
		return t
	case syntax.ExprEach:
		inner := f.bindAll(x.Binders, env)
		if len(x.Args) > 1 {
			f.want(x.Args[1], inner, boolType)
		}
		return setOf(f.infer(x.Args[0], inner))
	}
	result := newUnknown() // of a match
	f.inferArms(x.Args[0], x.Arms, env, func(a *syntax.Arm, inner *scope) {
		f.want(a.Value, inner, result)
	})
	return result
}

// inferChange infers `a with b` and `a without b`.
func (f *flattener) inferChange(x *syntax.Expr, env *scope) *typ {
	t := f.infer(x.Args[0], env).root()
	switch {
	case t.form == record && x.Kind == syntax.ExprWith && x.Args[1].Kind == syntax.ExprRecord:
		change := x.Args[1]
		for i, a := range change.Args {
			part := t.field(change.Fields[i].Text)
			if part == nil {
				f.noField(change.Fields[i], t)
				part = newUnknown()
			}
			f.want(a, env, part)
		}
	case t.form == mapping && x.Kind == syntax.ExprWith:
		f.want(x.Args[1], env, t)
	case t.form == mapping:
		f.want(x.Args[1], env, t.parts[0])
	case t.form == seq && x.Kind == syntax.ExprWith && x.Args[1].Kind == syntax.ExprMap:
		for i, a := range x.Args[1].Args {
			f.want(a, env, []*typ{intType, t.parts[0]}[i%2])
		}
	case t.form == set, t.form == unknown:
		elem := newUnknown()
		unify(t, setOf(elem))
		f.want(x.Args[1], env, t.root().parts[0])
	default:
		f.errs.Errorf(diag.SortMismatch, x.Span, "a value of type %s has no elements to add or "+
			"take away", t).
			Suggest("Write s with e for a set, m with [k: v] for a map, r with { f: v } for a " +
				"record, append(s, e) for a sequence.")
	}
	return t
}

func (f *flattener) noField(name syntax.Name, t *typ) {
	d := f.errs.Errorf(diag.UnresolvedName, name.Span, "%s has no field '%s'", t, name.Text)
	names := t.root().fields
	for _, c := range t.root().ctors {
		names = append(names, c.fields...)
	}
	if near := diag.Closest(name.Text, names); near != "" {
		d.DidYouMean(near)
	} else if len(names) > 0 {
		d.Suggest("Its fields are %s.", list(names))
	}
}

func (f *flattener) inferField(x *syntax.Expr, env *scope) *typ {
	t := f.infer(x.Args[0], env).root()
	switch t.form {
	case record:
		if part := t.field(x.Name.Text); part != nil {
			return part
		}
	case variant:
		var found *typ
		for _, c := range t.ctors {
			for i, name := range c.fields {
				if name != x.Name.Text {
					continue
				}
				if found == nil {
					found = c.parts[i]
				} else if !unify(found, c.parts[i]) {
					f.errs.Errorf(diag.SortMismatch, x.Span, "the field '%s' has different types "+
						"in different constructors of %s", name, t).
						Suggest("Write match, and say for each constructor what is meant.")
				}
			}
		}
		if found != nil {
			return found
		}
	case unknown:
		f.errs.Errorf(diag.NoSort, x.Args[0].Span, "the type of this is not known here, so "+
			"neither are its fields").Suggest("Write the type where the variable is declared, " +
			"as in x: TYPE.")
		return newUnknown()
	case seq, set, mapping:
		if words[x.Name.Text] != "" {
			f.errs.Errorf(diag.UnresolvedName, x.Name.Span, "a %s has no fields", t.word()).
				Suggest("Write %s.", words[x.Name.Text])
			return newUnknown()
		}
	}
	if t.form == record || t.form == variant {
		f.noField(x.Name, t)
	} else {
		f.errs.Errorf(diag.UnresolvedName, x.Name.Span, "a value of type %s has no fields", t)
	}
	return newUnknown()
}

func (f *flattener) inferAt(x *syntax.Expr, env *scope) *typ {
	t := f.infer(x.Args[0], env).root()
	switch t.form {
	case seq:
		f.want(x.Args[1], env, intType)
		f.checkFirst(x.Args[1])
		return t.parts[0]
	case mapping:
		f.want(x.Args[1], env, t.parts[0])
		return t.parts[1]
	}
	f.infer(x.Args[1], env)
	d := f.errs.Errorf(diag.SortMismatch, x.Args[0].Span, "a value of type %s has no elements "+
		"with positions or keys", t)
	if t.form == set {
		d.Suggest("Write e in s to ask for an element of a set.")
	} else if x.Args[0].Kind == syntax.ExprName {
		d.Suggest("The arguments of a function stand in parentheses: %s(...).", x.Args[0].Name.Text)
	}
	return newUnknown()
}

// checkFirst refuses the position 0: sequences begin with 1.
func (f *flattener) checkFirst(i *syntax.Expr) {
	if i.Kind == syntax.ExprInt && i.Int.Sign() == 0 {
		f.errs.Errorf(diag.BadValue, i.Span, "the first element of a sequence is at position 1").
			Suggest("Write 1, or first(s).")
	}
}

// knownCtor finds a constructor of a type, and reports where there is none.
func (f *flattener) knownCtor(t *typ, at *syntax.Expr, name syntax.Name) *ctor {
	t = t.root()
	if t.form == unknown {
		if g := f.globals[name.Text]; g != nil && g.ctor != nil {
			unify(t, g.result)
			t = t.root()
		}
	}
	if t.form != variant {
		f.errs.Errorf(diag.SortMismatch, at.Span, "this has type %s, which has no constructors", t)
		return nil
	}
	if c := t.ctor(name.Text); c != nil {
		return c
	}
	var names []string
	for _, c := range t.ctors {
		names = append(names, c.name)
	}
	d := f.errs.Errorf(diag.UnresolvedName, name.Span, "%s has no constructor '%s'", t, name.Text)
	if near := diag.Closest(name.Text, names); near != "" {
		d.DidYouMean(near)
	} else {
		d.Suggest("Its constructors are %s.", list(names))
	}
	return nil
}

// inferArms infers a match, whose arms name each constructor once.
func (f *flattener) inferArms(
	value *syntax.Expr, arms []*syntax.Arm, env *scope, body func(*syntax.Arm, *scope),
) {
	t := f.infer(value, env)
	seen := map[string]bool{}
	for _, a := range arms {
		c := f.knownCtor(t, value, a.Case)
		inner := env
		if c != nil && len(a.Variables) != len(c.parts) && len(a.Variables) > 0 {
			f.errs.Errorf(diag.WrongArguments, a.Span, "'%s' has %d fields, and here %d variables",
				c.name, len(c.parts), len(a.Variables)).
				Suggest("Write a variable for each field: %s(%s).", c.name, list(c.fields))
		}
		for i, b := range a.Variables {
			v := f.binderType(b)
			if c != nil && i < len(c.parts) && !unify(v, c.parts[i]) {
				f.mismatch(value, c.parts[i], v, "")
			}
			inner = inner.with(b.Name.Text, v)
		}
		if seen[a.Case.Text] {
			f.errs.Errorf(diag.Duplicate, a.Case.Span, "'%s' occurs twice in this match",
				a.Case.Text)
		}
		seen[a.Case.Text] = true
		body(a, inner)
	}
	var missing []string
	for _, c := range t.root().ctors {
		if !seen[c.name] {
			missing = append(missing, c.name)
		}
	}
	if len(missing) > 0 {
		f.errs.Errorf(diag.Syntax, value.Span, "this match says nothing about %s", list(missing)).
			Suggest("Add what is meant for every constructor.")
	}
}
