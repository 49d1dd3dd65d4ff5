package infer

import (
	"fmt"
	"slices"

	"erelong.dev/erelong/internal/logic"
	"erelong.dev/erelong/internal/result"
	"erelong.dev/erelong/internal/system"
	"erelong.dev/erelong/internal/vc"
)

// goal is a formula that has to be inductive together with the others: a property, or a lemma.
type goal struct {
	property        *system.Property // nil for a lemma
	fileInvariant   *system.Property // of a lemma that is an invariant of the file
	name            string           // of a lemma
	term            *logic.Term
	from            *candidate
	needs           string // the goal for which a lemma was chosen
	premise         []int  // of linear: literals of the property for which it is needed
	beyondInstances bool   // of a lemma: its counterexample is in none of the instances
}

func (g *goal) label() string {
	if g.property != nil {
		return g.property.Name
	}
	return g.name
}

// formulas are the terms of goals.
func formulas(goals []*goal) (out []*logic.Term) {
	for _, g := range goals {
		out = append(out, g.term)
	}
	return out
}

// isAsked reports whether a goal is a claim of the file, and not one of the language.
func (g *goal) isAsked() bool { return g.property != nil && !g.property.IsImplicit() }

func (g *goal) isLemma() bool { return g.property == nil && g.fileInvariant == nil }

func keep(goals []*goal, needed func(*goal) bool) (out []*goal) {
	for _, g := range goals {
		if needed(g) {
			out = append(out, g)
		}
	}
	return out
}

// cost is higher for a more complicated lemma; the invariants of the file have none.
func (g *goal) cost() int {
	if g.from == nil {
		return 0
	}
	return g.from.cost
}

// provedBy reports whether a goal is among what a proof has shown.
func (g *goal) provedBy(results []result.Result) bool {
	return slices.ContainsFunc(results, func(r result.Result) bool {
		return r.Property == g.label() && r.Verdict == result.Holds
	})
}

// goals are what has to be inductive now: the properties, and the lemmas for them.
type goals struct {
	sys      *system.System
	prefix   string // of the names of lemmas
	note     func(format string, args ...any)
	all      []*goal
	rejected map[string]bool // terms of candidates that did not work out
	// For which goal each lemma was found, by their names; also for dropped lemmas.
	needs   map[string]string
	named   int // how many lemmas have got a name
	changes int // how often a lemma was added or dropped
}

// add makes a candidate a lemma for a goal.
func (l *goals) add(c *candidate, g *goal) *goal {
	l.changes++
	lemma := &goal{name: l.newName(), term: c.term, from: c, needs: g.label(),
		premise: g.premise}
	l.needs[lemma.name] = lemma.needs
	l.note("%s for %s: %s", lemma.name, g.label(), c.term)
	l.all = append(l.all, lemma)
	return lemma
}

// drop gives a lemma up.
func (l *goals) drop(i int) {
	l.changes++
	g := l.all[i]
	l.note("drop %s: %s", g.name, g.term)
	l.rejected[g.term.String()] = true
	l.all = slices.Delete(l.all, i, i+1)
}

// adopt makes lemmas of formulas for a goal.
func (l *goals) adopt(lemmas []*logic.Term, of *goal) {
	for _, t := range lemmas {
		g := &goal{name: l.newName(), term: t, needs: of.label()}
		l.needs[g.name] = g.needs
		l.all = append(l.all, g)
	}
}

// refuted drops the lemmas that are false in a sample of some worlds.
func (l *goals) refuted(worlds []*world) (some bool) {
	for i := len(l.all) - 1; i >= 0; i-- {
		c := l.all[i].from
		if c != nil && c.form != nil && slices.ContainsFunc(worlds, func(w *world) bool {
			return c.falseIn(c.form.view(w))
		}) {
			l.drop(i)
			some = true
		}
	}
	return some
}

// settled drops the lemmas that a proof of all properties does not need.
func (l *goals) settled(results []result.Result) bool {
	for _, r := range results {
		if r.Verdict != result.Holds && slices.ContainsFunc(l.all, func(g *goal) bool {
			return g.property != nil && g.label() == r.Property
		}) {
			return false
		}
	}
	l.all = slices.DeleteFunc(l.all, func(g *goal) bool {
		return g.property == nil && !g.provedBy(results)
	})
	return true
}

// supports are the properties with the lemmas on which their proofs rest, directly or not: by the
// hypotheses that the solvers named, or else by what the instances need, or else all. Named says
// that solvers named all hypotheses.
func (l *goals) supports(results []result.Result, q *questions) (used []*goal, named bool) {
	owner, of := map[string]*goal{}, map[*logic.Term]*goal{}
	for _, g := range l.all {
		of[g.term] = g
		for _, h := range vc.ConjunctNames(g.label(), g.term) {
			owner[h] = g
		}
	}
	used, named = keep(l.all, func(g *goal) bool { return g.property != nil }), true
	for i := 0; i < len(used); i++ {
		use := func(g *goal) {
			if g == nil || slices.Contains(used, g) {
				return
			}
			if g.property == nil {
				g.needs = used[i].label()
				l.needs[g.name] = g.needs
			}
			used = append(used, g)
		}
		for _, r := range results {
			if r.Property != used[i].label() || r.Evidence == nil {
				continue
			}
			needs, known := r.Evidence.Needs()
			core, asked := q.core(used[i].term)
			if !known && !asked {
				return l.all, false
			}
			for _, h := range needs {
				use(owner[h])
			}
			if named = named && known; !known {
				for _, t := range core {
					use(of[t])
				}
			}
		}
	}
	return used, named
}

// rename numbers the lemmas from 1. What a lemma was found for may be gone: then it is for what
// that was found for.
func (l *goals) rename(goals []*goal) {
	var names []string
	for _, g := range goals {
		for n := 0; g.property == nil && !slices.ContainsFunc(goals, func(x *goal) bool {
			return x.label() == g.needs
		}); n++ {
			// such as that of an invariant of the file
			if g.needs = l.needs[g.needs]; g.needs == "" || n > len(l.needs) {
				g.needs = goals[0].label()
			}
		}
		names = append(names, g.label())
	}
	l.named = 0
	for _, g := range goals {
		if g.isLemma() {
			g.name = l.newName()
		}
	}
	for _, g := range goals {
		if i := slices.Index(names, g.needs); i >= 0 {
			g.needs = goals[i].label()
		}
	}
	l.needs = map[string]string{}
	for _, g := range goals {
		l.needs[g.name] = g.needs
	}
}

// distinguish gives new names to the lemmas that are no goals now, since a proof numbers its lemmas
// anew. Names has the names before.
func (l *goals) distinguish(all []*goal, names map[*goal]string) {
	now := map[string]string{}
	for _, g := range all {
		if g.isLemma() && !slices.Contains(l.all, g) {
			g.name = l.newName()
		}
		if old, ok := names[g]; ok {
			now[old] = g.label()
		}
	}
	for _, g := range all {
		if slices.Contains(l.all, g) {
			continue
		}
		if label, ok := now[g.needs]; ok {
			g.needs = label
		}
		if g.property == nil {
			l.needs[g.name] = g.needs
		}
	}
}

// newName gives a lemma an unused name.
func (l *goals) newName() string {
	for {
		l.named++
		name := fmt.Sprintf("%slemma%d", l.prefix, l.named)
		if l.sys.Property(name) == nil && !isTaken(l.sys, name) {
			return name
		}
	}
}
