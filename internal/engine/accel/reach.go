package accel

import (
	"fmt"
	"slices"

	"erelong.dev/erelong/internal/engine"
	"erelong.dev/erelong/internal/presburger"
)

// Effort bounds a search, in counts.
type Effort struct {
	Nodes  int   // of an automaton, before it is minimal
	Made   int64 // nodes in all
	Loops  int   // loops that are accelerated, of all places together
	Simple int   // length of the cycles that loops are made of and that visit no place twice
	Again  int   // visits of places that are allowed beyond that, one after the other
	Rounds int   // of the search, before more visits are allowed
}

// Default is the effort of a search that other work waits for.
var Default = Effort{Nodes: 200_000, Made: 15_000_000, Loops: 400, Simple: 4, Again: 2,
	Rounds: 6}

// search finds the states that are reachable, forwards or backwards. Places that lie on no loop
// of their own are passed by: steps through them are composed.
type search struct {
	*machine
	d              direction
	effort         Effort
	made           int64 // of the store at the beginning
	reach          region
	target         region // a state of it ends the search; nil for none
	edges          []*edge
	loops          [][]*loop
	composedPlaces []passed
	extraVisits    int // visits beyond the first, in cycles
	// journal has what made the region, in order, for runs.
	journal     []entry
	targetPlace int // a place with a state of target; -1 for none
	last        map[any]*presburger.Set
}

// passed is a place that steps pass by, with the edges from and to it.
type passed struct {
	place int
	edges []*edge
}

// entry is a step of the search: what was added to a place, from which states.
type entry struct {
	edge   *edge
	loop   *loop // nil for an edge that is taken once
	source *presburger.Set
	after  *presburger.Set // the states of the place where it leads, afterwards
}

// found is the outcome of a search.
type found struct {
	reach      region
	complete   bool
	incomplete string // why it is not complete
	loops      int
}

// find searches from states in a direction, by the given edges, until it knows all that are
// reachable, or a state of target.
func (m *machine) find(
	d direction, from, target region, edges []*edge, effort Effort,
) (*search, *found, error) {
	s := &search{machine: m, d: d, effort: effort, made: m.store.Made, reach: slices.Clone(from),
		target: slices.Clone(target), targetPlace: -1, last: map[any]*presburger.Set{}}
	out := &found{}
	err := m.store.Try(func() { s.saturate(edges, out) })
	out.reach = s.reach
	if limit, ok := err.(*presburger.Limit); ok {
		out.incomplete, err = limit.Text, nil
	}
	return s, out, err
}

func (s *search) saturate(edges []*edge, out *found) {
	for p := range s.places {
		if s.meets(p) {
			return
		}
	}
	s.edges = slices.Clone(edges)
	for s.passBy() {
		if s.targetPlace >= 0 {
			return
		}
	}
	done := false
	for s.extraVisits = 0; s.extraVisits <= s.effort.Again && !done; s.extraVisits++ {
		if !s.cycles() {
			out.incomplete = fmt.Sprintf("more than %d loops", s.effort.Loops)
			break
		}
		out.loops = 0
		for _, l := range s.loops {
			out.loops += len(l)
		}
		for range s.effort.Rounds {
			changed := s.round()
			if s.targetPlace >= 0 {
				return
			}
			if done = !changed; done {
				break
			}
		}
	}
	s.complete()
	if out.complete = done && s.targetPlace < 0; done {
		out.incomplete = ""
	} else if out.incomplete == "" {
		out.incomplete = fmt.Sprintf("no end with %s", engine.Counted(out.loops, "loop", "loops"))
	}
}

// spend ends the search when it has made all nodes that it may make, or when its context is done.
func (s *search) spend() {
	s.store.Check()
	if s.store.Made-s.made > s.effort.Made {
		s.store.Stop(&presburger.Limit{
			Text: fmt.Sprintf("more than %d nodes of automata", s.effort.Made)})
	}
}

