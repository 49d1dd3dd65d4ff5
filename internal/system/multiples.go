package system

import "erelong.dev/erelong/internal/logic"

// multiple is the law, in state Pre, that a sum is a multiple of another one where each element
// adds a multiple to it; nil where they are not over the same values. If all elements of a sort add
// 5, the sum is five times the size of the sort.
func multiple(a, b *Derived, times *logic.Term) []Law {
	if a.Fold.Kind != FoldSum || b.Fold.Kind != FoldSum || a == b || !a.besides(b) {
		return nil
	}
	vars, more, over := fresh(a.Vars), fresh(b.Vars), fresh(a.Fold.Over)
	s, t := a.side(logic.Refs(vars), logic.Pre), b.side(logic.Refs(more), logic.Pre)
	at := logic.Refs(over)
	each := t.adds(at)
	if each.isOne() {
		each.number = times
	} else {
		each.number = logic.Mul(times, each.number)
	}
	l := laws{vars: append(vars, more...), of: []*Derived{a, b},
		triggers: []*logic.Term{s.value, t.value}}
	l.add(false, logic.Or(logic.Eq(s.value, logic.Mul(times, t.value)),
		some(over, logic.Not(logic.Eq(s.adds(at).term(), each.term())))))
	return l.out
}

// multiples lists the laws about multiples that formulas of the system speak of: 5 * size(s).
func multiples(s *System) (out []Law) {
	times := map[string]bool{}
	visit := func(t *logic.Term) bool {
		if t.Op != logic.OpMul {
			return true
		}
		for i, n := range t.Args {
			b := foldOf(s, t.Args[1-i])
			if b == nil || n.Op != logic.OpInt {
				continue
			}
			for _, a := range s.Folds() {
				key := a.Symbol.Name + " " + n.Int.String() + " " + b.Symbol.Name
				if !times[key] {
					times[key] = true
					out = append(out, multiple(a, b, n)...)
				}
			}
		}
		return true
	}
	for _, p := range s.Properties {
		logic.Walk(p.Term, visit)
	}
	for _, f := range s.Inits {
		logic.Walk(f.Term, visit)
	}
	return out
}

// foldOf is the fold that a term is the value of, nil for none.
func foldOf(s *System, t *logic.Term) *Derived {
	for _, d := range s.Folds() {
		if t.Op == logic.OpApp && t.Symbol == d.Symbol {
			return d
		}
	}
	return nil
}
