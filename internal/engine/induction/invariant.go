package induction

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"erelong.dev/erelong/internal/bounds"
	"erelong.dev/erelong/internal/discharge"
	"erelong.dev/erelong/internal/logic"
	"erelong.dev/erelong/internal/result"
	"erelong.dev/erelong/internal/system"
	"erelong.dev/erelong/internal/vc"
)

// claim is a property claimed of all reachable states, with its verdict so far.
type claim struct {
	prop        *system.Property
	conjuncts   []*logic.Term
	texts       []string // of the conjuncts, made on demand
	initiation  []*discharge.Obligation
	consecution []*discharge.Obligation // from the last round in which it was checked
	result      result.Verdict
	reason      result.Reason
	refuted     *discharge.Obligation // with the counterexample to show, nil for none
	violated    bool                  // a run to a violation is known
	// The claims that failed while all were assumed, and without one of which this claim fails.
	roots []*claim
}

func (c *claim) obligations() []*discharge.Obligation {
	return slices.Concat(c.initiation, c.consecution)
}

// fail settles the claim if one of its obligations is not proved: the first counterexample counts
// before any unknown.
func (c *claim) fail() bool {
	var worst *discharge.Obligation
	for _, o := range c.obligations() {
		if o.Verdict == result.NotInductive {
			worst = o
			break
		}
		if o.Verdict != result.Holds && (worst == nil || worst.Verdict == "") {
			worst = o
		}
	}
	if worst == nil {
		return false
	}
	c.result, c.refuted = worst.Verdict, nil
	if worst.Trace != nil {
		c.refuted = worst
	}
	switch {
	case worst.Verdict == result.NotInductive && worst.Trace == nil:
		c.reason = result.Because(result.NotProved,
			worst.Name+": a counterexample to induction exists, but none was found that is "+
				"small enough to show")
	case worst.Verdict == result.NotInductive:
		c.reason = result.Reason{}
	case worst.Reason.Code == result.Interrupted || worst.Reason.Code == result.OutOfTime:
		c.reason = worst.Reason.Then(c.progress())
	default:
		c.reason = worst.Reason.Of(worst.Name)
	}
	return true
}

// progress gives the number of proved obligations.
func (c *claim) progress() string {
	proved, all := 0, c.obligations()
	for _, o := range all {
		if o.Verdict == result.Holds {
			proved++
		}
	}
	return fmt.Sprintf("; %d of its %d obligations are proved", proved, len(all))
}

// claimsOf makes a claim of each safety, invariant and range property.
func claimsOf(sys *system.System) (out []*claim) {
	for _, prop := range sys.Properties {
		if prop.IsInvariant() {
			out = append(out, newClaim(prop))
		}
	}
	return out
}

func newClaim(prop *system.Property) *claim {
	return &claim{prop: prop, conjuncts: logic.Conjuncts(prop.Term)}
}

// invariants proves the safety, invariant and range properties.
func (p *prover) invariants(ctx context.Context) []result.Result {
	claims := claimsOf(p.sys)
	if !slices.ContainsFunc(claims, func(c *claim) bool { return p.wanted(c.prop.Name) }) {
		return nil
	}
	if reason := p.noInitialState(ctx); reason != "" {
		for _, c := range claims {
			c.result, c.reason = result.NothingChecked,
				result.Because(result.NoInitialState, reason)
		}
		return p.invariantResults(claims, nil)
	}

	alive := p.rounds(ctx, claims)
	for _, c := range alive {
		c.result = result.Holds
	}
	for _, c := range claims {
		if c.refuted != nil && !p.raw && p.wanted(c.prop.Name) {
			p.discharger.Minimise(ctx, c.refuted)
		}
	}
	return p.invariantResults(claims, alive)
}

// keepProofs settles steps whose last proof named what it needed, and none of what is gone.
func keepProofs(steps, before []*discharge.Obligation, gone map[string]string) {
	for i, o := range steps {
		last := before[i]
		if last.Verdict == result.Holds && last.Needs != nil &&
			!slices.ContainsFunc(last.Needs, func(name string) bool {
				_, is := gone[name]
				return is
			}) {
			o.Obligation = last.Obligation
		}
	}
}

