// Package infer finds inductive invariants.
//
// In: a system, and the properties to prove. Out: lemmas that make them inductive, and the results
// of the induction engine with them; or the open properties. The search is not trusted: package
// induction proves its lemmas.
//
// The method learns from small instances (docs/inference.md). Each step is a type, and a search
// puts them together (search.go):
//
//   - Explore. The reachable states of small instances are the samples (instances.go, samples.go,
//     world.go). Where sorts are of records, such as messages that list votes, some instances have
//     the records that runs use (records.go, runs.go). The claims are looked at in each state
//     (violation.go).
//   - Ask. The questions, one for each instance, are put to a SAT solver: is there a counterexample
//     to induction of the goals (questions.go)? The goals are the properties and the lemmas so far
//     (lemmas.go).
//   - Propose. A candidate is a formula that is false in the counterexample and true in all
//     samples: one of the clauses over the file's own vocabulary (clauses.go, template.go,
//     inner.go, quorums.go, cubes.go), or, where there are integers, a linear bound in a mode of
//     control (linear.go).
//   - Choose. The candidate has to be true in the trials, which are further instances (doubt.go).
//     Inductive candidates come first, then the ones that exclude most counterexamples, then the
//     simplest (clauses.go). The chosen one is a lemma, and a goal itself.
//   - Prove. The prover asks package induction about all instances (proof.go), and the
//     counterexamples give further instances (learn.go).
//   - Take turns. Bounds and clauses have a search each, and a projection onto one element of a
//     sort is searched for bounds first (turns.go, element.go). Integers that a step chooses are
//     sampled from a window (window.go).
//
// Lemmas that are not inductive, and that nothing needs, are left out. If no candidate excludes the
// counterexample of a lemma, the state after the step counts as reachable, with all that follows
// from it: as in Houdini, no inductive set of candidates has one that is false there. If no
// candidate excludes the counterexample of a property, the vocabulary grows, and the other
// properties are tried without this one (apart.go). If the solvers decide nothing, lemmas that
// close a cycle of quantifier alternations are left out (alternation.go). For counterexamples of
// another engine, candidates are chosen as goals (suffice.go).
//
// The ideas come from DistAI and DuoAI (candidates from samples), Endive (lemmas chosen by
// counterexamples to induction), IC3PO (finite instances), and Miné's octagons, whose bounds are
// fitted to tiny instances.
package infer

import (
	"context"
	"fmt"
	"slices"

	"erelong.dev/erelong/internal/engine"
	"erelong.dev/erelong/internal/engine/induction"
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
		bounds := newLinear(sys)
		first := newSearch(sys, opts, bounds)
		first.aim(violations)
		if len(violations) > 0 && !slices.ContainsFunc(first.claims.goals, (*goal).isAsked) {
			return &Outcome{Results: violations, Queries: queries}, nil
		}
		t := turns{first}
		if bounds != nil {
			bounds.wide = bounds.wide && opts.Effort == 0
			inClauses := newSearch(sys, opts, nil)
			inClauses.aim(violations)
			t = append(t, inClauses)
		}
		s, err := t.find(ctx)
		if err != nil {
			return nil, fmt.Errorf("inferring invariants of %s: %w", sys.Name, err)
		}
		for _, s := range t {
			queries += s.out.Queries
		}
		if !s.claims.violated() {
			s.out.Results, s.out.Queries = append(violations, s.out.Results...), queries
			return s.out, nil
		}
		for _, x := range slices.Concat(s.out.Results, s.claims.found) {
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
			s.goals.all = append(s.goals.all, &goal{property: p, term: p.Term})
		case p.Kind == system.Invariant || p.IsImplicit():
			own = append(own, &goal{fileInvariant: p, name: p.Name, term: p.Term})
		}
	}
	s.claims.goals = slices.Clone(s.goals.all)
	s.goals.all = append(s.goals.all, own...)
}
