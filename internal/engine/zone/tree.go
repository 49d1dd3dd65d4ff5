package zone

// node is a zone of a state.
type node struct {
	state   int32
	zone    int32 // none once another node covers it
	parent  int32
	ordinal int32 // the index of the step from the parent
	rename  int32 // of elements of scalar sets, after that step
	depth   int32
	place
}

// tree holds the nodes of a search, each below the node from which it was reached. A covered node
// is given up when no kept node is below it.
type tree struct {
	nodes    rows[node]
	free     []int32 // the numbers of nodes that were given up
	expanded int32   // the node whose successors are added, none if there is none
}

func newTree() tree { return tree{nodes: newRows[node](1), expanded: none} }

func (t *tree) node(k int32) *node   { return &t.nodes.at(k)[0] }
func (t *tree) place(k int32) *place { return &t.node(k).place }

// push adds a node, in the place of one that is not needed any more if there is one.
func (t *tree) push(n node) (k int32) {
	if last := len(t.free) - 1; last >= 0 {
		k, t.free = t.free[last], t.free[:last]
		*t.node(k) = n
	} else {
		k = t.nodes.push(n)
	}
	if n.parent != none {
		adopt(n.parent, k, t.place)
	}
	return k
}

// release gives up a node that does not wait, if it is covered and no kept node comes from it, and
// then its parent in the same way.
func (t *tree) release(k int32) {
	for k != t.expanded {
		n := t.node(k)
		parent := n.parent
		if n.zone != none || n.child() != 0 || parent == none {
			return
		}
		leave(parent, k, t.place)
		t.free = append(t.free, k)
		k = parent
	}
}
