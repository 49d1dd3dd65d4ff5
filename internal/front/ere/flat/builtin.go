package flat

import (
	"slices"

	"erelong.dev/erelong/internal/diag"
	"erelong.dev/erelong/internal/front/ere/build"
	"erelong.dev/erelong/internal/front/ere/syntax"
)

// builtin is a function of the language. Its name is a name like others where the file declares it.
type builtin struct {
	args  string // how messages write its arguments
	count int
	// infer gives the type of the result, from the arguments, whose types it also determines.
	infer func(f *typer, x *syntax.Expr, env *scope) *typ
	lower func(f *values, args []*value, t *typ) *value
}

// builtins are the functions of the language, by name.
func builtins() map[string]*builtin {
	return map[string]*builtin{
		"first":     {"s", 1, inferElement, lowerFirst},
		"last":      {"s", 1, inferElement, lowerLast},
		"tail":      {"s", 1, inferSeq, lowerTail},
		"front":     {"s", 1, inferSeq, lowerFront},
		"append":    {"s, e", 2, inferAppend, lowerAppend},
		"concat":    {"s, t", 2, inferSeqs, lowerConcat},
		"prefix":    {"s, n", 2, inferSlice, lowerPrefix},
		"suffix":    {"s, i", 2, inferSlice, lowerSuffix},
		"slice":     {"s, i, j", 3, inferSlice, lowerSlice},
		"positions": {"s", 1, inferPositions, lowerPositions},
		"elements":  {"s", 1, inferElements, lowerElements},
		"keys":      {"m", 1, inferKeys, lowerKeys},
		"min":       {"a, b", 2, inferFold, lowerMin},
		"max":       {"a, b", 2, inferFold, lowerMax},
		"sum":       {"s", 1, inferFold, nil},
		"size":      {"s", 1, inferSize, lowerSize},
	}
}

func (f *known) isBuiltin(name string) bool { return f.builtins[name] != nil }

// words say what to write for names that other languages have.
var words = map[string]string{
	"len": "size(s)", "length": "size(s)", "Len": "size(s)", "count": "size(s)",
	"cardinality": "size(s)", "Cardinality": "size(s)", "size": "size(s)", "head": "first(s)",
	"Head": "first(s)", "Tail": "tail(s)", "push": "append(s, e)", "Append": "append(s, e)",
	"put": "m with [k: v]", "insert": "s with e", "add": "s with e", "remove": "s without e",
	"contains": "e in s", "get": "m[k]", "domain": "keys(m)", "DOMAIN": "keys(m)",
	"indices": "positions(s)", "SubSeq": "slice(s, i, j)", "filter": "{ x for x in s if c }",
	"map": "{ e for x in s }", "subseteq": "s subset t", "last": "last(s)", "first": "first(s)",
	"tail": "tail(s)", "keys": "keys(m)", "not": "!c", "some": "some(e)",
}

// nothings are the words of other languages for a value that is missing.
var nothings = []string{"nil", "null", "NULL", "None", "Nil", "undefined"}

// otherWords reports a function that other languages have.
func (f *typer) otherWords(x *syntax.Expr) {
	if !x.Applied && slices.Contains(nothings, x.Name.Text) {
		f.errs.Errorf(diag.UnresolvedName, x.Name.Span, "'%s' is not declared", x.Name.Text).
			Suggest("A value that may be missing is one of option[T]: none, or some(e).")
	}
	if hint := words[x.Name.Text]; x.Applied && hint != "" {
		f.errs.Errorf(diag.UnresolvedName, x.Name.Span, "'%s' is not declared", x.Name.Text).
			Suggest("Write %s.", hint)
	}
}

func (f *typer) inferBuiltin(x *syntax.Expr, b *builtin, env *scope) *typ {
	if len(x.Args) != b.count && !f.isFold(x) {
		f.errs.Errorf(diag.WrongArguments, x.Span, "'%s' takes %d arguments, but here it has %d",
			x.Name.Text, b.count, len(x.Args)).Suggest("Write %s(%s).", x.Name.Text, b.args)
		return newUnknown()
	}
	return b.infer(f, x, env)
}

