package translate

import (
	"erelong.dev/erelong/internal/front/ere/build"
	"erelong.dev/erelong/internal/front/ere/syntax"
	"erelong.dev/erelong/internal/front/tla/core"
	"erelong.dev/erelong/internal/front/tla/types"
)

// The set {s[i] : i \in DOMAIN s} has the elements of a sequence: of SelectSeq(s, P) the ones of s
// with P, which have other positions there.

// elementsOf is the sequence whose elements a set is written to have; nil for any other set. The
// positions may be counted from 0, as in {s[i + 1] : i \in 0..Len(s) - 1}.
func elementsOf(n *core.Image) core.Node {
	read, ok := operands(n.Body, "[]", 2)
	if !ok || len(n.Bindings) != 1 || n.Bindings[0].Tuple {
		return nil
	}
	slot, from := n.Bindings[0].Slots[0], n.Bindings[0].Set
	of, all := operands(from, "DOMAIN", 1)
	isAt := isSlot(read[1], slot)
	if ends, positions := operands(from, "..", 2); positions {
		last := ends[1]
		if next, added := operands(read[1], "+", 2); added {
			less, known := operands(last, "-", 2)
			if !known || !isNumber(less[1], 1) || !isNumber(ends[0], 0) {
				return nil
			}
			last, isAt = less[0], isSlot(next[0], slot) && isNumber(next[1], 1)
		} else if !isNumber(ends[0], 1) {
			return nil
		}
		of, all = operands(last, "Len", 1)
	}
	if !all || !isAt || !core.Alike(read[0], of[0]) {
		return nil
	}
	return of[0]
}

// selected is what SelectSeq gives: the elements of a sequence that satisfy a test.
type selected struct {
	of   *term
	test func(e *term) *syntax.Expr
}

// selection is a sequence of which only the elements are known.
func selection(w *writer, n *core.Operator, t *types.Type, s scope) *term {
	test, ok := n.Args[1].(*core.Abstraction)
	if !ok {
		w.fail("the operator SelectSeq is not translated")
	}
	return &term{typ: t, selected: &selected{w.term(n.Args[0], s), func(e *term) *syntax.Expr {
		return w.formula(test.Body, s.with(test.Slots[0], e))
	}}}
}

// listing is the set of the elements of a sequence; of is the type of such sets.
func (w *writer) listing(q *term, of *types.Type) *set {
	if q.selected != nil {
		return w.where(w.listing(q.selected.of, of), q.selected.test)
	}
	s := w.set(w.of(of, build.Apply("elements", w.expr(q))))
	s.finite = true
	return s
}

// isSlot reports whether a node is a place.
func isSlot(n core.Node, slot int) bool {
	s, ok := core.Strip(n).(*core.Slot)
	return ok && s.Slot == slot
}

// isNumber reports whether a node is a number.
func isNumber(n core.Node, k int64) bool {
	l, ok := core.Strip(n).(*core.Literal)
	return ok && l.Value.Small() && l.Value.Int() == k
}

// positions are the numbers from 1 to the length of a sequence.
func (w *writer) positions(t *types.Type, q *term) *set {
	x := w.expr(q)
	out := w.interval(t, build.Number(1), build.Apply("size", x))
	usual := out.each
	out.each = func(all bool, name string, body func(*term) *syntax.Expr) *syntax.Expr {
		if w.choosing { // a parameter of an action is a number
			return usual(all, name, body)
		}
		return w.quantify(all, name, &syntax.Binder{In: build.Apply("positions", x)}, t,
			func(e *term) *syntax.Expr {
				e.from = out
				return body(e)
			})
	}
	return out
}

// removal is a sequence without the element at a position, where a function is written so:
// [j \in 1..Len(q) - 1 |-> IF j < i THEN q[j] ELSE q[j + 1]]. It is nil for any other function.
func removal(w *writer, n *core.Function, t *types.Type, s scope) *term {
	if len(n.Bindings) != 1 || n.Bindings[0].Tuple {
		return nil
	}
	j := n.Bindings[0].Slots[0]
	in, positions := operands(n.Bindings[0].Set, "..", 2)
	less, known := operands(at(in, 1), "-", 2)
	size, sized := operands(at(less, 0), "Len", 1)
	body, ok := core.Strip(n.Body).(*core.If)
	if !ok || !positions || !known || !sized || !isNumber(in[0], 1) || !isNumber(less[1], 1) {
		return nil
	}
	cond, compared := operands(body.Cond, "<", 2)
	same, before := operands(body.Then, "[]", 2)
	next, after := operands(body.Else, "[]", 2)
	moved, further := operands(at(next, 1), "+", 2)
	if !compared || !before || !after || !further ||
		!isSlot(cond[0], j) || mentionsSlot(cond[1], j) || !isSlot(same[1], j) ||
		!isSlot(moved[0], j) || !isNumber(moved[1], 1) ||
		!core.Alike(same[0], size[0]) || !core.Alike(next[0], size[0]) {
		return nil
	}
	q := w.expr(w.term(size[0], s))
	one, long := build.Number(1), build.Apply("size", q)
	lesser := func(a, b *syntax.Expr) *syntax.Expr {
		return build.If(build.LessOrEqual(a, b), a, b)
	}
	kept := lesser(build.Difference(w.expr(w.term(cond[1], s)), one), build.Difference(long, one))
	kept = build.If(build.LessOrEqual(kept, build.Number(0)), build.Number(0), kept)
	return w.of(t, build.Apply("concat", build.Apply("slice", q, one, kept),
		slice(q, build.Sum(kept, build.Number(2)), long)))
}

// slice is SubSeq, which is empty where the second position is before the first.
func slice(q, from, to *syntax.Expr) *syntax.Expr {
	return build.If(build.LessOrEqual(from, build.Sum(to, build.Number(1))),
		build.Apply("slice", q, from, to), &syntax.Expr{Kind: syntax.ExprSeq})
}

// operands are the arguments of an operator, if a node applies it to this number of them.
func operands(n core.Node, name string, count int) ([]core.Node, bool) {
	if n == nil {
		return nil, false
	}
	op, ok := core.Strip(n).(*core.Operator)
	if !ok || op.Name != name || len(op.Args) != count {
		return nil, false
	}
	return op.Args, true
}

// at is one of some nodes, nil if there are fewer.
func at(ns []core.Node, i int) core.Node {
	if i >= len(ns) {
		return nil
	}
	return ns[i]
}

// mentionsSlot reports whether a node reads a place.
func mentionsSlot(n core.Node, slot int) (yes bool) {
	if isSlot(n, slot) {
		return true
	}
	core.Parts(core.Strip(n), func(p core.Node) { yes = yes || mentionsSlot(p, slot) })
	return yes
}

// isSequence reports whether a variable stands for a sequence.
func isSequence(b *syntax.Binder) bool {
	return b.Sort != nil && b.Sort.Data != nil && b.Sort.Data.Form == syntax.SeqType
}

// noneOf is the empty set or sequence.
func noneOf(s *syntax.SortExpr) *syntax.Expr {
	if s.Data.Form == syntax.SeqType {
		return &syntax.Expr{Kind: syntax.ExprSeq}
	}
	return &syntax.Expr{Kind: syntax.ExprSet}
}
