package infer

import (
	"context"
	"errors"
	"fmt"

	"erelong.dev/erelong/internal/effort"
	"erelong.dev/erelong/internal/logic"
	"erelong.dev/erelong/internal/result"
	"erelong.dev/erelong/internal/system"
)

// turns are searches for the same goals, each with its own vocabulary: where there are integers,
// bounds between them, and clauses. Each is tried briefly before one of them is tried to its end,
// so that none keeps another one from a proof that is near.
type turns []*search

// Efforts of searches that come before others. Questions about elements take a fraction of the time
// of ones about integers, so elements in the place of integers get more of them.
const (
	shortSearch  = 300
	longerSearch = 10 * shortSearch
)

// capped is an effort up to a whole one; 0 is one without a limit.
func capped(most, whole int64) int64 {
	if whole == 0 {
		return most
	}
	return min(most, whole)
}

// find gives the search that found a proof or a violation, or else the one that found most. First
// a solver of Horn clauses is asked briefly; it has time when short searches are over.
func (t turns) find(ctx context.Context) (*search, error) {
	first := t[0]
	defer func() {
		for _, s := range t {
			s.close()
		}
	}()
	done, err := t.decide(ctx)
	switch {
	case err != nil && ctx.Err() != nil:
		first.out.Reason = result.Over(ctx)
	case err != nil:
		return nil, err
	case done != nil:
		return done, nil
	}
	for _, s := range t {
		if err := s.leave(ctx); err != nil {
			return nil, fmt.Errorf("proving the lemmas that were found: %w", err)
		}
	}
	best := first
	for _, s := range t[1:] {
		if s.out.Part && !best.out.Part ||
			s.out.Part == best.out.Part && len(s.out.Partial) > len(best.out.Partial) {
			best = s
		}
	}
	return best, nil
}

// decide gives the search that found a proof or a violation, nil if none did.
func (t turns) decide(ctx context.Context) (*search, error) {
	first := t[0]
	if err := first.claims.refute(ctx, first.opts); first.claims.violated() || err != nil {
		return first, err
	}
	brief, long := hornAttempts[:2], hornAttempts[2:]
	whole := first.opts.Effort
	if whole > 0 {
		long = long[:1]
	}
	hasClauses, done, err := first.horn(ctx, brief)
	if done || err != nil {
		return first, err
	}
	others := abstractions(first)
	for _, o := range others {
		if done, err := first.of(ctx, o, capped(o.effort, whole)); done || err != nil {
			return first, err
		}
	}
	last := t[len(t)-1] // for clauses
	if violated, err := last.begun(ctx); violated || err != nil {
		return last, err
	}
	counting := last.totals()
	efforts := []int64{whole}
	if hasClauses || len(t) > 1 || len(others) > 0 || counting != nil {
		efforts = []int64{capped(shortSearch, whole), whole}
	}
	for i, most := range efforts {
		for _, s := range t {
			if done, err := s.turn(ctx, most); done || s.claims.violated() || err != nil {
				return s, err
			}
		}
		if i > 0 {
			break
		}
		if last.counted(ctx, counting, capped(longerSearch, whole)) {
			return last, nil
		}
		if hasClauses {
			if _, done, err := first.horn(ctx, long); done || err != nil {
				return first, err
			}
		}
	}
	for _, o := range others { // there may be no end of lemmas, and none that helps
		if done, err := first.of(ctx, o, whole); done || err != nil {
			return first, err
		}
	}
	if last.counted(ctx, counting, whole) {
		return last, nil
	}
	return nil, nil
}

// turn searches from the smallest vocabulary on, with a new effort. Done means that there is a
// proof, a violation, or nothing to prove.
func (s *search) turn(ctx context.Context, most int64) (done bool, err error) {
	again := s.level > 0 || s.questions.asked+s.prover.attempts > 0
	if done, err := s.begun(ctx); done || err != nil || s.unexplored {
		return done, err
	}
	if again {
		s.restart()
		s.questions.asked, s.prover.attempts = 0, 0
	}
	s.opts.Effort, s.prover.brief = most, most > 0
	return s.grown(ctx)
}

// begun explores small instances, if this is not done. Done means that a property is violated.
func (s *search) begun(ctx context.Context) (done bool, err error) {
	if s.unexplored || len(s.samples.worlds) > 0 {
		return false, nil
	}
	err = s.samples.sample(ctx, s.linear)
	if s.unexplored = errors.Is(err, errUnexplored); s.unexplored {
		s.out.Reason = result.Because(result.Unsupported, err.Error())
		return false, nil
	}
	if err != nil || s.claims.violated() {
		return s.claims.violated(), err
	}
	s.questions.probe(ctx, 4, 4)
	return false, nil
}

// abstraction is a system with fewer states, in which there is a step for each step of another one.
type abstraction struct {
	what   string
	effort int64 // that comes before other searches
	sys    *system.System
	lift   func(*logic.Term) *logic.Term // a formula about it as one about the other system
	// partial says that it has only some of the claims. Its lemmas may do for them and not for all.
	partial bool
}

func abstractions(s *search) (out []abstraction) {
	if p := newElement(s.sys, s.claims.goals); p != nil {
		out = append(out, abstraction{what: fmt.Sprintf("one %s alone", p.sort),
			effort: shortSearch, sys: p.sys, lift: p.lift})
	}
	if o := newOrderOnly(s.sys, s.claims.goals); o != nil {
		out = append(out, abstraction{what: "integers as elements in order",
			effort: longerSearch, sys: o.sys, lift: o.lift, partial: o.partial})
	}
	return out
}

// of proves the properties with lemmas about an abstraction. Where these are about some of the
// properties, and do not do for all, the search for the others begins with them.
func (s *search) of(ctx context.Context, a abstraction, most int64) (bool, error) {
	opts := s.opts
	opts.Effort, opts.Only = most, nil
	s.note("%s", a.what)
	try, ended := effort.Begin(ctx, a.what)
	defer ended()
	out, err := Find(try, a.sys, opts)
	if err != nil || !out.Proved {
		return false, nil // the search goes on without it
	}
	var lemmas []*logic.Term
	for _, l := range out.Lemmas {
		lemmas = append(lemmas, a.lift(l.Term))
	}
	done, err := s.solved(ctx, lemmas)
	if !done && err == nil && a.partial {
		s.goals.adopt(lemmas, s.claims.goals[0])
	}
	return done, err
}
