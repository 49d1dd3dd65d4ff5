package eval

import (
	"slices"

	"erelong.dev/erelong/internal/front/tla/core"
)

// outline is a part of an action: \E x \in S : A /\ \E y \in T : B, where the sets S are constants,
// and the conjuncts A are tests of the state. T may depend on the state.
type outline struct {
	bindings []core.Binding // of the sets S
	bound    []int          // their places
	guards   []core.Node    // A
	still    []core.Node    // the variables that stay what they are, said before T
	some     *core.Binding  // y \in T; nil where there is none
	at       core.Node      // where it stands
	rest     []core.Node    // B
}

// mostOutlines bounds the parts of an action.
const mostOutlines = 64

// outliner cuts an action into outlines. A disjunction behind tests becomes several of them: each
// way through it is a step of its own, as without.
type outliner struct {
	c     *compiler
	found []outline
}

// outlines are the parts of an action; nil where there are too many.
func (c projector) outlines(n core.Node) []outline {
	o := &outliner{c: c.compiler}
	o.cut([]core.Node{n}, outline{at: n})
	if len(o.found) > mostOutlines {
		return nil
	}
	return o.found
}

// cut cuts a conjunction.
func (o *outliner) cut(args []core.Node, at outline) {
	if len(o.found) > mostOutlines {
		return
	}
	for k, a := range args {
		if n, ok := a.(*core.Named); ok {
			o.cut(replaced(args, k, n.Body), at)
			return
		}
		if j, ok := a.(*core.Junction); ok && j.And {
			o.cut(replaced(args, k, j.Args...), at)
			return
		}
		at.guards, at.still = o.before(args[:k])
		// Where all variables have values, what follows is a test.
		complete := len(at.still) > 0 && len(at.still) >= len(o.c.Model.Variables)
		if !complete && o.branch(args, k, at) {
			return
		}
		if !isGuard(a) && !isStill(a) {
			at.rest = args[k:]
			o.found = append(o.found, at)
			return
		}
	}
	at.guards, at.still = o.before(args)
	at.rest = nil
	o.found = append(o.found, at)
}

// before are the tests among conjuncts, and what else they say: that variables stay what they are.
func (o *outliner) before(args []core.Node) (guards, still []core.Node) {
	for _, a := range args {
		if isStill(a) {
			still = append(still, a)
		} else {
			guards = append(guards, a)
		}
	}
	return guards, still
}

// isStill reports whether a conjunct of an action says that a variable stays what it is.
func isStill(n core.Node) bool {
	e, ok := n.(*core.Equal)
	if !ok {
		return false
	}
	v, ok := e.Left.(*core.Variable)
	return ok && v.Primed && isOld(v.Index, e.Right)
}

// branch cuts a conjunction at a conjunct that has several ways; false where it is none.
func (o *outliner) branch(args []core.Node, k int, at outline) bool {
	switch n := args[k].(type) {
	case *core.Junction:
		for _, way := range n.Args {
			o.cut(replaced(args, k, way), at)
		}
		return true
	case *core.If:
		if branches(n) && isGuard(n.Cond) {
			o.cut(replaced(args, k, n.Cond, n.Then), at)
			o.cut(replaced(args, k, core.Negation(n.Cond), n.Else), at)
			return true
		}
	case *core.Quantified:
		if !n.All {
			o.choice(args, k, n, at)
			return true
		}
	}
	return false
}

// choice cuts a conjunction at an existential quantifier.
func (o *outliner) choice(args []core.Node, k int, n *core.Quantified, at outline) {
	body := n.Body
	if len(n.Bindings) > 1 {
		rest := *n
		rest.Bindings = n.Bindings[1:]
		body = &rest
	}
	bound := slices.Clone(at.bound)
	// Behind tests, a choice from a constant set, too, is made only where they are true.
	if len(at.guards) == 0 && areConstant(o.c, n.Bindings[:1], &bound) {
		at.bindings, at.bound = append(slices.Clip(at.bindings), n.Bindings[0]), bound
		o.cut(replaced(args, k, body), at)
		return
	}
	at.some, at.at = &n.Bindings[0], n
	at.rest = replaced(args[k:], 0, body)
	o.found = append(o.found, at)
}

// replaced is a list with others in the place of one element.
func replaced(list []core.Node, k int, by ...core.Node) []core.Node {
	return slices.Concat(list[:k], by, list[k+1:])
}

// isGuard reports whether a conjunct of an action is a test of the state, which is true in one way.
func isGuard(n core.Node) bool { return n.Level() <= core.State && !branches(n) }

// flat are the conjuncts of a conjunction, and of the ones within.
func flat(args []core.Node) (out []core.Node) {
	for _, a := range args {
		switch n := a.(type) {
		case *core.Named:
			out = append(out, flat([]core.Node{n.Body})...)
			continue
		case *core.Junction:
			if n.And {
				out = append(out, flat(n.Args)...)
				continue
			}
		}
		out = append(out, a)
	}
	return out
}

// areConstant reports whether the sets of bindings depend on nothing but the places that are bound
// already, to which it adds theirs.
func areConstant(c *compiler, bs []core.Binding, bound *[]int) bool {
	for _, b := range bs {
		if b.Set.Level() != core.Constant || !c.isFixed(b.Set, *bound) {
			return false
		}
	}
	for _, b := range bs {
		*bound = append(*bound, b.Slots...)
	}
	return true
}

// isFixed reports whether a node depends on nothing but some places.
func (c *compiler) isFixed(n core.Node, bound []int) bool {
	r := c.readingOf(n)
	if r.opaque || len(r.variables)+len(r.primes) > 0 {
		return false
	}
	return within(r.slots, bound)
}

func within(slots, bound []int) bool {
	for _, s := range slots {
		if !slices.Contains(bound, s) {
			return false
		}
	}
	return true
}
