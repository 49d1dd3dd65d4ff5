package flat

import (
	"erelong.dev/erelong/internal/diag"
	"erelong.dev/erelong/internal/front/ere/syntax"
)

// inferData infers the expressions of structured data.
func (f *typer) inferData(x *syntax.Expr, env *scope) *typ {
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
			t.meant = append(t.meant, f.names(x.Fields[i], t.parts[i]))
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
		return setOf(f.wantSame(x.Args, env, newUnknown()))
	case syntax.ExprSeq:
		return seqOf(f.wantSame(x.Args, env, newUnknown()))
	case syntax.ExprMap:
		t := &typ{form: mapping, parts: []*typ{newUnknown(), newUnknown()}}
		for i, a := range x.Args {
			f.wantSame([]*syntax.Expr{a}, env, t.parts[i%2])
		}
		return t
	case syntax.ExprEach:
		inner := f.bindAll(x.Binders, env)
		if len(x.Args) > 1 {
			f.want(x.Args[1], inner, boolType)
		}
		return setOf(f.infer(x.Args[0], inner))
	case syntax.ExprMapEach:
		inner := f.bindAll(x.Binders, env)
		if k := x.Args[0]; len(x.Binders) != 1 || k.Kind != syntax.ExprName || k.Applied ||
			k.Name.Text != x.Binders[0].Name.Text {
			f.errs.Errorf(diag.Syntax, k.Span, "the key of such a map is its variable").
				Suggest("Write [k: e for k in s], with one variable.")
		}
		t := &typ{form: mapping, parts: []*typ{f.infer(x.Args[0], inner),
			f.infer(x.Args[1], inner)}}
		if len(x.Args) > 2 {
			f.want(x.Args[2], inner, boolType)
		}
		return t
	case syntax.ExprMany:
		f.errs.Errorf(diag.Unsupported, x.Span, "values for the elements of a set stand in sum, "+
			"min and max only").Suggest("Write braces around a set: {e for x in s}.")
		return newUnknown()
	}
	result := newUnknown() // of a match
	f.inferArms(x.Args[0], x.Arms, env, func(a *syntax.Arm, inner *scope) {
		f.want(a.Value, inner, result)
	})
	return result
}

// inferChange infers `a with b` and `a without b`.
func (f *typer) inferChange(x *syntax.Expr, env *scope) *typ {
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
			t.place(change.Fields[i].Text).join(f.names(change.Fields[i], nil))
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

func (f *typer) noField(name syntax.Name, t *typ) {
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

func (f *typer) inferField(x *syntax.Expr, env *scope) *typ {
	t := f.infer(x.Args[0], env).root()
	switch t.form {
	case record:
		if part := t.field(x.Name.Text); part != nil {
			t.place(x.Name.Text).join(f.names(x.Name, nil))
			return part
		}
	case variant:
		var found *typ
		here := f.names(x.Name, nil)
		for _, c := range t.ctors {
			for i, name := range c.fields {
				if name != x.Name.Text {
					continue
				}
				if c.meant != nil {
					c.meant[i].join(here)
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
		if of := x.Args[0]; of.Kind == syntax.ExprName && !of.Applied && of.Primes == 0 &&
			!syntax.IsCapital(of.Name.Text) && env.find(of.Name.Text) == nil &&
			f.globals[of.Name.Text] == nil {
			f.errs.Errorf(diag.UnresolvedName, of.Span, "'%s' is not declared", of.Name.Text).
				Suggest("%s", syntax.Undeclared(of.Name.Text))
			return newUnknown()
		}
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

func (f *typer) inferAt(x *syntax.Expr, env *scope) *typ {
	of := x.Args[0]
	if g := f.globals[of.Name.Text]; of.Kind == syntax.ExprName && !of.Applied && g != nil &&
		g.symbol != nil && len(g.params) > 0 && env.find(of.Name.Text) == nil {
		f.infer(x.Args[1], env)
		f.errs.Errorf(diag.WrongArguments, x.Span, "'%s' takes %d arguments", of.Name.Text,
			len(g.params)).Because(g.name.Span, "it is declared here").
			Suggest("The arguments of a function stand in parentheses: %s(%s).", of.Name.Text,
				x.Args[1].Span.Text())
		return newUnknown()
	}
	t := f.infer(of, env).root()
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
func (f *typer) checkFirst(i *syntax.Expr) {
	if i.Kind == syntax.ExprInt && i.Int.Sign() == 0 {
		f.errs.Errorf(diag.BadValue, i.Span, "the first element of a sequence is at position 1").
			Suggest("Write 1, or first(s).")
	}
	if i.Kind == syntax.ExprNeg {
		f.errs.Errorf(diag.BadValue, i.Span, "the positions of a sequence begin with 1").
			Suggest("The last element is last(s), the one before it s[size(s) - 1].")
	}
}

// knownCtor finds a constructor of a type, or a member of an enum, and reports where there is none.
func (f *typer) knownCtor(t *typ, at *syntax.Expr, name syntax.Name) *ctor {
	if t.is(unknown) {
		if g := f.globals[name.Text]; g != nil && (g.ctor != nil || f.cases(g.result) != nil) {
			unify(t, g.result)
		}
	}
	cases, what := f.cases(t), "constructor"
	if t = t.root(); t.form == scalar {
		what = "member"
	}
	if len(cases) == 0 {
		f.errs.Errorf(diag.SortMismatch, at.Span, "this has type %s, which has no constructors", t)
		return nil
	}
	var names []string
	for _, c := range cases {
		if c.name == name.Text {
			return c
		}
		names = append(names, c.name)
	}
	d := f.errs.Errorf(diag.UnresolvedName, name.Span, "%s has no %s '%s'", t, what, name.Text)
	if near := diag.Closest(name.Text, names); near != "" {
		d.DidYouMean(near)
	} else {
		d.Suggest("Its %ss are %s.", what, list(names))
	}
	return nil
}

// inferArms infers a match, whose arms name each constructor once. The last one may be for the
// rest.
func (f *typer) inferArms(
	value *syntax.Expr, arms []*syntax.Arm, env *scope, body func(*syntax.Arm, *scope),
) {
	t := f.infer(value, env)
	seen := map[string]bool{}
	rest := false
	for n, a := range arms {
		inner := env
		if a.IsRest() {
			rest = true
			if n < len(arms)-1 {
				f.errs.Errorf(diag.Duplicate, arms[n+1].Span,
					"nothing is left for this: '_' before it stands for all others").
					Suggest("Write '_' last.")
			}
			body(a, inner)
			continue
		}
		c := f.knownCtor(t, value, a.Case)
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
	for _, c := range f.cases(t) {
		if !seen[c.name] {
			missing = append(missing, c.name)
		}
	}
	if len(missing) > 0 && !rest {
		f.errs.Errorf(diag.Syntax, value.Span, "this match says nothing about %s", list(missing)).
			Suggest("Add what is meant for each of them, or for all others with '_'.")
	}
}
