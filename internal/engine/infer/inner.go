package infer

import (
	"cmp"
	"fmt"
	"math/bits"
	"slices"

	"erelong.dev/erelong/internal/logic"
	"erelong.dev/erelong/internal/system"
)

// Atoms with a quantifier of their own. They are many, so they are about the symbols that the
// claims depend on. What is only written down, such as a message that nobody reads, takes part in
// clauses as it stands.

// maxInner bounds the atoms with an inner quantifier over one sort.
const maxInner = 400

// inner is an atom with a quantifier of its own.
type inner struct {
	term *logic.Term
	cost int
}

// simplest keeps as many atoms as are allowed: the ones with the lowest cost, of these the ones
// about the fewest of the form's variables. Their order stays.
func simplest(atoms []inner) []inner {
	if len(atoms) <= maxInner {
		return atoms
	}
	about := map[*logic.Term]int{}
	for _, a := range atoms {
		about[a.term] = len(logic.FreeVars(a.term))
	}
	least := slices.Clone(atoms)
	slices.SortStableFunc(least, func(a, b inner) int {
		return cmp.Or(cmp.Compare(a.cost, b.cost), cmp.Compare(about[a.term], about[b.term]))
	})
	kept := map[*logic.Term]bool{}
	for _, a := range least[:maxInner] {
		kept[a.term] = true
	}
	return slices.DeleteFunc(atoms, func(a inner) bool { return !kept[a.term] })
}

// innerAtoms adds atoms that state that for some value up to three literals hold, one of them about
// the immutable symbols, or about where a number lies; or that something has a value of the form's.
func (v *vocabulary) innerAtoms(t *template, add func(*logic.Term, int)) {
	for _, s := range v.sorts() {
		y := v.variable("some_"+nameOf(s), s)
		terms := arguments(append(slices.Clone(t.vars), y))
		literals := v.literals(y, terms)
		var fixed []*logic.Term
		for _, sym := range v.sys.Symbols {
			if sym.Result != logic.Bool || sym.Mutable || !slices.Contains(sym.Args, s) ||
				sortOf(sym) == sym.Args[len(sym.Args)-1] && len(sym.Args) == 2 {
				continue
			}
			each(sym.Args, terms, func(args []*logic.Term) {
				if has(args, y) {
					fixed = append(fixed, logic.App(sym, logic.Pre, args...))
				}
			})
		}
		fixed = append(fixed, v.positions(y, t.vars)...)
		ys := []*logic.Var{y}
		var atoms []inner
		some := func(cost int, ts ...*logic.Term) {
			atoms = append(atoms, inner{logic.Exists(ys, logic.And(ts...)), cost})
		}
		for _, l := range v.literals(y, v.named(t.vars, y)) {
			some(3, l)
		}
		for _, g := range v.graphs(y, t.vars) {
			some(3, g)
		}
		for _, f := range fixed {
			for _, l := range literals {
				some(4, f, l)
			}
		}
		for i, a := range literals {
			for _, b := range literals[:i] {
				if contrary(a, b) {
					continue
				}
				if len(fixed) == 0 {
					some(4, b, a)
				}
				for _, f := range fixed {
					some(5, f, b, a)
				}
			}
		}
		for _, a := range simplest(atoms) {
			add(a.term, a.cost)
		}
	}
}

// nameOf names a variable after its sort.
func nameOf(s *logic.Sort) string {
	if s.Base() == logic.Int {
		return "number"
	}
	return s.Name
}

// projections adds atoms that state that a mutable relation holds for some values of two or more of
// its arguments.
func (v *vocabulary) projections(t *template, add func(*logic.Term, int)) {
	for _, sym := range v.sys.Symbols {
		if sym.Result != logic.Bool || !v.matters(sym) || len(sym.Args) < 2 {
			continue
		}
		for set := range 1 << len(sym.Args) {
			if bits.OnesCount(uint(set)) < 2 {
				continue
			}
			terms := arguments(t.vars)
			var inner []*logic.Var
			sorts := slices.Clone(sym.Args)
			for i, s := range sym.Args {
				if set>>i&1 == 1 {
					y := v.variable(fmt.Sprintf("some_%s%d", nameOf(s), i+1), s)
					inner = append(inner, y)
					sorts[i] = &logic.Sort{Name: y.Name}
					terms[sorts[i]] = []*logic.Term{logic.Ref(y)}
				}
			}
			each(sorts, terms, func(args []*logic.Term) {
				add(logic.Exists(inner, logic.App(sym, logic.Pre, args...)), 3)
			})
		}
	}
}

// matters reports whether the claims depend on a mutable symbol.
func (v *vocabulary) matters(sym *logic.Symbol) bool {
	if v.cone == nil {
		v.cone = cone(v.sys, v.claims)
	}
	return v.cone[sym]
}

