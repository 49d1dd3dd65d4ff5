package cti

import (
	"cmp"
	"slices"
	"strconv"
	"strings"

	"erelong.dev/erelong/internal/interp"
	"erelong.dev/erelong/internal/logic"
)

// Limits on the clauses. They are counts, so that the same file gives the same suggestions.
const (
	maxLiterals  = 3
	maxVariables = 4
	maxAtoms     = 60     // literals for clauses
	maxPoints    = 64     // of a symbol
	maxClauses   = 40_000 // in total
)

// literal is a formula that is true in a state, where its variables denote elements.
type literal struct {
	term    *logic.Term
	vars    []*logic.Var
	mutable bool
}

// Clauses offers universally quantified clauses that are false in a state, with few literals
// first. They are negated parts of the diagram of the state (as in Karbyshev et al.,
// Property-Directed Inference of Universal Invariants, CAV 2015): up to three facts that are true
// in it, with the elements replaced by variables. For integers the facts are comparisons between
// constants, functions and zero. A clause that follows from a clause taken before is not offered.
func Clauses(m *interp.Model, s interp.State, offer func(clause *logic.Term) (taken, enough bool)) {
	c := &chooser{literals: (&diagram{model: m, state: s,
		variables: map[string]*logic.Var{}}).literals(), offer: offer, seen: map[string]bool{}}
	for size := 1; size <= maxLiterals; size++ {
		if !c.choose(0, size, nil) {
			return
		}
	}
}

// chooser enumerates the sets of literals.
type chooser struct {
	literals []literal
	offer    func(*logic.Term) (taken, enough bool)
	seen     map[string]bool
	taken    [][]int // sets, ascending
	tried    int
}

// choose completes a set with literals from an index on. It returns false when no more clauses are
// wanted.
func (c *chooser) choose(from, left int, set []int) bool {
	if left == 0 {
		return c.try(set)
	}
	for i := from; i < len(c.literals); i++ {
		if !c.choose(i+1, left-1, append(set[:len(set):len(set)], i)) {
			return false
		}
	}
	return true
}

func (c *chooser) try(set []int) bool {
	weaker := func(smaller []int) bool {
		return !slices.ContainsFunc(smaller, func(i int) bool { return !slices.Contains(set, i) })
	}
	if slices.ContainsFunc(c.taken, weaker) {
		return true
	}
	if c.tried++; c.tried > maxClauses {
		return false
	}
	literals := make([]literal, len(set))
	for i, n := range set {
		literals[i] = c.literals[n]
	}
	t, ok := clause(literals)
	if !ok || c.seen[t.String()] {
		return true
	}
	c.seen[t.String()] = true
	taken, enough := c.offer(t)
	if taken {
		c.taken = append(c.taken, set)
	}
	return !enough
}

// diagram makes the literals that are true in a state.
type diagram struct {
	model     *interp.Model
	state     interp.State
	variables map[string]*logic.Var // by the name of the element that they denote
}

// point is a symbol at some arguments, with elements and with variables.
type point struct {
	open    *logic.Term
	value   int64
	vars    []*logic.Var
	mutable bool
}

// literals lists the facts: facts over mutable symbols first, positive before negative ones.
func (d *diagram) literals() []literal {
	var positive, negative []literal
	var integers []point
	add := func(holds bool, t *logic.Term, vars []*logic.Var, mutable bool) {
		if holds {
			positive = append(positive, literal{t, vars, mutable})
		} else {
			negative = append(negative, literal{logic.Not(t), vars, mutable})
		}
	}
	for _, p := range d.points() {
		switch sort := p.open.Sort; {
		case sort == logic.Bool:
			add(p.value == 1, p.open, p.vars, p.mutable)
		case sort == logic.Int:
			integers = append(integers, p)
		case sort.Kind == logic.KindEnum:
			add(true, logic.Eq(p.open, logic.Member(sort, int(p.value))), p.vars, p.mutable)
		default:
			v := d.variable(sort, p.value)
			add(true, logic.Eq(p.open, logic.Ref(v)), union(p.vars, []*logic.Var{v}), p.mutable)
		}
	}
	integers = append(integers, point{open: logic.IntLit(0)})
	for i, p := range integers {
		for _, q := range integers[:i] {
			a, b := q, p
			if a.value > b.value {
				a, b = p, q
			}
			vars, mutable := union(p.vars, q.vars), p.mutable || q.mutable
			if a.value == b.value {
				add(true, logic.Eq(a.open, b.open), vars, mutable)
				add(true, logic.Le(b.open, a.open), vars, mutable)
			} else {
				add(true, logic.Lt(a.open, b.open), vars, mutable)
			}
			add(true, logic.Le(a.open, b.open), vars, mutable)
		}
	}
	for _, s := range d.model.System.Sorts {
		if s.Kind != logic.KindUninterpreted {
			continue
		}
		for i := range d.model.Instance.Sizes[s] {
			for j := range i {
				v, w := d.variable(s, int64(j)), d.variable(s, int64(i))
				add(false, logic.Eq(logic.Ref(v), logic.Ref(w)), []*logic.Var{v, w}, false)
			}
		}
	}
	all := append(positive, negative...)
	slices.SortStableFunc(all, func(a, b literal) int { return cmp.Compare(rank(a), rank(b)) })
	return all[:min(len(all), maxAtoms)]
}

