package ranking

import (
	"context"
	"errors"
	"fmt"

	"erelong.dev/erelong/internal/interp"
	"erelong.dev/erelong/internal/logic"
	"erelong.dev/erelong/internal/system"
)

// walk is what was seen of an instance: its reachable states, the nearest ones first.
type walk struct {
	model  *interp.Model
	states []interp.State
	whole  bool // there are no other reachable states
}

// errEnough ends a walk at its limit.
var errEnough = errors.New("there are more states")

// walkThrough finds the states of an instance, and ends where there are more than most. With work,
// it ends after this number of values that are tried, too. It tells visit each step, if it is
// given, as often as there are ways to take it.
func walkThrough(
	ctx context.Context, sys *system.System, in *system.Instance, most int, work *interp.Budget,
	visit func(from int, a *system.Action, args []interp.Arg, to int),
) (*walk, error) {
	m, err := interp.NewModel(sys, in)
	if err != nil {
		return nil, err
	}
	w := &walk{model: m}
	if work != nil {
		m = m.Within(work)
	}
	numbers := map[string]int{}
	place := func(s interp.State) (int, error) {
		key := m.Key(s)
		n, ok := numbers[key]
		if !ok {
			if n = len(w.states); n == most {
				return 0, errEnough
			}
			numbers[key], w.states = n, append(w.states, s)
		}
		return n, nil
	}
	err = m.Initial(ctx, func(s interp.State) error {
		_, err := place(s)
		return err
	})
	for n := 0; err == nil && n < len(w.states); n++ {
		for _, a := range sys.Actions {
			err = m.Steps(ctx, w.states[n], a, func(step interp.Step) error {
				to, err := place(step.State)
				if err == nil && visit != nil {
					visit(n, a, step.Args[:len(a.Params)], to)
				}
				return err
			})
			if err != nil {
				break
			}
		}
	}
	if errors.Is(err, errEnough) || errors.Is(err, interp.ErrWork) {
		return w, nil
	}
	w.whole = err == nil
	return w, err
}

// mostTuples bounds the values of constants that are looked at together.
const mostTuples = 10_000

// tuples lists the values of constants, together.
func (w *walk) tuples(constants []*logic.Symbol) ([][]*logic.Term, error) {
	out := [][]*logic.Term{nil}
	for _, c := range constants {
		values, err := w.values(c)
		if err != nil {
			return nil, err
		}
		if len(out)*len(values) > mostTuples {
			return nil, fmt.Errorf("%s and the variables before it have more than %d values",
				c.Name, mostTuples)
		}
		var longer [][]*logic.Term
		for _, tuple := range out {
			for _, v := range values {
				longer = append(longer, append(tuple[:len(tuple):len(tuple)], v))
			}
		}
		out = longer
	}
	return out, nil
}

// values lists the values of a constant.
func (w *walk) values(c *logic.Symbol) ([]*logic.Term, error) {
	if s := c.Result; s.Kind == logic.KindRange && len(w.states) > 0 {
		if n, err := w.model.Eval(logic.Sub(s.Hi, s.Lo), w.states[0]); err != nil ||
			n >= mostTuples {
			return nil, errors.Join(err, fmt.Errorf("%s has more than %d values", c.Name,
				mostTuples))
		}
	}
	return w.model.Literals(c.Result, c.Name)
}

// fitting lists the values of the variables of a property and of choices with which the choices fit
// in a state, for given values of the variables.
func (w *walk) fitting(
	state int, vars []*logic.Symbol, given []*logic.Term, choices []*choice,
) (out [][]*logic.Term, err error) {
	out = [][]*logic.Term{given}
	constants := vars
	for _, c := range choices {
		constants = append(constants[:len(constants):len(constants)], c.symbol)
		values, err := w.values(c.symbol)
		if err != nil {
			return nil, err
		}
		var longer [][]*logic.Term
		for _, tuple := range out {
			for _, x := range values {
				more := append(tuple[:len(tuple):len(tuple)], x)
				fits, err := w.model.Holds(replace(c.fits(logic.Pre, logic.Pre), constants, more),
					w.states[state])
				if err != nil {
					return nil, err
				}
				if fits {
					longer = append(longer, more)
				}
			}
		}
		out = longer
	}
	return out, nil
}
