package verify

import (
	"context"

	"erelong.dev/erelong/internal/engine"
	"erelong.dev/erelong/internal/system"
	"erelong.dev/erelong/internal/timed"
)

// RunNetwork decides queries of a network (see zone.Claims). Each query has one result, in the same
// order. The instance names the constants of the network; it is empty for the constants of the
// file. Errors are as for Run.
func RunNetwork(
	ctx context.Context, net *timed.Network, claims []engine.Claim, instance string, o Options,
) (*Outcome, error) {
	r := &run{o: o, claims: claims, ledger: &ledger{}}
	t := r.task(engine.Explore)
	t.Network, t.Limits.States = net, o.Explicit.Limits.States
	if instance != "" {
		t.Instance = &system.Instance{Name: instance}
	}
	if len(net.Queries) == 0 {
		r.ledger.notes = append(r.ledger.notes, "the model has no queries, so nothing was checked")
	}
	_, err := r.give(ctx, t, accepting(r.engines(), t))
	return &Outcome{Results: r.ledger.results, Notes: r.ledger.notes}, err
}
