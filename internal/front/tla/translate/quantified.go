package translate

import (
	"fmt"
	"regexp"
	"slices"
	"strings"

	"erelong.dev/erelong/internal/front/ere/build"
	"erelong.dev/erelong/internal/front/ere/syntax"
	"erelong.dev/erelong/internal/front/tla/core"
	tla "erelong.dev/erelong/internal/front/tla/syntax"
	"erelong.dev/erelong/internal/front/tla/types"
)

// bound is a variable of a quantifier.
type bound struct {
	binder *syntax.Binder
	name   string
	set    tla.Expr // nil while nothing but the sort is known
}

// quantified is a formula about the elements of sets.
func (b *back) quantified(x *syntax.Expr) tla.Expr {
	q := quantifier{back: b, exists: x.Kind == syntax.ExprExists, body: x.Args[0]}
	for _, v := range x.Binders {
		q.bounds = append(q.bounds, &bound{binder: v, name: b.bind(v)})
	}
	defer b.forget(x.Binders)
	var facts []tla.Expr
	for _, v := range q.bounds {
		if v.binder.In != nil {
			v.set = b.expr(v.binder.In)
			facts = append(facts, named(`\in`, named(v.name), v.set))
		}
	}
	body, conditions := b.needing(func() tla.Expr {
		q.replace()
		return b.under(facts, func() tla.Expr { return b.expr(q.body) })
	})
	var own []tla.Expr
	for _, c := range conditions {
		if slices.ContainsFunc(q.bounds, func(v *bound) bool { return core.Mentions(c, v.name) }) {
			own = append(own, c)
		} else {
			b.require(c)
		}
	}
	if len(own) > 0 && (b.side == both || q.exists != (b.side == negated)) {
		b.fail("it says that there is something which a function has outside of its domain")
	}
	return q.over(b.guarded(body, own))
}

// quantifier is what is said of a quantified formula.
type quantifier struct {
	*back
	exists bool
	bounds []*bound
	body   *syntax.Expr
}

var numbered = regexp.MustCompile(`[_0-9]+$`)

// bind gives a variable a name that stands for nothing else.
func (b *back) bind(v *syntax.Binder) string {
	name := numbered.ReplaceAllString(v.Name.Text, "")
	if name == "" {
		name = "x"
	}
	name = strings.ToLower(name[:1]) + name[1:]
	fresh := name
	for i := 1; b.used(fresh) || b.stands(fresh); i++ {
		fresh = fmt.Sprintf("%s_%d", name, i)
	}
	b.vars[v.Name.Text] = named(fresh)
	switch {
	case v.In != nil:
		if t := b.typeOf(v.In); t != nil && t.Kind() == types.Set {
			b.kinds[v.Name.Text] = t.Elem()
		}
	case v.Sort == nil:
		b.fail("nothing says what %s stands for", v.Name.Text)
	default:
		b.sorts[v.Name.Text] = v.Sort
		b.kinds[v.Name.Text] = b.sortType(v.Sort)
	}
	return fresh
}

// forget ends the scope of the variables.
func (b *back) forget(binders []*syntax.Binder) {
	for _, v := range binders {
		delete(b.vars, v.Name.Text)
		delete(b.kinds, v.Name.Text)
		delete(b.sorts, v.Name.Text)
	}
}

// replace puts values into the place of variables that the formula says to be equal to them.
func (q *quantifier) replace() {
	if q.exists || q.body.Kind != syntax.ExprImplies {
		return
	}
	left := []*syntax.Expr{q.body.Args[0]}
	if left[0].Kind == syntax.ExprAnd {
		left = slices.Clone(left[0].Args)
	}
	var rest []*syntax.Expr
	for _, x := range left {
		if x.Kind != syntax.ExprEq || !(q.equates(x.Args[0], x.Args[1]) ||
			q.equates(x.Args[1], x.Args[0])) {
			rest = append(rest, x)
		}
	}
	if len(rest) < len(left) {
		q.body = build.Implies(build.And(rest...), q.body.Args[1])
	}
}