// cone is the cone of influence of some claims: the mutable symbols that they mention, or that a
// step reads where it changes another one of them.
func cone(sys *system.System, claims []*logic.Term) map[*logic.Symbol]bool {
	in := map[*logic.Symbol]bool{}
	reads := func(t *logic.Term) {
		for app := range logic.Applications(t) {
			if app.Symbol.Mutable {
				in[app.Symbol] = true
			}
		}
	}
	for _, t := range claims {
		reads(t)
	}
	for before := -1; before < len(in); {
		before = len(in)
		for _, a := range sys.Actions {
			changes := slices.ContainsFunc(a.Modifies, func(sym *logic.Symbol) bool {
				return in[sym]
			})
			if !changes {
				continue
			}
			for _, g := range a.Relation.Guard {
				reads(g)
			}
			for _, u := range a.Relation.Updates {
				if in[u.Symbol] {
					reads(u.Value)
				}
			}
		}
		for _, d := range sys.Derived {
			if in[d.Symbol] {
				reads(d.Axiom)
			}
		}
	}
	return in
}

// named lists by sort the variables of a form with an inner one, and the names of the form's, which
// are values of functions that no step changes.
func (v *vocabulary) named(vars []*logic.Var, y *logic.Var) map[*logic.Sort][]*logic.Term {
	out := arguments(append(slices.Clone(vars), y))
	for _, sym := range v.sys.Symbols {
		if sym.Mutable || len(sym.Args) != 1 || sym.Result.Kind != logic.KindUninterpreted {
			continue
		}
		each(sym.Args, arguments(vars), func(args []*logic.Term) {
			out[sym.Result] = append(out[sym.Result], logic.App(sym, logic.Pre, args...))
		})
	}
	return out
}

// literals lists the mutable relations, and their negations, that have a given variable and some
// terms as arguments, and comparisons of the mutable functions of that variable with the terms.
func (v *vocabulary) literals(
	y *logic.Var, terms map[*logic.Sort][]*logic.Term,
) (out []*logic.Term) {
	for _, sym := range v.sys.Symbols {
		if sym.Result != logic.Bool || !v.matters(sym) || !slices.Contains(sym.Args, y.Sort) {
			continue
		}
		each(sym.Args, terms, func(args []*logic.Term) {
			if has(args, y) {
				atom := logic.App(sym, logic.Pre, args...)
				out = append(out, atom, logic.Not(atom))
			}
		})
	}
	for _, f := range v.sys.Symbols {
		if f.Result.Kind != logic.KindEnum || !v.matters(f) || !slices.Contains(f.Args, y.Sort) {
			continue
		}
		each(f.Args, terms, func(args []*logic.Term) {
			if !has(args, y) {
				return
			}
			for m := range f.Result.Members {
				is := logic.Eq(logic.App(f, logic.Pre, args...), logic.Member(f.Result, m))
				out = append(out, is, logic.Not(is))
			}
		})
	}
	for _, f := range v.sys.Symbols {
		order := v.orders[f.Result]
		if order == nil || !v.matters(f) || len(f.Args) != 1 || f.Args[0] != y.Sort {
			continue
		}
		value := logic.App(f, logic.Pre, logic.Ref(y))
		for _, t := range terms[f.Result] {
			below := logic.App(order, logic.Pre, value, t)
			above := logic.App(order, logic.Pre, t, value)
			out = append(out, below, logic.Not(below), above, logic.Not(above))
		}
	}
	return out
}

// graphs lists the equations between functions of a variable and the form's variables.
func (v *vocabulary) graphs(y *logic.Var, vars []*logic.Var) (out []*logic.Term) {
	terms := arguments(append(slices.Clone(vars), y))
	for _, f := range v.sys.Symbols {
		if f.Result == logic.Bool || !slices.Contains(f.Args, y.Sort) ||
			f.Mutable && !v.matters(f) {
			continue
		}
		each(f.Args, terms, func(args []*logic.Term) {
			if !has(args, y) {
				return
			}
			for _, x := range vars {
				if x.Sort.Base() == f.Result.Base() {
					out = append(out,
						logic.Eq(logic.App(f, logic.Pre, args...), logic.Ref(x)))
				}
			}
		})
	}
	return out
}

// positions compare a number with the numbers that measure the same: the variables of a form, and
// constants of the state.
func (v *vocabulary) positions(y *logic.Var, vars []*logic.Var) (out []*logic.Term) {
	if y.Sort.Kind != logic.KindRange || v.measures == nil {
		return nil
	}
	here := logic.Ref(y)
	for _, class := range v.measures.classes {
		if !slices.ContainsFunc(v.integers(class, []*logic.Var{y}), func(x *logic.Term) bool {
			return x.Op == logic.OpVar
		}) {
			continue
		}
		for _, x := range v.integers(class, vars) {
			if x.Op == logic.OpVar || len(x.Args) == 0 && changes(x) {
				out = append(out, logic.Le(here, x), logic.Lt(here, x), logic.Le(x, here),
					logic.Lt(x, here))
			}
		}
	}
	return out
}

func has(args []*logic.Term, y *logic.Var) bool {
	return slices.ContainsFunc(args, func(a *logic.Term) bool {
		return a.Op == logic.OpVar && a.Var == y
	})
}

func contrary(a, b *logic.Term) bool {
	return b.Op == logic.OpNot && b.Args[0] == a || a.Op == logic.OpNot && a.Args[0] == b
}
