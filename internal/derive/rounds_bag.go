package derive

import (
	"erelong.dev/erelong/internal/front/ere/build"
	"erelong.dev/erelong/internal/front/ere/syntax"
)

// store writes what the messages at a point are, which one sender has sent to one receiver with one
// payload, and at one age where there are ages: a truth, or the number of copies in a bag.
type store struct {
	*template
	copies *syntax.Expr // the greatest number of copies in a bag; nil for truths
}

func (w *rounds) store() store {
	if !w.bag() {
		return store{template: w.template}
	}
	return store{w.template, w.p.copies()}
}

func (w store) bag() bool { return w.copies != nil }

// some is the condition that there is a message at a point.
func (w store) some(point expr) expr {
	if w.bag() {
		return exprOf("%s > 0", point)
	}
	return point
}

// empty is the condition that there is none.
func (w store) empty(point expr) expr {
	if w.bag() {
		return exprOf("%s = 0", point)
	}
	return exprOf("!%s", point)
}

// room is the condition that one more changes what is there.
func (w store) room(point expr) expr {
	if w.bag() {
		return exprOf("%s < %s", point, w.hole(w.copies))
	}
	return w.empty(point)
}

// one is a message.
func (w store) one() expr {
	if w.bag() {
		return expr("1")
	}
	return yes
}

// with is what is at a point together with more.
func (w store) with(point, more expr) expr {
	if !w.bag() {
		return disjunction(point, more)
	}
	all := exprOf("%s + %s", point, more)
	return exprOf("if %s < %s then %s else %s", all, w.hole(w.copies), all, w.hole(w.copies))
}

// take removes one message from a point.
func (w store) take(point expr) {
	if w.bag() {
		w.line("  %s := %s - 1;", name(point), point)
		return
	}
	w.line("  %s := false;", name(point))
}

// clear removes all messages from points.
func (w store) clear(points expr) {
	if w.bag() {
		w.line("  %s := 0;", name(points))
		return
	}
	w.line("  %s := false;", name(points))
}

// sent is what is at a point after one more message was sent, under a condition.
func (w store) sent(point, cond *syntax.Expr) *syntax.Expr {
	if !w.bag() {
		if build.IsTrue(cond) {
			return cond
		}
		return build.Or(point, cond)
	}
	room := build.Binary(syntax.ExprLt, point, w.copies)
	more := build.Binary(syntax.ExprAdd, point, build.Number(1))
	return build.If(build.And(room, cond), more, point)
}
