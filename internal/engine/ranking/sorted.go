package ranking

import (
	"slices"

	"erelong.dev/erelong/internal/engine/ranking/synth"
	"erelong.dev/erelong/internal/logic"
	"erelong.dev/erelong/internal/system"
)

// sorted reports whether the strict part of a comparison is transitive in all structures of the
// axioms. Then a finite set with a member has a first one, and solvers need not prove again that
// the comparison is an order.
//
// It looks at all ways in which three values may compare: what is said of each of them is one of
// three integers, and a relation is one of the 512 on three values. Of fewer values each strict
// part is transitive. An axiom without quantifiers inside, and with no other symbol than this
// relation, is true of any three values if it is true of all; other axioms leave out no way.
func sorted(sys *system.System, c *synth.Comparison) bool {
	w := &ways{c: c, said: map[*logic.Term]saying{}}
	if !w.collect() {
		return false
	}
	for _, axiom := range sys.Axioms {
		t := axiom.Term
		var vars []*logic.Var
		for t.Op == logic.OpForall {
			vars, t = append(vars, t.Vars...), t.Args[0]
		}
		if w.speaksOf(t, vars) {
			w.axioms = append(w.axioms, universal{vars, t})
		}
	}
	return w.eachRelation(func() bool { return w.eachKey(0, w.transitive) })
}

// universal is a formula for all values of some variables.
type universal struct {
	vars []*logic.Var
	body *logic.Term
}

// values are what variables stand for: each for one of three values.
type values map[*logic.Var]int

// ways are the ways in which three values may compare.
type ways struct {
	c        *synth.Comparison
	relation *logic.Symbol // nil without one
	keys     []*logic.Term // what is said of value A of the comparison
	axioms   []universal   // about the relation
	// said is the number of the key that a term says of the value of a variable.
	said map[*logic.Term]saying

	related [3][3]bool
	key     [][3]int // of each of keys
}

// saying is a key, by its number, of the value of a variable.
type saying struct {
	key int
	of  *logic.Var
}

// mostKeys bounds what a comparison may say of each value: there are 27 ways for each key.
const mostKeys = 2

// collect finds the relation and the keys of the comparison. It reports whether there are few.
func (w *ways) collect() bool {
	few := true
	logic.Walk(w.c.Before, func(t *logic.Term) bool {
		switch t.Op {
		case logic.OpLt, logic.OpLe, logic.OpEq:
			few = few && t.Args[0].Sort != logic.Bool
			if t.Args[0].Op != logic.OpVar {
				for _, side := range t.Args {
					w.say(side)
				}
			}
			return false
		case logic.OpApp:
			few = few && len(t.Args) == 2 && (w.relation == nil || w.relation == t.Symbol) &&
				t.Args[0].Op == logic.OpVar && t.Args[1].Op == logic.OpVar
			w.relation = t.Symbol
			return false
		}
		few = few && (t.Op == logic.OpAnd || t.Op == logic.OpOr || t.Op == logic.OpNot ||
			t.Op == logic.OpImplies)
		return true
	})
	w.key = make([][3]int, len(w.keys))
	return few && len(w.keys) <= mostKeys
}

// say notes which key a term says of which variable.
func (w *ways) say(t *logic.Term) {
	of := logic.FreeVars(t)
	key := instantiate(t, of, []*logic.Term{logic.Ref(w.c.A)})
	i := slices.IndexFunc(w.keys, func(k *logic.Term) bool { return logic.Equal(k, key) })
	if i < 0 {
		i, w.keys = len(w.keys), append(w.keys, key)
	}
	w.said[t] = saying{i, of[0]}
}

