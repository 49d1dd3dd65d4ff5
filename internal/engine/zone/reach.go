package zone

import (
	"context"
	"fmt"
	"slices"

	"erelong.dev/erelong/internal/result"
	"erelong.dev/erelong/internal/timed"
)

// stateZones is a discrete state, with its kept zones.
type stateZones struct {
	table int32
	kept  passed
}

// search is the list of passed and waiting zones.
type search struct {
	*explorer
	o          Options
	states     states
	stateZones rows[stateZones] // of the states
	zones      *matrices
	tree
	waiting queue
	kept    int64
	target  *timed.Formula
	// Called with every part of a zone in which the target holds; the search then goes on.
	measure func(zone)
	found   int32  // the node in which the target holds, none if there is none
	doubts  doubts // whether the target holds in a zone that was left out
	result  *Result
	ahead   ahead
	halts   halts

	buffers

	symmetry *symmetry // nil for none
	remark   string    // why there is no symmetry, if there are scalar sets

	walkers  walkers
	attempts attempts
}

func newSearch(net *timed.Network, a *analysis, q *timed.Query, o Options, r *Result) *search {
	n := len(net.Clocks)
	s := &search{explorer: newExplorer(net, a), o: o, stateZones: newRows[stateZones](1),
		zones: newMatrices(n), tree: newTree(), found: none, result: r,
		buffers: buffers{from: zero(n), to: zero(n)}}
	s.o.Threads = o.threads()
	if !o.Asymmetric {
		s.symmetry, s.remark = newSymmetry(net, q.Named)
	}
	return s
}

// reach looks for a state in which the formula holds.
func reach(
	ctx context.Context, net *timed.Network, q *timed.Query, f *timed.Formula, o Options,
) (*Result, error) {
	r := &Result{Loop: -1}
	a, err := analyse(ctx, net, []*timed.Formula{f})
	if err != nil {
		return r, err
	}
	var s *search
	for again := true; again; again = s.doubts.some && (!s.met() || o.Shortest) {
		if s != nil {
			a, *r = a.afterDoubts(&s.doubts), Result{Loop: -1}
		}
		s = newSearch(net, a, q, o, r)
		s.target = f
		if !o.Shortest {
			s.walkers = newWalkers(net, a, f)
		}
		err = s.run(ctx)
		r.Stored = s.kept
		if err != nil {
			return r, err
		}
	}
	r.Answer = NotSatisfied
	if s.remark != "" {
		r.Reason = "no reduction by the symmetry of a scalar set: " + s.remark
	}
	switch {
	case s.attempts.run != nil:
		r.Answer, r.Run = Satisfied, s.attempts.run
		return r, timed.Replay(net, r.Run, f)
	case s.walkers.run() != nil:
		r.Answer, r.Run = Satisfied, s.walkers.run()
		return r, timed.Replay(net, r.Run, f)
	case s.attempts.tried > 0:
		r.Answer, r.Reason, r.Code = Unknown, s.attempts.doubt(), result.NotProved
	case s.met():
		r.Answer = Satisfied
		path := s.walkers.zones.way()
		if path == nil {
			if path, err = s.path(s.found); err != nil {
				return r, err
			}
		}
		if r.Run, err = schedule(net, path, f, zone{}); err != nil {
			return r, err
		}
		return r, timed.Replay(net, r.Run, f)
	}
	return r, nil
}

// met reports whether the target holds in a state that was reached.
func (s *search) met() bool { return s.found != none || s.walkers.met() }

func (s *search) run(ctx context.Context) error {
	if first, ok := s.start(); ok {
		s.add(first, none, 0)
	}
	for count := 0; s.waiting.some() && s.found == none; count++ {
		if count%64 == 0 && ctx.Err() != nil {
			return ctx.Err()
		}
		if f := s.steps.Memory.Fault; f != nil {
			return f
		}
		if s.o.MaxStates > 0 && s.kept >= s.o.MaxStates ||
			s.o.steps > 0 && s.result.Steps >= s.o.steps {
			return errLimit
		}
		if s.doubts.enough(s.result.Visited) {
			return nil
		}
		k := s.waiting.next(s.o.DepthFirst)
		n := s.node(k)
		n.rest()
		if n.zone == none {
			s.ahead.take(k)
			s.release(k)
			continue
		}
		s.result.Visited++
		s.o.tell(s.result.Visited, s.waiting.waiting)
		if int64(n.depth)*(s.a.largest+1) > limit/2 {
			s.read(&s.zones.view, k, s.from)
			if err := s.from.check(); err != nil {
				return err
			}
		}
		if s.walkers.meet(ctx, s.result.Steps, s.o.Threads > 1) {
			return nil
		}
		s.expanded = k
		if e := s.lookAhead(k); e != nil {
			s.commit(e)
		} else {
			s.expand(k)
		}
		s.expanded = none
		s.release(k)
	}
	if f := s.steps.Memory.Fault; f != nil {
		return f
	}
	return s.attempts.err
}

// own gives the zone of a node whose table is loaded, and digestOf its digest.
func (s *search) own(k int32) zone        { return s.zones.at(s.node(k).zone) }
func (s *search) digestOf(k int32) digest { return s.zones.digest(s.own(k)) }

// read gives the zone of a node.
func (s *search) read(v *view, k int32, into zone) {
	n := s.node(k)
	v.load(s.stateZones.at(n.state)[0].table)
	v.read(n.zone, into)
}

// expand adds the successors of a node.
func (s *search) expand(k int32) {
	s.read(&s.zones.view, k, s.from)
	s.state = s.states.state(s.state[:0], s.node(k).state)
	s.successors(s.state, s.from, s.to, func(ordinal int32) bool {
		s.result.Steps++
		s.add(s.to, k, ordinal)
		return s.found == none
	})
}

