package infer

import (
	"cmp"
	"fmt"
	"math/big"
	"slices"

	"erelong.dev/erelong/internal/logic"
	"erelong.dev/erelong/internal/system"
)

// Integers that are compared and never added up, such as ballots, views and time stamps, may as
// well be elements of a sort with a total order. A literal becomes a constant, and the sum of a
// term and a literal any element beyond the term. Each step of the system is one of this
// abstraction, and its instances have few states, where integers have no end. What is found there
// is proved of the system, so nothing of it is trusted.

// orderOnly is the abstraction of a system.
type orderOnly struct {
	sys      *system.System // the abstraction
	integers *logic.Sort    // int, or the one range of the system
	numbers  *logic.Sort    // the sort in its place
	le       *logic.Symbol
	symbols  map[*logic.Symbol]*logic.Symbol
	of       map[*logic.Symbol]*logic.Symbol // the reverse
	bodies   map[*logic.Symbol]*system.Derived
	vars     map[*logic.Var]*logic.Var // both ways
	literals []literal
	partial  bool    // a claim has no counterpart
	action   *beyond // nil outside of an action
}

// literal is a constant that stands for a number.
type literal struct {
	value  *big.Int
	symbol *logic.Symbol
}

// beyond are the values that an action takes in place of sums.
type beyond struct {
	rel    *system.Relation
	chosen map[string]*logic.Var // by the sum
	bound  []*logic.Var          // by quantifiers and updates around the term
}

// newOrderOnly is the abstraction of a system, nil where there is none, or where no integers belong
// to elements: counters are nothing without arithmetic. A claim with a sum has no counterpart.
func newOrderOnly(sys *system.System, claims []*goal) *orderOnly {
	o := &orderOnly{symbols: map[*logic.Symbol]*logic.Symbol{},
		of: map[*logic.Symbol]*logic.Symbol{}, bodies: map[*logic.Symbol]*system.Derived{},
		vars: map[*logic.Var]*logic.Var{}}
	if !o.hasIntegers(sys) || undefined(sys) {
		return nil
	}
	o.declare(sys)
	for _, a := range sys.Actions {
		if !o.addAction(a) {
			return nil
		}
	}
	o.sys.Axioms = append(o.sys.Axioms, o.formulas(sys.Axioms)...)
	o.sys.Inits = o.formulas(sys.Inits)
	for _, g := range claims {
		if g.property == nil || g.property.Kind == system.Range {
			continue
		}
		t, ok := o.term(g.property.Term)
		if !ok {
			o.partial = true
			continue
		}
		o.sys.Properties = append(o.sys.Properties, &system.Property{Name: g.property.Name,
			Kind: g.property.Kind, Term: t, Span: g.property.Span})
	}
	if len(o.sys.Properties) == 0 {
		return nil
	}
	o.order()
	if system.Validate(o.sys) != nil {
		return nil
	}
	return o
}

// hasIntegers finds the sort of the integers. It is false where there are several, or where none of
// them belongs to elements.
func (o *orderOnly) hasIntegers(sys *system.System) bool {
	belong := false
	for _, sym := range sys.Symbols {
		for i, s := range append(slices.Clone(sym.Args), sym.Result) {
			switch {
			case s.Base() != logic.Int:
				continue
			case o.integers == nil:
				o.integers = s
			case o.integers != s && o.integers.String() != s.String():
				return false
			}
			belong = belong || i < len(sym.Args) || len(sym.Args) > 0
		}
	}
	return belong
}

// undefined reports whether a derived symbol has an axiom in place of a definition.
func undefined(sys *system.System) bool {
	return slices.ContainsFunc(sys.Derived, func(d *system.Derived) bool { return d.Body == nil })
}

// declare copies the sorts and the symbols, with elements for integers.
func (o *orderOnly) declare(sys *system.System) {
	o.sys = &system.System{Name: sys.Name, Source: sys.Source, Sorts: slices.Clone(sys.Sorts)}
	o.numbers = &logic.Sort{Kind: logic.KindUninterpreted, Name: unusedName(sys, "number")}
	o.sys.Sorts = append(o.sys.Sorts, o.numbers)
	o.le = &logic.Symbol{Name: unusedName(sys, "le"), Kind: logic.Relation,
		Args: []*logic.Sort{o.numbers, o.numbers}, Result: logic.Bool}
	o.sys.Symbols = append(o.sys.Symbols, o.le)
	for _, d := range sys.Derived {
		o.bodies[d.Symbol] = d
	}
	for _, sym := range sys.Symbols {
		if o.bodies[sym] != nil {
			continue
		}
		c := *sym
		c.Args = slices.Clone(sym.Args)
		for i, s := range c.Args {
			c.Args[i] = o.sort(s)
		}
		c.Result = o.sort(sym.Result)
		o.symbols[sym], o.of[&c] = &c, sym
		o.sys.Symbols = append(o.sys.Symbols, &c)
	}
}

