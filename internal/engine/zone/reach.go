package zone

import (
	"context"
	"encoding/binary"
	"fmt"
	"slices"

	"erelong/internal/timed"
)

// spot is a discrete state with the zones that are kept of it.
type spot struct {
	state []int32
	table table
	nodes []int32
}

// node is a zone of a spot.
type node struct {
	zone    zone // no matrix once it is covered by another
	spot    *spot
	parent  int32
	ordinal int32 // which of the parent's steps led here
	rename  int32 // of elements of scalar sets, after that step
	depth   int32
	rank    int32
	child   int32 // the last one, 0 for none
	sibling int32 // the one before, 0 for none
	waiting bool
}

// search is the list of passed and waiting zones.
type search struct {
	*explorer
	o       Options
	spots   map[string]*spot
	nodes   []node
	waiting queue
	kept    int64
	target  *timed.Formula
	measure func(zone) // looks at every part of a zone in which the target holds; the search goes on then
	found   int32      // the node in which the target holds, -1 for none
	result  *Result
	key     []byte
	now     []int32
	pool    [][]bound
	stack   []int32

	symmetry *symmetry // nil for none
	remark   string    // why there is none, if there are scalar sets
}

func newSearch(net *timed.Network, a *analysis, q *timed.Query, o Options, r *Result) *search {
	s := &search{explorer: newExplorer(net, a), o: o, spots: map[string]*spot{}, found: -1, result: r}
	if !o.Asymmetric {
		s.symmetry, s.remark = newSymmetry(net, q.Named)
	}
	return s
}

// reach looks for a state in which the formula holds.
func reach(ctx context.Context, net *timed.Network, q *timed.Query, f *timed.Formula, o Options) (*Result, error) {
	r := &Result{Loop: -1}
	a, err := analyse(net, []*timed.Formula{f})
	if err != nil {
		return r, err
	}
	s := newSearch(net, a, q, o, r)
	s.target = f
	err = s.run(ctx)
	r.Stored = s.kept
	if err != nil {
		return r, err
	}
	r.Answer = NotSatisfied
	if s.remark != "" {
		r.Reason = "no reduction by the symmetry of a scalar set: " + s.remark
	}
	if s.found >= 0 {
		r.Answer = Satisfied
		path, err := s.path(s.found)
		if err != nil {
			return r, err
		}
		if r.Run, err = schedule(net, path, f, zone{}); err != nil {
			return r, err
		}
		return r, timed.Replay(net, r.Run, f)
	}
	return r, nil
}

