// Package por determines which steps of a finite instance can be put off.
//
// In: a model of package interp, and claims about its states. Out: an Analysis, whose Chooser finds
// for a state a stubborn set of ground actions. A search may take the enabled members of the set
// and put off all other ground actions (Valmari, Stubborn sets for reduced state space generation,
// 1991; Peled, All from one, one for all, 1993; Godefroid, Partial-order methods for the
// verification of concurrent systems, 1996).
//
// A ground action is an action with values for its parameters; its choices stay open. Its code, and
// the trusted properties that it may touch, determine two sets of slots of a state. It may read the
// first: they alone decide whether it is enabled, whether its evaluation fails, and what it writes.
// It may write the second. Two ground actions are dependent when one may write a slot that the
// other may read or write. So independent ground actions neither enable nor disable each other, and
// for any outcomes of both, either order ends in the same state.
//
// A claim is equivalent to the conjunction of its parts. A ground action may mend a part, by making
// it true, or break it, by making it false. The atoms with slots that it writes determine which. If
// a claim may fail to have a value, every ground action that writes a slot of it mends and breaks
// it, since then the order of evaluation matters.
//
// A set T is stubborn in a state if some member is enabled, and
//   - for an enabled member, each dependent ground action is a member;
//   - for an enabled member that may mend a part of a claim, or may break a part and leave a
//     range, each ground action that may break the part is a member;
//   - for a disabled member, each ground action is a member that may write what keeps it from
//     being enabled and from failing.
//
// Let a run b1...bn go on from the state. First, let some bi be in T. The first such bi is enabled
// now: if it were disabled, the steps before it could not enable it, since they are not in T. The
// steps before it are independent of it, so it can be moved to the front. Second, let no bi be in
// T. Then each enabled a in T can be put before the whole run, and is enabled at its end. Hence, if
// only enabled members are taken:
//   - a run to a deadlock has some bi in T, so the deadlock is found;
//   - a step that is taken, or fails, in some reachable state is taken, or fails, in a state that
//     is found, unless it is put off for ever, which the caller must prevent;
//   - a state in which a part of a claim is false is found, too: if a may mend the part, no bi
//     breaks it, and it is false already.
//
// No step goes on from a state outside a range. A step that leaves a range can only end a run, and
// whether it leaves depends on its own outcome alone, so no run is moved to such a state. If the
// leaving step itself is moved to the front, the rest of the run is lost; therefore a part that it
// breaks counts as mended.
package por

import (
	"fmt"
	"slices"

	"erelong.dev/erelong/internal/interp"
	"erelong.dev/erelong/internal/logic"
	"erelong.dev/erelong/internal/system"
)

const (
	maxGround   = 1 << 12 // ground actions, since every pair of them has a bit
	maxSlots    = 1 << 16
	maxGuards   = 1 << 11 // conditions that are evaluated in every state
	maxGuardLen = 1 << 15 // nodes of their terms
)

// Error says why a model cannot be analysed.
type Error struct{ Reason string }

func (e *Error) Error() string { return e.Reason }

// Analysis of a model. It does not change, and may be used by several goroutines.
type Analysis struct {
	// For each action, the number of its first ground action; at the end, the number of all.
	first     []int
	dependent []Set // for each ground action, itself included
	enabling  []Set // for each ground action, the ground actions that may write what it reads
	guards    [][]guard
	terms     []*logic.Term // the terms of guards

	model      *interp.Model
	footprints []Footprint
}

// guard is a condition that is true whenever a ground action is enabled, and whenever it fails
// after the conditions before this one; first says that these cannot fail.
type guard struct {
	term     int // its index in Guards
	enabling Set // the ground actions that may make it true
	first    bool
}

// ground is the result of analysing a ground action.
type ground struct {
	reads, writes Set // sets of slots
	// For each slot that it may write, the new value, if it is always the same.
	becomes map[int]value
	needs   map[int]int64 // values of slots that it needs to be enabled
	leaves  bool          // whether it may write a value outside a declared range
	guards  []condition
}

// condition is a requirement at the start of the code.
type condition struct {
	term    int
	mayFail Set  // slots that earlier conditions which may fail read
	first   bool // whether no earlier condition may fail
}

