package core

import (
	"erelong.dev/erelong/internal/diag"
	"erelong.dev/erelong/internal/front/tla/syntax"
)

// apply makes a node of a name with arguments.
func (e *elaborator) apply(x *syntax.Apply, sc *scope) Node {
	m := e.lookup(x, sc)
	if x.Path == nil {
		if n := (builtins{e}).special(x, m, sc); n != nil {
			return n
		}
	}
	return e.with(m, x.Args, sc, x.Name, x.Span())
}

// lookup finds the meaning of a name, through instances.
func (e *elaborator) lookup(x *syntax.Apply, sc *scope) meaning {
	at := sc
	for i, q := range x.Path {
		switch m := at.find(q.Name.Text).(type) {
		case *instance:
			if at = e.enter(m, q.Args, sc, q.Name); at == nil {
				panic(abort{})
			}
			continue
		case *operator:
			if m.body != nil && len(m.params) == 0 && len(q.Args) == 0 {
				return e.part(m, x, i+1)
			}
		}
		e.unknown(q.Name, at, "instance")
	}
	if at != sc {
		if m, ok := at.names[x.Name.Text]; ok {
			return m
		}
		e.unknown(x.Name, &scope{names: at.names}, "operator")
	}
	m := sc.find(x.Name.Text)
	if m == nil {
		e.unknown(x.Name, sc, "operator")
	}
	return m
}

// enter is the scope of an instance with arguments.
func (e *elaborator) enter(
	in *instance, args []syntax.Expr, sc *scope, name syntax.Name,
) *scope {
	if len(args) != len(in.unit.Params) {
		e.fail(diag.WrongArguments, name.Span,
			"the instance %s has %d parameters, and is used with "+
				"%d arguments", name.Text, len(in.unit.Params), len(args))
	}
	if len(args) == 0 {
		if in.made == nil {
			in.made = e.instantiate(in, in.scope)
		}
		return in.made
	}
	outer := inner(in.scope)
	for i, p := range in.unit.Params {
		outer.names[p.Name.Text] = &thunk{expr: args[i], scope: sc}
	}
	return e.instantiate(in, outer)
}

func (e *elaborator) unknown(name syntax.Name, sc *scope, what string) {
	d := e.Errs.Errorf(diag.UnresolvedName, name.Span, "unknown %s '%s'", what, name.Text)
	if near := diag.Closest(name.Text, sc.all()); near != "" {
		d.Suggest("Did you mean '%s'?", near)
	} else if module := providing(name.Text); module != "" {
		d.Suggest("It is an operator of module %s: add EXTENDS %s.", module, module)
	} else {
		d.Suggest("Define it, or extend the module that defines it.")
	}
	panic(abort{})
}

// providing is a standard module that has an operator.
func providing(name string) string {
	for _, m := range []string{"Naturals", "Integers", "Sequences", "FiniteSets", "TLC"} {
		if _, ok := standardModules[m].arity[name]; ok {
			return m
		}
	}
	return ""
}

// mean makes a node of a name without arguments.
func (e *elaborator) mean(m meaning, span diag.Span) Node {
	return e.with(m, nil, nil, syntax.Name{Span: span}, span)
}

// with makes a node of a meaning with arguments, which stand in scope sc.
func (e *elaborator) with(
	m meaning, args []syntax.Expr, sc *scope, name syntax.Name, span diag.Span,
) Node {
	m = resolved(m)
	if len(args) > 0 {
		m = e.operatorOf(m)
	}
	switch m := m.(type) {
	case *held:
		if m.primed == e.primed {
			return &Slot{base{m.level, m.slot, span}, m.slot}
		}
		return e.expand(m.op, nil, nil, name, span)
	case *place:
		if m.lazy == nil || m.primed == e.primed {
			level := State
			if m.lazy == nil {
				level = Constant
			}
			return &Slot{base{level, m.slot, span}, m.slot}
		}
		return e.branch(m.lazy.expr, m.lazy.scope)
	case *known:
		if m.primed == e.primed {
			return used(e.open, "", m.node)
		}
		return e.branch(m.lazy.expr, m.lazy.scope)
	case *thunk:
		if e.primed && e.owns(name.Text, m) {
			return e.own(m, span)
		}
		if m.scope.global() && !e.action && !e.temporal {
			return used(e.open, "", e.global(&m.nodes, func() Node {
				return e.node(m.expr, m.scope)
			}))
		}
		return e.branch(m.expr, m.scope)
	case *variable:
		level := State
		if e.primed {
			level = Step
		}
		return &Variable{base{level, none, span}, m.index, e.primed}
	case *constant:
		return e.constant(m, args, sc, name, span)
	case *operator:
		return e.expand(m, args, sc, name, span)
	case *instance, *innerModule:
		e.fail(diag.NotCallable, span, "%s is a module, and stands where a value is needed",
			name.Text)
	}
	e.fail(diag.UnresolvedName, span, "unknown name '%s'", name.Text)
	return nil
}

