package core

import (
	"math/big"
	"slices"
	"strings"

	"erelong.dev/erelong/internal/diag"
	"erelong.dev/erelong/internal/front/tla/syntax"
	"erelong.dev/erelong/internal/value"
)

// elaborator makes nodes of expressions. Places of the frame are given out like a stack. In an
// action, whose parts run within each other, no place is given out twice.
type elaborator struct {
	*Spec
	reading
	// initialStep says that initial states are described, as the states after a step.
	initialStep bool
	temporal    bool // the expression is a temporal formula
	action      bool // the expression gives values to variables
	depth       int  // the next free place
	most        int  // the places needed so far
	nesting     int
	steps       *operator // what the specification says of all steps, if a definition does
}

// maxNesting bounds how deep expressions and expansions are.
const maxNesting = 2000

// abort ends the elaboration of a formula; its cause is among the errors.
type abort struct{}

func (e *elaborator) fail(code diag.Code, at diag.Span, format string, args ...any) {
	e.Errs.Errorf(code, at, format, args...)
	panic(abort{})
}

// protect runs f, and reports whether it came to its end.
func protect(f func()) (ok bool) {
	defer func() {
		switch r := recover(); r.(type) {
		case nil:
		case abort:
			ok = false
		default:
			panic(r)
		}
	}()
	f()
	return true
}

// place gives out a place of the frame.
func (e *elaborator) place() int {
	e.depth++
	e.most = max(e.most, e.depth)
	return e.depth - 1
}

// scoped runs f, and takes back the places that it gave out, but in an action.
func (e *elaborator) scoped(f func()) {
	depth, action := e.depth, e.action
	f()
	if e.action = action; !action {
		e.depth = depth
	}
}

// value is node for an expression that gives no values to variables.
func (e *elaborator) value(x syntax.Expr, sc *scope) Node {
	action, depth := e.action, e.depth
	e.action = false
	n := e.node(x, sc)
	e.action, e.depth = action, depth
	return n
}

// state is value for an expression that is no temporal formula.
func (e *elaborator) state(x syntax.Expr, sc *scope) Node {
	temporal := e.temporal
	e.temporal = false
	n := e.value(x, sc)
	e.temporal = temporal
	return n
}

// node makes a node of an expression.
func (e *elaborator) node(x syntax.Expr, sc *scope) Node {
	if e.nesting++; e.nesting > maxNesting {
		e.fail(diag.TooDeep, x.Span(), "the expression is too deep when its operators are expanded")
	}
	depth, temporal := e.depth, e.temporal
	e.temporal = temporal && e.isTemporal(x, sc, 0)
	n := e.plain(x, sc)
	e.temporal = temporal
	e.nesting--
	return e.share(n, depth)
}

// share wraps a constant that takes some work, and needs no place that is bound outside.
func (e *elaborator) share(n Node, depth int) Node {
	if n.Level() != Constant || n.Lowest() < depth {
		return n
	}
	switch n := n.(type) {
	case *Literal, *Parameter, *Shared, *Refused:
		return n
	}
	s := &Shared{base: base{lowest: none, span: n.Span()}, Value: n, Frame: e.most,
		Index: e.shared}
	e.shared++
	return s
}

func (e *elaborator) literal(span diag.Span, v *value.Value) Node {
	return &Literal{over(span), v}
}

// plain is node before constants are shared.
func (e *elaborator) plain(x syntax.Expr, sc *scope) Node {
	span := x.Span()
	switch x := x.(type) {
	case *syntax.Apply:
		return e.apply(x, sc)
	case *syntax.Number:
		return e.number(x)
	case *syntax.String:
		return e.literal(span, e.Space.String(x.Value))
	case *syntax.Junction:
		return e.junction(span, x.And, x.Items, sc)
	case *syntax.If:
		cond := e.state(x.Cond, sc)
		yes := e.branch(x.Then, sc)
		no := e.branch(x.Else, sc)
		return &If{over(span, cond, yes, no), cond, yes, no}
	case *syntax.Case:
		return e.cases(x, sc)
	case *syntax.Let:
		return e.let(x, sc)
	case *syntax.Quantified:
		return binders{e}.quantified(x, sc)
	case *syntax.Label:
		return e.node(x.Body, sc)
	case *syntax.Action:
		return builtins{e}.actionOf(x, sc)
	case *syntax.Fair:
		return builtins{e}.fair(x, sc)
	case *syntax.Old:
		m := sc.find("@")
		if m == nil {
			e.fail(diag.Syntax, span, "@ stands outside of an EXCEPT")
		}
		return e.mean(m, span)
	case *syntax.Lambda:
		e.fail(diag.NotCallable, span, "LAMBDA is an operator, and stands where a value is needed")
	}
	return data{e}.of(x, sc)
}

// branch is node for a part that is what the whole is: an action in an action.
func (e *elaborator) branch(x syntax.Expr, sc *scope) Node {
	if e.action || e.temporal {
		return e.node(x, sc)
	}
	return e.value(x, sc)
}