// change gives the new value of the only slot in a set that a ground action may write.
func (g *ground) change(among Set) (slot int, becomes int64, ok bool) {
	n := 0
	for w, v := range g.writes {
		each(v&among[w], w, func(s int) { n, slot = n+1, s })
	}
	return slot, g.becomes[slot].v, n == 1 && g.becomes[slot].known
}

// New analyses a model. It fails with an *Error when it cannot be analysed, or is too large.
func New(m *interp.Model, claims []*logic.Term) (*Analysis, error) {
	for _, d := range m.System.Derived {
		if d.Body == nil {
			return nil, &Error{fmt.Sprintf("the definition of %s does not give its value",
				d.Symbol)}
		}
	}
	r := newReader(m)
	if r.slots > maxSlots {
		return nil, &Error{fmt.Sprintf("a state has %d values, more than %d", r.slots, maxSlots)}
	}
	a := &Analysis{model: m}
	var all []ground
	trusted := r.trusted()
	terms := &guardTerms{known: map[string]int{}}
	for _, action := range m.System.Actions {
		a.first = append(a.first, len(all))
		domains := make([]domain, len(action.Params))
		count := int64(1)
		for i, p := range action.Params {
			d, ok := r.domain(p.Sort)
			if !ok {
				return nil, &Error{fmt.Sprintf("the instance does not fix the range of "+
					"parameter %s of %s", p, action.Name)}
			}
			domains[i] = d
			if count *= d.n; int64(len(all))+count > maxGround {
				return nil, &Error{fmt.Sprintf("there are more than %d actions with values of "+
					"their parameters", maxGround)}
			}
		}
		for binding := range count {
			r.bind(action.Params, domains, binding)
			g := r.ground(action, trusted, terms)
			all = append(all, g)
			a.footprints = append(a.footprints, Footprint{g.reads, g.writes})
		}
	}
	a.first = append(a.first, len(all))
	a.terms = terms.list
	a.relate(r, all, claims)
	return a, nil
}

// relate finds the dependencies between the ground actions.
func (a *Analysis) relate(r *reader, all []ground, claims []*logic.Term) {
	readers, writers := make([]Set, r.slots), make([]Set, r.slots)
	for s := range r.slots {
		readers[s], writers[s] = newSet(len(all)), newSet(len(all))
	}
	for i, g := range all {
		g.reads.each(func(s int) { readers[s].add(i) })
		g.writes.each(func(s int) { writers[s].add(i) })
	}
	writersOf := func(slots Set) Set {
		out := newSet(len(all))
		slots.each(func(s int) { out.union(writers[s]) })
		return out
	}
	for i, g := range all {
		enabling := writersOf(g.reads)
		dependent := slices.Clone(enabling)
		g.writes.each(func(s int) {
			dependent.union(readers[s])
			dependent.union(writers[s])
		})
		dependent.add(i)
		a.enabling, a.dependent = append(a.enabling, enabling), append(a.dependent, dependent)
	}
	// A writer of a slot that a false guard reads does not enable when it cannot make the guard
	// true.
	r.env = r.env[:0]
	open := make([]Set, len(a.terms))
	for i, t := range a.terms {
		r.begin()
		r.eval(t)
		open[i] = newSet(len(all))
		reads := r.reads
		writersOf(reads).each(func(w int) {
			slot, v, ok := all[w].change(reads)
			if !ok || !r.given(t, slot, v).is(0) {
				open[i].add(w)
			}
		})
	}
	for _, g := range all {
		var guards []guard
		for _, c := range g.guards {
			enabling := writersOf(c.mayFail)
			enabling.union(open[c.term])
			guards = append(guards, guard{c.term, enabling, c.first})
		}
		a.guards = append(a.guards, guards)
	}
	for _, c := range claims {
		a.claim(r, all, writersOf, c)
	}
}

