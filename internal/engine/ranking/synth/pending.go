package synth

import (
	"iter"
	"slices"

	"erelong.dev/erelong/internal/logic"
)

// pendings are conditions that may be true from the trigger to the good state: the trigger itself;
// a disjunction of few conjunctions that is true of the states that are pending in the samples, and
// of no other one; and true. The ones that do not fit are left out (graphs).
func (s *search) pendings(samples []*sample) iter.Seq[*logic.Term] {
	return func(yield func(*logic.Term) bool) {
		if !yield(s.trigger) {
			return
		}
		if t := s.learn(samples); t != nil && !yield(t) {
			return
		}
		yield(logic.True)
	}
}

// shape is what the states of a sample are for some values of the property's variables: pending,
// or neither pending nor good.
type shape struct {
	*graph
	pending, other set
}

// shapes follows the steps from the trigger to the good state.
func (s *search) shapes(x *sample) (out []*shape) {
	for _, tuple := range x.givens(s.vars) {
		good, start := x.everywhere(with(s.good, s.vars, tuple)),
			x.everywhere(with(s.trigger, s.vars, tuple))
		if good == nil || start == nil {
			return nil
		}
		is := slices.Clone(start)
		is.keep(good, true)
		for again := true; again; {
			again = false
			for _, t := range x.Edges {
				if is.has(t.From) && !is.has(t.To) && !good.has(t.To) {
					is.add(t.To)
					again = true
				}
			}
		}
		other := newSet(len(x.States))
		other.fill(len(x.States))
		other.keep(is, true)
		other.keep(good, true)
		out = append(out, &shape{&graph{sample: x, given: tuple, pending: x.all,
			tables: map[*scope]*table{}}, is, other})
	}
	return out
}

// learn covers the pending states by conjunctions that are true of no other state that is not good,
// the one that covers most first; nil where few do not cover all.
func (s *search) learn(samples []*sample) *logic.Term {
	var shapes []*shape
	for _, x := range samples {
		shapes = append(shapes, s.shapes(x)...)
	}
	uncovered := 0
	for _, x := range shapes {
		uncovered += x.pending.len()
	}
	if uncovered == 0 {
		return nil
	}
	ends := s.ends(shapes)
	var some []*logic.Term
	for range mostEnds {
		best, most := -1, 0
		for i, e := range ends {
			if n := e.covers(shapes); n > most {
				best, most = i, n
			}
		}
		if best < 0 {
			return nil
		}
		some = append(some, ends[best].term)
		ends[best].take(shapes)
		if uncovered -= most; uncovered == 0 {
			return logic.Or(some...)
		}
	}
	return nil
}

// end is a conjunction that is true of pending states alone, among the ones that are not good.
type end struct {
	term    *logic.Term
	columns []set // of each shape
}

func (e *end) covers(shapes []*shape) (n int) {
	for i, x := range shapes {
		both := slices.Clone(x.pending)
		both.keep(e.columns[i], false)
		n += both.len()
	}
	return n
}

// take leaves the covered states out.
func (e *end) take(shapes []*shape) {
	for i, x := range shapes {
		x.pending = slices.Clone(x.pending)
		x.pending.keep(e.columns[i], true)
	}
}

// ends lists such conjunctions: of one or two literals without variables, or with one variable of
// which they are true of some value.
func (s *search) ends(shapes []*shape) (out []*end) {
	scopes := []*scope{s.scope()}
	for _, sort := range s.sorts() {
		scopes = append(scopes, s.scope(sort))
	}
	for k := 1; k <= 2; k++ {
		for _, sc := range scopes {
			out = append(out, s.endsOf(sc, k, shapes)...)
		}
	}
	return out
}

// endsOf is ends of k literals of a scope.
func (s *search) endsOf(sc *scope, k int, shapes []*shape) (out []*end) {
	var atoms []int // that say something of the scope's variable, if there is one
	tables := make([]*table, len(shapes))
	for i, x := range shapes {
		if tables[i] = x.table(s, sc); tables[i] == nil {
			return nil
		}
	}
	for i, a := range sc.atoms[:s.size(sc)] {
		known := !slices.ContainsFunc(tables, func(t *table) bool { return t.columns[i] == nil })
		if known && (len(sc.vars) == 0 || mentions(a, sc.vars)) {
			atoms = append(atoms, i)
		}
	}
	if k == 2 && len(atoms) > mostPaired {
		return nil
	}
	add := func(such ...literal) {
		if e := endOf(sc, such, tables, shapes); e != nil {
			out = append(out, e)
		}
	}
	for i, a := range atoms {
		for _, la := range []literal{{a, false}, {a, true}} {
			if k == 1 {
				add(la)
				continue
			}
			for _, b := range atoms[i+1:] {
				add(la, literal{b, false})
				add(la, literal{b, true})
			}
		}
	}
	return out
}

// endOf is the conjunction of literals, for some value of the scope's variable; nil if it is true
// of a state that is neither pending nor good, or of no pending one.
func endOf(sc *scope, such []literal, tables []*table, shapes []*shape) *end {
	e := &end{}
	for i, x := range shapes {
		some := newSet(len(x.States))
		for tuple := range tables[i].tuples {
			in := newSet(len(x.States))
			in.fill(len(x.States))
			for _, l := range such {
				in.keep(tables[i].columns[l.atom][tuple], l.negated)
			}
			some.unite(in)
		}
		wrong := slices.Clone(some)
		if wrong.keep(x.other, false); wrong.len() > 0 {
			return nil
		}
		e.columns = append(e.columns, some)
	}
	if e.covers(shapes) == 0 {
		return nil
	}
	var all []*logic.Term
	for _, l := range such {
		all = append(all, sc.term(l))
	}
	e.term = logic.Exists(sc.vars, logic.And(all...))
	return e
}

// mentions reports whether a formula has some of the variables free.
func mentions(t *logic.Term, vars []*logic.Var) bool {
	return slices.ContainsFunc(logic.FreeVars(t), func(v *logic.Var) bool {
		return slices.Contains(vars, v)
	})
}

// mostPaired bounds the atoms of a scope of which pairs are tried.
const mostPaired = 60
