package system

import (
	"slices"

	"erelong.dev/erelong/internal/logic"
)

// LargeValue is a number of nodes of a new value from which on a step is large: it has hundreds of
// branches in a row, in which solvers get lost.
const LargeValue = 2000

// HasLargeSteps reports whether some action has a large new value.
func (s *System) HasLargeSteps() bool {
	large := func(u Update) bool { return logic.Size(u.Value) >= LargeValue }
	return slices.ContainsFunc(s.Actions, func(a *Action) bool {
		return a.Relation != nil && slices.ContainsFunc(a.Relation.Updates, large)
	})
}

// OneInstance reports whether the system has only one instance: it has neither sizes nor
// parameters.
func (s *System) OneInstance() bool {
	sized := func(x *logic.Sort) bool { return x.Kind == logic.KindUninterpreted }
	parameter := func(x *logic.Symbol) bool { return !x.Mutable }
	return !slices.ContainsFunc(s.Sorts, sized) && !slices.ContainsFunc(s.Symbols, parameter)
}

// BeyondConstants says what of a system is more than constants that actions change by formulas: a
// symbol with arguments or a definition, an invariant that is assumed, an action without a formula.
// It is empty where nothing is.
func (s *System) BeyondConstants() string {
	for _, sym := range s.Symbols {
		switch {
		case len(sym.Args) > 0:
			return sym.Name + " has arguments"
		case sym.Derived:
			return sym.Name + " is defined by a formula"
		}
	}
	if assumed := s.Trusted(); len(assumed) > 0 {
		return assumed[0].Name + " is assumed without proof"
	}
	for _, a := range s.Actions {
		if a.Relation == nil {
			return a.Name + " has no formula"
		}
	}
	return ""
}
