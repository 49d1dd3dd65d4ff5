package induction

import (
	"context"
	"slices"

	"erelong.dev/erelong/internal/discharge"
	"erelong.dev/erelong/internal/result"
	"erelong.dev/erelong/internal/vc"
)

// A proof by induction assumes the claims that it proves, so a claim that takes all of the time
// would leave the others without a proof. Where the time is limited, the first round has a part of
// it. What is proved then is proved without the rest in further rounds, and the rest has the time
// that is left.

// share is the part of the time that the first round has, one in this number.
const share = 2

// rounds proves what is inductive together, and settles the other claims. What is claimed is proved
// without the formulas that are tried as a help first. What has no proof then has all of them.
func (p *prover) rounds(ctx context.Context, claims []*claim) []*claim {
	readily, done := p.withoutHelp(ctx, claims)
	if done {
		return readily
	}
	before := saved(claims)
	proved := p.allRounds(ctx, claims)
	if count(proved) >= len(readily) {
		return proved
	}
	for i, c := range claims {
		if slices.Contains(readily, c) {
			*c = before[i]
		}
	}
	return readily
}

// count is the number of claims that are no help.
func count(claims []*claim) (n int) {
	for _, c := range claims {
		if !c.prop.Tried {
			n++
		}
	}
	return n
}

// allRounds proves what is inductive together with all formulas that are tried.
func (p *prover) allRounds(ctx context.Context, claims []*claim) (proved []*claim) {
	first := p.firstRound(ctx, claims)
	proved = p.furtherRounds(ctx, claims, first.claims)
	if first.late && ctx.Err() == nil {
		proved = p.lastRound(ctx, claims, proved, first)
	}
	if first.late && ctx.Err() != nil {
		first.blame(ctx, claims)
	}
	return proved
}

// withoutHelp proves what is claimed without the formulas that are tried as a help, which mostly
// cost more than what is claimed, as far as it is readily proved. Done says that nothing is left,
// or no time.
func (p *prover) withoutHelp(ctx context.Context, claims []*claim) (proved []*claim, done bool) {
	own := slices.DeleteFunc(slices.Clone(claims), func(c *claim) bool { return c.prop.Tried })
	if !p.unaided || p.draft || p.raw || len(own) == 0 || len(own) == len(claims) {
		return nil, false
	}
	before := saved(own)
	steps := p.consecution(own, p.corollaries(ctx, own))
	p.keeps(ctx, steps)
	groups := slices.Concat([]*discharge.Group{p.initiation(own)}, p.bases(own), steps)
	left, all := p.discharger.EasilyAll(ctx, groups)
	if !all {
		easy := saved(own)
		if p.helps(ctx, claims, own, easy) {
			if proved = p.easyWithHelp(ctx, claims); proved != nil {
				return proved, true
			}
		}
		restore(own, easy)
	}
	all, asked := left.Readily(ctx)
	p.memory.learn(own)
	switch {
	case all:
		return own, true
	case asked:
		proved = p.furtherRounds(ctx, own, own)
	case ctx.Err() != nil:
		alive, _ := split(own, true)
		p.rest(ctx, alive)
	}
	if ctx.Err() != nil {
		return proved, true
	}
	kept := saved(own)
	restore(own, before)
	for i, c := range own {
		if slices.Contains(proved, c) {
			*c = kept[i]
		}
	}
	return proved, false
}

// helps reports whether what is claimed is easy where all formulas that are tried as a help are
// assumed: before the step, or in the same state. Easy is what was proved without them.
func (p *prover) helps(ctx context.Context, claims, own []*claim, easy []claim) bool {
	if slices.ContainsFunc(own, func(c *claim) bool { return open(c.initiation) }) {
		return false
	}
	steps := p.steps(claims, own, nil)
	for i, c := range own {
		for j, o := range c.consecution {
			o.FollowsFrom(easy[i].consecution[j])
		}
	}
	p.keeps(ctx, steps)
	if _, all := p.discharger.EasilyAll(ctx, steps); all {
		return true
	}
	state := vc.OneState()
	g := &discharge.Group{Theory: &vc.Theory{}, Path: state}
	g.Theory.Background(p.sys, p.sys.Trusted(), state.States...)
	for _, c := range claims {
		if !slices.Contains(own, c) || !open(c.consecution) {
			p.suppose(g.Theory, []*claim{c}, state.States)
			continue
		}
		for i, conjunct := range c.conjuncts {
			o := newObligation(c.prop.Name+" follows in one state", c.prop, i, conjunct)
			o.Goal = conjunct
			g.Obligations = append(g.Obligations, o)
		}
	}
	_, all := p.discharger.EasilyAll(ctx, []*discharge.Group{g})
	return all
}

// easyWithHelp proves what is claimed with little effort, with the formulas that are tried as a
// help as far as they are proved so; nil where it does not prove all of it.
func (p *prover) easyWithHelp(ctx context.Context, claims []*claim) []*claim {
	alive := claims
	for ctx.Err() == nil {
		steps := p.consecution(alive, p.corollaries(ctx, alive))
		p.keeps(ctx, steps)
		_, all := p.discharger.EasilyAll(ctx,
			slices.Concat([]*discharge.Group{p.initiation(alive)}, p.bases(alive), steps))
		if all {
			return alive
		}
		left, _ := ofUse(slices.DeleteFunc(slices.Clone(alive), isOpen))
		if count(left) < count(alive) {
			return nil
		}
		alive = left
	}
	return nil
}

