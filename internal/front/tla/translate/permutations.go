package translate

import (
	"erelong.dev/erelong/internal/front/ere/build"
	"erelong.dev/erelong/internal/front/ere/syntax"
	"erelong.dev/erelong/internal/front/tla/core"
	"erelong.dev/erelong/internal/front/tla/types"
)

// A recursive function that takes each element out of a finite set, and puts it at the end or the
// beginning of what the function has for the rest, as in P[T \in SUBSET S] == IF T = {} THEN
// {<< >>} ELSE UNION {{Append(q, x) : q \in P[T \ {x}]} : x \in T}, gives the sequences that have
// each element once, by induction over the number of elements.

// permutations is such a function; nil for any other function.
func permutations(w *writer, n *core.Function, t *types.Type, s scope) *term {
	if len(n.Bindings) != 1 || n.Bindings[0].Tuple || t.Kind() != types.Map ||
		t.Key().Kind() != types.Set || t.Elem().Kind() != types.Set ||
		t.Elem().Elem().Kind() != types.Sequence {
		return nil
	}
	set := n.Bindings[0].Slots[0]
	body, ok := core.Strip(n.Body).(*core.If)
	if !ok || !isEmptySet(body.Cond, set) || !isOnlyEmpty(body.Then) ||
		!isUnionOf(body.Else, set, func(part core.Node, element int) bool {
			return addsTo(part, element, n.Self, set)
		}) {
		return nil
	}
	return &term{typ: t, fun: &function{at: func(arg *term) *term {
		inDomain(w, n, arg, t, s, "lists permutations")
		over := w.set(arg)
		if !limited(w.declarer, arg) {
			w.supposeFinite(t.Key().Elem())
		}
		return &term{typ: t.Elem(), set: listings(w, t.Elem().Elem(), over)}
	}}}
}

// isOnlyEmpty reports whether a node is the set whose element is the empty sequence.
func isOnlyEmpty(n core.Node) bool {
	one, ok := operands(n, "{}", 1)
	if !ok {
		return false
	}
	_, empty := operands(one[0], "<<>>", 0)
	return empty
}

// isUnionOf reports whether a node is the union of parts for the elements of a set: UNION {part : x
// \in set}, or UNION {f[x] : x \in set} where f is defined as [x \in set |-> part].
func isUnionOf(n core.Node, set int, is func(part core.Node, element int) bool) bool {
	named := map[int]*core.Function{}
	for {
		l, ok := core.Strip(n).(*core.Let)
		if !ok {
			break
		}
		f, ok := core.Strip(l.Value).(*core.Function)
		if !ok || f.Self >= 0 || elementOf(f.Bindings, set) < 0 {
			return false
		}
		named[l.Slot], n = f, l.Body
	}
	of, ok := operands(n, "UNION", 1)
	if !ok {
		return false
	}
	parts, ok := core.Strip(of[0]).(*core.Image)
	if !ok {
		return false
	}
	element := elementOf(parts.Bindings, set)
	if element < 0 {
		return false
	}
	if call, ok := operands(parts.Body, "[]", 2); ok && isSlot(call[1], element) {
		if f, ok := core.Strip(call[0]).(*core.Slot); ok && named[f.Slot] != nil {
			return is(named[f.Slot].Body, named[f.Slot].Bindings[0].Slots[0])
		}
	}
	return is(parts.Body, element)
}

// elementOf is the place of the elements of a set, if that is all that is bound; -1 otherwise.
func elementOf(bs []core.Binding, set int) int {
	if len(bs) != 1 || bs[0].Tuple || !isSlot(bs[0].Set, set) {
		return -1
	}
	return bs[0].Slots[0]
}

// addsTo reports whether a node is the set of the sequences for a set without an element, with this
// element at one end.
func addsTo(n core.Node, element, self, set int) bool {
	all, ok := core.Strip(n).(*core.Image)
	if !ok || len(all.Bindings) != 1 || all.Bindings[0].Tuple ||
		!isRest(all.Bindings[0].Set, element, self, set) {
		return false
	}
	q := all.Bindings[0].Slots[0]
	if to, ok := operands(all.Body, "Append", 2); ok {
		return isSlot(to[0], q) && isSlot(to[1], element)
	}
	ends, ok := operands(all.Body, `\o`, 2)
	if !ok {
		return false
	}
	isOne := func(n core.Node) bool {
		of, ok := operands(n, "<<>>", 1)
		return ok && isSlot(of[0], element)
	}
	return isOne(ends[0]) && isSlot(ends[1], q) || isSlot(ends[0], q) && isOne(ends[1])
}

// isRest reports whether a node is the value of a function for a set without an element.
func isRest(n core.Node, element, self, set int) bool {
	call, ok := operands(n, "[]", 2)
	if !ok || !isSlot(call[0], self) {
		return false
	}
	less, ok := operands(call[1], `\`, 2)
	if !ok || !isSlot(less[0], set) {
		return false
	}
	one, ok := operands(less[1], "{}", 1)
	return ok && isSlot(one[0], element)
}

// listings are the sequences that have each element of a set once, and no other.
func listings(w *writer, t *types.Type, of *set) *set {
	return &set{
		has: func(q *term) *syntax.Expr {
			v := viewOf(w, q)
			in := w.interval(types.Integer(), build.Number(1), v.size)
			each := func(all bool, body func(i *term) *syntax.Expr) *syntax.Expr {
				return in.each(all, "i", body)
			}
			inside := each(true, func(i *term) *syntax.Expr { return of.has(v.at(i)) })
			once := each(true, func(i *term) *syntax.Expr {
				return each(true, func(j *term) *syntax.Expr {
					return build.Implies(w.equal(v.at(i), v.at(j)), w.equal(i, j))
				})
			})
			whole := of.each(true, "e", func(e *term) *syntax.Expr {
				return each(false, func(i *term) *syntax.Expr { return w.equal(v.at(i), e) })
			})
			return build.And(inside, once, whole)
		},
		each: func(all bool, name string, body func(*term) *syntax.Expr) *syntax.Expr {
			return eachSequence(w.algebra, all, name, t, func(q *term) *syntax.Expr {
				return build.And(listings(w, t, of).has(q), body(q))
			})
		}}
}

// eachSequence is a choice of a sequence, which is a parameter of an action.
func eachSequence(
	w *algebra, all bool, name string, t *types.Type, body func(*term) *syntax.Expr,
) *syntax.Expr {
	if !w.choosing || all {
		w.fail("a formula about all sequences is not translated")
	}
	b := &syntax.Binder{Sort: w.sort(t)}
	b.Name.Text = w.parameter(name)
	return w.quantify(false, name, b, t, body)
}

// supposeFinite makes it a premise that the set of the elements of a type is finite.
func (w *declarer) supposeFinite(t *types.Type) {
	if t.Kind() != types.Element || !w.class(t).whole() {
		w.fail("a set is translated here where it is seen to be finite")
	}
	w.class(t).supposed = true
}
