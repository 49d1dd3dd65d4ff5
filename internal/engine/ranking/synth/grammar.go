package synth

import (
	"fmt"
	"slices"

	"erelong.dev/erelong/internal/logic"
	"erelong.dev/erelong/internal/system"
)

// search is the search for one property.
type search struct {
	*Problem
	vars          []*logic.Var // of the property
	trigger, good *logic.Term  // over vars
	fair          []*system.Action
	orders        []*Comparison
	kinds         kinds
	words         vocabulary
	all           bool              // atoms that are not in the system's words count, too
	scopes        map[string]*scope // by the sorts of their variables
	work          int               // left, in steps to look at
	values        int               // left, of formulas in states
}

// scope is variables with the formulas about them.
type scope struct {
	vars []*logic.Var
	// Over vars and the variables of the property: the first ones are in the system's words.
	atoms []*logic.Term
	own   int
}

// size is the number of atoms that count.
func (s *search) size(sc *scope) int {
	if s.all {
		return len(sc.atoms)
	}
	return sc.own
}

func newSearch(p *Problem) *search {
	s := &search{Problem: p, orders: Comparisons(p.System), kinds: kindsIn(p.System),
		words: vocabularyOf(p), scopes: map[string]*scope{}, work: mostWork, values: mostValues}
	vars, body := system.Outer(p.Property.Term)
	s.vars, s.trigger, s.good = vars, body.Args[0], body.Args[1]
	for _, a := range p.System.Actions {
		if p.Due[a] != nil && a.Fairness != system.Unfair {
			s.fair = append(s.fair, a)
		}
	}
	return s
}

// bindable reports whether measures may bind variables of a sort.
func bindable(sort *logic.Sort) bool {
	switch sort.Kind {
	case logic.KindUninterpreted:
		return sort.Extent != logic.Infinite
	case logic.KindRange:
		return logic.MaxStep(sort.Lo) < logic.Pre && logic.MaxStep(sort.Hi) < logic.Pre
	}
	return false
}

// sorts lists the sorts of which measures bind variables: the ones of arguments and parameters.
func (s *search) sorts() (out []*logic.Sort) {
	add := func(sort *logic.Sort) {
		if bindable(sort) && !slices.ContainsFunc(out, func(o *logic.Sort) bool {
			return logic.SameSort(o, sort)
		}) {
			out = append(out, sort)
		}
	}
	for _, sym := range s.System.Symbols {
		for _, sort := range sym.Args {
			add(sort)
		}
	}
	for _, a := range s.System.Actions {
		for _, v := range a.Params {
			add(v.Sort)
		}
	}
	return out
}

// scope is the scope of variables of some sorts.
func (s *search) scope(sorts ...*logic.Sort) *scope {
	key := fmt.Sprint(sorts)
	if sc, ok := s.scopes[key]; ok {
		return sc
	}
	sc := &scope{}
	for i, sort := range sorts {
		sc.vars = append(sc.vars, &logic.Var{Name: fmt.Sprintf("X%d", i+1), Sort: sort})
	}
	s.scopes[key] = sc
	seen := map[string]bool{}
	var others []*logic.Term
	add := func(t *logic.Term) {
		text := t.String()
		if seen[text] || t.IsTrue() || t.IsFalse() {
			return
		}
		seen[text] = true
		if s.words.has(t) {
			sc.atoms = append(sc.atoms, t)
		} else {
			others = append(others, t)
		}
	}
	s.relations(sc, add)
	s.compared(sc, add)
	s.comparisons(sc, add)
	s.guards(sc, add)
	sc.own = len(sc.atoms)
	sc.atoms = append(sc.atoms, others...)
	return sc
}

// terms lists the terms of a sort without symbols that have arguments.
func (s *search) terms(sc *scope, sort *logic.Sort) (out []*logic.Term) {
	for _, v := range slices.Concat(sc.vars, s.vars) {
		if sameKind(v.Sort, sort) {
			out = append(out, logic.Ref(v))
		}
	}
	for _, sym := range s.System.Symbols {
		if len(sym.Args) == 0 && !sym.Ghost && sym.Result != logic.Bool &&
			sameKind(sym.Result, sort) {
			out = append(out, logic.App(sym, logic.Pre))
		}
	}
	return out
}

// sameKind reports whether values of two sorts can be compared.
func sameKind(a, b *logic.Sort) bool { return logic.SameSort(a.Base(), b.Base()) }

// applications applies a symbol to terms. A range of integers is an argument only where the term's
// sort is that range: other integers may be outside of it.
func (s *search) applications(sc *scope, sym *logic.Symbol) [][]*logic.Term {
	out := [][]*logic.Term{nil}
	for _, sort := range sym.Args {
		var longer [][]*logic.Term
		for _, args := range out {
			for _, t := range s.terms(sc, sort) {
				if sort.Kind == logic.KindRange && !logic.SameSort(sortOf(t), sort) {
					continue
				}
				longer = append(longer, append(slices.Clone(args), t))
			}
		}
		out = longer
	}
	return out
}

