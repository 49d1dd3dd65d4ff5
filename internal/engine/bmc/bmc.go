// Package bmc searches for shortest violations with solvers: bounded model checking (Biere,
// Cimatti, Clarke, Zhu: Symbolic model checking without BDDs, TACAS 1999).
//
// In: a system, a bound on the length of runs, and optionally an instance. Out: for each safety,
// invariant and range property `violated`, with a shortest run that the interpreter has replayed,
// or that it holds up to the bound, or unknown with the reason. Deadlocks and temporal properties
// are not covered.
//
// On an instance the formulas are grounded (ground.go): quantifiers and arguments are expanded,
// numbers become bits within bounds that follow from the state before, and the solver gets truth
// values only, incrementally, step after step (unrolling.go, circuit.go). Constants are folded on
// the way, so an action that no run can take at some depth costs nothing there. Without an
// instance, or where integers have no bounds, the formulas stay as they are, and the solver also
// chooses the sizes of sorts and the parameters (quantified.go). A system without sizes and
// parameters has one instance, and needs no other.
//
// As in the explicit engine a run ends where a symbol leaves its declared range, or would be
// applied outside of the range of an argument, which is a violation of its own. A value that a
// claim reads outside of a range is arbitrary, so `holds up to k` covers every possible value.
package bmc

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"time"

	"erelong.dev/erelong/internal/discharge"
	"erelong.dev/erelong/internal/engine"
	"erelong.dev/erelong/internal/interp"
	"erelong.dev/erelong/internal/logic"
	"erelong.dev/erelong/internal/result"
	"erelong.dev/erelong/internal/system"
)

// Name is the engine's name in results.
const Name = "bmc"

// DefaultDepth is the bound on the steps of a run when none is given.
const DefaultDepth = 10

// Options are the settings of a search.
type Options struct {
	discharge.Options // of the solvers
	// names of the properties to check; none means all safety, invariant and range properties
	Only  []string
	Depth int // steps of the longest run
	// Budget bounds the resources of all queries together, in units of z3, where formulas are not
	// grounded; 0 means no bound. When it is spent, an open property holds up to the depth reached.
	Budget int64
	// Safe, if not 0, says that there are initial states, and that no run with fewer steps violates
	// anything: an exploration has shown it.
	Safe int
	Sink engine.Sink

	quantified bool // do not ground the formulas on an instance
}

// Interval is the set of the integers from Lo to Hi.
type Interval struct{ Lo, Hi int64 }

// Check searches for violations, in runs of one instance, or with inst nil in runs of all
// instances. An error means that the search could not start.
func Check(
	ctx context.Context, sys *system.System, inst *system.Instance, opts Options,
) ([]result.Result, error) {
	results, err := check(ctx, sys, inst, opts)
	if err != nil {
		return nil, fmt.Errorf("bounded search of %s: %w", sys.Name, err)
	}
	return results, nil
}

func check(
	ctx context.Context, sys *system.System, inst *system.Instance, opts Options,
) ([]result.Result, error) {
	if err := system.Validate(sys); err != nil {
		return nil, err
	}
	for _, a := range sys.Actions {
		if a.Relation == nil {
			return nil, fmt.Errorf("action %s has no relation", a.Name)
		}
	}
	s := &search{sys: sys, inst: inst, opts: opts, begin: time.Now()}
	if err := s.selectTargets(); err != nil {
		return nil, err
	}
	if len(s.targets) == 0 {
		return nil, nil
	}
	if inst == nil && sys.OneInstance() {
		inst = &system.Instance{Sizes: map[*logic.Sort]int{},
			Values: map[*logic.Symbol]*logic.Term{}}
	}
	if inst == nil || opts.quantified {
		return s.results(s.quantified(ctx))
	}
	m, err := interp.NewModel(sys, inst)
	var infinite *interp.InfiniteError
	if errors.As(err, &infinite) && s.inst == nil {
		return s.results(s.quantified(ctx))
	}
	if err != nil {
		return nil, err
	}
	err = s.grounded(ctx, m)
	var refused *refusalError
	if errors.As(err, &refused) {
		if s.inst != nil {
			s.note = fmt.Sprintf(" (the formulas were not grounded: %v)", refused)
		}
		err = s.quantified(ctx)
	}
	return s.results(err)
}

// target is a property, with its verdict so far.
type target struct {
	property *system.Property
	asked    bool // the other targets are claims of the language, which end runs
	result   result.Result
}

func (t *target) open() bool { return t.result.Verdict == "" }

// search is one call of Check.
type search struct {
	sys     *system.System
	inst    *system.Instance
	opts    Options
	begin   time.Time
	note    string // about the search
	targets []*target
	spent   int64 // resources of all queries so far
}

