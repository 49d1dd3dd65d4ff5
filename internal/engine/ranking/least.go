package ranking

import (
	"slices"
	"strings"

	"erelong.dev/erelong/internal/discharge"
	"erelong.dev/erelong/internal/engine/ranking/synth"
	"erelong.dev/erelong/internal/logic"
)

// least states that a first value exists: one for which the property is pending, and that comes
// after no other such one in a comparison of the system, or in an order of its axioms. Where
// processes wait for each other in an order, this one waits for none. Each fact is true of every
// finite structure, whatever the comparison is (hasMinimal), so nothing rests on how it is found.
func least(p *problem) (facts []*logic.Term) {
	for _, c := range slices.Concat(synth.Comparisons(p.sys), synth.Orders(p.sys)) {
		for _, in := range pendingFor(p, c.A) {
			member := func(v *logic.Var) *logic.Term {
				return instantiate(in, []*logic.Var{c.A}, []*logic.Term{logic.Ref(v)})
			}
			before := func(v, w *logic.Var) *logic.Term { // the strict part
				return logic.And(c.Of(logic.Ref(v), logic.Ref(w)),
					logic.Not(c.Of(logic.Ref(w), logic.Ref(v))))
			}
			after := func(v, w *logic.Var) *logic.Term { return before(w, v) }
			facts = append(facts, hasMinimal(c.A.Sort, member, before),
				hasMinimal(c.A.Sort, member, after))
		}
	}
	return facts
}

// pendingFor is where the property is pending for a value instead of the one that a variable of the
// property has, one formula for each such variable.
func pendingFor(p *problem, x *logic.Var) (out []*logic.Term) {
	for _, s := range p.vars {
		if !logic.SameSort(s.Result, x.Sort) {
			continue
		}
		of := replace(p.prerequisite(), []*logic.Symbol{s}, []*logic.Term{logic.Ref(x)})
		if slices.Contains(logic.FreeVars(of), x) {
			out = append(out, of)
		}
	}
	return out
}

// ofFirst ends the name of a claim that rests on the facts about first values.
const ofFirst = ", as some value is first"

// finiteness gives the facts about finite sorts that are assumed for the claim that some action can
// be taken, and these sorts.
func finiteness(p *problem, claim *discharge.Obligation) (facts []*logic.Term,
	sorts []*logic.Sort) {
	facts, sorts = extrema(claim.Goal)
	if strings.HasSuffix(claim.Name, ofFirst) {
		first := least(p)
		facts = append(facts, first...)
		_, more := extrema(logic.And(first...))
		sorts = append(sorts, more...)
	}
	return facts, sorts
}

// plainly is the name of the same claim without these facts.
func plainly(claim string) string { return strings.TrimSuffix(claim, ofFirst) }

// mostKnown leaves out the claims that are also made with the facts about first values.
func mostKnown(claims []*discharge.Group) (out []*discharge.Group) {
	for i, g := range claims {
		if i+1 == len(claims) ||
			plainly(claims[i+1].Obligations[0].Name) != g.Obligations[0].Name {
			out = append(out, g)
		}
	}
	return out
}
