package infer

import (
	"context"
	"math/bits"
	"math/rand"
	"slices"

	"erelong.dev/erelong/internal/interp"
	"erelong.dev/erelong/internal/logic"
)

// signatures tell which states are alike. The coarse signature of a state counts its values: for
// each relation and each value of its ordered arguments, how many truth values are true; and how
// often a function has each value. The fine one also tells which elements have them in common.
// Neither depends on the names of elements that have no order. A thousand states that differ in
// their signatures say more about candidates than a thousand states of random runs, most of which
// are early, or alike.
type signatures struct {
	*structure
	classes []int // by slot, what its value is counted in
	spread  []int // by slot: how many values are counted one by one; 0 for a set, -1 for none
	sets    []int // counts that are sets of values
	counts  []uint8
	claims  []*ground
	// For the fine signatures, by slot: the unordered elements among its arguments, and whether its
	// values are such elements. Elements are numbered from 0.
	elements  [][]int
	valuesAre []int // the first element of the sort of its values, or -1
	colors    [2][]uint64
}

// newSignatures makes signatures of the states of a structure. A state in which one of the claims
// is false is like no state in which it is true. States that differ only in the symbols that do not
// count are alike.
func newSignatures(
	s *structure, by orders, claims []*logic.Term, uncounted ...*logic.Symbol,
) *signatures {
	type class struct {
		symbol  *logic.Symbol
		ordered [maxFree]int64
	}
	g := &signatures{structure: s}
	unordered := func(sort *logic.Sort) bool {
		return sort.Kind == logic.KindUninterpreted && by[sort] == nil
	}
	elements, first := 0, map[*logic.Sort]int{} // the number of the first element of a sort
	for _, sort := range s.model.System.Sorts {
		if unordered(sort) {
			first[sort] = elements
			elements += int(s.domain(sort).n)
		}
	}
	g.colors = [2][]uint64{make([]uint64, elements), make([]uint64, elements)}
	args := s.model.SlotArguments()
	known := map[class]int{}
	n := 0
	for slot, sym := range s.symbols {
		c := class{symbol: sym}
		var of []int
		for i, a := range sym.Args {
			if unordered(a) {
				of = append(of, first[a]+int(args[slot][i]))
			} else if i < maxFree {
				c.ordered[i] = args[slot][i] + 1
			}
		}
		spread, values := min(max(int(s.domain(sym.Result).n), 1), mostSpread), -1
		if sym.Result == logic.Int { // it has no range
			spread = mostSpread
		}
		if unordered(sym.Result) {
			spread, values = 0, first[sym.Result]
		}
		if slices.Contains(uncounted, sym) {
			spread = -1
		}
		at, ok := known[c]
		if !ok {
			at = n
			known[c] = at
			n += max(spread, 1)
			if spread == 0 {
				g.sets = append(g.sets, at)
			}
		}
		g.classes, g.spread = append(g.classes, at), append(g.spread, spread)
		g.elements, g.valuesAre = append(g.elements, of), append(g.valuesAre, values)
	}
	for _, t := range claims {
		hasValue(func() { g.claims = append(g.claims, s.ground(t, nil)) })
	}
	g.counts = make([]uint8, n+len(g.claims))
	return g
}

// mostSpread bounds the values that a signature tells apart.
const mostSpread = 16

// coarse gives the coarse signature of a state.
func (g *signatures) coarse(st interp.State) string {
	clear(g.counts)
	for slot, v := range st {
		switch n := int64(g.spread[slot]); {
		case n < 0:
		case n == 0:
			g.counts[g.classes[slot]] |= 1 << (v % 8)
		default:
			g.counts[g.classes[slot]+int((v%n+n)%n)]++
		}
	}
	for _, c := range g.sets {
		g.counts[c] = uint8(bits.OnesCount8(g.counts[c]))
	}
	from := len(g.counts) - len(g.claims)
	for i, c := range g.claims {
		hasValue(func() {
			if c.in(g.structure, st) {
				g.counts[from+i] = 1
			}
		})
	}
	return string(g.counts)
}

