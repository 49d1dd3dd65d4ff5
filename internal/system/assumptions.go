package system

import (
	"slices"

	"erelong.dev/erelong/internal/logic"
	"erelong.dev/erelong/internal/result"
)

// Assumptions lists the formulas that engines assume in every state without proof.
func (s *System) Assumptions() (out []result.Assumption) {
	for _, p := range s.Properties {
		if p.Kind == Trusted {
			out = append(out, result.Assumption{
				Name: p.Name, Kind: result.TrustedInvariant, Line: p.Span.Line(),
				Text: p.Term.String(),
			})
		}
	}
	return out
}

// OneInstance reports whether the system has only one instance: it has neither sizes nor
// parameters.
func (s *System) OneInstance() bool {
	return !slices.ContainsFunc(s.Sorts, func(x *logic.Sort) bool {
		return x.Kind == logic.KindUninterpreted
	}) &&
		!slices.ContainsFunc(s.Symbols, func(x *logic.Symbol) bool { return !x.Mutable })
}
