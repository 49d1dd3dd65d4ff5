package infer

import (
	"fmt"
	"slices"
	"strings"

	"erelong.dev/erelong/internal/logic"
	"erelong.dev/erelong/internal/system"
)

// template is a form of candidates: for all distinct values of the variables, in ascending order
// where their sort is ordered, a clause over the atoms holds. Equal variables belong to another
// template, with fewer of them.
type template struct {
	vars   []*logic.Var
	orders map[*logic.Sort]*logic.Symbol // a total order of a sort that has several variables
	atoms  []atom
	// renamings are the permutations of interchangeable variables, as permutations of atoms; the
	// identity is not among them.
	renamings [][]int
	// compared are, by an atom that compares two integers, the atoms that compare the same ones.
	compared map[int][]int
	pool     *pool // nil until it is needed
}

// atom is a formula that may occur, possibly negated, in a clause.
type atom struct {
	term  *logic.Term
	cost  int  // simpler atoms have smaller costs
	about int  // how many variables are free in it
	fixed bool // no step changes it
	// shape is equal for formulas that differ only in the names of their free variables; places
	// gives these variables as indices into the template's variables.
	shape  int
	places []int
}

// vocabulary holds the material for atoms.
type vocabulary struct {
	sys       *system.System
	claims    []*logic.Term // the properties to prove, and the invariants of the file
	orders    map[*logic.Sort]*logic.Symbol
	phrases   []phrase
	measures  *measures // nil without integers
	equations []phrase
	inner     bool                   // with inner quantifiers over two literals
	cone      map[*logic.Symbol]bool // nil until it is needed
	shapes    map[string]int
}

// sorts lists the sorts that variables may have: the ones of elements, and ranges to which
// something belongs that changes.
func (v *vocabulary) sorts() (out []*logic.Sort) {
	for _, s := range v.sys.Sorts {
		if s.Kind == logic.KindUninterpreted {
			out = append(out, s)
		}
	}
	for _, sym := range v.sys.Symbols {
		for _, s := range sym.Args {
			chosen := s.Kind == logic.KindRange || s.Kind == logic.KindEnum || s == logic.Int
			if chosen && (sym.Mutable || sym.Result == logic.Int) && !slices.Contains(out, s) {
				out = append(out, s)
			}
		}
	}
	return out
}

// collectQuantified collects the quantified parts of guards, properties and definitions.
func (v *vocabulary) collectQuantified() {
	seen := map[string]bool{}
	var visit func(t *logic.Term)
	visit = func(t *logic.Term) {
		for _, a := range t.Args {
			visit(a)
		}
		if !t.IsQuantifier() || logic.MaxStep(t) > logic.Pre ||
			logic.IsTemporal(t) || slices.Contains(v.claims, t) {
			return
		}
		free := logic.FreeVars(t)
		for _, f := range free {
			if f.Sort.Kind != logic.KindUninterpreted {
				return
			}
		}
		for _, p := range append([]*logic.Term{t}, closures(t, free)...) {
			free := logic.FreeVars(p)
			if key := renamed(p, free).String(); len(free) <= 3 && !seen[key] {
				seen[key] = true
				v.phrases = append(v.phrases, phrase{p, free})
			}
		}
	}
	for _, t := range v.claims {
		visit(t)
	}
	inActions(v.sys, visit)
	for _, d := range v.sys.Derived {
		if d.Body != nil {
			visit(d.Body)
		}
	}
	for _, a := range v.sys.Axioms {
		chosenBy(a.Term, visit)
	}
}

// chosenBy calls f with what an axiom says of elements that it says to exist, such as a node with
// the largest name. What it says of all elements is true everywhere, and no part of a clause.
func chosenBy(axiom *logic.Term, f func(*logic.Term)) {
	switch axiom.Op {
	case logic.OpExists:
		f(axiom.Args[0])
	case logic.OpForall, logic.OpAnd, logic.OpOr:
		for _, a := range axiom.Args {
			chosenBy(a, f)
		}
	}
}

// renamed gives the free variables names by their order, so that equal phrases are the same term.
func renamed(t *logic.Term, free []*logic.Var) *logic.Term {
	m := map[*logic.Var]*logic.Term{}
	for i, f := range free {
		m[f] = logic.Ref(&logic.Var{Name: fmt.Sprintf("F%d", i), Sort: f.Sort})
	}
	return logic.Subst(t, m)
}

