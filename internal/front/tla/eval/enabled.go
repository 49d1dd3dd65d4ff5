package eval

import (
	"slices"

	"erelong.dev/erelong/internal/front/tla/core"
	"erelong.dev/erelong/internal/value"
)

// Whether an action is possible depends on what its tests read, and on what the values read that
// it gives to variables: see reads.act. For WF_v(A) it is asked for a step of A that changes v, so
// it matters whether the new values are the old ones, too. Of x' = [x EXCEPT ![k] = e] the part
// x[k] tells it, and of x' = x \ {e} whether e is in x.

// enabled looks for a step of an action.
func (c *compiler) enabled(n *core.Enabled) Test {
	body, done := n.Body, func(*Machine) bool { return true }
	if action, same := changing(n.Body); action != nil {
		stays := c.test(same)
		body, done = action, func(m *Machine) bool { return !stays(m) }
	}
	act := actions{c}.act(body, done)
	return func(m *Machine) bool {
		after, args := m.after, m.args
		m.after = make([]*value.Value, m.width)
		found := act(m)
		m.after, m.args = after, args
		return found
	}
}

// possible visits what an ENABLED reads.
func (r *reads) possible(n *core.Enabled) {
	of := r.c.readingOf(n.Body)
	ofInstance := func(v int) bool { return v >= len(r.whole) }
	if !r.formula || slices.ContainsFunc(slices.Concat(of.variables, of.primes), ofInstance) {
		r.unknown = true
		return
	}
	action, _ := changing(n.Body)
	if action == nil {
		r.act(n.Body)
		return
	}
	r.changing = true
	r.act(action)
	r.changing = false
}

// changing takes A /\ ~(v' = v) for variables v apart; it is nil for another action.
func changing(n core.Node) (action, same core.Node) {
	if j, ok := n.(*core.Junction); ok && j.And && len(j.Args) == 2 {
		if not, ok := j.Args[1].(*core.Not); ok && areVariables(not.Arg) {
			return j.Args[0], not.Arg
		}
	}
	return nil, nil
}

// areVariables reports whether a formula says of variables that they stay what they are.
func areVariables(same core.Node) bool {
	if j, ok := same.(*core.Junction); ok && j.And {
		return !slices.ContainsFunc(j.Args, func(n core.Node) bool { return !isStill(n) })
	}
	return isStill(same)
}

// moved visits what tells whether x \cup S or x \ S differs from x.
func (r *reads) moved(i int, n *core.Operator) {
	elems := setOfSets(n.Args[1])
	for _, e := range elems {
		p, ok := r.computed(core.ElementOf(e.Span(), e, n.Args[0]))
		if !ok {
			r.whole[i] = true
			return
		}
		r.add(p)
	}
	r.whole[i] = r.whole[i] || elems == nil
}
