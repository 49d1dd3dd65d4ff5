package bounds

import (
	"slices"

	"erelong.dev/erelong/internal/logic"
)

// Limits of a run. They count work, so that the facts do not depend on the machine.
const (
	maxForms     = 10_000 // forms that are described
	maxDistances = 8      // of one form
)

// interval is the integers from lo to hi. A bound of large, or -large, is none.
type interval struct{ lo, hi int64 }

var everything = interval{-large, large}

// plus moves the interval.
func (i interval) plus(n int64) interval {
	if i.lo > -large {
		i.lo = max(i.lo+n, -large)
	}
	if i.hi < large {
		i.hi = min(i.hi+n, large)
	}
	if i.lo >= large || i.hi <= -large { // too far away
		return everything
	}
	return i
}

// union is the smallest interval that contains both.
func (i interval) union(j interval) interval { return interval{min(i.lo, j.lo), max(i.hi, j.hi)} }

// meet is the intersection. It may be empty where no state is.
func (i interval) meet(j interval) interval { return interval{max(i.lo, j.lo), min(i.hi, j.hi)} }

// value describes a form by its distances from forms without choices. Without a distance, nothing
// is known of the form.
type value []distance

// distance says that the described form minus another, without a number, lies in an interval.
type distance struct {
	from form
	interval
}

// plus describes the form that is larger by n.
func (v value) plus(n int64) value {
	out := make(value, len(v))
	for i, d := range v {
		out[i] = distance{d.from, d.interval.plus(n)}
	}
	return out
}

// restrict adds what is known of the distance from a form.
func (v value) restrict(from form, to interval) value {
	from.number = 0
	for i, d := range v {
		if d.from.equal(from) {
			out := slices.Clone(v)
			out[i].interval = d.meet(to)
			return out
		}
	}
	if len(v) == maxDistances {
		return v
	}
	return append(slices.Clip(v), distance{from, to})
}

// join describes what one of two values describes.
func join(v, w value) (out value) {
	for _, d := range v {
		for _, e := range w {
			if !d.from.equal(e.from) {
				continue
			}
			if both := d.union(e.interval); both != everything {
				out = append(out, distance{d.from, both})
			}
		}
	}
	return out
}

// run describes one expression.
type run struct {
	*analysis
	given  []form           // at most 0 in the state before; with them, declared ranges are granted
	ranges []*logic.Term    // the declared ranges that were used
	memory map[string]value // by the form without its number
	budget int
}

// value describes a form.
func (r *run) value(f form) value {
	base := form{parts: f.parts}
	key := base.key()
	v, ok := r.memory[key]
	if !ok {
		if r.budget--; r.budget < 0 {
			return nil
		}
		v = r.describe(base)
		r.memory[key] = v
	}
	return v.plus(f.number)
}

// describe follows both branches of the choice that was made last.
func (r *run) describe(f form) value {
	if r.isPlain(f) {
		return r.plain(f)
	}
	last := node{}
	for _, p := range f.parts {
		if n := r.nodes[p.node]; n.height > last.height {
			last = n
		}
	}
	return join(r.branch(f, branch{last.cond, true}), r.branch(f, branch{last.cond, false}))
}

// branch is one side of the choices with a condition.
type branch struct {
	cond  int
	holds bool
}

// branch describes a form on one side: all choices with the condition are made together, and the
// condition restricts the result.
func (r *run) branch(f form, b branch) value {
	chosen := form{number: f.number}
	for _, p := range f.parts {
		n := r.nodes[p.node]
		by := form{parts: []part{{p.node, 1}}}
		if n.height > 0 && n.cond == b.cond {
			by = n.no
			if b.holds {
				by = n.yes
			}
		}
		var ok bool
		if chosen, ok = chosen.add(p.by, by); !ok {
			return nil
		}
	}
	v := r.value(chosen)
	for _, limit := range r.limitsOf(b) {
		// chosen = rest + limit <= rest
		if rest, ok := chosen.add(-1, limit); ok && r.isPlain(rest) {
			v = v.restrict(rest, interval{-large, rest.number})
		}
		// chosen = rest - limit >= rest
		if rest, ok := chosen.add(1, limit); ok && r.isPlain(rest) {
			v = v.restrict(rest, interval{rest.number, large})
		}
	}
	return v
}

// isPlain reports whether a form has no choices.
func (r *run) isPlain(f form) bool { return r.height(f) == 0 }

// plain describes a form without choices: by itself, and by its distance from 0 as far as it is
// given.
func (r *run) plain(f form) value {
	v := value{{f, interval{0, 0}}}
	if len(f.parts) == 0 || r.given == nil {
		return v
	}
	limits := slices.Clone(r.given)
	for _, p := range f.parts {
		if t := r.nodes[p.node].term; t.Op == logic.OpApp && t.Step == logic.Pre {
			limits = append(limits, r.declared(logic.InSort(t.Symbol.Result, t))...)
		}
	}
	for _, limit := range limits {
		if rest, ok := f.add(-1, limit); ok && len(rest.parts) == 0 {
			v = v.restrict(rest, interval{-large, rest.number})
		}
		if rest, ok := f.add(1, limit); ok && len(rest.parts) == 0 {
			v = v.restrict(rest, interval{rest.number, large})
		}
	}
	return v
}

// declared takes it for granted that a value is in its declared range.
func (r *run) declared(inside *logic.Term) []form {
	limits := r.limitsIn(inside, true)
	known := func(t *logic.Term) bool { return logic.Equal(t, inside) }
	if len(limits) > 0 && !slices.ContainsFunc(r.ranges, known) {
		r.ranges = append(r.ranges, inside)
	}
	return limits
}