// templates lists the forms with the given number of variables.
func (v *vocabulary) templates(n int) (out []*template) {
	sorts := v.sorts()
	counts := make([]int, len(sorts))
	var choose func(i, left int)
	choose = func(i, left int) {
		if i == len(sorts) {
			if left == 0 {
				if t := v.template(sorts, counts); t != nil {
					out = append(out, t)
				}
			}
			return
		}
		for c := 0; c <= min(left, 3); c++ {
			counts[i] = c
			choose(i+1, left-c)
		}
		counts[i] = 0
	}
	choose(0, n)
	return out
}

// template makes a form with counts[i] variables of sorts[i], nil if its atoms do not connect them.
func (v *vocabulary) template(sorts []*logic.Sort, counts []int) *template {
	t := &template{orders: map[*logic.Sort]*logic.Symbol{}}
	for i, s := range sorts {
		for j := range counts[i] {
			name := nameOf(s)
			if s.Base() == logic.Int {
				name = fmt.Sprintf("%s%d", name, len(t.vars)+1)
			} else if counts[i] > 1 {
				name = fmt.Sprintf("%s%d", name, j+1)
			}
			t.vars = append(t.vars, v.variable(name, s))
		}
		if counts[i] > 1 && v.orders[s] != nil {
			t.orders[s] = v.orders[s]
		}
	}
	seen := map[string]bool{}
	add := func(term *logic.Term, cost int) {
		if key := term.String(); !seen[key] {
			seen[key] = true
			t.atoms = append(t.atoms, v.atom(t, term, cost))
		}
	}
	terms := v.terms(t.vars)
	for _, sym := range v.sys.Symbols {
		if sym.Result == logic.Bool && !slices.ContainsFunc(sym.Args, func(s *logic.Sort) bool {
			return len(terms[s.Base()]) == 0
		}) {
			each(sym.Args, terms, func(args []*logic.Term) {
				if t.orders[sortOf(sym)] == sym && allVars(args) {
					return // decided by the form
				}
				add(logic.App(sym, logic.Pre, args...), 1+depth(args))
			})
		}
	}
	v.equalities(terms, add)
	for _, p := range v.phrases {
		p.over(t.vars, func(term *logic.Term) { add(term, 3) })
	}
	if v.measures != nil {
		v.numberAtoms(t, add)
	}
	if v.inner {
		v.innerAtoms(t, add)
		v.quorumAtoms(t, add)
		v.projections(t, add)
	}
	if !t.connected() {
		return nil
	}
	t.findRenamings()
	t.compared = comparing(t.atoms)
	return t
}

func (v *vocabulary) atom(t *template, term *logic.Term, cost int) atom {
	free := logic.FreeVars(term)
	a := atom{term: term, cost: cost, about: len(free),
		fixed: logic.MaxStep(term) < 0 || !changes(term)}
	for _, f := range free {
		a.places = append(a.places, slices.Index(t.vars, f))
	}
	key := renamed(term, free).String()
	id, ok := v.shapes[key]
	if !ok {
		id = len(v.shapes)
		v.shapes[key] = id
	}
	a.shape = id
	if term.Op == logic.OpApp && len(term.Args) > 0 && allVars(term.Args) {
		a.places = nil
		for _, x := range term.Args {
			a.places = append(a.places, slices.Index(t.vars, x.Var))
		}
		a.shape = -1 - id // two of its variables may be the same
	}
	return a
}

// variable makes a variable with an unused name.
func (v *vocabulary) variable(name string, s *logic.Sort) *logic.Var {
	name = strings.ToUpper(name[:1]) + name[1:]
	for isTaken(v.sys, name) {
		name += "_"
	}
	return &logic.Var{Name: name, Sort: s}
}

// isTaken reports whether a term can mention a symbol or a member of this name.
func isTaken(sys *system.System, name string) bool {
	return slices.ContainsFunc(sys.Symbols, func(sym *logic.Symbol) bool {
		return sym.Name == name
	}) || slices.ContainsFunc(sys.Sorts, func(s *logic.Sort) bool {
		return slices.Contains(s.Members, name)
	})
}

// changes reports whether a term reads a mutable symbol.
func changes(t *logic.Term) bool {
	return mentions(t, func(sym *logic.Symbol) bool { return sym.Mutable })
}