// lowerUndeclared lowers a name that the file does not declare.
func (f *lowerer) lowerUndeclared(x *syntax.Expr, e *env) *value {
	t := f.typeOf[x].root()
	b := f.builtins[x.Name.Text]
	switch {
	case b != nil && x.Applied && x.Name.Text == "size" && f.isSort(x.Args[0]):
		return f.sizeOfSort(x)
	case b != nil && f.isFold(x):
		return f.lowerFold(x, e)
	case b != nil && x.Applied:
		return b.lower(f.values, f.lowerAll(x.Args, e), t)
	case t.form == variant && t.name == "option" && x.Name.Text == "none":
		return made(t, t.ctors[0], nil)
	case t.form == variant && t.name == "option" && x.Name.Text == "some" && len(x.Args) == 1:
		return made(t, t.ctors[1], []*value{f.lower(x.Args[0], e)})
	case t.form != scalar && t.form != unknown:
		f.errs.Errorf(diag.UnresolvedName, x.Span, "'%s' is not declared", x.Name.Text)
		return f.usualValue(t)
	}
	c := *x // package check reports it, or it is a capital letter
	c.Args = nil
	for _, a := range x.Args {
		c.Args = append(c.Args, f.lowerExpr(a, e))
	}
	return scalarValue(t, &c)
}

func (f *known) isSort(x *syntax.Expr) bool {
	return x.Kind == syntax.ExprName && !x.Applied && f.sorts[x.Name.Text] != nil
}

func inferNumbers(f *typer, x *syntax.Expr, env *scope) *typ {
	return f.wantAll(x.Args, env, intType)
}

func lowerMin(f *values, args []*value, t *typ) *value {
	first := build.Binary(syntax.ExprLe, args[0].expr, args[1].expr)
	return choice(f.waiting, first, args[0], args[1])
}

func lowerMax(f *values, args []*value, t *typ) *value {
	first := build.Binary(syntax.ExprLe, args[0].expr, args[1].expr)
	return choice(f.waiting, first, args[1], args[0])
}

func inferSeq(f *typer, x *syntax.Expr, env *scope) *typ {
	t := seqOf(newUnknown())
	f.want(x.Args[0], env, t)
	return t
}

func inferElement(f *typer, x *syntax.Expr, env *scope) *typ {
	return inferSeq(f, x, env).parts[0]
}

func inferAppend(f *typer, x *syntax.Expr, env *scope) *typ {
	t := inferSeq(f, x, env)
	f.want(x.Args[1], env, t.parts[0])
	return t
}

func inferSeqs(f *typer, x *syntax.Expr, env *scope) *typ {
	return f.wantAll(x.Args, env, seqOf(newUnknown()))
}

func inferSlice(f *typer, x *syntax.Expr, env *scope) *typ {
	f.wantAll(x.Args[1:], env, intType)
	return inferSeq(f, x, env)
}

func inferPositions(f *typer, x *syntax.Expr, env *scope) *typ {
	inferSeq(f, x, env)
	return setOf(intType)
}

func inferElements(f *typer, x *syntax.Expr, env *scope) *typ {
	return setOf(inferElement(f, x, env))
}

func inferKeys(f *typer, x *syntax.Expr, env *scope) *typ {
	t := &typ{form: mapping, parts: []*typ{newUnknown(), newUnknown()}}
	f.want(x.Args[0], env, t)
	return setOf(t.parts[0])
}

func inferSize(f *typer, x *syntax.Expr, env *scope) *typ {
	if f.isSort(x.Args[0]) {
		if name := x.Args[0].Name.Text; env.find(name) != nil {
			f.errs.Errorf(diag.Shadowing, x.Args[0].Span, "'%s' is a sort and a variable, and it "+
				"is not clear which is meant", name).Suggest("Give the variable another name.")
		}
		return intType
	}
	switch t := f.infer(x.Args[0], env).root(); t.form {
	case set, seq, mapping, unknown:
	default:
		f.errs.Errorf(diag.SortMismatch, x.Args[0].Span, "a value of type %s has no size", t).
			Suggest("size(s) is about a set, a sequence, a map or a sort.")
	}
	return intType
}

func lowerFirst(f *values, args []*value, _ *typ) *value {
	s := args[0]
	return needing(f.waiting, build.LessOrEqual(build.Number(1), s.size), s.item(build.Number(1)))
}

func lowerLast(f *values, args []*value, _ *typ) *value {
	s := args[0]
	return needing(f.waiting, build.LessOrEqual(build.Number(1), s.size), s.item(s.size))
}