// equates puts a value in the place of a variable, if that is one of these.
func (q *quantifier) equates(variable, value *syntax.Expr) bool {
	of := func(v *bound) bool { return v.binder.Name.Text == variable.Name.Text }
	i := slices.IndexFunc(q.bounds, of)
	if i < 0 || variable.Kind != syntax.ExprName || len(variable.Args) > 0 ||
		q.bounds[i].set != nil || q.bounds[i].binder.Sort.Lo != nil || len(q.bounds) == 1 {
		return false
	}
	outer, side := q.guards, q.side
	q.side = both
	t := q.expr(value)
	q.side = side
	own := func(x tla.Expr) bool { return core.Mentions(x, q.bounds[i].name) }
	if own(t) || slices.ContainsFunc(q.guards, own) {
		q.guards = outer
		return false
	}
	// The variable keeps its name in what was put in the place of others.
	for name, of := range q.vars {
		if name != variable.Name.Text && own(of) {
			q.guards = outer
			return false
		}
	}
	q.vars[variable.Name.Text] = t
	q.bounds = slices.Delete(slices.Clone(q.bounds), i, i+1)
	return true
}

// over is the formula about the variables: of the elements of a set, where the body says so.
func (q *quantifier) over(body tla.Expr) tla.Expr {
	conditions, then := conjunctsOf(body), tla.Expr(nil)
	if !q.exists {
		conditions = nil
		if a, ok := body.(*tla.Apply); ok && a.Name.Text == "=>" {
			conditions, body = conjunctsOf(a.Args[0]), a.Args[1]
		}
		then = body
	}
	var placed []*bound
	for _, v := range q.bounds {
		for i, c := range conditions {
			if set := q.within(c, v, placed); set != nil {
				v.set = set
				conditions = slices.Delete(slices.Clone(conditions), i, i+1)
				break
			}
		}
		if v.set == nil {
			all := false
			if v.set, all = q.sortSet(v.binder.Sort); !all && (q.side == both ||
				(q.side == asIs) == q.exists) {
				q.fail("it says that there is an element that need not be in a set of the module")
			}
		}
		placed = append(placed, v)
	}
	switch {
	case !q.exists && len(conditions) > 0:
		then = named("=>", chain(`/\`, conditions), then)
	case q.exists && len(conditions) > 0:
		then = chain(`/\`, conditions)
	case q.exists:
		then = named("TRUE")
	}
	return q.nested(then)
}

// within is the set of which a condition says that the variable is in it. Its members are read
// where only the ones before are known. The set may have more elements than the variable's range.
func (q *quantifier) within(condition tla.Expr, v *bound, before []*bound) tla.Expr {
	a, ok := condition.(*tla.Apply)
	if !ok || v.set != nil || v.binder.Sort.Lo != nil || a.Name.Text != `\in` ||
		tla.Text(a.Args[0]) != v.name {
		return nil
	}
	known := map[string]bool{}
	for _, o := range q.bounds {
		if slices.Contains(before, o) {
			known[tla.Text(named(`\in`, named(o.name), o.set))] = true
		} else if core.Mentions(a.Args[1], o.name) {
			return nil
		}
	}
	for _, c := range q.reads(a.Args[1]) {
		if text := tla.Text(c); !known[text] && !q.known[text] {
			return nil
		}
	}
	if set, ok := a.Args[1].(*tla.Apply); ok && set.Name.Text == "Int" {
		return nil // which cannot be listed
	}
	return a.Args[1]
}

// nested is the formula with a quantifier for each group of variables whose sets do not depend on
// each other.
func (q *quantifier) nested(body tla.Expr) tla.Expr {
	if len(q.bounds) == 0 {
		return body
	}
	out := &tla.Quantified{Quantifier: tla.Forall, Body: body}
	if q.exists {
		out.Quantifier = tla.Exists
	}
	n := 1
	for ; n < len(q.bounds); n++ {
		if slices.ContainsFunc(q.bounds[:n], func(v *bound) bool {
			return core.Mentions(q.bounds[n].set, v.name)
		}) {
			break
		}
	}
	for _, v := range q.bounds[:n] {
		name := tla.Name{Text: v.name}
		if last := len(out.Bounds) - 1; last >= 0 &&
			tla.Text(out.Bounds[last].Set) == tla.Text(v.set) {
			out.Bounds[last].Names = append(out.Bounds[last].Names, name)
			continue
		}
		out.Bounds = append(out.Bounds, tla.Bound{Names: []tla.Name{name}, Set: v.set})
	}
	if n < len(q.bounds) {
		q.bounds = q.bounds[n:]
		out.Body = q.nested(body)
	}
	return out
}
