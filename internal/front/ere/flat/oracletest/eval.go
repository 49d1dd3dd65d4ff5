package oracletest

import (
	"fmt"
	"maps"
	"strconv"

	"erelong.dev/erelong/internal/front/ere/syntax"
)

// noValue is the panic of an expression that has no value.
type noValue struct{ why string }

// scope binds names to values, which are computed where they are needed.
type scope struct {
	outer *scope
	name  string
	value func() Value
	calls map[string]int // in the scope of a definition's body: the calls around it, by name
	// The measures of the innermost calls.
	measures map[string]func() int
}

// call is the scope of the body of a definition that is called in s.
func (e *evaluator) call(d *syntax.DefinitionDecl, args []*syntax.Expr, s *scope) *scope {
	out := &scope{calls: map[string]int{}, measures: map[string]func() int{}}
	for o := s; o != nil; o = o.outer {
		if o.calls != nil {
			maps.Copy(out.calls, o.calls)
			maps.Copy(out.measures, o.measures)
			break
		}
	}
	name := d.Name.Text
	out.calls[name]++
	if most := e.levels(d); most > 0 && out.calls[name] > most {
		panic(noValue{"too many calls of " + name})
	}
	inner := out
	for i, p := range d.Params {
		inner = inner.lazily(p.Name.Text, func() Value { return e.eval(args[i], s) })
	}
	if d.Measure != nil {
		before := out.measures[name]
		now := func() int { return e.eval(d.Measure, inner).(int) }
		if out.measures[name] = now; before != nil && (now() < 0 || now() >= before()) {
			panic(noValue{"the measure of " + name + " does not become smaller"})
		}
	}
	return inner
}

// levels is how many calls of a definition may be inside one another, 0 for any number: by what the
// definition says, or by a measure of its first parameter, which is a range.
func (e *evaluator) levels(d *syntax.DefinitionDecl) int {
	if d.Measure == nil || d.Params[0].Sort.Lo == nil {
		return d.Depth
	}
	most := 0
	number := func(x *syntax.Expr) int { return e.eval(x, nil).(int) }
	for k := number(d.Params[0].Sort.Lo); k <= number(d.Params[0].Sort.Hi); k++ {
		var s *scope
		most = max(most, 1+e.eval(d.Measure, s.with(d.Params[0].Name.Text, k)).(int))
	}
	if d.Depth > 0 {
		return min(most, d.Depth)
	}
	return most
}

func (s *scope) with(name string, v Value) *scope {
	return s.lazily(name, func() Value { return v })
}

func (s *scope) lazily(name string, v func() Value) *scope {
	return &scope{outer: s, name: name, value: v}
}

func (s *scope) find(name string) *scope {
	for ; s != nil; s = s.outer {
		if s.name == name {
			return s
		}
	}
	return nil
}

// evaluator evaluates expressions in a state.
type evaluator struct {
	m        *Machine
	now, old State
}

// attempt evaluates; ok is false if there is no value.
func attempt[T any](f func() T) (out T, ok bool) {
	defer func() {
		switch r := recover().(type) {
		case nil:
		case noValue:
			ok = false
		default:
			panic(r)
		}
	}()
	return f(), true
}

func (e *evaluator) holds(x *syntax.Expr, s *scope) bool { return e.eval(x, s).(bool) }

// closed evaluates a formula for all values of its capital letters.
func (e *evaluator) closed(x *syntax.Expr, s *scope) bool {
	all := true
	e.m.capitals(x, s, func(s *scope) { all = e.holds(x, s) && all })
	return all
}

func (e *evaluator) all(xs []*syntax.Expr, s *scope) (out []Value) {
	for _, x := range xs {
		out = append(out, e.eval(x, s))
	}
	return out
}

func (e *evaluator) eval(x *syntax.Expr, s *scope) Value {
	switch x.Kind {
	case syntax.ExprInt:
		return int(x.Int.Int64())
	case syntax.ExprTrue, syntax.ExprFalse:
		return x.Kind == syntax.ExprTrue
	case syntax.ExprName:
		return e.name(x, s)
	case syntax.ExprOld:
		return (&evaluator{e.m, e.old, e.old}).eval(x.Args[0], s)
	case syntax.ExprNot:
		return !e.holds(x.Args[0], s)
	case syntax.ExprAnd, syntax.ExprOr:
		for _, a := range x.Args {
			if e.holds(a, s) != (x.Kind == syntax.ExprAnd) {
				return x.Kind == syntax.ExprOr
			}
		}
		return x.Kind == syntax.ExprAnd
	case syntax.ExprImplies:
		return !e.holds(x.Args[0], s) || e.holds(x.Args[1], s)
	case syntax.ExprIff:
		return e.holds(x.Args[0], s) == e.holds(x.Args[1], s)
	case syntax.ExprIf:
		if e.holds(x.Args[0], s) {
			return e.eval(x.Args[1], s)
		}
		return e.eval(x.Args[2], s)
	case syntax.ExprForall, syntax.ExprExists:
		every, some := true, false
		e.bind(x.Binders, s, func(s *scope) {
			b := e.holds(x.Args[0], s)
			every, some = every && b, some || b
		})
		return x.Kind == syntax.ExprForall && every || x.Kind == syntax.ExprExists && some
	case syntax.ExprLet:
		return e.eval(x.Args[1], s.lazily(x.Binders[0].Name.Text,
			func() Value { return e.eval(x.Args[0], s) }))
	case syntax.ExprMatch:
		return e.match(e.eval(x.Args[0], s), x.Arms, s, func(a *syntax.Arm, s *scope) Value {
			return e.eval(a.Value, s)
		})
	case syntax.ExprEach:
		out := Set{}
		e.bind(x.Binders, s, func(s *scope) {
			if len(x.Args) == 1 || e.holds(x.Args[1], s) {
				v := e.eval(x.Args[0], s)
				out[Text(v)] = v
			}
		})
		return out
	case syntax.ExprMapEach:
		out := Map{}
		e.bind(x.Binders, s, func(s *scope) {
			if len(x.Args) == 2 || e.holds(x.Args[2], s) {
				k := e.eval(x.Args[0], s)
				out[Text(k)] = Entry{k, e.eval(x.Args[1], s)}
			}
		})
		return out
	case syntax.ExprWith:
		return e.with(e.eval(x.Args[0], s), x.Args[1], s)
	}
	return e.operator(x, e.all(x.Args, s))
}

