package zone

import (
	"context"
	"math/big"
	"math/rand/v2"
	"slices"

	"erelong.dev/erelong/internal/timed"
)

// Random walks with exact values of the clocks cost a step what its processes and clocks are, where
// a zone costs the square of the clocks. They choose each delay at once, so they miss what needs a
// delay that later steps decide; but a network of a thousand processes is walked a hundred times as
// far. They also run where clocks stand still, and where clocks decide who receives a broadcast.

// stroller walks with exact values. It is deterministic.
type stroller struct {
	*explorer
	target *timed.Formula
	random *rand.Rand
	walks  uint64
	looked int64   // at this many steps, for the ones that were made
	values []int64 // of the clocks, in halves
	delays []int64 // of the walk so far, in halves
	steps  [][]timed.Participant
	moves  []delayed
	state  []int32
	memory walked
	found  *timed.Run
	// Between two steps:
	stay   []limitOf
	still  []int
	urgent bool
}

// delayed is a step with the delays, in halves, after which its guards hold.
type delayed struct {
	parts  []timed.Participant
	lo, hi int64
}

// never is a delay that is longer than any other.
const never = int64(limit) << 8

// newStroller gives nil where exact values cannot decide what is looked for.
func newStroller(net *timed.Network, a *analysis, f *timed.Formula) *stroller {
	if net.Prioritised() || f.Speaks(timed.Deadlock) || f.Speaks(timed.Alive) {
		return nil
	}
	s := &stroller{explorer: newExplorer(net, a), target: f, random: rand.New(rand.NewPCG(2, 2)),
		values: make([]int64, len(net.Clocks))}
	s.explorer.steps.Able = s.able
	return s
}

// share is how many steps cost as much as a step of zones.
func (s *stroller) share() int64 {
	return 1 + int64(s.n)*int64(s.n)/int64(16*(s.n+len(s.net.Processes)))
}

// stroll looks at some steps in all, and reports whether it has met the target.
func (s *stroller) stroll(ctx context.Context, budget int64) bool {
	if s == nil {
		return false
	}
	budget *= s.share()
	for s.looked = 0; s.looked < budget && ctx.Err() == nil; {
		s.walks++
		length := min(int64(shortWalk)<<min(trailing(s.walks), longestLog),
			budget-s.looked)
		met := s.once(ctx, length)
		if f := s.explorer.steps.Memory.Fault; f != nil { // the search meets it, too
			s.explorer.steps.Memory.Fault = nil
			met = false
		}
		if met {
			s.found = s.run()
			return true
		}
		s.looked++
	}
	return false
}

// once walks from the start.
func (s *stroller) once(ctx context.Context, length int64) bool {
	m := &s.explorer.steps.Memory
	copy(m.Cells, s.net.Init)
	clear(s.values)
	s.steps, s.delays = s.steps[:0], s.delays[:0]
	s.memory.taken.drop()
	s.stay = s.invariants(s.stay[:0])
	if !s.explorer.steps.Admissible() || !s.satisfies(s.stay) {
		return false
	}
	s.urgent = s.explorer.steps.Urgent()
	s.still = s.explorer.steps.Still(s.still)
	for m.Fault == nil {
		if s.holds(s.target) {
			s.delays = append(s.delays, 0)
			return true
		}
		if length--; length < 0 || length%64 == 0 && ctx.Err() != nil || !s.next() {
			return false
		}
	}
	return false
}

// next lets time pass and makes a step, each of the possible ones equally likely.
func (s *stroller) next() bool {
	longest, before := s.longest(), int64(0)
	if s.parts { // who receives depends on the moment, which is chosen first
		before, longest = s.moment(longest), 0
		s.wait(before)
	}
	s.state = s.explorer.steps.State(s.state)
	s.moves = s.moves[:0]
	s.memory.possible.drop()
	s.explorer.steps.Each(func(parts []timed.Participant) {
		lo, hi := s.window(s.guards(parts))
		if hi = min(hi, longest); lo <= hi {
			s.moves = append(s.moves, delayed{s.memory.possible.keep(parts), lo, hi})
		}
	})
	s.looked += int64(len(s.moves))
	for n := len(s.moves); n > 0 && s.explorer.steps.Memory.Fault == nil; n-- {
		k := s.random.IntN(n)
		move := s.moves[k]
		s.moves[k] = s.moves[n-1]
		d := s.within(move.lo, move.hi)
		s.wait(d)
		s.explorer.steps.Load(s.state)
		s.guards(move.parts)
		taken, ok := s.take(move.parts)
		if !ok || !s.satisfies(taken.limits) {
			s.wait(-d)
			continue
		}
		for _, r := range taken.resets {
			s.values[r.Clock] = 2 * int64(r.Value)
		}
		s.stay, s.still, s.urgent = append(s.stay[:0], taken.stay...),
			append(s.still[:0], taken.still...), taken.urgent
		s.steps = append(s.steps, s.memory.taken.keep(move.parts))
		s.delays = append(s.delays, before+d)
		return true
	}
	return false
}

