package temporal

import (
	"context"
	mathbits "math/bits"
)

// A fair cycle on which a condition counts takes it, so all nodes of the cycle are reached from the
// end of a step that takes it. A strong condition counts where it is enabled on the cycle, and a
// weak one where it is enabled on all of the cycle. So most components without a fair cycle are
// found without a search for components, in passes through the nodes in their order.

// tried bounds the conditions that are tried without success.
const tried = 2

// unreached leaves out nodes that lie on no fair cycle since the steps that take a condition do not
// lead to them. It gives the number of nodes that it leaves out; 0 if there are few.
func (e *emptiness) unreached(ctx context.Context) (int, error) {
	chosen := e.seldomTaken()
	failures := 0
	for w, v := range chosen {
		for ; v != 0 && failures < tried; v &= v - 1 {
			c := uint32(w*64 + mathbits.TrailingZeros64(v))
			many, err := e.leaveUnreached(ctx, c)
			if many > 0 || err != nil {
				return many, err
			}
			failures++
		}
	}
	return 0, nil
}

// sampled is about the number of nodes that seldomTaken looks at.
const sampled = 1 << 10

// seldomTaken guesses from a sample which conditions are worth a try: the ones that are enabled in
// a node of which no step takes them.
func (e *emptiness) seldomTaken() []uint64 {
	out := make([]uint64, len(e.taken))
	takenHere := make(bits, len(e.taken))
	for p, live := range e.live {
		step := 1 + len(live)*len(e.live)/sampled
		for w := 0; w < len(live); w += step {
			if live[w] == 0 {
				continue
			}
			s := uint32(w*64 + mathbits.TrailingZeros64(live[w]))
			list := e.list(s)
			clear(e.enabledHere)
			clear(takenHere)
			e.fair.enable(s, list.marks, e.enabledHere)
			for i, mark := range list.marks {
				if e.staysLive(p, list.edge(i)) {
					e.fair.take(mark, takenHere)
				}
			}
			for i, here := range e.enabledHere {
				out[i] |= here & (e.weak[i] | e.strong[i]) &^ takenHere[i]
			}
		}
	}
	return out
}

// staysLive reports whether an edge from a position leads to a live node.
func (e *emptiness) staysLive(p int, x uint64) bool {
	if !e.automaton.lets(e.at[p], x) {
		return false
	}
	for _, next := range e.inner[p] {
		if e.live[next].has(uint32(x)) {
			return true
		}
	}
	return false
}

// leaveUnreached leaves out the nodes that are on no fair cycle because of a condition, and gives
// their number; if they are few, it leaves them in, and gives 0.
func (e *emptiness) leaveUnreached(ctx context.Context, c uint32) (int, error) {
	only := make(bits, len(e.taken))
	only.set(c)
	weak := bits(e.weak).has(c)
	states := uint32(e.count())
	reached := make([]bits, len(e.live))
	for p := range reached {
		reached[p] = newBits(e.count())
	}
	e.stack = e.stack[:0]
	visit := func(p int, x uint64) {
		if !e.automaton.lets(e.at[p], x) {
			return
		}
		for _, next := range e.inner[p] {
			if to := uint32(x); e.live[next].has(to) && !reached[next].has(to) {
				reached[next].set(to)
				e.stack = append(e.stack, uint32(next)*states+to)
			}
		}
	}
	for n := range e.nodes(e.live) {
		p := int(n / states)
		s := n % states
		list := e.list(s)
		if weak && !reached[p].has(s) && !e.fair.enables(s, list.marks, only) {
			reached[p].set(s)
			e.stack = append(e.stack, n)
		}
		for i, mark := range list.marks {
			if e.fair.isTaken(mark, c) {
				visit(p, list.edge(i))
			}
		}
		for len(e.stack) > 0 {
			if err := e.tick(ctx); err != nil {
				return 0, err
			}
			n := e.stack[len(e.stack)-1]
			e.stack = e.stack[:len(e.stack)-1]
			list := e.list(n % states)
			for i := range list.marks {
				visit(int(n/states), list.edge(i))
			}
		}
	}
	return e.dropUnreached(reached, weak, only), nil
}

// dropUnreached leaves out the live nodes that are not reached, where a weak condition counts, and
// for a strong one the ones of them that enable it.
func (e *emptiness) dropUnreached(reached []bits, weak bool, only bits) int {
	all, dropped := 0, 0
	kept := make([]bits, len(e.live))
	for p, live := range e.live {
		kept[p] = newBits(e.count())
		for w, v := range live {
			all += mathbits.OnesCount64(v)
			stay := v & reached[p][w]
			for rest := v &^ stay; !weak && rest != 0; rest &= rest - 1 {
				s := uint32(w*64 + mathbits.TrailingZeros64(rest))
				if !e.fair.enables(s, e.list(s).marks, only) {
					stay |= rest & -rest
				}
			}
			kept[p][w] = stay
			dropped += mathbits.OnesCount64(v &^ stay)
		}
	}
	if dropped*4 < all {
		return 0
	}
	e.live = kept
	return dropped
}
