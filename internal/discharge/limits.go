package discharge

import (
	"slices"
	"time"

	"erelong.dev/erelong/internal/logic"
	"erelong.dev/erelong/internal/system"
	"erelong.dev/erelong/internal/vc"
)

// limits bound the resources of one query: in the last round, before it, and of the first attempt.
type limits struct{ full, quick, lead int64 }

// Steps with hundreds of branches in a row are hopeless for solvers, unless they find a proof at
// once. Other methods and higher limits would only take minutes, so they are left out.
const (
	largeShare = 30 // of the limit is left for a query about a large step
	largeLimit = "a query about a step with hundreds of branches in a row has a thirtieth of " +
		"the limit; --rlimit sets it"
)

// leadShare is the share of the limit that the first attempt has.
const leadShare = 30

// isLarge reports whether a theory has a step with a large new value.
func isLarge(t *vc.Theory) bool {
	large := func(t *logic.Term) bool { return logic.Size(t) >= system.LargeValue }
	return slices.ContainsFunc(t.Updates, func(u vc.Update) bool { return large(u.Value) }) ||
		slices.ContainsFunc(t.Hypotheses, func(h vc.Hypothesis) bool {
			return h.Name == "" && large(h.Term)
		})
}

// limits gives the limits of queries about large steps, or about others.
func (d *Discharger) limits(large bool) limits {
	l := limits{full: d.opts.Rlimit, lead: d.opts.Lead}
	if large {
		l.full = max(l.full/largeShare, 1)
	}
	l.quick = max(l.full/10, 1)
	switch {
	case l.lead > 0:
	case l.full <= lowRlimit:
		l.lead = l.full
	default:
		l.lead = l.full / leadShare
	}
	if large {
		l.quick = max(l.quick, l.lead)
	}
	return l
}

// wall is the guard for a query with this limit.
func (p *processes) wall(limit int64) time.Duration {
	all := p.in.opts.Wall
	switch {
	case p.large:
		return all / 4
	case limit <= p.lead && limit < p.quick:
		return all / 20
	case limit < p.full:
		return all / 4
	}
	return all
}
