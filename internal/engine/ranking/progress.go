package ranking

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"erelong.dev/erelong/internal/discharge"
	"erelong.dev/erelong/internal/result"
)

// progress gives a proved claim of progressClaims, or nil and the answer about the weakest. A hard
// claim is often easy of known values, so all claims are tried at a low limit before one is tried
// without it.
func (t *trial) progress(ctx context.Context) (proved, weakest *discharge.Obligation) {
	claims := t.p.progressClaims(t.c.measures)
	refuted := "" // a claim without facts about finite sorts
	for _, g := range claims {
		o := g.Obligations[0].Probe()
		if plainly(o.Name) == refuted {
			o.Verdict = result.NotInductive // by a counterexample with finitely many elements
			continue
		}
		switch t.steps.full.All(ctx, []*discharge.Group{g}); o.Verdict {
		case result.Holds:
			return o, nil
		case result.NotInductive:
			refuted = plainly(o.Name)
		}
	}
	last := len(claims) - 1
	if last < 0 {
		return nil, nil
	}
	if t.given.fitted {
		return nil, claims[last].Obligations[0]
	}
	for i, g := range slices.Backward(t.p.progressClaims(t.c.measures)) {
		if claims[last].Obligations[0].Verdict == result.NotInductive {
			break // the weakest claim is refuted
		}
		if claims[i].Obligations[0].Verdict == result.NotInductive {
			continue
		}
		claims[i] = g
		if t.steps.full.All(ctx, []*discharge.Group{g}); g.Obligations[0].Verdict == result.Holds {
			return g.Obligations[0], nil
		}
	}
	return nil, claims[last].Obligations[0]
}

// noProgress says why it is not proved that some action can be taken. Weakest is the answer about
// the weakest claim; nil where no claim can be stated. A state is looked for only where it is
// shown.
func (t *trial) noProgress(ctx context.Context, weakest *discharge.Obligation) {
	r, show := t.r, t.given.Effort == 0
	refuted := weakest != nil && weakest.Verdict == result.NotInductive
	if refuted && weakest.Trace == nil && show { // it was only a probe
		claims := t.p.progressClaims(t.c.measures)
		last := claims[len(claims)-1]
		t.steps.full.All(ctx, []*discharge.Group{last})
		weakest = last.Obligations[0]
	}
	why := ""
	switch {
	case weakest == nil:
	case weakest.Trace != nil:
		r.Trace = weakest.Trace
		r.Trace.Violates, r.Trace.Shows = "",
			"no action is known to be possible in this state, in which it is pending"
		why = "; the state shown is pending and has no action that is known to be possible: " +
			"if no run reaches it, an invariant that excludes it is missing, " +
			"and if one does, the run ends there before it is good"
	case refuted && !show:
		why = "; in some state that the invariants do not exclude, none is known to be possible"
	case weakest.Verdict == result.NotInductive:
		why = "; there is a counterexample, and none that is small enough to show: if it has " +
			"infinitely many " +
			"elements, what is missing is a fact about finite sets, such as that an order has a " +
			"first value"
	case weakest.Reason.Given():
		why = "; the solvers do not decide it: " + weakest.Reason.Text
	}
	var unknown []string // the actions of which no formula says when they can be taken
	for _, a := range t.p.sys.Actions {
		if t.p.enabled[a] == nil && !slices.Contains(unknown, a.Name) {
			unknown = append(unknown, a.Name)
		}
	}
	if len(unknown) > 0 {
		are := "are"
		if len(unknown) == 1 {
			are = "is"
		}
		why += fmt.Sprintf("; %s may be possible and %s not counted, for want of a formula of "+
			"first order: the guard, or a trusted invariant, reads a function that the step "+
			"chooses as a whole, "+
			"or a derived symbol without a definition", strings.Join(unknown, ", "), are)
	}
	r.Reason = result.Because(result.NotProved,
		"not proved: some action can be taken while it is pending"+why)
}
