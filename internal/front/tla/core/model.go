package core

import (
	"slices"
	"strings"

	"erelong.dev/erelong/internal/diag"
	"erelong.dev/erelong/internal/front/tla/syntax"
	"erelong.dev/erelong/internal/value"
)

// Model is a specification with the values of its constants: what there is to explore, and to
// check.
type Model struct {
	*Spec
	// Init gives values to the variables after a step that has no state before.
	Init        Node
	Actions     []*Steps
	Fair        []*Fair
	Assumed     []*Claim // temporal formulas of the specification that are no fairness conditions
	Assumptions []*Claim // about constants
	Invariants  []*Claim
	Properties  []*Claim
	Tried       []*Claim // formulas of states that the modules define, and nobody claims
	Constraints []*Claim
	// ActionConstraints are formulas about steps that all steps obey.
	ActionConstraints []*Claim
	Postconditions    []*Claim // about the whole exploration
	View              Node     // nil for none
	Alias             Node     // what a counterexample shows of a state; nil for the state
	Symmetry          *value.Value
	Deadlock          bool // whether a state without successor is a violation
	Frame             int  // the size of the frame for all nodes
	sets              []constantSet
	Runs
}

// Runs is what an open model says of runs, instead of Fair and Properties.
type Runs struct {
	Safe       []*Property
	Untold     []*Untold // properties that have no meaning here
	Fairness   []Node    // what is assumed, in parts
	begins     []string  // the definitions that are the initial condition
	fairly     string    // the specification whose fairness this is
	configured bool      // by a configuration
}

// Steps are the steps of a named action. Node is an action that ends in Taken nodes.
type Steps struct {
	Name   string
	Params []string
	Node   Node
	Span   diag.Span
}

// Taken is true, and says that the steps' parameters have values.
type Taken struct {
	base
	Args []Node
}

// Claim is a named formula.
type Claim struct {
	Name string
	Node Node
	Span diag.Span
}

// Build makes the model that a configuration describes; nil after an error.
func (s *Spec) Build(c *syntax.Config, src diag.Span) *Model {
	checked := c.CheckDeadlock == nil || *c.CheckDeadlock
	m := &Model{Spec: s, Deadlock: checked && len(s.Variables) > 0}
	s.configure(c)
	if s.Errs.Err() != nil {
		return nil
	}
	e := &elaborator{Spec: s}
	for _, a := range s.assumes {
		name := a.name
		if name == "" {
			name = "ASSUME"
		}
		protect(func() {
			m.Assumptions = append(m.Assumptions, &Claim{name, e.value(a.expr, a.scope), a.span})
		})
	}
	m.behaviour(e, c, src)
	m.Invariants = e.claims(c.Invariants, State,
		"an INVARIANT is about one state: a formula about runs or steps is a PROPERTY")
	m.Constraints = e.claims(c.Constraints, State,
		"a CONSTRAINT is about one state: one about steps is an ACTION_CONSTRAINT")
	m.ActionConstraints = e.claims(c.ActionConstraints, Step,
		"an ACTION_CONSTRAINT is about one step")
	m.Postconditions = e.claims(c.Postconditions, State,
		"a POSTCONDITION is about the whole exploration")
	e.temporal = true
	m.Properties = e.claims(c.Properties, Temporal, "")
	for _, n := range c.Tried {
		before := *e
		e.quietly(func() {
			m.Tried = append(m.Tried, e.claims([]syntax.Name{n}, Temporal, "")...)
		})
		before.most = e.most
		*e = before
	}
	e.temporal = false
	if c.View.Text != "" {
		v := e.claims([]syntax.Name{c.View}, State, "a VIEW is a value of one state")
		if len(v) > 0 {
			m.View = v[0].Node
		}
	}
	if c.Alias.Text != "" {
		a := e.claims([]syntax.Name{c.Alias}, Step,
			"an ALIAS is a value of a state and the next one")
		if len(a) > 0 {
			m.Alias = a[0].Node
		}
	}
	m.symmetry(e, c.Symmetry)
	m.constants(e)
	m.Frame = e.most + 1
	if s.Errs.Err() != nil {
		return nil
	}
	return m
}

// claims makes nodes of named formulas, which are of a level at most; why says so.
func (e *elaborator) claims(names []syntax.Name, most Level, why string) (out []*Claim) {
	for _, n := range names {
		protect(func() {
			depth := e.depth
			node := e.node(&syntax.Apply{At: syntax.At{Where: n.Span}, Name: n}, e.root.scope)
			e.depth = depth
			if node.Level() > most {
				e.fail(diag.Unsupported, n.Span, "%s is no such formula: %s", n.Text, why)
			}
			span := n.Span
			if op, ok := e.root.names[n.Text].(*operator); ok && op.body != nil {
				span = op.body.Span()
			}
			out = append(out, &Claim{n.Text, node, span})
		})
	}
	return out
}

