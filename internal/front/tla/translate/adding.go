package translate

import (
	"erelong.dev/erelong/internal/front/ere/build"
	"erelong.dev/erelong/internal/front/ere/syntax"
	"erelong.dev/erelong/internal/front/tla/core"
	"erelong.dev/erelong/internal/front/tla/types"
)

// A recursive function that adds up is a sum: over a finite set, of which it takes out one element
// after the other, as in F[T \in SUBSET S] == IF T = {} THEN b ELSE LET x == CHOOSE x \in T : TRUE
// IN f(x) + F[T \ {x}]; or over a sequence, from its first element on, as in F[q \in Seq(Int)] ==
// IF q = << >> THEN b ELSE q[1] + F[Tail(q)]. By induction over the number of elements, in any
// order, its value is b and the sum of all f(x).

// addition is such a function, by its parts.
type addition struct {
	n       *core.Function
	set     int // the place of the argument
	base    core.Node
	element int   // the place of the element that is taken out of a set; -1 for a sequence
	same    []int // other places of the element
	adds    core.Node
}

// adding is a recursive function that adds up; nil for any other function.
func adding(w *writer, n *core.Function, t *types.Type, s scope) *term {
	if len(n.Bindings) != 1 || n.Bindings[0].Tuple || t.Kind() != types.Map ||
		t.Elem().Kind() != types.Int {
		return nil
	}
	a := &addition{n: n, set: n.Bindings[0].Slots[0], element: -1}
	body, ok := core.Strip(n.Body).(*core.If)
	if !ok || mentionsSlot(body.Then, a.set) || mentionsSlot(body.Then, n.Self) {
		return nil
	}
	a.base = body.Then
	switch key := t.Key().Kind(); {
	case key == types.Set && isEmptySet(body.Cond, a.set) && a.takesOut(body.Else):
		return &term{typ: t, fun: &function{at: func(arg *term) *term {
			return a.overSet(w, t, arg, s)
		}}}
	case key == types.Sequence && isEmptySequence(body.Cond, a.set) && a.takesFirst(body.Else):
		return &term{typ: t, fun: &function{at: func(arg *term) *term {
			return a.overSequence(w, t, arg, s)
		}}}
	}
	return nil
}

func isEmptySet(cond core.Node, set int) bool {
	e, ok := core.Strip(cond).(*core.Equal)
	if !ok || !isSlot(e.Left, set) {
		return false
	}
	_, none := operands(e.Right, "{}", 0)
	return none
}

func isEmptySequence(cond core.Node, sequence int) bool {
	e, ok := core.Strip(cond).(*core.Equal)
	if !ok {
		return false
	}
	if of, isLen := operands(e.Left, "Len", 1); isLen {
		return isSlot(of[0], sequence) && isNumber(e.Right, 0)
	}
	_, none := operands(e.Right, "<<>>", 0)
	return none && isSlot(e.Left, sequence)
}