// meets reports whether a place has a state of the target.
func (s *search) meets(p int) bool {
	if s.target == nil || s.store.And(s.reach[p], s.target[p]).IsEmpty() {
		return false
	}
	s.targetPlace = p
	return true
}

// add adds states to a place. It reports whether they are new.
func (s *search) add(p int, x *presburger.Set, e entry) bool {
	all := s.store.Or(s.reach[p], x)
	if all.Equal(s.reach[p]) {
		return false
	}
	s.reach[p] = all
	e.after = all
	s.journal = append(s.journal, e)
	s.meets(p)
	return true
}

// mostPaths bounds the steps that replace the ones through a place.
const mostPaths = 150

// passBy passes one more place by: the one with the fewest neighbours. Its states so far go on;
// states before the target in it are targets.
func (s *search) passBy() bool {
	best, cost := -1, 0
	type degree struct{ in, out, loop int }
	degrees := make([]degree, len(s.places))
	for _, e := range s.edges {
		switch {
		case e.from == e.to:
			degrees[e.from].loop++
		default:
			degrees[e.from].out++
			degrees[e.to].in++
		}
	}
	for p, d := range degrees {
		if d.loop > 0 || d.in+d.out == 0 || d.in*d.out > mostPaths {
			continue
		}
		if c := d.in*d.out - d.in - d.out; best < 0 || c < cost {
			best, cost = p, c
		}
	}
	if best < 0 {
		return false
	}
	var rest, in, out []*edge
	for _, e := range s.edges {
		switch from, to := e.ends(s.d); best {
		case to:
			in = append(in, e)
		case from:
			out = append(out, e)
		default:
			rest = append(rest, e)
		}
	}
	for _, a := range in {
		for _, b := range out {
			s.spend()
			first, second := a, b
			if s.d == backwards {
				first, second = b, a
			}
			c, ok := s.compose(first, second)
			if !ok { // the place stays, as if it had a loop
				s.edges = append(s.edges, &edge{from: best, to: best, guard: s.store.None(s.space),
					convex: true, f: presburger.Identity(len(s.space))})
				return true
			}
			if c != nil {
				rest = s.insert(rest, c)
			}
		}
	}
	s.composedPlaces = append(s.composedPlaces, passed{best, slices.Concat(in, out)})
	s.edges = rest
	for _, e := range out {
		_, to := e.ends(s.d)
		s.add(to, s.step(s.d, e, s.reach[best]), entry{edge: e, source: s.reach[best]})
	}
	if s.target != nil {
		for _, e := range in {
			from, _ := e.ends(s.d)
			s.target[from] = s.store.Or(s.target[from],
				s.step(1-s.d, e, s.target[best]))
			s.meets(from)
		}
	}
	return true
}

// insert adds an edge, unless another one does as much; edges that do no more than it go.
func (s *search) insert(all []*edge, e *edge) []*edge {
	alike := func(o *edge) bool {
		return o.from == e.from && o.to == e.to && same(o.f, e.f) && slices.Equal(o.any, e.any)
	}
	for _, o := range all {
		if alike(o) && s.store.Within(e.guard, o.guard) {
			return all
		}
	}
	return append(slices.DeleteFunc(all, func(o *edge) bool {
		return alike(o) && o.convex == e.convex && s.store.Within(o.guard, e.guard)
	}), e)
}

