package temporal

import (
	"errors"
	"slices"
)

// lasso is a run that goes through the states, and then for ever from the last state back to
// states[loop]. labels[i] is the label of the edge that leaves states[i].
type lasso struct {
	states []uint32
	labels []uint32
	loop   int
}

// Bounds on the work for a short run.
const (
	maxStarts = 32      // nodes of a component from which loops are tried
	maxWork   = 1 << 22 // product nodes visited from further starts
	maxCuts   = 1 << 14 // shortcuts tried in a loop
)

// shortLasso makes a short run to one of the fair components: the shortest way to each, and in it a
// loop that is built greedily and then shortened as long as it stays fair. It need not be a
// shortest run; finding one is NP-hard.
func (f *fairSearch) shortLasso() (*lasso, error) {
	var best *lasso
	work := 0
	for _, c := range f.found {
		starts := slices.Sorted(slices.Values(c.nodes))
		for i, start := range starts[:min(len(starts), maxStarts)] {
			if best != nil && (work > maxWork || i > 0 && work+len(c.nodes) > maxWork) {
				break
			}
			stem := f.stem(start)
			if best != nil && len(stem) > len(best.states)+1 { // project may save a state
				continue
			}
			w := &walk{fairSearch: f, id: c.id, nodes: []uint32{start}}
			if err := w.close(); err != nil {
				return nil, err
			}
			work += w.work
			w.shorten()
			if l := f.project(stem, w); best == nil || len(l.states) < len(best.states) {
				best = l
			}
		}
	}
	return best, nil
}

// stem is the shortest way from an initial node to a node, both included.
func (f *fairSearch) stem(n uint32) []uint32 {
	nodes := []uint32{n}
	for f.parent[n] != n {
		n = f.parent[n]
		nodes = append(nodes, n)
	}
	slices.Reverse(nodes)
	return nodes
}

// walk is a path within a component that becomes a fair accepting loop: nodes, and the labels of
// the edges that leave them. While it is open, the last node has no edge yet.
type walk struct {
	*fairSearch
	id     uint32
	nodes  []uint32
	labels []uint32
	work   int
}

// needs is the list of conditions that a loop through the nodes of a walk does not meet yet.
type needs struct {
	missing uint64
	weak    bits // enabled in all nodes, and not taken
	strong  bits // enabled in some node, and not taken
}

func (n *needs) none() bool { return n.missing == 0 && n.weak.empty() && n.strong.empty() }

func (w *walk) needs() *needs {
	conditions := len(w.fair.of)
	out := &needs{missing: uint64(1)<<w.automaton.sets - 1, weak: newBits(conditions),
		strong: newBits(conditions)}
	here := newBits(conditions)
	for i, n := range w.nodes {
		out.missing &^= w.accepting(n)
		clear(here)
		w.enabled(n, here.set)
		for k, v := range here {
			out.strong[k] |= v & w.strong[k]
			if i == 0 {
				out.weak[k] = v &^ w.strong[k]
			}
			out.weak[k] &= v
		}
	}
	for _, l := range w.labels {
		w.fair.eachTaken(l, func(c uint32) {
			out.weak[c/64] &^= 1 << (c % 64)
			out.strong[c/64] &^= 1 << (c % 64)
		})
	}
	return out
}

// close walks to the nearest needed edge until nothing is needed, and then back to the start.
// Strong conditions may add needs on the way. It terminates, because in a fair component each
// needed label can be taken.
func (w *walk) close() error {
	here := newBits(len(w.fair.of))
	for {
		n := w.needs()
		if n.none() {
			if err := w.extend(func(to, _ uint32) bool { return to == w.nodes[0] }); err != nil {
				return err
			}
			if w.needs().none() {
				w.nodes = w.nodes[:len(w.nodes)-1]
				return nil
			}
			continue
		}
		err := w.extend(func(to, l uint32) bool {
			wanted := n.missing&w.accepting(to) != 0
			w.fair.eachTaken(l, func(c uint32) {
				wanted = wanted || n.weak.has(c) || n.strong.has(c)
			})
			if wanted {
				return true
			}
			if n.weak.empty() {
				return false
			}
			clear(here)
			w.enabled(to, here.set)
			for k, v := range n.weak {
				if v&^here[k] != 0 {
					return true
				}
			}
			return false
		})
		if err != nil {
			return err
		}
	}
}

