package ranking

import (
	"context"
	"math/big"
	"slices"
	"strings"
	"testing"

	"erelong.dev/erelong/internal/discharge"
	"erelong.dev/erelong/internal/logic"
	"erelong.dev/erelong/internal/result"
	"erelong.dev/erelong/internal/testkit"
)

// Functions that no search would find are refused, each for its own reason.
func TestWrongFunctionsAreRefused(t *testing.T) {
	sys := testkit.Compile(t, `
		sort s
		mutable constant x: int
		mutable constant y: int
		init x = 3 & y = 0
		trusted invariant 0 <= x & x <= 3 & 0 <= y & y <= 3
		action down() { require x > 0; x := x - 1; }
		action up(c: s) { require x < 3 & y < 3; x := x + 1; y := y + 1; }
		liveness true ~> x = 0`)
	d, err := discharge.New(t.Context(), sys, options(t).Options)
	if err != nil {
		t.Fatal(err)
	}
	p := newProblem(sys, sys.Properties[len(sys.Properties)-1], nil, nil)
	by := solvers{d, d}
	down, up := newPart(p.sys.Actions[0]), newPart(p.sys.Actions[1])
	of := func(tiers ...*tier) *proof {
		return &proof{p: p, roots: []*part{down, up}, tiers: tiers}
	}
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
		return &tier{factors: []*big.Int{big.NewInt(1)}, vars: []*variable{{term: term}},
			parts: parts}
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
		var r result.Result
		if _, err := of(c.tiers...).check(t.Context(), by, &r); err != nil {
			t.Error(err)
		}
		want := result.Result{Verdict: result.Holds}
		if c.open != "" {
			want = result.Result{Reason: result.Because(result.NotProved, "not proved: "+c.open)}
		}
		if r.Verdict != want.Verdict || r.Reason != want.Reason {
			t.Errorf("%q %q instead of %q %q", r.Verdict, r.Reason, want.Verdict, want.Reason)
		}
	}

	// Steps outside all tiers are a defect. That a part has no steps is proved, whatever the search
	// says.
	var r result.Result
	if _, err := of(rank(x, down)).check(t.Context(), by, &r); err == nil ||
		!strings.Contains(err.Error(), "steps of up(c:s) belong to no tier") ||
		r.Verdict == result.Holds {
		t.Errorf("%v: %s", err, r.Verdict)
	}
	up.impossible = p.impossibility(up)
	if _, err := of(rank(x, down)).check(t.Context(), by, &r); err != nil ||
		r.Reason.Text != "not proved: "+up.impossible.Name || r.Verdict == result.Holds {
		t.Errorf("%v: %s %q", err, r.Verdict, r.Reason)
	}
	up.impossible = nil

	// The growth of a count is proved, whatever the search says, and nothing stronger is concluded.
	n := newCandidates(p, nil).counting([]*logic.Var{{Name: "X", Sort: sys.Sorts[0]}},
		logic.Eq(y, logic.IntLit(0)))
	for h, open := range map[int]string{-1: n.String() + " grows by at most -1", 0: "rank 1 decreases"} {
		down.change[n], up.change[n] = 0, h
		var r result.Result
		tiers := []*tier{{factors: []*big.Int{big.NewInt(1)}, vars: []*variable{n},
			parts: []*part{up}}, rank(x, down)}
		if _, err := of(tiers...).check(t.Context(), by, &r); err != nil ||
			r.Verdict == result.Holds ||
			r.Reason.Text != "not proved: up(c:s): "+open {
			t.Errorf("%s %q %v instead of %s", r.Verdict, r.Reason, err, open)
		}
	}

	half := up.split(logic.Eq(y, logic.IntLit(0)))
	if of(rank(x, down, half[0])).covered(up) {
		t.Error("the steps of half a part are said to be all")
	}
	if !of(rank(x, down, half[0], half[1])).covered(up) {
		t.Error("two halves are said not to be all")
	}
	half[1].impossible = &discharge.Obligation{}
	if !of(rank(x, down, half[0])).covered(up) {
		t.Error("steps that do not exist are said to be missing")
	}
}

// What is claimed of all variables of a function decides how it grows; what is not claimed decides
// nothing.
func TestFollows(t *testing.T) {
	a, b, plain := &variable{count: &count{}}, &variable{count: &count{}}, &variable{}
	both := &tier{factors: []*big.Int{big.NewInt(2), big.NewInt(1)}, vars: []*variable{a, b}}
	for _, c := range []struct {
		change               map[*variable]int
		decreases, growsNone bool
	}{
		{map[*variable]int{a: -1, b: 1}, true, true},
		{map[*variable]int{a: 0, b: 0}, false, true},
		{map[*variable]int{a: 1, b: -1}, false, false},
		{map[*variable]int{a: -1}, false, false},
	} {
		p := &part{change: c.change}
		if both.follows(p, true) != c.decreases || both.follows(p, false) != c.growsNone {
			t.Errorf("growths of %d and %d: wrong", c.change[a], c.change[b])
		}
	}
	known := &tier{factors: []*big.Int{big.NewInt(1)}, vars: []*variable{plain}}
	if known.follows(&part{change: map[*variable]int{plain: -1}}, true) {
		t.Error("the growth of a number that the solvers know is not asked about")
	}
}

// One question about states rules the parts of several actions out, and only parts that no state
// has a step of.
func TestNowhere(t *testing.T) {
	sys := testkit.Compile(t, `
		mutable constant x: int
		init x = 0
		trusted invariant 0 <= x & x <= 3
		action a() { require x >= 0; x := 0; }
		action b() { require x >= 1; x := 1; }
		action c() { require x >= 2; x := 2; }
		action d() { require x >= 3; x := 3; }
		liveness true ~> x = 0`)
	discharger, err := discharge.New(t.Context(), sys, options(t).Options)
	if err != nil {
		t.Fatal(err)
	}
	for least, want := range map[int64]int{4: 4, 3: 0} {
		p := newProblem(sys, sys.Properties[len(sys.Properties)-1], nil, nil)
		by := logic.Le(logic.IntLit(least), logic.App(p.sys.Symbols[0], logic.Pre))
		var parts []*part
		for _, root := range newPartition(p).roots {
			parts = append(parts, root.split(by)[0])
		}
		newSteps(p, solvers{quick: discharger}).nowhere(t.Context(), parts)
		if got := len(parts) - len(slices.DeleteFunc(parts, func(p *part) bool {
			return p.impossible != nil
		})); got != want {
			t.Errorf("x >= %d: %d parts instead of %d are ruled out", least, got, want)
		}
	}
}

// A step that may be possible is not ruled out: neither when the solvers give no answer, nor when
// they are not asked.
func TestPossible(t *testing.T) {
	sys := testkit.Compile(t, step+"action lift() { require x > 2 & x < 2; x := 0; }\nliveness true ~> x = 0")
	d, err := discharge.New(t.Context(), sys, options(t).Options)
	if err != nil {
		t.Fatal(err)
	}
	over, end := context.WithCancel(t.Context())
	end()
	for _, c := range []struct {
		ctx        context.Context
		most, want int
	}{{t.Context(), 10, 2}, {t.Context(), 0, 3}, {over, 10, 3}} {
		p := newProblem(sys, sys.Properties[len(sys.Properties)-1], nil, nil)
		s := newSteps(p, solvers{quick: d})
		s.limit = c.most
		if got := s.possible(c.ctx, newPartition(p).roots); len(got) != c.want {
			t.Errorf("%d actions instead of %d", len(got), c.want)
		}
	}
}
