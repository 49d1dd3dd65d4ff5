package certificate

import (
	"context"
	"slices"

	"erelong.dev/erelong/internal/logic"
	"erelong.dev/erelong/internal/result"
)

// A theory entails what follows from it and from goals that it entails. So a question that has no
// answer is asked again with the goals of the same step that are discharged: after them, so that no
// two goals rest on each other.

// mostLemmas bounds the goals that a question is asked with: a solver reads all of them.
const mostLemmas = 60

// byLemmas asks the open questions about steps with what is discharged of the same step, until that
// discharges no more.
func (r *rechecker) byLemmas(ctx context.Context, x *progress) {
	for again := true; again && ctx.Err() == nil; {
		again = false
		lemmas := x.lemmas()
		found := make([]bool, len(x.questions))
		r.parallel(x.groups(chunk), func(a *asker, indices []int) {
			for _, i := range indices {
				t, ok := x.questions[i].theory.(*theory)
				goals := lemmas[t]
				if !ok || !t.steps() || len(goals) == 0 || len(goals) > mostLemmas {
					continue
				}
				x.ask(ctx, a, i, a.triesWith(t, goals, x.questions[i].goal, x.provers[i]))
				if found[i] = !x.isOpen(i); found[i] {
					r.finish(x.answers[i])
				}
			}
		})
		for _, some := range found {
			again = again || some
		}
	}
}

// lemmas are the goals that are discharged, by their theories.
func (x *progress) lemmas() map[*theory][]*logic.Term {
	out := map[*theory][]*logic.Term{}
	for i, q := range x.questions {
		if t, ok := q.theory.(*theory); ok && x.answers[i].Verdict == result.Holds {
			out[t] = append(out[t], q.goal)
		}
	}
	return out
}

// triesWith are the ways to ask a question with lemmas: by what is known of the state after the
// step alone, and in the whole theory.
func (a *asker) triesWith(t *theory, lemmas []*logic.Term, goal *logic.Term, prover string) []try {
	alone, beside := *t, *t
	alone.updates, alone.terms, alone.claimed, alone.laws = nil, nil, nil, nil
	about := map[symbolCopy]bool{}
	for _, l := range lemmas {
		copiesIn(l, about)
	}
	for _, f := range t.terms {
		if len(copiesIn(f, nil)) == 0 {
			alone.assume(f)
		}
	}
	for _, l := range t.laws {
		if !l.Rare && within(copiesIn(l.Term, nil), about) {
			alone.laws = append(alone.laws, l)
		}
	}
	alone.assume(lemmas...)
	beside.terms = append(t.terms[:len(t.terms):len(t.terms)], lemmas...)
	q := question{theory: &beside}
	q.less = append(append([]premises{&alone}, beside.parts(goal)...), &beside)
	return slices.DeleteFunc(append(a.firstTries(q, prover), a.tries(q, prover)...),
		func(way try) bool { return way.part == nil })
}

// symbolCopy is a symbol in a state.
type symbolCopy struct {
	symbol string
	step   int
}

// copiesIn adds the symbols of a formula that change, in their states.
func copiesIn(t *logic.Term, to map[symbolCopy]bool) map[symbolCopy]bool {
	if to == nil {
		to = map[symbolCopy]bool{}
	}
	for app := range logic.Applications(t) {
		if app.Symbol.Mutable {
			to[symbolCopy{app.Symbol.Name, app.Step}] = true
		}
	}
	return to
}

// within reports whether some copies are among others.
func within(some, others map[symbolCopy]bool) bool {
	for c := range some {
		if !others[c] {
			return false
		}
	}
	return true
}
