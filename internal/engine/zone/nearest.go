package zone

import (
	"context"

	"erelong.dev/erelong/internal/timed"
)

// shortening is what a search for a shorter run may cost, in entries of the matrices of zones: a
// fraction of a second.
const shortening = 1 << 25

// nearest is reach with a run for people: once some run is found, a second search looks for one
// with as few steps as possible, as long as it costs little. The verdict and the figures are the
// ones of the first search; if the second one ends at its limit, so is the run.
func nearest(
	ctx context.Context, net *timed.Network, q *timed.Query, f *timed.Formula, o Options,
) (*Result, error) {
	r, err := reach(ctx, net, q, f, o)
	if err != nil || r.Run == nil || o.Shortest || o.DepthFirst {
		return r, err
	}
	clocks := int64(len(net.Clocks)) + 1
	o.Shortest, o.Progress, o.steps = true, nil, shortening/(clocks*clocks)
	again, err := reach(ctx, net, q, f, o)
	if ctx.Err() != nil {
		return r, ctx.Err()
	}
	if err == nil && again.Run != nil && len(again.Run.Steps) < len(r.Run.Steps) {
		r.Run = again.Run
	}
	return r, nil
}
