package discharge

import (
	"erelong/internal/logic"
	"erelong/internal/unroll"
)

// relatedTo leaves out the named hypotheses of which no mutable symbol occurs in the goal, in an update or in a hypothesis
// without a name. Those without mutable symbols, which are axioms, stay.
func relatedTo(t *unroll.Theory, goal *logic.Term) *unroll.Theory {
	near := mutable(goal)
	add := func(t *logic.Term) {
		for sym := range mutable(t) {
			near[sym] = true
		}
	}
	for _, u := range t.Updates {
		near[u.Symbol] = true
		add(u.Value)
	}
	for _, h := range t.Hypotheses {
		if h.Name == "" {
			add(h.Term)
		}
	}
	return t.Only(func(h unroll.Hypothesis) bool {
		symbols := mutable(h.Term)
		shares := len(symbols) == 0
		for sym := range symbols {
			shares = shares || near[sym]
		}
		return shares
	})
}

// mutable gives the mutable symbols of a term.
func mutable(t *logic.Term) map[*logic.Symbol]bool {
	out := map[*logic.Symbol]bool{}
	logic.Walk(t, func(t *logic.Term) bool {
		if t.Op == logic.OpApp && t.Symbol.Mutable {
			out[t.Symbol] = true
		}
		return true
	})
	return out
}
