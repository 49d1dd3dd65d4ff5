package discharge

import (
	"context"
	"slices"
	"sync/atomic"

	"erelong.dev/erelong/internal/result"
)

// All decides all obligations, some in parallel. An obligation that already has a verdict keeps it.
func (d *Discharger) All(ctx context.Context, groups []*Group) {
	r := d.begin(ctx, groups)
	if r.total >= manyEasy {
		r.easily(ctx)
	}
	if r.total >= manyEasy && d.approximate {
		r.moderately(ctx)
	}
	r.each(ctx, everything)
	if r.total >= manyEasy {
		parallel(d, groups, func(g *Group) { d.again(ctx, g) })
	}
}

// mostHard is the number of obligations that may be hard before all of them are given up.
const mostHard = 12

// Readily asks about all obligations, or gives up where one is false or many are hard. Next to
// sizes and sums, where the effort for each is limited, it spends all of it on a few. It reports
// whether all are proved, and whether all were asked about.
func (d *Discharger) Readily(ctx context.Context, groups []*Group) (proved, asked bool) {
	within, giveUp := context.WithCancel(ctx)
	defer giveUp()
	d.hard = &hard{giveUp: giveUp}
	defer func() { d.hard = nil }()
	r := d.begin(within, groups)
	r.easily(within)
	r.moderately(within)
	if d.approximate && within.Err() == nil {
		r.each(within, everything)
		parallel(d, groups, func(g *Group) { d.again(within, g) })
	}
	proved, asked = true, within.Err() == nil
	for _, g := range groups {
		for _, o := range g.Obligations {
			if o.Verdict == "" && ctx.Err() != nil {
				o.Verdict, o.Reason = result.Unknown, result.Ended(ctx, "")
			}
			proved, asked = proved && o.Verdict == result.Holds, asked && o.Verdict != ""
		}
	}
	return proved, asked
}

// hard counts the obligations that moderate effort left open, and gives up.
type hard struct {
	found  atomic.Int64
	giveUp func()
}

// note counts an obligation that some effort was spent on.
func (h *hard) note(o *Obligation, how effort) {
	switch {
	case h == nil || o.Verdict == result.Holds || how != moderate:
	case o.Verdict != "" || h.found.Add(1) > mostHard:
		h.giveUp()
	}
}

// rest is what is left of groups of obligations when many were asked about together.
type rest struct {
	*Discharger
	groups, chunks []*Group
	together       []string // the properties
	total          int      // of the obligations that are left
}

// begin asks about many obligations together.
func (d *Discharger) begin(ctx context.Context, groups []*Group) *rest {
	r := &rest{Discharger: d, groups: groups}
	for _, g := range groups {
		d.tally.expect(len(g.Obligations))
		for _, o := range g.Obligations {
			if n := len(r.together); n == 0 || r.together[n-1] != o.Property {
				r.together = append(r.together, o.Property)
			}
		}
	}
	slices.Sort(r.together)
	r.together = slices.Compact(r.together)
	parallel(d, d.batches(groups), func(b *batch) { d.batch(ctx, b, r.together) })

	open := make([][]*Obligation, len(groups))
	for i, g := range groups {
		for _, o := range g.Obligations {
			if o.Verdict == "" {
				open[i] = append(open[i], o)
			} else {
				d.tally.finish(d.opts.Progress, o.Obligation)
			}
		}
		r.total += len(open[i])
	}
	for i, g := range groups {
		for some := range slices.Chunk(open[i], max(chunkSize, r.total/chunkShare)) {
			r.chunks = append(r.chunks, g.with(some))
		}
	}
	return r
}

// each asks about each obligation.
func (r *rest) each(ctx context.Context, how effort) {
	parallel(r.Discharger, r.chunks, func(g *Group) { r.chunk(ctx, g, r.together, how) })
}

// easily proves what is easy, also by induction and by what else is proved.
func (r *rest) easily(ctx context.Context) {
	r.each(ctx, easy)
	parallel(r.Discharger, r.groups, func(g *Group) {
		for again := true; again; {
			proved := r.byInduction(ctx, g)
			for _, o := range proved {
				r.tally.finish(r.opts.Progress, o.Obligation)
			}
			again = r.byLemmas(ctx, g) && len(proved) > 0
		}
	})
}

// moderately tries all methods at a share of the limit.
func (r *rest) moderately(ctx context.Context) {
	r.each(ctx, moderate)
	parallel(r.Discharger, r.groups, func(g *Group) { r.byLemmas(ctx, g) })
}
