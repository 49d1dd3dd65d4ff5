package compile

import "maps"

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
