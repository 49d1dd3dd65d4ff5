package flat

import (
	"erelong.dev/erelong/internal/diag"
	"erelong.dev/erelong/internal/front/ere/syntax"
)

// typer finds the types of expressions, by unification.
type typer struct {
	*known
	typeOf map[*syntax.Expr]*typ
	free   []freeVariable // of the formula that is being inferred
	freeOf map[*syntax.Expr][]freeVariable
}

// inferAll finds the types of all expressions.
func (f *typer) inferAll() {
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

func (f *typer) inferRank(d *syntax.RankDecl) {
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
func (f *typer) inferDefinition(g *global, d *syntax.DefinitionDecl) {
	if g == nil || g.def != d || g.begun {
		return
	}
	g.begun = true
	var env *scope
	for i, b := range d.Params {
		env = env.with(b.Name.Text, g.params[i])
		if b.In != nil && !d.Transition {
			f.errs.Errorf(diag.Unsupported, b.Name.Span, "a parameter of a definition has a type").
				Suggest("Write %s: T, and say in the definition what it is an element of.",
					b.Name.Text)
		}
	}
	if d.Transition {
		env = f.bindAll(d.Params, nil)
	}
	if d.FairIf != nil {
		f.formula(d.FairIf, env)
	}
	if d.Measure != nil {
		f.closed(d.Measure, env, intType)
		for _, free := range f.freeOf[d.Measure] {
			f.errs.Errorf(diag.UnresolvedName, d.Measure.Span, "'%s' is not declared", free.name)
		}
	}
	f.closed(d.Expr, env, g.result)
}

// formula infers a formula that is closed: capital letters in it that are not declared stand for
// every value.
func (f *typer) formula(x *syntax.Expr, env *scope) { f.closed(x, env, boolType) }

func (f *typer) closed(x *syntax.Expr, env *scope, t *typ) {
	outer := f.free
	f.free = nil
	f.want(x, env, t)
	f.freeOf[x] = f.free
	f.free = outer
}

// capital is the type of an undeclared capital letter.
func (f *typer) capital(name string) *typ {
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
func (f *typer) bindAll(bs []*syntax.Binder, env *scope) *scope {
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
func (f *typer) wantElement(x *syntax.Expr, env *scope, element *typ) {
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

func (f *typer) inferBlock(stmts []syntax.Stmt, env *scope) {
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
func (f *typer) inferAssign(s *syntax.AssignStmt, env *scope) {
	root := rootOf(s.Target)
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
func (f *typer) want(x *syntax.Expr, env *scope, t *typ) {
	if got := f.infer(x, env); !unify(t, got) {
		f.mismatch(x, got, t, "")
	}
}

// mismatch reports two types of which one is structured; package check reports the other ones.
func (f *typer) mismatch(x *syntax.Expr, got, want *typ, why string) {
	if got.plain() && want.plain() {
		return
	}
	d := f.errs.Errorf(diag.SortMismatch, x.Span, "this has type %s, but %s is expected", got, want)
	if why != "" {
		d.Because(diag.Span{}, "%s", why)
	}
	switch {
	case x.Kind == syntax.ExprSeq && len(x.Args) == 0 && (want.is(set) || want.is(mapping)),
		x.Kind == syntax.ExprSet && len(x.Args) == 0 && (want.is(seq) || want.is(mapping)):
		d.Suggest("An empty set is {}, an empty sequence is [], an empty map is [:].")
	case got.is(record) && want.is(record):
		d.Suggest("%s has the fields %s.", want, list(want.root().fields))
	case want.is(scalar) && want.root().name == "int" && got.is(set):
		d.Suggest("Sets are joined by union, and cut by intersect and minus; size(s) is a number.")
	case want.is(scalar) && collection(got) != nil:
		d.Suggest("A %s is the value of a symbol that is declared so: mutable constant x: %s.",
			collection(got).word(), got)
	}
}

func (f *typer) infer(x *syntax.Expr, env *scope) *typ {
	t := f.inferBare(x, env)
	f.typeOf[x] = t
	return t
}

// wantAll infers expressions that have one type.
func (f *typer) wantAll(xs []*syntax.Expr, env *scope, t *typ) *typ {
	for _, x := range xs {
		f.want(x, env, t)
	}
	return t
}

// wantSame is wantAll for the elements of a set, sequence or map. Package check need not see them
// side by side, so that a mixture is reported here.
func (f *typer) wantSame(xs []*syntax.Expr, env *scope, t *typ) *typ {
	for _, x := range xs {
		got := f.infer(x, env)
		switch {
		case unify(t, got):
		case t.is(scalar) && got.is(scalar):
			f.errs.Errorf(diag.SortMismatch, x.Span, "this is a value of %s, and there are values "+
				"of %s beside it", got, t).
				Suggest("Let the elements have one type, such as type t = a(n: int) | b(c: bool).")
		default:
			f.mismatch(x, got, t, "")
		}
	}
	return t
}

func (f *typer) inferBare(x *syntax.Expr, env *scope) *typ {
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
func (f *typer) inferName(x *syntax.Expr, env *scope) *typ {
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
func (f *typer) inferOption(x *syntax.Expr, env *scope) *typ {
	switch {
	case x.Name.Text == "none" && len(x.Args) == 0:
		return optionOf(newUnknown())
	case x.Name.Text == "some" && len(x.Args) == 1:
		return optionOf(f.infer(x.Args[0], env))
	}
	return nil
}