// takesOut reports whether a node is what one element of the set adds and the value for the rest.
func (a *addition) takesOut(n core.Node) bool {
	var rest []int // the places with the value for the rest
	isRest := func(n core.Node) bool {
		for _, r := range rest {
			if isSlot(n, r) {
				return true
			}
		}
		call, ok := operands(n, "[]", 2)
		if !ok || !isSlot(call[0], a.n.Self) {
			return false
		}
		less, ok := operands(call[1], `\`, 2)
		if !ok || !isSlot(less[0], a.set) {
			return false
		}
		one, ok := operands(less[1], "{}", 1)
		return ok && a.element >= 0 && isSlot(one[0], a.element)
	}
	for {
		l, ok := core.Strip(n).(*core.Let)
		if !ok {
			break
		}
		switch {
		case isAnyElement(l.Value, a.set) && a.element < 0:
			a.element = l.Slot
		case a.element >= 0 && isSlot(l.Value, a.element):
			a.same = append(a.same, l.Slot)
		case isRest(l.Value):
			rest = append(rest, l.Slot)
		default:
			return false
		}
		n = l.Body
	}
	return a.element >= 0 && a.split(n, isRest, append(rest, a.set, a.n.Self))
}

// isAnyElement reports whether a node is any element of a set.
func isAnyElement(n core.Node, set int) bool {
	c, ok := core.Strip(n).(*core.Choose)
	if !ok || c.Binding.Tuple || c.Binding.Set == nil || !isSlot(c.Binding.Set, set) {
		return false
	}
	l, ok := core.Strip(c.Body).(*core.Literal)
	return ok && l.Value.String() == "TRUE"
}

// takesFirst reports whether a node is what the first element of the sequence adds and the value
// for the rest.
func (a *addition) takesFirst(n core.Node) bool {
	return a.split(n, func(n core.Node) bool {
		call, ok := operands(n, "[]", 2)
		if !ok || !isSlot(call[0], a.n.Self) {
			return false
		}
		tail, ok := operands(call[1], "Tail", 1)
		return ok && isSlot(tail[0], a.set)
	}, []int{a.n.Self}) && onlyFirst(a.adds, a.set)
}

// onlyFirst reports whether a node reads nothing of a sequence but its first element.
func onlyFirst(n core.Node, sequence int) bool {
	n = core.Strip(n)
	if isSlot(n, sequence) {
		return false
	}
	if of, ok := operands(n, "Head", 1); ok && isSlot(of[0], sequence) {
		return true
	}
	if of, ok := operands(n, "[]", 2); ok && isSlot(of[0], sequence) && isNumber(of[1], 1) {
		return true
	}
	all := true
	core.Parts(n, func(p core.Node) { all = all && onlyFirst(p, sequence) })
	return all
}

// split finds what is added to the value for the rest, which must not read some places.
func (a *addition) split(n core.Node, isRest func(core.Node) bool, without []int) bool {
	args, ok := operands(n, "+", 2)
	if !ok {
		return false
	}
	switch {
	case isRest(args[1]):
		a.adds = args[0]
	case isRest(args[0]):
		a.adds = args[1]
	default:
		return false
	}
	for _, slot := range without {
		if mentionsSlot(a.adds, slot) {
			return false
		}
	}
	return true
}

// overSet is the sum over a set in the domain.
func (a *addition) overSet(w *writer, t *types.Type, arg *term, s scope) *term {
	inDomain(w, a.n, arg, t, s, "adds up")
	return totalOver(w, t.Elem(), w.set(arg), t.Key().Elem(), w.term(a.base, s),
		func(e *term) *term {
			s := s.with(a.element, e)
			for _, slot := range a.same {
				s = s.with(slot, e)
			}
			return w.term(a.adds, s)
		})
}

// totalOver is what a value for each element of a set adds up to with a base.
func totalOver(
	w *writer, t *types.Type, over *set, elem *types.Type, base *term, adds func(*term) *term,
) *term {
	b := &syntax.Binder{Sort: over.within, Name: syntax.Name{Text: w.variable("e"), Span: w.span}}
	if b.Sort == nil {
		b.Sort = w.sort(elem)
	}
	e, any := w.of(elem, build.Ref(b.Name.Text)), w.of(elem, build.Ref(b.Name.Text))
	e.from = over
	for f := over; f != nil; f = f.base {
		if f.sort != nil && f.sort == over.within {
			any.from = f // all values of the sort are in it
		}
	}
	among := over.has(any)
	if over.sort != nil {
		among = build.Truth(true)
	}
	return total(w, t, b, adds(e), among, base)
}

// inDomain refuses a set of which it is not seen that it is in the domain of a recursive function:
// the value of the function there is not known.
func inDomain(
	w *writer, n *core.Function, arg *term, t *types.Type, s scope, does string,
) {
	from, ok := operands(n.Bindings[0].Set, "SUBSET", 1)
	if !ok || !isPart(w, w.set(arg), w.set(w.term(from[0], s)), t.Key().Elem()) {
		w.fail("a recursive function that %s is translated for a set that is seen to be in its "+
			"domain, as F[S] for F[T \\in SUBSET S]", does)
	}
}

// isPart reports whether one set is seen to be a part of another one: it is the same, or the other
// one has all values of its type.
func isPart(w *writer, part, whole *set, elem *types.Type) bool {
	if build.IsTrue(whole.has(&term{typ: elem, x: build.Ref("an element")})) {
		return true
	}
	for s := part; s != nil; s = s.base {
		if s == whole || textOf(w, s, elem) == textOf(w, whole, elem) {
			return true
		}
	}
	return false
}

// textOf is what a set has as a text by which sets can be compared.
func textOf(w *writer, s *set, elem *types.Type) string {
	local := w.local
	defer func() { w.local = local }()
	w.begin() // so that the same set has the same names
	return shown(s.has(&term{typ: elem, x: build.Ref("an element")}))
}

// overSequence is the sum over a sequence in the domain.
func (a *addition) overSequence(w *writer, t *types.Type, arg *term, s scope) *term {
	from, ok := operands(a.n.Bindings[0].Set, "Seq", 1)
	every := &term{typ: t.Key().Elem(), x: build.Ref("an element")}
	if !ok || !build.IsTrue(w.set(w.term(from[0], s)).has(every)) {
		w.fail("a recursive function that adds up a sequence is translated where its domain has " +
			"all sequences of the type, as Seq(Int)")
	}
	v := viewOf(w, arg)
	return totalAlong(w, t.Elem(), v, w.term(a.base, s), func(e *term) *term {
		first := &term{typ: t.Key(), view: &view{at: func(*term) *term { return e }}}
		return w.term(a.adds, s.with(a.set, first))
	})
}

// totalAlong is what a value for each element of a sequence adds up to with a base.
func totalAlong(
	w *writer, t *types.Type, v *view, base *term, adds func(*term) *term,
) *term {
	b := &syntax.Binder{Name: syntax.Name{Text: w.variable("k"), Span: w.span}}
	k := w.of(types.Integer(), build.Ref(b.Name.Text))
	b.Sort = &syntax.SortExpr{Name: "int"}
	among := build.And(build.LessOrEqual(build.Number(1), k.x), build.LessOrEqual(k.x, v.size))
	return total(w, t, b, adds(v.at(k)), among, base)
}

// total is what a value adds up to with a base, for what a variable stands for if a condition is
// true.
func total(
	w *writer, t *types.Type, b *syntax.Binder, adds *term, among *syntax.Expr, base *term,
) *term {
	many := &syntax.Expr{Kind: syntax.ExprMany, Binders: []*syntax.Binder{b},
		Args: []*syntax.Expr{w.expr(adds), among}}
	return w.of(t, build.Sum(w.expr(base), build.Apply("sum", many)))
}

// view is a sequence by its size and its elements.
type view struct {
	size *syntax.Expr
	at   func(i *term) *term
}

// viewOf is the view of any sequence.
func viewOf(w *writer, q *term) *view {
	if q.view != nil {
		return q.view
	}
	return &view{build.Apply("size", w.expr(q)), func(i *term) *term { return w.at(q, i) }}
}

// writtenOut is a sequence that is written as a function of the numbers from 1 on; nil if the
// function is no such one.
func writtenOut(w *writer, n *core.Function, t *types.Type, s scope) *term {
	if len(n.Bindings) != 1 || n.Bindings[0].Tuple {
		return nil
	}
	ends, ok := operands(n.Bindings[0].Set, "..", 2)
	if !ok || !isNumber(ends[0], 1) {
		return nil
	}
	last := w.expr(w.term(ends[1], s))
	size := build.If(build.LessOrEqual(build.Number(0), last), last, build.Number(0))
	return &term{typ: t, view: &view{size: size, at: func(i *term) *term {
		return w.term(n.Body, w.bound(n.Bindings[0], i, s))
	}}}
}
