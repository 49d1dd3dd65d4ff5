// Package steady decides claims about reachable states of systems that count, by pieces of runs in
// which no guard changes.
//
// In: a system whose state is integers to which each action adds fixed numbers, and truth values
// that stay true once they are; and its claims about states. Out: a claim that holds for all values
// of the parameters, or a run that violates it. Such systems are the threshold automata of
// fault-tolerant algorithms, where guards count messages that only become more.
//
// A comparison in a guard that only becomes true, or only false, changes at most once. So each run
// is a sequence of at most K+1 pieces, where K is the number of such comparisons and of truth
// values that may change: in all states of a piece from which a step is taken, these are the same.
// What a piece does is how often each action is taken in it. A solver is asked for the state before
// each piece and for these numbers, such that
//
//   - the counters at the end are the ones before and what the actions add;
//   - an action is taken in a piece only if its guard, as far as it speaks of such comparisons, is
//     true at the beginning of the piece;
//   - the guard of the last action of a piece is true before it.
//
// Each run is such a sequence, so without a solution the claim holds. A solution is a run if its
// actions can be put in an order, which is tried; in automata without cycles this is always so
// (Balasubramanian, Esparza, Lazić: Complexity of verification and synthesis of threshold automata,
// ATVA 2020, Section 4).
package steady

import (
	"context"
	"fmt"
	"slices"
	"time"

	"erelong.dev/erelong/internal/discharge"
	"erelong.dev/erelong/internal/engine"
	"erelong.dev/erelong/internal/result"
	"erelong.dev/erelong/internal/smt"
	"erelong.dev/erelong/internal/system"
)

// Name is the engine's name in results.
const Name = "steady"

// Engine decides claims by pieces of runs.
type Engine struct {
	Options discharge.Options
	Looked  Looked // small instances that an earlier search of the system went through
	many    bool   // for tests: small instances are not looked at first
}

// Name is the engine's name in results.
func (e *Engine) Name() string { return Name }

// Accepts gives the reason why runs are not divided.
func (e *Engine) Accepts(t *engine.Task) string {
	switch {
	case t.Method != engine.Accelerate || t.System == nil:
		return "pieces of runs are looked for in a system, for all instances"
	case !t.Has(engine.Claim.IsInvariant):
		return "nothing is claimed of states"
	}
	if _, err := newCounters(t.System); err != nil {
		return err.Error()
	}
	return ""
}

// Run decides claims. The result of one that is not decided says why.
func (e *Engine) Run(
	ctx context.Context, t *engine.Task, to engine.Sink,
) (*engine.Findings, error) {
	within, cancel := t.Limits.Each.Bound(ctx)
	defer cancel()
	c, err := newCounters(t.System)
	if err != nil {
		return nil, err
	}
	drivers := e.Options.Drivers
	if len(drivers) == 0 {
		if drivers, err = smt.Find(ctx, e.Options.Solvers); err != nil {
			return nil, fmt.Errorf("looking for pieces of runs: %w", err)
		}
	}
	d := &decision{ask: &asking{drivers, e.Options}, found: &engine.Findings{},
		pieces: &pieces{counters: c}}
	var claims []*system.Property
	for _, claim := range t.Claims {
		if claim.IsInvariant() {
			claims = append(claims, claim.Property)
		}
	}
	if !e.many {
		if claims, err = d.fewProcesses(within, claims, e.Looked); err != nil || len(claims) == 0 {
			return d.found, err
		}
	}
	d.pieces, err = newPieces(c, func(os ...Obligation) (bool, error) {
		return d.prove(within, os)
	})
	if err != nil {
		return nil, fmt.Errorf("looking for pieces of runs: %w", err)
	}
	for _, claim := range claims {
		if within.Err() == nil {
			to.Tell(engine.Progress{Subtask: Name,
				Text: fmt.Sprintf("looking for runs that violate %s, of at most %s", claim.Name,
					engine.Counted(d.most(), "piece", "pieces"))})
			if err := d.decide(within, claim); err != nil {
				return nil, fmt.Errorf("looking for pieces of runs: %w", err)
			}
		}
	}
	return d.found, nil
}

// decision is a run of the engine.
type decision struct {
	*pieces
	ask   *asking
	found *engine.Findings
	sure  []result.Obligation // of the facts about all states
}

// prove proves facts about all states: all of some obligations, or none.
func (d *decision) prove(ctx context.Context, os []Obligation) (bool, error) {
	var proofs []result.Obligation
	for _, o := range os {
		proof, found, err := d.ask.decide(ctx, o, 1)
		if found != nil {
			found.Close()
		}
		if err != nil || proof.Verdict != result.Holds {
			return false, err
		}
		proofs = append(proofs, proof)
	}
	d.sure = append(d.sure, proofs...)
	return true, nil
}

// decide decides one claim.
func (d *decision) decide(ctx context.Context, p *system.Property) error {
	begin := time.Now()
	q := d.question(p)
	o, found, err := d.ask.decide(ctx, q.Obligation, mostWork)
	if err != nil {
		return err
	}
	o.Property = p.Name
	r := result.Result{Property: p.Name, Kind: p.Kind, Verdict: result.Unknown, Reason: o.Reason,
		Scope: result.ScopeAll, Engine: Name, Line: p.Span.Line(), Queries: o.Queries}
	switch o.Verdict {
	case result.Holds:
		r.Verdict = result.Holds
		r.Evidence = &result.Evidence{Pieces: true}
		for _, o := range append(slices.Clip(d.sure), o) {
			o.Property = p.Name
			r.Evidence.Obligations = append(r.Evidence.Obligations, o)
		}
		d.found.Notes = append(d.found.Notes,
			fmt.Sprintf("%s: no run violates it: each is at most %s in which no guard changes",
				p.Name, engine.Counted(d.most(), "piece", "pieces")))
	case result.NotInductive:
		trace, err := d.shortest(ctx, q, p, found)
		if err != nil {
			r.Reason = result.Because(result.NotProved,
				fmt.Sprintf("a sequence of them violates it, but %v", err))
			break
		}
		r.Verdict, r.Trace, r.Depth = result.Violated, trace, int64(len(trace.Steps))
	}
	r.Elapsed = time.Since(begin)
	d.found.Results = append(d.found.Results, r)
	return nil
}
