package interp

import (
	"fmt"
	"strings"

	"erelong.dev/erelong/internal/system"
)

// ActionError says that an action could not be evaluated in a state.
type ActionError struct {
	Model  *Model
	Action *system.Action // nil where it is not known which one
	Args   []Arg
	Err    error
}

func (e *ActionError) Error() string {
	if e.Action == nil {
		return fmt.Sprintf("the steps from a state: %v", e.Err)
	}
	parts := make([]string, len(e.Args))
	for i, a := range e.Args {
		parts[i] = fmt.Sprintf("%s = %s", a.Var, e.Model.value(a.Var.Sort, a.Value))
	}
	return fmt.Sprintf("action %s(%s): %v", e.Action.Name, strings.Join(parts, ", "), e.Err)
}

func (e *ActionError) Unwrap() error { return e.Err }

// outsideError carries an error of yield through a run.
type outsideError struct{ error }

func (e *outsideError) Unwrap() error { return e.error }