// behaviour finds the initial states, the steps and the fairness of a specification.
func (m *Model) behaviour(e *elaborator, c *syntax.Config, src diag.Span) {
	root := m.root.scope
	name := func(n syntax.Name) syntax.Expr {
		return &syntax.Apply{At: syntax.At{Where: n.Span}, Name: n}
	}
	if c.Init.Text != "" && c.Next.Text != "" {
		protect(func() {
			e.initialStep = c.InitialStep
			m.initial(e, []thunk{{expr: name(c.Init), scope: root}}, c.Init.Span)
			e.initialStep = false
			m.next(e, thunk{expr: name(c.Next), scope: root}, c.Next.Text)
		})
		return
	}
	if c.Specification.Text == "" {
		if len(m.Variables) > 0 {
			m.Errs.Errorf(diag.MissingValue, src,
				"the configuration says neither SPECIFICATION nor "+
					"INIT and NEXT")
		}
		return
	}
	protect(func() { m.specified(e, name(c.Specification), root) })
}

// specified finds the initial states, the steps and the fairness of a formula.
func (m *Model) specified(e *elaborator, spec syntax.Expr, sc *scope) {
	p := &parts{e: e, m: m}
	p.take(spec, sc, 0)
	if p.next == nil {
		what := "the specification"
		if name, ok := spec.(*syntax.Apply); ok && len(name.Args) == 0 {
			what = name.Name.Text
		}
		e.fail(diag.Unsupported, spec.Span(), "%s has no part [][Next]_vars", what)
	}
	m.initial(e, p.init, spec.Span())
	m.next(e, *p.next, p.nextName)
}

// parts are the conjuncts of a specification.
type parts struct {
	e        *elaborator
	m        *Model
	init     []thunk
	next     *thunk
	nextName string
}

// take sorts the conjuncts of a formula.
func (p *parts) take(x syntax.Expr, sc *scope, depth int) {
	if depth > maxNesting {
		p.e.fail(diag.TooDeep, x.Span(), "the specification is too deep")
	}
	if !p.e.isTemporal(x, sc, 0) {
		p.init = append(p.init, thunk{expr: x, scope: sc})
		return
	}
	switch x := x.(type) {
	case *syntax.Junction:
		if x.And {
			for _, y := range x.Items {
				p.take(y, sc, depth+1)
			}
			return
		}
	case *syntax.Label:
		p.take(x.Body, sc, depth+1)
		return
	case *syntax.Apply:
		if p.takeApply(x, sc, depth) {
			return
		}
	}
	if p.e.open { // with less assumed, there are more runs
		said, _ := p.e.property("", x, sc)
		p.m.Fairness = append(p.m.Fairness, said.Rest...)
		return
	}
	p.e.temporal = true
	n := p.e.node(x, sc)
	p.e.temporal = false
	p.assume(n)
}