// unusedName is a name that no symbol and no sort of a system has.
func unusedName(sys *system.System, name string) string {
	isSort := func(s *logic.Sort) bool { return s.Name == name }
	for isTaken(sys, name) || slices.ContainsFunc(sys.Sorts, isSort) {
		name += "_"
	}
	return name
}

// order adds the axioms: the order is total, and the literals lie in it as they are.
func (o *orderOnly) order() {
	a, b, c := logic.Ref(&logic.Var{Name: "A", Sort: o.numbers}),
		logic.Ref(&logic.Var{Name: "B", Sort: o.numbers}),
		logic.Ref(&logic.Var{Name: "C", Sort: o.numbers})
	add := func(name string, t *logic.Term) {
		o.sys.Axioms = append(o.sys.Axioms,
			&system.Formula{Name: name, Term: logic.Forall(logic.FreeVars(t), t)})
	}
	add("transitive", logic.Implies(logic.And(o.upTo(a, b), o.upTo(b, c)), o.upTo(a, c)))
	add("antisymmetric", logic.Implies(logic.And(o.upTo(a, b), o.upTo(b, a)), logic.Eq(a, b)))
	add("total", logic.Or(o.upTo(a, b), o.upTo(b, a)))
	slices.SortFunc(o.literals, func(a, b literal) int { return a.value.Cmp(b.value) })
	for i, l := range o.literals[:max(len(o.literals)-1, 0)] {
		add(l.symbol.Name, logic.Not(o.upTo(logic.App(o.literals[i+1].symbol, logic.Pre),
			logic.App(l.symbol, logic.Pre))))
	}
	if o.integers.Kind != logic.KindRange {
		return
	}
	for i, end := range []*logic.Term{o.integers.Lo, o.integers.Hi} {
		if e, ok := o.term(end); ok {
			bound := o.upTo(e, a)
			if i > 0 {
				bound = o.upTo(a, e)
			}
			add(fmt.Sprintf("end%d", i+1), bound)
		}
	}
}

func (o *orderOnly) upTo(a, b *logic.Term) *logic.Term { return logic.App(o.le, logic.Pre, a, b) }

func (o *orderOnly) sort(s *logic.Sort) *logic.Sort {
	if s.Base() == logic.Int {
		return o.numbers
	}
	return s
}

// variable is the variable in the place of another one, in either direction.
func (o *orderOnly) variable(v *logic.Var) *logic.Var {
	s := o.sort(v.Sort)
	if v.Sort == o.numbers {
		s = o.integers
	}
	if s == v.Sort {
		return v
	}
	if o.vars[v] == nil {
		c := *v
		c.Sort = s
		o.vars[v], o.vars[&c] = &c, v
	}
	return o.vars[v]
}

func (o *orderOnly) variables(vs []*logic.Var) (out []*logic.Var) {
	for _, v := range vs {
		out = append(out, o.variable(v))
	}
	return out
}

// formulas leaves out what has no counterpart.
func (o *orderOnly) formulas(fs []*system.Formula) (out []*system.Formula) {
	for _, f := range fs {
		for _, c := range logic.Conjuncts(f.Term) {
			if t, ok := o.term(c); ok {
				out = append(out, &system.Formula{Name: f.Name, Term: t, Span: f.Span})
			}
		}
	}
	return out
}

// addAction adds the counterpart of an action, false if there is none.
func (o *orderOnly) addAction(a *system.Action) bool {
	if len(a.Relation.Inputs) > 0 {
		return false
	}
	rel := &system.Relation{Choices: o.variables(a.Relation.Choices)}
	o.action = &beyond{rel: rel, chosen: map[string]*logic.Var{}}
	defer func() { o.action = nil }()
	for _, g := range a.Relation.Guard {
		t, ok := o.term(g)
		if !ok {
			return false
		}
		rel.Guard = append(rel.Guard, t)
	}
	for _, u := range a.Relation.Updates {
		o.action.bound = u.Vars
		value, ok := o.term(u.Value)
		if !ok {
			return false
		}
		vars := o.variables(u.Vars)
		rel.Updates = append(rel.Updates, system.Update{Symbol: o.symbols[u.Symbol], Vars: vars,
			Args: logic.Refs(vars), Value: value, Span: u.Span})
	}
	b := &system.Action{Name: a.Name, Params: o.variables(a.Params), Relation: rel, Span: a.Span}
	for _, sym := range a.Modifies {
		b.Modifies = append(b.Modifies, o.symbols[sym])
	}
	if system.CodeOf(o.sys, b) != nil {
		return false
	}
	o.sys.Actions = append(o.sys.Actions, b)
	return true
}

