package program

import (
	"slices"

	"erelong.dev/erelong/internal/system"
)

// told is a computer that is not asked for what the steps from a state tell: whether one of them
// changes the state, and which. It is asked about steps that it gave, and about the state before.
type told struct {
	system.Computer
	moves []bool // of predicates, by their numbers: see system.Predicate
	steps steps  // of the state
}

// steps are what is known of the steps from a state.
type steps uint8

const (
	unknown steps = iota
	stays         // none changes it
	changes
)

func toldOf(sys *system.System, c system.Computer) *told {
	t := &told{Computer: c}
	for _, d := range sys.Derived {
		if p := d.Predicate; p != nil && p.Moves {
			t.moves = append(t.moves, make([]bool, max(0, p.Number+1-len(t.moves)))...)
			t.moves[p.Number] = true
		}
	}
	return t
}

// Holds is the truth of a predicate.
func (t *told) Holds(predicate int, state, next []int64) (bool, error) {
	if predicate < len(t.moves) && t.moves[predicate] {
		switch {
		case next != nil:
			return !slices.Equal(state, next), nil
		case t.steps != unknown:
			return t.steps == changes, nil
		}
	}
	return t.Computer.Holds(predicate, state, next)
}
