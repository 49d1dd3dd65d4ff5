package infer

import (
	"slices"

	"erelong.dev/erelong/internal/logic"
)

// Atoms about quorums. An axiom about quorums, such as that any two of them share a member, is used
// by lemmas that say that all members of some quorum have a property: so such parts are added to
// the vocabulary, and parts of the file about a given quorum are closed over it.

// closures closes a quantified part of the file over a free variable that is an argument of
// immutable relations only, such as a quorum that is chosen by an action.
func closures(t *logic.Term, free []*logic.Var) (out []*logic.Term) {
	for _, f := range free {
		switch {
		case !chosen(t, f):
		case t.Op == logic.OpForall:
			out = append(out, logic.Exists([]*logic.Var{f}, t))
		case t.Op == logic.OpExists:
			out = append(out, logic.Forall([]*logic.Var{f}, t))
		}
	}
	return out
}

// chosen reports whether a variable occurs in a term, as an argument of immutable relations only.
func chosen(t *logic.Term, f *logic.Var) bool {
	occurs, only := false, true
	var visit func(t *logic.Term, immutable bool)
	visit = func(t *logic.Term, immutable bool) {
		if t.Op == logic.OpVar && t.Var == f {
			occurs, only = true, only && immutable
		}
		for _, a := range t.Args {
			visit(a, t.Op == logic.OpApp && t.Symbol.Result == logic.Bool && !t.Symbol.Mutable)
		}
	}
	visit(t, false)
	return occurs && only
}

// memberships lists the immutable relations between elements and sets of them: no mutable relation
// speaks of the sets. A mutable function may, such as one that says which quorum has decided.
func (v *vocabulary) memberships() (out []*logic.Symbol) {
	for _, m := range v.sys.Symbols {
		if m.Mutable || m.Result != logic.Bool || len(m.Args) != 2 || m.Args[0] == m.Args[1] {
			continue
		}
		if v.unrelated(m.Args[1]) && !v.unrelated(m.Args[0]) &&
			m.Args[1].Kind == logic.KindUninterpreted {
			out = append(out, m)
		}
	}
	return out
}

// unrelated reports whether no mutable relation speaks of a sort.
func (v *vocabulary) unrelated(s *logic.Sort) bool {
	return !slices.ContainsFunc(v.sys.Symbols, func(sym *logic.Symbol) bool {
		return sym.Mutable && sym.Result == logic.Bool && slices.Contains(sym.Args, s)
	})
}

// quorumAtoms adds atoms that state that for all members of some set one of up to two literals
// holds; or for all but the ones of a kind that stays, such as faulty nodes.
func (v *vocabulary) quorumAtoms(t *template, add func(*logic.Term, int)) {
	for _, m := range v.memberships() {
		of, sets := m.Args[0], m.Args[1]
		if slices.ContainsFunc(t.vars, func(x *logic.Var) bool { return x.Sort == sets }) {
			continue // there the members of this set are atoms
		}
		y, q := v.variable("some_"+of.Name, of), v.variable("some_"+sets.Name, sets)
		literals := v.literals(y, arguments(append(slices.Clone(t.vars), y)))
		inSet := logic.App(m, logic.Pre, logic.Ref(y), logic.Ref(q))
		var atoms []inner
		all := func(cost int, ts ...*logic.Term) {
			atoms = append(atoms, inner{logic.Exists([]*logic.Var{q},
				logic.Forall([]*logic.Var{y}, logic.Implies(inSet, logic.Or(ts...)))), cost})
		}
		kinds := v.kinds(y)
		for _, l := range literals {
			all(4, l)
			for _, kind := range kinds {
				all(5, kind, l)
			}
		}
		for i, a := range literals {
			for _, b := range literals[:i] {
				if !contrary(a, b) {
					all(5, b, a)
				}
			}
		}
		for _, a := range simplest(atoms) {
			add(a.term, a.cost)
		}
	}
}

// kinds are the immutable relations of an element alone, and their negations.
func (v *vocabulary) kinds(y *logic.Var) (out []*logic.Term) {
	for _, sym := range v.sys.Symbols {
		if !sym.Mutable && !sym.Derived && sym.Result == logic.Bool && len(sym.Args) == 1 &&
			sym.Args[0] == y.Sort {
			is := logic.App(sym, logic.Pre, logic.Ref(y))
			out = append(out, is, logic.Not(is))
		}
	}
	return out
}
