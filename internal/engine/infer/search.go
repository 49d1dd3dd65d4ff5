package infer

import (
	"context"
	"fmt"
	"slices"

	"erelong/internal/engine/bmc"
	"erelong/internal/interp"
	"erelong/internal/logic"
	"erelong/internal/system"
	"erelong/internal/verdict"
)

// goal is a formula that has to be inductive together with the others: a property, or a lemma.
type goal struct {
	property *system.Property // nil for a lemma
	own      *system.Property // of a lemma that is an invariant of the file
	name     string           // of a lemma
	term     *logic.Term
	from     *candidate
	needs    string // the goal for which a lemma was chosen
}

func (g *goal) label() string {
	if g.property != nil {
		return g.property.Name
	}
	return g.name
}

// search is one call of Find.
type search struct {
	sys  *system.System
	opts Options
	out  *Outcome

	samples   []sample
	instances []*system.Instance // from small to large, for questions without quantifiers
	level     int
	templates []*template
	banned    map[string]bool // terms of candidates that did not work out
	goals     []*goal
	lemmas    int
}

// batch is how many counterexamples are collected before a lemma is chosen.
const batch = 6

// levels are the vocabularies that are tried, one after the other.
var levels = []struct {
	vars, literals int
	inner          bool
}{
	{2, 3, false}, {3, 3, false}, {3, 2, true}, {4, 3, false}, {4, 3, true}, {5, 3, true},
}

func (s *search) note(format string, args ...any) {
	if s.opts.Progress != nil {
		s.opts.Progress(fmt.Sprintf(format, args...))
	}
}

func (s *search) run(ctx context.Context) error {
	if broken, err := s.refute(ctx); broken || err != nil {
		return err
	}
	if err := s.sample(ctx); err != nil {
		return err
	}
	for s.level = 0; s.level < len(levels); s.level++ {
		s.grow(ctx)
		done, err := s.attempt(ctx)
		if err != nil || done {
			return err
		}
		if s.out.Reason = interrupted(ctx); s.out.Reason != "" {
			return nil
		}
		s.restart()
	}
	return nil
}

// restart drops the lemmas and tries again what did not work out with a smaller vocabulary.
func (s *search) restart() {
	s.goals = slices.DeleteFunc(s.goals, func(g *goal) bool { return g.property == nil && g.own == nil })
	clear(s.banned)
}

// perInstance bounds the states that are sampled in one instance.
const perInstance = 1200

// small lists instances in which all sorts have the same size, and those of the file where a system needs values that only a person
// can choose.
func (s *search) small(sizes ...int) (out []*system.Instance) {
	for _, n := range sizes {
		inst := &system.Instance{Name: fmt.Sprintf("size %d", n), Sizes: map[*logic.Sort]int{}, Values: map[*logic.Symbol]*logic.Term{}}
		for _, sort := range s.sys.Sorts {
			if sort.Kind == logic.KindUninterpreted {
				inst.Sizes[sort] = n
			}
		}
		if _, err := interp.NewModel(s.sys, inst); err == nil {
			out = append(out, inst)
		}
	}
	if len(out) == 0 {
		return s.sys.Instances
	}
	return out
}

// sample walks through small instances.
func (s *search) sample(ctx context.Context) error {
	var last error
	var each [][]sample
	for i, inst := range s.small(2, 3, 4) {
		m, err := interp.NewModel(s.sys, inst)
		if err != nil {
			last = err
			continue
		}
		found, err := walk(ctx, newStructure(m), perInstance, int64(i))
		if err != nil {
			last = err
			continue
		}
		s.note("%s: %d states", inst.Name, len(found))
		each = append(each, found)
		if len(s.instances) < 2 {
			s.instances = append(s.instances, inst)
		}
	}
	for i := 0; i < perInstance; i++ { // in turn, so that all sizes are seen early
		for _, found := range each {
			if i < len(found) {
				s.samples = append(s.samples, found[i])
			}
		}
	}
	if len(s.samples) == 0 && last != nil {
		return last
	}
	return ctx.Err()
}

// grow makes the templates of the next vocabulary, whose candidates are enumerated when they are needed.
func (s *search) grow(ctx context.Context) {
	l := levels[s.level]
	v := &vocabulary{sys: s.sys, orders: s.findOrders(), inner: l.inner}
	for _, g := range s.goals {
		v.claims = append(v.claims, g.term)
	}
	v.mine()
	s.templates = nil
	for n := 0; n <= l.vars; n++ {
		s.templates = append(s.templates, v.templates(n)...)
	}
	for _, t := range s.templates {
		if ctx.Err() != nil {
			return
		}
		t.enumerate(ctx, s.samples, l.literals)
		s.note("%v: %d atoms, %d rows, %d candidates", t.vars, len(t.atoms), len(t.pool.rows), len(t.pool.candidates))
	}
}