// sortOf is the declared sort of a variable or a constant.
func sortOf(t *logic.Term) *logic.Sort {
	if t.Op == logic.OpVar {
		return t.Var.Sort
	}
	return t.Symbol.Result
}

// relations are the relations, and the values of enums, of terms.
func (s *search) relations(sc *scope, add func(*logic.Term)) {
	for _, sym := range s.System.Symbols {
		if sym.Ghost {
			continue
		}
		for _, args := range s.applications(sc, sym) {
			app := logic.App(sym, logic.Pre, args...)
			switch {
			case sym.Result == logic.Bool:
				add(app)
			case sym.Result.Kind == logic.KindEnum:
				for i := range sym.Result.Members {
					add(logic.Eq(app, logic.Member(sym.Result, i)))
				}
			}
		}
	}
}

// comparisons are equations of terms of a sort, of truth values and of enums where they stand for
// the same thing, the order of integers, and the relations of two values of a sort that no step
// changes, which may be orders.
func (s *search) comparisons(sc *scope, add func(*logic.Term)) {
	var all []*logic.Term
	for _, v := range slices.Concat(sc.vars, s.vars) {
		all = append(all, logic.Ref(v))
	}
	for _, sym := range s.System.Symbols {
		if sym.Ghost {
			continue
		}
		for _, args := range s.applications(sc, sym) {
			all = append(all, logic.App(sym, logic.Pre, args...))
		}
	}
	for i, a := range all {
		for _, b := range all[i+1:] {
			if !sameKind(a.Sort, b.Sort) || fixed(a) && fixed(b) || isDiscrete(a.Sort) &&
				(a.Op != logic.OpApp || b.Op != logic.OpApp || !s.kinds.same(a.Symbol, b.Symbol)) {
				continue
			}
			add(logic.Eq(a, b))
			if a.Sort.Base() == logic.Int {
				add(logic.Lt(a, b))
				add(logic.Lt(b, a))
			}
			for _, order := range s.relationsOf(a.Sort) {
				add(logic.App(order, logic.Pre, a, b))
				add(logic.App(order, logic.Pre, b, a))
			}
		}
	}
}

// relationsOf lists the relations of two values of a sort that no step changes.
func (s *search) relationsOf(sort *logic.Sort) (out []*logic.Symbol) {
	for _, sym := range s.System.Symbols {
		if !sym.Mutable && !sym.Ghost && sym.Result == logic.Bool && len(sym.Args) == 2 &&
			logic.SameSort(sym.Args[0], sort) && logic.SameSort(sym.Args[1], sort) {
			out = append(out, sym)
		}
	}
	return out
}

// fixed reports whether a term is a symbol that no step changes.
func fixed(t *logic.Term) bool { return t.Op == logic.OpApp && logic.MaxStep(t) < logic.Pre }

// guards are when actions can be taken with terms, and what keeps them back: where a guard asks
// something of all values, the values of which it is false.
func (s *search) guards(sc *scope, add func(*logic.Term)) {
	for _, a := range s.System.Actions {
		when := s.Enabled[a]
		if when == nil || slices.ContainsFunc(a.Params, func(v *logic.Var) bool {
			return !bindable(v.Sort)
		}) {
			continue
		}
		for _, args := range s.chosen(sc, a.Params) {
			add(instantiate(when, a.Params, args))
			for _, c := range logic.Conjuncts(when) {
				s.blockers(sc, c, a.Params, args, add)
			}
		}
	}
}

// chosen lists the tuples of different variables of a scope for the parameters of an action.
func (s *search) chosen(sc *scope, params []*logic.Var) [][]*logic.Term {
	out := [][]*logic.Term{nil}
	for _, p := range params {
		var longer [][]*logic.Term
		for _, args := range out {
			for _, v := range slices.Concat(sc.vars, s.vars) {
				if logic.SameSort(v.Sort, p.Sort) && !slices.ContainsFunc(args,
					func(t *logic.Term) bool { return t.Var == v }) {
					longer = append(longer, append(slices.Clone(args), logic.Ref(v)))
				}
			}
		}
		out = longer
	}
	return out
}

// blockers are the values of one variable of which a conjunct of a guard is false.
func (s *search) blockers(
	sc *scope, c *logic.Term, params []*logic.Var, args []*logic.Term, add func(*logic.Term),
) {
	if c.Op != logic.OpForall {
		return
	}
	for i, v := range c.Vars {
		others := slices.Delete(slices.Clone(c.Vars), i, i+1)
		blocks := logic.Exists(others, logic.Not(c.Args[0]))
		for _, w := range slices.Concat(sc.vars, s.vars) {
			if !logic.SameSort(v.Sort, w.Sort) || slices.ContainsFunc(args,
				func(t *logic.Term) bool { return t.Var == w }) {
				continue
			}
			add(instantiate(instantiate(blocks, []*logic.Var{v}, []*logic.Term{logic.Ref(w)}),
				params, args))
		}
	}
}

// instantiate gives a term for other values of some variables.
func instantiate(t *logic.Term, vars []*logic.Var, by []*logic.Term) *logic.Term {
	m := map[*logic.Var]*logic.Term{}
	for i, v := range vars {
		m[v] = by[i]
	}
	return logic.Subst(t, m)
}
