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
