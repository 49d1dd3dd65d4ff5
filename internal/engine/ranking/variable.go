package ranking

import (
	"fmt"
	"slices"

	"erelong.dev/erelong/internal/logic"
	"erelong.dev/erelong/internal/system"
)

// variable is an integer term from which a ranking function may be made. It is not negative
// wherever the property is pending.
type variable struct {
	term          *logic.Term    // over state Pre
	count         *count         // what the term counts, nil for other variables
	lexicographic *lexicographic // what the term orders, nil for other variables
	limit         *logic.Term    // an upper bound that no step changes, nil for none
	left          []*countdown   // the term is the sum of the steps that are left to these actions
	nonNegative   bool           // it is known not to be negative
	// if this is true of all states, the term is always 0; nil if unknown
	empty  *logic.Term
	hint   *hint // the hint that names it; nil if none does
	byCase *hint // the hint of a case that it is restricted to; nil for none
}

func (v *variable) String() string { return v.term.String() }

// opaque reports whether the solvers see an integer of which they know only what is proved of its
// growth.
func (v *variable) opaque() bool {
	return v.count != nil || v.left != nil || v.lexicographic != nil
}

// over lists the variables over whose values it counts or adds.
func (v *variable) over() (out []*logic.Var) {
	if v.count != nil {
		out = append(out, v.count.vars...)
	}
	for _, w := range v.left {
		out = append(out, w.over...)
	}
	return out
}

// inside is what the term is about: the condition of a count.
func (v *variable) inside() *logic.Term {
	if v.count != nil {
		return v.count.such
	}
	return v.term
}

// count is the number of values of vars that satisfy a condition. Solvers see an integer, with what
// is proved of its growth.
type count struct {
	vars []*logic.Var
	such *logic.Term
}

// Bounds on the search: how many integers have their differences formed, and how many values of one
// sort are used.
const (
	maxIntegers = 10
	maxValues   = 6
)

// values lists terms of each sort without arguments, which serve as arguments of others.
func (p *problem) values(s *logic.Sort) (out []*logic.Term) {
	add := func(sym *logic.Symbol) {
		if len(sym.Args) == 0 && logic.SameSort(sym.Result, s) && len(out) < maxValues {
			out = append(out, logic.App(sym, logic.Pre))
		}
	}
	for _, c := range p.choices {
		add(c.symbol)
	}
	for _, sym := range p.vars {
		add(sym)
	}
	for _, sym := range p.sys.Symbols {
		chosen := slices.ContainsFunc(p.choices, func(c *choice) bool { return c.symbol == sym })
		if !chosen && !slices.Contains(p.vars, sym) && s.Kind != logic.KindBool && s != logic.Int &&
			s.Kind != logic.KindEnum {
			add(sym)
		}
	}
	return out
}

// tuples lists the tuples of values of several sorts.
func (p *problem) tuples(sorts []*logic.Sort) [][]*logic.Term {
	out := [][]*logic.Term{nil}
	for _, s := range sorts {
		var longer [][]*logic.Term
		for _, tuple := range out {
			for _, v := range p.values(s) {
				longer = append(longer, append(slices.Clone(tuple), v))
			}
		}
		out = longer
	}
	return out
}

// integers are the first two sources of section 4.1: differences of integers that are declared or
// are values of functions, and their distances to the ends of their ranges. The first ones are
// preferred.
func (p *problem) integers() (out []*variable) {
	moving, fixed := p.integerTerms()
	zero := logic.IntLit(0)
	for _, a := range moving {
		out = append(out, &variable{term: a})
	}
	for _, a := range moving {
		for _, b := range moving {
			if a != b {
				out = append(out, &variable{term: logic.Sub(a, b)})
			}
		}
	}
	for _, a := range moving {
		for _, c := range fixed {
			out = append(out, &variable{term: logic.Sub(c, a)}, &variable{term: logic.Sub(a, c)})
		}
		out = append(out, &variable{term: logic.Sub(zero, a)})
		out = append(out, toEnds(a, fixed)...)
	}
	return out
}