// findOrders looks for relations that are a total order in every sample.
func (s *search) findOrders() map[*logic.Sort]*logic.Symbol {
	out := map[*logic.Sort]*logic.Symbol{}
	for _, sym := range s.sys.Symbols {
		if sym.Mutable || sym.Result != logic.Bool || len(sym.Args) != 2 || sym.Args[0] != sym.Args[1] || out[sym.Args[0]] != nil ||
			sym.Args[0].Kind != logic.KindUninterpreted {
			continue
		}
		if !slices.ContainsFunc(s.samples, func(x sample) bool { return !x.orders(sym) }) {
			out[sym.Args[0]] = sym
		}
	}
	return out
}

// orders reports whether a relation is a total order.
func (s sample) orders(sym *logic.Symbol) bool {
	n, from := s.domain(sym.Args[0]).n, s.tables[sym].offset
	le := func(a, b int64) bool { return s.state[from+int(a*n+b)] == 1 }
	for a := range n {
		for b := range n {
			if a != b && le(a, b) == le(b, a) {
				return false
			}
			for c := range n {
				if a != b && b != c && a != c && le(a, b) && le(b, c) && !le(a, c) {
					return false
				}
			}
		}
	}
	return true
}

// attempt searches with the vocabulary of now. Done means that there is a proof.
func (s *search) attempt(ctx context.Context) (done bool, err error) {
	for _, inst := range s.instances {
		ok, err := s.onInstance(ctx, inst)
		if err != nil || !ok {
			return false, err
		}
	}
	for ctx.Err() == nil {
		results, err := s.prove(ctx, s.goals)
		if err != nil {
			return false, err
		}
		stuck, changed, err := s.learn(results)
		switch {
		case err != nil || stuck:
			return false, err
		case !changed:
			s.finish(ctx, results)
			return s.out.Proved, nil
		}
		for _, inst := range s.instances {
			if ok, err := s.onInstance(ctx, inst); err != nil || !ok {
				return false, err
			}
		}
	}
	return false, nil
}

// learn excludes the counterexamples of a proof for all instances, or drops what is not inductive.
func (s *search) learn(results []verdict.Result) (stuck, changed bool, err error) {
	for _, r := range results {
		i := slices.IndexFunc(s.goals, func(g *goal) bool { return g.label() == r.Property })
		if i < 0 || r.Verdict == verdict.Holds {
			continue
		}
		g := s.goals[i]
		if r.Trace != nil && len(r.Trace.Steps) == 2 {
			x, err := s.sampleOf(r.Trace)
			if err != nil {
				return false, false, err
			}
			if c := s.choose([]sample{x}); c != nil {
				s.add(c, g)
				return false, true, nil
			}
		}
		if g.property != nil {
			s.out.Reason = fmt.Sprintf("%s: %s, and nothing that is known excludes the counterexample", g.label(), r.Verdict)
			if r.Trace == nil && r.Reason != "" {
				s.out.Reason = g.label() + ": " + r.Reason
				if r.Verdict == verdict.Unknown {
					continue // it needs another goal, which comes
				}
			}
			stuck = true
			continue
		}
		s.drop(i)
		return false, true, nil
	}
	return stuck, false, nil
}

// onInstance adds lemmas until all goals are inductive on an instance. It gives false when a property's counterexample is excluded
// by nothing.
func (s *search) onInstance(ctx context.Context, inst *system.Instance) (bool, error) {
	ind, err := bmc.NewInduction(ctx, s.sys, inst, bmc.Options{Options: s.opts.Options.Options})
	if err != nil {
		return true, nil // the proof for all instances has to do without
	}
	defer func() {
		s.out.Queries += ind.Queries
		ind.Close()
	}()
	of := newStructure(ind.Model())
	for i := 0; i < len(s.goals); {
		if ctx.Err() != nil {
			return false, nil
		}
		g := s.goals[i]
		var assumed []*logic.Term
		for _, g := range s.goals {
			assumed = append(assumed, g.term)
		}
		var ctis []sample
		var avoid []interp.State
		for len(ctis) < batch {
			pre, _, found, err := ind.Counterexample(ctx, assumed, g.term, avoid)
			if err != nil {
				return false, err
			}
			if !found {
				break
			}
			ctis = append(ctis, sample{of, pre})
			avoid = append(avoid, pre)
		}
		if len(ctis) == 0 {
			i++
			continue
		}
		if c := s.choose(ctis); c != nil {
			s.add(c, g)
			continue
		}
		if g.property != nil {
			s.out.Reason = fmt.Sprintf("no candidate excludes a counterexample to induction of %s", g.label())
			return false, nil
		}
		s.drop(i)
		i = 0 // what was shown with its help must be shown again
	}
	s.note("%s: inductive with %d lemmas", inst.Name, len(s.goals))
	return true, nil
}

