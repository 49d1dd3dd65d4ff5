package infer

import (
	"cmp"
	"context"
	"fmt"
	"slices"

	"erelong.dev/erelong/internal/discharge"
	"erelong.dev/erelong/internal/effort"
	"erelong.dev/erelong/internal/engine/induction"
	"erelong.dev/erelong/internal/result"
	"erelong.dev/erelong/internal/system"
)

// prover asks package induction whether goals are inductive in all instances.
type prover struct {
	sys       *system.System
	opts      induction.Options
	brief     bool // the search is of a limited effort
	attempts  int64
	undecided map[string][]result.Result // proofs of a brief search
}

// patience says how much is done for a proof.
type patience int

const (
	quick   patience = iota // while lemmas may still be wrong: a low limit for each query
	again                   // the same, and no draft
	patient                 // where quick queries decide too little: all methods, no parts
	full                    // the caller's limits
)

// Limits of the resources of a query while the lemmas may still be wrong. A patient attempt has a
// tenth of patientTimes the caller's limit, where the search itself has none: what is inductive in
// all instances that were asked about is worth it.
const (
	quickLimit   = discharge.DefaultRlimit / 30
	patientTimes = 4
)

// prove asks the induction engine for a proof of all goals together. A short search, which may come
// back to the same goals with a larger vocabulary, does not try the same proof in vain again.
func (p *prover) prove(ctx context.Context, goals []*goal, how patience) ([]result.Result, error) {
	key := fmt.Sprint(how)
	for _, g := range goals {
		key += "\n" + g.label() + ": " + g.term.String()
	}
	if results, ok := p.undecided[key]; ok {
		return results, nil
	}
	opts := p.opts
	opts.Only = nil
	if how != full {
		opts.Raw, opts.Satisfiable, opts.Draft = true, true, how != again
	}
	switch how {
	case quick, again:
		opts.Rlimit, opts.Cache = quickLimit, nil
	case patient: // its answers are dear, so they are kept for the proof at the end
		if !p.brief {
			opts.Rlimit = patientTimes * cmp.Or(opts.Rlimit, discharge.DefaultRlimit)
		}
		opts.Hard = func(_ context.Context, failed bool) string {
			if failed {
				return "it is too hard while its lemmas may still be wrong"
			}
			return ""
		}
	}
	results, err := induction.Prove(ctx, claiming(p.sys, goals), opts)
	if p.brief && err == nil && !proved(results) {
		p.undecided[key] = results
	}
	return results, err
}

// claiming is a system whose only claims are the requested properties and the goals.
func claiming(sys *system.System, goals []*goal) *system.System {
	out := *sys
	out.Properties = nil
	for _, p := range sys.Properties {
		if p.Kind == system.Trusted {
			out.Properties = append(out.Properties, p)
		}
	}
	for _, g := range goals {
		p := cmp.Or(g.property, g.fileInvariant)
		if p == nil {
			p = &system.Property{Name: g.name, Kind: system.Invariant, Term: g.term,
				Span: g.term.Span}
		}
		out.Properties = append(out.Properties, p)
	}
	out.Scenarios, out.Expectations, out.Rankings, out.Fbiis = nil, nil, nil, nil
	return &out
}

// holds reports whether a proof has shown all goals, and nothing else of them.
func holds(goals []*goal, results []result.Result) bool {
	return !slices.ContainsFunc(goals, func(g *goal) bool {
		return !g.provedBy(results) || slices.ContainsFunc(results, func(r result.Result) bool {
			return r.Property == g.label() && r.Verdict != result.Holds
		})
	})
}

func proved(results []result.Result) bool {
	return len(results) > 0 && !slices.ContainsFunc(results, func(r result.Result) bool {
		return r.Verdict != result.Holds
	})
}

// undecided reports whether there is neither a proof nor a counterexample.
func undecided(results []result.Result) bool {
	return some(results, result.Unknown) && !some(results, result.NotInductive)
}

// some reports whether a result has a verdict.
func some(results []result.Result, v result.Verdict) bool {
	return slices.ContainsFunc(results, func(r result.Result) bool { return r.Verdict == v })
}

// finish keeps the lemmas that the proof needs, and reports it. Which are needed is seen on the
// instances, or the solvers name them. It is proved then, but not again where all are needed and
// the results are of a full proof: others do not ask whether there is an initial state.
func (s *search) finish(ctx context.Context, results []result.Result, how patience) {
	s.out.Results, s.out.Lemmas, s.out.Kept = nil, nil, nil
	all := s.goals.all
	var goals []*goal
	if s.linear != nil {
		goals, _ = s.goals.supports(results, s.questions)
	} else {
		goals = s.questions.reduce(ctx, all, true)
	}
	known := how == full && len(goals) == len(all) && holds(goals, results)
	s.goals.rename(goals)
	var err error
	if !known {
		var rs []result.Result
		if rs, err = s.prover.prove(ctx, goals, full); err != nil || !proved(rs) {
			goals = all
			s.goals.rename(goals)
			rs, err = s.prover.prove(ctx, goals, full)
		}
		if ctx.Err() != nil { // what is found needs no more than its proof
			ctx, cancel := effort.Late(ctx, latePartial)
			defer cancel()
			rs, err = s.prover.prove(ctx, goals, full)
		}
		if known = err == nil && proved(rs); err == nil {
			results = rs
		}
	}
	s.goals.all = goals
	s.out.Proved, s.out.Reason = known, result.Reason{}
	for _, r := range results {
		if slices.ContainsFunc(goals, func(g *goal) bool {
			return g.property != nil && g.label() == r.Property
		}) {
			r.Engine = Name
			s.out.Results = append(s.out.Results, r)
		}
	}
	for _, g := range goals {
		switch {
		case g.fileInvariant != nil:
			s.out.Kept = append(s.out.Kept, g.fileInvariant.Name)
		case g.property == nil:
			s.out.Lemmas = append(s.out.Lemmas, Lemma{Name: g.name, Term: g.term, For: g.needs})
		}
	}
}

// latePartial bounds the work of the proof of what was found when a search is ended from outside.
const latePartial = 30 * effort.Million

// leave makes the proof of some properties the outcome, if there is one, and lists the lemmas that
// it proves besides: of the last draft, or, where a search without limits was stuck before any
// draft, of all that it had.
func (s *search) leave(ctx context.Context) error {
	goals := s.drafted
	if !slices.ContainsFunc(goals, (*goal).isLemma) && s.opts.Effort == 0 {
		goals = s.lastGoals
	}
	var results []result.Result
	var err error
	if slices.ContainsFunc(goals, (*goal).isLemma) {
		ctx, cancel := effort.Late(ctx, latePartial)
		defer cancel()
		if results, err = s.prover.prove(ctx, goals, again); err != nil {
			return err
		}
	}
	known := s.part
	if known != nil {
		s.out.Results, s.out.Lemmas, s.out.Kept = known.Results, known.Lemmas, known.Kept
		s.out.Part = true
	}
	for _, g := range goals {
		if g.isLemma() && g.provedBy(results) && (known == nil ||
			!slices.ContainsFunc(known.Lemmas, func(l Lemma) bool { return l.Term == g.term })) {
			s.out.Partial = append(s.out.Partial, Lemma{Name: g.name, Term: g.term, For: g.needs})
		}
	}
	return nil
}
