package system

import (
	"slices"

	"erelong.dev/erelong/internal/logic"
)

// definedness states when terms have a value: whenever a symbol is applied, each argument lies in
// its range. The conditions are the usual ones for evaluation from left to right (Abrial and
// Mussat, On using conditional definitions in formal theories, ZB 2002). For a quantifier they are
// stronger than what the interpreter needs: the body must have a value for all values of the
// variables, also for the ones behind the one that decides.
//
// A condition has the form of a goal, unless Exists is about it: conjunctions, implications on
// whose right side is a goal, universal quantifiers around goals, and comparisons with the end of a
// range.
type definedness struct {
	sys    *System
	symbol *logic.Symbol // the one that counts, nil for all
	// written reports whether a symbol may have been written, so that its value may lie outside of
	// its range.
	written func(*logic.Symbol) bool
	lets    map[*logic.Var]*logic.Term // the conditions for the values of names
	inside  map[*logic.Symbol]bool     // the derived symbols whose bodies are around the term
	done    map[*logic.Term]*logic.Term
	// What conditions share is shared after a substitution, too.
	replacer *logic.Replacer
}

func (sys *System) definedness(
	symbol *logic.Symbol, written func(*logic.Symbol) bool,
) *definedness {
	return &definedness{sys: sys, symbol: symbol, written: written,
		lets: map[*logic.Var]*logic.Term{}, inside: map[*logic.Symbol]bool{},
		done: map[*logic.Term]*logic.Term{}, replacer: logic.NewReplacer()}
}

// Needs is the condition under which the parts of structured data that a term speaks of exist.
func (sys *System) Needs(t *logic.Term) *logic.Term {
	return sys.definedness(sys.Exists, unwritten).of(t)
}

// of is the condition under which a term has a value.
func (d *definedness) of(t *logic.Term) *logic.Term {
	if t.Op == logic.OpVar { // whose value is not always the same
		return d.Variable(t, none{})
	}
	if c, ok := d.done[t]; ok {
		return c
	}
	c := logic.Visit(d, t, none{})
	d.done[t] = c
	return c
}

type none struct{}

func (d *definedness) Literal(*logic.Term, none) *logic.Term { return logic.True }

func (d *definedness) Variable(t *logic.Term, _ none) *logic.Term {
	if c := d.lets[t.Var]; c != nil {
		return c
	}
	return logic.True
}

func (d *definedness) Not(t *logic.Term, _ none) *logic.Term        { return d.all(t.Args) }
func (d *definedness) Equality(t *logic.Term, _ none) *logic.Term   { return d.all(t.Args) }
func (d *definedness) Distinct(t *logic.Term, _ none) *logic.Term   { return d.all(t.Args) }
func (d *definedness) Comparison(t *logic.Term, _ none) *logic.Term { return d.all(t.Args) }
func (d *definedness) Arithmetic(t *logic.Term, _ none) *logic.Term { return d.all(t.Args) }

// Junction is evaluated from left to right, and no further than needed.
func (d *definedness) Junction(t *logic.Term, _ none) *logic.Term {
	out := logic.True
	for _, a := range slices.Backward(t.Args) {
		cond := a
		if t.Op == logic.OpOr {
			cond = logic.Opposite(a)
		}
		out = logic.And(d.of(a), under(cond, out))
	}
	return out
}

func (d *definedness) Implication(t *logic.Term, _ none) *logic.Term {
	return logic.And(d.of(t.Args[0]), under(t.Args[0], d.of(t.Args[1])))
}

func (d *definedness) Conditional(t *logic.Term, _ none) *logic.Term {
	if c := t.Args[0]; c.Op == logic.OpApp && c.Symbol == d.sys.Exists { // both branches are one
		return logic.And(d.of(c), under(c.Args[0], d.of(t.Args[1])))
	}
	return logic.And(d.of(t.Args[0]), under(t.Args[0], d.of(t.Args[1])),
		under(logic.Opposite(t.Args[0]), d.of(t.Args[2])))
}

func (d *definedness) Quantifier(t *logic.Term, _ none) *logic.Term {
	return around(t.Vars, d.of(t.Args[0]))
}

// Temporal is true: see anytime.
func (d *definedness) Temporal(*logic.Term, none) *logic.Term { return logic.True }