func sortOf(sym *logic.Symbol) *logic.Sort {
	if len(sym.Args) == 0 {
		return nil
	}
	return sym.Args[0]
}

func allVars(args []*logic.Term) bool {
	return !slices.ContainsFunc(args, func(a *logic.Term) bool { return a.Op != logic.OpVar })
}

func depth(args []*logic.Term) int {
	n := 0
	for _, a := range args {
		if a.Op != logic.OpVar {
			n++
		}
	}
	return n
}

// terms lists by sort the variables, the constants, and functions of variables.
func (v *vocabulary) terms(vars []*logic.Var) map[*logic.Sort][]*logic.Term {
	out := arguments(vars)
	for _, sym := range v.sys.Symbols {
		if sym.Result == logic.Bool || sym.Result.Base() == logic.Int {
			continue
		}
		if len(sym.Args) == 0 {
			out[sym.Result] = append(out[sym.Result], logic.App(sym, logic.Pre))
		}
	}
	simple := map[*logic.Sort][]*logic.Term{}
	for s, ts := range out {
		simple[s] = slices.Clip(ts)
	}
	for _, sym := range v.sys.Symbols {
		if sym.Result == logic.Bool || sym.Result.Base() == logic.Int || len(sym.Args) == 0 {
			continue
		}
		each(sym.Args, arguments(vars), func(args []*logic.Term) {
			out[sym.Result] = append(out[sym.Result], logic.App(sym, logic.Pre, args...))
		})
	}
	return out
}

// equalities compares non-variables with terms of their sort, and members of enums with terms.
func (v *vocabulary) equalities(terms map[*logic.Sort][]*logic.Term, add func(*logic.Term, int)) {
	for _, s := range v.sys.Sorts {
		ts := terms[s]
		for i, a := range ts {
			for _, b := range ts[:i] {
				if a.Op != logic.OpVar || b.Op != logic.OpVar {
					add(logic.Eq(b, a), 1+depth([]*logic.Term{a, b})/2)
				}
			}
			if s.Kind == logic.KindEnum {
				for m := range s.Members {
					add(logic.Eq(a, logic.Member(s, m)), 1)
				}
			}
		}
	}
}

func variables(vars []*logic.Var) map[*logic.Sort][]*logic.Term {
	out := map[*logic.Sort][]*logic.Term{}
	for _, v := range vars {
		out[v.Sort] = append(out[v.Sort], logic.Ref(v))
	}
	return out
}

// arguments are variables by the sorts of arguments for which they may stand.
func arguments(vars []*logic.Var) map[*logic.Sort][]*logic.Term {
	out := variables(vars)
	for _, v := range vars {
		if v.Sort.Kind == logic.KindRange {
			out[logic.Int] = append(out[logic.Int], logic.Ref(v))
		}
	}
	return out
}

// each calls f with all lists of terms of the given sorts.
func each(sorts []*logic.Sort, terms map[*logic.Sort][]*logic.Term, f func([]*logic.Term)) {
	args := make([]*logic.Term, len(sorts))
	var fill func(i int)
	fill = func(i int) {
		if i == len(sorts) {
			f(slices.Clone(args))
			return
		}
		for _, t := range terms[sorts[i].Base()] {
			args[i] = t
			fill(i + 1)
		}
	}
	fill(0)
}

// connected reports whether every variable is in an atom, and atoms with several variables connect
// them all. Smaller templates cover other forms.
func (t *template) connected() bool {
	if len(t.vars) == 0 {
		return len(t.atoms) > 0
	}
	group := map[*logic.Var]int{}
	for i, v := range t.vars {
		group[v] = i
	}
	used := map[*logic.Var]bool{}
	join := func(vs []*logic.Var) {
		for _, v := range vs {
			used[v] = true
			from, to := group[v], group[vs[0]]
			for w, g := range group {
				if g == from {
					group[w] = to
				}
			}
		}
	}
	for _, a := range t.atoms {
		join(logic.FreeVars(a.term))
	}
	bySort := variables(t.vars)
	for _, ts := range bySort { // distinct, or ordered
		for _, x := range ts[1:] {
			if used[x.Var] && used[ts[0].Var] {
				join([]*logic.Var{ts[0].Var, x.Var})
			}
		}
	}
	for _, v := range t.vars {
		if !used[v] || group[v] != group[t.vars[0]] {
			return false
		}
	}
	return true
}
