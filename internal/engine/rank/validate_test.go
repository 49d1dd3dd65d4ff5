package rank

import (
	"errors"
	"math/big"
	"testing"

	"erelong/internal/discharge"
	"erelong/internal/logic"
	"erelong/internal/smt"
)

// Functions that no search would find are refused, each for its reason.
func TestWrongFunctionsAreRefused(t *testing.T) {
	sys := compile(t, `
		sort s
		mutable constant x: int
		mutable constant y: int
		init x = 3 & y = 0
		trusted invariant 0 <= x & x <= 3 & 0 <= y & y <= 3
		action down() { require x > 0; x := x - 1; }
		action up(c: s) { require x < 3 & y < 3; x := x + 1; y := y + 1; }
		liveness true ~> x = 0`)
	d, err := discharge.New(t.Context(), sys, discharge.Options{})
	if errors.Is(err, smt.ErrNoSolver) {
		t.Skip(err)
	}
	if err != nil {
		t.Fatal(err)
	}
	p := newProblem(sys, sys.Properties[len(sys.Properties)-1], nil, nil)
	s := &search{p: p, quick: d, sure: d}
	down, up := newPart(p.sys.Actions[0]), newPart(p.sys.Actions[1])
	s.roots = []*part{down, up}
	var x, y *logic.Term
	for _, sym := range p.sys.Symbols {
		switch sym.Name {
		case "x":
			x = logic.App(sym, logic.Pre)
		case "y":
			y = logic.App(sym, logic.Pre)
		}
	}
	rank := func(term *logic.Term, parts ...*part) *tier {
		return &tier{factors: []*big.Int{big.NewInt(1)}, vars: []*variable{{term: term}}, parts: parts}
	}
	less := func(n int64, t *logic.Term) *logic.Term { return logic.Sub(logic.IntLit(n), t) }
	for _, c := range []struct {
		tiers []*tier
		open  string
	}{
		{[]*tier{rank(less(3, y), up), rank(x, down)}, ""},
		{[]*tier{rank(less(2, y), up), rank(x, down)}, "rank 1 is not negative"},
		{[]*tier{rank(less(3, y), up), rank(logic.Sub(x, logic.IntLit(2)), down)}, "rank 2 is not negative"},
		{[]*tier{rank(less(3, y), up, down)}, "down(): rank 1 decreases"},
		{[]*tier{rank(x, down), rank(less(3, y), up)}, "up(c:s): rank 1 does not grow"},
	} {
		_, open := s.decide(t.Context(), func() []*discharge.Group { return s.validate(c.tiers) })
		switch {
		case open == nil && c.open != "":
			t.Errorf("nothing is refused instead of %s", c.open)
		case open != nil && open.Name != c.open:
			t.Errorf("%q is refused instead of %q", open.Name, c.open)
		}
		for _, root := range s.roots {
			if !s.covered(root, c.tiers) {
				t.Errorf("%s belongs to no tier", root)
			}
		}
	}

	half := s.split(up, logic.Eq(y, logic.IntLit(0)))
	if tiers := []*tier{rank(x, down, half[0])}; s.covered(up, tiers) {
		t.Error("the steps of half a part are said to be all")
	}
	if tiers := []*tier{rank(x, down, half[0], half[1])}; !s.covered(up, tiers) {
		t.Error("two halves are said not to be all")
	}
	half[1].impossible = &discharge.Obligation{}
	if tiers := []*tier{rank(x, down, half[0])}; !s.covered(up, tiers) {
		t.Error("steps that do not exist are said to be missing")
	}
}