// speaksOf reports whether a formula is about the relation, and about the values of some variables.
func (w *ways) speaksOf(t *logic.Term, vars []*logic.Var) bool {
	return w.relation != nil && !logic.Has(t, func(u *logic.Term) bool {
		switch u.Op {
		case logic.OpTrue, logic.OpFalse, logic.OpNot, logic.OpAnd, logic.OpOr, logic.OpImplies,
			logic.OpIff, logic.OpEq, logic.OpDistinct:
			return false
		case logic.OpVar:
			return !slices.Contains(vars, u.Var) || !logic.SameSort(u.Var.Sort, w.c.A.Sort)
		}
		return u.Op != logic.OpApp || u.Symbol != w.relation
	})
}

// eachRelation reports whether something is true for all relations of three values of which the
// axioms are true.
func (w *ways) eachRelation(holds func() bool) bool {
	if w.relation == nil {
		return holds()
	}
	for bits := range 1 << 9 {
		for i := range 9 {
			w.related[i/3][i%3] = bits>>i&1 == 1
		}
		if !slices.ContainsFunc(w.axioms, func(a universal) bool { return !w.all(a, values{}) }) &&
			!holds() {
			return false
		}
	}
	return true
}

// all reports whether a formula is true of all values of its variables.
func (w *ways) all(a universal, of values) bool {
	if len(of) == len(a.vars) {
		return w.is(a.body, of)
	}
	v := a.vars[len(of)]
	defer delete(of, v)
	for i := range 3 {
		of[v] = i
		if !w.all(a, of) {
			return false
		}
	}
	return true
}

// eachKey reports whether something is true for all that may be said of the values.
func (w *ways) eachKey(from int, holds func() bool) bool {
	if from == len(w.key) {
		return holds()
	}
	for n := range 27 {
		w.key[from] = [3]int{n / 9, n / 3 % 3, n % 3}
		if !w.eachKey(from+1, holds) {
			return false
		}
	}
	return true
}

// transitive reports whether the strict part of the comparison is, of the three values.
func (w *ways) transitive() bool {
	var before [3][3]bool
	for a := range 3 {
		for b := range 3 {
			before[a][b] = w.is(w.c.Before, values{w.c.A: a, w.c.B: b}) &&
				!w.is(w.c.Before, values{w.c.A: b, w.c.B: a})
		}
	}
	for n := range 27 {
		a, b, c := n/9, n/3%3, n%3
		if before[a][b] && before[b][c] && !before[a][c] {
			return false
		}
	}
	return true
}

// is reports whether a formula is true of some values.
func (w *ways) is(t *logic.Term, of values) bool {
	holds := func(u *logic.Term) bool { return w.is(u, of) }
	switch t.Op {
	case logic.OpTrue:
		return true
	case logic.OpNot:
		return !holds(t.Args[0])
	case logic.OpAnd:
		return !slices.ContainsFunc(t.Args, func(u *logic.Term) bool { return !holds(u) })
	case logic.OpOr:
		return slices.ContainsFunc(t.Args, holds)
	case logic.OpImplies:
		return !holds(t.Args[0]) || holds(t.Args[1])
	case logic.OpIff:
		return holds(t.Args[0]) == holds(t.Args[1])
	case logic.OpApp:
		return w.related[of[t.Args[0].Var]][of[t.Args[1].Var]]
	case logic.OpDistinct:
		for i, u := range t.Args {
			for _, other := range t.Args[:i] {
				if w.number(u, of) == w.number(other, of) {
					return false
				}
			}
		}
		return true
	case logic.OpEq:
		if t.Args[0].Sort == logic.Bool {
			return holds(t.Args[0]) == holds(t.Args[1])
		}
		return w.number(t.Args[0], of) == w.number(t.Args[1], of)
	case logic.OpLt:
		return w.number(t.Args[0], of) < w.number(t.Args[1], of)
	case logic.OpLe:
		return w.number(t.Args[0], of) <= w.number(t.Args[1], of)
	}
	return false // OpFalse
}

// number is a value itself, or what is said of one.
func (w *ways) number(t *logic.Term, of values) int {
	if t.Op == logic.OpVar {
		return of[t.Var]
	}
	said := w.said[t]
	return w.key[said.key][of[said.of]]
}
