package explicit

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"

	"erelong.dev/erelong/internal/engine"
	"erelong.dev/erelong/internal/interp"
	"erelong.dev/erelong/internal/logic"
	"erelong.dev/erelong/internal/result"
	"erelong.dev/erelong/internal/system"
	"erelong.dev/erelong/internal/vacuity"
)

// Sequences without a bound have places for some elements, and a step that needs more is left out.
// So an exploration has to show that there is no such step. Where there is one, the exploration is
// made again with twice the places, up to mostPlaces.
const (
	fewestPlaces int64 = 2
	mostPlaces   int64 = 64
)

// growing explores with as many places as the sequences need, and with as many integers as the sets
// and maps need. What the instance fixes is a bound that the user has chosen.
func growing(
	ctx context.Context, sys *system.System, inst *system.Instance, opts Options,
) (*Exploration, error) {
	g := newGrowth(sys, inst, opts)
	if len(sys.Growing(inst)) == 0 && g.window == nil {
		return attempts(ctx, sys, inst, opts)
	}
	if opts.Crew != nil || opts.Member != nil || opts.Checkpoint.Dir != "" {
		return nil, engine.Unfit(fmt.Errorf("a divided run, and one with checkpoints, explores "+
			"with one number of places: %s", cmp.Or(sys.Unbounded(inst), "sets and maps of "+
			"integers without a range take as many integers as they need: write a range, such as "+
			"0..9, in place of int")))
	}
	g.opts.Sink = withoutRoom(opts.Sink)
	if err := g.begin(ctx); err != nil {
		return nil, err
	}
	for {
		x, room, err := g.explore(ctx)
		if err != nil {
			return nil, err
		}
		full, err := x.takeRoom(room)
		if err != nil {
			return nil, g.infinite(err)
		}
		if full == nil || x.violatedBy(full.Depth) {
			return x, nil
		}
		if most := g.most(full.Property); !g.grow(full.Property) {
			x.doubt(full, most)
			return x, nil
		}
	}
}

// growth is an exploration that is made again with more places, or with more integers.
type growth struct {
	sys    *system.System
	inst   *system.Instance
	opts   Options
	places int64
	window *system.Window // of the integers in sets and keys; nil where there are none
}

func newGrowth(sys *system.System, inst *system.Instance, opts Options) *growth {
	g := &growth{sys: sys, inst: inst, opts: opts}
	if len(system.Sparse(sys)) > 0 {
		g.window = firstWindow(sys, inst)
	}
	return g
}

// narrowed is the system with the integers that there are now.
func (g *growth) narrowed(ctx context.Context) (*system.System, error) {
	if g.window == nil {
		return g.sys, nil
	}
	n, err := system.Narrow(ctx, g.sys, *g.window)
	if err != nil {
		return nil, err
	}
	return n.System, nil
}

// begin chooses places and integers with which there are all initial states.
func (g *growth) begin(ctx context.Context) error {
	if g.window != nil {
		if err := g.startIntegers(ctx); err != nil {
			return err
		}
	}
	longest, open := g.sys.LongestStart(g.inst)
	g.places = max(fewestPlaces, longest)
	if open == nil {
		return nil
	}
	sys, err := g.narrowed(ctx)
	if err != nil {
		return err
	}
	g.places, err = startPlaces(ctx, sys, g.inst, g.places)
	return err
}

// explore explores with the places and integers that there are now. Room claims that they suffice.
func (g *growth) explore(ctx context.Context) (x *Exploration, room []*system.Property, err error) {
	sys, opts := g.sys, g.opts
	var written map[*logic.Term]*logic.Term
	if g.window != nil {
		n, err := system.Narrow(ctx, sys, *g.window)
		if err != nil {
			return nil, nil, g.infinite(err)
		}
		sys, room = n.System, []*system.Property{n.Below, n.Above}
		opts.Signs, written = narrowSigns(opts.Signs, n)
	}
	room = append(room, sys.Room(g.inst)...)
	watched := *sys
	watched.Properties = slices.Concat(sys.Properties, room)
	if opts.Only != nil {
		opts.Only = slices.Clone(opts.Only)
		for _, p := range room {
			opts.Only = append(opts.Only, p.Name)
		}
	}
	x, err = attempts(ctx, &watched, sys.Placed(g.inst, max(g.places, 1)), opts)
	if err != nil {
		return nil, nil, err
	}
	for _, signs := range [][]vacuity.Sign{x.Stats.Vacuous, x.Stats.Shown} {
		for i := range signs {
			if t := written[signs[i].Term]; t != nil {
				signs[i].Term = t
			}
		}
	}
	return x, room, nil
}

// grow takes more of what did not suffice, and reports whether there may be more.
func (g *growth) grow(room string) bool {
	switch room {
	case system.RoomBelow:
		g.window.Lo = 2*g.window.Lo - fewestIntegers
	case system.RoomAbove:
		g.window.Hi += max(g.window.Hi, fewestIntegers)
	default:
		g.places *= 2
		return g.places <= mostPlaces
	}
	return g.window.Hi-g.window.Lo < mostIntegers
}

// most says what a state would need, and after how many steps.
func (g *growth) most(room string) string {
	switch room {
	case system.RoomBelow, system.RoomAbove:
		return fmt.Sprintf("a set or map of integers without a range needs some outside of "+
			"%d..%d after %%d steps; what follows was not explored: write a range, such as 0..9, "+
			"in place of int", g.window.Lo, g.window.Hi)
	}
	return fmt.Sprintf("a sequence without a bound gets more than %d elements after %%d steps; "+
		"longer ones were not explored", mostPlaces)
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

// takeRoom takes the results about places and integers out, and gives the first one that is
// violated, nil if there is none. It is an error if it is not known of one whether it is.
func (x *Exploration) takeRoom(room []*system.Property) (full *result.Result, err error) {
	of := func(r result.Result) bool {
		return slices.ContainsFunc(room, func(p *system.Property) bool {
			return p.Name == r.Property
		})
	}
	for _, r := range x.Results {
		switch {
		case !of(r):
		case r.Verdict == result.Unknown && (r.Reason.Code == result.Unsupported ||
			r.Reason.Code == result.OutsideOfRange):
			err = errors.New(r.Reason.Text)
		case r.Verdict != result.Violated:
		case full == nil || r.Depth < full.Depth:
			full = &r
		}
	}
	x.Results = slices.DeleteFunc(x.Results, of)
	return full, err
}

// violatedBy reports whether every property is violated by a run that is no longer than the
// shortest one to a state without room. Then more places change nothing.
func (x *Exploration) violatedBy(depth int64) bool {
	return !slices.ContainsFunc(x.Results, func(r result.Result) bool {
		return r.Verdict != result.Violated || r.Depth > depth
	})
}

// doubt takes away the verdicts that rest on steps that were left out.
func (x *Exploration) doubt(full *result.Result, most string) {
	x.Stats.Complete = false
	for i := range x.Results {
		if r := &x.Results[i]; r.Verdict == result.Holds || r.Verdict == result.HoldsUpTo {
			r.Verdict = result.HoldsUpTo
			r.Reason = result.Because(result.Bounded, fmt.Sprintf(most, full.Depth-1))
		}
	}
}
