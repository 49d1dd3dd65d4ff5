package ranking

import (
	"slices"

	"erelong.dev/erelong/internal/logic"
)

// pendings lists what may stay true from the trigger to the good state, the strongest first: the
// trigger, what steps make of it, and every state.
func (p *problem) pendings() []*logic.Term {
	out := []*logic.Term{p.trigger}
	if t := p.meanwhile(); t != nil {
		out = append(out, t)
	}
	return append(out, logic.True)
}

// meanwhile is true of the members of an enum that steps lead to from the one that the trigger
// names, and not on from one that is good: who is hungry holds a fork before he eats. It is read
// off the guards and the updates of actions, and is proved like a hint. It is nil where the trigger
// names no member that steps change.
func (p *problem) meanwhile() *logic.Term {
	for _, c := range logic.Conjuncts(p.trigger) {
		app, from := isMember(c)
		if app == nil || !app.Symbol.Mutable {
			continue
		}
		var good []int // the members with which the value makes the good state true
		for _, d := range logic.Disjuncts(p.good) {
			if t, m := isMember(d); t != nil && logic.Equal(t, app) {
				good = append(good, m)
			}
		}
		passed := []int{from}
		for i := 0; i < len(passed); i++ {
			for _, to := range p.leadsTo(app.Symbol, passed[i]) {
				if !slices.Contains(passed, to) && !slices.Contains(good, to) {
					passed = append(passed, to)
				}
			}
		}
		if len(passed) == 1 {
			continue
		}
		slices.Sort(passed)
		var some []*logic.Term
		for _, m := range passed {
			some = append(some, logic.Eq(app, logic.Member(app.Symbol.Result, m)))
		}
		return logic.Or(some...)
	}
	return nil
}

// isMember gives the value of a symbol and the member of an enum, where a formula says that they
// are equal; else nil.
func isMember(c *logic.Term) (app *logic.Term, member int) {
	if c.Op != logic.OpEq {
		return nil, 0
	}
	for i, t := range c.Args {
		if m := c.Args[1-i]; t.Op == logic.OpApp && m.Op == logic.OpMember {
			return t, m.Index
		}
	}
	return nil, 0
}

// leadsTo lists the members that a step may put in place of one.
func (p *problem) leadsTo(f *logic.Symbol, from int) (out []int) {
	for _, a := range p.sys.Actions {
		var asked []int
		for _, g := range a.Relation.Guard {
			for _, c := range logic.Conjuncts(g) {
				if t, m := isMember(c); t != nil && t.Symbol == f {
					asked = append(asked, m)
				}
			}
		}
		for _, u := range a.Relation.Updates {
			if u.Symbol != f || len(asked) > 0 && !slices.Contains(asked, from) {
				continue
			}
			logic.Walk(u.Value, func(t *logic.Term) bool {
				if t.Op == logic.OpMember {
					out = append(out, t.Index)
				}
				return t.Op == logic.OpIte
			})
		}
	}
	return out
}
