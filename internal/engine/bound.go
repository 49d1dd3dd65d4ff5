package engine

import (
	"erelong.dev/erelong/internal/result"
	"erelong.dev/erelong/internal/system"
)

// Bound says which steps of a system its front end left out until now.
func Bound(sys *system.System) result.Reason {
	if c := sys.Computed; c != nil {
		if b, ok := c.Computed.(system.Bounding); ok && b.Bound() != "" {
			return result.Because(result.Bounded, b.Bound())
		}
	}
	return result.Reason{}
}
