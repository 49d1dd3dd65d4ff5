package infer

import (
	"context"

	"erelong/internal/engine/bmc"
	"erelong/internal/engine/explicit"
	"erelong/internal/system"
	"erelong/internal/verdict"
)

// Limits of the attempt to break a property.
const (
	refuteStates = 20_000
	refuteSteps  = 6 // of runs in an instance that has more states
)

// refute looks for real violations in small instances, before time is spent on proofs. It gives true when there is one.
func (s *search) refute(ctx context.Context, instances []*system.Instance) (bool, error) {
	var names []string
	for _, g := range s.goals {
		if g.property != nil {
			names = append(names, g.property.Name)
		}
	}
	for _, inst := range instances {
		s.note("looking for a violation with %s", inst.Name)
		results, err := explicit.Check(ctx, s.sys, inst, explicit.Options{Only: names, MaxStates: refuteStates})
		if err != nil {
			if ctx.Err() != nil {
				return false, ctx.Err()
			}
			continue // it cannot be explored
		}
		if s.refuted(results) {
			return true, nil
		}
		if complete(results) {
			continue
		}
		results, err = bmc.Check(ctx, s.sys, inst, bmc.Options{Options: s.opts.Options.Options, Only: names, Depth: refuteSteps})
		if err == nil && s.refuted(results) {
			return true, nil
		}
	}
	return false, nil
}

func complete(results []verdict.Result) bool {
	for _, r := range results {
		if r.Verdict != verdict.Holds {
			return false
		}
	}
	return true
}

// refuted keeps the results of an instance in which there is a violation.
func (s *search) refuted(results []verdict.Result) bool {
	found := false
	for _, r := range results {
		if r.Verdict == verdict.Violated {
			found = true
			s.out.Results = append(s.out.Results, r)
			s.out.Reason = r.Property + " is violated in " + r.Scope
		}
	}
	return found
}