// own is a variable of an instance in the state after a step that an ENABLED looks for. What stands
// for it says nothing of that state: the step is one of the instance (Specifying Systems, §17.8).
func (e *elaborator) own(m *thunk, span diag.Span) Node {
	i, ok := e.owned[m]
	if !ok {
		i = len(e.Variables) + len(e.owned)
		e.owned[m] = i
	}
	return &Variable{base{Step, none, span}, i, true}
}

// constant is a declared constant: its value, or that of its operator for arguments.
func (e *elaborator) constant(
	m *constant, args []syntax.Expr, sc *scope, name syntax.Name, span diag.Span,
) Node {
	switch {
	case m.value != nil && len(args) == 0:
		return e.literal(span, m.value)
	case e.open && len(args) == 0:
		return &Parameter{over(span), m.decl.Name.Text}
	case e.open && len(args) == m.decl.Arity:
		out := &Application{over(span), m.decl.Name.Text, nil}
		for _, a := range args {
			n := e.state(a, sc)
			out.Args = append(out.Args, n)
			out.join(n)
		}
		return out
	case len(m.points) > 0 && len(args) == m.decl.Arity:
		out := Node(&Refused{over(span),
			"the configuration gives no value for these arguments of " +
				m.decl.Name.Text})
		for _, p := range m.points {
			conds := &Junction{base: over(span), And: true}
			for i, a := range args {
				n := e.state(a, sc)
				lit := e.literal(span, p.args[i])
				conds.Args = append(conds.Args, &Equal{over(span, n, lit), n, lit})
				conds.join(n)
			}
			v := e.literal(span, p.value)
			out = &If{over(span, conds, v, out), conds, v, out}
		}
		return out
	}
	e.fail(diag.MissingValue, name.Span, "the constant %s has no value: the configuration needs a "+
		"line CONSTANT %s = ..", m.decl.Name.Text, m.decl.Name.Text)
	return nil
}

// operatorOf follows thunks to the operator that they name.
func (e *elaborator) operatorOf(m meaning) meaning {
	for {
		var t *thunk
		switch x := m.(type) {
		case *thunk:
			t = x
		case *known:
			t = x.lazy
		case *place:
			t = x.lazy
		default:
			return resolved(m)
		}
		if t == nil {
			return m
		}
		switch x := t.expr.(type) {
		case *syntax.Lambda:
			return lambda(x, t.scope)
		case *syntax.Apply:
			if len(x.Args) > 0 {
				return m
			}
			m = resolved(e.lookup(x, t.scope))
		default:
			return m
		}
	}
}

func lambda(x *syntax.Lambda, sc *scope) *operator {
	op := &operator{name: "LAMBDA", body: x.Body, scope: sc}
	for _, p := range x.Params {
		op.params = append(op.params, syntax.Decl{Name: p})
	}
	return op
}

// arityOf is the number of the arguments of a meaning.
func arityOf(m meaning) int {
	switch m := m.(type) {
	case *operator:
		if m.builtin != "" {
			return m.arity
		}
		return len(m.params)
	case *constant:
		return m.decl.Arity
	}
	return 0
}

// expand makes a node of an operator with arguments.
func (e *elaborator) expand(
	op *operator, args []syntax.Expr, sc *scope, name syntax.Name, span diag.Span,
) Node {
	if want := arityOf(op); want != len(args) && want >= 0 {
		what := name.Text
		if what == "" {
			what = op.name
		}
		e.fail(diag.WrongArguments, span, "'%s' takes %d arguments, and is used with %d", what,
			want,
			len(args))
	}
	switch {
	case op.builtin != "":
		return builtins{e}.builtin(op.builtin, args, sc, span)
	case op.recursive:
		return e.call(op, args, sc, span)
	case op.function != nil:
		return binders{e}.functionOf(op, span)
	}
	if op.expanding > 0 && len(args) == 0 || op.expanding > 100 {
		e.fail(diag.Cyclic, span, "'%s' is defined by itself: RECURSIVE %s is missing before its "+
			"definition", op.name, op.name)
	}
	if len(args) == 0 && !e.action && !e.temporal {
		make := func() Node {
			op.expanding++
			defer func() { op.expanding-- }()
			return e.node(op.body, op.scope)
		}
		if op.scope.global() {
			return used(e.open, op.name, e.global(&op.nodes, make))
		}
		return make()
	}
	var out Node
	e.scoped(func() { out = e.expansion(op, args, sc, span) })
	return out
}

// used is a use of what a name stands for. Where constants have no values, a use may need another
// type than the next one, so each is a node of its own.
func used(open bool, name string, n Node) Node {
	if !open {
		return n
	}
	switch n := n.(type) {
	case *Slot:
		c := *n
		return &c
	case *Variable:
		c := *n
		return &c
	case *Parameter:
		c := *n
		return &c
	case *Literal:
		c := *n
		return &c
	}
	if name == "" {
		return n
	}
	return &Named{base: over(n.Span(), n), Name: name, Body: n}
}