// longest is the longest delay for which the invariants hold.
func (s *stroller) longest() int64 {
	if s.urgent {
		return 0
	}
	_, hi := s.window(s.stay)
	return hi
}

// window gives the delays, in halves, after which limits hold; the first is at least 0.
func (s *stroller) window(limits []limitOf) (lo, hi int64) {
	hi = never
	for _, l := range limits {
		// The difference must be at most this.
		most := 2*int64(l.b>>1) - int64(1-l.b&1)
		gap := most - s.values[l.i] + s.values[l.j]
		switch i, j := s.runs(l.i), s.runs(l.j); {
		case i == j && gap < 0:
			return 1, 0
		case i && !j:
			hi = min(hi, gap)
		case j && !i:
			lo = max(lo, -gap)
		}
	}
	return lo, hi
}

func (s *stroller) runs(clock int) bool {
	return clock != 0 && !slices.Contains(s.still, clock)
}

// within chooses a delay: mostly the first or the last one, where something changes. A quarter of
// the walks always take the first, and a quarter the last one: a sum of many delays is least or
// largest there.
func (s *stroller) within(lo, hi int64) int64 {
	far := hi
	if far == never {
		far = lo + 2*s.a.largest + 1
	}
	way := s.walks * 0x9e3779b97f4a7c15 >> 62 // whatever the length of the walk
	if way > 1 {
		way = uint64(s.random.IntN(3))
	}
	switch way {
	case 0:
		return lo
	case 1:
		return far
	}
	return lo + s.random.Int64N(far-lo+1)
}

// moment chooses a delay after which a clock is compared with something on an edge.
func (s *stroller) moment(longest int64) int64 {
	all := []int64{0}
	m := &s.explorer.steps.Memory
	for p := range s.net.Processes {
		for _, e := range s.explorer.steps.Location(p).Out {
			if len(e.Clocks) == 0 || len(e.Selects) > 0 || e.Guard != nil && e.Guard(m) == 0 {
				continue
			}
			lo, hi := s.window(s.numbers(nil, e.Clocks))
			if lo <= min(hi, longest) {
				all = append(all, lo, s.within(lo, min(hi, longest)))
			}
		}
	}
	return all[s.random.IntN(len(all))]
}

func (s *stroller) wait(d int64) {
	for x := 1; x < len(s.values); x++ {
		s.values[x] += d
	}
	for _, x := range s.still {
		s.values[x] -= d
	}
}

func (s *stroller) satisfies(limits []limitOf) bool {
	return !slices.ContainsFunc(limits, func(l limitOf) bool {
		return s.values[l.i]-s.values[l.j] > 2*int64(l.b>>1)-int64(1-l.b&1)
	})
}

// able says whether a process receives a broadcast now.
func (s *stroller) able(part timed.Participant) bool {
	s.explorer.steps.Bind([]timed.Participant{part})
	return s.satisfies(s.numbers(nil, part.Edge.Clocks))
}

func (s *stroller) holds(f *timed.Formula) bool {
	return f.Holds(func(f *timed.Formula) bool {
		if f.Op == timed.Timing {
			return s.satisfies(s.numbers(nil, []timed.Constraint{f.Constraint}))
		}
		return f.Eval(&s.explorer.steps.Memory) != 0
	})
}

// run is the walk.
func (s *stroller) run() *timed.Run {
	r := &timed.Run{Steps: slices.Clone(s.steps)}
	for _, d := range s.delays {
		r.Delays = append(r.Delays, big.NewRat(d, 2))
	}
	return r
}
