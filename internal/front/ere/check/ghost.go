package check

import (
	"erelong.dev/erelong/internal/diag"
	"erelong.dev/erelong/internal/logic"
	"erelong.dev/erelong/internal/system"
)

// checkGhosts restricts ghost symbols. Only properties, assignments to ghost symbols, and
// conditions under which only ghost symbols are assigned may read them. So the other symbols behave
// the same without the ghosts.
func (c *checker) checkGhosts() {
	g := &ghosts{c: c, tainted: map[*logic.Var]bool{}}
	any := false
	for _, s := range c.sys.Symbols {
		any = any || s.Ghost
	}
	if !any {
		return
	}
	for _, p := range c.sys.Properties {
		if p.Kind == system.Trusted {
			g.mustNotRead(p.Term, "a trusted invariant cuts off steps")
		}
	}
	for _, a := range c.sys.Actions {
		if a.FairIf != nil {
			g.mustNotRead(a.FairIf, "a condition of fairness cuts off runs")
		}
		if a.Imperative {
			g.code(a.Code, false)
		} else if a.Relation != nil {
			for _, t := range a.Relation.Guard {
				g.mustNotRead(t, "a condition decides whether the step happens")
			}
			for _, u := range a.Relation.Updates {
				if !u.Symbol.Ghost {
					g.mustNotRead(u.Value, "'"+u.Symbol.Name+"' is not a ghost")
				}
			}
		}
	}
}

type ghosts struct {
	c       *checker
	tainted map[*logic.Var]bool // bound by let to a value that depends on a ghost
}

// reads finds a ghost, or a variable that depends on one, in a term; nil if there is none.
func (g *ghosts) reads(t *logic.Term) *logic.Term {
	var found *logic.Term
	logic.Walk(t, func(t *logic.Term) bool {
		if t.Op == logic.OpVar && g.tainted[t.Var] || t.Op == logic.OpApp && g.isGhost(t.Symbol) {
			found = t
		}
		return found == nil
	})
	return found
}

func (g *ghosts) isGhost(s *logic.Symbol) bool {
	if !s.Derived {
		return s.Ghost
	}
	d := g.c.sys.DerivedOf(s)
	return d != nil && logic.Has(d.Axiom, func(t *logic.Term) bool {
		return t.Op == logic.OpApp && t.Symbol.Ghost
	})
}

func (g *ghosts) mustNotRead(t *logic.Term, why string) {
	if at := g.reads(t); at != nil {
		g.c.errs.Errorf(diag.GhostFlow, at.Span,
			"a ghost is read where it influences the behaviour").
			Because(diag.Span{}, "%s", why).
			Suggest("Declare the symbol without 'ghost', or use it in properties and " +
				"assignments to ghosts only.")
	}
}

// code checks statements; under is true when they run only under a condition on a ghost.
func (g *ghosts) code(code []system.Stmt, under bool) {
	for _, s := range code {
		switch s := s.(type) {
		case system.Require:
			g.mustNotRead(s.Cond, "a condition decides whether the step happens")
			g.notUnder(under, s.Span, "a condition decides whether the step happens")
		case system.Choose:
			g.mustNotRead(s.Such, "a choice without a possible value blocks the step")
			g.notUnder(under, s.Span, "a choice without a possible value blocks the step")
		case system.Let:
			g.tainted[s.Var] = g.reads(s.Value) != nil
		case system.If:
			u := under || g.reads(s.Cond) != nil
			g.code(s.Then, u)
			g.code(s.Else, u)
		case system.Havoc:
			if !s.Symbol.Ghost {
				g.notUnder(under, s.Span, "'"+s.Symbol.Name+"' is not a ghost")
			}
		case system.Assign:
			for _, u := range s.Updates {
				if u.Symbol.Ghost {
					continue
				}
				g.notUnder(under, u.Span, "'"+u.Symbol.Name+"' is not a ghost")
				g.mustNotRead(u.Value, "'"+u.Symbol.Name+"' is not a ghost")
				for _, a := range u.Args {
					g.mustNotRead(a, "'"+u.Symbol.Name+"' is not a ghost")
				}
			}
		}
	}
}

func (g *ghosts) notUnder(under bool, span diag.Span, why string) {
	if under {
		g.c.errs.Errorf(diag.GhostFlow, span,
			"a ghost decides whether this statement runs").Because(diag.Span{}, "%s", why)
	}
}