// choose finds the candidate that excludes most counterexamples, the first among them surely; among equals the simplest.
func (s *search) choose(ctis []sample) (best *candidate) {
	most := 0
	for _, t := range s.templates {
		for _, c := range t.pool.candidates {
			if s.banned[c.term.String()] || best != nil && most == len(ctis) && c.cost >= best.cost || !c.excludes(ctis[0]) {
				continue
			}
			n := 1
			for _, x := range ctis[1:] {
				if c.excludes(x) {
					n++
				}
			}
			if n > most || n == most && c.cost < best.cost {
				best, most = c, n
			}
		}
	}
	return best
}

func (s *search) add(c *candidate, g *goal) {
	lemma := &goal{name: s.newName(), term: c.term, from: c, needs: g.label()}
	s.note("%s for %s: %s", lemma.name, g.label(), c.term)
	s.goals = append(s.goals, lemma)
}

// newName gives a lemma a name that the file does not have.
func (s *search) newName() string {
	for {
		s.lemmas++
		name := fmt.Sprintf("lemma%d", s.lemmas)
		if s.sys.Property(name) == nil && !slices.ContainsFunc(s.sys.Symbols, func(sym *logic.Symbol) bool { return sym.Name == name }) {
			return name
		}
	}
}

func (s *search) drop(i int) {
	g := s.goals[i]
	s.note("drop %s: %s", g.name, g.term)
	s.banned[g.term.String()] = true
	s.goals = slices.Delete(s.goals, i, i+1)
}

// finish keeps the lemmas that the proof needs, and reports it. Which are needed is seen on the largest instance, and proved at once.
func (s *search) finish(ctx context.Context, results []verdict.Result) {
	goals := s.goals
	if fewer := s.needed(ctx); len(fewer) < len(goals) {
		if rs, err := s.prove(ctx, fewer); err == nil && proved(rs) {
			goals, results = fewer, rs
		}
	}
	s.goals = goals
	s.out.Proved, s.out.Reason = proved(results), ""
	for _, r := range results {
		if slices.ContainsFunc(goals, func(g *goal) bool { return g.property != nil && g.label() == r.Property }) {
			r.Engine = Engine
			s.out.Results = append(s.out.Results, r)
		}
	}
	for _, g := range goals {
		switch {
		case g.own != nil:
			s.out.Kept = append(s.out.Kept, g.own.Name)
		case g.property == nil:
			s.out.Lemmas = append(s.out.Lemmas, Lemma{Name: g.name, Term: g.term, For: g.needs})
		}
	}
}

// needed leaves out one lemma after the other as long as the goals are inductive on the largest instance.
func (s *search) needed(ctx context.Context) []*goal {
	goals := s.goals
	if len(s.instances) == 0 {
		return goals
	}
	ind, err := bmc.NewInduction(ctx, s.sys, s.instances[len(s.instances)-1], bmc.Options{Options: s.opts.Options.Options})
	if err != nil {
		return goals
	}
	defer ind.Close()
	for i := len(goals) - 1; i >= 0; i-- {
		if goals[i].property != nil {
			continue
		}
		fewer := slices.Delete(slices.Clone(goals), i, i+1)
		var assumed []*logic.Term
		for _, g := range fewer {
			assumed = append(assumed, g.term)
		}
		if !slices.ContainsFunc(fewer, func(g *goal) bool {
			_, _, found, err := ind.Counterexample(ctx, assumed, g.term, nil)
			return found || err != nil
		}) {
			goals = fewer
		}
	}
	s.out.Queries += ind.Queries
	return goals
}

func proved(results []verdict.Result) bool {
	return len(results) > 0 && !slices.ContainsFunc(results, func(r verdict.Result) bool { return r.Verdict != verdict.Holds })
}
