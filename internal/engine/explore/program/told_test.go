package program

import (
	"testing"

	"erelong.dev/erelong/internal/system"
)

// refusing is a computer that is asked for nothing but the predicate 0, which is true.
type refusing struct {
	system.Computer
	t *testing.T
}

func (r refusing) Holds(predicate int, _, _ []int64) (bool, error) {
	if predicate != 0 {
		r.t.Errorf("predicate %d is asked for", predicate)
	}
	return true, nil
}

func TestTold(t *testing.T) {
	sys := &system.System{Derived: []*system.Derived{{}, {Predicate: &system.Predicate{}},
		{Predicate: &system.Predicate{Number: 2, OfStep: true, Moves: true}},
		{Predicate: &system.Predicate{Number: 1, Moves: true}}}}
	of := toldOf(sys, refusing{t: t})
	a, b := []int64{1, 2}, []int64{1, 3}
	holds := func(predicate int, state, next []int64) bool {
		yes, err := of.Holds(predicate, state, next)
		if err != nil {
			t.Error(err)
		}
		return yes
	}
	if !holds(0, a, nil) || !holds(2, a, b) || holds(2, a, []int64{1, 2}) {
		t.Error("a step that changes the state is not told from another one")
	}
	if of.steps = stays; holds(1, a, nil) {
		t.Error("no step changes the state, but one is possible")
	}
	if of.steps = changes; !holds(1, a, nil) {
		t.Error("a step changes the state, but none is possible")
	}
	if len(of.moves) != 3 || of.moves[0] {
		t.Errorf("the steps tell %v", of.moves)
	}
}
