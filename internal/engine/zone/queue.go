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

// place is the place of a node in the tree of a search, with its rank.
type place struct {
	rank    int32 // none unless it is waiting
	child   int32 // the last child, 0 for none
	sibling int32 // the sibling before, 0 for none
}

// adopt makes a new node, which has number k, the last child.
func (p *place) adopt(k int32, n *place) { n.sibling, p.child = p.child, k }

// rankBelow is the highest rank of the waiting nodes in the subtree of a node, -1 if none waits.
func rankBelow(k int32, stack *[]int32, at func(k int32) *place) int32 {
	best, rest := int32(-1), append((*stack)[:0], k)
	for len(rest) > 0 {
		p := at(rest[len(rest)-1])
		rest = rest[:len(rest)-1]
		best = max(best, p.rank)
		for c := p.child; c != 0; c = at(c).sibling {
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
