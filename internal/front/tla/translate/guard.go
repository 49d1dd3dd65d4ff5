package translate

import (
	"maps"
	"slices"

	"erelong.dev/erelong/internal/front/ere/syntax"
	"erelong.dev/erelong/internal/front/tla/core"
	tla "erelong.dev/erelong/internal/front/tla/syntax"
	"erelong.dev/erelong/internal/front/tla/types"
)

// Everything has a value in a translation: a function outside of its domain, and a field that a
// record does not have. The module reads no such value. So a formula is said under the condition
// that there are the values that it reads. What is said so follows from the formula.

// need notes the condition under which there is a value.
func (b *back) need(condition, of tla.Expr) {
	b.lacking[tla.Text(of)] = condition
	b.require(condition)
}

// require notes a condition of what is said.
func (b *back) require(condition tla.Expr) {
	text := tla.Text(condition)
	same := func(g tla.Expr) bool { return tla.Text(g) == text }
	if !b.known[text] && !slices.ContainsFunc(b.guards, same) {
		b.guards = append(b.guards, condition)
	}
}

// under says something where some formulas are true. What is read by its conditions, which stand
// elsewhere, becomes a condition, too.
func (b *back) under(facts []tla.Expr, say func() tla.Expr) tla.Expr {
	outer := b.known
	b.known = maps.Clone(outer)
	for _, f := range facts {
		b.known[tla.Text(f)] = true
	}
	x, conditions := b.needing(say)
	b.known = outer
	for _, c := range conditions {
		for _, first := range b.reads(c) {
			b.require(first)
		}
		b.require(c)
	}
	return x
}

// reads are the conditions under which there is a value of an expression: of what an IF chooses,
// the ones that its condition does not say. A quantifier has the ones of its own elements in it.
func (b *back) reads(x tla.Expr) (out []tla.Expr) {
	if choice, ok := x.(*tla.If); ok {
		cond := choice.Cond
		out = slices.Concat(b.reads(cond), without(b.reads(choice.Then), conjunctsOf(cond)),
			without(b.reads(choice.Else), conjunctsOf(negation(cond))))
	} else {
		core.Children(x, func(part tla.Expr) bool {
			out = append(out, b.reads(part)...)
			return true
		})
	}
	if q, ok := x.(*tla.Quantified); ok {
		for _, bound := range q.Bounds {
			for _, name := range bound.Names {
				out = slices.DeleteFunc(out, func(c tla.Expr) bool {
					return core.Mentions(c, name.Text)
				})
			}
		}
	}
	if c := b.lacking[tla.Text(x)]; c != nil {
		out = append(out, c)
	}
	return out
}

// without are conditions that some formulas do not say.
func without(conditions, facts []tla.Expr) []tla.Expr {
	said := map[string]bool{}
	for _, f := range facts {
		said[tla.Text(f)] = true
	}
	return slices.DeleteFunc(conditions, func(c tla.Expr) bool { return said[tla.Text(c)] })
}

// needing says something, and gives its conditions.
func (b *back) needing(say func() tla.Expr) (x tla.Expr, conditions []tla.Expr) {
	outer := b.guards
	b.guards = nil
	x = say()
	conditions, b.guards = b.guards, outer
	return x, conditions
}

// closed says a formula with its conditions in it.
func (b *back) closed(say func() tla.Expr) tla.Expr { return b.guarded(b.needing(say)) }

