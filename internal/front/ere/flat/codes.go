package flat

import (
	"slices"

	"erelong.dev/erelong/internal/diag"
	"erelong.dev/erelong/internal/front/ere/build"
	"erelong.dev/erelong/internal/front/ere/syntax"
	"erelong.dev/erelong/internal/result"
)

// A set, sequence or map that is an element of a set, a key of a map, an argument of a symbol or a
// parameter is kept as a code. Codes are the elements of a sort, and an immutable function gives
// the value of each. An instance has exactly one code for each value; see System.Complete. A proof
// knows that two codes with equal values are equal. It does not know that each value has a code, so
// it is about more systems than there are, which is sound.

// code is the sort of the codes of a type, and the function that gives their values.
type code struct {
	typ   *typ // of the codes
	value *global
}

// codable says why a type has no codes: its values must be finitely many. It is empty where it has.
func (f *known) codable(t *typ) string {
	t = t.root()
	switch {
	case t.form == unknown:
		return "a type in them is not known"
	case t.form == scalar && !f.bounded(t):
		return "a number in them has no range"
	case t.form == seq && t.bound == nil:
		return "a sequence in them has no bound: write seq[T, n]"
	}
	for _, p := range t.parts {
		if why := f.codable(p); why != "" {
			return why
		}
	}
	for _, c := range t.ctors {
		for _, p := range c.parts {
			if why := f.codable(p); why != "" {
				return why
			}
		}
	}
	return ""
}

// codeKey is the same for types with the same values.
func codeKey(t *typ) string {
	t = t.root()
	out := itoa(int(t.form)) + t.name
	if t.sort != nil && t.sort.Lo != nil {
		out += textOf(t.sort.Lo) + ".." + textOf(t.sort.Hi)
	} else if t.sort != nil {
		out += t.sort.Name
	}
	if t.bound != nil {
		out += "," + textOf(t.bound)
	}
	out += "["
	for i, p := range t.parts {
		if t.form == record {
			out += t.fields[i] + ":"
		}
		out += codeKey(p) + ";"
	}
	if t.form == variant && t.name == "option" {
		out += codeKey(t.ctors[1].parts[0])
	}
	return out + "]"
}

// textOf is an expression of numbers and constants as text.
func textOf(x *syntax.Expr) string {
	out := itoa(int(x.Kind)) + x.Name.Text
	if x.Kind == syntax.ExprInt {
		out += x.Int.String()
	}
	for _, a := range x.Args {
		out += "(" + textOf(a) + ")"
	}
	return out
}

// codeOf gives the codes of a type of collections.
func (f *values) codeOf(t *typ) *code {
	t = t.root()
	key := codeKey(t)
	if c := f.codes[key]; c != nil {
		return c
	}
	word := t.word()
	if t.label != "" {
		word = t.label
	}
	name := syntax.Name{Text: f.fresh(word + "_code"), Span: f.span}
	sort := &syntax.SortExpr{Name: name.Text, Span: f.span}
	d := &syntax.SortDecl{Span: f.span, Name: name, Code: true}
	f.sorts[name.Text] = d
	c := &code{typ: &typ{form: scalar, name: name.Text, sort: sort}}
	c.value = &global{name: syntax.Name{Text: f.fresh("value_of_" + name.Text), Span: f.span},
		params: []*typ{c.typ}, result: t}
	c.value.symbol = &syntax.SymbolDecl{Span: f.span, Word: "function", Name: c.value.name,
		Args: []*syntax.SortExpr{sort}}
	f.codes[key] = c
	if why := f.codable(t); why != "" {
		f.errs.Errorf(diag.Unsupported, f.span, "the values of %s cannot be listed: %s", t, why).
			Suggest("Give what is meant a type: a variable of the file, or a definition with one.")
		return c
	}
	f.coded = append(f.coded, c)
	f.added = append(f.added, d)
	return c
}

// decoded is the value of a code.
func (f *places) decoded(c *code, x *syntax.Expr) *value {
	v := f.read(location{symbol: c.value.name.Text, args: []*syntax.Expr{x}, span: f.span},
		c.value.result)
	v.code = x
	return v
}

// declareCodes declares the functions that give the values of codes. Declaring one may need the
// codes of another type.
func (f *flattener) declareCodes() {
	before := f.out
	for i := 0; i < len(f.coded); i++ {
		c := f.coded[i]
		f.out = nil
		w := &declarer{f: f, d: c.value.symbol}
		for _, a := range f.alternatives(c.value.params) {
			w.declare("", a.sorts, c.value.result, "$1") // the file writes the value itself
		}
		axiom := func(x *syntax.Expr) {
			if !build.IsTrue(x) {
				f.out = append(f.out, &syntax.FormulaDecl{Span: c.value.name.Span, Word: "axiom",
					Listed: true, Expr: build.At(x, c.value.name.Span)})
			}
		}
		axiom(f.canonical(c.value, state{}))
		axiom(f.quantify(true, "A", c.typ, func(a *value) *syntax.Expr {
			return f.quantify(true, "B", c.typ, func(b *value) *syntax.Expr {
				va, vb := f.decoded(c, a.expr), f.decoded(c, b.expr)
				va.code = nil // their parts are compared
				return build.Implies(f.same(va, vb), build.Equal(a.expr, b.expr))
			})
		}))
		f.added = append(f.added, f.out...)
		f.view.Codes = append(f.view.Codes, &result.CodeSort{Sort: c.typ.name,
			Shape: f.shape(location{symbol: c.value.name.Text}, c.value.result)})
	}
	f.out = before
}

