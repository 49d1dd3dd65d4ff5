package ranking

import (
	"fmt"
	"math/big"
	"slices"

	"erelong.dev/erelong/internal/discharge"
	"erelong.dev/erelong/internal/logic"
	"erelong.dev/erelong/internal/result"
	"erelong.dev/erelong/internal/system"
)

// written writes down what determines the obligations.
func (f *proof) written() *result.RankProof {
	out := &result.RankProof{Pending: f.p.prerequisite().String(), Enabled: f.claim.Name,
		Finite: undeclared(f.finite()), Tiers: []result.RankTier{},
		Impossible: []result.RankTransition{}}
	for _, c := range f.p.possible {
		out.Possible = append(out.Possible,
			result.RankPossible{Action: c.action.Name, When: c.when.String()})
	}
	for i, t := range f.tiers {
		var x result.RankTier
		for j, v := range t.vars {
			x.Terms = append(x.Terms,
				result.RankTerm{Factor: t.factors[j].String(), Variable: v.String()})
		}
		for _, part := range t.parts {
			x.Transitions = append(x.Transitions, part.written(used(f.tiers[:i+1])))
		}
		out.Tiers = append(out.Tiers, x)
	}
	for _, part := range f.ruledOut() {
		out.Impossible = append(out.Impossible, part.written(nil))
	}
	return out
}

// written names the conditions of a part, and the bounds on counts among the variables.
func (p *part) written(vars []*variable) result.RankTransition {
	out := result.RankTransition{Action: p.action.Name, Splits: []result.RankSplit{},
		Counts: []result.RankGrowth{}}
	for i, by := range p.by {
		out.Splits = append(out.Splits,
			result.RankSplit{Condition: by.String(), True: p.conditions[i] == by})
	}
	for _, v := range vars {
		if h, ok := p.change[v]; ok && v.opaque() {
			out.Counts = append(out.Counts, result.RankGrowth{Variable: v.String(), By: h})
		}
	}
	return out
}

// Obligations derives the obligations of a proof from the system and the hints in it. It takes the
// invariants as proved. A proof only chooses among the variables and conditions of the search. The
// error names a choice that the search does not have, or the steps that the proof leaves out. The
// obligations decide whether the proof is right.
func Obligations(
	sys *system.System, prop *system.Property, invariants []*system.Property,
	stated *result.RankProof,
) ([]*discharge.Group, error) {
	_, groups, err := deriveObligations(sys, prop, invariants, stated)
	return groups, err
}

// deriveObligations also gives the system that the obligations are about.
func deriveObligations(
	sys *system.System, prop *system.Property, invariants []*system.Property,
	stated *result.RankProof,
) (*system.System, []*discharge.Group, error) {
	if prop.Kind != system.Liveness {
		return nil, nil, fmt.Errorf("ranking functions are for liveness, not for %s %s", prop.Kind,
			prop.Name)
	}
	sys, of := normal(sys, append([]*system.Property{prop}, invariants...)...)
	prop, invariants = of[0], of[1:]
	for _, r := range sys.Properties {
		if r.EndsRuns() && !slices.Contains(invariants, r) {
			return nil, nil, fmt.Errorf("liveness is proved of systems that keep to their ranges, "+
				"and the proof does not rest on %s", r.Name)
		}
	}
	hints, err := proofHints(sys, prop, stated)
	if err != nil {
		return nil, nil, err
	}
	possible, err := proofPossible(sys, stated)
	if err != nil {
		return nil, nil, err
	}
	p := newProblem(sys, prop, hints, invariants, possible...)
	c := newCandidates(p, hints)
	c.along(relations(p.sys))
	r := &reader{c: c, vars: c.all(), parts: newPartition(p),
		conditions: map[*system.Action][]*logic.Term{}}
	if err := system.Validate(p.sys); err != nil {
		return nil, nil, fmt.Errorf("internal error: the extended system: %w", err)
	}
	if hints == nil || hints.Pending == nil {
		for _, p.pending = range p.pendings() {
			if p.prerequisite().String() == stated.Pending {
				break
			}
		}
	}
	if is := p.prerequisite().String(); is != stated.Pending {
		return nil, nil, fmt.Errorf(
			"the functions are of states where %q, and the property asks for %q",
			stated.Pending, is)
	}
	f := &proof{p: p, never: c.never, roots: r.parts.roots}
	if f.tiers, err = r.tiers(stated); err != nil {
		return nil, nil, err
	}
	if rest := f.uncovered(); rest != nil {
		return nil, nil, fmt.Errorf("steps of %s belong to no tier", rest)
	}
	f.number()
	claims := p.progressClaims(c.measures)
	i := slices.IndexFunc(claims, func(g *discharge.Group) bool {
		return g.Obligations[0].Name == stated.Enabled
	})
	if i < 0 {
		return nil, nil, fmt.Errorf("that %q is no claim that the search makes", stated.Enabled)
	}
	f.claim = claims[i].Obligations[0]
	if is := undeclared(f.finite()); !slices.Equal(is, stated.Finite) {
		return nil, nil, fmt.Errorf("the proof takes for finite: %q, and it says %q", is,
			stated.Finite)
	}
	formed := p.wellFormed()
	p.progresses(f.claim, c.inRow())
	groups := slices.Concat(formed, claims[i:i+1], f.obligations())
	if stated.Bound == nil {
		return p.sys, groups, nil
	}
	limits, err := r.bound(stated.Bound, f.tiers)
	return p.sys, append(groups, limits...), err
}

