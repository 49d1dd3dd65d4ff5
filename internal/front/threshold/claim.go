package threshold

import (
	"fmt"
	"slices"

	"erelong.dev/erelong/internal/diag"
	"erelong.dev/erelong/internal/front/ere/build"
	"erelong.dev/erelong/internal/front/ere/syntax"
)

// A run of an automaton comes to rest: no process returns to a location that it has left, and a
// rule from a location to itself changes nothing (model.rests). A run may rest in any state. So the
// runs are the finite ones, each with its last state for ever, and a formula of LTL without next is
// true of all of them if and only if what it says of runs that end in a state is true in each
// reachable state. What it says of the states before is noted in flags.
//
// monitor finds the truth of a formula for runs that end in the present state.
type monitor struct {
	*model
	name  string // of the claim, for the names of the flags
	flags []*flag
	alone bool // the formula is one "always", so that the run may end where it is false first
	fail  func(x *syntax.Expr, why string)
}

// flag is a truth value that is false at first, and gets a value of the state that a step leaves.
type flag struct {
	name  syntax.Name
	value *syntax.Expr
}

// new makes a flag; value gives its next value from its present one.
func (m *monitor) new(at *syntax.Expr, value func(now *syntax.Expr) *syntax.Expr) *syntax.Expr {
	n := syntax.Name{Text: fmt.Sprintf("%s_flag%d", m.name, len(m.flags)+1), Span: at.Span}
	now := &syntax.Expr{Kind: syntax.ExprName, Name: n, Span: at.Span}
	m.flags = append(m.flags, &flag{n, value(now)})
	return now
}

// since is whether a formula of states was true in a state so far, with the present one.
func (m *monitor) since(x *syntax.Expr) *syntax.Expr {
	if m.stable(x) {
		return x
	}
	before := m.new(x, func(now *syntax.Expr) *syntax.Expr { return build.Or(now, x) })
	return build.Or(before, x)
}

// value is the truth of a formula at the beginning of a run that ends in the present state.
func (m *monitor) value(x *syntax.Expr) *syntax.Expr {
	switch x.Kind {
	case syntax.ExprAnd, syntax.ExprOr, syntax.ExprImplies, syntax.ExprNot:
		if temporal(x) {
			out := *x
			out.Args = nil
			for _, a := range x.Args {
				out.Args = append(out.Args, m.value(a))
			}
			return &out
		}
	case syntax.ExprAlways:
		return m.always(x.Args[0])
	case syntax.ExprEventually:
		return m.eventually(x.Args[0])
	}
	if temporal(x) || m.changes(x) {
		m.fail(x, "what is true at the beginning is a premise of the whole formula")
	}
	return x
}

// always is the truth of "always x".
func (m *monitor) always(x *syntax.Expr) *syntax.Expr {
	switch {
	case !temporal(x) && m.alone:
		return x
	case !temporal(x):
		return build.Not(m.since(build.Not(x)))
	case x.Kind == syntax.ExprAnd:
		var all []*syntax.Expr
		for _, a := range x.Args {
			all = append(all, m.always(a))
		}
		return build.And(all...)
	case x.Kind == syntax.ExprAlways:
		return m.always(x.Args[0])
	case x.Kind == syntax.ExprEventually && !temporal(x.Args[0]): // again and again: at rest
		return x.Args[0]
	case x.Kind == syntax.ExprImplies && !temporal(x.Args[0]):
		if then := x.Args[1]; !temporal(then.Args[0]) {
			switch then.Kind {
			case syntax.ExprEventually:
				return m.response(x.Args[0], then.Args[0])
			case syntax.ExprAlways:
				wrong := build.And(m.since(x.Args[0]), build.Not(then.Args[0]))
				if !m.alone {
					wrong = m.since(wrong)
				}
				return build.Not(wrong)
			}
		}
	}
	m.fail(x, "this formula below [] is not read")
	return nil
}

// response is the truth of "always: after a there is b".
func (m *monitor) response(a, b *syntax.Expr) *syntax.Expr {
	if m.stable(b) { // what is not true now never was
		return build.Or(build.Not(m.since(a)), b)
	}
	waits := func(now *syntax.Expr) *syntax.Expr {
		return build.And(build.Or(a, now), build.Not(b))
	}
	return build.Not(waits(m.new(a, waits)))
}