// toEnds are the distances of an integer to the ends of its range, where these are neither 0 nor
// declared.
func toEnds(a *logic.Term, fixed []*logic.Term) (out []*variable) {
	s := a.Symbol.Result
	if s.Kind != logic.KindRange {
		return nil
	}
	known := append([]*logic.Term{logic.IntLit(0)}, fixed...)
	isNew := func(end *logic.Term) bool {
		return logic.MaxStep(end) < logic.Pre && !slices.ContainsFunc(known,
			func(t *logic.Term) bool { return logic.Equal(t, end) })
	}
	if isNew(s.Hi) {
		out = append(out, &variable{term: logic.Sub(s.Hi, a)})
	}
	if isNew(s.Lo) {
		out = append(out, &variable{term: logic.Sub(a, s.Lo)})
	}
	return out
}

// integerTerms lists the integers that are declared, or that are values of functions: the ones that
// steps change, and the others.
func (p *problem) integerTerms() (moving, fixed []*logic.Term) {
	for _, s := range p.sys.Symbols {
		if s.Result.Base() != logic.Int || s.Derived ||
			s.Ghost && !slices.Contains(p.original.Symbols, s) {
			continue
		}
		for _, args := range p.tuples(s.Args) {
			t := logic.App(s, logic.Pre, args...)
			if logic.MaxStep(t) < 0 {
				fixed = append(fixed, t)
			} else if len(moving) < maxIntegers {
				moving = append(moving, t)
			}
		}
	}
	return moving, fixed
}

// prophecies are the numbers of steps until fair actions are taken, for the known values, alone and
// restricted to the cases of the hints. So ranking functions are piecewise linear (section 5).
func (p *problem) prophecies() (out []*variable) {
	for _, f := range p.fair {
		for _, args := range p.tuples(f.left.Args) {
			left, zero := logic.App(f.left, logic.Pre, args...), logic.IntLit(0)
			add := func(term, when *logic.Term, by *hint) {
				w := &countdown{fairness: f, args: args, when: when}
				out = append(out, &variable{term: term, left: []*countdown{w}, nonNegative: true,
					byCase: by})
			}
			add(left, logic.True, nil)
			for i, c := range p.cases {
				add(logic.Ite(c, left, zero), c, p.caseHints[i])
				add(logic.Ite(c, zero, left), logic.Not(c), p.caseHints[i])
			}
		}
	}
	return out
}

// turns are the numbers of steps until one of the weakly fair actions with the same parameters is
// taken, for the known values: the next step of a process, whichever it is.
func (p *problem) turns() (out []*variable) {
	sorts := func(f *fairness) string { return fmt.Sprint(f.left.Args) }
	seen := map[string]bool{}
	for _, first := range p.fair {
		if first.action.Fairness != system.Weak || len(first.left.Args) == 0 ||
			seen[sorts(first)] {
			continue
		}
		seen[sorts(first)] = true
		for _, args := range p.tuples(first.left.Args) {
			v := &variable{nonNegative: true}
			var sum []*logic.Term
			for _, f := range p.fair {
				if f.action.Fairness == system.Weak && sorts(f) == sorts(first) {
					v.left = append(v.left, &countdown{fairness: f, args: args, when: logic.True})
					sum = append(sum, logic.App(f.left, logic.Pre, args...))
				}
			}
			if v.term = logic.Add(sum...); len(sum) > 1 {
				out = append(out, v)
			}
		}
	}
	return out
}

// atom is a relation that can be counted, or an enum with one of its members.
type atom struct {
	symbol *logic.Symbol
	member int // of an enum
}

func (a atom) of(args []*logic.Term) *logic.Term {
	t := logic.App(a.symbol, logic.Pre, args...)
	if a.symbol.Result == logic.Bool {
		return t
	}
	return logic.Eq(t, logic.Member(a.symbol.Result, a.member))
}

// atoms are the relations and enums of the property and of the fair actions, the third source of
// section 4.1, or of all actions.
func (p *problem) atoms(all bool) (out []atom) {
	terms := []*logic.Term{p.pending, p.good}
	for _, f := range p.fair {
		terms = append(terms, f.enabled)
	}
	for _, c := range p.choices {
		terms = append(terms, c.such)
	}
	for _, a := range p.sys.Actions {
		if e := p.enabled[a]; all && e != nil {
			terms = append(terms, e)
		}
	}
	seen := map[*logic.Symbol]bool{}
	for _, t := range terms {
		for t := range logic.Applications(t) {
			if !t.Symbol.Mutable || seen[t.Symbol] {
				continue
			}
			seen[t.Symbol] = true
			switch s := t.Symbol.Result; {
			case s == logic.Bool:
				out = append(out, atom{t.Symbol, 0})
			case s.Kind == logic.KindEnum:
				for i := range s.Members {
					out = append(out, atom{t.Symbol, i})
				}
			}
		}
	}
	return out
}