func (s *search) run(ctx context.Context) error {
	z, ok := s.start()
	if ok {
		s.add(z, -1, 0)
	}
	var parent []int32
	for count := 0; s.waiting.some() && s.found < 0; count++ {
		if count%1024 == 0 && ctx.Err() != nil {
			return ctx.Err()
		}
		if f := s.steps.Memory.Fault; f != nil {
			return f
		}
		if s.o.MaxStates > 0 && s.kept >= s.o.MaxStates {
			return errLimit
		}
		k := s.waiting.next(s.o.DepthFirst)
		s.nodes[k].waiting = false
		from := s.nodes[k]
		if from.zone.m == nil {
			continue
		}
		s.result.Visited++
		parent = from.spot.state
		s.steps.Load(parent)
		ordinal := int32(-1)
		s.each(func(m move) {
			ordinal++
			if s.found >= 0 || s.steps.Memory.Fault != nil {
				return
			}
			z := s.scratch(from.zone)
			if !z.constrainAll(s.guards(m.parts)) || !z.intersect(m.free) {
				s.free(z)
				return
			}
			step, ok := s.take(m.parts)
			if ok && z.constrainAll(step.limits) {
				step.finish(z)
				s.result.Steps++
				s.add(z, k, ordinal)
			} else {
				s.free(z)
			}
			s.steps.Load(parent)
		})
		if int64(from.depth)*(s.a.largest+1) > limit/2 {
			if err := from.zone.check(); err != nil {
				return err
			}
		}
	}
	if f := s.steps.Memory.Fault; f != nil {
		return f
	}
	return nil
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

// scratch copies a zone into a matrix that is not used any more.
func (s *search) scratch(z zone) zone {
	if n := len(s.pool); n > 0 {
		m := s.pool[n-1]
		s.pool = s.pool[:n-1]
		copy(m, z.m)
		return zone{z.n, m}
	}
	return z.clone()
}

func (s *search) free(z zone) { s.pool = append(s.pool, z.m) }

// add keeps a zone of the state in the memory unless a kept zone covers it, and drops those that it covers.
func (s *search) add(z zone, parent, ordinal int32) {
	s.now = s.steps.State(s.now)
	n := node{zone: z, parent: parent, ordinal: ordinal, depth: 1, waiting: true}
	if parent >= 0 {
		n.depth = s.nodes[parent].depth + 1
	}
	if s.symmetry != nil {
		if n.rename = s.symmetry.canonical(s.now, z); n.rename != 0 {
			s.steps.Load(s.now)
		}
	}
	s.split(n, s.a.diagonals, nil)
}

// split cuts a zone along the differences that the model looks at; where a piece lies is part of its key.
func (s *search) split(n node, ds []diagonal, side []byte) {
	if len(ds) == 0 {
		s.insert(n, side)
		return
	}
	d, other := ds[0], n
	other.zone = n.zone.clone()
	if n.zone.constrain(d.i, d.j, d.b) {
		s.split(n, ds[1:], append(slices.Clone(side), 1))
	}
	if other.zone.constrain(d.j, d.i, negate(d.b)) {
		s.split(other, ds[1:], append(slices.Clone(side), 0))
	}
}

func (s *search) insert(n node, side []byte) {
	z, parent := n.zone, n.parent
	s.key = append(s.key[:0], side...)
	for _, v := range s.now {
		s.key = binary.AppendVarint(s.key, int64(v))
	}
	at := s.spots[string(s.key)]
	if at == nil {
		at = &spot{state: slices.Clone(s.now), table: s.a.table(s.now[:len(s.net.Processes)])}
		s.spots[string(s.key)] = at
	}
	lower, upper := at.table.lower, at.table.upper
	for _, k := range at.nodes {
		if z.within(s.nodes[k].zone, lower, upper) {
			s.free(z)
			return
		}
	}
	at.nodes = slices.DeleteFunc(at.nodes, func(k int32) bool {
		old := &s.nodes[k]
		if !old.zone.within(z, lower, upper) {
			return false
		}
		if s.o.Shortest && old.waiting && old.depth < n.depth {
			return false // its successors are nearer to the start than those of the new one
		}
		if k != parent { // its successors are being computed
			s.free(old.zone)
		}
		old.zone.m = nil
		s.kept--
		if !s.o.Shortest {
			n.rank = max(n.rank, s.below(k)+1)
		}
		return true
	})
	k := int32(len(s.nodes))
	n.spot = at
	if parent >= 0 {
		n.sibling, s.nodes[parent].child = s.nodes[parent].child, k
	}
	s.nodes = append(s.nodes, n)
	at.nodes = append(at.nodes, k)
	s.waiting.add(k, n.rank)
	s.kept++
	s.result.Depth = max(s.result.Depth, int64(n.depth))
	if s.measure != nil {
		for _, y := range s.satisfying(s.target, []zone{z}) {
			s.measure(y)
		}
	} else if s.found < 0 && len(s.satisfying(s.target, []zone{z})) > 0 {
		s.found = k
	}
}

// below is the highest rank of the nodes that wait in the subtree of a node, -1 if none waits.
func (s *search) below(k int32) int32 {
	best := int32(-1)
	stack := append(s.stack[:0], k)
	for len(stack) > 0 {
		n := &s.nodes[stack[len(stack)-1]]
		stack = stack[:len(stack)-1]
		if n.waiting && n.zone.m != nil {
			best = max(best, n.rank)
		}
		for c := n.child; c != 0; c = s.nodes[c].sibling {
			stack = append(stack, c)
		}
	}
	s.stack = stack
	return best
}

// path gives the steps from the initial state to a node. With symmetry the states on the way to it are renamed ones, and so is
// what is then done: to make a run each step is named as it was.
func (s *search) path(k int32) (path []move, err error) {
	var nodes []int32
	for ; k >= 0; k = s.nodes[k].parent {
		nodes = append(nodes, k)
	}
	slices.Reverse(nodes)
	x := newExplorer(s.net, s.a)
	var since rename
	for i, k := range nodes {
		n := &s.nodes[k]
		if i > 0 {
			x.steps.Load(s.nodes[n.parent].spot.state)
			m, err := x.nth(n.ordinal)
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

// nth gives the step of the state in the memory with this number.
func (x *explorer) nth(ordinal int32) (chosen move, err error) {
	n := int32(-1)
	x.each(func(m move) {
		if n++; n == ordinal {
			chosen = move{parts: slices.Clone(m.parts), free: m.free}
		}
	})
	if chosen.parts == nil {
		return chosen, fmt.Errorf("internal: a step of the path does not exist")
	}
	return chosen, nil
}