// check says whether the numbers of a zone are small enough for one more step.
func (z zone) check() error {
	for _, b := range z.m {
		if b != infinity && (b > limit || b < -limit) {
			return ErrTooLarge
		}
	}
	return nil
}

// add keeps a zone of the state in the memory unless a kept zone covers it, and drops the kept
// zones that it covers.
func (s *search) add(z zone, parent, ordinal int32) {
	s.now = s.steps.State(s.now)
	n := node{parent: parent, ordinal: ordinal, depth: 1}
	if parent != none {
		n.depth = s.node(parent).depth + 1
	}
	if s.symmetry != nil {
		if r := s.symmetry.canonical(s.now, z); r != nil {
			n.rename = s.symmetry.number(r)
			s.steps.Load(s.now)
		}
	}
	s.split(n, z, s.a.diagonals)
}

// split cuts a zone along the differences in the model; the side of a piece counts as a part of its
// state.
func (s *search) split(n node, z zone, ds []diagonal) {
	if len(ds) == 0 {
		s.insert(n, z)
		return
	}
	d, other, at := ds[0], z.clone(), len(s.now)
	if z.constrain(d.i, d.j, d.b) {
		s.now = append(s.now, 1)
		s.split(n, z, ds[1:])
		s.now = s.now[:at]
	}
	if other.constrain(d.j, d.i, negate(d.b)) {
		s.now = append(s.now, 0)
		s.split(n, other, ds[1:])
		s.now = s.now[:at]
	}
}

func (s *search) insert(n node, z zone) {
	var fresh bool
	if n.state, fresh = s.states.number(s.now); fresh {
		t := s.a.table(s.now[:len(s.net.Processes)])
		s.stateZones.push(stateZones{s.zones.table(t), nobody})
	}
	at := &s.stateZones.at(n.state)[0]
	s.zones.load(at.table)
	y := s.zones.over(z)
	digest, lower, upper := s.zones.digest(y), s.zones.numbers.lower, s.zones.numbers.upper
	if at.kept.covering(digest, func(k int32) bool {
		return y.within(s.own(k), lower, upper)
	}) != none {
		return
	}
	rank := int32(0)
	at.kept.drop(digest, func(k int32) bool {
		old := s.node(k)
		waited := old.rank() != none
		if !s.own(k).within(y, lower, upper) ||
			// Its successors are nearer to the start than the successors of the new node.
			s.o.Shortest && waited && old.depth < n.depth {
			return false
		}
		old.zone = none
		s.kept--
		if old.rest(); !s.o.Shortest {
			rank = max(rank, rankBelow(k, &s.stack, s.place)+1)
		}
		if !waited {
			s.release(k)
		}
		return true
	})
	n.zone = s.zones.number(y)
	k := s.push(n)
	s.place(k).wait(rank)
	at.kept.add(kept{digest, k}, s.digestOf)
	s.waiting.add(k, rank)
	s.kept++
	s.result.Depth = max(s.result.Depth, int64(n.depth))
	s.checkTarget(k, z)
}

// checkTarget asks whether the target holds in some part of a new node's zone.
func (s *search) checkTarget(k int32, z zone) {
	var known *deadlocks
	if s.a.aboutDeadlocks {
		known = s.halts.of(s.node(k).state, s.deadlocks)
	}
	parts := s.satisfying(s.target, []zone{z}, known)
	switch {
	case s.measure != nil:
		for _, part := range parts {
			s.measure(part)
		}
	case len(parts) > 0:
		if s.found == none && s.attempts.err == nil && s.reaches(k) {
			s.found = k
		}
	case s.a.aboutDeadlocks && !s.a.equal:
		s.doubts.consider(s.explorer, z, s.a.table(s.now[:len(s.net.Processes)]), s.target, known,
			s.result.Visited)
	}
}

// reaches reports whether the target is reached by the path to a node, whose zone has it.
func (s *search) reaches(k int32) bool {
	if !s.stops {
		return true
	}
	return s.try(k)
}

// path gives the steps from the initial state to a node. With symmetry the states on the way are
// renamed, and so are the later steps: each step is renamed back to make a run.
func (s *search) path(k int32) (path []guardedStep, err error) {
	var nodes []int32
	for ; k != none; k = s.node(k).parent {
		nodes = append(nodes, k)
	}
	slices.Reverse(nodes)
	x := newExplorer(s.net, s.a)
	var since rename
	for i, k := range nodes {
		n := s.node(k)
		if i > 0 {
			x.steps.Load(s.states.state(nil, s.node(n.parent).state))
			m, err := s.step(x, n.ordinal)
			if err != nil {
				return nil, err
			}
			if s.symmetry != nil {
				m = s.symmetry.undo(since, m)
			}
			path = append(path, m)
		}
		if s.symmetry != nil {
			since = s.symmetry.compose(since, s.symmetry.renames[n.rename])
		}
	}
	return path, nil
}

// step gives the step with a number, of the state in the memory of an explorer.
func (s *search) step(x *explorer, number int32) (guardedStep, error) {
	if s.table != nil {
		return s.table.step(number, s.n), nil
	}
	return x.nth(number)
}

// nth gives the step of the state in the memory with this number.
func (x *explorer) nth(ordinal int32) (chosen guardedStep, err error) {
	n := int32(-1)
	x.each(func(m guardedStep) {
		if n++; n == ordinal {
			chosen = guardedStep{parts: slices.Clone(m.parts), free: m.free}
		}
	})
	if chosen.parts == nil {
		return chosen, fmt.Errorf("internal: a step of the path does not exist")
	}
	return chosen, nil
}
