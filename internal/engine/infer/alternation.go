package infer

import (
	"maps"
	"slices"

	"erelong.dev/erelong/internal/logic"
	"erelong.dev/erelong/internal/system"
)

// A lemma may be inductive in all finite instances and not in general: that each node has a
// successor on a ring, for example, is true of finite rings only. Its proof then fails without a
// counterexample. This cannot happen while the graph of quantifier alternations has no cycle: then
// what is not inductive has a finite counterexample (Padon et al., Paxos Made EPR, 2017). So where
// a proof is neither found nor refuted, lemmas that close a cycle are given up, and the search goes
// on without such lemmas.

// alternations is the graph: an edge leads from a sort to another where for each element of the one
// an element of the other is said to exist, by a function or by quantifiers.
type alternations map[[2]*logic.Sort]bool

// add adds the edges of a formula that is assumed. Scope holds the variables that are universal
// around it. An upper bound: what a let stands for counts with both signs.
func (g alternations) add(t *logic.Term, assumed bool, scope []*logic.Var) {
	switch t.Op {
	case logic.OpNot:
		g.add(t.Args[0], !assumed, scope)
	case logic.OpAnd, logic.OpOr:
		for _, a := range t.Args {
			g.add(a, assumed, scope)
		}
	case logic.OpImplies:
		g.add(t.Args[0], !assumed, scope)
		g.add(t.Args[1], assumed, scope)
	case logic.OpForall, logic.OpExists:
		if assumed == (t.Op == logic.OpForall) {
			scope = slices.Concat(scope, t.Vars)
		} else {
			free := logic.FreeVars(t)
			for _, u := range scope {
				for _, e := range t.Vars {
					if slices.Contains(free, u) {
						g[[2]*logic.Sort{u.Sort, e.Sort}] = true
					}
				}
			}
		}
		g.add(t.Args[0], assumed, scope)
	default:
		for _, a := range t.Args {
			if a.Sort == logic.Bool {
				g.add(a, true, scope)
				g.add(a, false, scope)
			} else {
				g.add(a, assumed, scope) // which may have a condition
			}
		}
	}
}

// claim adds the edges of a formula that is assumed before a step and refuted after it.
func (g alternations) claim(t *logic.Term) {
	g.add(t, true, nil)
	g.add(t, false, nil)
}

// reaches reports whether a path leads from one sort to another.
func (g alternations) reaches(from, to *logic.Sort) bool {
	seen := map[*logic.Sort]bool{}
	var visit func(s *logic.Sort) bool
	visit = func(s *logic.Sort) bool {
		if s == to {
			return true
		}
		seen[s] = true
		for e := range g {
			if e[0] == s && !seen[e[1]] && visit(e[1]) {
				return true
			}
		}
		return false
	}
	return visit(from)
}

// closes reports whether a formula has an edge on a cycle of the graph, which is not an edge of
// another graph.
func (g alternations) closes(t *logic.Term, but alternations) bool {
	own := alternations{}
	own.claim(t)
	all := maps.Clone(g)
	maps.Copy(all, own)
	for e := range own {
		if !but[e] && all.reaches(e[1], e[0]) {
			return true
		}
	}
	return false
}

// alternationsOf is the graph of a file: its functions, axioms, actions and properties.
func alternationsOf(sys *system.System, claims []*goal) alternations {
	g := alternations{}
	for _, sym := range sys.Symbols {
		for _, a := range sym.Args {
			if sym.Result.Kind == logic.KindUninterpreted {
				g[[2]*logic.Sort{a, sym.Result}] = true
			}
		}
	}
	for _, a := range sys.Axioms {
		g.add(a.Term, true, nil)
	}
	for _, a := range sys.Actions {
		for _, t := range a.Relation.Guard {
			g.add(t, true, nil)
		}
		for _, u := range a.Relation.Updates {
			g.add(u.Value, true, u.Vars)
			g.add(u.Value, false, u.Vars)
		}
	}
	for _, c := range claims {
		g.claim(c.term)
	}
	return g
}

// with is the graph with the edges of goals.
func (g alternations) with(goals []*goal) alternations {
	g = maps.Clone(g)
	for _, x := range goals {
		g.claim(x.term)
	}
	return g
}

// requireAcyclic gives up the lemmas that close a cycle, after a proof that was neither found nor
// refuted, and excludes such candidates from now on. It reports whether there were some.
func (c *clauses) requireAcyclic(of *goals) (some bool) {
	if c.triedAcyclic {
		return false
	}
	given := alternationsOf(of.sys, c.samples.claims.goals)
	all := given.with(of.all)
	for i := len(of.all) - 1; i >= 0; i-- {
		if g := of.all[i]; g.from != nil && all.closes(g.term, given) {
			of.drop(i)
			some = true
		}
	}
	if some {
		of.note("without lemmas that close a cycle of quantifier alternations")
		c.acyclicOver, c.triedAcyclic = given, true
	}
	return some
}
