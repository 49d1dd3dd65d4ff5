package verify

import (
	"context"

	"erelong.dev/erelong/internal/engine"
	"erelong.dev/erelong/internal/engine/ranking"
	"erelong.dev/erelong/internal/result"
	"erelong.dev/erelong/internal/system"
)

// An exploration beside a proof of liveness shows a run that violates the property, where a small
// instance has one. Once the property is proved for all instances, an exploration that goes on can
// show nothing new, and may take a thousand times as long as the proof. So it ends there.

// outlived are the explorations that may take longer than the proofs.
type outlived struct{ *run }

// possible reports whether explorations end with the proofs: liveness is all that was asked for,
// and the file chooses the instances.
func (r outlived) possible() bool {
	o := r.o
	return o.LiveOnly && o.Live && o.Explore && o.Elsewhere == nil && o.Take == nil &&
		len(o.Instances) == 0 && len(r.claims) > 0 &&
		len(r.named(isLiveness)) == len(r.claims)
}

func isLiveness(c engine.Claim) bool {
	return c.Property != nil && c.Property.Kind == system.Liveness
}

// whileUnproved is the context of explorations; ended ends them if all is proved.
func (r outlived) whileUnproved(ctx context.Context) (exploring context.Context, ended func()) {
	exploring, cancel := context.WithCancelCause(ctx)
	return exploring, func() {
		if r.possible() && r.ledger.proves(r.named(isLiveness)) {
			cancel(&result.Limit{Code: result.Bounded, Text: "proved for all instances"})
		}
	}
}

// byProof says of each larger instance, where all is proved for all instances, that it follows. How
// far its exploration came depends on the machine, so nothing is said of that.
func (r outlived) byProof() {
	if !r.possible() || !r.ledger.proves(r.named(isLiveness)) {
		return
	}
	larger := func(x result.Result) bool {
		return x.Scope != result.ScopeAll &&
			(x.States > headStart || x.Verdict == result.Unknown && x.Reason.Code == result.Bounded)
	}
	var follow []result.Result
	for _, x := range r.ledger.soFar() {
		if larger(x) {
			follow = append(follow, result.Result{Property: x.Property, Kind: x.Kind,
				Verdict: result.Holds, Scope: x.Scope, Engine: ranking.Name, Line: x.Line,
				Reason: result.Because(result.Remark,
					"it follows from the proof for all instances")})
		}
	}
	r.ledger.replace(larger, follow)
}
