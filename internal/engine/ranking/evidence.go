package ranking

import (
	"fmt"
	"slices"
	"strings"

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

// evidence writes down the ranking functions for the reader, and the proof.
func (f *proof) evidence() *result.Ranking {
	out := &result.Ranking{Pending: f.p.prerequisite().String(), Unfair: f.unfair(),
		Proof: f.written()}
	mentioned := f.mentioned()
	for _, c := range f.p.choices {
		if c.hint != nil || slices.Contains(mentioned, c) {
			out.Choices = append(out.Choices, result.Choice{Name: c.symbol.Name,
				Condition: c.fits(logic.Pre, logic.Pre).String()})
		}
	}
	for _, sort := range f.finite() {
		out.Finite = append(out.Finite, sort.Name)
	}
	for _, t := range f.tiers {
		out.Tiers = append(out.Tiers, result.Tier{Function: t.term().String(),
			Steps: names(t.parts), Prophecy: slices.ContainsFunc(t.vars, func(v *variable) bool {
				return v.left != nil
			})})
	}
	return out
}

// mentioned lists the choices that a proof mentions: in its functions, in the conditions on its
// steps, in a step that is left out, or in a later choice that it mentions.
func (f *proof) mentioned() []*choice {
	var terms []*logic.Term
	for _, v := range used(f.tiers) {
		terms = append(terms, v.inside())
		if l := v.lexicographic; l != nil {
			terms = append(append(terms, l.such), l.args...)
		}
	}
	for _, part := range partsOf(f.tiers) {
		terms = append(terms, part.conditions...)
	}
	for _, n := range f.never {
		terms = append(terms, n.such)
	}
	return f.p.chosenIn(terms, func(t *logic.Term, c *logic.Symbol) bool {
		return logic.Occurs(t, c, logic.Pre)
	})
}

// chosenIn lists the choices that terms mention, or that a later one mentions, the last first.
func (p *problem) chosenIn(
	terms []*logic.Term, mentions func(*logic.Term, *logic.Symbol) bool,
) (out []*choice) {
	for _, c := range slices.Backward(p.choices) {
		if slices.ContainsFunc(terms, func(t *logic.Term) bool { return mentions(t, c.symbol) }) {
			out, terms = append(out, c), append(terms, c.such)
		}
	}
	return out
}

// finite names the uninterpreted sorts that must be finite: a variable counts their values or
// adds over them, or a first value is assumed to exist.
func (f *proof) finite() (out []*logic.Sort) {
	_, sorts := finiteness(f.p, f.claim)
	for _, c := range f.p.possible {
		_, of := extrema(c.chosen)
		sorts = append(sorts, of...)
	}
	for _, c := range f.p.choices {
		_, of := extrema(c.some())
		sorts = append(sorts, of...)
	}
	for _, v := range used(f.tiers) {
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
func (f *proof) unfair() (names []string) {
	switch plainly(f.claim.Name) {
	case awaited, fairKnown, fairAny:
		return nil
	}
	for _, a := range f.p.original.Actions {
		if a.Fairness == system.Unfair || a.FairIf != nil {
			names = append(names, a.Name)
		}
	}
	return names
}

// record writes down the variables, and the parts of a proof or of what there is of one.
func (t *trial) record(vars []*variable, found *proof) {
	out := t.r.Evidence.Search
	for _, v := range vars {
		x := result.RankVariable{Name: v.String()}
		if limit := t.bounds.limit(v); limit != nil {
			x.Limit = limit.String()
		}
		out.Variables = append(out.Variables, x)
	}
	for _, u := range found.tiers {
		out.Constraints += u.constraints
		for _, part := range u.parts {
			x := result.RankStep{Step: part.described()}
			for _, v := range vars {
				x.Grows = append(x.Grows, part.grows(v))
			}
			out.Steps = append(out.Steps, x)
		}
	}
	for _, part := range found.ruledOut() {
		out.Steps = append(out.Steps, result.RankStep{Step: part.described(), Impossible: true})
	}
	out.Stages = t.steps.stages.all
}

// described names the part and its conditions.
func (p *part) described() string {
	if p.number == 0 {
		return p.String()
	}
	return p.String() + ": where " + p.where()
}