// claim adds the dependencies of a claim.
func (a *Analysis) claim(r *reader, all []ground, writersOf func(Set) Set, claim *logic.Term) {
	r.begin()
	r.eval(claim)
	whole := r.fails // then the order of evaluation matters
	part := func(t *logic.Term) {
		mends, breaks := newSet(len(all)), newSet(len(all))
		r.atom = func(atom *logic.Term, reads Set, sign int) {
			writersOf(reads).each(func(w int) {
				rises, falls := r.direction(&all[w], atom, reads)
				if whole || sign == 0 {
					rises = rises || falls
					falls = rises
				} else if sign < 0 {
					rises, falls = falls, rises
				}
				if rises {
					mends.add(w)
				}
				if falls {
					breaks.add(w)
				}
			})
		}
		r.sign = 1
		r.eval(t)
		r.atom = nil
		for g := range all {
			if mends.Has(g) || breaks.Has(g) && all[g].leaves {
				a.dependent[g].union(breaks)
			}
		}
	}
	r.begin()
	if whole {
		part(claim)
	} else {
		r.parts(claim, part)
	}
}

// direction says whether a ground action may make an atom true or false. The atom reads the given
// slots.
func (r *reader) direction(g *ground, atom *logic.Term, reads Set) (rises, falls bool) {
	slot, becomes, ok := g.change(reads)
	if !ok {
		return true, true
	}
	after := r.given(atom, slot, becomes)
	if needed, ok := g.needs[slot]; ok && after.known && after == r.given(atom, slot, needed) {
		return false, false
	}
	return !after.is(0), !after.is(1)
}

// Ground is the number of an action with the values of its parameters at an index, counted from 0,
// in the lexicographic list of all.
func (a *Analysis) Ground(action, binding int) int { return a.first[action] + binding }

// Guards are closed formulas over one state, whose evaluation cannot fail. Chooser.Choose asks for
// their values.
func (a *Analysis) Guards() []*logic.Term { return a.terms }

// ground analyses an action with the bound values of its parameters.
func (r *reader) ground(action *system.Action, trusted []Set, terms *guardTerms) ground {
	code := action.Code
	g := ground{needs: map[int]int64{}}
	reads, mayFail, first := newSet(r.slots), newSet(r.slots), true
	for len(code) > 0 {
		require, ok := code[0].(system.Require)
		if !ok {
			break
		}
		code = code[1:]
		for _, c := range conjuncts(require.Cond) {
			r.begin()
			v := r.eval(c)
			reads.union(r.reads)
			if r.fails {
				mayFail.union(r.reads)
				first = false
			}
			switch {
			case v.is(0): // never enabled
				return ground{reads: mayFail, writes: newSet(r.slots)}
			case !v.known && !r.fails:
				if i, ok := terms.add(c, action.Params, r); ok {
					g.guards = append(g.guards, condition{i, slices.Clone(mayFail), first})
				}
				if slot, v, ok := r.fixes(c); ok {
					g.needs[slot] = v
				}
			}
		}
	}
	r.begin()
	r.block(code)
	r.reads.union(reads)
	// Trusted properties hold before the step, so only the ones that the step may change matter.
	for _, t := range trusted {
		if t.meets(r.writes) {
			r.reads.union(t)
		}
	}
	g.reads, g.writes, g.becomes, g.leaves = r.reads, r.writes, r.becomes, r.leaves()
	return g
}

func conjuncts(t *logic.Term) []*logic.Term {
	if t.Op == logic.OpAnd {
		return t.Args
	}
	return []*logic.Term{t}
}

// guardTerms collects conditions. Equal conditions with equal values are one term.
type guardTerms struct {
	list  []*logic.Term
	known map[string]int
	size  int
}

func (g *guardTerms) add(c *logic.Term, params []*logic.Var, r *reader) (int, bool) {
	key := fmt.Sprintf("%p", c)
	values := map[*logic.Var]*logic.Term{}
	for _, v := range logic.FreeVars(c) {
		x := r.lookup(v).v
		key += fmt.Sprint(" ", slices.Index(params, v), x)
		values[v] = logic.Literal(v.Sort, x)
	}
	if i, ok := g.known[key]; ok {
		return i, true
	}
	closed := logic.Map(logic.Subst(c, values), func(t *logic.Term) *logic.Term {
		if t.Op == logic.OpApp && t.Step == logic.Post { // nothing has changed yet
			pre := *t
			pre.Step = logic.Pre
			return &pre
		}
		return t
	})
	logic.Walk(closed, func(*logic.Term) bool { g.size++; return true })
	if len(g.list) >= maxGuards || g.size > maxGuardLen {
		return 0, false
	}
	g.known[key] = len(g.list)
	g.list = append(g.list, closed)
	return len(g.list) - 1, true
}
