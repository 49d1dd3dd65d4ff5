package zone

import (
	"cmp"
	"fmt"
	"slices"

	"erelong.dev/erelong/internal/timed"
)

// symmetry permutes the elements of scalar sets, in states and in zones. A permutation of elements
// that the query does not name is an automorphism of the network that the query cannot notice; so
// it is enough to explore one state of each orbit (Ip, Dill: Better verification through symmetry;
// Hendriks, Behrmann, Larsen, Niebert, Vaandrager: Adding symmetry reduction to UPPAAL). Any
// initial state will do.
type symmetry struct {
	net     *timed.Network
	classes []class
	state   []slot // of locations, then variables
	clocks  []slot
	renames []rename // [0] is the identity
	index   map[string]int32
}

// class is a scalar set whose elements are permuted.
type class struct {
	set    int
	free   []int32   // the elements that are permuted, ascending
	cells  [][][]int // views of the state: an element's values, by its slots
	timers [][]int   // clocks of each element
	values []int     // slots of the state, of no element, that hold an element
}

// slot is a position in a state or zone.
type slot struct {
	at     []coordinate
	values int // the class of its values, -1 for none
}

// coordinate is an element that a slot belongs to, and the slots of the other elements of its set.
type coordinate struct {
	class int
	at    int32
	to    []int
}

// rename gives for each class the new name of each element.
type rename [][]int32

// newSymmetry gives nil if nothing is symmetric, with the reason if there are scalar sets.
func newSymmetry(net *timed.Network, named []timed.Element) (s *symmetry, why string) {
	s = &symmetry{net: net, renames: []rename{nil}, index: map[string]int32{}}
	classOf := make([]int, len(net.Scalars))
	for set, x := range net.Scalars {
		classOf[set] = -1
		if x.Size < 2 {
			continue
		}
		c := class{set: set}
		for e := range x.Size {
			if !slices.Contains(named, timed.Element{Set: set, Value: e}) {
				c.free = append(c.free, e)
			}
		}
		switch {
		case x.Apart != "":
			why = x.Apart
		case len(c.free) > 1:
			classOf[set] = len(s.classes)
			s.classes = append(s.classes, c)
		}
	}
	if why == "" && len(s.classes) > 0 && net.Stops() {
		return nil, "clocks can stand still"
	}
	var places []timed.Member
	var values []int
	for _, p := range net.Processes {
		places, values = append(places, p.Member), append(values, 0)
	}
	for _, v := range net.Variables {
		places, values = append(places, v.Member), append(values, v.Set)
	}
	var ok, ok2 bool
	s.state, ok = slots(net, places, classOf)
	s.clocks, ok2 = slots(net, net.ClockMembers, classOf)
	if !ok || !ok2 {
		return nil, "not every element has its own process or variable"
	}
	for i := range s.state {
		s.state[i].values = classOf[values[i]]
	}
	for k := range s.classes {
		s.classes[k].makeViews(k, s)
	}
	if len(s.classes) == 0 {
		return nil, why
	}
	return s, why
}

// slots finds, for each slot, the corresponding slots of the other elements; false if one is
// missing.
func slots(net *timed.Network, places []timed.Member, classOf []int) ([]slot, bool) {
	key := func(p timed.Member) string {
		k := []byte(p.Family)
		for _, e := range p.At {
			k = fmt.Append(k, " ", e.Set, " ", e.Value)
		}
		return string(k)
	}
	index := map[string]int{}
	for i, p := range places {
		index[key(p)] = i
	}
	out := make([]slot, len(places))
	for i, p := range places {
		out[i].values = -1
		for k, e := range p.At {
			if classOf[e.Set] < 0 {
				continue
			}
			c := coordinate{class: classOf[e.Set], at: e.Value}
			q := timed.Member{Family: p.Family, At: slices.Clone(p.At)}
			for v := range net.Scalars[e.Set].Size {
				q.At[k].Value = v
				to, ok := index[key(q)]
				if !ok {
					return nil, false
				}
				c.to = append(c.to, to)
			}
			out[i].at = append(out[i].at, c)
		}
	}
	return out, true
}