// bind calls a function for all values of variables.
func (e *evaluator) bind(bs []*syntax.Binder, s *scope, body func(*scope)) {
	if len(bs) == 0 {
		body(s)
		return
	}
	for _, v := range e.values(bs[0], s) {
		e.bind(bs[1:], s.with(bs[0].Name.Text, v), body)
	}
}

// values are the values that a variable stands for.
func (e *evaluator) values(b *syntax.Binder, s *scope) []Value {
	if b.In != nil {
		return elements(e.eval(b.In, s))
	}
	return e.m.domain(b.Sort)
}

func (e *evaluator) match(
	v Value, arms []*syntax.Arm, s *scope, then func(*syntax.Arm, *scope) Value,
) Value {
	for _, a := range arms {
		if made := v.(Made); a.IsRest() || a.Case.Text == made.Name {
			for i, b := range a.Variables {
				s = s.with(b.Name.Text, made.Args[i])
			}
			return then(a, s)
		}
	}
	panic("oracletest: a match without an arm")
}

// name is the value of a variable, a symbol, a constructor, a definition, or a function of the
// language.
func (e *evaluator) name(x *syntax.Expr, s *scope) Value {
	name := x.Name.Text
	if b := s.find(name); b != nil {
		return b.value()
	}
	if d := e.m.definitions[name]; d != nil {
		inner := e.call(d, x.Args, s)
		if d.Result == nil {
			return e.closed(d.Expr, inner)
		}
		return e.eval(d.Expr, inner)
	}
	if name == "size" && len(x.Args) == 1 && e.m.sorts[x.Args[0].Name.Text] != nil {
		return len(e.m.sorts[x.Args[0].Name.Text])
	}
	if len(x.Args) == 1 && x.Args[0].Kind == syntax.ExprMany {
		return fold(name, e.many(x.Args[0], s))
	}
	args := e.all(x.Args, s)
	switch {
	case e.m.symbols[name] != nil:
		return e.now[e.pointOf(e.m.symbols[name], args)]
	case len(args) == 0 || e.m.constructors[name] || name == "some":
		return Made{name, args}
	}
	return builtin(name, args)
}

// pointOf is a point of a symbol. There is none for arguments outside of their types.
func (e *evaluator) pointOf(d *syntax.SymbolDecl, args []Value) string {
	for i, a := range args {
		if !e.m.fits(a, d.Args[i]) {
			panic(noValue{"no such point of " + d.Name.Text})
		}
	}
	return point(d.Name.Text, args)
}

// with adds an element to a set, changes fields of a record, or entries of a map or sequence.
func (e *evaluator) with(v Value, x *syntax.Expr, s *scope) Value {
	switch v := v.(type) {
	case Set:
		return union(v, setOf(e.eval(x, s)))
	case Map:
		for _, n := range e.eval(x, s).(Map) {
			v = v.with(n.Key, n.Value)
		}
		return v
	case Record:
		for i, a := range x.Args {
			v = v.with(x.Fields[i].Text, e.eval(a, s))
		}
		return v
	}
	q := added(v.(Seq))
	for i := 0; i < len(x.Args); i += 2 {
		q = added(nil, q...)
		*position(q, e.eval(x.Args[i], s)) = e.eval(x.Args[i+1], s)
	}
	return q
}

// position is the element at a position, which must exist.
func position(q Seq, i Value) *Value {
	n := i.(int)
	if n < 1 || n > len(q) {
		panic(noValue{"no position " + strconv.Itoa(n)})
	}
	return &q[n-1]
}

