package explicit

import (
	"context"
	"errors"

	"erelong/internal/compile"
	"erelong/internal/interp"
	"erelong/internal/logic"
)

// isEvaluation reports whether an error is one of evaluating a term or an action, rather than one of the machinery.
func isEvaluation(err error, action **interp.ActionError) bool {
	var term *interp.EvalError
	return errors.As(err, action) || errors.As(err, &term)
}

// makeProgram compiles a model, or falls back to the interpreter.
type makeProgram func(ctx context.Context, m *interp.Model, claims []*logic.Term, forced map[int]interval) (compile.Program, error)

func interpretedProgram(ctx context.Context, m *interp.Model, claims []*logic.Term, forced map[int]interval) (compile.Program, error) {
	return newInterpreted(ctx, m, claims, forced), nil
}
