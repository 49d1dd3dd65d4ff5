package synth

import (
	"erelong.dev/erelong/internal/logic"
	"erelong.dev/erelong/internal/system"
)

// Comparison is a formula that compares two values of a finite sort, such as their time stamps. It
// may be an order, which steps may change.
type Comparison struct {
	A, B   *logic.Var
	Before *logic.Term // over A and B
}

// Of gives the comparison for other values.
func (c *Comparison) Of(a, b *logic.Term) *logic.Term {
	return instantiate(c.Before, []*logic.Var{c.A, c.B}, []*logic.Term{a, b})
}

// Comparisons lists the formulas in the guards and updates of a system that compare two values of a
// sort: each of their atoms speaks of both, and some atom is an order of what is said of each. Of a
// conjunction or a disjunction, they are all parts that compare the same two values.
func Comparisons(sys *system.System) []*Comparison {
	c := &comparing{known: map[string]bool{}}
	for _, a := range sys.Actions {
		c.in(logic.And(a.Relation.Guard...))
		for _, u := range a.Relation.Updates {
			c.in(u.Value)
		}
	}
	return c.found
}

// Orders are the atoms of the axioms that may order the values of a finite sort: comparisons of
// what a function says of two of them, and relations of two of them.
func Orders(sys *system.System) []*Comparison {
	c := &comparing{known: map[string]bool{}}
	for _, axiom := range sys.Axioms {
		logic.Walk(axiom.Term, func(t *logic.Term) bool {
			if is, _ := compares(t); is && isOrder(t) {
				vars := logic.FreeVars(t)
				c.note(&Comparison{vars[0], vars[1], t})
			}
			return true
		})
	}
	return c.found
}

// isOrder reports whether an atom is an order, or a relation, which may be one.
func isOrder(t *logic.Term) bool {
	return t.Op == logic.OpLt || t.Op == logic.OpLe || t.Op == logic.OpApp
}

// comparing is the search for comparisons.
type comparing struct {
	found []*Comparison
	known map[string]bool // their texts, with the values either way
}

// in finds the comparisons in a formula. Clauses that differ in nothing but what they compare are
// one condition, said in normal form.
func (c *comparing) in(t *logic.Term) {
	var rests []string
	byRest := map[string]*logic.Term{}
	for _, part := range logic.Conjuncts(t) {
		compared, rest := c.clause(part)
		key := rest.String()
		if byRest[key] == nil {
			rests, byRest[key] = append(rests, key), logic.True
		}
		byRest[key] = logic.And(byRest[key], compared)
	}
	for _, key := range rests {
		c.add(byRest[key])
	}
}

// clause gives the disjuncts of a formula that compare the same two values, and the other ones.
func (c *comparing) clause(t *logic.Term) (compared, rest *logic.Term) {
	if is, _ := compares(t); is {
		return t, logic.False
	}
	compared, rest = logic.False, logic.False
	for _, part := range logic.Disjuncts(t) {
		if is, _ := compares(logic.Or(compared, part)); is {
			compared = logic.Or(compared, part)
			continue
		}
		rest = logic.Or(rest, part)
		if !logic.Equal(part, t) {
			c.in(part)
			continue
		}
		for _, arg := range t.Args {
			c.in(arg)
		}
	}
	return compared, rest
}

// add notes a formula if it is a comparison.
func (c *comparing) add(t *logic.Term) {
	if x := comparison(t); x != nil {
		c.note(x)
	}
}

// note keeps a comparison that is not known with the values either way.
func (c *comparing) note(x *Comparison) {
	known := false
	for _, names := range [][2]string{{"A", "B"}, {"B", "A"}} {
		text := x.Of(logic.Ref(&logic.Var{Name: names[0], Sort: x.A.Sort}),
			logic.Ref(&logic.Var{Name: names[1], Sort: x.A.Sort})).String()
		known = known || c.known[text]
		c.known[text] = true
	}
	if !known {
		c.found = append(c.found, x)
	}
}

// comparison is a formula as a comparison; nil if it is none, or has no order among its atoms.
func comparison(t *logic.Term) *Comparison {
	if is, ordered := compares(t); !is || !ordered {
		return nil
	}
	vars := logic.FreeVars(t)
	return &Comparison{vars[0], vars[1], t}
}

// compares reports whether each atom of a formula speaks of the same two values of a finite sort,
// and whether some atom is an order.
func compares(t *logic.Term) (is, ordered bool) {
	if t.Sort != logic.Bool || logic.MaxStep(t) > logic.Pre {
		return false, false
	}
	vars := logic.FreeVars(t)
	if len(vars) != 2 || !logic.SameSort(vars[0].Sort, vars[1].Sort) ||
		vars[0].Sort.Kind != logic.KindUninterpreted || vars[0].Sort.Extent == logic.Infinite {
		return false, false
	}
	switch t.Op {
	case logic.OpAnd, logic.OpOr, logic.OpNot, logic.OpImplies:
		for _, arg := range t.Args {
			one, orders := compares(arg)
			if !one {
				return false, false
			}
			ordered = ordered || orders
		}
		return true, ordered
	case logic.OpLt, logic.OpLe:
		return alike(t, vars), true
	case logic.OpEq:
		return alike(t, vars), false
	case logic.OpApp:
		return !t.Symbol.Mutable, false
	}
	return false, false
}

// alike reports whether one side says of one value what the other side says of the other value.
func alike(t *logic.Term, vars []*logic.Var) bool {
	one := logic.Ref(&logic.Var{Name: "X", Sort: vars[0].Sort})
	same := func(u *logic.Term) *logic.Term {
		return instantiate(u, vars, []*logic.Term{one, one})
	}
	return len(logic.FreeVars(t.Args[0])) == 1 && len(logic.FreeVars(t.Args[1])) == 1 &&
		logic.Equal(same(t.Args[0]), same(t.Args[1]))
}

// compared are the comparisons of the system, of variables.
func (s *search) compared(sc *scope, add func(*logic.Term)) {
	for _, c := range s.orders {
		for _, args := range s.chosen(sc, []*logic.Var{c.A, c.B}) {
			add(c.Of(args[0], args[1]))
		}
	}
}
