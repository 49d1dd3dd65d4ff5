package compile

import (
	"fmt"
	"strings"
	"testing"
)

// Steps that say what many values are in each of several cases.
const links = `
	sort node
	mutable relation on
	mutable relation link(node, node)
	mutable relation linked(node)
	mutable relation seen(node)
	init on & !link(X, Y) & !linked(X) & !seen(X)
	transition grow(n: node)
	  modifies link, linked, seen
	  & (seen(S) <-> old(seen(S)) | S = n)
	  & if exists S. seen(S) & old(!linked(S))
	    then (S != n -> (link(S, D) <-> old(link(S, D))))
	      & (linked(S) <-> exists D. link(S, D))
	    else (link(S, D) <-> old(link(S, D))) & (linked(S) <-> old(linked(S)))
	transition cases(n: node)
	  modifies link, linked
	  & ( old(!on)
	    | old(on) & (link(S, D) <-> old(link(S, D)) | S = n) & (linked(S) <-> old(linked(S)) | S = n)
	    | (link(S, D) <-> old(link(S, D)) | D = n) & linked(S)
	    | linked(n) )
	  & (S != n & D != n -> (link(S, D) <-> old(link(S, D))))
	  & (S != n -> linked(S))
	  & (D != n -> !link(n, D))
	transition off()
	  modifies on
	  & !on
	safety [some] exists S, D. link(S, D)
	instance test { node = %d }`

func TestCases(t *testing.T) {
	for _, l := range []*limits{nil, {wordBits: 7, unknown: defaultLimits.unknown}} {
		seen := compare(t, parse(t, fmt.Sprintf(links, 3)), Options{limits: l}, 40)
		if seen.states < 40 || seen.successors < 500 || seen.spurious > 0 {
			t.Errorf("what was compared: %+v", seen)
		}
	}
}

// Each case is enumerated by itself: the 2^42 values of six nodes never are.
func TestCasesAmongManyValues(t *testing.T) {
	_, w, states := start(t, parse(t, fmt.Sprintf(links, 6)), nil, Options{})
	b, err := w.Expand(states)
	if err != nil {
		t.Fatal(err)
	}
	count := map[uint16]int{}
	for _, a := range b.Action {
		count[a]++
	}
	if count[0] != 6*64 {
		t.Errorf("%d steps of grow; want 64 for each node", count[0])
	}
}

// Formulas about many unknown values that are no conjunctions are not taken apart.
func TestLongFormulas(t *testing.T) {
	const head = `
	type cell = 0..8
	mutable relation on
	mutable relation f(cell)
	mutable function g(cell): 0..1
	init on & !f(C) & g(C) = 0
	action off() { on := false; }
	transition long() modifies f, g & `
	for _, c := range []string{
		"(f(C) <-> old(f(C))) & (old(!on) | %s = 1)",
		"(f(C) <-> old(f(C))) & (old(on) | f(0) | %s < g(0) + 2 | %s = 8)",
		"g(C) = old(g(C)) & (old(!on) | ((f(0) & f(1) & f(2) & f(3)) <-> (f(4) & f(5) & f(6) & f(7) & f(8))))",
		"g(C) = old(g(C)) & (old(on) -> !(exists C. f(C)) | (if f(0) then f(1) & f(2) & f(3) & f(4) else f(5) & f(6) & f(7) & !f(8)))",
		"g(C) = old(g(C)) & (old(on) -> f(0) & f(1) & f(2) & f(3) & f(4) & f(5) & f(6) & f(7) & f(8) | !((forall C. f(C)) | f(0) & !f(8)))",
	} {
		sum := "g(0) + g(1) + g(2) + g(3) + g(4) + g(5) + g(6) + g(7) + g(8)"
		seen := compare(t, parse(t, head+strings.ReplaceAll(c, "%s", sum)), Options{}, 3)
		if seen.states < 2 || seen.successors < 10 || seen.spurious > 0 {
			t.Errorf("what was compared of %s: %+v", c, seen)
		}
	}
}
