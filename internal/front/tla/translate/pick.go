package translate

import (
	"fmt"
	"slices"

	"erelong.dev/erelong/internal/front/ere/build"
	"erelong.dev/erelong/internal/front/ere/syntax"
	"erelong.dev/erelong/internal/front/tla/core"
	"erelong.dev/erelong/internal/front/tla/types"
)

// A value that is chosen in a state is a parameter of the action, with the condition by which it is
// chosen: the action can be taken with any value that satisfies it, and CHOOSE always takes the
// same one. So there are more steps, and what holds after all of them holds. Where no value
// satisfies the condition, the parameter is any value of its type.

// picked is a parameter that stands for what is chosen.
type picked struct {
	binder *syntax.Binder
	such   *syntax.Expr
	by     string // the condition as a text
}

// picking chooses values in the steps of an action.
type picking struct{ *writer }

// pickedBy is the parameter that satisfies a condition, the same one for the same condition.
func (w picking) pickedBy(t *types.Type, such func(e *term) *syntax.Expr) *term {
	switch t.Kind() {
	case types.Int, types.Bool, types.Element, types.Record, types.Tuple:
	default:
		w.fail("a CHOOSE of %s that depends on the state is not translated", t)
	}
	sort := w.sort(t)
	by := shown(such(w.of(t, build.Ref("the chosen one"))))
	for _, p := range w.picks {
		if p.by == by && shownSorts([]*syntax.SortExpr{p.binder.Sort}) ==
			shownSorts([]*syntax.SortExpr{sort}) {
			return w.of(t, build.Ref(p.binder.Name.Text))
		}
	}
	b := &syntax.Binder{Sort: sort, Name: syntax.Name{Text: w.parameter("chosen"), Span: w.span}}
	e := w.of(t, build.Ref(b.Name.Text))
	w.picks = append(w.picks, &picked{b, build.At(such(e), w.span), by})
	return e
}

// withPicks adds what is chosen in a step to its parameters, and the conditions before what needs
// it.
func (w *ways) withPicks(st step, values []*syntax.Expr) step {
	var known []string
	for _, b := range st.params {
		known = append(known, b.Name.Text)
	}
	guards := st.guards
	st.guards, st.params = nil, slices.Clip(st.params)
	var need func(x *syntax.Expr)
	need = func(x *syntax.Expr) {
		for _, p := range w.picks {
			name := p.binder.Name.Text
			if slices.Contains(known, name) || !mentions(x, []string{name}) {
				continue
			}
			known = append(known, name)
			need(p.such)
			if free := (picking{w.writer}).free(p.such, known); free != "" {
				w.span = w.action.Span
				w.fail("a CHOOSE that depends on the bound name %s is not translated", free)
			}
			st.params = append(st.params, p.binder)
			st.guards = append(st.guards, p.such)
		}
	}
	for _, g := range guards {
		need(g)
		st.guards = append(st.guards, g)
	}
	for _, v := range values {
		need(v)
	}
	return st
}

// free is a variable of an expression that nothing binds, empty if there is none.
func (w picking) free(x *syntax.Expr, bound []string) string {
	if x.Kind == syntax.ExprName && !x.Applied && len(x.Args) == 0 && w.used[x.Name.Text] &&
		!w.taken[x.Name.Text] && !slices.Contains(bound, x.Name.Text) {
		return x.Name.Text
	}
	inner := slices.Clip(bound)
	for _, b := range x.Binders {
		if b.In != nil {
			if name := w.free(b.In, inner); name != "" {
				return name
			}
		}
		inner = append(inner, b.Name.Text)
	}
	for _, a := range x.Args {
		if name := w.free(a, inner); name != "" {
			return name
		}
	}
	return ""
}

// greatest is a recursive function of finite sets of numbers that takes elements out one by one and
// keeps the greatest: F[T \in SUBSET S] == IF T = {} THEN b ELSE LET n == CHOOSE n \in T : TRUE
// m == F[T \ {n}] IN IF n >= m THEN n ELSE m. So it is the greatest of b and the elements. It is
// nil for any other function.
func greatest(w *writer, n *core.Function, t *types.Type, s scope) *term {
	if len(n.Bindings) != 1 || n.Bindings[0].Tuple || t.Kind() != types.Map ||
		t.Key().Kind() != types.Set || t.Elem().Kind() != types.Int {
		return nil
	}
	set := n.Bindings[0].Slots[0]
	top, ok := core.Strip(n.Body).(*core.If)
	if !ok || mentionsSlot(top.Then, set) || mentionsSlot(top.Then, n.Self) {
		return nil
	}
	if !isEmptySet(top.Cond, set) {
		return nil
	}
	element, ok := core.Strip(top.Else).(*core.Let)
	if !ok {
		return nil
	}
	rest, ok := core.Strip(element.Body).(*core.Let)
	if !ok || !takesOne(element, rest, n.Self, set) {
		return nil
	}
	last, ok := core.Strip(rest.Body).(*core.If)
	if !ok || !isSlot(last.Then, element.Slot) || !isSlot(last.Else, rest.Slot) {
		return nil
	}
	for name, order := range map[string][2]int{">=": {element.Slot, rest.Slot},
		">": {element.Slot, rest.Slot}, "<=": {rest.Slot, element.Slot},
		"<": {rest.Slot, element.Slot}} {
		args, ok := operands(last.Cond, name, 2)
		if ok && isSlot(args[0], order[0]) && isSlot(args[1], order[1]) {
			return &term{typ: t, fun: &function{at: func(arg *term) *term {
				inDomain(w, n, arg, t, s, "keeps the greatest")
				return picking{w}.greatestOf(w.set(arg), w.term(top.Then, s))
			}}}
		}
	}
	return nil
}

// takesOne reports whether two definitions are an element of a set and the value of a function for
// the rest of the set.
func takesOne(element, rest *core.Let, self, set int) bool {
	return isAnyElement(element.Value, set) && isRest(rest.Value, element.Slot, self, set)
}

// greatestOf is the greatest of a number and the elements of a set.
func (w picking) greatestOf(s *set, least *term) *term {
	if !w.stepping {
		w.fail("the greatest element of a set is translated in actions")
	}
	if !s.finite {
		w.fail("the greatest element is translated of sets that are seen to be finite")
	}
	return w.pickedBy(least.typ, func(e *term) *syntax.Expr {
		one := build.Or(w.equal(e, least), s.has(e))
		all := s.each(true, "e", func(x *term) *syntax.Expr {
			return build.LessOrEqual(w.expr(x), w.expr(e))
		})
		return build.And(one, build.LessOrEqual(w.expr(least), w.expr(e)), all)
	})
}

// undetermined says which CHOOSE may take any element.
func (w picking) undetermined(n *core.Choose) {
	text := fmt.Sprintf("which element the CHOOSE in line %d takes", n.Span().Line())
	if !slices.Contains(w.unstated, text) {
		w.unstated = append(w.unstated, text)
	}
}
