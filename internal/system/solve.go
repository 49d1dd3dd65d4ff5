package system

import (
	"slices"
	"strconv"

	"erelong.dev/erelong/internal/diag"
	"erelong.dev/erelong/internal/logic"
)

// Solve makes a relation of a two-state formula by solving it for the new values of the symbols
// that the action modifies. Conjuncts of the form
//
//	forall X. f'(X) <-> e      forall X. f'(X) = e      f'(a) = e      forall X. C -> f'(X) = e
//
// are equations. Equations with complementary conditions are merged. An equation for all arguments
// becomes an Update. An equation that leaves out a single point does, too; the new value of that
// point becomes a choice. The remaining conjuncts stay in Guard. Outermost positive existential
// quantifiers over the new state become Choices.
//
// The meaning does not change. The guards and updates together are equivalent to the formula, in
// conjunction with the ranges: the new values of a symbol with a range result lie in that range, if
// no update fixes them.
func Solve(sys *System, a *Action, formula *logic.Term) *Relation {
	s := &solver{rel: &Relation{}, modified: map[*logic.Symbol]bool{},
		solved: map[*logic.Symbol]bool{},
		names:  map[string]bool{}}
	for _, sym := range sys.Symbols {
		s.names[sym.Name] = true
	}
	for _, v := range a.Params {
		s.names[v.Name] = true
	}
	for _, sym := range a.Modifies {
		s.modified[sym] = true
	}
	for _, c := range s.split(s.keep(formula)) {
		span := c.Span
		if span.IsZero() {
			span = formula.Span
		}
		s.conjuncts = append(s.conjuncts, &conjunct{term: c.At(span), equations: s.equations(c)})
	}
	for s.step(a.Modifies, s.total) || s.step(a.Modifies, s.merged) ||
		s.step(a.Modifies, s.allButOne) {
	}
	for _, c := range s.conjuncts {
		if !c.used {
			s.rel.Guard = append(s.rel.Guard, c.term)
		}
	}
	for _, sym := range a.Modifies {
		if g := resultInRange(sym, sym, logic.Post); !s.solved[sym] && !g.IsTrue() {
			s.rel.Guard = append(s.rel.Guard, g.At(a.Span))
		}
	}
	return s.rel
}

type solver struct {
	rel       *Relation
	modified  map[*logic.Symbol]bool
	solved    map[*logic.Symbol]bool // the symbols with an Update
	names     map[string]bool        // of symbols, parameters and choices
	conjuncts []*conjunct
}

// conjunct is a part of the formula, with its readings as equations.
type conjunct struct {
	term      *logic.Term
	equations []*equation
	used      bool // by an update
}

// equation says: for all vars, cond implies that symbol(vars) in the post-state is value.
type equation struct {
	symbol      *logic.Symbol
	vars        []*logic.Var // one for each argument, of its sort
	cond, value *logic.Term
}

// keep replaces the new value of an unmodified symbol by its old value.
func (s *solver) keep(t *logic.Term) *logic.Term {
	return logic.Map(t, func(t *logic.Term) *logic.Term {
		if t.Op != logic.OpApp || t.Step != logic.Post || s.modified[t.Symbol] || t.Symbol.Derived {
			return t
		}
		c := *t
		c.Step = logic.Pre
		return &c
	})
}

// split gives conjuncts. It turns existential quantifiers into choices, and splits conditionals and
// definitions where this exposes an equation.
func (s *solver) split(t *logic.Term) []*logic.Term {
	var out []*logic.Term
	for _, c := range logic.Conjuncts(t) {
		core, prefix := strip(c)
		switch {
		case logic.MaxStep(core) < logic.Post:
			out = append(out, c)
		case core.Op == logic.OpExists && core == c:
			out = append(out, s.split(s.choose(c))...)
		case core.Op == logic.OpIte && len(s.equations(c)) == 0:
			yes := logic.Implies(core.Args[0], core.Args[1]).At(core.Span)
			no := logic.Implies(logic.Not(core.Args[0]), core.Args[2]).At(core.Span)
			out = append(out, s.split(prefix.wrap(yes))...)
			out = append(out, s.split(prefix.wrap(no))...)
		case core.Op == logic.OpLet && size(core.Args[0], smallTerm) < smallTerm:
			body := logic.Subst(core.Args[1],
				map[*logic.Var]*logic.Term{core.Vars[0]: core.Args[0]})
			out = append(out, s.split(prefix.wrap(body))...)
		default:
			out = append(out, c)
		}
	}
	return out
}

