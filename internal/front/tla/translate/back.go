package translate

import (
	"fmt"
	"slices"

	"erelong.dev/erelong/internal/diag"
	"erelong.dev/erelong/internal/front/ere/syntax"
	tla "erelong.dev/erelong/internal/front/tla/syntax"
	"erelong.dev/erelong/internal/front/tla/types"
)

// back says formulas of a translation in TLA+.
type back struct {
	w       *writer
	used    func(name string) bool      // in the module
	vars    map[string]tla.Expr         // what stands for a variable
	kinds   map[string]*types.Type      // of variables, where they are known
	sorts   map[string]*syntax.SortExpr // of variables
	side    side
	guards  []tla.Expr          // what has to be true where the formula so far is read
	known   map[string]bool     // what is true there, as texts
	lacking map[string]tla.Expr // when there are the values that may lack, by their texts
	failed  string
}

// side says where a formula stands in the whole: as it is, negated, or both.
type side int

const (
	asIs side = iota
	negated
	both
)

// other is the side of a negated part.
func (s side) other() side {
	return map[side]side{asIs: negated, negated: asIs, both: both}[s]
}

// notSaid ends a formula that cannot be said; the reason is in failed.
type notSaid struct{}

// TLA is a formula of the translation as one of the module. Used reports which names the module
// has. The error says why the formula cannot be said there.
func (t *Translation) TLA(formula string, used func(name string) bool) (text string, err error) {
	errs := &diag.List{}
	x := syntax.ParseExpr(diag.NewSource("formula", formula), nil, errs)
	if errs.Err() != nil {
		return "", fmt.Errorf("reading the formula %s again: %w", formula, errs)
	}
	b := &back{w: t.writer, used: used, vars: map[string]tla.Expr{},
		kinds: map[string]*types.Type{}, sorts: map[string]*syntax.SortExpr{},
		known: map[string]bool{}, lacking: map[string]tla.Expr{}}
	defer func() {
		if r := recover(); r != nil {
			if _, ok := r.(notSaid); !ok {
				panic(r)
			}
			err = fmt.Errorf("%s", b.failed)
		}
	}()
	return tla.Text(b.closed(func() tla.Expr { return b.expr(x) })), nil
}

func (b *back) fail(format string, args ...any) {
	b.failed = fmt.Sprintf(format, args...)
	panic(notSaid{})
}

func named(name string, args ...tla.Expr) tla.Expr {
	return &tla.Apply{Name: tla.Name{Text: name}, Args: args}
}

