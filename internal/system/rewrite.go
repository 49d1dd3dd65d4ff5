package system

import (
	"fmt"

	"erelong.dev/erelong/internal/logic"
)

// Rewrite replaces each term of a system by what a function makes of it.
func Rewrite(sys *System, f func(*logic.Term) *logic.Term) {
	term := func(t **logic.Term) {
		if *t != nil {
			*t = f(*t)
		}
	}
	for _, d := range sys.Derived {
		term(&d.Axiom)
		term(&d.Body)
		if d.Fold != nil {
			term(&d.Fold.Cond)
			term(&d.Fold.Value)
			for _, args := range d.Fold.Given {
				rewriteAll(args, f)
			}
		}
	}
	for _, list := range [][]*Formula{sys.Axioms, sys.Inits} {
		for _, x := range list {
			term(&x.Term)
		}
	}
	for _, p := range sys.Properties {
		term(&p.Term)
	}
	for _, r := range sys.Rooms {
		term(&r.Suffices)
	}
	for _, a := range sys.Actions {
		term(&a.FairIf)
		rewriteCode(a.Code, f)
		if a.Relation != nil {
			rewriteAll(a.Relation.Guard, f)
			rewriteUpdates(a.Relation.Updates, f)
		}
	}
	for _, s := range sys.Scenarios {
		for i := range s.Components {
			c := &s.Components[i]
			term(&c.Assert)
			for _, call := range c.Calls {
				rewriteAll(call.Args, f)
			}
		}
	}
	for _, r := range sys.Rankings {
		r.rewrite(f)
	}
	if c := sys.Computed; c != nil {
		for _, x := range c.Boundary {
			term(&x.Term)
		}
		for _, x := range c.Conditions {
			term(&x.Enabled)
			term(&x.Taken)
		}
	}
}

func (r *Ranking) rewrite(f func(*logic.Term) *logic.Term) {
	for _, c := range r.Choices {
		c.Such = f(c.Such)
	}
	for _, m := range r.Measures {
		for _, t := range []**logic.Term{&m.Number, &m.Such} {
			if *t != nil {
				*t = f(*t)
			}
		}
		rewriteAll(m.Args, f)
	}
	for _, n := range r.Never {
		n.Such = f(n.Such)
	}
	rewriteAll(r.Bounds, f)
	rewriteAll(r.Cases, f)
	if r.Pending != nil {
		r.Pending = f(r.Pending)
	}
}

func rewriteAll(ts []*logic.Term, f func(*logic.Term) *logic.Term) {
	for i, t := range ts {
		if t != nil {
			ts[i] = f(t)
		}
	}
}

func rewriteUpdates(us []Update, f func(*logic.Term) *logic.Term) {
	for i := range us {
		rewriteAll(us[i].Args, f)
		us[i].Value = f(us[i].Value)
	}
}

func rewriteCode(code []Stmt, f func(*logic.Term) *logic.Term) {
	for i, s := range code {
		switch s := s.(type) {
		case Require:
			s.Cond = f(s.Cond)
			code[i] = s
		case Assign:
			rewriteUpdates(s.Updates, f)
		case Havoc:
			rewriteAll(s.Args, f)
		case Choose:
			s.Such = f(s.Such)
			code[i] = s
		case Let:
			s.Value = f(s.Value)
			code[i] = s
		case If:
			s.Cond = f(s.Cond)
			rewriteCode(s.Then, f)
			rewriteCode(s.Else, f)
			code[i] = s
		default:
			panic(fmt.Sprintf("system: statement %T", s))
		}
	}
}
