package zone

import "slices"

// queue holds the waiting nodes, by rank, and in the order of arrival within a rank. A node that
// covers an older one has a higher rank than the nodes that wait below the older one, so that it
// overtakes work that it makes needless (Herbreteau, Tran: Improving search order for reachability
// testing in timed automata).
type queue struct {
	ranks   []int32 // that have nodes, ascending
	byRank  map[int32][]int32
	waiting int
}

// place is the place of a node in the tree of a search, with its rank while it waits. A waiting
// node has no children yet.
type place struct {
	below          int32 // the youngest child, or -1 minus the rank while it waits; 0 for neither
	older, younger int32 // the siblings, 0 for none
}

// rank is none unless the node waits.
func (p *place) rank() int32 {
	if p.below < 0 {
		return -1 - p.below
	}
	return none
}

func (p *place) wait(rank int32) { p.below = -1 - rank }

// rest ends the waiting.
func (p *place) rest() {
	if p.below < 0 {
		p.below = 0
	}
}

// child is the youngest child, 0 for none.
func (p *place) child() int32 { return max(p.below, 0) }

// adopt makes node k the youngest child of a node that does not wait.
func adopt(parent, k int32, at func(k int32) *place) {
	p, n := at(parent), at(k)
	if n.older = p.child(); n.older != 0 {
		at(n.older).younger = k
	}
	p.below = k
}

// leave takes a node out of the children of another one.
func leave(parent, k int32, at func(k int32) *place) {
	p, n := at(parent), at(k)
	if n.older != 0 {
		at(n.older).younger = n.younger
	}
	if n.younger != 0 {
		at(n.younger).older = n.older
	} else {
		p.below = n.older
	}
}

// rankBelow is the highest rank of the waiting nodes in the subtree of a node, -1 if none waits.
func rankBelow(k int32, stack *[]int32, at func(k int32) *place) int32 {
	best, rest := int32(-1), append((*stack)[:0], k)
	for len(rest) > 0 {
		p := at(rest[len(rest)-1])
		rest = rest[:len(rest)-1]
		best = max(best, p.rank())
		for c := p.child(); c != 0; c = at(c).older {
			rest = append(rest, c)
		}
	}
	*stack = rest
	return best
}

func (q *queue) some() bool { return q.waiting > 0 }

func (q *queue) add(k, rank int32) {
	if q.byRank == nil {
		q.byRank = map[int32][]int32{}
	}
	if len(q.byRank[rank]) == 0 {
		at, _ := slices.BinarySearch(q.ranks, rank)
		q.ranks = slices.Insert(q.ranks, at, rank)
	}
	q.byRank[rank] = append(q.byRank[rank], k)
	q.waiting++
}

// ahead appends up to a number of nodes that next gives, oldest first, if none is added.
func (q *queue) ahead(into []int32, number int) []int32 {
	for i := len(q.ranks) - 1; i >= 0 && number > 0; i-- {
		list := q.byRank[q.ranks[i]]
		list = list[:min(number, len(list))]
		into, number = append(into, list...), number-len(list)
	}
	return into
}

// next takes the oldest node of the highest rank, or the newest one.
func (q *queue) next(newest bool) int32 {
	rank := q.ranks[len(q.ranks)-1]
	list := q.byRank[rank]
	var k int32
	if newest {
		k, list = list[len(list)-1], list[:len(list)-1]
	} else {
		k, list = list[0], list[1:]
	}
	q.byRank[rank] = list
	if len(list) == 0 {
		q.ranks = q.ranks[:len(q.ranks)-1]
		delete(q.byRank, rank)
	}
	q.waiting--
	return k
}
