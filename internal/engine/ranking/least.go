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
// finite structure: whatever the comparison is (hasMinimal), or since it is an order (sorted).
func least(p *problem) (facts []*logic.Term) {
	for _, c := range slices.Concat(synth.Comparisons(p.sys), synth.Orders(p.sys)) {
		state := hasMinimal
		if sorted(p.sys, c) {
			state = minimalIn
		}
		for _, in := range pendingFor(p, c.A) {
			facts = append(facts, firstAndLast(state, c, in)...)
		}
	}
	return facts
}

// firstAndLast states in one way that a set has a first member, and a last one.
func firstAndLast(state func(*logic.Sort, func(*logic.Var) *logic.Term,
	func(v, w *logic.Var) *logic.Term) *logic.Term, c *synth.Comparison, in *logic.Term,
) (facts []*logic.Term) {
	member := memberOf(c, in)
	before := func(v, w *logic.Var) *logic.Term { return strictly(c, v, w) }
	after := func(v, w *logic.Var) *logic.Term { return before(w, v) }
	for _, fact := range []*logic.Term{state(c.A.Sort, member, before),
		state(c.A.Sort, member, after)} {
		facts = append(facts, logic.Forall(logic.FreeVars(fact), fact))
	}
	return facts
}

// memberOf is a formula about a value of a comparison, for other values.
func memberOf(c *synth.Comparison, in *logic.Term) func(*logic.Var) *logic.Term {
	return func(v *logic.Var) *logic.Term {
		return instantiate(in, []*logic.Var{c.A}, []*logic.Term{logic.Ref(v)})
	}
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

// What ends the name of a claim that rests on facts about finite sorts.
const (
	ofFirst = ", as some value is first"
	ofEnds  = ", as orders have ends"
)

// premise is facts about finite sorts that a claim may rest on.
type premise struct {
	suffix string // of the claim's name
	facts  []*logic.Term
}

// premises lists the ones that state something, each with what the one before knows.
func premises(p *problem) (out []premise) {
	first := least(p)
	if len(first) > 0 {
		out = append(out, premise{ofFirst, first})
	}
	if more := ends(p); len(more) > 0 {
		out = append(out, premise{ofEnds, slices.Concat(first, more)})
	}
	return out
}

// finiteness gives the facts about finite sorts that are assumed for the claim that some action can
// be taken, and these sorts.
func finiteness(p *problem, claim *discharge.Obligation) (facts []*logic.Term,
	sorts []*logic.Sort) {
	facts, sorts = extrema(claim.Goal)
	if plainly(claim.Name) == claim.Name {
		return facts, sorts
	}
	for _, by := range premises(p) {
		if strings.HasSuffix(claim.Name, by.suffix) {
			facts = append(facts, by.facts...)
			sorts = append(sorts, finiteSorts(by.facts)...)
		}
	}
	return facts, sorts
}

// finiteSorts lists the sorts of the values that facts say to exist.
func finiteSorts(facts []*logic.Term) (out []*logic.Sort) {
	for _, t := range facts {
		for t.Op == logic.OpForall {
			t = t.Args[0]
		}
		if t.Op == logic.OpImplies && t.Args[1].Op == logic.OpExists {
			out = append(out, t.Args[1].Vars[0].Sort)
		}
	}
	return out
}

// plainly is the name of the same claim without these facts.
func plainly(claim string) string {
	return strings.TrimSuffix(strings.TrimSuffix(claim, ofFirst), ofEnds)
}

// mostKnown leaves out the claims that are also made with more facts.
func mostKnown(claims []*discharge.Group) (out []*discharge.Group) {
	name := func(g *discharge.Group) string { return plainly(g.Obligations[0].Name) }
	for i, g := range claims {
		if i+1 == len(claims) || name(claims[i+1]) != name(g) {
			out = append(out, g)
		}
	}
	return out
}
