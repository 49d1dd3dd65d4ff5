package compile

import (
	"maps"

	"github.com/tetratelabs/wazero"

	"erelong/internal/interp"
)

// Options of Compile. The zero value works.
type Options struct {
	// Initial states, when the caller has them all; else they are enumerated.
	Initial []interp.State
	// Intervals that slots must at least be able to hold: see Widen.
	Intervals map[int]Interval
	// Cache keeps machine code between compilations of the same module; nil for none.
	Cache wazero.CompilationCache
}

// Interval is the set of the integers from Lo to Hi.
type Interval struct{ Lo, Hi int64 }

func (i Interval) has(v int64) bool        { return i.Lo <= v && v <= i.Hi }
func (i Interval) holds(other Interval) bool { return i.Lo <= other.Lo && other.Hi <= i.Hi }

func (i Interval) union(other Interval) Interval {
	return Interval{min(i.Lo, other.Lo), max(i.Hi, other.Hi)}
}

// Widen gives the options with which to compile again after a *WidthError.
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
