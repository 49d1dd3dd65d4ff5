package explicit

import (
	"context"
	"errors"

	"erelong.dev/erelong/internal/compile"
	"erelong.dev/erelong/internal/interp"
	"erelong.dev/erelong/internal/logic"
)

// makeProgram makes the program that expands states. Forced are intervals that slots must have room
// for.
type makeProgram func(
	ctx context.Context, m *interp.Model, claims []*logic.Term, forced map[int]compile.Interval,
) (compile.Program, error)

// interpretedProgram asks the interpreter for everything.
func interpretedProgram(
	ctx context.Context, m *interp.Model, claims []*logic.Term, forced map[int]compile.Interval,
) (compile.Program, error) {
	return newInterpreted(ctx, m, claims, forced), nil
}

// isEvaluation reports whether an error comes from evaluating a term or an action, rather than from
// the machinery.
func isEvaluation(err error) bool {
	var action *interp.ActionError
	var term *interp.EvalError
	return errors.As(err, &action) || errors.As(err, &term)
}

// compiledProgram compiles a model, and falls back to the interpreter for what cannot be compiled.
func compiledProgram(
	ctx context.Context, m *interp.Model, claims []*logic.Term, forced map[int]compile.Interval,
) (compile.Program, error) {
	return compiledWith(ctx, m, claims, compile.Options{Intervals: forced})
}

// bindingProgram is a compiledProgram that gives the values of parameters.
func bindingProgram(
	ctx context.Context, m *interp.Model, claims []*logic.Term, forced map[int]compile.Interval,
) (compile.Program, error) {
	return compiledWith(ctx, m, claims, compile.Options{Intervals: forced, Bindings: true})
}

func compiledWith(
	ctx context.Context, m *interp.Model, claims []*logic.Term, opts compile.Options,
) (compile.Program, error) {
	p, err := compile.Compile(ctx, m, claims, opts)
	if errors.Is(err, compile.ErrUnsupported) || isEvaluation(err) ||
		err != nil && ctx.Err() != nil {
		// The search will meet an error of the initial states, or the end of ctx, again, and report
		// it in its results.
		p := newInterpreted(ctx, m, claims, opts.Intervals)
		if opts.Bindings {
			p.tellBindings()
		}
		return p, nil
	}
	return p, err
}
