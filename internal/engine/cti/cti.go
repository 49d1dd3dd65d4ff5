// Package cti analyses counterexamples to induction.
//
// In: a system, a property, and a counterexample to induction of the property. Out: whether the
// property is violated after all, and candidates for the invariant that is missing: clauses that
// are false in the first state of the counterexample, and true in all states that were reached in
// small instances. The solvers rate the candidates. A candidate is a suggestion, never an
// assumption of a proof.
package cti

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"

	"erelong.dev/erelong/internal/discharge"
	"erelong.dev/erelong/internal/engine"
	"erelong.dev/erelong/internal/engine/explicit"
	"erelong.dev/erelong/internal/engine/induction"
	"erelong.dev/erelong/internal/engine/refute"
	"erelong.dev/erelong/internal/interp"
	"erelong.dev/erelong/internal/logic"
	"erelong.dev/erelong/internal/result"
	"erelong.dev/erelong/internal/system"
)

// Limits of an analysis. They are counts, so that the same file gives the same answer.
const (
	diagnosedStates = 20_000 // of an instance
	diagnosedWork   = 1 << 20
	sampledStates   = 500 // states for evaluating candidates before the instance is explored
	triedCandidates = 40  // candidates that are true in the sample
	weighed         = 8   // candidates that are true in all states
	shownCandidates = 3
)

// Options are the settings of a diagnosis.
type Options struct {
	Induction induction.Options
	Threads   int // of an exploration
	// Small gives the outcome of a search in small instances.
	Small func(context.Context) *refute.Outcome
}

// Diagnose analyses a counterexample to induction of a property, where m is the
// model of its instance. The second value is a violation of the property that was found on the way,
// or nil.
func Diagnose(ctx context.Context, sys *system.System, p *system.Property, t *result.Trace,
	m *interp.Model, o Options) (*result.Diagnosis, *result.Result) {
	d := &diagnosis{sys: sys, property: p, trace: t, model: m, opts: o}
	return d.make(ctx), d.found
}

// Candidates proposes invariants that exclude a counterexample to induction: all that are weighed
// in a diagnosis.
func Candidates(
	ctx context.Context, sys *system.System, t *result.Trace, m *interp.Model,
) []*logic.Term {
	found, _ := (&diagnosis{sys: sys, trace: t, model: m}).candidates(ctx, 0)
	return found
}

// diagnosis analyses one counterexample to induction.
type diagnosis struct {
	sys      *system.System
	property *system.Property
	trace    *result.Trace
	model    *interp.Model // of the instance of the trace
	opts     Options
	found    *result.Result
}

func (d *diagnosis) make(ctx context.Context) *result.Diagnosis {
	inst := d.model.Instance
	inst.Name = d.sys.Describe(inst)
	out := &result.Diagnosis{Instance: inst.Name}
	results, stats, err := d.explore(ctx, d.sys, inst, []string{d.property.Name})
	switch {
	case err != nil:
		out.Finding, out.Reason = result.NotExplored, innermost(err)
		return out
	case results[0].Verdict == result.Violated:
		out.States, out.Finding = stats.States, result.Reachable
		d.found = &results[0]
		return out
	case results[0].Verdict == result.HoldsUpTo || results[0].Verdict == result.HoldsInitially:
		out.States, out.Finding = stats.States, result.NotFound
		return out
	case results[0].Verdict != result.Holds:
		out.Finding, out.Reason = result.NotExplored, results[0].Reason.Text
		return out
	}
	small := d.opts.Small(ctx)
	if found := small.Violation(d.property.Name); found != nil {
		out.States, out.Finding, out.Instance = found.States, result.Reachable, found.Scope
		d.found = found
		return out
	}
	out.States, out.Finding = stats.States, result.Unreachable
	if reaches(small, inst) {
		out.Looked = small.Summary()
	}
	if stats.States > 0 && len(d.trace.Steps) > 1 {
		var candidates []*logic.Term
		candidates, out.Where = d.candidates(ctx, stats.States)
		out.Candidates = d.best(ctx, candidates)
	}
	return out
}

// reaches reports whether an examined instance has more elements of some sort than the given one.
func reaches(small *refute.Outcome, inst *system.Instance) bool {
	return slices.ContainsFunc(small.Examined, func(l refute.Coverage) bool {
		for s, n := range l.Instance.Sizes {
			if n > inst.Sizes[s] && (l.Complete || l.Steps > 0) {
				return true
			}
		}
		return false
	})
}

func (d *diagnosis) explore(
	ctx context.Context, sys *system.System, inst *system.Instance, only []string,
) ([]result.Result, explicit.Stats, error) {
	x, err := explicit.Explore(ctx, sys, inst,
		explicit.Options{
			Only:     only,
			Limits:   engine.Limits{States: diagnosedStates},
			Threads:  d.opts.Threads,
			Strategy: explicit.Strategy{Brief: true},
			Work:     diagnosedWork,
		})
	if err != nil {
		return nil, explicit.Stats{}, err
	}
	return x.Results, x.Stats, nil
}