// proofHints are the hints that a proof rests on.
func proofHints(
	sys *system.System, prop *system.Property, stated *result.RankProof,
) (*system.Ranking, error) {
	hints := sys.RankingOf(prop)
	if stated.Hints != "" && (hints == nil || sys.HintText(hints) != stated.Hints) {
		return nil, fmt.Errorf("the proof rests on hints that the system does not have: %s",
			stated.Hints)
	}
	return hints, nil
}

// proofPossible are the claims of a proof that actions can be taken.
func proofPossible(
	sys *system.System, stated *result.RankProof,
) ([]*possibility, error) {
	var possible []*possibility
	known := possibilities(sys)
	for _, x := range stated.Possible {
		i := slices.IndexFunc(known, func(c *possibility) bool {
			return c.action.Name == x.Action && c.when.String() == x.When
		})
		if i < 0 {
			return nil, fmt.Errorf(
				"that %s can be taken where %q is no claim that the search makes", x.Action,
				x.When)
		}
		possible = append(possible, known[i])
	}
	return possible, nil
}

// reader finds the variables and parts that a proof names.
type reader struct {
	c          *candidates
	vars       []*variable // all candidates
	parts      *partition
	conditions map[*system.Action][]*logic.Term
}

func (r *reader) tiers(stated *result.RankProof) (out []*tier, err error) {
	for _, x := range stated.Tiers {
		t := &tier{}
		for _, term := range x.Terms {
			factor, ok := new(big.Int).SetString(term.Factor, 10)
			if !ok || factor.Sign() <= 0 {
				return nil, fmt.Errorf("the factor %q is no positive number", term.Factor)
			}
			v, err := r.variable(term.Variable)
			if err != nil {
				return nil, err
			}
			t.factors, t.vars = append(t.factors, factor), append(t.vars, v)
		}
		for _, y := range x.Transitions {
			part, err := r.part(y)
			if err != nil {
				return nil, err
			}
			if slices.Contains(partsOf(append(out, t)), part) {
				return nil, fmt.Errorf("%s is stated twice", part)
			}
			t.parts = append(t.parts, part)
		}
		out = append(out, t)
	}
	for _, y := range stated.Impossible {
		part, err := r.part(y)
		if err != nil {
			return nil, err
		}
		part.impossible = r.c.p.impossibility(part)
	}
	return out, nil
}

func (r *reader) variable(name string) (*variable, error) {
	i := slices.IndexFunc(r.vars, func(v *variable) bool { return v.String() == name })
	if i < 0 {
		return nil, fmt.Errorf("%q is no variable of the search", name)
	}
	return r.vars[i], nil
}

// part splits the steps of an action as a proof says. The proof only claims how counts grow in
// them; an obligation shows it.
func (r *reader) part(x result.RankTransition) (*part, error) {
	i := slices.IndexFunc(r.parts.roots, func(p *part) bool { return p.action.Name == x.Action })
	if i < 0 {
		return nil, fmt.Errorf("there is no action %q", x.Action)
	}
	part := r.parts.roots[i]
	for _, y := range x.Splits {
		by, err := r.condition(part.action, y.Condition)
		if err != nil {
			return nil, err
		}
		if halves := part.split(by); y.True {
			part = halves[0]
		} else {
			part = halves[1]
		}
	}
	for _, y := range x.Counts {
		v, err := r.variable(y.Variable)
		switch {
		case err != nil:
			return nil, err
		case !v.opaque() || y.By < -1 || y.By > 1 ||
			(v.lexicographic != nil || v.left != nil) && y.By > 0:
			// these are the only bounds that have a formula
			return nil, fmt.Errorf("that %s grows by at most %d is no claim that the search makes",
				v, y.By)
		}
		part.change[v] = y.By
	}
	return part, nil
}

// condition finds a condition by which the search splits steps of an action.
func (r *reader) condition(a *system.Action, text string) (*logic.Term, error) {
	all, ok := r.conditions[a]
	if !ok {
		for _, n := range r.c.never {
			if n.action == a {
				all = append(all, r.parts.intern(n.such))
			}
		}
		for _, v := range r.vars {
			if c := r.parts.mayDecrease(a, v); c != nil {
				all = append(all, c)
			}
		}
		r.conditions[a] = all
	}
	i := slices.IndexFunc(all, func(c *logic.Term) bool { return c.String() == text })
	if i < 0 {
		return nil, fmt.Errorf("%q is no condition on steps of %s that the search knows", text,
			a.Name)
	}
	return all[i], nil
}
