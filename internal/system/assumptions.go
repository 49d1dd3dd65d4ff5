package system

import (
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

// Finite are the premises of proofs of a system with sizes and sums: the sorts that are counted,
// and that the file does not declare finite.
func (s *System) Finite() (out []result.Assumption) {
	for _, sort := range s.Counted() {
		if sort.Extent != logic.Finite {
			out = append(out, result.Finite(sort.Name, sort.Span.Line()))
		}
	}
	return out
}
