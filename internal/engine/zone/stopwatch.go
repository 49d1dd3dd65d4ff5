package zone

import (
	"context"
	"fmt"
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
	failed int        // paths whose delays took too much work
	run    *timed.Run // the first one that is a run, nil for none
}

const (
	// mostTried is the number of first paths that are tried; of the ones behind them, every 2^k-th.
	mostTried = 64
	// pathWork bounds the multiplications for a path.
	pathWork = 5_000_000
)

// try reports whether the path to a node is a run to the target.
func (s *search) try(k int32) (bool, error) {
	s.attempts.tried++
	if n := s.attempts.tried; n > mostTried && n&(n-1) != 0 {
		s.attempts.failed++
		return false, nil
	}
	path, err := s.path(k)
	if err != nil {
		return false, err
	}
	run, decided, err := stretch(s.net, path, s.target)
	if err != nil {
		return false, err
	}
	if !decided {
		s.attempts.failed++
	}
	s.attempts.run = run
	return run != nil, nil
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

// stretch finds delays for a path of steps, with the formula true at the end. The run is nil if
// there are none, or, not decided, if that takes too much work.
func stretch(
	net *timed.Network, path []guardedStep, f *timed.Formula,
) (run *timed.Run, decided bool, err error) {
	a, err := analyse(context.Background(), net, []*timed.Formula{f})
	if err != nil {
		return nil, false, err
	}
	x := newExplorer(net, a)
	d := newDelays(len(path)+1, x.n)
	if !along(d, x, path) {
		return nil, false, errSchedule
	}
	last, ok := exactZone(net, x.a, path)
	if !ok {
		return nil, false, errSchedule
	}
	decided = true
	for _, z := range x.satisfying(f, []zone{last}, nil) {
		end := d.clone()
		within(end, len(path)+1, z)
		if end.contradiction {
			continue
		}
		found, known := end.linear.solve(pathWork)
		if !known {
			decided = false
		}
		if found {
			return runAt(path, end.moments()), true, nil
		}
	}
	return nil, decided, nil
}

// delays collects what bounds the delays of a path: delay k passes between the moments k and k+1.
type delays struct {
	linear        *linear
	still         [][]int // the clocks that stand still in a delay
	since         []int   // the moment at which a clock was set
	value         []int64 // the value that it was set to
	contradiction bool
}

func newDelays(count, clocks int) *delays {
	return &delays{linear: newLinear(count), since: make([]int, clocks),
		value: make([]int64, clocks)}
}

// clone is a copy for further limits at the end.
func (d *delays) clone() *delays {
	c := *d
	c.linear = d.linear.clone()
	return &c
}

func (d *delays) limits(now int, ls []limitOf) {
	for _, l := range ls {
		factors, b := make([]int8, d.linear.count), l.b
		for _, part := range []struct {
			clock, sign int
		}{{l.i, 1}, {l.j, -1}} {
			if part.clock == 0 {
				continue
			}
			b -= bound(2 * int64(part.sign) * d.value[part.clock])
			for k := d.since[part.clock]; k < now; k++ {
				if !slices.Contains(d.still[k], part.clock) {
					factors[k] += int8(part.sign)
				}
			}
		}
		d.states(factors, b)
	}
}

// states states that a sum of delays is bounded.
func (d *delays) states(factors []int8, b bound) {
	if b != infinity && !d.contradiction {
		d.contradiction = !d.linear.atMost(factors, b)
	}
}

func (d *delays) passes(now int, urgent bool, still []int) {
	d.still = append(d.still, slices.Clone(still))
	if urgent {
		factors := make([]int8, d.linear.count)
		factors[now-1] = 1
		d.states(factors, leZero)
	}
}

func (d *delays) sets(clock, now int, value int64) { d.since[clock], d.value[clock] = now, value }

// moments gives the moments between the delays that were found.
func (d *delays) moments() []*big.Rat {
	out := []*big.Rat{new(big.Rat)}
	for _, x := range d.linear.numbers() {
		out = append(out, new(big.Rat).Add(out[len(out)-1], x))
	}
	return out
}