// term is a term with elements in the place of integers, false if it has no counterpart.
func (o *orderOnly) term(t *logic.Term) (*logic.Term, bool) {
	switch t.Op {
	case logic.OpInt:
		return logic.App(o.literal(t.Int), logic.Pre), true
	case logic.OpVar:
		return logic.Ref(o.variable(t.Var)), true
	case logic.OpAdd, logic.OpSub, logic.OpNeg, logic.OpMul, logic.OpDiv, logic.OpMod:
		return o.sum(t)
	case logic.OpForall, logic.OpExists, logic.OpLet:
		if o.action != nil {
			before := o.action.bound
			o.action.bound = append(slices.Clip(before), t.Vars...)
			defer func() { o.action.bound = before }()
		}
	case logic.OpApp:
		if d := o.bodies[t.Symbol]; d != nil {
			return o.term(valueOf(d, t))
		}
	}
	args := make([]*logic.Term, len(t.Args))
	for i, a := range t.Args {
		var ok bool
		if args[i], ok = o.term(a); !ok {
			return nil, false
		}
	}
	switch t.Op {
	case logic.OpApp:
		return logic.App(o.symbols[t.Symbol], t.Step, args...), true
	case logic.OpLe:
		return o.upTo(args[0], args[1]), true
	case logic.OpLt:
		return logic.Not(o.upTo(args[1], args[0])), true
	}
	c := *t
	c.Args, c.Vars, c.Sort = args, o.variables(t.Vars), o.sort(t.Sort)
	return &c, true
}

// literal is the constant of a number.
func (o *orderOnly) literal(n *big.Int) *logic.Symbol {
	for _, l := range o.literals {
		if l.value.Cmp(n) == 0 {
			return l.symbol
		}
	}
	sym := &logic.Symbol{Name: unusedName(o.sys, "literal"), Kind: logic.Constant,
		Result: o.numbers}
	o.literals = append(o.literals, literal{n, sym})
	o.sys.Symbols = append(o.sys.Symbols, sym)
	return sym
}

// sum is a value that an action chooses in the place of a sum: beyond the other summand, if one is
// a literal.
func (o *orderOnly) sum(t *logic.Term) (*logic.Term, bool) {
	if o.action == nil || slices.ContainsFunc(logic.FreeVars(t), func(v *logic.Var) bool {
		return slices.Contains(o.action.bound, v)
	}) {
		return nil, false
	}
	key := t.String()
	if v := o.action.chosen[key]; v != nil {
		return logic.Ref(v), true
	}
	v := &logic.Var{Name: unusedName(o.sys, fmt.Sprintf("beyond%d", len(o.action.chosen)+1)),
		Sort: o.numbers}
	o.action.chosen[key] = v
	o.action.rel.Choices = append(o.action.rel.Choices, v)
	from, by := summands(t)
	if from == nil {
		return logic.Ref(v), true
	}
	base, ok := o.term(from)
	if !ok {
		return nil, false
	}
	low, high := base, logic.Ref(v)
	if by.Sign() < 0 {
		low, high = high, low
	}
	o.action.rel.Guard = append(o.action.rel.Guard, logic.Not(o.upTo(high, low)))
	return logic.Ref(v), true
}

// summands takes the sum or the difference of a term and a literal that is not 0 apart; nil if the
// term is none.
func summands(t *logic.Term) (from *logic.Term, by *big.Int) {
	if len(t.Args) != 2 || t.Op != logic.OpAdd && t.Op != logic.OpSub {
		return nil, nil
	}
	a, b := t.Args[0], t.Args[1]
	if t.Op == logic.OpAdd && a.Op == logic.OpInt {
		a, b = b, a
	}
	if b.Op != logic.OpInt || b.Int.Sign() == 0 {
		return nil, nil
	}
	if by = b.Int; t.Op == logic.OpSub {
		by = new(big.Int).Neg(by)
	}
	return a, by
}

// lift is a formula of the abstraction about the integers of the system.
func (o *orderOnly) lift(t *logic.Term) *logic.Term {
	return logic.Map(t, func(t *logic.Term) *logic.Term {
		switch {
		case t.Op == logic.OpVar:
			return logic.Ref(o.variable(t.Var))
		case t.IsQuantifier():
			c := *t
			c.Vars = o.variables(t.Vars)
			return &c
		case t.Op == logic.OpNot && t.Args[0].Op == logic.OpLe:
			return logic.Lt(t.Args[0].Args[1], t.Args[0].Args[0])
		case t.Op != logic.OpApp:
			return t
		case t.Symbol == o.le:
			return logic.Le(t.Args[0], t.Args[1])
		}
		if i := slices.IndexFunc(o.literals, func(l literal) bool {
			return l.symbol == t.Symbol
		}); i >= 0 {
			return logic.BigLit(o.literals[i].value)
		}
		return logic.App(cmp.Or(o.of[t.Symbol], t.Symbol), t.Step, t.Args...)
	})
}
