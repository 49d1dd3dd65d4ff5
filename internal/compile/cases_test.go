package compile

import (
	"fmt"
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
