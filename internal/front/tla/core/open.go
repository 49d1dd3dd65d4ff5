package core

import (
	"fmt"
	"maps"
	"slices"

	"erelong.dev/erelong/internal/diag"
	"erelong.dev/erelong/internal/front/tla/syntax"
	"erelong.dev/erelong/internal/value"
)

// Parameter is a declared constant that has no value: what is said of it holds for all values.
type Parameter struct {
	base
	Name string
}

// Application is a declared constant operator that has no value, applied to arguments.
type Application struct {
	base
	Name string
	Args []Node
}

// Open builds the model of a specification whose constants have no values. What a configuration
// says of constants does not count, nor do fairness, constraints and symmetry: a formula that holds
// in all states of the model holds in all of the configured one. Claimed are the configuration's
// invariants and properties, and the theorems of the root module about its runs. The result is nil
// after an error.
func (s *Spec) Open(c *syntax.Config, src diag.Span) *Model {
	s.open = true
	m := &Model{Spec: s}
	e := &elaborator{Spec: s}
	for _, a := range s.assumes {
		protect(func() {
			m.Assumptions = append(m.Assumptions,
				&Claim{a.name, e.value(a.expr, a.scope), a.span})
		})
	}
	claims := theorems{e}.all()
	m.configured = c.Specification.Text+c.Init.Text != ""
	runs := "" // of which specification
	if c.Specification.Text+c.Init.Text == "" && len(claims) > 0 {
		runs = claims[0].runs
		protect(func() { m.specified(e, claims[0].specification, s.root.scope) })
	} else {
		if c.Specification.Text+c.Init.Text == "" {
			s.usual(c)
		}
		runs = theorems{e}.configured(c)
		m.behaviour(e, c, src)
	}
	m.Invariants = e.claims(c.Invariants, State,
		"an INVARIANT is about one state: a formula about runs or steps is a PROPERTY")
	known := map[string]bool{}
	for _, c := range m.Invariants {
		known[c.Name] = true
	}
	for i := range claims {
		t := &claims[i]
		t.taken = t.always != nil && known[t.name]
		if t.always != nil && t.runs == runs && !t.taken {
			e.quietly(func() { // an error is said where the property is made
				n := e.value(t.always, t.scope)
				if n.Level() <= State && e.Errs.Err() == nil {
					known[t.name], t.taken = true, true
					m.Invariants = append(m.Invariants, &Claim{t.name, n, t.span})
				}
			})
		}
	}
	m.fairness(e, c, claims, runs)
	m.Safe, m.Untold = theorems{e}.properties(m, c, claims, runs, known)
	if s.Errs.Err() != nil {
		return nil
	}
	if m.Init == nil && len(m.Variables) == 0 {
		m.lemmas(e)
	}
	m.tried(e, known)
	return m
}

// lemmas claims the theorems of a module without variables: its only state says nothing.
func (m *Model) lemmas(e *elaborator) {
	for _, u := range e.Root.Units {
		th, ok := u.(*syntax.Theorem)
		if !ok || th.Body == nil {
			continue
		}
		errs := e.Errs
		e.Errs = &diag.List{}
		protect(func() {
			m.Invariants = append(m.Invariants,
				&Claim{th.Name.Text, e.value(th.Body, e.root.scope), th.Body.Span()})
			m.Init = True(e.Space)
		})
		if e.Errs.Err() != nil {
			m.Untold = append(m.Untold, &Untold{Name: th.Name.Text, Span: th.Span, Errs: e.Errs})
		}
		e.Errs = errs
	}
}

// fairness finds out of which specification the fairness of the model is. Without a configuration
// it is the one of the first theorem about what happens at some time.
func (m *Model) fairness(e *elaborator, c *syntax.Config, claims []theorem, runs string) {
	m.fairly = c.Specification.Text
	if m.configured {
		return
	}
	for _, t := range claims {
		if t.runs != runs || t.taken {
			continue
		}
		if p, errs := e.property("", t.claim, e.root.scope); errs.Err() == nil && len(p.Rest) > 0 {
			of := &Model{Spec: m.Spec}
			e.quietly(func() { (&parts{e: e, m: of}).take(t.specification, e.root.scope, 0) })
			m.fairly, m.Fairness = text(t.specification), of.Fairness
			return
		}
	}
}

// Redefined are the definitions that a configuration puts others in the place of.
func (s *Spec) Redefined(c *syntax.Config) (out []string) {
	for _, r := range c.Replacements {
		if _, ok := s.root.find(r.Name.Text).(*operator); ok {
			out = append(out, r.Name.Text)
		}
	}
	return out
}

// Defined is the name of the definition of the root module whose body is at a place, empty where
// there is none.
func (s *Spec) Defined(at diag.Span) string {
	for _, name := range slices.Sorted(maps.Keys(s.root.names)) {
		if op, ok := s.root.names[name].(*operator); ok && op.body != nil && op.body.Span() == at &&
			len(op.params) == 0 {
			return name
		}
	}
	return ""
}

// mostTried bounds the formulas that are tried.
const mostTried = 40

