package engine

import (
	"errors"
	"fmt"

	"erelong.dev/erelong/internal/diag"
	"erelong.dev/erelong/internal/interp"
	"erelong.dev/erelong/internal/result"
	"erelong.dev/erelong/internal/symmetry"
	"erelong.dev/erelong/internal/system"
)

// IsRefusal reports whether an error says that an instance cannot be explored, rather than that
// something broke.
func IsRefusal(err error) bool {
	var size *interp.SizeError
	var value *interp.ValueError
	var infinite *interp.InfiniteError
	var many *interp.TooManyError
	var asymmetric *symmetry.Error
	var list *system.ListError
	return errors.As(err, &list) || errors.As(err, &many) || errors.As(err, &asymmetric) ||
		errors.As(err, &size) || errors.As(err, &value) || errors.As(err, &infinite)
}

// OptionError says that an option does not go with the others, with the instance, or with a folder
// that it names. Whoever gave it can choose another one.
type OptionError struct{ error }

// Unfit makes an OptionError.
func Unfit(err error) error {
	if err == nil {
		return nil
	}
	return &OptionError{err}
}

func (e *OptionError) Unwrap() error { return e.error }

// Unevaluated is the reason of a result where a term or a step has no value.
func Unevaluated(err error, text string) result.Reason {
	var term *interp.EvalError
	if errors.As(err, &term) && term.Outside {
		return result.Because(result.OutsideOfRange, text)
	}
	return result.Because(result.Unsupported, text)
}

// Refusal words a refusal: as a message about the file where the file is at fault.
func Refusal(err error, in *system.Instance) error {
	if d := interp.Diagnostic(err, in); d != nil {
		return &diag.List{All: []*diag.Diagnostic{d}}
	}
	return fmt.Errorf("instance %s: %w", in.Name, err)
}
