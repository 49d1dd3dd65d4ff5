package logic

import (
	"fmt"
	"testing"
)

// doubled applies a function with two uses of its argument again and again.
func doubled(t *Term, n int, double func(i int, t *Term) *Term) *Term {
	for i := range n {
		t = double(i, t)
	}
	return t
}

// large are terms that are exponentially larger as trees than as graphs.
func large(n int) map[string]*Term {
	s := &Sort{Kind: KindUninterpreted, Name: "s"}
	p := &Symbol{Name: "p", Kind: Relation, Args: []*Sort{s}, Result: Bool, Mutable: true}
	q := &Symbol{Name: "q", Kind: Relation, Result: Bool, Mutable: true}
	f := &Symbol{Name: "f", Kind: Constant, Result: Int, Mutable: true}
	x := &Var{Name: "X", Sort: s}
	both := func(a, b *Term) *Term { return &Term{Op: OpAnd, Sort: Bool, Args: []*Term{a, b}} }
	return map[string]*Term{
		"conjunctions": doubled(App(q, Pre), n, func(_ int, t *Term) *Term { return both(t, t) }),
		"sums": Le(doubled(App(f, Pre), n, func(_ int, t *Term) *Term { return Add(t, t) }),
			IntLit(3)),
		"branches": Le(doubled(App(f, Pre), n, func(i int, t *Term) *Term {
			return &Term{Op: OpIte, Sort: Int,
				Args: []*Term{Lt(t, IntLit(int64(i))), Add(t, IntLit(1)), Sub(t, IntLit(1))}}
		}), IntLit(3)),
		"beside quantifiers": doubled(App(q, Pre), n, func(i int, t *Term) *Term {
			y := &Var{Name: "Y", Sort: s}
			return both(Not(Exists([]*Var{y}, both(App(p, Pre, Ref(y)), t))), t)
		}),
		"under a quantifier": Forall([]*Var{x}, doubled(App(p, Pre, Ref(x)), n, func(
			i int, t *Term,
		) *Term {
			return both(t, Not(t))
		})),
		"in nested scopes": doubled(App(q, Pre), n, func(i int, t *Term) *Term {
			y, z := &Var{Name: "Y", Sort: s}, &Var{Name: "Z", Sort: s}
			inner := both(both(App(p, Pre, Ref(y)), t),
				Exists([]*Var{z}, both(Eq(Ref(y), Ref(z)), both(App(p, Pre, Ref(y)), t))))
			return Forall([]*Var{y}, both(inner, Not(inner)))
		}),
		"bound values": doubled(App(q, Pre), n, func(i int, t *Term) *Term {
			v := &Var{Name: "v", Sort: Bool}
			return Let(v, t, both(Ref(v), t))
		}),
		"runs": Temporal(OpAlways, Temporal(OpEventually, doubled(App(q, Pre), n, func(
			_ int, t *Term,
		) *Term {
			return both(t, t)
		}))),
	}
}

// TestLargeTerms applies the operations on terms to large terms. As trees these have too many nodes
// to visit.
func TestLargeTerms(t *testing.T) {
	const doublings = 100
	again := large(doublings)
	for name, big := range large(doublings) {
		t.Run(name, func(t *testing.T) {
			visits := 0
			visit := func(*Term) bool { visits++; return true }
			Walk(big, visit)
			if visits > 2*patience+100*doublings {
				t.Errorf("a walk visits %d nodes", visits)
			}
			if n := len(FreeVars(big)); n != 0 {
				t.Errorf("%d free variables", n)
			}
			renamed := Rename(Shift(big, 1))
			if MaxStep(renamed) != Post || MaxStep(big) != Pre {
				t.Error("the steps are not moved")
			}
			if Size(big) < 1<<30 {
				t.Fatalf("the term has only %d nodes", Size(big))
			}
			shared := Share(big)
			if n := Size(shared); n > 100*doublings {
				t.Errorf("shared it has %d nodes", n)
			}
			if IsTemporal(big) && shared.Op != OpAlways {
				t.Errorf("a name stands outside of a temporal operator: %s", shared)
			}
			if text := shared.String(); len(text) > 4000*doublings {
				t.Errorf("its text has %d bytes", len(text))
			}
			if s := Subst(shared, map[*Var]*Term{{}: True}); !Equal(s, shared) ||
				Size(s) != Size(shared) {
				t.Error("renaming changes it")
			}
			if !Equal(again[name], again[name]) {
				t.Error("it is not equal to itself")
			}
		})
	}
}

// TestShareSmall checks that formulas of the size that people write stay unchanged.
func TestShareSmall(t *testing.T) {
	for name, term := range large(3) {
		if Share(term) != term {
			t.Errorf("%s: changed", name)
		}
	}
	var wide []*Term
	q := &Symbol{Name: "q", Kind: Relation, Args: []*Sort{Int}, Result: Bool}
	for i := range 10_000 {
		wide = append(wide, App(q, Pre, IntLit(int64(i))))
	}
	if term := And(wide...); Share(term) != term {
		t.Error("a wide conjunction is changed")
	}
}

func BenchmarkShare(b *testing.B) {
	for _, n := range []int{100, 1000} {
		for name, term := range large(n) {
			b.Run(fmt.Sprintf("%s/%d", name, n), func(b *testing.B) {
				for b.Loop() {
					Share(term)
				}
			})
		}
	}
}