// makeViews makes the views.
func (v *class) makeViews(k int, s *symmetry) {
	size := s.net.Scalars[v.set].Size
	alone := func(x slot) (n int, at coordinate) {
		for _, a := range x.at {
			if a.class == k {
				n++
				at = a
			}
		}
		return n, at
	}
	for i, x := range s.state {
		n, at := alone(x)
		switch {
		case n == 0 && x.values == k:
			v.values = append(v.values, i)
		case n == 1 && at.at == 0:
			view := make([][]int, size)
			for e, to := range at.to {
				view[e] = []int{to}
			}
			v.cells = append(v.cells, view)
		case n > 1 && x.first(k):
			for c := range x.at {
				if x.at[c].class != k {
					continue
				}
				view := make([][]int, size) // differences among other elements count together
				for e, to := range x.at[c].to {
					view[e] = s.vary(to, k, c, 0)
				}
				v.cells = append(v.cells, view)
			}
			view := make([][]int, size)
			for e := range size {
				to := i
				for c := range x.at {
					if x.at[c].class == k {
						to = s.state[to].at[c].to[e]
					}
				}
				view[e] = []int{to}
			}
			v.cells = append(v.cells, view)
		}
	}
	for _, x := range s.clocks {
		if n, at := alone(x); n == 1 && at.at == 0 {
			v.timers = append(v.timers, at.to)
		}
	}
}

// first reports whether the slot belongs to the first element of a class only.
func (x slot) first(class int) bool {
	return !slices.ContainsFunc(x.at, func(a coordinate) bool {
		return a.class == class && a.at != 0
	})
}

// vary gives the slots that differ from one in elements of a class, but not in coordinate c.
func (s *symmetry) vary(i, class, c, from int) []int {
	for k := from; k < len(s.state[i].at); k++ {
		if a := s.state[i].at[k]; a.class == class && k != c {
			var out []int
			for _, to := range a.to {
				out = append(out, s.vary(to, class, c, k+1)...)
			}
			return out
		}
	}
	return []int{i}
}

// canonical renames elements in a state and a zone, into an order that depends little on their
// names, and gives the renaming, nil for none. Any renaming is right; a better order makes fewer
// states.
func (s *symmetry) canonical(state []int32, z zone) rename {
	r := make(rename, len(s.classes))
	same := true
	for k := range s.classes {
		c := &s.classes[k]
		order := slices.Clone(c.free)
		slices.SortStableFunc(order, func(a, b int32) int { return s.compare(k, a, b, state, z) })
		r[k] = identity(s.net.Scalars[c.set].Size)
		if slices.Equal(order, c.free) {
			continue
		}
		same = false
		for i, e := range order {
			r[k][e] = c.free[i]
		}
		one := make(rename, len(s.classes))
		one[k] = r[k]
		s.apply(one, state, z)
	}
	if same {
		return nil
	}
	return r
}

// number gives the number of a renaming.
func (s *symmetry) number(r rename) int32 {
	if r == nil {
		return 0
	}
	var key []byte
	for _, p := range r {
		for _, e := range p {
			key = append(key, byte(e), byte(e>>8), byte(e>>16))
		}
	}
	n, known := s.index[string(key)]
	if !known {
		n = int32(len(s.renames))
		s.index[string(key)] = n
		s.renames = append(s.renames, r)
	}
	return n
}

func identity(n int32) []int32 {
	p := make([]int32, n)
	for i := range p {
		p[i] = int32(i)
	}
	return p
}