// anytime adds the conditions under which the formulas below temporal operators can be evaluated in
// a state. A condition around such an operator is about another state, so it counts only if it does
// not depend on the state; and a name may have any value. Within puts around a goal what is around
// the term.
func (d *definedness) anytime(
	out []*logic.Term, t *logic.Term, within func(goal *logic.Term) *logic.Term,
) []*logic.Term {
	if !logic.IsTemporal(t) {
		return out
	}
	if outer := within; len(t.Vars) > 0 {
		within = func(goal *logic.Term) *logic.Term { return outer(around(t.Vars, goal)) }
	}
	for _, a := range t.Args {
		if t.Op >= logic.OpAlways {
			out = append(out, within(d.of(a)))
		}
		out = d.anytime(out, a, within)
		cond := a
		if t.Op == logic.OpOr {
			cond = logic.Not(a)
		}
		goesOn := t.Op == logic.OpAnd || t.Op == logic.OpOr || t.Op == logic.OpImplies
		if outer := within; goesOn && !logic.IsTemporal(a) && logic.MaxStep(a) < 0 {
			within = func(goal *logic.Term) *logic.Term { return outer(under(cond, goal)) }
		}
	}
	return out
}

// all is the condition under which all terms have a value.
func (d *definedness) all(ts []*logic.Term) *logic.Term {
	out := make([]*logic.Term, len(ts))
	for i, t := range ts {
		out[i] = d.of(t)
	}
	return logic.And(out...)
}

// under is a goal under a condition.
func under(cond, goal *logic.Term) *logic.Term {
	if goal.IsTrue() {
		return goal
	}
	return logic.Implies(cond, goal)
}

// around is a goal for all values of variables. A range may be empty, so its variable stays.
func around(vars []*logic.Var, goal *logic.Term) *logic.Term {
	if goal.IsTrue() {
		return goal
	}
	free := logic.FreeVars(goal)
	return logic.Forall(slices.DeleteFunc(slices.Clone(vars), func(v *logic.Var) bool {
		return v.Sort.Kind != logic.KindRange && !slices.Contains(free, v)
	}), goal)
}

// Let is the condition of a term with a name for a value: the value is computed where the name is
// needed.
func (d *definedness) Let(t *logic.Term, _ none) *logic.Term {
	v := t.Vars[0]
	d.lets[v] = d.of(t.Args[0])
	out := d.of(t.Args[1])
	if out.IsTrue() {
		return out
	}
	return d.replacer.Replace(out, map[*logic.Var]*logic.Term{v: t.Args[0]})
}

func (d *definedness) Application(t *logic.Term, _ none) *logic.Term {
	out := []*logic.Term{d.all(t.Args)}
	if d.symbol == nil || t.Symbol == d.symbol {
		out = append(out, d.within(t.Symbol, t.Args))
	}
	def := d.sys.DerivedOf(t.Symbol)
	if def == nil || def.Body == nil && def.Fold == nil || d.inside[t.Symbol] {
		return logic.And(out...)
	}
	d.inside[t.Symbol] = true
	var body *logic.Term
	if f := def.Fold; f != nil { // all values are looked at
		body = around(f.Over, logic.And(d.of(f.Cond), under(f.Cond, d.of(f.Value))))
	} else {
		body = d.of(def.Body)
	}
	delete(d.inside, t.Symbol)
	if !body.IsTrue() {
		m := map[*logic.Var]*logic.Term{}
		for i, v := range def.Vars {
			m[v] = t.Args[i]
		}
		out = append(out, d.replacer.Replace(logic.Shift(body, t.Step), m))
	}
	return logic.And(out...)
}

// within states that the arguments of a symbol lie in their ranges.
func (d *definedness) within(sym *logic.Symbol, args []*logic.Term) *logic.Term {
	if sym == d.sys.Exists || d.sys.isFit(sym) {
		return args[0]
	}
	var out []*logic.Term
	for i, s := range sym.Args {
		if s.Kind == logic.KindRange && !d.ranges(args[i], s) {
			at := args[i].Span
			out = append(out, logic.Le(s.Lo, args[i]).At(at), logic.Le(args[i], s.Hi).At(at))
		}
	}
	return logic.And(out...)
}

// ranges reports whether a term is a variable of a range, or a value that was declared to lie in
// it.
func (d *definedness) ranges(t *logic.Term, s *logic.Sort) bool {
	switch t.Op {
	case logic.OpVar:
		return logic.SameSort(t.Var.Sort, s)
	case logic.OpApp:
		return logic.SameSort(t.Symbol.Result, s) && !d.written(t.Symbol)
	}
	return false
}
