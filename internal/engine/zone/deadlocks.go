package zone

import (
	"slices"

	"erelong.dev/erelong/internal/timed"
)

// A zone that simulates another one (see within) has all its runs, and possibly longer runs where
// runs of the other end. So where deadlocks matter, a simulated zone may not simply be left out.
// But most discrete states have a step for any values of the clocks, and then nothing is lost. This
// file decides the matter: deadlocks asks which values of the clocks, if any, have no step. For
// each kept zone, doubts asks whether it simulates such a value without containing one. If so, the
// numbers with which clocks are compared are extended to distinguish these values, as if a guard
// asked for them, and the search begins again; or it begins again with region equivalence, which is
// a bisimulation.

// maxComparisons bounds the work for the deadlocks of a discrete state: how often two zones are
// compared.
const maxComparisons = 1 << 16

// deadlocks holds values, within the invariants of a state, from which no step is possible, now or
// later.
type deadlocks struct {
	parts []zone
	many  bool // there are too many parts; they are computed again for each zone
}

// halts holds the deadlocks of states, as far as they are needed.
type halts struct {
	known map[int32]*deadlocks // by the number of the state
	ahead *deadlocks           // of the state that is added, nil if not known
}

// of gives the deadlocks of a state, which find finds if nobody has.
func (h *halts) of(state int32, find func() *deadlocks) *deadlocks {
	if d := h.known[state]; d != nil {
		return d
	}
	if h.known == nil {
		h.known = map[int32]*deadlocks{}
	}
	d := h.ahead
	if d == nil {
		d = find()
	}
	h.known[state] = d
	return d
}

// deadlocks finds the deadlocks of the state in the memory.
func (x *explorer) deadlocks() *deadlocks {
	stay := whole(x.n)
	if !stay.constrainAll(x.invariants(nil)) {
		return &deadlocks{}
	}
	compared := 0
	parts, ok := stay.without(x.live(stay), func() bool {
		compared++
		return compared < maxComparisons && !x.stopped()
	})
	return &deadlocks{parts: parts, many: !ok}
}

// live gives zones that together hold every point of a zone, which is within the invariants of the
// state in the memory, from which some step is possible, now or after a delay.
func (x *explorer) live(z zone) (out []zone) {
	x.enabled(func(y zone) bool {
		out = append(out, y)
		pieces, apart := z.pieces(y)
		return (apart || pieces > 0) && !x.stopped()
	})
	return out
}

// without gives the points that are in none of the other zones, as disjoint zones. It gives false
// as soon as more does. The order matters: with n invariants, the enabled zones of n steps leave up
// to n pieces each, so there may be n to the power n pieces, and most often nothing in the end,
// since the step whose invariant ends first is possible. So each piece is cut by the zone that
// leaves the fewest pieces of it.
func (z zone) without(others []zone, more func() bool) (out []zone, ok bool) {
	var meeting []zone
	best, fewest := 0, 0
	for _, y := range others {
		if !more() {
			return nil, false
		}
		pieces, apart := z.pieces(y)
		switch {
		case apart:
			continue
		case pieces == 0:
			return nil, true
		case len(meeting) == 0 || pieces < fewest:
			best, fewest = len(meeting), pieces
		}
		meeting = append(meeting, y)
	}
	if len(meeting) == 0 {
		return []zone{z}, true
	}
	y := meeting[best]
	meeting = slices.Delete(meeting, best, best+1)
	for _, piece := range z.subtract(y) {
		rest, ok := piece.without(meeting, more)
		if !ok {
			return nil, false
		}
		out = append(out, rest...)
	}
	return out, true
}

// pieces bounds the zones that subtract gives, and says whether some constraint shows that the
// zones have no common point.
func (z zone) pieces(y zone) (most int, apart bool) {
	for i := range z.n {
		for j := range z.n {
			b := y.m[i*z.n+j]
			if add(b, z.m[j*z.n+i]) < leZero {
				return 0, true
			}
			if b < z.m[i*z.n+j] {
				most++
			}
		}
	}
	return most, false
}

// of gives the parts of zones that are deadlocks.
func (d *deadlocks) of(zs []zone) (out []zone) {
	for _, part := range d.parts {
		for _, z := range zs {
			if z = z.clone(); z.intersect(part) {
				out = append(out, z)
			}
		}
	}
	return out
}

// doubts collects what a search by simulation may have missed.
type doubts struct {
	table   // the numbers that would reveal it
	some    bool
	visited int64 // when the first one arose
	lost    bool  // no numbers would reveal it
}

// enough says whether the search has to begin again. It goes on for a while first, since there may
// be more doubts.
func (d *doubts) enough(visited int64) bool { return d.lost || d.some && visited > 2*d.visited }

// consider checks whether a zone in which a formula does not hold simulates values in which the
// formula holds.
func (d *doubts) consider(
	x *explorer, z zone, t table, f *timed.Formula, known *deadlocks, visited int64,
) {
	if !known.many && (len(known.parts) == 0 || known.kept(t)) {
		return
	}
	w := z.simulated(t.lower, t.upper)
	if len(x.satisfying(f, []zone{w}, known)) == 0 {
		return
	}
	if !d.some {
		d.table, d.some, d.visited = newTable(z.n), true, visited
	}
	d.lost = d.lost || known.many
	for _, part := range known.parts {
		d.lost = !part.numbers(d.table) || d.lost
	}
}

// kept says whether a table has the numbers of all deadlocks.
func (d *deadlocks) kept(t table) bool {
	own := newTable(len(t.lower))
	for _, part := range d.parts {
		if !part.numbers(own) {
			return false
		}
	}
	for x := range own.lower {
		if own.lower[x] > t.lower[x] || own.upper[x] > t.upper[x] {
			return false
		}
	}
	return true
}

// numbers enters the numbers with which a guard for this zone compares clocks. It gives false if
// the guard compares differences.
func (z zone) numbers(t table) bool {
	box := whole(z.n)
	for x := 1; x < z.n; x++ {
		if up := z.m[x*z.n]; up != infinity {
			t.upper[x] = max(t.upper[x], int32(up>>1))
			box.constrain(x, 0, up)
		}
		if low := z.m[x]; low < leZero {
			t.lower[x] = max(t.lower[x], int32(-(low >> 1)))
			box.constrain(0, x, low)
		}
	}
	for i, b := range z.m {
		if b < box.m[i] {
			return false
		}
	}
	return true
}

// simulated gives a zone that contains every point that a point of z simulates: v is simulated by w
// if each clock x has the same value in both, or v(x) > w(x) > lower(x), or upper(x) < v(x) < w(x)
// (Behrmann, Bouyer, Larsen, Pelánek: Lower and upper bounds in zone-based abstractions of timed
// automata, definition 4).
func (z zone) simulated(lower, upper []int32) zone {
	out := whole(z.n)
	for x := 1; x < z.n; x++ {
		out.m[x] = leZero
		if upper[x] != none {
			// it is not below its least value in z, or above upper
			out.m[x] = max(z.m[x], atMost(-int64(upper[x]), true))
		}
		if up := z.m[x*z.n]; lower[x] != none && up <= atMost(int64(lower[x]), false) {
			out.m[x*z.n] = up
			for y := 1; y < z.n; y++ {
				if y != x && upper[y] != none {
					out.m[x*z.n+y] = max(z.m[x*z.n+y], add(up, atMost(-int64(upper[y]), true)))
				}
			}
		}
	}
	out.close()
	return out
}
