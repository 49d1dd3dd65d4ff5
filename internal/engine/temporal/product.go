package temporal

import (
	"context"
	mathbits "math/bits"
	"slices"
)

// bits is a set of small numbers.
type bits []uint64

func newBits(n int) bits         { return make(bits, (n+63)/64) }
func (b bits) set(i uint32)      { b[i/64] |= 1 << (i % 64) }
func (b bits) has(i uint32) bool { return b[i/64]>>(i%64)&1 == 1 }

func (b bits) empty() bool {
	return !slices.ContainsFunc(b, func(w uint64) bool { return w != 0 })
}

// with is the set with one more number, which may lie beyond its end.
func (b bits) with(i uint32) bits {
	for int(i/64) >= len(b) {
		b = append(b, 0)
	}
	b.set(i)
	return b
}

// holds is has for a number that may lie beyond the end.
func (b bits) holds(i uint32) bool { return int(i/64) < len(b) && b.has(i) }

// product runs a graph and an automaton side by side. Its nodes are numbered in breadth-first
// order.
type product struct {
	*domain
	automaton *automaton

	state, node []uint32
	parent      []uint32
	// by automaton node and state: the number counted from 1, 0 for none
	number  [][]uint32
	columns int64 // bytes of the columns that are not nil
}

// nodeBytes is the memory of a node, at most, with what the search for fair components needs.
const nodeBytes = 80

func (p *product) bytes() int64 {
	return p.graphBytes() + int64(len(p.state))*nodeBytes + p.columns*int64(p.count())*4 +
		int64(len(p.holds)*p.count())/8
}

// forProduct is what a graph and a product may take of the memory: what comes after them leaves
// little garbage.
func forProduct(memory int64) int64 { return memory / 4 * 3 }

// newProduct finds the nodes that can be reached. It fails with errMemory when the memory, 0 for no
// limit, does not suffice.
func newProduct(
	ctx context.Context, d *domain, a *automaton, memory int64,
) (*product, error) {
	p := &product{domain: d, automaton: a, number: make([][]uint32, len(a.nodes))}
	for s := range uint32(d.initial) {
		for _, q := range a.initial {
			p.visit(s, uint32(q), uint32(len(p.state)))
		}
	}
	for n := uint32(0); int(n) < len(p.state); n++ {
		if n%(1<<16) == 0 && ctx.Err() != nil {
			return nil, ctx.Err()
		}
		if n%(1<<10) == 0 && memory > 0 && p.bytes() > forProduct(memory) {
			return nil, errMemory
		}
		list := p.list(p.state[n])
		for i := range list.marks {
			x := list.edge(i)
			if !a.lets(int(p.node[n]), x) {
				continue
			}
			for _, q := range a.nodes[p.node[n]].next {
				p.visit(uint32(x), uint32(q), n)
			}
		}
	}
	return p, nil
}

func (p *product) visit(s, q, parent uint32) {
	column := p.number[q]
	if column == nil {
		column = make([]uint32, p.count())
		p.number[q] = column
		p.columns++
	}
	if column[s] != 0 {
		return
	}
	for _, l := range p.automaton.nodes[q].label {
		if p.holds[l.atom].has(s) == l.negated {
			return
		}
	}
	p.state, p.node, p.parent = append(p.state, s), append(p.node, q), append(p.parent, parent)
	column[s] = uint32(len(p.state))
}

// successors calls visit for every edge of the product, until it returns false.
func (p *product) successors(n uint32, visit func(to, mark uint32) bool) {
	list := p.list(p.state[n])
	for i := range list.marks {
		x := list.edge(i)
		if !p.automaton.lets(int(p.node[n]), x) {
			continue
		}
		for _, q := range p.automaton.nodes[p.node[n]].next {
			if to := p.number[q][uint32(x)]; to != 0 && !visit(to-1, uint32(x>>32)) {
				return
			}
		}
	}
}

func (p *product) accepting(n uint32) uint64 { return p.automaton.nodes[p.node[n]].accepting }

// enabled lists the fairness conditions that are enabled in the state of a node, with repetitions.
func (p *product) enabled(n uint32, visit func(condition uint32)) {
	p.fair.eachEnabled(p.state[n], p.list(p.state[n]).marks, visit)
}

// constant says that a set of numbers below n is empty or has all of them, and which it is.
func (b bits) constant(n int) (value, ok bool) {
	count := 0
	for _, w := range b {
		count += mathbits.OnesCount64(w)
	}
	return count > 0, count == 0 || count == n
}
