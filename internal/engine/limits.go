package engine

import (
	"fmt"

	"erelong.dev/erelong/internal/result"
)

// Limits end a task early. The zero value is no limit.
type Limits struct {
	States int64 // states to keep
	Depth  int64 // states of a run
	Each   *result.Limit
	// Additions to the reasons at the limits of states and depth: the options that set or lift
	// them.
	StatesNote, DepthNote string
	InitialNote           string // where not even all initial states were looked at
}

// AtStates is the reason of an exploration that ended at the limit of states, with this number.
func (l *Limits) AtStates(states int) result.Reason {
	return result.Because(result.Bounded,
		fmt.Sprintf("stopped at the limit of %d states%s", states, l.StatesNote))
}

// AtDepth is the reason of an exploration that ended at the limit of depth.
func (l *Limits) AtDepth() result.Reason {
	return result.Because(result.Bounded,
		fmt.Sprintf("stopped at the limit of %d states a run%s", l.Depth, l.DepthNote))
}

// Outside is the reason of an exploration that met states outside a range.
func Outside(property string) result.Reason {
	return result.Because(result.Bounded,
		fmt.Sprintf("states that violate %s were not explored further", property))
}