// operator is the value of an operator all of whose arguments are evaluated.
func (e *evaluator) operator(x *syntax.Expr, args []Value) Value {
	switch x.Kind {
	case syntax.ExprEq, syntax.ExprNe:
		return same(args[0], args[1]) == (x.Kind == syntax.ExprEq)
	case syntax.ExprDistinct:
		return len(setOf(args...)) == len(args)
	case syntax.ExprLt, syntax.ExprLe, syntax.ExprGt, syntax.ExprGe, syntax.ExprAdd,
		syntax.ExprSub, syntax.ExprMul:
		return arithmetic(x.Kind, args[0].(int), args[1].(int))
	case syntax.ExprNeg:
		return -args[0].(int)
	case syntax.ExprRecord:
		r := Record{Values: args}
		for _, f := range x.Fields {
			r.Names = append(r.Names, f.Text)
		}
		return r
	case syntax.ExprTuple:
		r := Record{Values: args}
		for i := range args {
			r.Names = append(r.Names, strconv.Itoa(i+1))
		}
		return r
	case syntax.ExprSet:
		return setOf(args...)
	case syntax.ExprSeq:
		return Seq(args)
	case syntax.ExprMap:
		out := Map{}
		for i := 0; i < len(args); i += 2 {
			out = out.with(args[i], args[i+1])
		}
		return out
	case syntax.ExprIs:
		return args[0].(Made).Name == x.Name.Text
	case syntax.ExprField:
		return e.m.fieldOf(args[0], x.Name.Text)
	}
	return collective(x.Kind, args[0], args[1])
}

func arithmetic(kind syntax.ExprKind, a, b int) Value {
	switch kind {
	case syntax.ExprLt:
		return a < b
	case syntax.ExprLe:
		return a <= b
	case syntax.ExprGt:
		return a > b
	case syntax.ExprGe:
		return a >= b
	case syntax.ExprAdd:
		return a + b
	case syntax.ExprSub:
		return a - b
	}
	return a * b
}

// fieldOf is a field of a record, or of a value whose constructor has it.
func (m *Machine) fieldOf(v Value, name string) Value {
	if r, ok := v.(Record); ok {
		return r.field(name)
	}
	made := v.(Made)
	if made.Name == "some" && name == "value" {
		return made.Args[0]
	}
	for i, f := range m.fields[made.Name] {
		if f == name {
			return made.Args[i]
		}
	}
	panic(noValue{made.Name + " has no field " + name})
}

// collective is an operator on a collection and another value.
func collective(kind syntax.ExprKind, a, b Value) Value {
	switch kind {
	case syntax.ExprIn:
		_, ok := setOf(elements(b)...)[Text(a)]
		return ok
	case syntax.ExprSubset:
		return len(union(a.(Set), b.(Set))) == len(b.(Set))
	case syntax.ExprUnion:
		return union(a.(Set), b.(Set))
	case syntax.ExprIntersect, syntax.ExprMinus:
		out := Set{}
		for k, v := range a.(Set) {
			if _, in := b.(Set)[k]; in == (kind == syntax.ExprIntersect) {
				out[k] = v
			}
		}
		return out
	case syntax.ExprWithout:
		if m, ok := a.(Map); ok {
			out := Map{}
			for k, e := range m {
				if k != Text(b) {
					out[k] = e
				}
			}
			return out
		}
		return collective(syntax.ExprMinus, a, setOf(b))
	case syntax.ExprAt:
		if m, ok := a.(Map); ok {
			e, has := m[Text(b)]
			if !has {
				panic(noValue{"no key " + Text(b)})
			}
			return e.Value
		}
		return *position(a.(Seq), b)
	}
	panic(fmt.Sprintf("oracletest: operator %d", kind))
}

// part is the sequence from one position to another; both must be there unless it is empty.
func part(s Seq, from, to int) Value {
	if from < 1 || from > to+1 || to > len(s) {
		panic(noValue{"no such part of a sequence"})
	}
	return s[from-1 : to : to]
}

// builtin is a function of the language.
func builtin(name string, args []Value) Value {
	if m, ok := args[0].(Map); ok && name == "sum" {
		var values []Value
		for _, entry := range m {
			values = append(values, entry.Value)
		}
		return fold(name, values)
	}
	if len(args) == 1 && (name == "sum" || name == "min" || name == "max") {
		return fold(name, elements(args[0]))
	}
	switch name {
	case "min":
		return min(args[0].(int), args[1].(int))
	case "max":
		return max(args[0].(int), args[1].(int))
	case "size":
		return len(elements(args[0]))
	case "keys", "elements":
		return setOf(elements(args[0])...)
	}
	s := args[0].(Seq)
	switch name {
	case "first":
		return *position(s, 1)
	case "last":
		return *position(s, len(s))
	case "tail":
		position(s, 1)
		return part(s, 2, len(s))
	case "front":
		position(s, 1)
		return part(s, 1, len(s)-1)
	case "append":
		return added(s, args[1])
	case "concat":
		return added(s, args[1].(Seq)...)
	case "prefix":
		return part(s, 1, args[1].(int))
	case "suffix":
		return part(s, args[1].(int), len(s))
	case "slice":
		return part(s, args[1].(int), args[2].(int))
	case "positions":
		out := Set{}
		for i := range s {
			out[strconv.Itoa(i+1)] = i + 1
		}
		return out
	}
	panic("oracletest: function " + name)
}
