// Package induction proves properties of all instances at once, by induction on the length of a
// run.
//
// In: a system. Out: a result for each safety, invariant, range and theorem property and for each
// scenario. The method is Floyd's: a set of formulas is an inductive invariant if it holds in all
// initial states and every action preserves it. There is one proof obligation for each conjunct and
// each action. Properties without a proof are dropped, and the others are checked without them,
// until the rest is inductive: the greatest inductive subset, as in Houdini (Flanagan and Leino,
// FME 2001). A property that fails while all are assumed is not inductive, and comes with a
// counterexample to induction: a state that satisfies all invariants, and a step from it to a state
// that does not.
//
// The verdict `holds` rests on two facts. The hypotheses of an obligation are true in all reachable
// states: they are the axioms, the definitions, the trusted invariants (the user's responsibility)
// and the surviving properties. And a solver said unsat to the hypotheses together with the negated
// conjunct.
package induction

import (
	"context"
	"fmt"
	"slices"

	"erelong.dev/erelong/internal/discharge"
	"erelong.dev/erelong/internal/result"
	"erelong.dev/erelong/internal/system"
)

// Name is the engine's name in results.
const Name = "induct"

// Options are the settings of a proof.
type Options struct {
	discharge.Options
	Only []string // names of the requested properties and scenarios; none means all
	// Induction is the number of consecutive states that satisfy the induction hypothesis; 0 means
	// 1.
	Induction  int
	SimplePath bool // these states are distinct
	// Satisfiable says that an initial state is known to exist in some instance, so that no solver
	// is asked for one.
	Satisfiable bool
	// Unaided says that nobody needs the verdicts of formulas that are tried as a help: where the
	// claims are proved without them, they have no results.
	Unaided bool
	// Raw skips the minimisation of counterexamples.
	Raw bool
	// Draft says that the results only guide a search: when invariants are dropped, a step whose
	// proof did not name them is not asked about again.
	Draft  bool
	Memory Memory // is used, and learns; nil for a new one
}

// Prove checks the properties that induction can prove, the theorems and the scenarios. Liveness
// and temporal properties get no result. The results are in the order of the file. When ctx ends,
// properties without an answer are unknown. An error means that nothing could be started: there is
// no solver, or no solver can read the system.
func Prove(ctx context.Context, sys *system.System, opts Options) ([]result.Result, error) {
	for _, name := range opts.Only {
		if sys.Property(name) == nil && !slices.ContainsFunc(sys.Scenarios, func(
			s *system.Scenario,
		) bool {
			return s.Name == name
		}) {
			return nil, fmt.Errorf("proving %s: there is no property or scenario %q", sys.Name,
				name)
		}
	}
	if err := fit(sys); err != nil {
		return nil, fmt.Errorf("proving %s: %w", sys.Name, err)
	}
	d, err := discharge.New(ctx, sys, opts.Options)
	if err != nil {
		return nil, fmt.Errorf("proving %s: %w", sys.Name, err)
	}
	p := &prover{sys: sys, only: opts.Only, k: max(opts.Induction, 1), simple: opts.SimplePath,
		satisfiable: opts.Satisfiable && len(sys.Folds()) == 0,
		raw:         opts.Raw, draft: opts.Draft, unaided: opts.Unaided, memory: opts.Memory,
		discharger: d}
	if p.memory == nil {
		p.memory = Memory{}
	}
	p.run(ctx)
	return p.results, nil
}

// prover is one call of Prove.
type prover struct {
	sys    *system.System
	only   []string
	k      int // states of the hypothesis
	simple bool
	// satisfiable says that what proofs assume of an initial state is known to have a model. An
	// instance with such a state shows that, unless laws of sums and sizes are assumed, too.
	satisfiable bool
	raw, draft  bool
	unaided     bool
	memory      Memory
	discharger  *discharge.Discharger
	results     []result.Result
}

func (p *prover) wanted(name string) bool {
	return len(p.only) == 0 || slices.Contains(p.only, name)
}

// run proves the three kinds of claims and puts the results in order.
func (p *prover) run(ctx context.Context) {
	byName := map[string]result.Result{}
	for _, rs := range [][]result.Result{p.invariants(ctx), p.theorems(ctx), p.scenarios(ctx)} {
		for _, r := range rs {
			byName[r.Property] = r
		}
	}
	var names []string
	for _, prop := range p.sys.Properties {
		names = append(names, prop.Name)
	}
	for _, s := range p.sys.Scenarios {
		names = append(names, s.Name)
	}
	for _, name := range names {
		if r, ok := byName[name]; ok && p.wanted(name) {
			if r.Verdict == result.Holds {
				r.Assumptions = append(r.Assumptions, p.sys.Finite()...)
			}
			p.results = append(p.results, r)
		}
	}
}

func names(props []*system.Property) []string {
	out := make([]string, len(props))
	for i, prop := range props {
		out[i] = prop.Name
	}
	return out
}

// fit checks the preconditions of the translation: terms are over the allowed states, updates are
// for all arguments, and each action has a relation.
func fit(sys *system.System) error {
	if err := system.Validate(sys); err != nil {
		return err
	}
	for _, a := range sys.Actions {
		if a.Relation == nil {
			return fmt.Errorf("action %s has no relation", a.Name)
		}
	}
	return nil
}
