package translate

import (
	"slices"

	"erelong.dev/erelong/internal/front/ere/build"
	"erelong.dev/erelong/internal/front/tla/core"
	"erelong.dev/erelong/internal/front/tla/types"
	"erelong.dev/erelong/internal/value"
)

// The numbers of a range with which nobody computes are elements of a sort of their own: so
// searches for invariants speak of them, and solvers know no order of them. What is lost is how
// many there are. Where sizes of sets matter, that is stated. Otherwise such a range is made a sort
// only where nothing else depends on the number.

// ranges finds the ranges that become sorts.
type ranges struct{ *writer }

// choose makes elements of numbers.
func (w ranges) choose(formulas []core.Node, assumptions []*core.Claim) {
	counted := counting(formulas, assumptions)
	w.types.Ranges(func(of *core.Operator, constants []string) bool {
		if counted {
			return true
		}
		seen := map[core.Node]bool{}
		return all(formulas, func(n core.Node) bool {
			assumed := slices.ContainsFunc(assumptions, func(c *core.Claim) bool {
				return c.Node == n
			})
			return all(conjuncts(n), func(n core.Node) bool {
				return assumed && isPositive(n) || !computes(n, of, constants, seen)
			})
		})
	})
}

// isPositive reports whether a formula says no more of a constant than that it is a natural number,
// or one that is not 0.
func isPositive(n core.Node) bool {
	isConstant := func(n core.Node) bool {
		_, ok := core.Strip(n).(*core.Parameter)
		return ok
	}
	switch n := core.Strip(n).(type) {
	case *core.In:
		set := n.Set
		if less, ok := operands(set, `\`, 2); ok {
			none, ok := operands(less[1], "{}", 1)
			if !ok || !isNumber(none[0], 0) {
				return false
			}
			set = less[0]
		}
		l, ok := core.Strip(set).(*core.Literal)
		return ok && isConstant(n.Elem) && !value.Finite(l.Value)
	case *core.Operator:
		return n.Name == ">" && isConstant(n.Args[0]) && isNumber(n.Args[1], 0) ||
			n.Name == ">=" && isConstant(n.Args[0]) && isNumber(n.Args[1], 1) ||
			n.Name == "<" && isConstant(n.Args[1]) && isNumber(n.Args[0], 0) ||
			n.Name == "<=" && isConstant(n.Args[1]) && isNumber(n.Args[0], 1)
	}
	return false
}

// computes reports whether a formula has one of some constants elsewhere than in a range.
func computes(
	n core.Node, of *core.Operator, constants []string, seen map[core.Node]bool,
) (yes bool) {
	n = core.Strip(n)
	if seen[n] {
		return false
	}
	seen[n] = true
	switch n := n.(type) {
	case *core.Parameter:
		return slices.Contains(constants, n.Name)
	case *core.Operator:
		if n.Name == ".." && core.AllAlike(n.Args, of.Args) {
			return false
		}
	}
	core.Parts(n, func(p core.Node) { yes = yes || computes(p, of, constants, seen) })
	return yes
}

// populate notes that the elements of a type are the ones of a range.
func (w ranges) populate(t *types.Type) {
	r := t.Range()
	if r == nil {
		return
	}
	c := w.class(t)
	if c.numbers == nil {
		c.numbers, c.finite, c.sets = r, true, append(c.sets, rangeText(r))
	}
}

// rangeText is a range as it is written in a module.
func rangeText(n core.Node) string {
	switch n := core.Strip(n).(type) {
	case *core.Literal:
		return n.Value.String()
	case *core.Parameter:
		return n.Name
	case *core.Operator:
		if n.Name == ".." {
			return "(" + rangeText(n.Args[0]) + ".." + rangeText(n.Args[1]) + ")"
		}
		return rangeText(n.Args[0]) + " " + n.Name + " " + rangeText(n.Args[1])
	}
	return ""
}

// settle makes integers again of elements that are not exactly the ones of a range.
func (w ranges) settle() {
	for t, c := range w.classes {
		if t.Range() != nil && !(c.numbers != nil && c.whole()) {
			t.AsNumbers()
			delete(w.classes, t)
		}
	}
}

// whole is the set of the elements of a range.
func (w ranges) whole(t *types.Type) *term {
	s := w.writer.whole(t.Elem(), w.sort(t.Elem()))
	s.finite = true
	return &term{typ: t, set: s}
}

// facts states that ranges are not empty, and how many elements they have where that matters.
func (w ranges) facts() {
	for _, t := range w.ordered() {
		c := w.classes[t]
		if c.numbers == nil {
			continue
		}
		w.attempt(func() {
			w.begin()
			w.span = c.numbers.Span()
			from := w.expr(w.term(c.numbers.Args[0], scope{}))
			to := w.expr(w.term(c.numbers.Args[1], scope{}))
			w.fact(build.LessOrEqual(from, to))
			if w.counting {
				all := w.whole(w.types.Of(c.numbers))
				w.fact(build.Equal(build.Apply("size", w.expr(all)),
					build.Sum(build.Difference(to, from), build.Number(1))))
			}
		})
	}
}

// empty says which ranges are empty for some values of the constants.
func (w ranges) empty(values map[string]*value.Value) (out []string) {
	for _, t := range w.ordered() {
		if c := w.classes[t]; c.numbers != nil {
			from, ok := number(c.numbers.Args[0], values)
			to, too := number(c.numbers.Args[1], values)
			if ok && too && from > to {
				out = append(out, "the set "+c.sets[0]+" is empty in the configuration")
			}
		}
	}
	return out
}

// small is an integer of 64 bits.
func small(v *value.Value) (k int64, ok bool) {
	if !v.Small() {
		return 0, false
	}
	return v.Int(), true
}

// number is the value of an end of a range.
func number(n core.Node, values map[string]*value.Value) (k int64, ok bool) {
	switch n := core.Strip(n).(type) {
	case *core.Literal:
		return small(n.Value)
	case *core.Parameter:
		if v := values[n.Name]; v != nil {
			return small(v)
		}
	case *core.Operator:
		a, ok := number(n.Args[0], values)
		b, too := number(n.Args[1], values)
		switch n.Name {
		case "+":
			return a + b, ok && too
		case "-":
			return a - b, ok && too
		case "*":
			return a * b, ok && too
		}
	}
	return 0, false
}
