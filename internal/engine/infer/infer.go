// Package infer finds inductive invariants.
//
// In: a system, and the properties that are to be proved. Out: lemmas with which they are inductive, and the results of the
// induction engine with them; or what is left. Nothing that is found here is believed: package induct proves it.
//
// The method: random walks in small instances give samples of reachable states. Candidates are the clauses over the file's own
// vocabulary (template.go) that are true in all samples (pool.go). Then, property-directed: a counterexample to induction
// on a small instance is asked for, and of the candidates that exclude it the one is taken that excludes most of a few such
// counterexamples, and is simplest; it becomes a goal itself (search.go). A candidate whose own counterexample nothing excludes is
// dropped. The vocabulary grows when a property's counterexample is excluded by nothing. The ideas are those of
// DistAI and DuoAI (candidates from samples), Endive (lemmas chosen by counterexamples to induction) and IC3PO (finite instances).
package infer

import (
	"cmp"
	"context"
	"fmt"
	"slices"

	"erelong/internal/engine"
	"erelong/internal/engine/bmc"
	"erelong/internal/engine/induct"
	"erelong/internal/interp"
	"erelong/internal/system"
	"erelong/internal/verdict"
)

// Name is the engine's name in results.
const Name = "infer+induct"

// Options are the settings of a search. The zero value is a good choice.
type Options struct {
	induct.Options
	Sink engine.Sink
}

// Lemma is an invariant that was found.
type Lemma = engine.Lemma

// Outcome is what a search found.
type Outcome struct {
	Lemmas []Lemma
	Kept   []string // the invariants of the file that the proof needs
	// Results are those of the induction engine for the properties, with the lemmas; none if there was no proof.
	Results []verdict.Result
	Proved  bool
	Reason  verdict.Reason // why there is no proof
	Queries int64          // about instances
}

// Find looks for lemmas with which the properties that Only names, or all safety properties, are inductive. The error says that
// nothing could be started.
func Find(ctx context.Context, sys *system.System, opts Options) (*Outcome, error) {
	if err := system.Validate(sys); err != nil {
		return nil, fmt.Errorf("inferring invariants of %s: %w", sys.Name, err)
	}
	s := &search{sys: sys, opts: opts, out: &Outcome{}, banned: map[string]bool{}, shapes: map[string]int{},
		ground: map[*system.Instance]*bmc.Induction{}, known: map[*system.Instance][]*transition{}, expanders: map[*structure]*expander{}}
	var own []*goal
	for _, p := range sys.Properties {
		if p.Kind == system.Range || p.Kind == system.Safety && (len(opts.Only) == 0 || slices.Contains(opts.Only, p.Name)) ||
			p.Kind == system.Invariant && slices.Contains(opts.Only, p.Name) {
			s.goals = append(s.goals, &goal{property: p, term: p.Term})
		} else if p.Kind == system.Invariant {
			own = append(own, &goal{own: p, name: p.Name, term: p.Term})
		}
	}
	s.goals = append(s.goals, own...)
	if err := s.run(ctx); err != nil {
		return nil, fmt.Errorf("inferring invariants of %s: %w", sys.Name, err)
	}
	return s.out, nil
}

// with is the system with the goals as its only invariants beside the properties asked for.
func (s *search) with(goals []*goal) *system.System {
	out := *s.sys
	out.Properties = nil
	for _, p := range s.sys.Properties {
		if p.Kind == system.Trusted || p.Kind == system.Theorem {
			out.Properties = append(out.Properties, p)
		}
	}
	for _, g := range goals {
		p := cmp.Or(g.property, g.own)
		if p == nil {
			p = &system.Property{Name: g.name, Kind: system.Invariant, Term: g.term, Span: g.term.Span}
		}
		out.Properties = append(out.Properties, p)
	}
	out.Scenarios, out.Expectations, out.Rankings, out.Fbiis = nil, nil, nil, nil
	return &out
}

// prove asks the induction engine for a proof of all goals together. Limit bounds the resources of a query; 0 is for what the
// caller has asked for.
func (s *search) prove(ctx context.Context, goals []*goal, limit int64) ([]verdict.Result, error) {
	opts := s.opts.Options
	opts.Only = nil
	if limit > 0 {
		opts.Rlimit, opts.Raw, opts.Satisfiable = limit, true, true
	}
	return induct.Prove(ctx, s.with(goals), opts)
}

// sampleOf is the first state of a counterexample to induction.
func (s *search) sampleOf(t *verdict.Trace) (sample, error) {
	inst, err := interp.InstanceOf(s.sys, t)
	if err != nil {
		return sample{}, err
	}
	m, err := interp.NewModel(s.sys, inst)
	if err != nil {
		return sample{}, err
	}
	state, err := m.StateOf(slices.Concat(t.Params, t.Steps[0].State)...)
	if err != nil {
		return sample{}, err
	}
	return sample{newStructure(m), state}, nil
}
