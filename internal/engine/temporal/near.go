package temporal

import (
	"context"
	"errors"
	"fmt"
)

// A violation near the initial states is found before the exploration ends. At the end of some
// levels the properties are checked on the part that is expanded: a fair run that violates a
// property there is one of the whole graph, because a state on a loop is expanded, with all of its
// edges.

// The part is looked at when it has firstLook states, and whenever it is lookFactor times as large
// as at the look before. So most looks together cost a small part of the last check. But a look at
// most of a graph costs as much as the last check. So below manyStates a part is looked at only
// while the graph grows fast: the states that are found and not expanded are an eighth of the
// others.
const firstLook, lookFactor, manyStates = 1 << 12, 16, 1 << 17

// errDecided ends an exploration that need not go on: every property is violated.
var errDecided = errors.New("every property is decided")

// lookNear looks at the part that is expanded, at the end of a level, if that is due. It waits
// while levels become smaller: then the exploration may end soon.
func (s *search) lookNear(ctx context.Context) error {
	open := s.count() - s.Next
	soon := open < s.Next-s.From || s.Next < manyStates && open < s.Next/8
	if s.limits.near == nil || s.Next < s.nextNearCheck || soon || s.unknownFairness() {
		return nil
	}
	decided, err := s.limits.near(ctx, s.expanded())
	switch {
	case err != nil:
		return fmt.Errorf("looking at the first states: %w", err)
	case decided:
		return errDecided
	}
	for s.nextNearCheck <= s.Next {
		s.nextNearCheck *= lookFactor
	}
	return nil
}

// expanded is the graph of the states that are expanded; all others have no edges. It is valid
// until the next state is expanded.
func (s *search) expanded() *graph {
	g := *s.graph
	g.edges = g.edges.copy()
	g.unexpandedFrom = uint32(s.Next)
	g.close()
	return &g
}