func (s *search) selectTargets() error {
	wanted, err := engine.Select(s.sys, s.opts.Only, (*system.Property).IsInvariant,
		"safety, invariant and range")
	if err != nil {
		return err
	}
	scope := result.ScopeAll
	if s.inst != nil {
		scope = s.inst.Name
	}
	for _, p := range s.sys.Properties {
		t := &target{property: p, asked: slices.Contains(wanted, p)}
		t.result = result.Result{Property: p.Name, Kind: p.Kind, Scope: scope, Engine: Name,
			Line: p.Span.Line()}
		if p.IsInvariant() && (t.asked || p.EndsRuns()) {
			s.targets = append(s.targets, t)
		}
	}
	if len(wanted) == 0 {
		s.targets = nil
	}
	return nil
}

// tell reports the number of steps of the next runs.
func (s *search) tell(steps int) {
	part := allInstances
	if s.inst != nil {
		part = s.inst.Name
	}
	s.opts.Sink.Tell(engine.Progress{Subtask: part, Unit: "steps", Done: int64(steps),
		Text: fmt.Sprintf("searching %s: runs of %d steps, of at most %d", part, steps,
			s.opts.Depth)})
}

// allInstances names the search without an instance.
const allInstances = "all instances"

// done reports whether all requested properties are decided.
func (s *search) done() bool {
	return !slices.ContainsFunc(s.targets, func(t *target) bool { return t.asked && t.open() })
}

// decide settles a property by the result for runs of some steps.
func (s *search) decide(t *target, v result.Verdict, steps int, reason result.Reason) {
	t.result.Verdict, t.result.Reason, t.result.Depth = v, reason, int64(steps)+1
	t.result.Elapsed = time.Since(s.begin)
}

// violate settles a property by a run to its violation, if the interpreter can replay it.
func (s *search) violate(ctx context.Context, t *target, run *result.Trace) {
	steps := len(run.Steps) - 1
	run.Violates = t.property.Name
	if s.inst != nil {
		run.Instance = s.inst.Name
	}
	err := interp.Replay(ctx, s.sys, run, t.property)
	if err != nil {
		s.forgetChoices(run)
		err = interp.Replay(ctx, s.sys, run, t.property)
	}
	if err != nil {
		s.decide(t, result.Unknown, steps-1, result.Because(result.NotProved,
			fmt.Sprintf("%s; a run of %s to a violation was found, but %v", upTo(steps-1),
				count(steps), err)))
		return
	}
	t.result.Trace = run
	s.decide(t, result.Violated, steps, result.Reason{})
	s.opts.Sink.Tell(engine.Violation(t.property.Name, t.result.Scope, t.result.Depth))
}

// forgetChoices keeps only the parameters of each step. The replay may run the code of an action,
// whose choices have other names than the relation's; it also makes only the choices on its path.
func (s *search) forgetChoices(run *result.Trace) {
	for i, step := range run.Steps {
		for _, a := range s.sys.Actions {
			if a.Name == step.Action {
				run.Steps[i].Args = slices.DeleteFunc(step.Args, func(b result.Binding) bool {
					return !slices.ContainsFunc(a.Params, func(v *logic.Var) bool {
						return v.Name == b.Name
					})
				})
			}
		}
	}
}

// finish settles the open properties when no violation was found in runs of at most the given
// number of steps.
func (s *search) finish(steps int, more string) {
	for _, t := range s.targets {
		if t.open() {
			v := result.HoldsUpTo
			if steps == 0 {
				v = result.HoldsInitially
			}
			s.decide(t, v, steps, result.Because(result.Bounded, upTo(steps)+more))
		}
	}
}

// giveUp settles the open properties when runs of the given number of steps could not be decided.
func (s *search) giveUp(steps int, reason result.Reason) {
	for _, t := range s.targets {
		if t.open() {
			s.undecided(t, steps, reason)
		}
	}
}

func (s *search) undecided(t *target, steps int, reason result.Reason) {
	s.decide(t, result.Unknown, steps-1,
		reason.Of(fmt.Sprintf("%s; with %s", upTo(steps-1), count(steps))))
}

func upTo(steps int) string {
	switch {
	case steps < 0:
		return "nothing is known"
	case steps == 0:
		return "no initial state violates it, and nothing is known of any step"
	}
	return "no run of at most " + count(steps) + " violates it"
}

func count(steps int) string {
	if steps == 1 {
		return "1 step"
	}
	return fmt.Sprintf("%d steps", steps)
}

// results lists the results for the requested properties.
func (s *search) results(err error) ([]result.Result, error) {
	if err != nil {
		return nil, err
	}
	left := ""
	for _, t := range s.targets {
		if t.property.EndsRuns() && t.result.Verdict == result.Violated {
			left = fmt.Sprintf("; runs end where they violate %s", t.property.Name)
			break
		}
	}
	var out []result.Result
	for _, t := range s.targets {
		if !t.asked && (t.property.Kind != system.Argument || t.result.Verdict != result.Violated) {
			continue
		}
		if t.result.Verdict == result.HoldsUpTo || t.result.Verdict == result.HoldsInitially {
			t.result.Reason = t.result.Reason.Then(left + s.note)
		}
		out = append(out, t.result)
	}
	return out, nil
}
