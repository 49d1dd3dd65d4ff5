package flat

import (
	"erelong.dev/erelong/internal/diag"
	"erelong.dev/erelong/internal/front/ere/build"
	"erelong.dev/erelong/internal/front/ere/syntax"
)

// A definition with a result or with structured parameters has no symbol: its body takes the place
// of each call. A recursive one says how many calls may be inside one another, or what becomes
// smaller with each (measure.go); where a state needs more, it has no value there.

// call is a call of a definition around an expression that is lowered. It belongs to the
// environment: parts of a value are lowered where they are used, which may be after the call.
type call struct {
	of    *syntax.DefinitionDecl
	depth int // of the calls of the same definition around it, itself included
	outer *call
	total *int // the calls of recursive definitions that the outermost one becomes
	// The measure of the call, of a definition that has one.
	measure func() *syntax.Expr
}

// mostCalls bounds the calls that one call of a recursive definition becomes.
const mostCalls = 4_096

// inline is the body of a definition for the values of its parameters.
func (f *lowerer) inline(x *syntax.Expr, g *global, args []*value, e *env) *value {
	d := g.def
	if len(args) != len(d.Params) {
		f.errs.Errorf(diag.WrongArguments, x.Span, "'%s' takes %d arguments, but here it has %d",
			d.Name.Text, len(d.Params), len(args)).Because(d.Name.Span, "it is defined here")
		return f.usualValue(g.result)
	}
	within := f.deeper(x, d, e.calls)
	if within == nil {
		return needing(f.waiting, build.Truth(false), f.usualValue(g.result))
	}
	if d.Recursive() {
		defer func(before bool) { f.recursive = before }(f.recursive)
		f.recursive = true
	}
	inner := &env{primes: e.primes + x.Primes, old: e.old, calls: within}
	for i, p := range d.Params {
		inner = inner.with(p.Name.Text, args[i])
	}
	smaller := build.Truth(true)
	if d.Measure != nil {
		within.measure = func() *syntax.Expr { return f.lowerExpr(d.Measure, inner) }
		if smaller = f.decreases(within); build.IsFalse(smaller) {
			return needing(f.waiting, smaller, f.usualValue(g.result))
		}
	}
	return needing(f.waiting, smaller, f.body(d, g, inner))
}

// body is the value of a definition in the environment of its parameters.
func (f *lowerer) body(d *syntax.DefinitionDecl, g *global, inner *env) *value {
	if g.result.is(scalar) && g.result.root().name == "bool" {
		free := f.freeOf[d.Expr]
		body := f.closeInlined(free, inner, func(e *env) *syntax.Expr {
			return f.lowerExpr(d.Expr, e)
		})
		return f.formulaValue(body)
	}
	if free := f.freeOf[d.Expr]; len(free) > 0 {
		f.errs.Errorf(diag.UnresolvedName, d.Expr.Span, "'%s' is not declared", free[0].name).
			Because(diag.Span{}, "a capital letter stands for every value in a formula only")
	}
	return f.lower(d.Expr, inner)
}

// deeper is a call of a definition inside others. It is nil where the value of the call is another
// one: no value, where the definition is not recursive, or not so far.
func (f *lowerer) deeper(x *syntax.Expr, d *syntax.DefinitionDecl, outer *call) *call {
	c := &call{of: d, depth: 1, outer: outer, total: new(int)}
	if outer != nil {
		c.total = outer.total
	}
	for o := outer; o != nil; o = o.outer {
		if o.of == d {
			c.depth = o.depth + 1
			break
		}
	}
	if d.Recursive() {
		*c.total++
	}
	levels := f.levels(d)
	switch {
	case c.depth > 1 && levels == 0:
		f.errs.Errorf(diag.Cyclic, x.Span, "'%s' is defined in terms of itself", d.Name.Text).
			Because(d.Name.Span, "it is defined here").
			Suggest("Write a quantifier over the elements or positions, or say after the type of " +
				"the result how many calls may be inside one another, depth 4, or what " +
				"becomes smaller with each: measure(size(s)).")
		return nil
	case *c.total == mostCalls:
		f.errs.Errorf(diag.Cyclic, x.Span, "'%s' becomes more than %d calls", d.Name.Text,
			mostCalls).Because(d.Name.Span, "it is defined here").
			Suggest("Make the depth, or the measure, smaller, or name a value that is needed " +
				"twice with let.")
	}
	if *c.total >= mostCalls || levels > 0 && c.depth > levels {
		return nil
	}
	return c
}

// lowerIf lowers one branch only where the condition is known, so that a recursion ends.
func (f *lowerer) lowerIf(x *syntax.Expr, e *env) *value {
	cond := f.lowerExpr(x.Args[0], e)
	switch {
	case build.IsTrue(cond):
		return f.lower(x.Args[1], e)
	case build.IsFalse(cond):
		return f.lower(x.Args[2], e)
	}
	mark := f.waiting.mark()
	defer f.waiting.ended(mark, build.MayLack)
	return choice(f.waiting, cond, f.lower(x.Args[1], e), f.lower(x.Args[2], e))
}
