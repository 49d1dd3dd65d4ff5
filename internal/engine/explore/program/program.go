// Package program makes the programs that give the successors of packed states.
//
// In: an interp.Model of an instance, and claims, which are terms to evaluate in each state. Out: a
// compile.Program. It is compiled, or it asks the interpreter, which is the oracle of the others
// and runs what cannot be compiled. Two programs change another one: that of NewSymmetric gives
// representatives of states, and that of NewReduced leaves out steps that can be put off.
package program

import (
	"context"
	"errors"

	"erelong.dev/erelong/internal/compile"
	"erelong.dev/erelong/internal/engine/explore/store"
	"erelong.dev/erelong/internal/interp"
	"erelong.dev/erelong/internal/logic"
)

// Make makes the program that expands states. Forced are intervals that slots must have room
// for.
type Make func(
	ctx context.Context, m *interp.Model, claims []*logic.Term, forced map[int]compile.Interval,
) (compile.Program, error)

// Interpreted asks the interpreter for everything.
func Interpreted(
	ctx context.Context, m *interp.Model, claims []*logic.Term, forced map[int]compile.Interval,
) (compile.Program, error) {
	return newInterpreter(ctx, m, claims, forced), nil
}

// InterpretedBindings is Interpreted with the values of parameters.
func InterpretedBindings(
	ctx context.Context, m *interp.Model, claims []*logic.Term, forced map[int]compile.Interval,
) (compile.Program, error) {
	return newInterpreter(ctx, m, claims, forced).tellBindings(), nil
}

// IsEvaluation reports whether an error comes from evaluating a term or an action, rather than from
// the machinery.
func IsEvaluation(err error) bool {
	var action *interp.ActionError
	var term *interp.EvalError
	return errors.As(err, &action) || errors.As(err, &term)
}

// Compiled compiles a model, and falls back to the interpreter for what cannot be compiled.
func Compiled(
	ctx context.Context, m *interp.Model, claims []*logic.Term, forced map[int]compile.Interval,
) (compile.Program, error) {
	return compiledWith(ctx, m, claims, compile.Options{Intervals: forced})
}

// Bindings is Compiled with the values of parameters.
func Bindings(
	ctx context.Context, m *interp.Model, claims []*logic.Term, forced map[int]compile.Interval,
) (compile.Program, error) {
	return compiledWith(ctx, m, claims, compile.Options{Intervals: forced, Bindings: true})
}

func compiledWith(
	ctx context.Context, m *interp.Model, claims []*logic.Term, opts compile.Options,
) (compile.Program, error) {
	if m.System.Computed != nil {
		p, err := NewComputed(ctx, m, claims, opts.Intervals)
		if err == nil && !opts.Bindings {
			p.pack(ctx, claims)
		}
		return p, err
	}
	p, err := compile.Compile(ctx, m, claims, opts)
	if errors.Is(err, compile.ErrUnsupported) || IsEvaluation(err) ||
		err != nil && ctx.Err() != nil {
		// The search will meet an error of the initial states, or the end of ctx, again, and report
		// it in its results.
		if opts.Bindings {
			return InterpretedBindings(ctx, m, claims, opts.Intervals)
		}
		p := newInterpreter(ctx, m, claims, opts.Intervals)
		if errors.Is(err, compile.ErrUnsupported) {
			p.why = err.Error()
		}
		return p, nil
	}
	return p, err
}

// Uncompiled says why a program is interpreted, where it was to be compiled; else it is empty.
func Uncompiled(p compile.Program) string {
	p, _ = Plain(p)
	if i, ok := p.(*interpreter); ok {
		return i.why
	}
	return ""
}

// BriefStates is the number of states that the interpreter finds in about the time of compiling a
// model; a brief search that needs more is given up, or one with more successors of a state.
const (
	BriefStates    = 300
	mostSuccessors = 3000
)

var errTooMany = errors.New("a state has too many successors for a brief search")

// Brief is Interpreted for a brief search, which gives up a state with many successors.
func Brief(
	ctx context.Context, m *interp.Model, claims []*logic.Term, forced map[int]compile.Interval,
) (compile.Program, error) {
	p := newInterpreter(ctx, m, claims, forced)
	p.most = mostSuccessors
	return p, nil
}

// Check evaluates the claims in some states without computing successors, where the program can.
func Check(w compile.Worker, states []uint64) (*compile.Batch, error) {
	if c, ok := w.(interface {
		Check(states []uint64) (*compile.Batch, error)
	}); ok {
		return c.Check(states)
	}
	return w.Expand(states)
}

// Grain is the number of states of a program that are worth a thread.
func Grain(p compile.Program) int {
	if _, ok := p.(*Computed); ok {
		return 64
	}
	if IsSlow(p) {
		return 16
	}
	return store.TaskSize
}

// IsSlow reports whether a program takes long for a state, so that a few states are worth a thread.
func IsSlow(p compile.Program) bool {
	switch p.(type) {
	case *interpreter, *Keyed:
		return true
	}
	return false
}
