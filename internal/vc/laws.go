package vc

import (
	"slices"

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
				Hypothesis{NameOfLaws(d), l.Term, &l})
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
	for i, state := range states {
		for _, l := range sys.Splits() {
			if !slices.ContainsFunc(states[:i], func(earlier Versions) bool {
				return !slices.ContainsFunc(l.Of, func(d *system.Derived) bool {
					return earlier[d.Symbol] != state[d.Symbol]
				})
			}) {
				assume(l.Of[0], []system.Law{l}, state)
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

// NameOfLaws and nameOfDefinition name the hypotheses about a derived symbol.
func NameOfLaws(d *system.Derived) string       { return "laws of " + d.Symbol.Name }
func nameOfDefinition(d *system.Derived) string { return "definition of " + d.Symbol.Name }

// Without is the theory without the definitions and laws of some relations, and without what else
// leads from one of their points to another. What belongs to the question stays.
func (t *Theory) Without(ds []*system.Derived) *Theory {
	return t.Only(func(h Hypothesis) bool {
		return !slices.ContainsFunc(ds, func(d *system.Derived) bool {
			return h.Name == NameOfLaws(d) || h.Name == nameOfDefinition(d)
		}) && !Leads(h.Term, ds)
	})
}

// Leads reports whether a formula applies one of some relations at several points.
func Leads(t *logic.Term, ds []*system.Derived) bool {
	return slices.ContainsFunc(ds, func(d *system.Derived) bool {
		return points(t, d.Symbol) > 1
	})
}

// points counts where a formula applies a symbol.
func points(t *logic.Term, of *logic.Symbol) (n int) {
	for app := range logic.Applications(t) {
		if app.Symbol == of {
			n++
		}
	}
	return n
}

// Keeping is the theory with laws that are proved of it in the place of other ones, about a
// recursive relation. Both are in the order of the numbers that the relation has as arguments.
func (t *Theory) Keeping(
	d *system.Derived, kept []system.Law, proved func(number int) bool,
) *Theory {
	out := *t
	out.Hypotheses = slices.Clone(t.Hypotheses)
	number := 0
	for i, h := range out.Hypotheses {
		if h.Law == nil || h.Name != NameOfLaws(d) {
			continue
		}
		if proved(number) {
			out.Hypotheses[i] = Hypothesis{h.Name, kept[number].Term, &kept[number]}
		}
		number++
	}
	return &out
}
