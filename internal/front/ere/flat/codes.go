package flat

import (
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
		w := &declarer{f, c.value.symbol}
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

// withCodes says something of the codes of some values. What is said must be a formula.
func (f *places) withCodes(codes []coding, v *value) *value {
	for _, c := range codes {
		f.leave(c.name)
	}
	if len(codes) == 0 {
		return v
	}
	if !v.typ.plain() || v.typ.root().name != "bool" {
		if f.errs.Err() != nil { // perhaps a name is not declared
			return v
		}
		f.errs.Errorf(diag.Unsupported, f.span, "a function or a map has no value here for a %s "+
			"that is computed", codes[0].value.typ.root().word()).
			Because(diag.Span{}, "its value for an argument is found by the argument's code, and "+
				"only a formula can say which code a value has").
			Suggest("Let a variable stand for the argument: exists s: set[T]. s = ... & f(s) = x.")
		return v
	}
	out := v.expr
	for _, c := range codes {
		b := &syntax.Binder{Name: syntax.Name{Text: c.name}, Sort: c.code.typ.sort}
		out = build.Quantified(false, b, build.And(
			f.same(f.decoded(c.code, build.Ref(c.name)), c.value), out))
	}
	return f.formulaValue(out)
}

// forget drops the variables for the codes of some arguments.
func (f *places) forget(ps []point) {
	for _, p := range ps {
		for _, c := range p.codes {
			f.leave(c.name)
		}
	}
}

// computed reports a target with an argument whose code is not known.
func (f *places) computed(ps []point, at diag.Span) bool {
	f.forget(ps)
	for _, p := range ps {
		for _, c := range p.codes {
			f.errs.Errorf(diag.Unsupported, at, "the %s that this is assigned for is computed",
				c.value.typ.root().word()).
				Suggest("Choose it: choose s: set[T] with s = ... { ... }, and assign for s.")
			return true
		}
	}
	return false
}