// guarded is a formula with conditions in it, so that it follows from the formula, or where it is
// negated, implies it.
func (b *back) guarded(x tla.Expr, conditions []tla.Expr) tla.Expr {
	switch {
	case len(conditions) == 0:
		return x
	case b.side == negated:
		return chain(`/\`, once(append(slices.Clone(conditions), conjunctsOf(x)...)))
	}
	if a, ok := x.(*tla.Apply); ok && a.Name.Text == "=>" {
		conditions = append(slices.Clone(conditions), conjunctsOf(a.Args[0])...)
		x = a.Args[1]
	}
	return named("=>", chain(`/\`, once(conditions)), x)
}

// once are expressions without repetitions.
func once(xs []tla.Expr) (out []tla.Expr) {
	seen := map[string]bool{}
	for _, x := range xs {
		if text := tla.Text(x); !seen[text] {
			seen[text] = true
			out = append(out, x)
		}
	}
	return out
}

// conjunctsOf are the parts of a conjunction.
func conjunctsOf(x tla.Expr) []tla.Expr {
	if a, ok := x.(*tla.Apply); ok && a.Name.Text == `/\` {
		return append(conjunctsOf(a.Args[0]), conjunctsOf(a.Args[1])...)
	}
	return []tla.Expr{x}
}

// opposites are the operators that say the opposite of each other.
var opposites = map[string]string{`\in`: `\notin`, `\notin`: `\in`, "=": "/=", "/=": "=",
	"TRUE": "FALSE", "FALSE": "TRUE"}

// negation is the opposite of a formula.
func negation(x tla.Expr) tla.Expr {
	a, ok := x.(*tla.Apply)
	switch {
	case ok && a.Name.Text == `\lnot`:
		return a.Args[0]
	case ok && opposites[a.Name.Text] != "":
		return named(opposites[a.Name.Text], a.Args...)
	}
	return named(`\lnot`, x)
}

// joined is a conjunction or a disjunction. What reads nothing that may lack comes first: the
// others are read where it is true, or in a disjunction where it is false.
func (b *back) joined(x *syntax.Expr) tla.Expr {
	and := x.Kind == syntax.ExprAnd
	apart := and && b.side == asIs || !and && b.side == negated
	var parts, facts []tla.Expr
	var later []*syntax.Expr
	for _, a := range x.Args {
		p, conditions := b.needing(func() tla.Expr { return b.expr(a) })
		switch {
		case len(conditions) > 0:
			later = append(later, a)
			continue
		case and:
			facts = append(facts, conjunctsOf(p)...)
		default:
			facts = append(facts, conjunctsOf(negation(p))...)
		}
		parts = append(parts, p)
	}
	for _, a := range later {
		say := func() tla.Expr { return b.expr(a) }
		if apart {
			say = func() tla.Expr { return b.closed(func() tla.Expr { return b.expr(a) }) }
		}
		parts = append(parts, b.under(facts, say))
	}
	if and {
		return chain(`/\`, parts)
	}
	return clause(parts, len(parts)-len(later))
}

// clause is a disjunction: an implication, where something in it is no element of a set. What
// follows the first parts may be read only after them.
func clause(parts []tla.Expr, first int) tla.Expr {
	var conditions, rest []tla.Expr
	for i, p := range parts {
		if a, ok := p.(*tla.Apply); ok && a.Name.Text == `\notin` &&
			(i < first || len(rest) == 0) {
			conditions = append(conditions, negation(p))
		} else {
			rest = append(rest, p)
		}
	}
	if len(conditions) == 0 || len(rest) == 0 {
		return chain(`\/`, parts)
	}
	return named("=>", chain(`/\`, conditions), chain(`\/`, rest))
}

func (b *back) implies(x *syntax.Expr) tla.Expr {
	outer := b.side
	left := func() tla.Expr {
		b.side = outer.other()
		defer func() { b.side = outer }()
		if outer == negated {
			return b.closed(func() tla.Expr { return b.expr(x.Args[0]) })
		}
		return b.expr(x.Args[0])
	}
	right := func() tla.Expr { return b.expr(x.Args[1]) }
	if outer == negated {
		right = func() tla.Expr {
			return b.closed(func() tla.Expr { return b.expr(x.Args[1]) })
		}
	}
	if_ := left()
	then := b.under(conjunctsOf(if_), right)
	if a, ok := then.(*tla.Apply); ok && a.Name.Text == "=>" {
		return named("=>", chain(`/\`, append(conjunctsOf(if_), conjunctsOf(a.Args[0])...)),
			a.Args[1])
	}
	return named("=>", if_, then)
}

// mayLack reports whether a function of a type may have no value at arguments.
func (b *back) mayLack(t *types.Type, args []*syntax.Expr) bool {
	domain := b.w.domainOf(t)
	if b.w.varies(t) || domain.partial() {
		return true
	}
	parts := domain.parts
	if parts == nil {
		parts = []*set{domain}
	}
	for i, p := range parts {
		if p.sort == nil || p.sort.Lo == nil { // of a product, or no numbers
			continue
		}
		a := args[min(i, len(args)-1)]
		v := b.sorts[a.Name.Text]
		if len(parts) != len(args) || a.Kind != syntax.ExprName || v == nil || v.Lo == nil ||
			shown(v.Lo) != shown(p.sort.Lo) || shown(v.Hi) != shown(p.sort.Hi) {
			return true
		}
	}
	return false
}
