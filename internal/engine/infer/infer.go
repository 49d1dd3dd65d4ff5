// Package infer finds inductive invariants.
//
// In: a system, and the properties to prove. Out: lemmas that make them inductive, and the results
// of the induction engine with them; or the open properties. The search is not trusted: package
// induction proves its lemmas.
//
// The method learns from small instances (docs/inference.md):
//
//   - Explore. Their reachable states are the samples (world.go). Where sorts are of records, such
//     as messages that list votes, some instances have the records that runs use (records.go,
//     runs.go).
//   - Ask. On an instance, a SAT solver looks for a counterexample to induction of the goals,
//     action by action (questions.go). The goals are the properties and the lemmas so far.
//   - Propose. A candidate is a formula that is false in the counterexample and true in all
//     samples: a clause over the file's own vocabulary (template.go, inner.go, quorums.go,
//     cubes.go), or, where there are integers, a bound in a mode of control (linear.go).
//   - Choose. The candidate has to be true in further instances, too (doubt.go). Inductive
//     candidates come first, then the ones that exclude most counterexamples, then the simplest
//     (prefer.go). The chosen one is a lemma, and a goal itself (search.go).
//   - Take turns. Bounds and clauses have a search each, and a projection onto one element of a
//     sort is searched for bounds first (turns.go, element.go). Integers that a step chooses are
//     sampled from a window (window.go).
//   - Prove. Package induction proves the goals for all instances, and its counterexamples give
//     further instances (learn.go).
//
// Lemmas that are not inductive, and that nothing needs, are left out (lemmas.go). If no candidate
// excludes the counterexample of a lemma, the state after the step counts as reachable, with all
// that follows from it: as in Houdini, no inductive set of candidates has one that is false there.
// If no candidate excludes the counterexample of a property, the vocabulary grows, and the other
// properties are tried without this one (apart.go). If the solvers decide nothing, lemmas that
// close a cycle of quantifier alternations are left out (alternation.go). For counterexamples of
// another engine, candidates are chosen as goals (suffice.go).
//
// The ideas come from DistAI and DuoAI (candidates from samples), Endive (lemmas chosen by
// counterexamples to induction), IC3PO (finite instances), and Miné's octagons, whose bounds are
// fitted to tiny instances.
package infer

import (
	"cmp"
	"context"
	"fmt"
	"slices"

	"erelong.dev/erelong/internal/discharge"
	"erelong.dev/erelong/internal/engine"
	"erelong.dev/erelong/internal/engine/induction"
	"erelong.dev/erelong/internal/interp"
	"erelong.dev/erelong/internal/result"
	"erelong.dev/erelong/internal/system"
)

// Name is the engine's name in results.
const Name = "infer+induct"

// Options are the settings of a search. The zero value is a good default.
type Options struct {
	induction.Options
	Sink engine.Sink
	// Effort bounds the search, in questions about instances; it tries at most a twentieth as many
	// proofs. 0 means that it goes on until it has found something or has nothing left to try.
	Effort int64
	NoHorn bool // leaves out the solver of Horn clauses
	// NoTotals leaves out the sums and sizes that the system does not have itself: some engines
	// prove nothing next to them.
	NoTotals bool
	// Prefix begins the names of lemmas, so that searches side by side use different ones.
	Prefix string
}

// Lemma is an invariant found by the search.
type Lemma = engine.Lemma

// Outcome is the outcome of a search.
type Outcome struct {
	Lemmas []Lemma
	Kept   []string // the invariants of the file that the proof needs
	// Results are the results of the induction engine for the properties, with the lemmas; none
	// without a proof.
	Results []result.Result
	Proved  bool
	Part    bool          // only some of the properties are proved: the results are about them
	Partial []Lemma       // that are proved, where there is no proof of all properties
	Reason  result.Reason // why there is no proof
	Queries int64         // on instances
}

// Find looks for lemmas that make the properties in Only, or all safety properties, inductive. A
// violated one leaves the others to a search without it. An error means that the search could not
// start.
func Find(ctx context.Context, sys *system.System, opts Options) (*Outcome, error) {
	if err := system.Validate(sys); err != nil {
		return nil, fmt.Errorf("inferring invariants of %s: %w", sys.Name, err)
	}
	if opts.Memory == nil {
		opts.Memory = induction.Memory{}
	}
	return findInParts(ctx, sys, opts)
}