// indicators are 1 where an atom is true (or is false) of known values, and 0 elsewhere.
func (p *problem) indicators() (out []*variable) {
	one, zero := logic.IntLit(1), logic.IntLit(0)
	for i, c := range p.cases {
		h := p.caseHints[i]
		out = append(out,
			&variable{term: logic.Ite(c, one, zero), limit: one, nonNegative: true, byCase: h},
			&variable{term: logic.Ite(c, zero, one), limit: one, nonNegative: true, byCase: h})
	}
	for _, a := range p.atoms(false) {
		for _, args := range p.tuples(a.symbol.Args) {
			t := a.of(args)
			out = append(out,
				&variable{term: logic.Ite(t, one, zero), limit: one, nonNegative: true})
			if a.symbol.Result == logic.Bool {
				out = append(out,
					&variable{term: logic.Ite(t, zero, one), limit: one, nonNegative: true})
			}
		}
	}
	return out
}

// counts are the numbers of values that satisfy an atom, or do not: over all arguments at once, and
// over one argument with the others known.
func (p *problem) counts() (whole, single []*variable) {
	add := func(list *[]*variable, vars []*logic.Var, such *logic.Term) {
		if v := p.counting(vars, such); v != nil {
			*list = append(*list, v)
		}
	}
	for _, a := range p.atoms(true) {
		sorts := a.symbol.Args
		if len(sorts) == 0 {
			continue
		}
		shapes := []map[int]bool{{}} // the arguments that have known values
		if len(sorts) > 1 {
			for i := range sorts {
				known := map[int]bool{}
				for j := range sorts {
					known[j] = j != i
				}
				shapes = append(shapes, known)
			}
		}
		for _, known := range shapes {
			var vars []*logic.Var
			var given []*logic.Sort
			for i, s := range sorts {
				if known[i] {
					given = append(given, s)
				} else {
					vars = append(vars, &logic.Var{Name: fmt.Sprintf("X%d", i+1), Sort: s})
				}
			}
			list := &whole
			if len(given) > 0 {
				list = &single
			}
			for _, tuple := range p.tuples(given) {
				args, free := make([]*logic.Term, len(sorts)), vars
				for i := range sorts {
					if known[i] {
						args[i], tuple = tuple[0], tuple[1:]
					} else {
						args[i], free = logic.Ref(free[0]), free[1:]
					}
				}
				t := a.of(args)
				add(list, vars, t)
				if a.symbol.Result == logic.Bool {
					add(list, vars, logic.Not(t))
				}
			}
		}
	}
	return whole, single
}

// awaiting makes the sum of the steps that are left until a fair action of the user's system is
// taken, over the values that satisfy a condition; nil if an instance may have infinitely many of
// them, or if it is not known when the action can be taken.
func (p *problem) awaiting(
	vars []*logic.Var, such *logic.Term, action *system.Action, args []*logic.Term,
) *variable {
	i := slices.IndexFunc(p.fair, func(f *fairness) bool {
		return p.originals[f.action] == action
	})
	if i < 0 || !countable(vars) {
		return nil
	}
	w := &countdown{fairness: p.fair[i], over: vars, args: args, when: such}
	if len(vars) == 0 && such.IsTrue() {
		return &variable{term: logic.App(w.left, logic.Pre, args...), left: []*countdown{w},
			nonNegative: true}
	}
	s := p.unseen(w.String())
	p.summed[s] = w
	return &variable{term: logic.App(s, logic.Pre), left: []*countdown{w}, nonNegative: true}
}

// countable reports whether there are finitely many values of variables in each instance.
func countable(vars []*logic.Var) bool {
	return !slices.ContainsFunc(vars, func(v *logic.Var) bool {
		return v.Sort == logic.Int || v.Sort.Extent == logic.Infinite
	})
}

// counting makes the variable that counts values; nil if an instance may have infinitely many of
// them.
func (p *problem) counting(vars []*logic.Var, such *logic.Term) *variable {
	if !countable(vars) {
		return nil
	}
	name := "#{" + logic.Printer{}.Vars(vars) + " | " + such.String() + "}"
	s := p.unseen(name)
	p.counted[s] = &count{vars, such}
	return &variable{term: logic.App(s, logic.Pre), count: p.counted[s], nonNegative: true}
}
