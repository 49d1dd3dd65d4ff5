package erelong

import (
	"context"
	"errors"
	"fmt"
	"slices"

	"erelong.dev/erelong/internal/diag"
	"erelong.dev/erelong/internal/engine"
	"erelong.dev/erelong/internal/engine/accel"
	"erelong.dev/erelong/internal/engine/zone"
	"erelong.dev/erelong/internal/front"
	"erelong.dev/erelong/internal/front/ere"
	"erelong.dev/erelong/internal/front/uppaal"
	"erelong.dev/erelong/internal/report"
	"erelong.dev/erelong/internal/result"
	"erelong.dev/erelong/internal/smt"
	"erelong.dev/erelong/internal/system"
	"erelong.dev/erelong/internal/verify"
)

// ErrNoProperty is returned by [Spec.Verify], wrapped, for a property that the specification does
// not have.
var ErrNoProperty = engine.ErrNoProperty

// Verify checks properties. A property that no engine decides is a result, not an error. When ctx
// ends, or the time is over, Verify returns the finished results; the verdict of the other
// properties is [Unknown].
//
// An [*OptionError] says that the options contradict each other or do not fit the specification,
// and an [*Error] that an instance cannot be explored. Beside such an error about some of the
// instances there is a report of the other results.
func (s *Spec) Verify(ctx context.Context, o Options) (*Report, error) {
	if err := o.valid(); err != nil {
		return nil, err
	}
	if o.Timeout > 0 {
		var cancel context.CancelFunc
		ctx, cancel = result.TimeLimit(o.Timeout, "Options.Timeout", result.OutOfTime).Bound(ctx)
		defer cancel()
	}
	run := o.run()
	if o.Progress != nil {
		run.Progress = func(p engine.Progress) { o.Progress(p.Text) }
	}
	var found *findings
	var err error
	if s.file.Kind == front.Model {
		found, err = s.verifyModel(ctx, &o, run)
	} else {
		found, err = s.verifySystems(ctx, &o, run)
	}
	if found == nil {
		return nil, fmt.Errorf("verifying %s: %w", s.name, public(err))
	}
	out := newReport(s.name, found)
	if err == nil && len(found.Refused) > 0 {
		err = found.Refusal()
	}
	if err != nil {
		return out, fmt.Errorf("verifying %s: %w", s.name, public(err))
	}
	return out, nil
}

// findings are the results of engines, and what the file expects of them.
type findings struct {
	*verify.Outcome
	expectations []report.Expectation
}

// verifySystems checks properties of a specification.
func (s *Spec) verifySystems(
	ctx context.Context, o *Options, run verify.Options,
) (*findings, error) {
	systems, err := s.systems(ctx, o.Instances)
	if err != nil {
		return nil, err
	}
	if err := o.fits(systems); err != nil {
		return nil, err
	}
	ctx, end := smt.WithProcesses(ctx)
	defer end()
	program := front.Program(ctx, s.name, s.text)
	run.Others = program != nil
	outcome, err := verify.RunAll(ctx, systems, run, o.instances)
	if outcome == nil {
		return nil, err
	}
	found := &findings{Outcome: outcome}
	if !o.Exploration.Symmetry && !o.Exploration.PartialOrder { // they count other states
		for _, d := range systems {
			found.expectations = append(found.expectations, report.Expectations(d.Spec.System,
				outcome.Results, run.Explore && run.Prove)...)
		}
	}
	if err != nil {
		return found, err
	}
	carried := &accel.Carried{}
	if program != nil && len(o.Properties) == 0 && !o.NoProof {
		if carried, err = accel.Strategies(ctx, program, accel.Default); err != nil {
			return found, err
		}
	}
	outcome.Results = append(outcome.Results, carried.Results...)
	outcome.Notes = append(outcome.Notes, carried.Notes...)
	if says := front.Of(s.name, s.text).Says; says != nil && !carried.Whole {
		outcome.Notes = append(outcome.Notes, says(s.name, s.text, outcome.Results)...)
	}
	return found, nil
}

// verifyModel checks queries of a model of timed automata, in each instance.
func (s *Spec) verifyModel(
	ctx context.Context, o *Options, run verify.Options,
) (*findings, error) {
	if err := o.fitsModel(); err != nil {
		return nil, err
	}
	run.Zone = o.zone()
	all := &findings{Outcome: &verify.Outcome{}}
	instances := o.Instances
	if len(instances) == 0 {
		instances = []string{""} // the constants of the file
	}
	for _, instance := range instances {
		constants, err := uppaal.Constants(instance)
		if err != nil {
			return nil, instanceError(instance, err)
		}
		file, err := s.open(ctx, front.Options{Constants: constants})
		if err != nil {
			return nil, instanceError(instance, err)
		}
		claims, err := zone.Claims(file.Network, o.Properties)
		if err != nil {
			return nil, fmt.Errorf("%w: %w", ErrNoProperty, err)
		}
		outcome, err := verify.RunNetwork(ctx, file.Network, claims, instance, run)
		if outcome != nil {
			for i, x := range outcome.Results {
				x.Whole = x.Scope == zone.ScopeModel // the model as it stands has no other instance
				all.Results = append(all.Results, x)
				if e := report.Recorded(claims[i].Query, &x); e != nil && instance == "" {
					all.expectations = append(all.expectations, *e)
				}
			}
			for _, note := range slices.Concat(file.Network.Notes, outcome.Notes) {
				if !slices.Contains(all.Notes, note) {
					all.Notes = append(all.Notes, note)
				}
			}
		}
		if err != nil {
			return all, err
		}
	}
	return all, nil
}

// instances are the requested instances of a system.
func (o *Options) instances(sys *system.System) (out []*system.Instance, err error) {
	for _, text := range o.Instances {
		if named := sys.Instance(text); named != nil {
			out = append(out, named)
			continue
		}
		swept, err := ere.Instances(sys, text)
		if err != nil {
			return nil, instanceError(text, err)
		}
		out = append(out, swept...)
	}
	return out, nil
}

func instanceError(text string, err error) error {
	return fmt.Errorf("the instance %q: %w", text, public(err))
}

// public is an error in terms of this package.
func public(err error) error {
	var list *diag.List
	if errors.As(err, &list) {
		return &Error{Diagnostics: diagnostics(list)}
	}
	var option *engine.OptionError
	if errors.As(err, &option) {
		return &OptionError{Reason: option.Error()}
	}
	return err
}
