package work

import (
	"context"
	"errors"
	"fmt"
	"slices"

	"erelong.dev/erelong/internal/engine"
	"erelong.dev/erelong/internal/front/ere"
	"erelong.dev/erelong/internal/interp"
	"erelong.dev/erelong/internal/result"
	"erelong.dev/erelong/internal/system"
	"erelong.dev/erelong/internal/vacuity"
)

// Findings are engine.Findings as plain data, without loss.
type Findings struct {
	Results []result.Result
	Notes   []string
	Seen    *Seen
	Summary string
	Sample  []uint64 `json:",omitempty"`
	// Inferred is engine.Inferred.
	Inferred *Inferred `json:",omitempty"`
}

// Seen is engine.Seen; signs are given by their places among the signs of the system.
type Seen struct {
	Complete       bool
	Shown, Missing []int
	Idle           []string
}

// write makes plain data of findings.
func write(sys *system.System, f *engine.Findings) (*Findings, error) {
	out := &Findings{Results: f.Results, Notes: f.Notes, Summary: f.Summary, Sample: f.Sample,
		Inferred: writeInferred(f.Inferred)}
	if f.Seen == nil {
		return out, nil
	}
	all := vacuity.Signs(sys)
	places := func(signs []vacuity.Sign) (out []int, err error) {
		for _, s := range signs {
			i := slices.IndexFunc(all, s.Equal)
			if i < 0 {
				return nil, fmt.Errorf("the sign %q of %s is none of the system's", s.Text(),
					s.Property)
			}
			out = append(out, i)
		}
		return out, nil
	}
	shown, err := places(f.Seen.Shown)
	missing, err2 := places(f.Seen.Missing)
	if err := errors.Join(err, err2); err != nil {
		return nil, err
	}
	out.Seen = &Seen{f.Seen.Complete, shown, missing, f.Seen.Idle}
	return out, nil
}

// Lasting reports whether the findings are the same at any time and on any machine: no limit of
// time and no want of memory has ended them, and no solver was in vain, which may have died.
func (f *Findings) Lasting() bool {
	passing := func(r result.Reason) bool {
		return r.Ended() || r.Code == result.Machine || r.Code == result.NotProved ||
			r.Code == result.NoSolver
	}
	return !slices.ContainsFunc(f.Results, func(r result.Result) bool {
		return passing(r.Reason) || r.Evidence != nil &&
			slices.ContainsFunc(r.Evidence.Obligations, func(o result.Obligation) bool {
				return passing(o.Reason)
			})
	})
}

// Agree reports whether findings give the verdicts of others, as far as both decide.
func (f *Findings) Agree(g *Findings) bool {
	open := func(v result.Verdict) bool { return v == result.Unknown || v == result.NothingChecked }
	for _, x := range f.Results {
		for _, y := range g.Results {
			if x.Property == y.Property && x.Scope == y.Scope && x.Verdict != y.Verdict &&
				!open(x.Verdict) && !open(y.Verdict) {
				return false
			}
		}
	}
	return true
}

// read checks findings that came from elsewhere, and makes engine.Findings of them. Each result has
// to be about a property of the system and the instance of the task, and each run to a violation is
// replayed. Invariants that were found are read in the scope of the task's specification.
func (f *Findings) read(
	ctx context.Context, t *engine.Task, in *ere.Specification,
) (*engine.Findings, error) {
	for i := range f.Results {
		if err := believable(ctx, t, &f.Results[i]); err != nil {
			return nil, fmt.Errorf("the result for %s: %w", f.Results[i].Property, err)
		}
	}
	out := &engine.Findings{Results: f.Results, Notes: f.Notes, Summary: f.Summary,
		Sample: f.Sample}
	var err error
	if out.Inferred, err = f.readInferred(t, in); err != nil {
		return nil, err
	}
	if f.Seen == nil {
		return out, nil
	}
	all := vacuity.Signs(t.System)
	found := func(places []int) (out []vacuity.Sign, err error) {
		for _, i := range places {
			if i < 0 || i >= len(all) {
				return nil, fmt.Errorf("the system has no sign %d", i)
			}
			out = append(out, all[i])
		}
		return out, nil
	}
	shown, err := found(f.Seen.Shown)
	missing, err2 := found(f.Seen.Missing)
	if err := errors.Join(err, err2); err != nil {
		return nil, err
	}
	out.Seen = &engine.Seen{Complete: f.Seen.Complete, Shown: shown, Missing: missing,
		Idle: f.Seen.Idle}
	return out, nil
}

// kindOf is the kind of a property or scenario of a system, or of deadlocks.
func kindOf(sys *system.System, name string) (result.Kind, bool) {
	if p := sys.Property(name); p != nil {
		return p.Kind, true
	}
	for _, s := range sys.Scenarios {
		if s.Name == name {
			return result.Scenario, true
		}
	}
	return result.Deadlock, name == result.Deadlock
}

// believable checks what can be checked of one result. A violated theorem, and a scenario without a
// run, have nothing to replay.
func believable(ctx context.Context, t *engine.Task, r *result.Result) error {
	if t.Instance != nil && r.Scope != t.Instance.Name {
		return fmt.Errorf("its scope is %s, and the job is about %s", r.Scope, t.Instance.Name)
	}
	if !slices.Contains(result.All, r.Verdict) {
		return fmt.Errorf("there is no verdict %q", r.Verdict)
	}
	kind, ok := kindOf(t.System, r.Property)
	switch {
	case !ok:
		return fmt.Errorf("the system has no property %q", r.Property)
	case r.Kind != kind:
		return fmt.Errorf("its kind is %s, and not %s", kind, r.Kind)
	}
	if r.Verdict != result.Violated || r.Kind == result.Theorem || r.Kind == result.Scenario {
		return nil
	}
	if r.Trace == nil || r.Trace.Kind != result.Counterexample {
		return errors.New("it is violated without a run")
	}
	if r.Trace.Violates != r.Property {
		return fmt.Errorf("its run violates %s", r.Trace.Violates)
	}
	sys := t.System
	return interp.Replay(ctx, sys, r.Trace, sys.Property(r.Property))
}