// candidates proposes invariants that are false in the first state of the trace, and true in all
// reachable states of the instance and in the explored states of the next larger one.
func (d *diagnosis) candidates(
	ctx context.Context, states int64,
) (found []*logic.Term, where string) {
	pre, err := d.model.StateOf(slices.Concat(d.trace.Params, d.trace.Steps[0].State)...)
	if err != nil {
		return nil, ""
	}
	sample, err := d.sample(ctx)
	if err != nil {
		return nil, ""
	}
	sys := *d.sys
	sys.Properties = slices.Clone(d.sys.Properties)
	var names []string
	terms := map[string]*logic.Term{}
	Clauses(d.model, pre, func(c *logic.Term) (taken, enough bool) {
		for _, s := range sample {
			if holds, err := d.model.Holds(c, s); err != nil || !holds {
				return false, ctx.Err() != nil
			}
		}
		name := fmt.Sprintf("a candidate, number %d", len(names)+1)
		names, terms[name] = append(names, name), c
		sys.Properties = append(sys.Properties,
			&system.Property{Name: name, Kind: system.Invariant, Term: c})
		return true, len(names) == triedCandidates
	})
	names, stats := d.holding(ctx, &sys, d.model.Instance, names)
	if !stats.Complete {
		return nil, ""
	}
	if d.model.Instance.Name != "" {
		where = fmt.Sprintf("all %d with %s", states, d.model.Instance.Name)
	}
	if bigger := d.bigger(); bigger != nil {
		left, stats := d.holding(ctx, &sys, bigger, names)
		switch {
		case stats.Complete:
			names, where = left,
				fmt.Sprintf("%s and all %d with %s", where, stats.States, bigger.Name)
		case stats.States > 0:
			names, where = left,
				fmt.Sprintf("%s and the first %d with %s", where, stats.States, bigger.Name)
		}
	}
	names = names[:min(len(names), weighed)]
	for _, n := range names {
		found = append(found, terms[n])
	}
	return found, where
}

// sample gives some reachable states of the instance, breadth-first.
func (d *diagnosis) sample(ctx context.Context) ([]interp.State, error) {
	found, err := d.model.Nearest(ctx, nil, func(found []interp.Reached) error {
		if len(found) >= sampledStates {
			return interp.ErrStop
		}
		return nil
	})
	if err != nil {
		return nil, err
	}
	out := make([]interp.State, len(found))
	for i, r := range found {
		out[i] = r.State
	}
	return out, nil
}

// holding keeps the names of the properties that no state of an instance violates. When the
// instance cannot be explored, the statistics are zero.
func (d *diagnosis) holding(
	ctx context.Context, sys *system.System, inst *system.Instance, names []string,
) ([]string, explicit.Stats) {
	if len(names) == 0 {
		return nil, explicit.Stats{}
	}
	results, stats, err := d.explore(ctx, sys, inst, names)
	if err != nil {
		return nil, explicit.Stats{}
	}
	var left []string
	for _, x := range results {
		if x.Verdict == result.Holds || x.Verdict == result.HoldsUpTo ||
			x.Verdict == result.HoldsInitially {
			left = append(left, x.Property)
		}
	}
	return left, stats
}

// bigger is the instance with one more element of each sort; nil when there is no sort, or when a
// table of the instance lists each element.
func (d *diagnosis) bigger() *system.Instance {
	inst := d.model.Instance
	out := &system.Instance{Sizes: map[*logic.Sort]int{}, Values: inst.Values}
	for s, n := range inst.Sizes {
		out.Sizes[s] = n + 1
	}
	out.Name = d.sys.Describe(out)
	if len(inst.Sizes) == 0 || len(inst.Facts) > 0 {
		return nil
	}
	return out
}

// best rates the candidates with the solvers, and picks the most helpful ones; among equals the
// shortest.
func (d *diagnosis) best(ctx context.Context, candidates []*logic.Term) []result.Candidate {
	opts := d.opts.Induction
	opts.Rlimit = cmp.Or(opts.Rlimit, discharge.DefaultRlimit) / 20
	weights, err := induction.Weigh(ctx, d.sys, d.property.Name, candidates, opts)
	if err != nil {
		return nil
	}
	var out []result.Candidate
	for i, c := range candidates {
		out = append(out, result.Candidate{
			Formula: "invariant " + c.String(), Inductive: weights[i].Inductive,
			Suffices: weights[i].Suffices,
		})
	}
	worth := func(c result.Candidate) int {
		switch {
		case c.Inductive && c.Suffices:
			return 0
		case c.Inductive:
			return 1
		case c.Suffices:
			return 2
		}
		return 3
	}
	slices.SortStableFunc(out, func(a, b result.Candidate) int { return worth(a) - worth(b) })
	return out[:min(len(out), shownCandidates)]
}

// innermost is an error without the steps of the work in which it came up.
func innermost(err error) string {
	for {
		inner := errors.Unwrap(err)
		if inner == nil {
			return err.Error()
		}
		err = inner
	}
}
