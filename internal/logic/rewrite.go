package logic

import (
	"iter"
	"slices"
)

// patience is the number of visits after which a walk begins to remember the nodes that it has
// visited. A term is a graph whose nodes share sub-terms; as a tree it may be exponentially larger.
const patience = 1000

// MapArgs puts f of each argument in its place. A term whose arguments stay the same is returned as
// it is.
func MapArgs(t *Term, f func(*Term) *Term) *Term {
	var args []*Term
	for i, a := range t.Args {
		b := f(a)
		if b != a && args == nil {
			args = slices.Clone(t.Args)
		}
		if args != nil {
			args[i] = b
		}
	}
	if args == nil {
		return t
	}
	c := *t
	c.Args = args
	return &c
}

// Map rebuilds a term bottom-up: f is applied to every node after its arguments are rebuilt.
// Unchanged sub-terms are shared with the original. f must not rely on the free variables under a
// binder, which it sees as they stand. In a large term, f sees a shared node once.
func Map(t *Term, f func(*Term) *Term) *Term {
	m := mapper{f: f}
	return m.term(t)
}

type mapper struct {
	f      func(*Term) *Term
	visits int
	done   map[*Term]*Term
}

func (m *mapper) term(t *Term) *Term {
	if r, ok := m.done[t]; ok {
		return r
	}
	out := m.f(MapArgs(t, m.term))
	if m.visits++; m.visits > patience {
		if m.done == nil {
			m.done = map[*Term]*Term{}
		}
		m.done[t] = out
	}
	return out
}

// Walk calls f for every node, parents first; f returns false to skip the arguments. In a large
// term, f sees a shared node once.
func Walk(t *Term, f func(*Term) bool) {
	w := walker{f: f}
	w.term(t)
}

type walker struct {
	f       func(*Term) bool
	visits  int
	visited map[*Term]bool
}

func (w *walker) term(t *Term) {
	if w.visits++; w.visits > patience && t != nil && len(t.Args) > 0 {
		if w.visited[t] {
			return
		}
		if w.visited == nil {
			w.visited = map[*Term]bool{}
		}
		w.visited[t] = true
	}
	if !w.f(t) {
		return
	}
	for _, a := range t.Args {
		w.term(a)
	}
}

// Has reports whether some node of a term is such.
func Has(t *Term, such func(*Term) bool) bool {
	found := false
	Walk(t, func(t *Term) bool {
		found = found || such(t)
		return !found
	})
	return found
}

// Applications lists the applications of symbols in a term, the outer ones first.
func Applications(t *Term) iter.Seq[*Term] {
	return func(yield func(*Term) bool) {
		Has(t, func(t *Term) bool { return t.Op == OpApp && !yield(t) })
	}
}

// Shift adds delta to the step of every mutable application.
func Shift(t *Term, delta int) *Term {
	if delta == 0 {
		return t
	}
	return Map(t, func(t *Term) *Term {
		if t.Op == OpApp && t.Symbol.Mutable {
			c := *t
			c.Step += delta
			return &c
		}
		return t
	})
}

// Occurs reports whether the symbol is applied in the given state.
func Occurs(t *Term, sym *Symbol, step int) bool {
	return Has(t, func(t *Term) bool {
		return t.Op == OpApp && t.Symbol == sym && t.Step == step
	})
}

// MaxStep gives the highest step of a mutable application, -1 if there is none.
func MaxStep(t *Term) int {
	highest := -1
	for app := range Applications(t) {
		if app.Symbol.Mutable {
			highest = max(highest, app.Step)
		}
	}
	return highest
}

// Conjuncts splits a formula into conjuncts whose conjunction is equivalent to it: it descends into
// conjunctions, universal quantifiers (dropping variables that do not occur: sorts are never
// empty), right sides of implications, and negated disjunctions. A range may be empty, so a
// variable of a range sort is kept.
func Conjuncts(t *Term) []*Term {
	switch t.Op {
	case OpTrue:
		return nil
	case OpAnd:
		var out []*Term
		for _, a := range t.Args {
			out = append(out, Conjuncts(a)...)
		}
		return out
	case OpForall:
		parts := Conjuncts(t.Args[0])
		out := make([]*Term, len(parts))
		for i, p := range parts {
			free := FreeVars(p)
			var vs []*Var
			for _, v := range t.Vars {
				if v.Sort.Kind == KindRange || slices.Contains(free, v) {
					vs = append(vs, v)
				}
			}
			out[i] = Forall(vs, p).At(p.Span)
		}
		return out
	case OpImplies:
		parts := Conjuncts(t.Args[1])
		if len(parts) == 1 && parts[0] == t.Args[1] {
			return []*Term{t}
		}
		out := make([]*Term, len(parts))
		for i, p := range parts {
			out[i] = Implies(t.Args[0], p).At(p.Span)
		}
		return out
	case OpNot:
		if in := t.Args[0]; in.Op == OpOr {
			var out []*Term
			for _, a := range in.Args {
				out = append(out, Conjuncts(Not(a))...)
			}
			return out
		}
	}
	return []*Term{t}
}

// IsTemporal reports whether a temporal operator occurs.
func IsTemporal(t *Term) bool {
	return Has(t, func(t *Term) bool { return t.Op.IsTemporal() })
}