// coding is a code that stands for a value which may have been computed.
type coding struct {
	code  *code
	name  string
	value *value
}

// encode gives the code of a value, as one of a type: the code that it was read from, or a
// variable.
func (f *places) encode(v *value, t *typ) (x *syntax.Expr, more []coding) {
	if v.code != nil && codeKey(v.typ) == codeKey(t) {
		return v.code, nil
	}
	c := coding{f.codeOf(t), f.variable("code"), v}
	return build.Ref(c.name), []coding{c}
}

// withCodes says something of the codes of some values. Only a formula can say which code a value
// has: what is no formula waits for the smallest one around it, or for the statement.
func (f *places) withCodes(codes []coding, v *value) *value {
	mark := f.waiting.mark()
	f.waiting.add(codes)
	if len(codes) == 0 || !v.typ.plain() || v.typ.root().name != "bool" {
		return v
	}
	return f.formulaValue(f.waiting.settled(mark, v.expr))
}

// waiting are the codes of computed values that stand in what is being lowered.
type waiting struct {
	f     *values
	list  []coding
	added int // how many there were
}

func (w *waiting) add(codes []coding) {
	w.list = append(w.list, codes...)
	w.added += len(codes)
}

// mark is a moment; what waits since then comes behind it in the list.
func (w *waiting) mark() int { return len(w.list) }

// formula is a formula in which the codes have a meaning that its parts wait for.
func (w *waiting) formula(parts func() *syntax.Expr) *syntax.Expr {
	mark := w.mark()
	return w.settled(mark, parts())
}

// settled is a formula in which the codes that wait since a mark have a meaning. Saying that a code
// has a value may need other codes, which belong around it. Each value has exactly one code, so all
// codes with the value and one with it say the same. A proof does not know that there is one: what
// is to be proved is said of all.
func (w *waiting) settled(mark int, x *syntax.Expr) *syntax.Expr {
	for len(w.list) > mark {
		c, is := w.last()
		w.f.leave(c.name)
		x = build.Quantified(w.f.claims, c.binder(), build.Guarded(w.f.claims, is, x))
	}
	return x
}

// last takes the last code away. It gives the condition that the code has its value.
func (w *waiting) last() (c coding, is *syntax.Expr) {
	last := len(w.list) - 1
	c, w.list = w.list[last], w.list[:last]
	return c, w.hasValue(c)
}

// hasValue says that a code has its value. A value outside of the ranges of its type has no code.
func (w *waiting) hasValue(c coding) *syntax.Expr {
	return build.Needs(w.f.inRanges(c.value, c.code.value.result),
		w.f.same(w.f.decode(c.code, build.Ref(c.name)), c.value))
}

func (c coding) binder() *syntax.Binder {
	return &syntax.Binder{Name: syntax.Name{Text: c.name}, Sort: c.code.typ.sort}
}

// ended reports the codes that wait since a mark, if what they stand for depends on what ends here.
func (w *waiting) ended(mark int, depends func(*syntax.Expr) bool) {
	if !slices.ContainsFunc(w.list[mark:], func(c coding) bool {
		return occurs(w.formula(func() *syntax.Expr { return w.hasValue(c) }), depends)
	}) {
		return
	}
	if w.f.errs.Err() == nil { // else perhaps a name is not declared
		w.f.errs.Errorf(diag.Unsupported, w.f.span, "a function or a map has no value here for a "+
			"%s that is computed", w.list[mark].value.typ.root().word()).
			Because(diag.Span{}, "its value for an argument is found by the argument's code, and "+
				"only a formula or a statement can say which code a value has").
			Suggest("Let a variable stand for the argument: exists s: set[T]. s = ... & f(s) = x.")
	}
	for _, c := range w.list[mark:] {
		w.f.leave(c.name)
	}
	w.list = w.list[:mark]
}

// occurs reports whether an expression has a part of a kind.
func occurs(x *syntax.Expr, is func(*syntax.Expr) bool) bool {
	return is(x) || slices.ContainsFunc(x.Args, func(a *syntax.Expr) bool { return occurs(a, is) })
}

func namesOf(bs []*syntax.Binder) (out []string) {
	for _, b := range bs {
		out = append(out, b.Name.Text)
	}
	return out
}

// variables reports whether an expression is one of some variables.
func variables(names ...string) func(*syntax.Expr) bool {
	return func(x *syntax.Expr) bool {
		return x.Kind == syntax.ExprName && slices.Contains(names, x.Name.Text)
	}
}

// forget drops the variables for the codes of some arguments.
func (f *places) forget(ps []point) {
	for _, p := range ps {
		for _, c := range p.codes {
			f.leave(c.name)
		}
	}
}
