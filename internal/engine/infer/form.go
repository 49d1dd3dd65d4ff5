package infer

import (
	"slices"

	"erelong.dev/erelong/internal/logic"
)

// findRenamings permutes variables of a sort without an order.
func (t *template) findRenamings() {
	index := map[string]int{}
	for i, a := range t.atoms {
		index[a.term.String()] = i
	}
	var free [][]*logic.Var
	for _, ts := range variables(t.vars) {
		if len(ts) > 1 && t.orders[ts[0].Sort] == nil {
			var vs []*logic.Var
			for _, x := range ts {
				vs = append(vs, x.Var)
			}
			free = append(free, vs)
		}
	}
	m := map[*logic.Var]*logic.Term{}
	var permute func(i int)
	permute = func(i int) {
		if i == len(free) {
			atoms := make([]int, len(t.atoms))
			same := true
			for j, a := range t.atoms {
				k, ok := index[logic.Subst(a.term, m).String()]
				if !ok {
					return // an argument order that is not listed, as of an equality
				}
				atoms[j], same = k, same && j == k
			}
			if !same {
				t.renamings = append(t.renamings, atoms)
			}
			return
		}
		permutations(free[i], func(p []*logic.Var) {
			for j, v := range free[i] {
				m[v] = logic.Ref(p[j])
			}
			permute(i + 1)
		})
	}
	permute(0)
}

func permutations(vs []*logic.Var, f func([]*logic.Var)) {
	p := slices.Clone(vs)
	var rec func(i int)
	rec = func(i int) {
		if i == len(p) {
			f(p)
			return
		}
		for j := i; j < len(p); j++ {
			p[i], p[j] = p[j], p[i]
			rec(i + 1)
			p[i], p[j] = p[j], p[i]
		}
	}
	rec(0)
}

// valuations calls f with all values of the variables that the form allows in a structure. The
// binding is reused.
func (t *template) valuations(s sample, f func([]binding)) {
	env := make([]binding, len(t.vars))
	for i, v := range t.vars {
		env[i].of = v
	}
	var fill func(i int)
	fill = func(i int) {
		if i == len(t.vars) {
			f(env)
			return
		}
		v := t.vars[i]
		d := s.domain(v.Sort)
	values:
		for x := d.lo; x < d.lo+d.n; x++ {
			for j := range i {
				if t.vars[j].Sort != v.Sort {
					continue
				}
				if env[j].value == x {
					continue values
				}
				if order := t.orders[v.Sort]; order != nil {
					tab := s.tables[order]
					if s.state[tab.offset+int(env[j].value*d.n+x)] == 0 {
						continue values
					}
				}
			}
			env[i].value = x
			fill(i + 1)
		}
	}
	fill(0)
}

// clause is the formula of a candidate: for all values of the form, one of the literals holds. A
// literal is twice the number of its atom, plus 1 if it is negated. The formula is an implication,
// from what is negated to what is not, as a person would say it.
func (t *template) clause(literals []int) *logic.Term {
	var given, parts []*logic.Term
	used := map[*logic.Var]bool{}
	for _, l := range literals {
		a := t.atoms[l/2].term
		for _, v := range logic.FreeVars(a) {
			used[v] = true
		}
		if l%2 == 1 {
			given = append(given, a)
		} else {
			parts = append(parts, a)
		}
	}
	if last := len(given) - 1; len(parts) == 0 {
		given, parts = given[:last], []*logic.Term{logic.Opposite(given[last])}
	}
	var form []*logic.Term
	var vars []*logic.Var
	for i, v := range t.vars {
		if !used[v] && t.orders[v.Sort] == nil {
			// Every relevant structure has a value for it; without it the formula is stronger.
			continue
		}
		vars = append(vars, v)
		for j, w := range t.vars[:i] {
			switch order := t.orders[v.Sort]; {
			case w.Sort != v.Sort:
			case order == nil && used[w]:
				form = append(form, logic.Not(logic.Eq(logic.Ref(w), logic.Ref(v))))
			case order != nil && j == i-1: // the order is transitive
				form = append(form, logic.App(order, logic.Pre, logic.Ref(w), logic.Ref(v)),
					logic.Not(logic.Eq(logic.Ref(w), logic.Ref(v))))
			}
		}
	}
	return logic.Forall(vars,
		logic.Implies(logic.And(append(form, given...)...), logic.Or(parts...)))
}
