package discharge

import (
	"context"
	"slices"
	"sync"
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

// EasilyAll asks about all obligations with little effort, and leaves what is not proved without a
// verdict. It reports whether all are proved. What is left can be asked about Readily.
func (d *Discharger) EasilyAll(ctx context.Context, groups []*Group) (left *Rest, proved bool) {
	r := d.begin(ctx, groups)
	r.easily(ctx)
	return r, provedIn(groups)
}

// Readily asks about what is left, or gives up where something is false or much is hard. Next to
// sizes and sums, where the effort for each obligation is limited, it spends all of it on a few,
// until one of a property has no proof. It reports whether all are proved, and whether it did not
// give up.
func (r *Rest) Readily(ctx context.Context) (proved, asked bool) {
	within, giveUp := context.WithCancel(ctx)
	defer giveUp()
	r.hard = &hard{giveUp: giveUp}
	defer func() { r.hard = nil }()
	r.moderately(within)
	if r.approximate && within.Err() == nil {
		r.hard.share(r.groups)
		parallel(r.Discharger, r.groups, func(g *Group) {
			r.chunk(within, g, r.together, everything)
			r.again(within, g)
			r.hard.fail(g)
		})
	}
	asked = within.Err() == nil
	for _, g := range r.groups {
		for _, o := range g.Obligations {
			if o.Verdict == "" && ctx.Err() != nil {
				o.Verdict, o.Reason = result.Unknown, result.Ended(ctx, "")
			}
			asked = asked && o.Verdict != ""
		}
	}
	return provedIn(r.groups), asked
}

// provedIn reports whether all obligations of groups are proved.
func provedIn(groups []*Group) bool {
	return !slices.ContainsFunc(groups, func(g *Group) bool {
		return slices.ContainsFunc(g.Obligations, func(o *Obligation) bool {
			return o.Verdict != result.Holds
		})
	})
}

// hard counts the obligations that moderate effort left open, and gives up.
type hard struct {
	found  atomic.Int64
	giveUp func()
	failed sync.Map // properties of which an obligation has no proof
}

// note counts an obligation that some effort was spent on.
func (h *hard) note(o *Obligation, how effort) {
	switch {
	case h == nil || o.Verdict == result.Holds || how != moderate:
	case o.Verdict != "" || h.found.Add(1) > mostHard:
		h.giveUp()
	}
}

// share gives up the properties of which half of the obligations are open: something is missing
// there. The only open obligation of a property has more effort than others.
func (h *hard) share(groups []*Group) {
	open, all := map[string][]*Obligation{}, map[string]int{}
	for _, g := range groups {
		for _, o := range g.Obligations {
			if all[o.Property]++; o.Verdict == "" {
				open[o.Property] = append(open[o.Property], o)
			}
		}
	}
	for property, os := range open {
		os[0].alone = len(os) == 1
		if len(os) > 1 && 2*len(os) >= all[property] {
			h.failed.Store(property, true)
		}
	}
}

// fail notes the properties of a group of which an obligation has no proof.
func (h *hard) fail(g *Group) {
	for _, o := range g.Obligations {
		if o.Verdict != result.Holds {
			h.failed.Store(o.Property, true)
		}
	}
}

// gaveUp reports whether an obligation of a property has no proof.
func (h *hard) gaveUp(property string) bool {
	if h == nil {
		return false
	}
	_, failed := h.failed.Load(property)
	return failed
}

// Rest is what is left of groups of obligations when many were asked about together.
type Rest struct {
	*Discharger
	groups, chunks []*Group
	together       []string // the properties
	total          int      // of the obligations that are left
}

// begin asks about many obligations together.
func (d *Discharger) begin(ctx context.Context, groups []*Group) *Rest {
	r := &Rest{Discharger: d, groups: groups}
	for _, g := range groups {
		d.tally.expect(g.Obligations)
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
				d.tally.finish(d.opts.Progress, o)
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
func (r *Rest) each(ctx context.Context, how effort) {
	parallel(r.Discharger, r.chunks, func(g *Group) { r.chunk(ctx, g, r.together, how) })
}

// easily proves what is easy, also by induction and by what else is proved.
func (r *Rest) easily(ctx context.Context) {
	r.each(ctx, easy)
	parallel(r.Discharger, r.groups, func(g *Group) {
		for again := true; again; {
			proved := r.byInduction(ctx, g)
			for _, o := range proved {
				r.tally.finish(r.opts.Progress, o)
			}
			again = r.byLemmas(ctx, g) && len(proved) > 0
		}
	})
}

// moderately tries all methods at a share of the limit.
func (r *Rest) moderately(ctx context.Context) {
	r.each(ctx, moderate)
	parallel(r.Discharger, r.groups, func(g *Group) { r.byLemmas(ctx, g) })
}