// smallTerm is the number of nodes up to which a named term is copied to the uses of its name.
const smallTerm = 50

// size counts the nodes of a term as a tree, up to a limit.
func size(t *logic.Term, limit int) int {
	n := 1
	for _, a := range t.Args {
		if n >= limit {
			return n
		}
		n += size(a, limit-n)
	}
	return n
}

// choose turns the variables of an existential quantifier into choices, and returns its body. The
// choices are new variables, so that a formula whose parts the front end uses twice does not bind a
// choice again.
func (s *solver) choose(t *logic.Term) *logic.Term {
	m := map[*logic.Var]*logic.Term{}
	for _, v := range t.Vars {
		m[v] = logic.Ref(s.choice(v.Name, v))
	}
	return logic.Subst(t.Args[0], m)
}

// choice adds a choice with the sort of v and an unused name.
func (s *solver) choice(name string, v *logic.Var) *logic.Var {
	fresh := *v
	fresh.Name = name
	for i := 1; s.names[fresh.Name]; i++ {
		fresh.Name = name + strconv.Itoa(i)
	}
	s.names[fresh.Name] = true
	s.rel.Choices = append(s.rel.Choices, &fresh)
	return &fresh
}

// prefix is the outside of a conjunct, forall vars. conds -> core.
type prefix struct {
	vars  []*logic.Var
	conds []*logic.Term
}

func (p prefix) wrap(core *logic.Term) *logic.Term {
	return logic.Forall(p.vars, logic.Implies(logic.And(p.conds...), core)).At(core.Span)
}

// strip separates a conjunct into prefix and core. A quantifier that binds a bound variable again
// belongs to the core.
func strip(t *logic.Term) (core *logic.Term, p prefix) {
	for {
		switch {
		case t.Op == logic.OpForall && !slices.ContainsFunc(t.Vars, func(v *logic.Var) bool {
			return slices.Contains(p.vars, v)
		}):
			p.vars = append(p.vars, t.Vars...)
			t = t.Args[0]
		case t.Op == logic.OpImplies:
			p.conds = append(p.conds, t.Args[0])
			t = t.Args[1]
		default:
			return t, p
		}
	}
}

// equations lists all readings of a conjunct as an equation.
func (s *solver) equations(c *logic.Term) []*equation {
	core, p := strip(c)
	var out []*equation
	for _, side := range sides(core) {
		if e := s.equation(p, side); e != nil {
			out = append(out, e)
		}
	}
	return out
}

// assignment is the equation of app, an application in the post-state, and a value.
type assignment struct{ app, value *logic.Term }

// sides finds the assignments that are equivalent to a formula without outer quantifiers.
func sides(t *logic.Term) []assignment {
	var out []assignment
	switch t.Op {
	case logic.OpApp:
		if t.Step == logic.Post {
			out = append(out, assignment{t, logic.True})
		}
	case logic.OpNot:
		for _, a := range sides(t.Args[0]) {
			if a.app.Sort == logic.Bool {
				out = append(out, assignment{a.app, logic.Not(a.value)})
			}
		}
	case logic.OpIff, logic.OpEq:
		for i, side := range t.Args {
			other := t.Args[1-i]
			if side.Op == logic.OpNot && side.Args[0].Op == logic.OpApp {
				side, other = side.Args[0], logic.Not(other)
			}
			if side.Op == logic.OpApp && side.Step == logic.Post {
				out = append(out, assignment{side, other})
			}
		}
	case logic.OpIte:
		for _, a := range sides(t.Args[1]) {
			for _, b := range sides(t.Args[2]) {
				if logic.Equal(a.app, b.app) {
					out = append(out, assignment{a.app, ite(t.Args[0], a.value, b.value)})
				}
			}
		}
	}
	return out
}