// untilOneFails asks about steps whose claims are assumed without the dropped ones. A step that
// fails voids what the others prove, so the steps that are likeliest to need what was dropped come
// first, and without a proof of all of them the others are not asked about. The round is then not
// complete: the obligations of the others have no verdict.
func (p *prover) untilOneFails(
	ctx context.Context, groups []*discharge.Group, dropped []*claim,
) (complete bool) {
	about := map[*logic.Symbol]bool{}
	for _, c := range dropped {
		for sym := range vc.Mutable(c.prop.Term) {
			about[sym] = true
		}
	}
	shared := map[*discharge.Group]int{}
	for i, g := range groups {
		for sym := range vc.Mutable(p.sys.Actions[i].Relation.Formula()) {
			if about[sym] {
				shared[g]++
			}
		}
	}
	slices.SortStableFunc(groups, func(a, b *discharge.Group) int { return shared[b] - shared[a] })
	first := (len(groups) + firstShare - 1) / firstShare
	p.discharger.All(ctx, groups[:first])
	for _, g := range groups[:first] {
		if slices.ContainsFunc(g.Obligations, failed) {
			return false
		}
	}
	p.discharger.All(ctx, groups[first:])
	return true
}

// firstShare is the share of the steps that are asked about first.
const firstShare = 4

// failed reports whether an obligation was asked about and not proved.
func failed(o *discharge.Obligation) bool { return o.Verdict != "" && o.Verdict != result.Holds }

// violated settles a claim that is known to be violated.
func (p *prover) violated(c *claim) bool {
	how := p.discharger.Violated(c.prop.Name)
	if how == "" {
		return false
	}
	// The progress of its obligations depends on time.
	*c = claim{prop: c.prop, conjuncts: c.conjuncts, result: result.Unknown,
		reason: result.Because(result.NotProved, how), violated: true, roots: []*claim{c}}
	return true
}

// split settles the failing claims, and gives the others first. In a round that is not complete,
// an obligation without a verdict is no failure.
func split(claims []*claim, complete bool) (alive, dropped []*claim) {
	for _, c := range claims {
		if (complete || slices.ContainsFunc(c.obligations(), failed)) && c.fail() {
			dropped = append(dropped, c)
		} else {
			alive = append(alive, c)
		}
	}
	alive, idle := ofUse(alive)
	return alive, append(dropped, idle...)
}

// ofUse separates claims from idle ones: that a formula has a value which is tried as a help, and
// which is dropped.
func ofUse(claims []*claim) (of, idle []*claim) {
	for _, c := range claims {
		if c.prop.Kind == system.Defined && c.prop.Tried && !slices.ContainsFunc(claims,
			func(other *claim) bool { return c.prop.Name == system.Definedness(other.prop.Name) }) {
			idle = append(idle, c)
		} else {
			of = append(of, c)
		}
	}
	return of, idle
}

// rootsOf gives the roots of all dropped claims, in the order of the file.
func rootsOf(claims, dropped []*claim) []*claim {
	var out []*claim
	for _, c := range claims {
		if slices.ContainsFunc(dropped,
			func(d *claim) bool { return slices.Contains(d.roots, c) }) {
			out = append(out, c)
		}
	}
	return out
}

// needs names the invariants that a proof lacks.
func needs(roots []*claim) string {
	parts := make([]string, len(roots))
	for i, c := range roots {
		parts[i] = c.prop.Name + ", which is not proved"
		switch {
		case c.violated:
			parts[i] = c.prop.Name + ", which is violated"
		case c.result == result.NotInductive:
			parts[i] = c.prop.Name + ", which is not inductive"
		}
	}
	if len(parts) == 1 {
		return "the invariant " + parts[0]
	}
	return "one of these invariants: " + strings.Join(parts, "; ")
}

// initiation claims that every conjunct holds in the initial states.
func (p *prover) initiation(claims []*claim) *discharge.Group {
	g := &discharge.Group{Theory: vc.InitialState(p.sys), Path: vc.OneState()}
	for _, c := range claims {
		c.initiation = nil
		for i, conjunct := range c.conjuncts {
			o := newObligation("initiation of "+c.prop.Name, c.prop, i, conjunct)
			o.Goal, o.Initial = conjunct, true
			p.byInduction(o, conjunct, vc.Versions{})
			c.initiation = append(c.initiation, o)
		}
		g.Obligations = append(g.Obligations, c.initiation...)
	}
	return g
}

// consecution claims that every action preserves every conjunct, where all claims hold in the k
// states before the step.
func (p *prover) consecution(
	claims []*claim, follows map[*claim][]*discharge.Obligation,
) []*discharge.Group {
	return p.steps(claims, claims, follows)
}

