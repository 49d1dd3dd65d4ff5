package certificate

import (
	"context"
	"slices"

	"erelong.dev/erelong/internal/logic"
	"erelong.dev/erelong/internal/result"
	"erelong.dev/erelong/internal/smt"
	"erelong.dev/erelong/internal/system"
	"erelong.dev/erelong/internal/vc"
)

// A solver makes no induction, and unfolds the definition of a recursive relation without end. So
// a question about such a relation is asked as a step of an induction over a number, too
// (system.ByInduction): in a theory without the definitions, some instances of which the goal
// states. What a step keeps of a relation is a lemma of its own, which is asked about first.

// instead is a part of a theory with another goal in place of the one of the question, which
// follows from it.
type instead struct {
	premises
	goal *logic.Term
}

// keptLaw is a law that is true of a step where the question is answered.
type keptLaw struct {
	of     *system.Derived
	law    system.Law
	theory *theory
	goal   *logic.Term
}

// keeps states what a step may keep of recursive relations.
func (t *theory) keeps(sys *system.System, a *system.Action) {
	place := func(x *logic.Term) *logic.Term { return keep(x, a) }
	for _, d := range sys.Recursive() {
		for _, l := range d.Kept() {
			if goal, of, ok := sys.ByInduction(l.Term); ok {
				t.kept = append(t.kept, keptLaw{d, l.Map(place), t.without(of), place(goal)})
			}
		}
	}
}

// without is the theory without the definitions of some relations, and without what else leads from
// one of their points to another.
func (t *theory) without(ds []*system.Derived) *theory {
	less := *t
	less.kept = nil
	less.terms = slices.DeleteFunc(slices.Clone(t.terms), func(x *logic.Term) bool {
		return vc.Leads(x, ds)
	})
	less.claimed = slices.DeleteFunc(slices.Clone(t.claimed), func(c claimed) bool {
		return vc.Leads(c.term, ds)
	})
	less.laws = slices.DeleteFunc(slices.Clone(t.laws), func(l system.Law) bool {
		return vc.Leads(l.Term, ds)
	})
	return &less
}

// byInduction adds the step of an induction to a question about a conjunct, if there is one. Place
// moves the conjunct to the state where it is claimed.
func (q *question) byInduction(
	sys *system.System, conjunct *logic.Term, t *theory, place func(*logic.Term) *logic.Term,
) {
	if goal, of, ok := sys.ByInduction(conjunct); ok {
		q.less = append(q.less, instead{t.without(of), place(goal)})
	}
}

// keeps asks what the steps keep of recursive relations. What is proved takes the place of the
// definitions in a part of the theory.
func (r *rechecker) keeps(ctx context.Context, x *progress) {
	parts := map[*theory]*theory{}
	for _, q := range x.questions {
		t, ok := q.theory.(*theory)
		if !ok || len(t.kept) == 0 || parts[t] != nil {
			continue
		}
		var of []*system.Derived
		var laws []system.Law
		for _, k := range t.kept {
			if r.isKept(ctx, k) {
				of, laws = append(of, k.of), append(laws, k.law)
			}
		}
		parts[t] = t
		if len(laws) > 0 {
			parts[t] = t.without(of)
			parts[t].laws = append(parts[t].laws, laws...)
		}
	}
	for i := range x.questions {
		q := &x.questions[i]
		if t, ok := q.theory.(*theory); ok && parts[t] != nil && parts[t] != t {
			q.less = append(q.less, parts[t])
			if core := x.cores[i]; core != nil {
				q.less = append(q.less, parts[t].needing(core))
			}
		}
	}
}

// isKept reports whether a law is true of a step.
func (r *rechecker) isKept(ctx context.Context, k keptLaw) bool {
	a := &asker{opts: r.opts, sessions: map[sessionKey]*smt.Session{}, quick: true}
	defer a.close()
	q := question{Obligation: Obligation{Name: "what is in " + k.of.Symbol.Name + " stays in it"},
		theory: k.theory, goal: k.goal}
	ways := append(a.firstTries(q, noSolver), a.tries(q, noSolver)...)
	return a.settle(ctx, q, noSolver, 0, ways).Verdict == result.Holds
}
