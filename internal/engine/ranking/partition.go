package ranking

import (
	"fmt"
	"slices"
	"strings"

	"erelong.dev/erelong/internal/discharge"
	"erelong.dev/erelong/internal/logic"
	"erelong.dev/erelong/internal/system"
)

// partition is all steps in parts: one for each action, and the halves of these.
type partition struct {
	p          *problem
	roots      []*part       // one for each action
	conditions []*logic.Term // of splits, each once
}

// newPartition starts with one part for each action.
func newPartition(p *problem) *partition {
	w := &partition{p: p}
	for _, a := range p.sys.Actions {
		w.roots = append(w.roots, newPart(a))
	}
	return w
}

// part is the set of steps of one action that satisfy conditions. A further condition may split it
// into two halves.
type part struct {
	action *system.Action
	// over the states before and after, the action's parameters and its choices
	conditions []*logic.Term
	// change is a proved bound on the growth of a variable in such a step: -1, 0 or 1. A variable
	// without a known bound is missing.
	change map[*variable]int
	// The proofs of the bounds in change. A bound that a written proof states has none.
	proofs    map[*variable]*discharge.Obligation
	floor     map[*variable]int // the smallest bound on the growth that is still to be tried
	checked   map[*variable]int // how many witnesses the floor takes into account
	witnesses []*witness
	by        []*logic.Term // the conditions that split it off, each as it is in its halving
	// impossible is the proof that the part has no step while the property is pending; nil if it
	// may have one.
	impossible *discharge.Obligation
	settled    bool // it has a step, or it was asked whether it has one
	halves     []*halving
	number     int // in its name; 0 for none
}

// halving splits a part in two: the steps where a condition is true, and the steps where it is
// false.
type halving struct {
	by   *logic.Term
	part [2]*part
}

// String names the part by its number, or else by its conditions.
func (p *part) String() string {
	switch {
	case p.number > 0:
		return fmt.Sprintf("%s case %d", p.step(), p.number)
	case len(p.conditions) > 0:
		return p.step() + " where " + p.where()
	}
	return p.step()
}

func (p *part) step() string {
	return fmt.Sprintf("%s(%s)", p.action.Name, logic.Printer{}.Vars(p.action.Params))
}

func (p *part) where() string {
	var texts []string
	for _, c := range p.conditions {
		texts = append(texts, c.String())
	}
	return strings.Join(texts, " & ")
}

func newPart(a *system.Action) *part {
	return &part{action: a, change: map[*variable]int{}, floor: map[*variable]int{},
		checked: map[*variable]int{}, proofs: map[*variable]*discharge.Obligation{}}
}

// implies is the formula that the conditions of the part imply the goal.
func (p *part) implies(goal *logic.Term) *logic.Term {
	out := []*logic.Term{goal}
	for _, c := range p.conditions {
		out = append(out, logic.Not(c))
	}
	return logic.Or(out...)
}

// requires reports whether a formula is one of the conditions of the part.
func (p *part) requires(c *logic.Term) bool {
	return slices.ContainsFunc(p.conditions, func(d *logic.Term) bool { return logic.Equal(c, d) })
}

// split gives the two halves of a part. A variable that does not grow in the part does not grow in
// its halves, and may decrease there.
func (p *part) split(by *logic.Term) [2]*part {
	for _, h := range p.halves {
		if h.by == by {
			return h.part
		}
	}
	var out [2]*part
	for i, c := range []*logic.Term{by, logic.Not(by)} {
		half := newPart(p.action)
		half.conditions = append(slices.Clone(p.conditions), c)
		half.by = append(slices.Clone(p.by), by)
		for v, h := range p.change {
			if h <= 0 {
				half.change[v], half.proofs[v] = h, p.proofs[v]
			}
		}
		for _, w := range p.witnesses {
			if !w.refutes(c) {
				half.witnesses = append(half.witnesses, w)
			}
		}
		half.settled = len(half.witnesses) > 0
		out[i] = half
	}
	p.halves = append(p.halves, &halving{by, out})
	return out
}

// mayDecrease gives a condition over the states before and after a step by an action that is
// necessary for a variable to decrease: the fair action can be taken, or the variable is less
// afterwards. Choices are taken to stay the same. The result is nil if no such condition is known.
func (w *partition) mayDecrease(a *system.Action, v *variable) *logic.Term {
	switch {
	case v.lexicographic != nil && v.lexicographic.fair != nil:
		return w.intern(v.lexicographic.ticks())
	case v.left != nil:
		return w.intern(v.ticks())
	}
	moved := false
	later := func(t *logic.Term) *logic.Term {
		return logic.Map(t, func(t *logic.Term) *logic.Term {
			if t.Op != logic.OpApp || !t.Symbol.Mutable ||
				!t.Symbol.Derived && !slices.Contains(w.p.originals[a].Modifies, t.Symbol) {
				return t
			}
			moved = true
			return logic.App(t.Symbol, logic.Post, t.Args...)
		})
	}
	var c *logic.Term
	switch t := v.term; {
	case v.lexicographic != nil:
		l := v.lexicographic
		c = logic.Exists([]*logic.Var{l.place}, logic.And(l.such, logic.Not(later(l.such))))
	case v.count != nil:
		c = logic.Exists(v.count.vars, logic.And(v.count.such, logic.Not(later(v.count.such))))
	case t.Op == logic.OpIte && t.Args[1].Op == logic.OpInt && t.Args[2].Op == logic.OpInt:
		was, is := t.Args[0], later(t.Args[0])
		if t.Args[1].Int.Cmp(t.Args[2].Int) < 0 {
			was, is = is, was
		}
		c = logic.And(was, logic.Not(is))
	default:
		c = logic.Lt(later(t), t)
	}
	if !moved {
		return nil
	}
	return w.intern(c)
}

// intern gives equal conditions one term, so that parts remember their halves.
func (w *partition) intern(t *logic.Term) *logic.Term {
	for _, m := range w.conditions {
		if logic.Equal(m, t) {
			return m
		}
	}
	w.conditions = append(w.conditions, t)
	return t
}