// extend goes the shortest way to a wanted edge within the component, and takes it.
func (w *walk) extend(wanted func(to, label uint32) bool) error {
	type arrival struct{ from, label uint32 }
	start := w.nodes[len(w.nodes)-1]
	came := map[uint32]arrival{}
	queue := []uint32{start}
	for len(queue) > 0 {
		n := queue[0]
		queue = queue[1:]
		w.work++
		done := false
		w.successors(n, func(to, l uint32) bool {
			if w.component[to] != w.id {
				return true
			}
			if wanted(to, l) {
				path, labels := []uint32{to}, []uint32{l}
				for at := n; at != start; at = came[at].from {
					path, labels = append(path, at), append(labels, came[at].label)
				}
				slices.Reverse(path)
				slices.Reverse(labels)
				w.nodes, w.labels = append(w.nodes, path...), append(w.labels, labels...)
				done = true
				return false
			}
			if _, ok := came[to]; !ok && to != start {
				came[to] = arrival{n, l}
				queue = append(queue, to)
			}
			return true
		})
		if done {
			return nil
		}
	}
	return errors.New("internal error: a fair component lacks what makes it fair")
}

// shorten cuts parts out of a closed walk, as long as the rest is a fair accepting loop.
func (w *walk) shorten() {
	for tries := 0; ; {
		shorter := false
	cuts:
		for skip := len(w.nodes) - 1; skip > 0; skip-- { // the longest first
			for i := range len(w.nodes) - skip { // leave out the nodes i+1 .. i+skip
				if tries++; tries > maxCuts {
					return
				}
				to := w.nodes[0]
				if i+skip+1 < len(w.nodes) {
					to = w.nodes[i+skip+1]
				}
				var between []uint32
				w.successors(w.nodes[i], func(n, l uint32) bool {
					if n == to && !slices.Contains(between, l) {
						between = append(between, l)
					}
					return true
				})
				for _, l := range between {
					cut := &walk{fairSearch: w.fairSearch, id: w.id}
					cut.nodes = slices.Concat(w.nodes[:i+1], w.nodes[i+skip+1:])
					cut.labels = slices.Concat(w.labels[:i], []uint32{l}, w.labels[i+skip+1:])
					if cut.needs().none() {
						w.nodes, w.labels = cut.nodes, cut.labels
						shorter = true
						break cuts
					}
				}
			}
		}
		if !shorter {
			return
		}
	}
}

// project makes a run of states from a stem and a loop of the product, as short as possible: the
// loop is not a repetition, and the stem does not end with a part of it.
func (f *fairSearch) project(stem []uint32, w *walk) *lasso {
	l := &lasso{labels: make([]uint32, 0, len(stem)+len(w.nodes))}
	for i, n := range stem[:len(stem)-1] {
		l.states = append(l.states, f.state[n])
		l.labels = append(l.labels, f.edgeLabel(n, stem[i+1]))
	}
	l.loop = len(l.states)
	var states []uint32
	for _, n := range w.nodes {
		states = append(states, f.state[n])
	}
	period := period(states, w.labels)
	l.states = append(l.states, states[:period]...)
	l.labels = append(l.labels, w.labels[:period]...)
	for l.loop > 0 && l.states[l.loop-1] == l.states[len(l.states)-1] {
		// u x (v x)^w = u (x v)^w; the step from x into v is the one that closes the loop.
		last := len(l.states) - 1
		l.labels[l.loop-1] = l.labels[last]
		l.states, l.labels = l.states[:last], l.labels[:last]
		l.loop--
	}
	return l
}

// edgeLabel is the label of an edge of the product.
func (f *fairSearch) edgeLabel(from, to uint32) (label uint32) {
	f.successors(from, func(n, l uint32) bool {
		label = l
		return n != to
	})
	return label
}

// period is the length of the shortest prefix of a loop whose repetition is the loop.
func period(states, labels []uint32) int {
	n := len(states)
	for p := 1; p < n; p++ {
		if n%p == 0 && slices.Equal(states[p:], states[:n-p]) &&
			slices.Equal(labels[p:], labels[:n-p]) {
			return p
		}
	}
	return n
}