// cycles makes loops of the cycles that visit no place twice, or as often as is allowed by now. It
// reports whether there are few enough. A cycle is looked at from its least place.
func (s *search) cycles() bool {
	if s.loops == nil {
		s.loops = make([][]*loop, len(s.places))
	}
	count := 0
	for _, l := range s.loops {
		count += len(l)
	}
	leaving := make([][]*edge, len(s.places))
	for _, e := range s.edges {
		leaving[e.from] = append(leaving[e.from], e)
	}
	paths := 0
	visited := make([]bool, len(s.places))
	for p := range s.places {
		var walk func(e *edge, length, repeated int) bool
		walk = func(e *edge, length, repeated int) bool {
			if s.spend(); paths == 10*s.effort.Loops {
				return false
			}
			paths++
			if e.to == p && s.newCycle(p, e) {
				if count++; count > s.effort.Loops {
					return false
				}
			}
			if length == s.effort.Simple+repeated {
				return true
			}
			was := visited[e.to]
			if was || e.to == p {
				repeated++
				if repeated > s.extraVisits {
					return true
				}
			}
			visited[e.to] = true
			defer func() { visited[e.to] = was }()
			for _, next := range leaving[e.to] {
				if next.to < p {
					continue
				}
				if c, _ := s.compose(e, next); c != nil && !walk(c, length+1, repeated) {
					return false
				}
			}
			return true
		}
		for _, e := range leaving[p] {
			if e.to >= p && !e.guard.IsEmpty() && !walk(e, 1, 0) {
				return false
			}
		}
	}
	return true
}

// newCycle adds the loop of a cycle, unless it cannot be accelerated, or does no more than others.
func (s *search) newCycle(p int, e *edge) bool {
	for _, l := range s.loops[p] {
		if same(l.f, e.f) && slices.Equal(l.any, e.any) && s.store.Within(e.guard, l.edge.guard) {
			return false
		}
	}
	l := s.newLoop(e)
	if l == nil {
		return false
	}
	s.loops[p] = append(s.loops[p], l)
	return true
}

// round takes each loop any number of times, and each edge once, from all states so far. It
// reports whether there are new states.
func (s *search) round() (changed bool) {
	for p := range s.places {
		for again := true; again; {
			again = false
			for _, l := range s.loops[p] {
				if s.fresh(l, p) && s.accelerate(p, l) {
					again, changed = true, true
				}
				if s.targetPlace >= 0 {
					return true
				}
			}
			s.spend()
		}
		for _, e := range s.edges {
			from, to := e.ends(s.d)
			if from != p || !s.fresh(e, p) {
				continue
			}
			s.spend()
			source := s.reach[p]
			if s.add(to, s.step(s.d, e, source), entry{edge: e, source: source}) {
				changed = true
			}
			if s.targetPlace >= 0 {
				return true
			}
		}
	}
	return changed
}

// fresh reports whether a place has other states than at the last call for an edge or a loop.
func (s *search) fresh(of any, p int) bool {
	if x := s.last[of]; s.reach[p].IsEmpty() || x != nil && x.Equal(s.reach[p]) {
		return false
	}
	s.last[of] = s.reach[p]
	return true
}

// accelerate adds the states after any number of rounds of a loop. A loop whose automata are too
// large is left out: the search has its edges, and longer loops.
func (s *search) accelerate(p int, l *loop) (changed bool) {
	source := s.reach[p]
	var x *presburger.Set
	err := s.store.Try(func() {
		if x = source; !s.store.Within(s.step(s.d, l.edge, source), source) {
			x = s.rounds(s.d, l, source) // otherwise one round adds nothing, so no number does
		}
	})
	if err != nil {
		if _, ok := err.(*presburger.Limit); !ok {
			s.store.Stop(err)
		}
		return false
	}
	if s.tell != nil {
		s.tell(s.store.Made - s.made)
	}
	changed = s.add(p, x, entry{edge: l.edge, loop: l, source: source})
	s.last[l] = s.reach[p] // once more would add nothing
	return changed
}

// complete adds the states of the places that were passed by, the last one first.
func (s *search) complete() {
	for i := len(s.composedPlaces) - 1; i >= 0; i-- {
		for _, e := range s.composedPlaces[i].edges {
			from, to := e.ends(s.d)
			if to == s.composedPlaces[i].place {
				s.add(to, s.step(s.d, e, s.reach[from]), entry{edge: e, source: s.reach[from]})
			}
		}
	}
}
