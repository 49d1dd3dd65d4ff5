package discharge

import (
	"slices"

	"erelong.dev/erelong/internal/logic"
	"erelong.dev/erelong/internal/smt"
)

// part is a goal under assumptions over constants of its own. An obligation is one part; a hard one
// is split.
type part struct {
	consts []*logic.Var
	assume []*logic.Term
	goal   *logic.Term
	before *logic.Term // what is known: the goal of the state before the step; nil if it is not
	depth  int         // number of case distinctions that led here
	// The goal is one of several that suffice: that it does not follow says nothing.
	guessed bool
}

// write adds the negated claim.
func (p part) write(s *smt.Script) error {
	for _, v := range p.consts {
		if err := s.DeclareVar(v); err != nil {
			return err
		}
	}
	for _, t := range p.assume {
		if err := s.Assert(t); err != nil {
			return err
		}
	}
	return s.Assert(logic.Not(p.goal))
}

// with is the part under one more assumption.
func (p part) with(t *logic.Term) part {
	p.assume = append(slices.Clip(p.assume), t)
	return p
}

// about is the part with a sub-formula in the place of its goal. The goal and what is known of the
// state before the step have the same form, so the same sub-formula is taken of both.
func (p part) about(of func(*logic.Term) *logic.Term) part {
	p.goal = of(p.goal)
	if p.before != nil {
		p.before = of(p.before)
	}
	return p
}

// parts splits a part along the form of its goal: it holds exactly if all its parts do. Variables
// become constants, and the left sides of implications become assumptions.
func (p part) parts() []part {
	g := p.goal
	switch g.Op {
	case logic.OpForall:
		return p.withConstants().parts()
	case logic.OpAnd:
		var out []part
		for i := range g.Args {
			one := p.about(func(t *logic.Term) *logic.Term { return t.Args[i] })
			out = append(out, one.parts()...)
		}
		return out
	case logic.OpImplies:
		if was := p.before; was != nil {
			if !logic.Equal(g.Args[0], was.Args[0]) { // what is on the left may have been false
				return []part{p.about(func(t *logic.Term) *logic.Term {
					return logic.Or(logic.Not(t.Args[0]), t.Args[1])
				})}
			}
			p.before = was.Args[1]
		}
		p.goal = g.Args[1]
		return p.with(g.Args[0]).parts()
	case logic.OpIff:
		p.goal = logic.And(logic.Implies(g.Args[0], g.Args[1]), logic.Implies(g.Args[1], g.Args[0]))
		p.before = nil
		return p.parts()
	case logic.OpIte:
		p.goal = logic.And(logic.Implies(g.Args[0], g.Args[1]),
			logic.Implies(logic.Not(g.Args[0]), g.Args[2]))
		p.before = nil
		return p.parts()
	case logic.OpNot:
		switch inner := g.Args[0]; inner.Op {
		case logic.OpOr:
			var out []part
			for i := range inner.Args {
				out = append(out, p.about(func(t *logic.Term) *logic.Term {
					return logic.Not(t.Args[0].Args[i])
				}).parts()...)
			}
			return out
		case logic.OpAnd:
			if p.before != nil {
				return []part{p.about(func(t *logic.Term) *logic.Term {
					var any []*logic.Term
					for _, c := range t.Args[0].Args {
						any = append(any, logic.Not(c))
					}
					return logic.Or(any...)
				})}
			}
		case logic.OpExists:
			return p.about(func(t *logic.Term) *logic.Term {
				return logic.Forall(t.Args[0].Vars, logic.Not(t.Args[0].Args[0]))
			}).parts()
		}
	case logic.OpTrue:
		return nil
	}
	return []part{p}
}

// withConstants is the part of a universal goal with constants in the place of its variables.
func (p part) withConstants() part {
	vars := p.goal.Vars
	consts := make([]*logic.Term, len(vars))
	p.consts = slices.Clip(p.consts)
	for i, v := range vars {
		c := *v
		consts[i] = logic.Ref(&c)
		p.consts = append(p.consts, &c)
		if inside := logic.InSort(v.Sort, consts[i]); !inside.IsTrue() {
			p = p.with(inside)
		}
	}
	return p.about(func(t *logic.Term) *logic.Term {
		with := map[*logic.Var]*logic.Term{}
		for i, v := range t.Vars {
			with[v] = consts[i]
		}
		return logic.Subst(t.Args[0], with)
	})
}
