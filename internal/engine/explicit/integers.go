package explicit

import (
	"context"
	"errors"
	"fmt"

	"erelong.dev/erelong/internal/engine"
	"erelong.dev/erelong/internal/interp"
	"erelong.dev/erelong/internal/logic"
	"erelong.dev/erelong/internal/system"
	"erelong.dev/erelong/internal/vacuity"
)

// Sets and maps of integers without a range hold the integers of a window. A step that leaves it is
// left out, so the exploration is made again with a larger window, up to mostIntegers.
const (
	fewestIntegers int64 = 4
	mostIntegers   int64 = 1024
)

// firstWindow is where an exploration begins: the small integers that the file speaks of.
func firstWindow(sys *system.System, in *system.Instance) *system.Window {
	w := &system.Window{Hi: fewestIntegers - 1}
	visit := func(t *logic.Term) bool {
		if t.Op == logic.OpInt && t.Int.IsInt64() && t.Int.Int64() < mostIntegers/4 {
			w.Lo = min(w.Lo, max(t.Int.Int64(), -mostIntegers/4))
			w.Hi = max(w.Hi, t.Int.Int64())
		}
		return true
	}
	for _, f := range sys.Inits {
		logic.Walk(f.Term, visit)
	}
	for _, v := range in.Values {
		visit(v)
	}
	return w
}

// startIntegers makes the window so large that it has the integers of all initial states.
func (g *growth) startIntegers(ctx context.Context) error {
	for {
		n, err := system.Narrow(ctx, g.sys, *g.window)
		if err != nil {
			return g.infinite(err)
		}
		m, err := interp.NewModel(n.Start, n.Start.Placed(g.inst, max(fewestPlaces, g.places)))
		if err != nil {
			return err
		}
		count, suffices := 0, true
		err = m.Initial(ctx, func(s interp.State) error {
			if count++; count > mostStarts {
				return g.infinite(errors.New("the initial conditions leave too much open"))
			}
			ok, err := m.Holds(n.Within, s)
			suffices = suffices && ok
			return err
		})
		if err != nil || suffices {
			return g.infinite(err)
		}
		g.window.Lo, g.window.Hi = 2*g.window.Lo-fewestIntegers, 2*g.window.Hi+fewestIntegers
		if g.window.Hi-g.window.Lo > 2*mostIntegers {
			return g.infinite(fmt.Errorf("initial states have more than %d integers, or larger "+
				"ones", mostIntegers))
		}
	}
}

// infinite words why it is not known which integers sets and maps have.
func (g *growth) infinite(err error) error {
	var narrow *system.NarrowError
	var value *interp.EvalError
	switch {
	case err == nil || engine.IsRefusal(err) || errors.Is(err, context.Canceled) ||
		errors.Is(err, context.DeadlineExceeded):
		return err
	case errors.As(err, &narrow):
		return interp.Infinite(g.sys, narrow.Symbol, narrow.Why)
	case errors.As(err, &value), errors.Unwrap(err) == nil:
		return interp.Infinite(g.sys, system.Sparse(g.sys)[0], err.Error())
	}
	return err
}

// narrowSigns are signs about the symbols of the window, with the terms that they were made of.
func narrowSigns(
	signs []vacuity.Sign, n *system.Narrowed,
) (out []vacuity.Sign, written map[*logic.Term]*logic.Term) {
	if signs == nil {
		return nil, nil
	}
	out, written = []vacuity.Sign{}, map[*logic.Term]*logic.Term{}
	for _, s := range signs {
		t := n.Term(s.Term)
		if t == s.Term { // a copy: terms are told apart by their pointers
			c := *t
			t = &c
		}
		written[t] = s.Term
		s.Term = t
		out = append(out, s)
	}
	return out, written
}