func (p *parts) takeApply(x *syntax.Apply, sc *scope, depth int) bool {
	switch mean := resolved(p.e.lookup(x, sc)).(type) {
	case *thunk:
		p.take(mean.expr, mean.scope, depth+1)
		return true
	case *operator:
		switch {
		case mean.builtin == `/\`:
			p.take(x.Args[0], sc, depth+1)
			p.take(x.Args[1], sc, depth+1)
			return true
		case mean.builtin == "[]":
			if a, ok := x.Args[0].(*syntax.Action); ok && !a.Angle && p.next == nil {
				p.next, p.nextName = &thunk{expr: a.Body, scope: sc}, "Next"
				if b, ok := a.Body.(*syntax.Apply); ok && len(b.Args) == 0 {
					p.nextName = b.Name.Text
					p.e.steps = p.e.defined(b, sc)
				}
				return true
			}
		case mean.body != nil && len(mean.params) == 0 && len(x.Args) == 0:
			p.take(mean.body, mean.scope, depth+1)
			return true
		case mean.body != nil && !mean.recursive && len(mean.params) == len(x.Args):
			body := inner(mean.scope)
			for i, d := range mean.params {
				body.names[d.Name.Text] = &thunk{expr: x.Args[i], scope: sc}
			}
			p.take(mean.body, body, depth+1)
			return true
		}
	}
	return false
}

// assume takes a temporal conjunct.
func (p *parts) assume(n Node) {
	switch n := n.(type) {
	case *Fair:
		p.m.Fair = append(p.m.Fair, n)
	case *Junction:
		if n.And {
			for _, a := range n.Args {
				p.assume(a)
			}
			return
		}
		p.m.Assumed = append(p.m.Assumed, &Claim{"assumed", n, n.span})
	default:
		p.m.Assumed = append(p.m.Assumed, &Claim{"assumed", n, n.Span()})
	}
}

// initial makes the node of the initial states.
func (m *Model) initial(e *elaborator, parts []thunk, span diag.Span) {
	e.action, e.primed = true, true
	j := &Junction{base: over(span), And: true}
	for _, p := range parts {
		if a, ok := p.expr.(*syntax.Apply); ok && len(a.Args)+len(a.Path) == 0 {
			m.begins = append(m.begins, a.Name.Text)
		}
		n := e.node(p.expr, p.scope)
		j.Args = append(j.Args, n)
		j.join(n)
	}
	e.action, e.primed, e.depth = false, false, 0
	m.Init = j
}

// next splits the steps into named actions.
func (m *Model) next(e *elaborator, t thunk, name string) {
	e.action = true
	n := e.node(t.expr, t.scope)
	e.action, e.depth = false, 0
	c := &cutter{model: m, byName: map[string]*Junction{}}
	c.cut(n, path{name: name})
}

// cutter cuts an action at its disjunctions.
type cutter struct {
	model  *Model
	byName map[string]*Junction
}

// path is how a part of an action is reached.
type path struct {
	name   string
	params []string
	args   []Node
	wrap   []func(Node) Node // from outside to inside
}

func (p path) within(f func(Node) Node) path {
	p.wrap = append(slices.Clip(p.wrap), f)
	return p
}

// choosing is the path to the body of an existential quantifier. Its names are parameters where the
// path has none.
func (p path) choosing(q *Quantified) path {
	if len(p.args) == 0 {
		for _, b := range q.Bindings {
			p.params = append(slices.Clip(p.params), b.Names...)
			for _, s := range b.Slots {
				p.args = append(slices.Clip(p.args), &Slot{base{Constant, s, q.span}, s})
			}
		}
	}
	return p.within(func(body Node) Node {
		r := *q
		r.Body = body
		return &r
	})
}

func (c *cutter) cut(n Node, p path) {
	switch n := n.(type) {
	case *Named:
		p.name, p.params, p.args = n.Name, n.Params, n.Args
		if hasNames(n.Body) {
			c.cut(n.Body, p)
			return
		}
		c.leaf(n.Body, p)
		return
	case *Junction:
		if !n.And && hasNames(n) {
			for _, a := range n.Args {
				c.cut(a, p)
			}
			return
		}
	case *Quantified:
		if !n.All && hasNames(n.Body) {
			c.cut(n.Body, p.choosing(n))
			return
		}
	case *Let:
		if hasNames(n.Body) {
			c.cut(n.Body, p.within(func(body Node) Node {
				l := *n
				l.Body = body
				return &l
			}))
			return
		}
	}
	c.leaf(n, p)
}

// hasNames reports whether an action, before a conjunction or another operator, names operators.
func hasNames(n Node) bool {
	switch n := n.(type) {
	case *Named:
		return true
	case *Junction:
		return !n.And && slices.ContainsFunc(n.Args, hasNames)
	case *Quantified:
		return !n.All && hasNames(n.Body)
	case *Let:
		return hasNames(n.Body)
	}
	return false
}

func (c *cutter) leaf(n Node, p path) {
	if q, ok := n.(*Quantified); ok && !q.All && len(p.args) == 0 {
		p, n = p.choosing(q), q.Body
	}
	key := p.name + "(" + strings.Join(p.params, ", ") + ")"
	j := c.byName[key]
	if j == nil {
		j = &Junction{base: base{Step, none, n.Span()}}
		c.byName[key] = j
		name := p.name
		for k := 2; slices.ContainsFunc(c.model.Actions, func(s *Steps) bool {
			return s.Name == name
		}); k++ {
			name = p.name + strings.Repeat("'", k-1)
		}
		c.model.Actions = append(c.model.Actions, &Steps{name, p.params, j, n.Span()})
	}
	out := Node(&Junction{base{Step, none, n.Span()}, true, []Node{n,
		&Taken{base{Step, none, n.Span()}, p.args}}})
	for _, w := range slices.Backward(p.wrap) {
		out = w(out)
	}
	j.Args = append(j.Args, out)
}

// symmetry evaluates the sets of permutations.
func (m *Model) symmetry(e *elaborator, names []syntax.Name) {
	why := "a SYMMETRY is a constant set of permutations, such as Permutations(Proc)"
	for _, c := range e.claims(names, Constant, why) {
		v, err := m.evaluate(c.Node, e.most)
		switch {
		case err != nil:
			m.Errs.Errorf(diag.BadValue, c.Span, "the symmetry %s has no value: %v", c.Name, err)
		case m.Symmetry == nil:
			m.Symmetry = v
		default:
			m.Symmetry = value.Cup(m.Symmetry, v)
		}
	}
}
