package vc

import (
	"erelong.dev/erelong/internal/logic"
	"erelong.dev/erelong/internal/system"
)

// foldCopy is a fold in a state.
type foldCopy struct {
	of *system.Derived
	in Versions
}

// laws assumes what is known of the folds in the states, each and any two of them, and of recursive
// relations in any two of them.
func (t *Theory) laws(sys *system.System, states []Versions) {
	var copies []foldCopy
	for i, state := range states {
		for _, d := range sys.Folds() {
			if i > 0 && !d.Symbol.Mutable {
				continue
			}
			known := false
			for _, earlier := range states[:i] {
				known = known || earlier[d.Symbol] == state[d.Symbol]
			}
			if !known {
				copies = append(copies, foldCopy{d, state})
			}
		}
	}
	assume := func(d *system.Derived, ls []system.Law, states ...Versions) {
		for _, l := range ls {
			l = l.Map(func(t *logic.Term) *logic.Term { return In(t, states...) })
			t.Hypotheses = append(t.Hypotheses,
				Hypothesis{"laws of " + d.Symbol.Name, l.Term, &l})
		}
	}
	for _, d := range sys.Recursive() {
		for i, after := range states {
			for _, before := range states[:i] {
				if before[d.Symbol] != after[d.Symbol] {
					assume(d, d.Lasting(), before, after)
				}
			}
		}
	}
	for i, c := range copies {
		assume(c.of, c.of.Laws(), c.in)
		for j := range i + 1 {
			if other := copies[j]; j < i || len(c.of.Vars) > 0 {
				assume(c.of, system.Compare(other.of, c.of), other.in, c.in)
			}
		}
	}
}