// backOperators are the operators that both languages have.
var backOperators = map[syntax.ExprKind]string{syntax.ExprIff: `\equiv`,
	syntax.ExprEq: "=", syntax.ExprNe: "/=", syntax.ExprLt: "<", syntax.ExprLe: "<=",
	syntax.ExprGt: ">", syntax.ExprGe: ">=", syntax.ExprAdd: "+", syntax.ExprSub: "-",
	syntax.ExprMul: "*", syntax.ExprDiv: `\div`, syntax.ExprMod: "%", syntax.ExprIn: `\in`,
	syntax.ExprSubset: `\subseteq`, syntax.ExprUnion: `\union`, syntax.ExprIntersect: `\intersect`,
	syntax.ExprMinus: `\`, syntax.ExprNeg: "-."}

func (b *back) expr(x *syntax.Expr) tla.Expr {
	outer := b.side
	defer func() { b.side = outer }()
	switch x.Kind {
	case syntax.ExprNot:
		b.side = b.side.other()
		return negation(b.expr(x.Args[0]))
	case syntax.ExprImplies:
		return b.implies(x)
	case syntax.ExprIs:
		b.side = both
		return b.is(x, outer)
	case syntax.ExprAnd, syntax.ExprOr, syntax.ExprForall, syntax.ExprExists:
	default:
		b.side = both
	}
	if name, ok := backOperators[x.Kind]; ok {
		return named(name, b.all(x.Args)...)
	}
	return b.other(x)
}

// other is an expression that the languages write in different ways.
func (b *back) other(x *syntax.Expr) tla.Expr {
	switch x.Kind {
	case syntax.ExprAnd, syntax.ExprOr:
		return b.joined(x)
	case syntax.ExprTrue:
		return named("TRUE")
	case syntax.ExprFalse:
		return named("FALSE")
	case syntax.ExprInt:
		return &tla.Number{Text: x.Int.String()}
	case syntax.ExprIf:
		cond := b.expr(x.Args[0])
		return &tla.If{Cond: cond,
			Then: b.under(conjunctsOf(cond), func() tla.Expr { return b.expr(x.Args[1]) }),
			Else: b.under(conjunctsOf(negation(cond)), func() tla.Expr {
				return b.expr(x.Args[2])
			})}
	case syntax.ExprForall, syntax.ExprExists:
		return b.quantified(x)
	case syntax.ExprDistinct:
		return b.distinct(x)
	case syntax.ExprName:
		return b.name(x)
	case syntax.ExprField:
		return b.field(x)
	case syntax.ExprAt:
		of, at := b.expr(x.Args[0]), b.expr(x.Args[1])
		out := &tla.Index{Function: of, Args: []tla.Expr{at}}
		b.need(named(`\in`, at, named("DOMAIN", of)), out)
		return out
	case syntax.ExprRecord:
		out := &tla.Record{}
		for i, f := range x.Fields {
			out.Fields = append(out.Fields, tla.Field{Name: tla.Name{Text: f.Text},
				Value: b.expr(x.Args[i])})
		}
		return out
	case syntax.ExprTuple, syntax.ExprSeq:
		return &tla.Tuple{Elems: b.all(x.Args)}
	case syntax.ExprSet:
		return &tla.SetOf{Elems: b.all(x.Args)}
	}
	b.fail("it has a form that is not said in TLA+")
	return nil
}

func (b *back) all(xs []*syntax.Expr) (out []tla.Expr) {
	for _, x := range xs {
		out = append(out, b.expr(x))
	}
	return out
}

// chain joins expressions by an operator.
func chain(op string, parts []tla.Expr) tla.Expr {
	out := parts[0]
	for _, p := range parts[1:] {
		out = named(op, out, p)
	}
	return out
}

func (b *back) distinct(x *syntax.Expr) tla.Expr {
	var parts []tla.Expr
	for i, p := range x.Args {
		for _, q := range x.Args[:i] {
			parts = append(parts, named("/=", b.expr(q), b.expr(p)))
		}
	}
	if len(parts) == 0 {
		return named("TRUE")
	}
	return chain(`/\`, parts)
}

// stands reports whether a name stands for a variable.
func (b *back) stands(name string) bool {
	for _, v := range b.vars {
		if a, ok := v.(*tla.Apply); ok && a.Name.Text == name {
			return true
		}
	}
	return false
}

// sortSet is the set of the elements of a sort. All says that there is no other element.
func (b *back) sortSet(s *syntax.SortExpr) (set tla.Expr, all bool) {
	switch {
	case s.Lo != nil:
		return named("..", b.expr(s.Lo), b.expr(s.Hi)), true
	case s.Name == "int":
		return named("Int"), true
	case s.Name == "bool":
		return named("BOOLEAN"), true
	}
	for name, c := range b.w.constants {
		if c.family == s.Name && s.Name != "" {
			return named(name), true
		}
	}
	for t, c := range b.w.classes {
		if c.sort == s.Name && s.Name != "" {
			return b.classSet(t, c), c.whole() || c.enumerated()
		}
	}
	b.fail("the elements of a sort in it are in no set of the module")
	return nil, false
}

// classSet is the set of the elements that the module names: constant sets, strings and constants.
func (b *back) classSet(t *types.Type, c *class) tla.Expr {
	var out []tla.Expr
	for _, s := range c.sets {
		out = append(out, named(s))
	}
	var single []tla.Expr
	for _, s := range c.texts {
		single = append(single, &tla.String{Value: s})
	}
	for _, name := range b.w.elementConstants() {
		if b.w.constants[name].typ.Same(t) && !c.whole() {
			single = append(single, named(name))
		}
	}
	if len(single) > 0 {
		out = append(out, &tla.SetOf{Elems: single})
	}
	if len(out) == 0 {
		b.fail("the elements of a sort in it are in no set of the module")
	}
	return chain(`\union`, out)
}

// sequenceBack are the operators on sequences by their names in erelong's language.
func sequenceBack(name string) string {
	for of, n := range sequenceOperators {
		if n == name {
			return of
		}
	}
	return ""
}

// name is a symbol at arguments.
func (b *back) name(x *syntax.Expr) tla.Expr {
	name, args := x.Name.Text, x.Args
	if v := b.vars[name]; v != nil && len(args) == 0 {
		return v
	}
	if i := slices.Index(b.w.called, name); i >= 0 {
		return b.at(named(b.w.model.Variables[i]), b.w.types.Variables[i].Root(), args)
	}
	for f, in := range b.w.keys {
		if i := slices.Index(b.w.called, f.symbol); i >= 0 && in == name {
			key := len(args) - width(f.of.Key())
			of := b.at(named(b.w.model.Variables[i]), b.w.types.Variables[i].Root(), args[:key])
			return named(`\in`, b.key(args[key:]), named("DOMAIN", of))
		}
	}
	for constant, c := range b.w.constants {
		switch {
		case c.symbol != name:
		case c.family != "": // what is in a set of a set of sets
			return named(`\in`, b.expr(args[1]), b.expr(args[0]))
		case c.typ.Kind() == types.Set && c.set != nil:
			return named(`\in`, b.key(args), named(constant))
		default:
			return b.at(named(constant), c.typ, args)
		}
	}
	for operator, symbol := range b.w.symbols {
		if symbol == name {
			return named(operator, b.all(args)...)
		}
	}
	for _, c := range b.w.classes {
		for text, member := range c.members {
			if member == name {
				return &tla.String{Value: text}
			}
		}
	}
	return b.made(x)
}

// made is a record by its constructor, a size or an operator on sequences, or a value that is
// chosen.
func (b *back) made(x *syntax.Expr) tla.Expr {
	for _, v := range b.w.variants {
		for _, s := range v.shapes {
			if v.tag != "" && s.maker == x.Name.Text {
				out, next := &tla.Record{}, 0
				for _, f := range s.fields {
					value := tla.Expr(&tla.String{Value: s.texts[v.tag][0]})
					if f != v.tag {
						value = b.expr(x.Args[next])
						next++
					}
					out.Fields = append(out.Fields,
						tla.Field{Name: tla.Name{Text: f}, Value: value})
				}
				return out
			}
		}
	}
	for _, s := range b.w.sums {
		for _, c := range s.cases {
			switch {
			case c.maker != x.Name.Text:
			case len(x.Args) == 0:
				return &tla.Tuple{}
			default:
				return b.expr(x.Args[0])
			}
		}
	}
	if x.Name.Text == "size" {
		switch t := b.typeOf(x.Args[0]); {
		case t != nil && t.Kind() == types.Set:
			return named("Cardinality", b.expr(x.Args[0]))
		case t != nil && t.Kind() == types.Sequence:
			return named("Len", b.expr(x.Args[0]))
		}
		b.fail("it has the size of a value of which nothing is known here")
	}
	if x.Name.Text == "positions" {
		return named("DOMAIN", b.expr(x.Args[0]))
	}
	if op := sequenceBack(x.Name.Text); op != "" && len(x.Args) > 0 {
		args := b.all(x.Args)
		out := named(op, args...)
		if op == "Head" || op == "Tail" {
			b.need(named("/=", args[0], &tla.Tuple{}), out)
		}
		return out
	}
	for at, all := range b.w.chosen {
		for _, c := range all {
			if name := b.w.model.Defined(at); c.term.symbol == x.Name.Text && name != "" {
				return b.at(named(name), c.term.typ, x.Args)
			}
		}
	}
	b.fail("it speaks of %s, which the module does not have", x.Name.Text)
	return nil
}

// at is a function at arguments.
func (b *back) at(f tla.Expr, t *types.Type, args []*syntax.Expr) tla.Expr {
	for len(args) > 0 && t.Kind() == types.Map {
		n := width(t.Key())
		key := b.key(args[:n])
		of := &tla.Index{Function: f, Args: []tla.Expr{key}}
		if b.mayLack(t, args[:n]) {
			b.need(named(`\in`, key, named("DOMAIN", f)), of)
		}
		f = of
		t, args = t.Elem(), args[n:]
	}
	if len(args) > 0 {
		b.fail("it applies what is no function")
	}
	return f
}

// width is the number of arguments that a key is.
func width(t *types.Type) (n int) {
	if t.Kind() != types.Tuple {
		return 1
	}
	for _, p := range t.Parts() {
		n += width(p)
	}
	return n
}

// key is an element as an argument: of several, a tuple.
func (b *back) key(args []*syntax.Expr) tla.Expr {
	if len(args) == 1 {
		return b.expr(args[0])
	}
	return &tla.Tuple{Elems: b.all(args)}
}
