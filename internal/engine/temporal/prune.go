package temporal

import (
	"context"
	"iter"
	mathbits "math/bits"
	"slices"
)

// nodes lists the nodes of the product in sets of states, one for each position.
func (e *emptiness) nodes(sets []bits) iter.Seq[uint32] {
	return func(yield func(n uint32) bool) {
		for p, set := range sets {
			for w, v := range set {
				for ; v != 0; v &= v - 1 {
					if !yield(uint32(p*e.count() + w*64 + mathbits.TrailingZeros64(v))) {
						return
					}
				}
			}
		}
	}
}

// mark finds all nodes that can be reached within the component, and what is reached from them
// outside.
func (e *emptiness) mark(ctx context.Context) error {
	states := uint32(e.count())
	n := len(e.at)
	reached, allowed, entered := make([]bits, n), make([]bits, n), make([]bits, n)
	for p, q := range e.at {
		reached[p], allowed[p] = e.set(q), e.allows(q)
		entered[p] = slices.Clone(reached[p])
	}
	for n := range e.nodes(entered) {
		for e.stack = append(e.stack[:0], n); len(e.stack) > 0; {
			if err := e.tick(ctx); err != nil {
				return err
			}
			n := e.stack[len(e.stack)-1]
			e.stack = e.stack[:len(e.stack)-1]
			p := n / states
			inner, outer := e.inner[p], e.outer[p]
			list := e.list(n - p*states)
			for i := range list.marks {
				x := list.edge(i)
				if !e.automaton.lets(e.at[p], x) {
					continue
				}
				to := uint32(x)
				for _, next := range inner {
					if !reached[next].has(to) && allowed[next].has(to) {
						reached[next].set(to)
						e.stack = append(e.stack, uint32(next)*states+to)
					}
				}
				for _, q := range outer {
					if e.allows(q).has(to) {
						e.set(q).set(to)
					}
				}
			}
		}
	}
	return nil
}

// prune finds the nodes that may lie on a fair accepting cycle, as long as that leaves out many. It
// returns whether there are any.
func (e *emptiness) prune(ctx context.Context) (bool, error) {
	e.live = make([]bits, len(e.at))
	count := 0
	for p, q := range e.at {
		e.live[p] = slices.Clone(e.reached[q])
		e.used += int64(len(e.live[p])) * 8
		for _, w := range e.live[p] {
			count += mathbits.OnesCount64(w)
		}
	}
	for {
		var err error
		if count, err = e.leaveOut(ctx, count); err != nil || count == 0 {
			return false, err
		}
		many, err := e.unreached(ctx)
		if err != nil || many == 0 {
			return true, err
		}
		count -= many
	}
}

// leaveOut leaves out nodes without successor, and nodes where a strong condition is enabled that
// no step between the others takes. It is given the number of nodes, and gives what is left.
func (e *emptiness) leaveOut(ctx context.Context, count int) (int, error) {
	clear(e.dead)
	for round := 0; count > 0; round++ {
		before := count
		clear(e.taken)
		clear(e.some)
		for p := range e.live {
			live := e.live[p]
			for w := len(live) - 1; w >= 0; w-- { // successors have higher numbers, mostly
				if err := e.tick(ctx); err != nil {
					return 0, err
				}
				for v := live[w]; v != 0; {
					i := mathbits.Len64(v) - 1
					v &^= 1 << i
					if !e.keeps(uint32(w*64+i), p) {
						live[w] &^= 1 << i
						count--
					}
				}
			}
		}
		some := false
		for i := range e.dead {
			e.dead[i] = e.strong[i] & e.some[i] &^ e.taken[i]
			some = some || e.dead[i] != 0
		}
		if (!some || round > 0) && (before-count)*few < before {
			break
		}
	}
	return count, nil
}

// searchBytes is the memory of a state in the search with a small automaton.
const searchBytes = 24

// few is the part of the nodes, as its inverse, that a round of prune has to leave out to be worth
// another.
const few = 32

// keeps reports whether a state has a successor in the positions after one, and enables no
// condition that is dead. It notes what is enabled and taken then.
func (e *emptiness) keeps(s uint32, p int) bool {
	list, here := e.list(s), e.enabledHere
	clear(here)
	e.fair.enable(s, list.marks, here)
	for i, w := range here {
		if w&e.dead[i] != 0 {
			return false
		}
	}
	inside, taken := false, bits(e.taken)
	for i, mark := range list.marks {
		if inside && e.fair.took(mark, taken) || !e.automaton.lets(e.at[p], list.edge(i)) {
			continue
		}
		to := list.to(i)
		for _, next := range e.inner[p] {
			if e.live[next].has(to) {
				inside = true
				e.fair.take(mark, taken)
				break
			}
		}
	}
	if inside {
		for i, w := range here {
			e.some[i] |= w
		}
	}
	return inside
}