// isOpen reports whether an obligation of a claim is not proved.
func isOpen(c *claim) bool { return open(c.obligations()) }

// rest says of claims that their own obligations are proved, and others are not.
func (p *prover) rest(ctx context.Context, claims []*claim) {
	for _, c := range claims {
		c.result, c.reason = result.Unknown, result.Ended(ctx, "").
			Then(c.progress()+", and they may rest on properties that are not")
	}
}

// blame says of what the end of the first round left open that the end of the context did.
func (r *round) blame(ctx context.Context, claims []*claim) {
	for _, g := range r.groups {
		for _, o := range g.Obligations {
			if o.Reason.Code == result.Interrupted {
				o.Reason = result.Ended(ctx, "")
			}
		}
	}
	for _, c := range claims {
		if c.reason.Code == result.Interrupted {
			c.reason = result.Ended(ctx, "").Then(c.progress())
		}
	}
}

// round is a round in which all claims are assumed: what is asked, and what was answered.
type round struct {
	claims  []*claim
	answers []claim // the claims as the round left them
	groups  []*discharge.Group
	late    bool // its part of the time ended
}

// early is a context that ends after a part of the time. It is the context itself where a search is
// led, or where the time has no limit.
func (p *prover) early(ctx context.Context) (context.Context, context.CancelFunc) {
	if p.draft || p.raw {
		return ctx, func() {}
	}
	return result.Part(ctx, share)
}

// firstRound assumes and checks all claims. It begins again without claims that turn out to be
// violated, since a proof that assumes a false claim means nothing.
func (p *prover) firstRound(ctx context.Context, claims []*claim) *round {
	early, cancel := p.early(ctx)
	defer cancel()
	r := &round{claims: claims}
	for again := true; again && len(r.claims) > 0; {
		follows := p.corollaries(early, r.claims)
		steps := p.consecution(r.claims, follows)
		p.keeps(early, steps)
		r.groups = slices.Concat([]*discharge.Group{p.initiation(r.claims)}, p.bases(r.claims),
			steps)
		p.discharger.All(early, r.groups)
		p.memory.learn(r.claims)
		before := len(r.claims)
		r.claims = slices.DeleteFunc(slices.Clone(r.claims), p.violated)
		again = len(r.claims) < before && early.Err() == nil
	}
	r.answers, r.late = saved(r.claims), early.Err() != nil
	return r
}

// furtherRounds drops the claims that the last round could not prove, round by round.
func (p *prover) furtherRounds(ctx context.Context, claims, alive []*claim) []*claim {
	alive, dropped := split(alive, true)
	for _, c := range dropped {
		c.roots = []*claim{c}
	}

	for len(dropped) > 0 && len(alive) > 0 && ctx.Err() == nil {
		before := map[*claim][]*discharge.Obligation{}
		for _, c := range alive {
			before[c] = c.consecution
		}
		steps := p.consecution(alive, p.corollaries(ctx, alive))
		p.keeps(ctx, steps)
		if p.draft {
			gone := textsOf(dropped)
			for _, c := range alive {
				keepProofs(c.consecution, before[c], gone)
			}
		}
		complete := p.untilOneFails(ctx, steps, dropped)
		p.memory.learn(alive)
		roots := rootsOf(claims, dropped)
		alive, dropped = split(alive, complete)
		for _, c := range dropped {
			c.roots = roots
			switch {
			case c.result == result.NotInductive:
				c.reason = result.Because(result.RestsOnUnproved, "its proof needs "+needs(roots))
			case c.reason.Code != result.Interrupted && c.reason.Code != result.OutOfTime:
				c.reason = c.reason.Then("; its proof so far needs " + needs(roots))
			}
			// The trace starts in a state that violates a dropped claim. It says nothing new about
			// this property.
			c.result, c.refuted = result.Unknown, nil
		}
	}
	if ctx.Err() != nil && len(dropped) > 0 {
		p.rest(ctx, alive)
		alive = nil
	}
	return alive
}

// lastRound asks again what the first round had no time for. If it proves all claims, or more than
// are proved already, these are proved; else the ones that are.
func (p *prover) lastRound(
	ctx context.Context, claims, proved []*claim, first *round,
) []*claim {
	before := saved(claims)
	restore(first.claims, first.answers)
	for _, g := range first.groups {
		for _, o := range g.Obligations {
			o.Reopen()
		}
	}
	p.discharger.All(ctx, first.groups)
	p.memory.learn(first.claims)
	more := p.furtherRounds(ctx, claims, first.claims)
	if len(more) > len(proved) {
		return more
	}
	for i, c := range claims {
		if slices.Contains(proved, c) {
			*c = before[i]
		}
	}
	return proved
}

// saved are the claims with their verdicts and obligations so far.
func saved(claims []*claim) []claim {
	out := make([]claim, len(claims))
	for i, c := range claims {
		out[i] = *c
	}
	return out
}

func restore(claims []*claim, as []claim) {
	for i, c := range claims {
		*c = as[i]
	}
}