// fine gives a number that is equal for states with renamed elements, and rarely for others. It
// comes from two rounds of colour refinement: the colour of an element sums up the values that it
// takes part in, with the colours that the other elements had before.
func (g *signatures) fine(st interp.State) (all uint64) {
	before, after := g.colors[0], g.colors[1]
	clear(before)
	var in [maxFree + 1]int
	for range 2 {
		all = 0
		clear(after)
		for slot, v := range st {
			of := append(in[:0], g.elements[slot]...)
			h := uint64(g.classes[slot])
			if from := g.valuesAre[slot]; from >= 0 {
				of = append(of, from+int(v))
			} else if v == 0 {
				continue
			} else {
				h += uint64(v) << 32
			}
			for i, e := range of { // with which arguments are equal
				h = mixed(h ^ before[e] + uint64(8*i+slices.Index(of, e)))
			}
			all += mixed(h)
			for i, e := range of {
				after[e] += mixed(h + uint64(i) + 1)
			}
		}
		before, after = after, before
	}
	for _, c := range before {
		all += mixed(c)
	}
	return all
}

// mixed is the finaliser of MurmurHash3.
func mixed(x uint64) uint64 {
	x ^= x >> 33
	x *= 0xff51afd7ed558ccd
	x ^= x >> 33
	x *= 0xc4ceb9fe1a85ec53
	return x ^ x>>33
}

// Limits of the search for states of different signatures.
const (
	variedStates = 6_000
	earlyStates  = 1_500 // of these, ones that were found in breadth
	variedRounds = 100
	// Where there are many successors to choose from, there are fewer rounds.
	variedSuccessors = 1_500_000
	stride           = 8 // steps of one walk
	// States with the same coarse signature: more of them where there are few others.
	fewAlike, manyAlike = 2, 16
)

// vary keeps the states of a world that differ in their signatures, and goes on from them in short
// random walks. A walk begins in any of the states, however late: in random runs from the initial
// states, the ones that a false candidate needs are rare.
func (w *world) vary(ctx context.Context, x *expander, g *signatures, rng *rand.Rand) error {
	var groups [][]interp.State // by coarse signature
	group, seen := map[string]int{}, map[uint64]bool{}
	all, most := w.states, fewAlike
	w.states = nil
	visit := func(st interp.State) {
		key := g.coarse(st)
		i, ok := group[key]
		if !ok {
			i = len(groups)
			group[key] = i
			groups = append(groups, nil)
		}
		if len(groups[i]) >= most {
			return
		}
		if f := g.fine(st); !seen[f] {
			seen[f] = true
			groups[i] = append(groups[i], st)
			w.states = append(w.states, st)
		}
	}
	for _, i := range rng.Perm(len(all)) {
		if len(w.states) < earlyStates {
			visit(all[i])
		}
	}
	start := func() interp.State { // rather late
		of := groups[max(rng.Intn(len(groups)), rng.Intn(len(groups)))]
		return of[rng.Intn(len(of))]
	}
	for round := 0; round < variedRounds && len(w.states) < variedStates &&
		x.seen < variedSuccessors; round++ {
		if round == variedRounds/2 || x.seen > variedSuccessors/2 {
			most = manyAlike
		}
		now := make([]interp.State, walkers)
		for i := range now {
			now[i] = start()
		}
		for range stride {
			next, by, err := x.successors(ctx, now, rng)
			if err != nil {
				return err
			}
			for i, st := range next {
				if st == nil {
					now[i] = start()
					continue
				}
				key := w.model.Key(st)
				if _, known := w.origins[key]; !known {
					w.origins[key] = arrival{now[i], by[i]}
				}
				now[i] = st
				visit(st)
			}
		}
	}
	return nil
}
