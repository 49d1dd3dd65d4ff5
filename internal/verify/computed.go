package verify

import (
	"fmt"

	"erelong.dev/erelong/internal/engine"
	"erelong.dev/erelong/internal/system"
)

// notProved is the reason why nothing of a computed system is given to solvers.
func notProved(sys *system.System) string {
	return fmt.Sprintf("%s is explored, and not given to provers: its values are not of "+
		"first-order logic", sys.Computed.Language())
}

// leaveProofs leaves the methods that need formulas out of a request about a computed system.
// The note says that they are left out.
func leaveProofs(o *Options, sys *system.System) (note string, err error) {
	if sys.Computed == nil {
		return "", nil
	}
	if o.Inductive {
		return "", engine.Unfit(sys.NeedsFormulas("be explored from all states that satisfy its " +
			"properties"))
	}
	if o.Prove || o.Live || o.Bound {
		note = notProved(sys)
	}
	o.Prove, o.Live, o.Bound, o.Infer, o.Observe = false, false, false, false, false
	return note, nil
}
