package derive

import (
	"erelong.dev/erelong/internal/front/ere/build"
	"erelong.dev/erelong/internal/front/ere/syntax"
)

// What the messages at a point are, which one sender has sent to one receiver with one payload, and
// at one age where there are ages: a truth, or the number of copies in a bag.

// some is the condition that there is a message at a point.
func (w *rounds) some(point expr) expr {
	if w.bag() {
		return exprOf("%s > 0", point)
	}
	return point
}

// empty is the condition that there is none.
func (w *rounds) empty(point expr) expr {
	if w.bag() {
		return exprOf("%s = 0", point)
	}
	return exprOf("!%s", point)
}

// room is the condition that one more changes what is there.
func (w *rounds) room(point expr) expr {
	if w.bag() {
		return exprOf("%s < %s", point, w.most())
	}
	return w.empty(point)
}

// one is a message.
func (w *rounds) one() expr {
	if w.bag() {
		return expr("1")
	}
	return yes
}

// with is what is at a point together with more.
func (w *rounds) with(point, more expr) expr {
	if !w.bag() {
		return disjunction(point, more)
	}
	all := exprOf("%s + %s", point, more)
	return exprOf("if %s < %s then %s else %s", all, w.most(), all, w.most())
}

// take removes one message from a point.
func (w *rounds) take(point expr) {
	if w.bag() {
		w.line("  %s := %s - 1;", name(point), point)
		return
	}
	w.line("  %s := false;", name(point))
}

// clear removes all messages from points.
func (w *rounds) clear(points expr) {
	if w.bag() {
		w.line("  %s := 0;", name(points))
		return
	}
	w.line("  %s := false;", name(points))
}

// most is the greatest number of copies in a bag.
func (w *rounds) most() expr { return w.hole(w.p.copies()) }

// sent is what is at a point after one more message was sent, under a condition.
func (w *rounds) sent(point, cond *syntax.Expr) *syntax.Expr {
	if !w.bag() {
		if build.IsTrue(cond) {
			return cond
		}
		return build.Or(point, cond)
	}
	room := build.Binary(syntax.ExprLt, point, w.p.copies())
	more := build.Binary(syntax.ExprAdd, point, build.Number(1))
	return build.If(build.And(room, cond), more, point)
}
