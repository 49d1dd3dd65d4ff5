package infer

import (
	"slices"
	"strings"

	"erelong.dev/erelong/internal/logic"
	"erelong.dev/erelong/internal/system"
)

// Atoms about integers, in systems that have elements, too: the ticket of a client is the one that
// is served now. Two integers are compared only if they measure the same, as in dimensional
// analysis: the file compares them, gives one of them the other's value, or does this with integers
// that measure the same as they.

// measures are the integers of a system, and what the file says of them.
type measures struct {
	// class gives a member of the class of an integer symbol: all of a class have the same one.
	class   map[*logic.Symbol]*logic.Symbol
	ranges  map[string]*logic.Symbol        // the class of the numbers in a range
	classes []*logic.Symbol                 // one member of each class, in the order of the file
	numbers map[*logic.Symbol][]*logic.Term // by class
	amounts map[*logic.Symbol][]phrase      // by class: arithmetic expressions
	stated  []phrase                        // comparisons of the file
}

// measuresOf is nil for a system without integers.
func measuresOf(sys *system.System) *measures {
	m := &measures{class: map[*logic.Symbol]*logic.Symbol{}, ranges: map[string]*logic.Symbol{},
		numbers: map[*logic.Symbol][]*logic.Term{}, amounts: map[*logic.Symbol][]phrase{}}
	for _, sym := range sys.Symbols {
		if sym.Result.Base() == logic.Int && (!sym.Derived || sys.DerivedOf(sym).Fold != nil) {
			m.class[sym] = sym
		}
	}
	if len(m.class) == 0 {
		return nil
	}
	m.alike(sys, m.join)
	for _, sym := range sys.Symbols {
		if class := m.class[sym]; class != nil && !slices.Contains(m.classes, class) {
			m.classes = append(m.classes, class)
		}
	}
	seen := map[string]bool{}
	m.alike(sys, func(sides ...*logic.Term) { m.collect(sides, seen) })
	comparisons(sys, func(t *logic.Term) {
		if t.Op == logic.OpLt { // as the negation of the other
			t = logic.Le(t.Args[1], t.Args[0])
		}
		for _, t := range atEnds(t) {
			m.add(&m.stated, t, seen)
		}
	})
	return m
}

// comparisons calls f with the comparisons of integers in a system.
func comparisons(sys *system.System, f func(*logic.Term)) {
	visit := func(t *logic.Term) {
		logic.Walk(t, func(t *logic.Term) bool {
			if t.ComparesIntegers() {
				f(t)
			}
			return true
		})
	}
	for _, p := range sys.Properties {
		if !logic.IsTemporal(p.Term) {
			visit(p.Term)
		}
	}
	for _, x := range slices.Concat(sys.Axioms, sys.Inits) {
		visit(x.Term)
	}
	for _, d := range sys.Derived {
		visit(d.Axiom)
	}
	inActions(sys, visit)
}

// alike calls f with integers that measure the same: both sides of a comparison, a symbol and what
// it becomes, and a symbol and the ends of its range.
func (m *measures) alike(sys *system.System, f func(sides ...*logic.Term)) {
	comparisons(sys, func(t *logic.Term) { f(t.Args...) })
	for _, sym := range sys.Symbols {
		if m.class[sym] != nil && sym.Result.Kind == logic.KindRange {
			f(&logic.Term{Op: logic.OpApp, Sort: sym.Result, Symbol: sym}, sym.Result.Lo,
				sym.Result.Hi)
		}
	}
	for _, a := range sys.Actions {
		for _, u := range a.Relation.Updates {
			if m.class[u.Symbol] != nil {
				f(logic.App(u.Symbol, logic.Pre, u.Args...), u.Value)
			}
		}
	}
}

// branches calls f with the values that an expression may have.
func branches(t *logic.Term, f func(*logic.Term)) {
	if t.Op == logic.OpIte {
		branches(t.Args[1], f)
		branches(t.Args[2], f)
		return
	}
	f(t)
}