// find is Find for all claims together.
func find(ctx context.Context, sys *system.System, opts Options) (*Outcome, error) {
	var violations []result.Result
	var queries int64
	for {
		first := newSearch(sys, opts)
		first.aim(violations)
		if len(violations) > 0 && !slices.ContainsFunc(first.claims, (*goal).isAsked) {
			return &Outcome{Results: violations, Queries: queries}, nil
		}
		t := &turns{searches: []*search{first}}
		if first.linear = newLinear(sys); first.linear != nil {
			inClauses := newSearch(sys, opts)
			inClauses.aim(violations)
			t.searches = append(t.searches, inClauses)
		}
		s, err := t.find(ctx)
		if err != nil {
			return nil, fmt.Errorf("inferring invariants of %s: %w", sys.Name, err)
		}
		queries += t.queries()
		if !s.violated {
			s.out.Results, s.out.Queries = append(violations, s.out.Results...), queries
			return s.out, nil
		}
		for _, x := range s.out.Results {
			if x.Verdict == result.Violated {
				violations = append(violations, x)
			}
		}
	}
}

// aim makes goals of the properties that are not known to be violated.
func (s *search) aim(violations []result.Result) {
	var own []*goal
	for _, p := range s.sys.Properties {
		asked := len(s.opts.Only) == 0 || slices.Contains(s.opts.Only, p.Name)
		switch {
		case slices.ContainsFunc(violations, func(x result.Result) bool {
			return x.Property == p.Name
		}):
		case p.Kind == system.Range || asked &&
			(p.Kind == system.Safety || p.Kind == system.Argument || p.Kind == system.Defined ||
				p.Kind == system.Invariant && len(s.opts.Only) > 0):
			s.goals = append(s.goals, &goal{property: p, term: p.Term})
		case p.Kind == system.Invariant || p.IsImplicit():
			own = append(own, &goal{fileInvariant: p, name: p.Name, term: p.Term})
		}
	}
	s.claims = slices.Clone(s.goals)
	s.goals = append(s.goals, own...)
}

// isAsked reports whether a goal is a claim of the file, and not one of the language.
func (g *goal) isAsked() bool { return g.property != nil && !g.property.IsImplicit() }

// with is the system whose only claims are the requested properties and the goals.
func (s *search) with(goals []*goal) *system.System {
	out := *s.sys
	out.Properties = nil
	for _, p := range s.sys.Properties {
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
func (s *search) prove(
	ctx context.Context, goals []*goal, how patience,
) ([]result.Result, error) {
	key := fmt.Sprint(how)
	for _, g := range goals {
		key += "\n" + g.label() + ": " + g.term.String()
	}
	if results, ok := s.undecidedProofs[key]; ok {
		return results, nil
	}
	results, err := s.proveOnce(ctx, goals, how)
	if s.opts.Effort > 0 && err == nil && !proved(results) {
		s.undecidedProofs[key] = results
	}
	return results, err
}

func (s *search) proveOnce(
	ctx context.Context, goals []*goal, how patience,
) ([]result.Result, error) {
	opts := s.opts.Options
	opts.Only = nil
	opts.Cores = opts.Cores || s.linear != nil
	if how != full {
		opts.Raw, opts.Satisfiable, opts.Draft = true, true, how != again
	}
	switch how {
	case quick, again:
		opts.Rlimit, opts.Cache = quickLimit, nil
	case patient: // its answers are dear, so they are kept for the proof at the end
		if s.opts.Effort == 0 {
			opts.Rlimit = patientTimes * cmp.Or(opts.Rlimit, discharge.DefaultRlimit)
		}
		opts.Hard = func(_ context.Context, failed bool) string {
			if failed {
				return "it is too hard while its lemmas may still be wrong"
			}
			return ""
		}
	}
	return induction.Prove(ctx, s.with(goals), opts)
}

// sampleOf is the first state of a counterexample to induction.
func (s *search) sampleOf(t *result.Trace) (sample, error) {
	m, state, err := interp.First(s.finite, t)
	if err != nil {
		return sample{}, err
	}
	return sample{newStructure(m), state}, nil
}
