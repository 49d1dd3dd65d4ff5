package ranking

import (
	"fmt"
	"strings"
	"testing"

	"erelong.dev/erelong/internal/logic"
	"erelong.dev/erelong/internal/result"
	"erelong.dev/erelong/internal/testkit"
)

// A bound that is too small is contradicted by a run of the instance, and so is one that waits for
// no fair action where the run waits for one. No solver has a part in it.
func TestObserveContradicts(t *testing.T) {
	x := func(p *problem) *logic.Term { return logic.App(p.original.Symbols[0], logic.Pre) }
	left := func(p *problem) *logic.Term { return logic.App(p.fair[0].left, logic.Pre) }
	sum := func(s *bounds, more int64) *logic.Term { // (M + 1) * x + left + more
		m := s.limit(&variable{left: []*countdown{{fairness: s.p.fair[0]}}})
		return logic.Add(logic.Mul(logic.Add(m, logic.IntLit(1)), x(s.p)), left(s.p),
			logic.IntLit(more))
	}
	for _, c := range []struct {
		name  string
		bound func(*bounds) *logic.Term
		want  string
	}{
		{"right", func(s *bounds) *logic.Term { return sum(s, 1) }, ""},
		{"as small as can be", func(s *bounds) *logic.Term {
			m := s.limit(&variable{left: []*countdown{{fairness: s.p.fair[0]}}})
			return logic.Sub(logic.Add(logic.Mul(m, x(s.p)), left(s.p)), m)
		}, ""},
		{"too small by one", func(s *bounds) *logic.Term {
			m := s.limit(&variable{left: []*countdown{{fairness: s.p.fair[0]}}})
			return logic.Sub(logic.Add(logic.Mul(m, x(s.p)), left(s.p)),
				logic.Add(m, logic.IntLit(1)))
		}, "steps, and the bound is"},
		{"no fairness", func(s *bounds) *logic.Term { return logic.Mul(logic.IntLit(99), x(s.p)) },
			"the property can be pending for ever"},
	} {
		for _, fair := range []string{"fair", "strong fair"} {
			sys := testkit.Compile(t, strings.Replace(step, "fair", fair, 1)+
				"liveness [live] x = 3 ~> x = 0\nrank [live] { pending x > 0; }")
			prop := sys.Property("live")
			s := newBounds(newCandidates(newProblem(sys, prop, sys.RankingOf(prop), nil), nil))
			seen, err := s.observe(t.Context(), sys.Instances[0], meanings{},
				[]*watched{{term: c.bound(s)}})
			switch {
			case (err == nil) != (c.want == ""), err != nil && !strings.Contains(err.Error(), c.want):
				t.Errorf("%s, %s: %v instead of %q", c.name, fair, err, c.want)
			case err == nil && (seen.Why != "" || seen.Steps != 6):
				t.Errorf("%s, %s: %+v", c.name, fair, seen)
			}
		}
	}
}

// What cannot be looked at is said.
func TestObserveSaysWhy(t *testing.T) {
	sys := testkit.Compile(t, `mutable constant x: int
		init x = 3
		fair action down() { require x > 0; x := x - 1; }
		liveness [live] forall N: int. x = N & N > 0 ~> x < N
		instance i { }`)
	prop := sys.Properties[0]
	s := newBounds(newCandidates(newProblem(sys, prop, nil, nil), nil))
	seen, err := s.observe(t.Context(), sys.Instances[0], meanings{},
		[]*watched{{term: logic.IntLit(9)}})
	if err != nil || !strings.Contains(seen.Why, "int has infinitely many values") {
		t.Errorf("%+v, %v", seen, err)
	}
}

// Where a function below the first has no limit, the first one still bounds its steps, and there is
// nothing to compare with runs.
func TestNoBoundOnAllSteps(t *testing.T) {
	opts := options(t)
	sys := testkit.Compile(t, `mutable constant x: 0..3
		mutable constant y: int
		mutable constant z: int
		init x = 3 & y = 0 & z = 0
		action down(n: int) { require x > 0 & n > 0; x := x - 1; y := n; }
		action low(n: int) { require x > 0 & y > 0 & n > 0; y := y - 1; z := n; }
		action last() { require x > 0 & z > 0; z := z - 1; }
		invariant y >= 0 & z >= 0
		liveness [live] true ~> x = 0
		rank [live] { variable y; variable z; }
		instance i { }`)
	opts.Observe, opts.Instances = true, sys.Instances
	for _, c := range []struct{ rounds, want string }{
		{"", "[{[down] x + 1}]"}, {"down", "[{[down] x + 1}]"}, {"low", "[]"},
	} {
		opts.Rounds = c.rounds
		r := prove1(t, opts, sys)
		if r.Verdict != result.Holds {
			t.Fatalf("%s: %s", r.Verdict, r.Reason)
		}
		ranking := r.Evidence.Ranking
		if got := fmt.Sprint(ranking.Fewer); ranking.Steps != "" || got != c.want ||
			ranking.Observed[0].Why != "there is no bound on all steps" {
			t.Errorf("%q: %s instead of %s: %+v", c.rounds, got, c.want, ranking)
		}
	}
}

// A bound that is a sum of the steps that are left to a fair action is compared with runs in which
// each of these actions waits for M steps at most.
func TestObserveSums(t *testing.T) {
	sys := testkit.Compile(t, `sort process
		mutable relation on(process)
		init !on(P)
		fair action start(p: process) { require !on(p); on(p) := true; }
		liveness [live] true ~> forall P. on(P)
		rank [live] { await (X: process) start(X) with !on(X); }
		instance two { process = 2 }`)
	prop := sys.Property("live")
	hints := sys.RankingOf(prop)
	given := newCandidates(newProblem(sys, prop, hints, nil), hints)
	s, total := newBounds(given), given.measures[0].term
	for _, c := range []struct {
		bound *logic.Term
		want  string
	}{
		{logic.Add(total, logic.IntLit(1)), ""},
		{logic.Sub(total, logic.IntLit(3)), "steps, and the bound is"},
	} {
		seen, err := s.observe(t.Context(), sys.Instances[0], given.meanings,
			[]*watched{{term: c.bound}})
		switch {
		case c.want == "" && (err != nil || seen.Why != "" || seen.Steps != 2 || seen.Waits != 2):
			t.Errorf("%s: %+v, %v", c.bound, seen, err)
		case c.want != "" && (err == nil || !strings.Contains(err.Error(), c.want)):
			t.Errorf("%s: %v instead of %q", c.bound, err, c.want)
		}
	}
}
