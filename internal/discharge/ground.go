package discharge

import (
	"slices"

	"erelong.dev/erelong/internal/logic"
	"erelong.dev/erelong/internal/system"
	"erelong.dev/erelong/internal/vc"
)

// maxInstances bounds the instances of one quantifier. A quantifier with more stays as it is.
const maxInstances = 200

// grounder expands quantifiers, for structures whose elements are some constants, and with small
// integers: solvers find models of formulas without quantifiers at once.
type grounder struct {
	sorts    []*logic.Sort // that have elements
	elements map[*logic.Sort][]*logic.Var
	bound    int64 // on the absolute value of integers
	// Nothing is left out: a range whose ends are no numbers keeps its quantifiers.
	exact bool
}

// newGrounder makes size elements for each uninterpreted sort.
func newGrounder(sys *system.System, size int, bound int64) *grounder {
	g := &grounder{elements: map[*logic.Sort][]*logic.Var{}, bound: bound}
	for _, s := range sys.Sorts {
		if s.Kind != logic.KindUninterpreted {
			continue
		}
		g.sorts = append(g.sorts, s)
		for range size {
			g.elements[s] = append(g.elements[s], &logic.Var{Name: s.Name, Sort: s})
		}
	}
	return g
}

func (g *grounder) theory(t *vc.Theory) *vc.Theory {
	out := &vc.Theory{Consts: slices.Clone(t.Consts)}
	for _, s := range g.sorts {
		out.Consts = append(out.Consts, g.elements[s]...)
	}
	for _, u := range t.Updates {
		u.Value = g.term(u.Value)
		out.Updates = append(out.Updates, u)
	}
	for _, h := range t.Hypotheses {
		out.AssumeAs(h.Name, g.term(h.Term))
	}
	return out
}

func (g *grounder) term(t *logic.Term) *logic.Term {
	return logic.Map(t, func(t *logic.Term) *logic.Term {
		if !t.IsQuantifier() {
			return t
		}
		with := []map[*logic.Var]*logic.Term{{}}
		for _, v := range t.Vars {
			values := g.values(v.Sort)
			if len(values) == 0 || len(with)*len(values) > maxInstances {
				return t
			}
			with = logic.Assignments(with, v, values)
		}
		var instances []*logic.Term
		for _, m := range with {
			inside := logic.True
			for _, v := range t.Vars {
				inside = logic.And(inside, logic.InSort(v.Sort, m[v]))
			}
			body := logic.Subst(t.Args[0], m)
			if t.Op == logic.OpForall {
				instances = append(instances, logic.Implies(inside, body))
			} else {
				instances = append(instances, logic.And(inside, body))
			}
		}
		if t.Op == logic.OpForall {
			return logic.And(instances...)
		}
		return logic.Or(instances...)
	})
}

// values lists all values of a sort, for a range possibly with values outside it; nil if they are
// unknown.
func (g *grounder) values(s *logic.Sort) (out []*logic.Term) {
	switch s.Kind {
	case logic.KindUninterpreted:
		return logic.Refs(g.elements[s])
	case logic.KindBool:
		return []*logic.Term{logic.False, logic.True}
	case logic.KindEnum:
		for i := range s.Members {
			out = append(out, logic.Member(s, i))
		}
	case logic.KindRange:
		if g.exact {
			out, err := system.ValuesIn(s, &system.Instance{})
			if err != nil || len(out) > maxInstances {
				return nil
			}
			return out
		}
		for n := -g.bound; n <= g.bound; n++ {
			out = append(out, logic.IntLit(n))
		}
	}
	return out
}