// global makes a node that stands for itself wherever it is used, so it is made once. If it needs
// places, it has a frame of its own.
func (e *elaborator) global(nodes *map[reading]Node, make func() Node) Node {
	if n := (*nodes)[e.reading]; n != nil {
		return n
	}
	for _, n := range *nodes {
		if n.Level() == Constant { // however its names are read
			return n
		}
	}
	depth, most := e.depth, e.most
	e.depth, e.most = 0, 0
	n := make()
	if e.most > 0 && n.Level() > Constant && !trivial(n) {
		n = &Global{base{n.Level(), none, n.Span()}, n, e.most}
	}
	e.depth, e.most = depth, max(most, e.most)
	if *nodes == nil {
		*nodes = map[reading]Node{}
	}
	(*nodes)[e.reading] = n
	return n
}

// expansion binds the parameters of an operator, and makes a node of its body.
func (e *elaborator) expansion(
	op *operator, args []syntax.Expr, sc *scope, span diag.Span,
) Node {
	body := inner(op.scope)
	var lets []*Let
	named := &Named{Name: op.name}
	for i, p := range op.params {
		m, l, n := e.argument(args[i], p, sc)
		body.names[p.Name.Text] = m
		if l != nil {
			lets = append(lets, l)
		}
		if n != nil && n.Level() <= State {
			named.Params, named.Args = append(named.Params, p.Name.Text), append(named.Args, n)
		}
	}
	op.expanding++
	n := func() Node { // an error may end this, and another formula begin
		defer func() { op.expanding-- }()
		return e.branch(op.body, body)
	}()
	if e.action {
		named.Body, named.base = n, over(span, n)
		for _, a := range named.Args {
			named.join(a)
		}
		n = named
	}
	return within(lets, n, span)
}

// argument is what a parameter stands for. The node is the argument as a value, nil for an
// operator; the Let gives it a place.
func (e *elaborator) argument(x syntax.Expr, p syntax.Decl, sc *scope) (meaning, *Let, Node) {
	if p.Arity > 0 {
		return e.operatorArgument(x, p.Arity, sc), nil, nil
	}
	t := &thunk{expr: x, scope: sc}
	if e.temporal {
		return t, nil, nil
	}
	slot := e.place()
	n := e.apart(func() Node { return e.node(x, sc) })
	switch {
	case trivial(n):
		return &known{n, e.primed, t}, nil, n
	case n.Level() >= Step:
		return t, nil, nil
	}
	read := &Slot{base{n.Level(), slot, x.Span()}, slot}
	return &known{read, e.primed, t}, &Let{Slot: slot, Value: n}, read
}

// operatorArgument is the operator that an argument names.
func (e *elaborator) operatorArgument(x syntax.Expr, arity int, sc *scope) meaning {
	m := e.operatorOf(&thunk{expr: x, scope: sc})
	if got := arityOf(m); got != arity && got >= 0 {
		e.fail(diag.WrongArguments, x.Span(), "an operator with %d parameters is needed here, and "+
			"this one has %d", arity, got)
	}
	return m
}

// call calls a recursive operator.
func (e *elaborator) call(op *operator, args []syntax.Expr, sc *scope, span diag.Span) Node {
	key := specialisation{reading: e.reading}
	c := &Call{base: over(span)}
	k := 0
	for i, p := range op.params {
		if p.Arity > 0 {
			if k == len(key.ops) {
				e.fail(diag.Unsupported, span,
					"a recursive operator with more than %d operators as "+
						"parameters is not supported", k)
			}
			key.ops[k] = e.operatorArgument(args[i], p.Arity, sc)
			k++
			continue
		}
		n := e.state(args[i], sc)
		c.join(n)
		c.Args = append(c.Args, n)
	}
	if c.Procedure = op.made[key]; c.Procedure == nil {
		c.Procedure = e.procedure(op, key)
	}
	if c.Procedure.Body == nil { // it calls itself
		c.level = max(c.level, State)
		c.lowest = 0
	} else {
		c.level = max(c.level, c.Procedure.level)
		if c.Procedure.Outer > 0 {
			c.lowest = 0
		}
	}
	return c
}

// procedure makes the procedure of a recursive operator. The places below the current depth may be
// the ones of a LET around it.
func (e *elaborator) procedure(op *operator, key specialisation) *Procedure {
	p := &Procedure{Name: op.name}
	if op.made == nil {
		op.made = map[specialisation]*Procedure{}
	}
	op.made[key] = p
	depth, most, action, temporal := e.depth, e.most, e.action, e.temporal
	e.action, e.temporal = false, false
	if op.scope.global() && key.ops == [4]meaning{} {
		e.depth = 0
	}
	p.Outer = e.depth
	e.most = e.depth
	body := inner(op.scope)
	k := 0
	for _, d := range op.params {
		if d.Arity > 0 {
			body.names[d.Name.Text] = key.ops[k]
			k++
			continue
		}
		slot := e.place()
		p.Params = append(p.Params, slot)
		body.names[d.Name.Text] = &place{slot: slot}
	}
	n := e.state(op.body, body)
	p.Frame, p.level = e.most, n.Level()
	if p.level > State && !key.primed || p.level == Temporal {
		e.fail(diag.Unsupported, op.body.Span(), "a recursive operator that is an action is not "+
			"supported")
	}
	p.Body = n
	e.depth, e.most, e.action, e.temporal = depth, most, action, temporal
	return p
}
