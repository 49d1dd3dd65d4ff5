package system

import (
	"slices"

	"erelong.dev/erelong/internal/logic"
)

// Window is the integers from Lo to Hi.
type Window struct{ Lo, Hi int64 }

// Bounds of a window that is chosen for an instance: on what the numbers of a file add to it, and
// its least upper end.
const (
	farthest  = 4
	leastHigh = 2
)

// WindowFor is a window of the integers for an instance, where symbols have integers as arguments:
// from below the smallest number of initial conditions and properties, to above the sizes and the
// parameters. It is nil where no symbol has an integer as argument.
func (s *System) WindowFor(in *Instance) *Window {
	if !s.TakesIntegers() {
		return nil
	}
	w := &Window{Hi: leastHigh}
	for _, n := range in.Sizes {
		w.Hi = max(w.Hi, int64(n))
	}
	for _, v := range in.Values {
		if v.Op == logic.OpInt && v.Int.IsInt64() {
			w.Hi = max(w.Hi, min(v.Int.Int64(), farthest))
		}
	}
	visit := func(t *logic.Term) bool {
		if t.Op == logic.OpInt && t.Int.IsInt64() {
			w.Lo = min(w.Lo, max(t.Int.Int64(), -farthest))
		}
		return true
	}
	for _, x := range s.Inits {
		logic.Walk(x.Term, visit)
	}
	for _, p := range s.Properties {
		logic.Walk(p.Term, visit)
	}
	w.Lo--
	w.Hi++
	return w
}

// TakesIntegers reports whether symbols have integers as arguments that no definition gives their
// values.
func (s *System) TakesIntegers() bool {
	return slices.ContainsFunc(s.Symbols, func(sym *logic.Symbol) bool {
		return !sym.Derived && slices.Contains(sym.Args, logic.Int)
	})
}
