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
	depth  int // number of case distinctions that led here
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

// parts splits a part along the form of its goal: it holds exactly if all its parts do. Variables
// become constants, and the left sides of implications become assumptions.
func (p part) parts() []part {
	g := p.goal
	switch g.Op {
	case logic.OpForall:
		fresh := map[*logic.Var]*logic.Term{}
		p.consts = slices.Clip(p.consts)
		for _, v := range g.Vars {
			c := *v
			fresh[v] = logic.Ref(&c)
			p.consts = append(p.consts, &c)
			if inside := logic.InSort(v.Sort, fresh[v]); !inside.IsTrue() {
				p = p.with(inside)
			}
		}
		p.goal = logic.Subst(g.Args[0], fresh)
		return p.parts()
	case logic.OpAnd:
		var out []part
		for _, t := range g.Args {
			p.goal = t
			out = append(out, p.parts()...)
		}
		return out
	case logic.OpImplies:
		p.goal = g.Args[1]
		return p.with(g.Args[0]).parts()
	case logic.OpIff:
		p.goal = logic.And(logic.Implies(g.Args[0], g.Args[1]), logic.Implies(g.Args[1], g.Args[0]))
		return p.parts()
	case logic.OpIte:
		p.goal = logic.And(logic.Implies(g.Args[0], g.Args[1]),
			logic.Implies(logic.Not(g.Args[0]), g.Args[2]))
		return p.parts()
	case logic.OpNot:
		if inner := g.Args[0]; inner.Op == logic.OpOr {
			var out []part
			for _, t := range inner.Args {
				p.goal = logic.Not(t)
				out = append(out, p.parts()...)
			}
			return out
		}
	case logic.OpTrue:
		return nil
	}
	return []part{p}
}