// compare orders two elements of class k by the values in their slots, and then by their clocks.
func (s *symmetry) compare(k int, a, b int32, state []int32, z zone) int {
	c := &s.classes[k]
	see := func(slots []int, e int32) []int32 {
		out := make([]int32, len(slots))
		for i, x := range slots {
			out[i] = state[x]
			if s.state[x].values == k {
				out[i] = b2i32(state[x] == e)
			}
		}
		slices.Sort(out)
		return out
	}
	for _, view := range c.cells {
		if len(view[a]) == 1 && s.state[view[a][0]].values != k {
			if d := cmp.Compare(state[view[a][0]], state[view[b][0]]); d != 0 {
				return d
			}
		} else if d := slices.Compare(see(view[a], a), see(view[b], b)); d != 0 {
			return d
		}
	}
	for _, x := range c.values {
		if d := b2i32(state[x] == a) - b2i32(state[x] == b); d != 0 {
			return int(d)
		}
	}
	for _, t := range c.timers {
		x, y := t[a], t[b]
		if d := cmp.Compare(z.m[x*z.n+y], z.m[y*z.n+x]); d != 0 {
			return d
		}
		if d := cmp.Or(cmp.Compare(z.m[x*z.n], z.m[y*z.n]), cmp.Compare(z.m[x], z.m[y])); d != 0 {
			return d
		}
	}
	return 0
}

func b2i32(b bool) int32 {
	if b {
		return 1
	}
	return 0
}

// image is the slot that a renaming maps a slot to. No permutation of a class leaves it unchanged.
func (r rename) image(slots []slot, i int) int {
	to := i
	for c, a := range slots[i].at {
		if p := r[a.class]; p != nil {
			to = slots[to].at[c].to[p[a.at]]
		}
	}
	return to
}

func (s *symmetry) apply(r rename, state []int32, z zone) {
	old := slices.Clone(state)
	for i, v := range old {
		if k := s.state[i].values; k >= 0 && r[k] != nil {
			v = r[k][v]
		}
		state[r.image(s.state, i)] = v
	}
	s.applyZone(r, z)
}

func (s *symmetry) applyZone(r rename, z zone) {
	old := slices.Clone(z.m)
	to := make([]int, z.n)
	for i := range to {
		to[i] = r.image(s.clocks, i)
	}
	for i := range z.n {
		for j := range z.n {
			z.m[to[i]*z.n+to[j]] = old[i*z.n+j]
		}
	}
}

// compose makes one renaming after another one.
func (s *symmetry) compose(first, then rename) rename {
	if first == nil {
		return then
	}
	if then == nil {
		return first
	}
	out := make(rename, len(first))
	for k, p := range first {
		out[k] = make([]int32, len(p))
		for e, f := range p {
			out[k][e] = then[k][f]
		}
	}
	return out
}

// undo gives the move that a renaming maps to m.
func (s *symmetry) undo(r rename, m guardedStep) guardedStep {
	if r == nil {
		return m
	}
	back := make(rename, len(r))
	for k, p := range r {
		back[k] = make([]int32, len(p))
		for e, f := range p {
			back[k][f] = int32(e)
		}
	}
	out := guardedStep{free: m.free.clone()}
	if m.free.n > 0 {
		s.applyZone(back, out.free)
	}
	for _, p := range m.parts {
		at := s.net.Processes[p.Process].Locations[p.Edge.Source].Out
		q := timed.Participant{Process: back.image(s.state, p.Process),
			Values: slices.Clone(p.Values)}
		q.Edge = s.net.Processes[q.Process].Locations[p.Edge.Source].Out[slices.Index(at, p.Edge)]
		for i, sel := range p.Edge.Selects {
			for k, c := range s.classes {
				if c.set == sel.Set {
					q.Values[i] = back[k][q.Values[i]]
				}
			}
		}
		out.parts = append(out.parts, q)
	}
	slices.SortFunc(out.parts[1:], func(a, b timed.Participant) int {
		return cmp.Compare(a.Process, b.Process)
	})
	return out
}