// tried finds the formulas of states that the root module and the ones that it extends define
// without parameters, but for the initial condition. Among them is often the invariant by which the
// others are proved.
func (m *Model) tried(e *elaborator, known map[string]bool) {
	for _, name := range slices.Sorted(maps.Keys(m.root.names)) {
		op, ok := m.root.names[name].(*operator)
		if !ok || known[name] || op.body == nil || len(op.params) > 0 || op.recursive ||
			len(m.Tried) == mostTried || slices.Contains(m.begins, name) {
			continue
		}
		e.quietly(func() {
			if e.isTemporal(op.body, op.scope, 0) {
				return
			}
			n := e.value(op.body, op.scope)
			if n.Level() == State && e.Errs.Err() == nil {
				m.Tried = append(m.Tried, &Claim{name, n, op.body.Span()})
			}
		})
	}
}

// usual gives a configuration the usual names for the behaviour of a module, as far as it or a
// module that it extends has them.
func (s *Spec) usual(c *syntax.Config) {
	name := func(n string) syntax.Name {
		if op, ok := s.root.find(n).(*operator); ok && len(op.params) == 0 && op.body != nil {
			return syntax.Name{Text: n, Span: op.body.Span()}
		}
		return syntax.Name{}
	}
	if c.Specification = name("Spec"); c.Specification.Text == "" {
		c.Init, c.Next = name("Init"), name("Next")
	}
}

// theorem is a theorem that the runs of a specification have a property.
type theorem struct {
	specification syntax.Expr
	runs          string      // which runs the specification has: see runs
	claim         syntax.Expr // in the scope of the root module
	always        syntax.Expr // of all states; nil for a property of another kind
	scope         *scope      // of always
	label         string      // its own name
	name          string      // of what is true in all states
	taken         bool        // as an invariant
	span          diag.Span
}

// theorems reads the theorems of the root module.
type theorems struct{ *elaborator }

// all are the theorems that the runs of a specification have a property.
func (e theorems) all() (out []theorem) {
	for _, u := range e.Root.Units {
		th, ok := u.(*syntax.Theorem)
		if !ok {
			continue
		}
		x, ok := th.Body.(*syntax.Apply)
		if !ok || x.Name.Text != "=>" {
			continue
		}
		runs := e.runs(x.Args[0])
		if runs == "" {
			continue
		}
		t := theorem{specification: x.Args[0], runs: runs, label: th.Name.Text,
			name: th.Name.Text, span: x.Span(), claim: x.Args[1], scope: e.root.scope}
		e.always(&t, x.Args[1], e.root.scope)
		out = append(out, t)
	}
	return out
}

// runs is a text by which specifications can be compared: their initial conditions and steps, and
// where these stand. It is empty for a formula without a part [][A]_v.
func (e theorems) runs(x syntax.Expr) (out string) {
	e.quietly(func() {
		if e.isTemporal(x, e.root.scope, 0) {
			p := &parts{e: e.elaborator, m: &Model{Spec: e.Spec}}
			p.take(x, e.root.scope, 0)
			if p.next != nil {
				out = together(p.init, *p.next)
			}
		}
	})
	return out
}

func together(init []thunk, next thunk) (out string) {
	for _, t := range append(init, next) {
		out += t.meant() + "; "
	}
	return out
}

// meant is an expression as a text by which expressions can be compared: with the operator that it
// names, which another module may have, too, or with where it stands.
func (t thunk) meant() string {
	if a, ok := t.expr.(*syntax.Apply); ok && len(a.Args)+len(a.Path) == 0 && t.scope != nil {
		if op, ok := t.scope.find(a.Name.Text).(*operator); ok {
			return fmt.Sprintf("%p", op)
		}
	}
	return fmt.Sprintf("%s in %p", text(t.expr), t.scope)
}

// configured is runs of what a configuration names.
func (e theorems) configured(c *syntax.Config) string {
	at := func(n syntax.Name) syntax.Expr {
		return &syntax.Apply{At: syntax.At{Where: n.Span}, Name: n}
	}
	if c.Specification.Text != "" {
		return e.runs(at(c.Specification))
	}
	return together([]thunk{{expr: at(c.Init), scope: e.root.scope}},
		thunk{expr: at(c.Next), scope: e.root.scope})
}

// quietly runs f up to an error, which is about a formula that nothing needs.
func (e *elaborator) quietly(f func()) {
	errs := e.Errs
	e.Errs = &diag.List{}
	protect(f)
	e.Errs = errs
}

// always finds out what a formula says of all states: []P, or a name for it.
func (e theorems) always(t *theorem, x syntax.Expr, sc *scope) {
	a, ok := x.(*syntax.Apply)
	if !ok {
		return
	}
	e.quietly(func() {
		op, ok := resolved(e.lookup(a, sc)).(*operator)
		switch {
		case ok && op.builtin == "[]":
			if inner, ok := a.Args[0].(*syntax.Apply); ok && len(inner.Args) == 0 {
				t.name = inner.Name.Text
			}
			t.always, t.scope = a.Args[0], sc
		case ok && op.body != nil && len(op.params)+len(a.Args) == 0:
			t.name = op.name
			e.always(t, op.body, op.scope)
		}
	})
}

// Values are the values that a configuration gives to the constants of the root module. A constant
// that has none is left out.
func (s *Spec) Values(c *syntax.Config) map[string]*value.Value {
	out := map[string]*value.Value{}
	e := &elaborator{Spec: s}
	e.quietly(func() {
		s.configure(c)
		for _, name := range s.root.order {
			k, ok := s.root.names[name].(*constant)
			if !ok || k.decl.Arity > 0 {
				continue
			}
			e.quietly(func() {
				n := e.mean(k, k.decl.Name.Span)
				if v, err := s.evaluate(n, e.most); err == nil && n.Level() == Constant {
					out[name] = v
				}
			})
		}
	})
	return out
}
