package system

import (
	"slices"

	"erelong.dev/erelong/internal/logic"
)

// Where the size of a set is known that no step changes, such as that of everything, sizes of two
// sets within it add up to no more if they have no element in common. The sizes of any two sets add
// up to no less if each of its elements is in one of the two.

// counts reports whether a fold is the size of a set.
func (d *Derived) counts() bool {
	return d.Fold.Kind == FoldSum && amount{d.Fold.Cond, d.Fold.Value}.isOne()
}

// complements relate the sizes of any two sets of the same values to the size of a third one.
func complements(s *System) (out []Law) {
	sizes := slices.DeleteFunc(slices.Clone(s.Folds()), func(d *Derived) bool {
		return !d.counts()
	})
	for _, whole := range sizes {
		if len(whole.Vars) > 0 || logic.Has(whole.Fold.Cond, mutable) {
			continue
		}
		for i, a := range sizes {
			for _, b := range sizes[:i+1] {
				if a == b && len(a.Vars) == 0 {
					continue // a fold is compared with itself for other arguments
				}
				if a != whole && b != whole && a.besides(whole) && b.besides(whole) {
					out = append(out, complement(a, b, whole)...)
				}
			}
		}
	}
	return out
}

// mutable reports whether a term is the value of a symbol in a state.
func mutable(t *logic.Term) bool { return t.Op == logic.OpApp && t.Symbol.Mutable }

// besides reports whether two folds are over the same values.
func (d *Derived) besides(other *Derived) bool {
	return slices.EqualFunc(d.Fold.Over, other.Fold.Over, func(v, w *logic.Var) bool {
		return logic.SameSort(v.Sort, w.Sort)
	})
}

func complement(a, b, whole *Derived) []Law {
	vars, more := fresh(a.Vars), fresh(b.Vars)
	s, t := a.side(logic.Refs(vars), logic.Pre), b.side(logic.Refs(more), logic.Pre)
	all := logic.App(whole.Symbol, logic.Pre)
	l := laws{vars: append(vars, more...), of: []*Derived{a, b, whole},
		triggers: []*logic.Term{s.value, t.value}}
	both, one, other := logic.Add(s.value, t.value), fresh(a.Fold.Over), fresh(a.Fold.Over)
	at, where := logic.Refs(one), logic.Refs(other)
	within := whole.side(nil, logic.Pre).adds
	l.add(false, logic.Or(logic.Le(both, all),
		some(one, logic.And(s.adds(at).cond, t.adds(at).cond)),
		some(other, logic.And(logic.Or(s.adds(where).cond, t.adds(where).cond),
			logic.Not(within(where).cond)))))
	other = fresh(a.Fold.Over)
	where = logic.Refs(other)
	l.add(false, logic.Or(logic.Le(all, both), some(other, logic.And(within(where).cond,
		logic.Not(logic.Or(s.adds(where).cond, t.adds(where).cond))))))
	for i := range l.out {
		l.out[i].Order = true
	}
	return l.out
}