// rank orders the literals: mutable ones first, then ones with few variables.
func rank(l literal) int {
	if l.mutable {
		return len(l.vars)
	}
	return maxVariables + len(l.vars)
}

// points lists the symbols at all arguments that are elements or members of enums.
func (d *diagram) points() []point {
	var out []point
	for _, sym := range d.model.System.Symbols {
		tuples := []point{{mutable: sym.Mutable}}
		open := [][]*logic.Term{nil}
		for _, s := range sym.Args {
			n := d.model.Instance.Sizes[s]
			if s.Kind == logic.KindEnum {
				n = len(s.Members)
			}
			var moreTuples []point
			var moreOpen [][]*logic.Term
			for k, p := range tuples {
				for i := range n { // none of the other sorts
					t, q := logic.Member(s, i), p
					if s.Kind == logic.KindUninterpreted {
						v := d.variable(s, int64(i))
						t, q.vars = logic.Ref(v), union(p.vars, []*logic.Var{v})
					}
					moreTuples, moreOpen = append(moreTuples, q),
						append(moreOpen, append(slices.Clone(open[k]), t))
				}
			}
			tuples, open = moreTuples, moreOpen
		}
		if len(tuples) > maxPoints {
			continue
		}
		for k, p := range tuples {
			p.open = logic.App(sym, logic.Pre, open[k]...)
			closed := map[*logic.Var]*logic.Term{}
			for _, v := range p.vars {
				closed[v] = d.element(v)
			}
			v, err := d.model.Eval(logic.Subst(p.open, closed), d.state)
			if err != nil {
				continue // a symbol without a value here gives no fact
			}
			p.value = v
			out = append(out, p)
		}
	}
	return out
}

// variable stands for an element.
func (d *diagram) variable(s *logic.Sort, i int64) *logic.Var {
	key := logic.MemberName(s, int(i))
	if d.variables[key] == nil {
		d.variables[key] = &logic.Var{Name: strings.ToUpper(string([]rune(s.Name)[:1])) +
			strconv.FormatInt(i+1, 10), Sort: s}
	}
	return d.variables[key]
}

func (d *diagram) element(v *logic.Var) *logic.Term {
	for i := range d.model.Instance.Sizes[v.Sort] {
		if d.variables[logic.MemberName(v.Sort, i)] == v {
			return logic.Member(v.Sort, i)
		}
	}
	return logic.Ref(v)
}

func union(a, b []*logic.Var) []*logic.Var {
	out := slices.Clone(a)
	for _, v := range b {
		if !slices.Contains(out, v) {
			out = append(out, v)
		}
	}
	return out
}

// clause states that the literals are never true together. Variables are named in the order in
// which they occur.
func clause(literals []literal) (*logic.Term, bool) {
	var vars []*logic.Var
	mutable := false
	var when, then []*logic.Term
	for _, l := range literals {
		vars, mutable = union(vars, l.vars), mutable || l.mutable
		if l.term.Op == logic.OpNot {
			then = append(then, l.term.Args[0])
		} else {
			when = append(when, l.term)
		}
	}
	if !mutable || len(vars) > maxVariables {
		return nil, false
	}
	if n := len(when); len(then) == 0 && n > 1 {
		when, then = when[:n-1], []*logic.Term{logic.Opposite(when[n-1])}
	}
	body := logic.Implies(logic.And(when...), logic.Or(then...))
	if len(literals) == 1 && len(when) == 1 {
		body = logic.Opposite(when[0])
	}
	names := map[*logic.Var]*logic.Term{}
	var bound []*logic.Var
	number := map[string]int{}
	for _, v := range logic.FreeVars(body) {
		letter := strings.TrimRight(v.Name, "0123456789")
		number[letter]++
		w := &logic.Var{Name: letter + strconv.Itoa(number[letter]), Sort: v.Sort}
		names[v] = logic.Ref(w)
		bound = append(bound, w)
	}
	return logic.Forall(bound, logic.Subst(body, names)), true
}
