package explicit

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"erelong.dev/erelong/internal/engine"
	"erelong.dev/erelong/internal/interp"
	"erelong.dev/erelong/internal/logic"
	"erelong.dev/erelong/internal/result"
	"erelong.dev/erelong/internal/system"
)

// Sequences without a bound have places for some elements, and a step that needs more is left out.
// So an exploration has to show that there is no such step. Where there is one, the exploration is
// made again with twice the places, up to mostPlaces.
const (
	fewestPlaces int64 = 2
	mostPlaces   int64 = 64
)

// growing explores with as many places as the sequences need. Places that the instance fixes are a
// bound that the user has chosen.
func growing(
	ctx context.Context, sys *system.System, inst *system.Instance, opts Options,
) (*Exploration, error) {
	room := sys.Room(inst)
	if len(sys.Growing(inst)) == 0 {
		return attempts(ctx, sys, inst, opts)
	}
	if opts.Crew != nil || opts.Member != nil || opts.Checkpoint.Dir != "" {
		return nil, engine.Unfit(fmt.Errorf("a divided run, and one with checkpoints, explores "+
			"with one number of places: %s", sys.Unbounded(inst)))
	}
	watched := *sys
	watched.Properties = slices.Concat(sys.Properties, room)
	if opts.Only != nil {
		opts.Only = slices.Clone(opts.Only)
		for _, p := range room {
			opts.Only = append(opts.Only, p.Name)
		}
	}
	opts.Sink = withoutRoom(opts.Sink)
	longest, open := sys.LongestStart(inst)
	places := max(fewestPlaces, longest)
	if open != nil {
		var err error
		if places, err = startPlaces(ctx, sys, inst, places); err != nil {
			return nil, err
		}
	}
	for ; ; places *= 2 {
		x, err := attempts(ctx, &watched, sys.Placed(inst, places), opts)
		if err != nil {
			return nil, err
		}
		full := x.takeRoom(room)
		switch {
		case full == nil, x.violatedBy(full.Depth):
			return x, nil
		case places >= mostPlaces:
			x.doubt(full)
			return x, nil
		}
	}
}

// startPlaces is a number of places with which there are all initial states: as many as with more
// places than the initial conditions and the instance speak of.
func startPlaces(
	ctx context.Context, sys *system.System, inst *system.Instance, places int64,
) (int64, error) {
	most := mostPlaces
	for _, n := range inst.Values {
		if n.Op == logic.OpInt && n.Int.IsInt64() {
			most += max(n.Int.Int64(), -n.Int.Int64())
		}
	}
	for _, f := range sys.Inits {
		logic.Walk(f.Term, func(t *logic.Term) bool {
			if t.Op == logic.OpInt && t.Int.IsInt64() {
				most += max(t.Int.Int64(), -t.Int.Int64())
			}
			return true
		})
	}
	all, err := initialCount(ctx, sys, sys.Placed(inst, most))
	for ; err == nil && places < most; places *= 2 {
		var some int
		if some, err = initialCount(ctx, sys, sys.Placed(inst, places)); some == all {
			break
		}
	}
	return places, err
}

// mostStarts is the number of initial states from which on they are not counted.
const mostStarts = 1 << 16

func initialCount(ctx context.Context, sys *system.System, in *system.Instance) (int, error) {
	m, err := interp.NewModel(sys, in)
	if err != nil {
		return 0, err
	}
	n := 0
	err = m.Initial(ctx, func(interp.State) error {
		if n++; n > mostStarts {
			return engine.Unfit(fmt.Errorf("the initial conditions leave the sizes of sequences "+
				"open: %s", sys.Unbounded(nil)))
		}
		return nil
	})
	return n, err
}

// withoutRoom passes on what is not about places.
func withoutRoom(to engine.Sink) engine.Sink {
	tell := to.Progress
	if tell != nil {
		to.Progress = func(p engine.Progress) {
			if !strings.HasPrefix(p.Text, system.RoomPrefix) {
				tell(p)
			}
		}
	}
	return to
}

// takeRoom takes the results about places out, and gives the first one that is violated, nil if
// there is none.
func (x *Exploration) takeRoom(room []*system.Property) (full *result.Result) {
	of := func(r result.Result) bool {
		return slices.ContainsFunc(room, func(p *system.Property) bool {
			return p.Name == r.Property
		})
	}
	for _, r := range x.Results {
		if of(r) && r.Verdict == result.Violated && (full == nil || r.Depth < full.Depth) {
			full = &r
		}
	}
	x.Results = slices.DeleteFunc(x.Results, of)
	return full
}

// violatedBy reports whether every property is violated by a run that is no longer than the
// shortest one to a state without room. Then more places change nothing.
func (x *Exploration) violatedBy(depth int64) bool {
	return !slices.ContainsFunc(x.Results, func(r result.Result) bool {
		return r.Verdict != result.Violated || r.Depth > depth
	})
}

// doubt takes away the verdicts that rest on steps that were left out.
func (x *Exploration) doubt(full *result.Result) {
	x.Stats.Complete = false
	for i := range x.Results {
		if r := &x.Results[i]; r.Verdict == result.Holds || r.Verdict == result.HoldsUpTo {
			r.Verdict = result.HoldsUpTo
			r.Reason = result.Because(result.Bounded, fmt.Sprintf("a sequence without a bound "+
				"gets more than %d elements after %d steps; longer ones were not explored",
				mostPlaces, full.Depth-1))
		}
	}
}