// eventually is the truth of "eventually x".
func (m *monitor) eventually(x *syntax.Expr) *syntax.Expr {
	switch {
	case !temporal(x):
		return m.since(x)
	case x.Kind == syntax.ExprAlways && !temporal(x.Args[0]): // from some time on: at rest
		return x.Args[0]
	case x.Kind == syntax.ExprEventually:
		return m.eventually(x.Args[0])
	case x.Kind == syntax.ExprOr:
		var some []*syntax.Expr
		for _, a := range x.Args {
			some = append(some, m.eventually(a))
		}
		return build.Or(some...)
	}
	m.fail(x, "this formula below <> is not read")
	return nil
}

func temporal(x *syntax.Expr) bool {
	return x.Kind == syntax.ExprAlways || x.Kind == syntax.ExprEventually ||
		slices.ContainsFunc(x.Args, temporal)
}

// disjuncts are the parts of a formula of which one is true.
func disjuncts(x *syntax.Expr) []*syntax.Expr {
	switch x.Kind {
	case syntax.ExprOr:
		if temporal(x) {
			return concat(x.Args, disjuncts)
		}
	case syntax.ExprImplies:
		if temporal(x) {
			return slices.Concat(negated(x.Args[0]), disjuncts(x.Args[1]))
		}
	case syntax.ExprNot:
		return negated(x.Args[0])
	}
	return []*syntax.Expr{x}
}

func concat(
	xs []*syntax.Expr, of func(*syntax.Expr) []*syntax.Expr,
) (out []*syntax.Expr) {
	for _, x := range xs {
		out = append(out, of(x)...)
	}
	return out
}

// negated are the parts of which one is true where a formula is false.
func negated(x *syntax.Expr) []*syntax.Expr {
	switch {
	case x.Kind == syntax.ExprAnd && temporal(x):
		return concat(x.Args, negated)
	case x.Kind == syntax.ExprNot:
		return disjuncts(x.Args[0])
	}
	return []*syntax.Expr{build.At(build.Not(x), x.Span)}
}

// question is a claim as one about reachable states.
type question struct {
	claim *claim
	init  []*syntax.Expr // what is assumed of the initial state
	flags []*flag
	holds *syntax.Expr
	runs  bool // holds is about runs, since they need not come to rest
}

// ask makes a question of a claim. A part that is about the initial state alone is assumed to be
// false there.
func (m *model) ask(c *claim) *question {
	q := &question{claim: c}
	var rest []*syntax.Expr
	for _, d := range disjuncts(c.expr) {
		if temporal(d) {
			rest = append(rest, d)
		} else {
			q.init = append(q.init, build.At(build.Not(d), d.Span))
		}
	}
	if len(rest) == 0 { // the formula is about the initial state
		q.init, q.holds = nil, nil
		q.flags = []*flag{{syntax.Name{Text: c.name.Text + "_moved", Span: c.name.Span},
			build.Truth(true)}}
		begun := &syntax.Expr{Kind: syntax.ExprName, Name: q.flags[0].name, Span: c.name.Span}
		q.holds = build.Or(begun, c.expr)
		if !m.changes(c.expr) {
			q.flags, q.holds = nil, c.expr
		}
		return q
	}
	whole := build.Or(rest...)
	if !m.rests && !safe(whole) {
		q.runs, q.holds = true, whole
		return q
	}
	alone := len(rest) == 1 && rest[0].Kind == syntax.ExprAlways
	ok := true
	watch := &monitor{model: m, name: c.name.Text, alone: alone,
		fail: func(x *syntax.Expr, why string) {
			if ok {
				m.errs.Errorf(diag.Unsupported, x.Span, "in the formula %s: %s", c.name.Text, why)
			}
			ok = false
			panic(unread{})
		}}
	func() {
		defer func() {
			if r := recover(); r != nil {
				if _, is := r.(unread); !is {
					panic(r)
				}
			}
		}()
		q.holds = watch.value(whole)
	}()
	if !ok {
		return nil
	}
	q.flags = watch.flags
	return q
}

// unread ends a claim; its cause is among the errors.
type unread struct{}

// safe reports whether each run that violates a formula does so in a finite number of steps.
func safe(x *syntax.Expr) bool {
	if x.Kind == syntax.ExprEventually || x.Kind == syntax.ExprNot && temporal(x) ||
		x.Kind == syntax.ExprImplies && temporal(x.Args[0]) {
		return false
	}
	return !slices.ContainsFunc(x.Args, func(a *syntax.Expr) bool { return !safe(a) })
}
