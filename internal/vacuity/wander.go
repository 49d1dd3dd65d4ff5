package vacuity

import (
	"context"
	"errors"
	"math/rand"
	"slices"

	"erelong.dev/erelong/internal/interp"
	"erelong.dev/erelong/internal/system"
)

// Limits of Wander. It takes a fraction of the time of a compilation.
const (
	walks     = 12
	walkSteps = 24
	decisions = 256 // for one initial state
	choices   = 32  // steps of one action among which one is chosen
)

// Wander takes a few random walks through an instance. It gives the signs that are not seen, and
// the actions that are not taken. A walk is a run, so what it shows is possible; what it does not
// show may be possible, too. Walks reach deep states soon, where a breadth-first search needs
// thousands of states: an action goes first that was taken least. The choices depend on the
// system alone.
func Wander(
	ctx context.Context, sys *system.System, inst *system.Instance, signs []Sign, actions []string,
) ([]Sign, []string) {
	w := &walker{sys: sys, rng: rand.New(rand.NewSource(1)), taken: map[string]int{},
		signs: slices.Clone(signs), actions: slices.Clone(actions)}
	var err error
	if w.model, err = interp.NewModel(sys, inst); err != nil {
		return w.signs, w.actions
	}
	for range walks {
		if len(w.signs) == 0 && len(w.actions) == 0 || ctx.Err() != nil || !w.walk(ctx) {
			break
		}
	}
	return w.signs, w.actions
}

// walker holds what is not yet seen.
type walker struct {
	sys     *system.System
	model   *interp.Model
	rng     *rand.Rand
	taken   map[string]int // steps by action
	signs   []Sign
	actions []string
}

// walk takes one walk, and reports whether it could begin.
func (w *walker) walk(ctx context.Context) bool {
	state, _, err := w.model.Sample(ctx, w.rng, decisions)
	if err != nil || state == nil {
		return false
	}
	w.look(state, true)
	for range walkSteps {
		if len(w.signs) == 0 && len(w.actions) == 0 {
			return true
		}
		if state = w.step(ctx, state); state == nil {
			return true
		}
		w.look(state, false)
	}
	return true
}

// look drops the signs that are true in a state.
func (w *walker) look(state interp.State, initial bool) {
	w.signs = slices.DeleteFunc(w.signs, func(s Sign) bool {
		if s.Run || s.Initial && !initial {
			return false
		}
		holds, err := w.model.Holds(s.Term, state)
		return err == nil && holds
	})
}

// step takes a random step of an action that was taken least, nil if there is none.
func (w *walker) step(ctx context.Context, from interp.State) interp.State {
	order := w.rng.Perm(len(w.sys.Actions))
	slices.SortStableFunc(order, func(i, j int) int {
		return w.taken[w.sys.Actions[i].Name] - w.taken[w.sys.Actions[j].Name]
	})
	for _, i := range order {
		a := w.sys.Actions[i]
		var to interp.State
		count := 0
		err := w.model.Steps(ctx, from, a, func(s interp.Step) error {
			if count++; w.rng.Intn(count) == 0 {
				to = s.State
			}
			if count == choices {
				return interp.ErrStop
			}
			return nil
		})
		if err != nil && !errors.Is(err, interp.ErrStop) {
			return nil
		}
		if to != nil {
			w.taken[a.Name]++
			w.actions = slices.DeleteFunc(w.actions, func(name string) bool {
				return name == a.Name
			})
			return to
		}
	}
	return nil
}