// equation makes an equation from an assignment under a prefix, nil if that is not possible. Each
// argument must be a variable of the prefix that ranges over the whole domain, or a term without
// variables of the prefix. An argument of a range sort must be a variable: a term could lie outside
// the range, where an update gives no value.
func (s *solver) equation(p prefix, a assignment) *equation {
	sym := a.app.Symbol
	if !s.modified[sym] {
		return nil
	}
	e := &equation{symbol: sym, value: a.value}
	conds := slices.Clone(p.conds)
	for i, arg := range a.app.Args {
		v := arg.Var
		switch {
		case arg.Op == logic.OpVar && slices.Contains(p.vars, v):
			if slices.Contains(e.vars, v) || !logic.SameSort(v.Sort, sym.Args[i]) {
				return nil
			}
		case sym.Args[i].Kind == logic.KindRange || mentions(arg, p.vars):
			return nil
		default:
			v = &logic.Var{Name: argumentName(sym.Args[i]), Sort: sym.Args[i]}
			conds = append(conds, logic.Eq(logic.Ref(v), arg))
		}
		e.vars = append(e.vars, v)
	}
	for _, v := range p.vars {
		if !slices.Contains(e.vars, v) {
			return nil
		}
	}
	e.cond = logic.And(conds...)
	return e
}

func mentions(t *logic.Term, vars []*logic.Var) bool {
	return slices.ContainsFunc(logic.FreeVars(t), func(v *logic.Var) bool {
		return slices.Contains(vars, v)
	})
}

// step makes one more update by the given rule, for the first symbol that the rule fits.
func (s *solver) step(symbols []*logic.Symbol, rule func([]candidate) bool) bool {
	for _, sym := range symbols {
		if s.solved[sym] {
			continue
		}
		var cs []candidate
		for _, c := range s.conjuncts {
			for _, e := range c.equations {
				if e.symbol == sym && !c.used && s.ready(e) {
					cs = append(cs, candidate{e, []*conjunct{c}})
				}
			}
		}
		if rule(cs) {
			return true
		}
	}
	return false
}

// candidate is an equation that an update may use, with the conjuncts that it comes from.
type candidate struct {
	*equation
	sources []*conjunct
}

// ready reports whether every new value in an equation has an update. So the equation does not read
// its own symbol's new value, which has none yet.
func (s *solver) ready(e *equation) bool {
	ok := true
	check := func(t *logic.Term) bool {
		if t.Op == logic.OpApp && t.Step == logic.Post {
			ok = ok && s.solved[t.Symbol]
		}
		return ok
	}
	logic.Walk(e.cond, check)
	logic.Walk(e.value, check)
	return ok
}

// total uses an equation that covers all arguments.
func (s *solver) total(cs []candidate) bool {
	for _, c := range cs {
		if c.cond.IsTrue() {
			s.update(c, c.value)
			return true
		}
	}
	return false
}

// merged uses equations that together cover all arguments.
func (s *solver) merged(cs []candidate) bool { return s.total(merge(cs)) }

// allButOne uses an equation that leaves out exactly one point. Its new value is a choice.
func (s *solver) allButOne(cs []candidate) bool {
	for _, c := range merge(cs) {
		if len(c.vars) == 0 || !leavesOnePoint(c.equation) {
			continue
		}
		sym := c.symbol
		v := s.choice(sym.Name+"_new", &logic.Var{Sort: sym.Result, Span: c.sources[0].term.Span})
		s.update(c, ite(c.cond, c.value, logic.Ref(v)))
		return true
	}
	return false
}

func (s *solver) update(c candidate, value *logic.Term) {
	span := diag.Span{}
	for _, source := range c.sources {
		source.used = true
		span = span.To(source.term.Span)
	}
	s.solved[c.symbol] = true
	s.rel.Updates = append(s.rel.Updates,
		Update{Symbol: c.symbol, Vars: c.vars, Args: logic.Refs(c.vars), Value: value, Span: span})
}

// maxCandidates bounds the work of merge. Formulas in practice have a handful of equations for a
// symbol.
const maxCandidates = 100