// steps claims that every action leads to states where the goals hold, from states where the claims
// hold and held in the k-1 states before.
func (p *prover) steps(
	claims, goals []*claim, follows map[*claim][]*discharge.Obligation,
) []*discharge.Group {
	for _, c := range goals {
		c.consecution = nil
	}
	var groups []*discharge.Group
	claims = independent(claims, follows)
	texts := textsOf(claims)
	for _, a := range p.sys.Actions {
		t := &vc.Theory{}
		pic := p.path(t, p.k-1)
		pre := pic.States[p.k-1]
		post := pre.Next(p.sys, a.Modifies, p.k)
		t.Background(p.sys, p.sys.Trusted(), append(slices.Clone(pic.States), post)...)
		p.suppose(t, claims, pic.States)
		t.Step(a, pre, post)
		pic.States = append(pic.States, post)
		pic.Steps = append(pic.Steps, []vc.Alternative{{Action: a.Name, Args: vc.Arguments(a)}})
		g := &discharge.Group{Theory: t, Path: pic}
		step := bounds.Of(a)
		for _, c := range goals {
			for i, conjunct := range c.conjuncts {
				o := newObligation(a.Name+" preserves "+c.prop.Name, c.prop, i, conjunct)
				o.Action = a.Name
				after, bounded := step.After(conjunct)
				o.Goal, o.Bounded = t.Inlined(vc.In(after, pre, post)), bounded
				if vc.SameIn(conjunct, pre, post) {
					o.Unmodified()
				} else {
					corollary(o, follows[c])
					if !bounded {
						p.byInduction(o, conjunct, post)
					}
					o.Likely = p.memory.likely(a.Name, c.text(i), t, texts)
				}
				c.consecution = append(c.consecution, o)
				g.Obligations = append(g.Obligations, o)
			}
		}
		groups = append(groups, g)
	}
	return groups
}

func newObligation(
	name string, prop *system.Property, index int, conjunct *logic.Term,
) *discharge.Obligation {
	line := conjunct.Span.Line()
	if line == 0 {
		line = prop.Span.Line()
	}
	return &discharge.Obligation{Modest: prop.Tried, Obligation: result.Obligation{
		Name: name, Property: prop.Name, Conjunct: index, Line: line}}
}

// noInitialState gives the reason why claims about reachable states are empty; it is empty if there
// is an initial state or if this is unknown.
func (p *prover) noInitialState(ctx context.Context) string {
	if p.satisfiable ||
		!p.discharger.Contradictory(ctx, "an initial state", vc.InitialState(p.sys)) {
		return ""
	}
	if len(p.sys.Trusted()) > 0 {
		return "no initial state: the axioms, initial conditions and trusted invariants " +
			"contradict each other"
	}
	return "no initial state: the axioms and initial conditions contradict each other"
}

func (p *prover) invariantResults(claims, proved []*claim) []result.Result {
	var invariant []string
	for _, c := range proved {
		invariant = append(invariant, c.prop.Name)
	}
	var out []result.Result
	for _, c := range claims {
		if c.result == "" {
			continue // see withoutHelp
		}
		r := newResult(c.prop.Name, c.prop.Kind, c.prop.Span.Line(), c.obligations())
		r.Verdict, r.Reason = c.result, c.reason
		if c.refuted != nil {
			r.Trace = c.refuted.Trace
			r.Trace.Violates = c.prop.Name
		}
		if c.result == result.Holds {
			r.Evidence.Invariant, r.Evidence.Trusted, r.Evidence.Induction = invariant,
				names(p.sys.Trusted()), p.k
		}
		out = append(out, r)
	}
	return out
}

// newResult sums up obligations. The caller sets the verdict.
func newResult(
	name string, kind result.Kind, line int, obligations []*discharge.Obligation,
) result.Result {
	r := result.Result{Property: name, Kind: kind, Scope: result.ScopeAll, Engine: Name, Line: line,
		Evidence: &result.Evidence{}}
	for _, o := range obligations {
		if o.Verdict == "" {
			continue // see untilOneFails
		}
		r.Queries += o.Queries
		r.Elapsed += o.Elapsed
		r.Evidence.Obligations = append(r.Evidence.Obligations, o.Obligation)
	}
	return r
}

// describe says which obligation is open and why.
func describe(o *discharge.Obligation) result.Reason {
	if c := o.Reason.Code; c == result.Interrupted || c == result.OutOfTime {
		return o.Reason
	}
	return o.Reason.Of(o.Name)
}
