package zone

import (
	"context"
	"errors"
	"fmt"
	"math/big"

	"erelong.dev/erelong/internal/timed"
)

// errSchedule says that a path cannot be run, or does not end as asked. It is a defect of this
// package.
var errSchedule = errors.New("internal: no delays for the path of zones")

// inequality states that moment to comes at most number after moment from, or less if strict.
type inequality struct {
	from, to int
	b        bound
}

// schedule finds delays for a path of steps, with the formula true at the end, within a zone. The
// moments of steps are the unknowns. The value of a clock is the distance of two moments, so every
// guard and invariant bounds a distance, and the shortest distances in the graph of these bounds
// are a solution.
func schedule(
	net *timed.Network, path []guardedStep, f *timed.Formula, ending zone,
) (*timed.Run, error) {
	a, err := analyse(context.Background(), net, []*timed.Formula{f})
	if err != nil {
		return nil, err
	}
	x := newExplorer(net, a)
	n := len(path)
	// Moment 0 is the start, moment i+1 the moment of step i, moment n+1 the end.
	end := n + 1
	d := &distances{since: make([]int, x.n), value: make([]int64, x.n)}
	if !along(d, x, path) {
		return nil, errSchedule
	}
	within(d, end, ending)
	last, ok := exactZone(net, x.a, path)
	if !ok {
		return nil, errSchedule
	}
	common := len(d.all)
	for _, z := range x.satisfying(f, []zone{last}, nil) {
		d.all = d.all[:common]
		within(d, end, z)
		if moments, ok := solve(n+2, d.all); ok {
			return runAt(path, moments), nil
		}
	}
	return nil, fmt.Errorf("%w of %d steps", errSchedule, n)
}

// runAt is the run of a path with its steps at these moments.
func runAt(path []guardedStep, moments []*big.Rat) *timed.Run {
	run := &timed.Run{}
	before := moments[0]
	for i, m := range path {
		if m.parts != nil {
			run.Steps = append(run.Steps, m.parts)
			run.Delays = append(run.Delays, new(big.Rat).Sub(moments[i+1], before))
			before = moments[i+1]
		}
	}
	last := moments[len(path)+1]
	run.Delays = append(run.Delays, new(big.Rat).Sub(last, before))
	return run
}

// moments collects what bounds the moments of a path.
type moments interface {
	// limits states limits of clocks at a moment.
	limits(now int, ls []limitOf)
	// passes states that a moment is not before the last one, and not after it where time stands
	// still; some clocks stand still between the two.
	passes(now int, urgent bool, still []int)
	// sets states that a clock has a value at a moment.
	sets(clock, now int, value int64)
}

// distances collects what bounds the distances of moments, where no clock stands still.
type distances struct {
	all   []inequality
	since []int   // the moment at which a clock was set
	value []int64 // the value that it was set to
}

func (d *distances) limits(now int, ls []limitOf) {
	for _, l := range ls {
		// clock i minus clock j, both read now; clock 0 is always zero
		from, to, b := now, now, l.b
		if l.i != 0 {
			from, b = d.since[l.i], b-bound(2*d.value[l.i])
		}
		if l.j != 0 {
			to, b = d.since[l.j], b+bound(2*d.value[l.j])
		}
		d.all = append(d.all, inequality{from, to, b})
	}
}

// within states that the clocks are in a zone at a moment.
func within(d moments, now int, z zone) {
	for i := range z.n {
		for j := range z.n {
			if b := z.m[i*z.n+j]; i != j && b != infinity {
				d.limits(now, []limitOf{{i, j, b}})
			}
		}
	}
}

func (d *distances) passes(now int, urgent bool, _ []int) {
	d.all = append(d.all, inequality{now, now - 1, leZero})
	if urgent {
		d.all = append(d.all, inequality{now - 1, now, leZero})
	}
}

func (d *distances) sets(clock, now int, value int64) {
	d.since[clock], d.value[clock] = now, value
}

// along states what the steps of a path and its locations ask of the moments; false if the path
// cannot be taken.
func along(d moments, x *explorer, path []guardedStep) bool {
	d.limits(0, x.invariants(nil))
	urgent, still := x.steps.Urgent(), x.steps.Still(nil)
	for i, m := range path {
		now := i + 1
		d.passes(now, urgent, still)
		d.limits(now, x.invariants(nil))
		within(d, now, m.stay)
		if m.parts == nil {
			within(d, now, m.then)
			continue
		}
		d.limits(now, x.guards(m.parts))
		within(d, now, m.free)
		s, ok := x.take(m.parts)
		if !ok {
			return false
		}
		for _, r := range s.resets {
			d.sets(r.Clock, now, int64(r.Value))
		}
		d.limits(now, s.stay)
		within(d, now, m.then)
		urgent, still = s.urgent, s.still
	}
	end := len(path) + 1
	d.passes(end, urgent, still)
	d.limits(end, x.invariants(nil))
	return true
}

// exactZone computes the zone at the end of a path, for all values, without the parts of its moves.
func exactZone(net *timed.Network, a *analysis, path []guardedStep) (zone, bool) {
	x := newExplorer(net, a)
	z, ok := x.start()
	for _, m := range path {
		if ok && m.parts == nil {
			continue
		}
		if !ok || !z.constrainAll(x.guards(m.parts)) {
			return z, false
		}
		var s *step
		if s, ok = x.take(m.parts); !ok || !z.constrainAll(s.limits) {
			return z, false
		}
		s.finish(z)
	}
	return z, ok
}

// solve finds moments that satisfy all inequalities, where moment 0 is zero: the shortest paths
// (Bellman, Ford). A distance is a number minus a small amount for each strict bound; the amount
// gets a value at the end.
func solve(n int, all []inequality) ([]*big.Rat, bool) {
	type distance struct{ whole, strict int64 } // whole minus strict times the small amount
	less := func(a, b distance) bool {
		return a.whole < b.whole || a.whole == b.whole && a.strict > b.strict
	}
	d := make([]distance, n) // from a source with an edge of length zero to each moment
	for round := 0; ; round++ {
		changed := false
		for _, e := range all {
			t := distance{d[e.from].whole + int64(e.b>>1), d[e.from].strict + int64(1-e.b&1)}
			if less(t, d[e.to]) {
				d[e.to] = t
				changed = true
			}
		}
		if !changed {
			break
		}
		if round > n {
			return nil, false
		}
	}
	small := int64(n + 2)
	out := make([]*big.Rat, n)
	for i := range d {
		whole, strict := d[i].whole-d[0].whole, d[i].strict-d[0].strict
		out[i] = big.NewRat(whole*small-strict, small)
	}
	return out, true
}
