package verify

import (
	"fmt"

	"erelong.dev/erelong/internal/system"
)

// whyNotTemporal is the reason why a temporal property was not checked.
func (r *run) whyNotTemporal(p *system.Property) string {
	if r.o.Explore && !r.o.Inductive {
		return fmt.Sprintf("%s properties are checked on finite instances, and none was explored",
			p.Kind)
	}
	if p.Kind == system.Liveness {
		return "liveness properties are checked on finite instances by verify and check, and " +
			"proved by verify and live"
	}
	return fmt.Sprintf("%s properties are checked on finite instances only, by verify and check",
		p.Kind)
}
