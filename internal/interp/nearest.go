package interp

import (
	"context"
	"errors"
	"slices"

	"erelong.dev/erelong/internal/system"
)

// Reached is a state that a search has found, and how.
type Reached struct {
	State State
	// index of the state before it, -1 for a state from which the search began
	Parent int
	Action *system.Action // nil for such a state
	Args   []Arg
}

// ErrLeaf is what the callback of Nearest returns for a state from which the search does not go on.
var ErrLeaf = errors.New("leaf")

// Nearest finds states breadth-first, each once, for searches that are small: package explicit is
// for the others. It begins with the given states, or with the initial states where none are given.
// After each state that it finds it calls visit with all of them; that one is the last. The error
// ErrStop ends the search, which then returns no error.
func (m *Model) Nearest(
	ctx context.Context, from []State, visit func(found []Reached) error,
) ([]Reached, error) {
	n := &nearest{Model: m, visit: visit, known: map[string]bool{}}
	if from == nil {
		if err := m.Initial(ctx, func(s State) error {
			return n.add(Reached{State: s, Parent: -1})
		}); err != nil {
			return n.found, err
		}
	}
	for _, s := range from {
		if err := n.add(Reached{State: s, Parent: -1}); err != nil && !n.over {
			return n.found, err
		}
	}
	for i := 0; i < len(n.found) && !n.over; i++ {
		if err := n.expand(ctx, i); err != nil {
			return n.found, err
		}
	}
	return n.found, nil
}

// nearest is a search.
type nearest struct {
	*Model
	visit func(found []Reached) error
	found []Reached
	leaf  []bool
	known map[string]bool // by the keys of states
	key   []byte
	over  bool // visit gave ErrStop, of which the enumerations that it ends return no error
}

func (n *nearest) add(r Reached) error {
	n.key = n.AppendKey(n.key[:0], r.State)
	if n.over || n.known[string(n.key)] {
		return nil
	}
	n.known[string(n.key)] = true
	n.found = append(n.found, r)
	err := n.visit(n.found)
	leaf := errors.Is(err, ErrLeaf)
	n.leaf = append(n.leaf, leaf)
	if leaf {
		return nil
	}
	n.over = errors.Is(err, ErrStop)
	return err
}

func (n *nearest) expand(ctx context.Context, i int) error {
	if n.leaf[i] {
		return nil
	}
	err := n.EachStep(ctx, n.found[i].State, func(s Step) error {
		if s.Outside {
			return nil
		}
		return n.add(Reached{State: s.State, Parent: i, Action: s.Action, Args: s.Args})
	})
	if err != nil || n.over {
		return err
	}
	return ctx.Err()
}

// Path lists the states that lead to one that a search has found, from where it began.
func Path(found []Reached, to int) []Reached {
	var path []Reached
	for i := to; i >= 0; i = found[i].Parent {
		path = append(path, found[i])
	}
	slices.Reverse(path)
	return path
}
