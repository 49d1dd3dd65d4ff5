package temporal

import (
	"context"
	mathbits "math/bits"

	"erelong/internal/system"
)

// bits is a set of small numbers.
type bits []uint64

func newBits(n int) bits         { return make(bits, (n+63)/64) }
func (b bits) set(i uint32)      { b[i/64] |= 1 << (i % 64) }
func (b bits) has(i uint32) bool { return b[i/64]>>(i%64)&1 == 1 }

// product runs a graph and an automaton side by side. Its nodes are numbered in breadth-first order.
type product struct {
	*graph
	automaton *automaton
	holds     []bits // of each atom: the states in which it is true

	state, node []uint32
	parent      []uint32
	fair        []system.Fairness // of each label
	number      [][]uint32        // by automaton node and state: the number counted from 1, 0 for none
}

// newProduct finds the nodes that can be reached.
func newProduct(ctx context.Context, g *graph, a *automaton, holds []bits) (*product, error) {
	p := &product{graph: g, automaton: a, holds: holds, number: make([][]uint32, len(a.nodes))}
	for _, l := range g.labels {
		f := system.Unfair
		if l.action != nil {
			f = l.action.Fairness
		}
		p.fair = append(p.fair, f)
	}
	for s := range uint32(g.initial) {
		for _, q := range a.initial {
			p.visit(s, uint32(q), uint32(len(p.state)))
		}
	}
	for n := uint32(0); int(n) < len(p.state); n++ {
		if n%(1<<16) == 0 && ctx.Err() != nil {
			return nil, ctx.Err()
		}
		s := p.state[n]
		for e := g.first[s]; e < g.first[s+1]; e++ {
			for _, q := range a.nodes[p.node[n]].next {
				p.visit(g.target[e], uint32(q), n)
			}
		}
	}
	return p, nil
}

func (p *product) visit(s, q, parent uint32) {
	column := p.number[q]
	if column == nil {
		column = make([]uint32, len(p.keys))
		p.number[q] = column
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
func (p *product) successors(n uint32, visit func(to, label uint32) bool) {
	s := p.state[n]
	for e := p.first[s]; e < p.first[s+1]; e++ {
		for _, q := range p.automaton.nodes[p.node[n]].next {
			if to := p.number[q][p.target[e]]; to != 0 && !visit(to-1, p.label[e]) {
				return
			}
		}
	}
}

func (p *product) accepting(n uint32) uint64 { return p.automaton.nodes[p.node[n]].accepting }

// enabled lists the labels with a fairness condition that can be taken in the state of a node, with repetitions.
func (p *product) enabled(n uint32, visit func(label uint32)) {
	s := p.state[n]
	for e := p.first[s]; e < p.first[s+1]; e++ {
		if p.fair[p.label[e]] != system.Unfair {
			visit(p.label[e])
		}
	}
}

// constant says that a set of numbers below n is empty or has all of them, and which it is.
func (b bits) constant(n int) (value, ok bool) {
	count := 0
	for _, w := range b {
		count += mathbits.OnesCount64(w)
	}
	return count > 0, count == 0 || count == n
}
