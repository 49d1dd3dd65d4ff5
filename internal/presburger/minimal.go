package presburger

// minimal gives each node of an automaton its class of equivalent nodes, by partition refinement
// (Hopcroft: An n log n algorithm for minimizing states in a finite automaton, 1971). Nodes that
// differ in level or in end are never equivalent.
func minimal(d *draft) (block []int32) {
	p := newPartition(d)
	first, edges := reversed(d.next)
	var members, sources []int32
	for len(p.queue) > 0 {
		b := p.queue[len(p.queue)-1]
		p.queue = p.queue[:len(p.queue)-1]
		p.queued[b] = false
		members = append(members[:0], p.nodes[p.start[b]:p.end[b]]...)
		for digit := range int32(2) {
			sources = sources[:0]
			for _, n := range members {
				for _, e := range edges[first[n]:first[n+1]] {
					if e&1 == digit {
						sources = append(sources, e>>1)
					}
				}
			}
			p.split(sources)
		}
	}
	return p.block
}

// partition is a partition of nodes into blocks, which are parts of one list.
type partition struct {
	nodes, place []int32 // nodes by block, and where each node stands
	block        []int32 // of each node
	start, end   []int32 // of each block
	marked       []int32 // nodes of each block that were marked; they stand first
	queued       []bool
	queue        []int32
	touched      []int32
}

func newPartition(d *draft) *partition {
	type class struct {
		level uint8
		end   sign
	}
	n := len(d.next)
	p := &partition{nodes: make([]int32, n), place: make([]int32, n), block: make([]int32, n)}
	classes := map[class]int32{}
	var size []int32
	for i := range n {
		c := class{d.level[i], d.end[i]}
		b, ok := classes[c]
		if !ok {
			b = int32(len(size))
			classes[c] = b
			size = append(size, 0)
		}
		p.block[i] = b
		size[b]++
	}
	at := int32(0)
	for _, k := range size {
		p.start, p.end = append(p.start, at), append(p.end, at)
		p.marked, p.queued = append(p.marked, 0), append(p.queued, false)
		at += k
	}
	for i := range n {
		b := p.block[i]
		p.nodes[p.end[b]], p.place[i] = int32(i), p.end[b]
		p.end[b]++
	}
	for b := range size {
		p.push(int32(b))
	}
	return p
}

func (p *partition) push(b int32) {
	if !p.queued[b] {
		p.queued[b] = true
		p.queue = append(p.queue, b)
	}
}

// split divides each block into the nodes that are listed and the others.
func (p *partition) split(listed []int32) {
	p.touched = p.touched[:0]
	for _, n := range listed {
		b := p.block[n]
		if p.marked[b] == 0 {
			p.touched = append(p.touched, b)
		}
		at := p.start[b] + p.marked[b]
		if p.place[n] < at {
			continue // it is marked
		}
		other := p.nodes[at]
		p.nodes[p.place[n]], p.place[other] = other, p.place[n]
		p.nodes[at], p.place[n] = n, at
		p.marked[b]++
	}
	for _, b := range p.touched {
		k := p.marked[b]
		p.marked[b] = 0
		size := p.end[b] - p.start[b]
		if k == size {
			continue
		}
		// The new block is the smaller part.
		c := int32(len(p.start))
		if k <= size-k {
			p.start, p.end = append(p.start, p.start[b]), append(p.end, p.start[b]+k)
			p.start[b] += k
		} else {
			p.start, p.end = append(p.start, p.start[b]+k), append(p.end, p.end[b])
			p.end[b] = p.start[b] + k
		}
		p.marked, p.queued = append(p.marked, 0), append(p.queued, false)
		for _, n := range p.nodes[p.start[c]:p.end[c]] {
			p.block[n] = c
		}
		p.push(c)
	}
}