// join makes one class of integers that measure the same, with what is added to them.
func (m *measures) join(sides ...*logic.Term) {
	var first *logic.Symbol
	same := func(class *logic.Symbol) {
		if class == nil {
			return
		}
		if first == nil {
			first = class
		}
		for sym, of := range m.class {
			if of == class {
				m.class[sym] = first
			}
		}
		for key, of := range m.ranges {
			if of == class {
				m.ranges[key] = first
			}
		}
	}
	var ranges []string
	var visit func(t *logic.Term)
	visit = func(t *logic.Term) {
		switch t.Op {
		case logic.OpApp:
			same(m.class[t.Symbol])
		case logic.OpVar:
			if s := t.Var.Sort; s.Kind == logic.KindRange {
				visit(s.Lo)
				visit(s.Hi)
				ranges = append(ranges, s.String())
			}
		case logic.OpAdd, logic.OpSub, logic.OpNeg:
			for _, a := range t.Args {
				branches(a, visit)
			}
		}
	}
	for _, t := range sides {
		branches(t, visit)
	}
	for _, key := range ranges {
		same(m.ranges[key])
	}
	for _, key := range ranges {
		m.ranges[key] = first
	}
}

// classOf is the class of integers that measure the same, nil if they are numbers.
func (m *measures) classOf(sides ...*logic.Term) (class *logic.Symbol) {
	for _, t := range sides {
		branches(t, func(t *logic.Term) {
			mentions(t, func(sym *logic.Symbol) bool {
				if class == nil {
					class = m.class[sym]
				}
				return class != nil
			})
		})
	}
	return class
}

// collect puts what measures the same as some symbol into its class.
func (m *measures) collect(sides []*logic.Term, seen map[string]bool) {
	class := m.classOf(sides...)
	for _, t := range sides {
		branches(t, func(t *logic.Term) {
			if isNumber(t) && !slices.ContainsFunc(m.numbers[class], func(n *logic.Term) bool {
				return n.Int.Cmp(t.Int) == 0
			}) {
				m.numbers[class] = append(m.numbers[class], t)
			}
			for _, t := range atEnds(t) {
				if isAmount(t) {
					amounts := m.amounts[class]
					m.add(&amounts, t, seen)
					m.amounts[class] = amounts
				}
			}
		})
	}
}

// maxAmountVars bounds the elements that an expression is about.
const maxAmountVars = 2

// add appends a term to phrases, if it is new, and all that it reads is in the state.
func (m *measures) add(to *[]phrase, t *logic.Term, seen map[string]bool) {
	free := logic.FreeVars(t)
	key := renamed(t, free).String()
	if len(free) > maxAmountVars || seen[key] || logic.MaxStep(t) > logic.Pre ||
		slices.ContainsFunc(free, func(v *logic.Var) bool {
			return v.Sort.Kind != logic.KindUninterpreted
		}) ||
		mentions(t, func(sym *logic.Symbol) bool {
			return sym.Result.Base() == logic.Int && m.class[sym] == nil
		}) {
		return
	}
	seen[key] = true
	*to = append(*to, phrase{t, free})
}

// atEnds gives a term with the integers that it chooses at the ends of their ranges.
func atEnds(t *logic.Term) []*logic.Term {
	for _, v := range logic.FreeVars(t) {
		if v.Sort.Kind == logic.KindRange {
			return slices.Concat(
				atEnds(logic.Subst(t, map[*logic.Var]*logic.Term{v: v.Sort.Lo})),
				atEnds(logic.Subst(t, map[*logic.Var]*logic.Term{v: v.Sort.Hi})))
		}
	}
	return []*logic.Term{t}
}

// isAmount reports whether a term is a sum, but not of one integer and 1: `x + 1 <= y` is `x < y`.
func isAmount(t *logic.Term) bool {
	if t.Op != logic.OpAdd && t.Op != logic.OpSub && t.Op != logic.OpMul {
		return false
	}
	return len(t.Args) > 2 || !changes(t) || !slices.ContainsFunc(t.Args, func(a *logic.Term) bool {
		return isNumber(a) && a.Int.IsInt64() && a.Int.Int64() == 1
	})
}

