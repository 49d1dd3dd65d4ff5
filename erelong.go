// Package erelong verifies specifications of distributed protocols from Go programs and tests.
//
// [Load] and [Parse] read a specification. [Spec.Verify] decides each of its properties, with
// evidence: a run that violates it, or a proof for every instance. Engines and verdicts are the
// same as in the command `erelong verify`.
//
// A test of a protocol is three lines:
//
//	spec, err := erelong.Load(ctx, "lock.ere") // an *erelong.Error has positions
//	report, err := spec.Verify(ctx, erelong.Options{})
//	err = report.Err()                         // nil if every property holds
//
// A proof for every number of processes needs an SMT solver (z3 or cvc5) in PATH. Without one,
// properties are explored in the instances of the file; [Result.ForAll] gives the scope of a
// verdict.
package erelong

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"time"

	"erelong.dev/erelong/internal/derive"
	"erelong.dev/erelong/internal/diag"
	"erelong.dev/erelong/internal/discharge"
	"erelong.dev/erelong/internal/engine"
	"erelong.dev/erelong/internal/engine/explicit"
	"erelong.dev/erelong/internal/front"
	"erelong.dev/erelong/internal/front/ere"
	"erelong.dev/erelong/internal/result"
	"erelong.dev/erelong/internal/smt"
	"erelong.dev/erelong/internal/system"
	"erelong.dev/erelong/internal/verify"
)

// Spec is a specification without errors. It is immutable, so goroutines can share it.
type Spec struct {
	name     string
	systems  []*derive.Derived // one, unless the file has an algorithm
	warnings []Diagnostic
}

// Load reads a specification from a file. The error is an [*Error] where the text is at fault.
func Load(ctx context.Context, path string) (*Spec, error) {
	text, err := os.ReadFile(path)
	if err != nil {
		return nil, fmt.Errorf("reading the specification: %w", err)
	}
	return Parse(ctx, filepath.ToSlash(path), string(text))
}

// Parse reads a specification from a text. The name stands for the file in messages. The error is
// an [*Error] where the text is at fault.
func Parse(ctx context.Context, name, text string) (*Spec, error) {
	systems, list, err := front.Systems(ctx, name, text, derive.Options{})
	return newSpec(name, systems, list, err)
}

func newSpec(
	name string, systems []*derive.Derived, warnings *diag.List, err error,
) (*Spec, error) {
	if err != nil {
		return nil, public(err)
	}
	return &Spec{name: name, systems: systems, warnings: diagnostics(warnings)}, nil
}

// Name returns the path or the name with which the specification was read.
func (s *Spec) Name() string { return s.name }

// Warnings returns the doubtful constructs in the text, such as a symbol that is never used.
func (s *Spec) Warnings() []Diagnostic { return s.warnings }

// Properties returns the names of the properties, in the order of the file.
func (s *Spec) Properties() (names []string) {
	for _, d := range s.systems {
		names = append(names, d.Claims()...)
	}
	return names
}

// Options are the settings of a verification. The zero value is `erelong verify` without options,
// but without the cache of proofs.
type Options struct {
	Properties []string // names; none for all
	// Instances are names of instances of the file, or texts such as "node = 3, last = 2..4"; none
	// for all instances of the file.
	Instances []string
	NoProof   bool // only explore instances
	NoExplore bool // only prove
	Deadlock  bool // a reachable state without successor is a violation

	MaxStates int64 // distinct states of an instance, 0 for no limit
	// Bytes for states, the rest goes to disk; 0 for three quarters of the machine's memory.
	Memory  int64
	Threads int           // for exploration, and solvers at a time; 0 for one a processor
	Solvers []string      // names, in the order of preference; none for all that are installed
	Rlimit  int64         // for each question to a solver, in units of z3; 0 for the default
	Timeout time.Duration // for everything; 0 for no limit. Finished results are reported
	// Progress gets lines about the progress, from one goroutine at a time; may be nil.
	Progress func(text string)
}

// ErrNoProperty is returned by [Spec.Verify], wrapped, for a property that the specification does
// not have.
var ErrNoProperty = engine.ErrNoProperty

// Verify checks properties. A property that no engine decides is a result, not an error. When ctx
// ends, or the time is over, Verify returns the finished results; the verdict of the other
// properties is [Unknown].
func (s *Spec) Verify(ctx context.Context, o Options) (*Report, error) {
	if o.Timeout > 0 {
		var cancel context.CancelFunc
		ctx, cancel = result.TimeLimit(o.Timeout, "Options.Timeout", result.OutOfTime).Bound(ctx)
		defer cancel()
	}
	ctx, end := smt.WithProcesses(ctx)
	defer end()
	run := verify.Default()
	run.Explore, run.Prove = !o.NoExplore, !o.NoProof
	run.Live, run.Infer = run.Explore && run.Prove, run.Explore && run.Prove
	run.Only = o.Properties
	run.Explicit = explicit.Options{Deadlock: o.Deadlock, MaxStates: o.MaxStates, Memory: o.Memory,
		Threads: o.Threads}
	run.Induct.Options = discharge.Options{Solvers: o.Solvers, Rlimit: o.Rlimit, Jobs: o.Threads}
	run.Bmc.Options = run.Induct.Options
	if o.MaxStates > 0 {
		run.GuessStates, run.GuessTime = 0, 0 // the user sets the limits
	}
	if o.Progress != nil {
		run.Progress = func(p engine.Progress) { o.Progress(p.Text) }
	}
	outcome, err := verify.RunAll(ctx, s.systems, run, o.instances)
	if outcome == nil {
		return nil, fmt.Errorf("verifying %s: %w", s.name, public(err))
	}
	report := newReport(s.name, outcome)
	if err != nil {
		return report, fmt.Errorf("verifying %s: %w", s.name, public(err))
	}
	return report, nil
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
			return nil, fmt.Errorf("the instance %q: %w", text, public(err))
		}
		out = append(out, swept...)
	}
	return out, nil
}

// public is an error in terms of this package.
func public(err error) error {
	var list *diag.List
	if errors.As(err, &list) {
		return &Error{Diagnostics: diagnostics(list)}
	}
	return err
}