// merge adds, for two equations with complementary conditions, the equation that they are
// equivalent to, as often as possible: p & c -> f' = a and p & !c -> f' = b give p -> f' = if c
// then a else b.
func merge(cs []candidate) []candidate {
	for i := 1; i < len(cs); i++ {
		for j := 0; j < i && len(cs) < maxCandidates; j++ {
			disjoint := !slices.ContainsFunc(cs[i].sources, func(c *conjunct) bool {
				return slices.Contains(cs[j].sources, c)
			})
			if !disjoint {
				continue
			}
			if e := mergeTwo(cs[j].equation, cs[i].equation); e != nil {
				cs = append(cs, candidate{e, slices.Concat(cs[j].sources, cs[i].sources)})
			}
		}
	}
	return cs
}

func mergeTwo(a, b *equation) *equation {
	m := map[*logic.Var]*logic.Term{}
	for k, v := range b.vars {
		m[v] = logic.Ref(a.vars[k])
	}
	var common, onlyA []*logic.Term
	onlyB := conjunction(logic.Subst(b.cond, m))
	for _, x := range conjunction(a.cond) {
		if i := slices.IndexFunc(onlyB, func(y *logic.Term) bool { return same(x, y, true) }); i >=
			0 {
			common = append(common, x)
			onlyB = slices.Delete(onlyB, i, i+1)
		} else {
			onlyA = append(onlyA, x)
		}
	}
	cond, yes, no := logic.And(onlyA...), a.value, logic.Subst(b.value, m)
	if len(onlyA) == 0 || !same(cond, logic.And(onlyB...), false) {
		return nil
	}
	if cond.Op == logic.OpNot {
		cond, yes, no = cond.Args[0], no, yes
	}
	return &equation{symbol: a.symbol, vars: a.vars, cond: logic.And(common...),
		value: ite(cond, yes, no)}
}

// conjunction gives the arguments of a conjunction in a fresh slice.
func conjunction(t *logic.Term) []*logic.Term {
	if t.Op == logic.OpAnd {
		return slices.Clone(t.Args)
	}
	return []*logic.Term{t}
}

// leavesOnePoint reports whether the negated condition equates each variable to a term without the
// variables.
func leavesOnePoint(e *equation) bool {
	fixed := map[*logic.Var]bool{}
	for t, holds := range logic.Entailed(e.cond, false) {
		if !holds || t.Op != logic.OpEq {
			return false
		}
		v, t := t.Args[0], t.Args[1]
		if v.Op != logic.OpVar || !slices.Contains(e.vars, v.Var) {
			v, t = t, v
		}
		if v.Op != logic.OpVar || !slices.Contains(e.vars, v.Var) || fixed[v.Var] ||
			mentions(t, e.vars) {
			return false
		}
		// A point outside a range is not a point of the function.
		if v.Var.Sort.Kind == logic.KindRange {
			return false
		}
		fixed[v.Var] = true
	}
	return len(fixed) == len(e.vars)
}

// same recognises that a is equivalent to b, or to its negation if positive is false. It ignores
// double negations and the order of arguments only; a false answer means nothing.
func same(a, b *logic.Term, positive bool) bool {
	for a.Op == logic.OpNot {
		a, positive = a.Args[0], !positive
	}
	for b.Op == logic.OpNot {
		b, positive = b.Args[0], !positive
	}
	if !positive &&
		(a.Op == logic.OpLt && b.Op == logic.OpLe || a.Op == logic.OpLe && b.Op == logic.OpLt) {
		return logic.Equal(a.Args[0], b.Args[1]) && logic.Equal(a.Args[1], b.Args[0])
	}
	dual := map[logic.Op]logic.Op{logic.OpAnd: logic.OpOr, logic.OpOr: logic.OpAnd}
	switch {
	case positive && a.Op == logic.OpEq && b.Op == logic.OpEq:
		return logic.Equal(a, b) ||
			logic.Equal(a.Args[0], b.Args[1]) && logic.Equal(a.Args[1], b.Args[0])
	case positive && a.Op == b.Op && dual[a.Op] != 0,
		!positive && dual[a.Op] != 0 && dual[a.Op] == b.Op:
		left := slices.Clone(b.Args)
		for _, x := range a.Args {
			i := slices.IndexFunc(left, func(y *logic.Term) bool { return same(x, y, positive) })
			if i < 0 {
				return false
			}
			left = slices.Delete(left, i, i+1)
		}
		return len(left) == 0
	}
	return positive && logic.Equal(a, b)
}
