package zone

import (
	"fmt"
	"maps"
	"math/big"
	"slices"

	"erelong.dev/erelong/internal/timed"
)

// What clocks that stand still can reach is no zone, and whether a state is reached is undecidable
// (Henzinger, Kopke, Puri, Varaiya: What's decidable about hybrid automata?). The zones that are
// kept hold what is reached, and maybe more. So a state that no zone has is not reached. The path
// to a zone that has it is a run if there are delays for it: a system of linear inequalities over
// the delays, which is solved exactly.

// attempts tries to make runs of paths.
type attempts struct {
	tried  int        // paths to the target
	failed int        // paths that were not examined to the end
	work   int        // of all paths so far
	run    *timed.Run // the first one that is a run, nil for none
	err    error
}

// pathWork and allWork bound the multiplications for a path, and for all paths of a search.
const (
	pathWork = 2_000_000
	allWork  = 20_000_000
)

// try reports whether the path to a node is a run to the target.
func (s *search) try(k int32) bool {
	t := &s.attempts
	if t.tried++; t.work >= allWork {
		t.failed++
		return false
	}
	path, err := s.path(k)
	decided := false
	if err == nil {
		t.run, decided, err = s.stretch(path)
	}
	if t.err = err; !decided {
		t.failed++
	}
	return t.run != nil
}

// doubt says why nothing is known where paths to the target were found and none is a run.
func (t *attempts) doubt() string {
	text := "the model has stopwatches, and zones hold more than these reach: they have such a " +
		"state, but no path to it that was found is a run"
	if t.failed > 0 {
		text += fmt.Sprintf("; %d of %d paths were not examined", t.failed, t.tried)
	}
	return text
}

// refuse says why a query is not decided for a network with clocks that stand still; empty if it
// is.
func refuse(q *timed.Query) string {
	switch {
	case q.Kind != timed.Possibly && q.Kind != timed.Invariantly:
		return "with stopwatches, E<> and A[] are decided only: zones hold more than is reached"
	case q.Formula.Speaks(timed.Deadlock) || q.Formula.Speaks(timed.Alive):
		return "with stopwatches, deadlocks are not decided: zones hold more than is reached"
	}
	return ""
}

// stretch finds delays for a path of steps, with the target at the end. The run is nil if there are
// none, or, not decided, if that takes too much work.
func (s *search) stretch(path []guardedStep) (run *timed.Run, decided bool, err error) {
	x := newExplorer(s.net, s.a)
	n := len(path) + 1
	d := &sums{linear: newLinear(n), since: make([]int, x.n), value: make([]int64, x.n)}
	defer func() { s.attempts.work += d.linear.work }()
	if !along(d, x, path) {
		return nil, false, errSchedule
	}
	last, ok := exactZone(s.net, x.a, path)
	if !ok {
		return nil, false, errSchedule
	}
	decided = true
	for _, z := range x.satisfying(s.target, []zone{last}, nil) {
		end := d.clone()
		within(end, n, z)
		found, known := false, true
		if !end.contradiction {
			found, known = end.linear.solve(pathWork, s.a.done)
			d.linear.work = end.linear.work
		}
		if found {
			return runAt(path, end.moments()), true, nil
		}
		decided = decided && known
	}
	return nil, decided, nil
}

// sums collects what bounds the moments of a path where clocks stand still. Moment k+1 is number k:
// the start is at zero. A clock shows the sum of the times between moments in which it runs.
type sums struct {
	linear        *linear
	still         [][]int // the clocks that stand still after a moment
	since         []int   // the moment at which a clock was set
	value         []int64 // the value that it was set to
	contradiction bool
}

// clone is a copy for further limits at the end.
func (d *sums) clone() *sums {
	c := *d
	c.linear = d.linear.clone()
	return &c
}

func (d *sums) limits(now int, ls []limitOf) {
	for _, l := range ls {
		if l.b == infinity {
			continue
		}
		factors, b := map[int]int{}, l.b
		d.adds(factors, l.i, now, 1)
		d.adds(factors, l.j, now, -1)
		d.states(factors, b-bound(2*(d.value[l.i]-d.value[l.j])))
	}
}

// adds adds the time in which a clock has run to the factors of moments.
func (d *sums) adds(factors map[int]int, clock, now, sign int) {
	if clock == 0 {
		return
	}
	for k := d.since[clock]; k < now; k++ {
		if !slices.Contains(d.still[k], clock) {
			factors[k] -= sign
			factors[k+1] += sign
		}
	}
}

// states states that a sum of moments is bounded.
func (d *sums) states(factors map[int]int, b bound) {
	delete(factors, 0)
	var sum []term
	for _, k := range slices.Sorted(maps.Keys(factors)) {
		if f := factors[k]; f != 0 {
			sum = append(sum, term{k - 1, f})
		}
	}
	if !d.contradiction && d.linear.work < pathWork {
		d.contradiction = !d.linear.atMost(sum, b)
	}
}

func (d *sums) passes(now int, urgent bool, still []int) {
	d.still = append(d.still, slices.Clone(still))
	d.states(map[int]int{now - 1: 1, now: -1}, leZero)
	if urgent {
		d.states(map[int]int{now - 1: -1, now: 1}, leZero)
	}
}

func (d *sums) sets(clock, now int, value int64) { d.since[clock], d.value[clock] = now, value }

// moments gives the moments that were found.
func (d *sums) moments() []*big.Rat {
	return append([]*big.Rat{new(big.Rat)}, d.linear.numbers()...)
}
