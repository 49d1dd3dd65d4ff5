package ranking

import (
	"fmt"
	"slices"
	"strings"

	"erelong.dev/erelong/internal/discharge"
	"erelong.dev/erelong/internal/logic"
	"erelong.dev/erelong/internal/result"
	"erelong.dev/erelong/internal/system"
)

func list(parts []*part) string { return strings.Join(names(parts), "; ") }

// names lists the names of parts. The numbers of parts of one action are joined.
func names(parts []*part) (out []string) {
	at := map[*system.Action]int{}
	for _, p := range parts {
		switch i, ok := at[p.action]; {
		case p.number == 0:
			out = append(out, p.String())
		case ok:
			out[i] = strings.Replace(out[i], " case ", " cases ", 1) + fmt.Sprintf(", %d", p.number)
		default:
			at[p.action] = len(out)
			out = append(out, p.String())
		}
	}
	return out
}

// ranking writes down the ranking functions, with the claim that some action can be taken.
func (s *search) ranking(tiers []*tier, claim *discharge.Obligation) *result.Ranking {
	out := &result.Ranking{Pending: s.p.prerequisite().String()}
	mentioned := s.mentioned(tiers)
	for _, c := range s.p.choices {
		if c.hint != nil || slices.Contains(mentioned, c) {
			out.Choices = append(out.Choices, result.Choice{Name: c.symbol.Name,
				Condition: c.fits(logic.Pre, logic.Pre).String()})
		}
	}
	for _, sort := range s.finite(tiers, claim) {
		out.Finite = append(out.Finite, sort.Name)
	}
	for _, t := range tiers {
		out.Tiers = append(out.Tiers, result.Tier{Function: t.term().String(),
			Steps: names(t.parts), Prophecy: slices.ContainsFunc(t.vars, func(v *variable) bool {
				return v.left != nil
			})})
	}
	return out
}

// finite names the uninterpreted sorts that must be finite: a variable counts their values or
// adds over them, or a first value is assumed to exist.
func (s *search) finite(tiers []*tier, claim *discharge.Obligation) (out []*logic.Sort) {
	_, sorts := finiteness(s.p, claim)
	for _, c := range s.p.possible {
		_, of := extrema(c.chosen)
		sorts = append(sorts, of...)
	}
	for _, c := range s.p.choices {
		_, of := extrema(c.some())
		sorts = append(sorts, of...)
	}
	for _, v := range used(tiers) {
		for _, x := range v.over() {
			sorts = append(sorts, x.Sort)
		}
	}
	for _, sort := range sorts {
		if sort.Kind == logic.KindUninterpreted && !slices.Contains(out, sort) {
			out = append(out, sort)
		}
	}
	return out
}

// undeclared names the sorts that the file does not declare finite.
func undeclared(sorts []*logic.Sort) (names []string) {
	for _, s := range sorts {
		if s.Extent != logic.Finite {
			names = append(names, s.Name)
		}
	}
	slices.Sort(names)
	return names
}

// Premises are the assumptions of a proof about sorts.
func Premises(sys *system.System, proof *result.RankProof) (out []result.Assumption) {
	for _, s := range sys.Sorts {
		if slices.Contains(proof.Finite, s.Name) {
			out = append(out, result.Finite(s.Name, s.Span.Line()))
		}
	}
	return out
}

// unfair names the actions that a run may neglect, where the proof rests on some action being taken
// as long as one can be, fair or not.
func (s *search) unfair(claim string) (names []string) {
	switch plainly(claim) {
	case awaited, fairKnown, fairAny:
		return nil
	}
	for _, a := range s.p.original.Actions {
		if a.Fairness == system.Unfair || a.FairIf != nil {
			names = append(names, a.Name)
		}
	}
	return names
}
