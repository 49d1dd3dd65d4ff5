package compile

import (
	"errors"
	"fmt"
	"maps"
	"math"
	"testing"
)

// Widen gives the options for the next compilation after a *WidthError.
func (o Options) Widen(e *WidthError) Options {
	intervals := maps.Clone(o.Intervals)
	if intervals == nil {
		intervals = map[int]Interval{}
	}
	wide, ok := intervals[e.Slot]
	if !ok {
		wide = Interval{e.Value, e.Value}
	}
	intervals[e.Slot] = wide.union(Interval{e.Value, e.Value})
	o.Intervals = intervals
	return o
}

func TestWiden(t *testing.T) {
	slots, other := map[int]Interval{}, errors.New("another error")
	if again, err := Widen(slots, nil); again || err != nil {
		t.Error(again, err)
	}
	if again, err := Widen(slots, other); again || err != other || len(slots) > 0 {
		t.Error(again, err, slots)
	}
	for _, v := range []int64{7, -300, math.MaxInt64} {
		again, err := Widen(slots, fmt.Errorf("round: %w", &WidthError{3, v}))
		if !again || err != nil || !slots[3].holds(Interval{v, v}) {
			t.Error(v, again, err, slots)
		}
	}
	all := slots[3]
	again, err := Widen(slots, &WidthError{3, 1})
	if want := (Interval{math.MinInt64, math.MaxInt64}); all != want || again || err == nil {
		t.Error(all, again, err)
	}
}