func (e *elaborator) number(x *syntax.Number) Node {
	text, base := x.Text, 10
	if strings.HasPrefix(text, `\`) {
		base = map[byte]int{'b': 2, 'o': 8, 'h': 16}[text[1]|32]
		text = text[2:]
	}
	n, ok := new(big.Int).SetString(text, base)
	if !ok {
		e.fail(diag.Unsupported, x.Span(), "the number %s is not supported: numbers are "+
			"integers", x.Text)
	}
	return e.literal(x.Span(), e.Space.Integer(n))
}

func (e *elaborator) junction(span diag.Span, and bool, items []syntax.Expr, sc *scope) Node {
	j := &Junction{base: over(span), And: and}
	for _, it := range items {
		n := e.branch(it, sc)
		if sub, ok := n.(*Junction); ok && sub.And == and {
			j.Args = append(j.Args, sub.Args...)
		} else {
			j.Args = append(j.Args, n)
		}
		j.join(n)
	}
	if j.Level() == Temporal {
		return undecided(e, j)
	}
	return j
}

// undecided is a junction of temporal formulas without the constant formulas in it, which may
// decide it.
func undecided(e *elaborator, j *Junction) Node {
	var rest []Node
	for _, a := range j.Args {
		switch truth, known := e.decided(a); {
		case !known:
			rest = append(rest, a)
		case truth != j.And && len(rest) == 0:
			return e.literal(j.Span(), e.Space.Bool(truth))
		case truth != j.And:
			rest = append(rest, a) // what comes before may have no value
		}
	}
	switch len(rest) {
	case 0:
		return e.literal(j.Span(), e.Space.Bool(j.And))
	case 1:
		return rest[0]
	}
	j.Args = rest
	return j
}

// decided is the truth of a constant formula within a temporal one, as of p # q for each two
// elements of a constant set.
func (e *elaborator) decided(n Node) (truth, known bool) {
	if !e.temporal || e.open || n.Level() > Constant {
		return false, false
	}
	v, err := e.evaluate(n, e.most)
	if err != nil || v.Kind() != value.Bool {
		return false, false
	}
	return v.Truth(), true
}

func (e *elaborator) cases(x *syntax.Case, sc *scope) Node {
	c := &Case{base: over(x.Span())}
	for _, a := range x.Arms {
		cond := e.state(a.Cond, sc)
		v := e.branch(a.Value, sc)
		c.join(cond)
		c.join(v)
		c.Conds, c.Values = append(c.Conds, cond), append(c.Values, v)
	}
	if x.Other != nil {
		c.Other = e.branch(x.Other, sc)
		c.join(c.Other)
	}
	return c
}

// let binds the definitions of a LET. Each is expanded where it is used; one without parameters is
// computed once, unless it depends on the state after the step.
func (e *elaborator) let(x *syntax.Let, sc *scope) (out Node) {
	e.scoped(func() {
		body := inner(sc)
		m := &module{scope: body, spec: e.Spec}
		recursive := map[string]bool{}
		e.once(x.Units, map[string]given{})
		var lets []*Let
		for _, u := range x.Units {
			m.definition(u, body, recursive)
			var name string
			switch u := u.(type) {
			case *syntax.Definition:
				if len(u.Params) == 0 {
					name = u.Name.Text
				}
			case *syntax.FunctionDefinition:
				name = u.Name.Text
			}
			if name == "" || recursive[name] {
				continue
			}
			op := body.names[name].(*operator)
			if l := e.hold(op, body, name); l != nil {
				lets = append(lets, l)
			}
		}
		out = within(lets, e.branch(x.Body, body), x.Span())
	})
	return out
}

// within puts a node into lets, of which the first is the outermost.
func within(lets []*Let, n Node, span diag.Span) Node {
	for _, l := range slices.Backward(lets) {
		l.Body, l.base = n, over(span, l.Value, n)
		l.lowest = min(l.lowest, l.Slot)
		n = l
	}
	return n
}

// hold gives an operator without parameters a place for its value; nil where it is expanded at each
// use.
func (e *elaborator) hold(op *operator, sc *scope, name string) *Let {
	if e.temporal {
		return nil
	}
	slot := e.place()
	n := e.apart(func() Node {
		return e.expand(op, nil, nil, syntax.Name{Text: name}, spanOfOperator(op))
	})
	if n.Level() >= Step || trivial(n) {
		return nil
	}
	sc.names[name] = &held{place{slot: slot, primed: e.primed}, op, n.Level()}
	return &Let{Slot: slot, Value: n}
}

// apart makes a node whose places are not used by what follows, since it may be computed there.
func (e *elaborator) apart(f func() Node) Node {
	most, action := e.most, e.action
	e.most, e.action = e.depth, false
	n := f()
	e.depth = e.most
	e.most, e.action = max(most, e.most), action
	return n
}

// held is an operator whose value has a place.
type held struct {
	place
	op    *operator
	level Level
}

func spanOfOperator(op *operator) diag.Span {
	if op.function != nil {
		return op.function.Span
	}
	if op.body != nil {
		return op.body.Span()
	}
	return diag.Span{}
}

// trivial reports whether a node costs as little as reading a place.
func trivial(n Node) bool {
	switch n.(type) {
	case *Literal, *Parameter, *Variable, *Slot, *Shared, *Global, *Refused:
		return true
	}
	return false
}
