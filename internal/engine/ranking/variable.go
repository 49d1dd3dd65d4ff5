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

// candidates are the variables from which functions may be made, by where they come from.
type candidates struct {
	p *problem
	hints
	vars      []*variable // the ones of the hints, integers, cases, digits and prophecies
	turns     []*variable
	whole     []*variable // counts over all arguments
	single    []*variable // counts over one argument
	distances []*variable // along orders
	meanings
}

// meanings says what the abstract integers stand for: what they count, or which sums of steps that
// are left to fair actions they are.
type meanings struct {
	counted map[*logic.Symbol]*count
	summed  map[*logic.Symbol]*countdown
}

// newCandidates lists the variables to try for a property, except distances.
func newCandidates(p *problem, given *system.Ranking) *candidates {
	c := &candidates{p: p, meanings: meanings{map[*logic.Symbol]*count{},
		map[*logic.Symbol]*countdown{}}}
	c.read(given)
	c.vars = slices.Concat(c.named, c.integers(), c.cyclic(), c.indicators(), c.prophecies(),
		c.inOrder())
	c.turns = c.nextSteps()
	c.whole, c.single = c.counts()
	return c
}

// all lists the candidates of all kinds.
func (c *candidates) all() []*variable {
	return slices.Concat(c.vars, c.turns, c.whole, c.distances, c.single)
}

// inRow reports whether actions may wait for each other in a row: there are lexicographic orders of
// steps that are left.
func (c *candidates) inRow() bool {
	return slices.ContainsFunc(c.vars, func(v *variable) bool {
		return v.lexicographic != nil && v.lexicographic.fair != nil
	})
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
func (c *candidates) integers() (out []*variable) {
	moving, fixed := c.integerTerms()
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
		for _, b := range fixed {
			out = append(out, &variable{term: logic.Sub(b, a)}, &variable{term: logic.Sub(a, b)})
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
func (c *candidates) integerTerms() (moving, fixed []*logic.Term) {
	for _, s := range c.p.sys.Symbols {
		if s.Result.Base() != logic.Int || s.Derived ||
			s.Ghost && !slices.Contains(c.p.original.Symbols, s) {
			continue
		}
		for _, args := range c.p.tuples(s.Args) {
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
func (c *candidates) prophecies() (out []*variable) {
	for _, f := range c.p.fair {
		for _, args := range c.p.tuples(f.left.Args) {
			left, zero := logic.App(f.left, logic.Pre, args...), logic.IntLit(0)
			add := func(term, when *logic.Term, by *hint) {
				w := &countdown{fairness: f, args: args, when: when}
				out = append(out, &variable{term: term, left: []*countdown{w}, nonNegative: true,
					byCase: by})
			}
			add(left, logic.True, nil)
			for _, d := range c.cases {
				add(logic.Ite(d.when, left, zero), d.when, d.hint)
				add(logic.Ite(d.when, zero, left), logic.Not(d.when), d.hint)
			}
		}
	}
	return out
}

// nextSteps are the numbers of steps until one of the weakly fair actions with the same parameters
// is taken, for the known values: the next step of a process, whichever it is.
func (c *candidates) nextSteps() (out []*variable) {
	for _, first := range c.p.fair {
		var alike []*fairness
		for _, f := range c.p.fair {
			if f.action.Fairness == system.Weak &&
				fmt.Sprint(f.left.Args) == fmt.Sprint(first.left.Args) {
				alike = append(alike, f)
			}
		}
		if len(first.left.Args) == 0 || len(alike) < 2 || alike[0] != first {
			continue
		}
		for _, args := range c.p.tuples(first.left.Args) {
			v := &variable{nonNegative: true}
			var sum []*logic.Term
			for _, f := range alike {
				v.left = append(v.left, &countdown{fairness: f, args: args, when: logic.True})
				sum = append(sum, logic.App(f.left, logic.Pre, args...))
			}
			v.term = logic.Add(sum...)
			out = append(out, v)
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
func (c *candidates) atoms(all bool) (out []atom) {
	terms := []*logic.Term{c.p.pending, c.p.good}
	for _, f := range c.p.fair {
		terms = append(terms, f.enabled)
	}
	for _, chosen := range c.p.choices {
		terms = append(terms, chosen.such)
	}
	for _, a := range c.p.sys.Actions {
		if e := c.p.enabled[a]; all && e != nil {
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
func (c *candidates) indicators() (out []*variable) {
	one, zero := logic.IntLit(1), logic.IntLit(0)
	for _, d := range c.cases {
		for _, digit := range []*logic.Term{logic.Ite(d.when, one, zero),
			logic.Ite(d.when, zero, one)} {
			out = append(out,
				&variable{term: digit, limit: one, nonNegative: true, byCase: d.hint})
		}
	}
	for _, a := range c.atoms(false) {
		for _, args := range c.p.tuples(a.symbol.Args) {
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
func (c *candidates) counts() (whole, single []*variable) {
	add := func(list *[]*variable, vars []*logic.Var, such *logic.Term) {
		if v := c.counting(vars, such); v != nil {
			*list = append(*list, v)
		}
	}
	for _, a := range c.atoms(true) {
		sorts := a.symbol.Args
		if len(sorts) == 0 {
			continue
		}
		for free := -1; free < 0 || len(sorts) > 1 && free < len(sorts); free++ {
			vars, given, list := tuple(sorts, "X"), []*logic.Sort(nil), &whole
			if free >= 0 {
				vars, list = vars[free:free+1], &single
				given = slices.Delete(slices.Clone(sorts), free, free+1)
			}
			for _, known := range c.p.tuples(given) {
				args := slices.Insert(known, max(free, 0), logic.Refs(vars)...)
				add(list, vars, a.of(args))
				if a.symbol.Result == logic.Bool {
					add(list, vars, logic.Not(a.of(args)))
				}
			}
		}
	}
	return whole, single
}

// awaiting makes the sum of the steps that are left until a fair action of the user's system is
// taken, over the values that satisfy a condition; nil if an instance may have infinitely many of
// them, or if it is not known when the action can be taken.
func (c *candidates) awaiting(
	vars []*logic.Var, such *logic.Term, action *system.Action, args []*logic.Term,
) *variable {
	i := slices.IndexFunc(c.p.fair, func(f *fairness) bool {
		return c.p.originals[f.action] == action
	})
	if i < 0 || !countable(vars) {
		return nil
	}
	w := &countdown{fairness: c.p.fair[i], over: vars, args: args, when: such}
	if len(vars) == 0 && such.IsTrue() {
		return &variable{term: logic.App(w.left, logic.Pre, args...), left: []*countdown{w},
			nonNegative: true}
	}
	s := c.p.unseen(w.String())
	c.summed[s] = w
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
func (c *candidates) counting(vars []*logic.Var, such *logic.Term) *variable {
	if !countable(vars) {
		return nil
	}
	name := "#{" + logic.Printer{}.Vars(vars) + " | " + such.String() + "}"
	s := c.p.unseen(name)
	c.counted[s] = &count{vars, such}
	return &variable{term: logic.App(s, logic.Pre), count: c.counted[s], nonNegative: true}
}
