package system

import "erelong.dev/erelong/internal/result"

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
