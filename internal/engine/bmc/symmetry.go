package bmc

import (
	"erelong.dev/erelong/internal/interp"
	"erelong.dev/erelong/internal/logic"
)

// Renaming the elements of a sort maps steps to steps, if neither the instance nor what is known of
// the first state names one. So if a step leads out of a goal "for all X...", one does in which the
// elements for which the goal is false are the first ones, in the order of the variables, and in
// which the parameters of the action are among these or the next ones.

// symmetry holds the sorts whose elements may be renamed.
type symmetry map[*logic.Sort]bool

func symmetryOf(m *interp.Model, start Start) symmetry {
	out := symmetry{}
	for _, s := range m.System.Sorts {
		out[s] = s.Kind == logic.KindUninterpreted
	}
	distinguish := func(sym *logic.Symbol) {
		out[sym.Result] = false
		for _, s := range sym.Args {
			out[s] = false
		}
	}
	for slot, sym := range m.SlotSymbols() {
		if start.known(slot) || start.Integers[slot] != (Interval{}) {
			distinguish(sym)
		}
	}
	var named func(t *logic.Term)
	named = func(t *logic.Term) {
		if t.Op == logic.OpMember {
			out[t.Sort] = false
		}
		for _, a := range t.Args {
			named(a)
		}
	}
	for sym, v := range m.Instance.Values {
		distinguish(sym)
		named(v)
	}
	for _, f := range m.Instance.Facts {
		named(f.Term)
	}
	return out
}

// representatives is true when a formula is, or when it is false only for elements that are not the
// first ones.
func (u *unrolling) representatives(t *logic.Term, s scope, alike symmetry) lit {
	switch t.Op {
	case logic.OpAnd:
		out := yes
		for _, a := range t.Args {
			out = u.and(out, u.representatives(a, s, alike))
		}
		return out
	case logic.OpForall:
		return u.first(t.Vars, t.Args[0], s, alike, map[*logic.Sort]int64{})
	}
	return u.truth(t, s)
}

// first is the conjunction over the values of variables; used are the numbers of elements that
// variables before them have as values.
func (u *unrolling) first(
	vars []*logic.Var, body *logic.Term, s scope, alike symmetry, used map[*logic.Sort]int64,
) lit {
	for len(vars) == 0 {
		if body.Op != logic.OpForall {
			return u.truth(body, s)
		}
		vars, body = body.Vars, body.Args[0]
	}
	v := vars[0]
	d := u.domain(v.Sort)
	n := used[v.Sort]
	out := yes
	for x := d.lo; d.has(x) && out != no && (!alike[v.Sort] || x <= n); x++ {
		used[v.Sort] = max(n, x+1)
		out = u.and(out, u.first(vars[1:], body, s.with(v, u.element(v.Sort, x)), alike, used))
	}
	used[v.Sort] = n
	return out
}

// canonical bounds the parameters of an action: the variables of the goal use the first elements.
func (u *unrolling) canonical(alt alternative, goal *logic.Term, alike symmetry) (out []lit) {
	used := leading(goal)
	for _, a := range alt.args {
		if s := a.of.Sort; alike[s] && used[s] < u.domain(s).n {
			out = append(out, u.le(a.value.number, constant(used[s])))
			used[s]++
		}
	}
	return out
}

// leading counts the variables of a sort that are quantified around a formula, at most one element
// for each.
func leading(t *logic.Term) map[*logic.Sort]int64 {
	out := map[*logic.Sort]int64{}
	if t.Op == logic.OpAnd {
		for _, a := range t.Args {
			for s, n := range leading(a) {
				out[s] = max(out[s], n)
			}
		}
	}
	for ; t.Op == logic.OpForall; t = t.Args[0] {
		for _, v := range t.Vars {
			out[v.Sort]++
		}
	}
	return out
}