// integers lists the integers of a class that are variables, or values of symbols for variables.
func (v *vocabulary) integers(class *logic.Symbol, vars []*logic.Var) (out []*logic.Term) {
	for _, x := range vars {
		if x.Sort == logic.Int ||
			x.Sort.Kind == logic.KindRange && (v.measures.ranges[x.Sort.String()] == class ||
				v.measures.classOf(x.Sort.Lo, x.Sort.Hi) == class) {
			out = append(out, logic.Ref(x))
		}
	}
	for _, sym := range v.sys.Symbols {
		if v.measures.class[sym] == class {
			each(sym.Args, arguments(vars), func(args []*logic.Term) {
				out = append(out, logic.App(sym, logic.Pre, args...))
			})
		}
	}
	return out
}

// sumAtoms adds bounds on the sums of two integers of a class: expressions that no step changes.
func (v *vocabulary) sumAtoms(xs []*logic.Term, class *logic.Symbol, add func(*logic.Term, int)) {
	var bounds []*logic.Term
	for _, x := range xs {
		if !changes(x) && len(x.Args) == 0 {
			bounds = append(bounds, x)
		}
	}
	for _, p := range v.measures.amounts[class] {
		if !changes(p.term) && len(p.free) == 0 {
			bounds = append(bounds, p.term)
		}
	}
	for i, x := range xs {
		for _, y := range xs[:i] {
			if !changes(x) && !changes(y) {
				continue
			}
			for _, b := range bounds {
				add(logic.Le(logic.Add(y, x), b), 3)
				add(logic.Le(b, logic.Add(y, x)), 3)
			}
		}
	}
}

// numberAtoms adds the comparisons of the file, of integers of the same class with each other, and
// with expressions of the file.
func (v *vocabulary) numberAtoms(t *template, add func(*logic.Term, int)) {
	of := func(phrases []phrase, f func(*logic.Term)) {
		for _, p := range phrases {
			p.over(t.vars, f)
		}
	}
	of(v.measures.stated, func(t *logic.Term) { add(t, 1) })
	of(v.equations, func(t *logic.Term) { add(t, 2) })
	for _, class := range v.measures.classes {
		xs := v.integers(class, t.vars)
		if v.inner {
			v.sumAtoms(xs, class, add)
		}
		for i, x := range xs {
			for _, y := range slices.Concat(xs[:i], v.measures.numbers[class]) {
				if varies(x) || varies(y) || allVars([]*logic.Term{x, y}) {
					add(logic.Eq(y, x), 1)
					add(logic.Le(y, x), 2)
					add(logic.Le(x, y), 2)
				}
			}
			of(v.measures.amounts[class], func(y *logic.Term) {
				if (varies(x) || changes(y)) && !mentions(y, func(sym *logic.Symbol) bool {
					return sym == x.Symbol
				}) {
					add(logic.Le(y, x), 2)
					add(logic.Le(x, y), 2)
				}
			})
		}
	}
}

// varies reports whether a comparison with an integer may be true here and false there, whatever
// the instance: a step changes it, or it is any integer.
func varies(t *logic.Term) bool {
	return changes(t) || t.Op == logic.OpVar && t.Var.Sort == logic.Int
}

// comparing lists, by an atom that compares two integers, the atoms that compare the same ones.
func comparing(atoms []atom) map[int][]int {
	bySides := map[string][]int{}
	for i, a := range atoms {
		if a.term.ComparesIntegers() {
			sides := []string{a.term.Args[0].String(), a.term.Args[1].String()}
			slices.Sort(sides)
			key := strings.Join(sides, " ")
			bySides[key] = append(bySides[key], i)
		}
	}
	out := map[int][]int{}
	for _, same := range bySides {
		for _, i := range same {
			out[i] = same
		}
	}
	return out
}

// phrase is a part of the file's formulas, with its free variables.
type phrase struct {
	term *logic.Term
	free []*logic.Var
}

// over calls f with a phrase for all choices of its variables among others.
func (p phrase) over(vars []*logic.Var, f func(*logic.Term)) {
	var sorts []*logic.Sort
	for _, x := range p.free {
		sorts = append(sorts, x.Sort)
	}
	each(sorts, variables(vars), func(args []*logic.Term) {
		m := map[*logic.Var]*logic.Term{}
		for i, x := range p.free {
			m[x] = args[i]
		}
		f(logic.Subst(p.term, m))
	})
}
