package conformance

import (
	"context"
	"slices"

	"erelong.dev/erelong/internal/interp"
)

// stuck is an end of a run that was tried, as far as it concerns a lane.
type stuck struct {
	at      int  // the position of the lane
	done    int  // events of all lanes
	differs bool // the next event is possible there, but for what is observed after it
	state   interp.State
}

// stuckNear is the number of events by which a run may be shorter if it says more.
const stuckNear = 100

// weight is greater for a longer run, and for a value that differs: it says more than a requirement
// that is false, since that may only come of the order that was tried.
func (x stuck) weight() int {
	if x.differs {
		return x.done + stuckNear
	}
	return x.done
}

// noteLanes keeps the current pair for the lanes whose next events it explains better than earlier
// ones. It is called where a run ends, so a run that goes on costs nothing.
func (s *search) noteLanes() {
	if s.stuck == nil || len(s.frames) == 0 {
		return
	}
	differs := top(s.frames).differs
	var state interp.State
	for lane, before := range s.stuck {
		now := stuck{s.at[lane], s.done, slices.Contains(differs, lane), nil}
		if now.at == len(s.p.lanes[lane].events) ||
			before.state != nil && now.weight() <= before.weight() {
			continue
		}
		if state == nil {
			state = s.state.State()
		}
		now.state = state
		s.stuck[lane] = now
	}
}

// stuckLanes explains where runs end at each lane, the events that are possible in themselves
// first.
func stuckLanes(ctx context.Context, s *search) ([]StuckNode, error) {
	var possible, blocked []StuckNode
	for lane, x := range s.stuck {
		if x.state == nil {
			continue
		}
		l := s.p.lanes[lane]
		e := l.events[x.at]
		node := StuckNode{Node: l.node, Before: x.done}
		for i, a := range e.alternatives {
			c, err := s.why(ctx, e, a, x.state)
			if err != nil {
				return nil, err
			}
			if i == 0 || len(node.Differs) == 0 && len(c.Differs) > 0 {
				node.Candidate = c
			}
		}
		if len(node.Differs) > 0 {
			possible = append(possible, node)
		} else {
			blocked = append(blocked, node)
		}
	}
	return append(possible, blocked...), nil
}