func lowerTail(f *values, args []*value, t *typ) *value {
	s := args[0]
	return needing(f.waiting, build.LessOrEqual(build.Number(1), s.size),
		f.part(s, t, build.Number(2), s.size))
}

func lowerFront(f *values, args []*value, t *typ) *value {
	s := args[0]
	return needing(f.waiting, build.LessOrEqual(build.Number(1), s.size),
		f.part(s, t, build.Number(1), build.Plus(s.size, -1)))
}

func lowerPrefix(f *values, args []*value, t *typ) *value {
	s, n := args[0], args[1].expr
	there := build.And(build.LessOrEqual(build.Number(0), n), build.LessOrEqual(n, s.size))
	return needing(f.waiting, there, f.part(s, t, build.Number(1), n))
}

func lowerSuffix(f *values, args []*value, t *typ) *value {
	s, i := args[0], args[1].expr
	return needing(f.waiting, build.And(build.LessOrEqual(build.Number(1), i), build.LessOrEqual(i,
		build.Plus(s.size, 1))),
		f.part(s, t, i, s.size))
}

func lowerSlice(f *values, args []*value, t *typ) *value {
	s, i, j := args[0], args[1].expr, args[2].expr
	return needing(f.waiting, build.And(build.LessOrEqual(build.Number(1), i), build.LessOrEqual(i,
		build.Plus(j, 1)),
		build.LessOrEqual(j, s.size)), f.part(s, t, i, j))
}

// part is the sequence from one position to another, both of which exist unless it is empty.
func (f *values) part(s *value, t *typ, from, to *syntax.Expr) *value {
	offset := build.Plus(from, -1)
	return &value{typ: t, size: build.Difference(to, offset), within: s.within,
		item: func(i *syntax.Expr) *value { return s.item(build.Sum(i, offset)) },
		positions: func(all bool, body func(*syntax.Expr) *syntax.Expr) *syntax.Expr {
			return s.positions(all, func(i *syntax.Expr) *syntax.Expr {
				return build.Guarded(all, build.And(build.LessOrEqual(from, i),
					build.LessOrEqual(i, to)),
					body(build.Difference(i, offset)))
			})
		}}
}

func lowerAppend(f *values, args []*value, t *typ) *value {
	out := lowerConcat(f, []*value{args[0], f.literalSeq(t, args[1:])}, t)
	return strict(f, out, args[1])
}

func lowerConcat(f *values, args []*value, t *typ) *value {
	a, b := args[0], args[1]
	return &value{typ: t, size: build.Sum(a.size, b.size),
		item: func(i *syntax.Expr) *value {
			return choice(f.waiting, build.LessOrEqual(i, a.size), a.item(i),
				b.item(build.Difference(i, a.size)))
		},
		positions: func(all bool, body func(*syntax.Expr) *syntax.Expr) *syntax.Expr {
			return f.both(all, a.positions(all, body),
				b.positions(all, func(i *syntax.Expr) *syntax.Expr {
					return body(build.Sum(a.size,
						i))
				}))
		}}
}

func lowerPositions(f *values, args []*value, t *typ) *value {
	s := args[0]
	out := f.setValue(t,
		func(i *value) *syntax.Expr { return exists(s, i.expr) },
		func(all bool, body func(*value) *syntax.Expr) *syntax.Expr {
			return s.positions(all, func(i *syntax.Expr) *syntax.Expr {
				return body(scalarValue(intType, i))
			})
		})
	out.within = s.within
	return out
}

func lowerElements(f *values, args []*value, t *typ) *value {
	s := args[0]
	return f.setValue(t,
		func(e *value) *syntax.Expr { return f.contains(s, e) },
		func(all bool, body func(*value) *syntax.Expr) *syntax.Expr {
			return s.positions(all, func(i *syntax.Expr) *syntax.Expr { return body(s.item(i)) })
		})
}

func lowerKeys(f *values, args []*value, t *typ) *value {
	return f.setValue(t, args[0].has, args[0].each)
}

func lowerSize(f *values, args []*value, _ *typ) *value {
	if s := args[0]; s.typ.is(seq) {
		return scalarValue(intType, s.size)
	}
	return f.sizeOfSet(args[0])
}
