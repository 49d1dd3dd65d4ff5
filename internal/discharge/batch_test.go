package discharge

import (
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"

	"erelong.dev/erelong/internal/logic"
	"erelong.dev/erelong/internal/result"
	"erelong.dev/erelong/internal/smt"
	"erelong.dev/erelong/internal/testkit"
	"erelong.dev/erelong/internal/vc"
)

// valuation gives each copy of a symbol a truth value.
type valuation map[symbolCopy]bool

// meaning evaluates a propositional formula.
func (v valuation) meaning(t *logic.Term) bool {
	switch t.Op {
	case logic.OpApp:
		return v[symbolCopy{t.Symbol, t.Step}]
	case logic.OpTrue, logic.OpFalse:
		return t.Op == logic.OpTrue
	case logic.OpNot:
		return !v.meaning(t.Args[0])
	case logic.OpImplies:
		return !v.meaning(t.Args[0]) || v.meaning(t.Args[1])
	case logic.OpAnd, logic.OpOr:
		for _, a := range t.Args {
			if v.meaning(a) == (t.Op == logic.OpOr) {
				return t.Op == logic.OpOr
			}
		}
		return t.Op == logic.OpAnd
	}
	panic(fmt.Sprint("no meaning of ", t))
}

// entails tries all values of three symbols in two states.
func entails(symbols []*logic.Symbol, t *vc.Theory, goal *logic.Term) bool {
	for bits := range 1 << (2 * len(symbols)) {
		v := valuation{}
		for i, s := range symbols {
			v[symbolCopy{s, 0}], v[symbolCopy{s, 1}] = bits>>(2*i)&1 > 0, bits>>(2*i+1)&1 > 0
		}
		possible := true
		for _, h := range t.Hypotheses {
			possible = possible && v.meaning(h.Term)
		}
		for _, u := range t.Updates {
			possible = possible && v[symbolCopy{u.Symbol, u.Version}] == v.meaning(u.Value)
		}
		if possible && !v.meaning(goal) {
			return false
		}
	}
	return true
}

// TestGroupsTogether decides obligations of many groups, which are asked about together.
// Values that are tried one after the other decide them, too.
func TestGroupsTogether(t *testing.T) {
	driver, end := smt.Reuse(testkit.Solvers(t)[0])
	defer end()
	random := rand.New(rand.NewPCG(7, 1))
	var symbols []*logic.Symbol
	for _, name := range []string{"a", "b", "c"} {
		symbols = append(symbols, &logic.Symbol{Name: name, Result: logic.Bool, Mutable: true})
	}
	literal := func(step int) *logic.Term {
		out := logic.App(symbols[random.IntN(3)], step)
		if random.IntN(2) == 0 {
			return logic.Not(out)
		}
		return out
	}
	invariant := logic.Or(logic.App(symbols[0], 0), logic.App(symbols[1], 0))
	var groups []*Group
	for i := range manyGroups + 40 {
		theory := &vc.Theory{}
		theory.AssumeAs("invariant", invariant)
		theory.Assume(literal(0), logic.Or(literal(0), literal(1)))
		for _, s := range symbols {
			value := logic.And(literal(0), logic.Or(literal(0), literal(0)))
			theory.Updates = append(theory.Updates, vc.Update{Symbol: s, Version: 1, Value: value})
		}
		g := &Group{Theory: theory, Path: vc.Path{Kind: result.ToInduction}}
		for j := range 2 {
			goal := logic.Or(literal(1), literal(0))
			if i%20 > 0 && !entails(symbols, theory, goal) {
				goal = logic.Implies(literal(1), invariant)
			}
			g.Obligations = append(g.Obligations, &Obligation{Goal: goal,
				Obligation: result.Obligation{Name: fmt.Sprintf("%d of %d", j, i)}})
		}
		groups = append(groups, g)
	}
	d, err := New(t.Context(), testkit.Compile(t, "safety true"), Options{
		Drivers: []smt.Driver{driver},
		Jobs:    1,
		Solving: Solving{Rlimit: lowRlimit},
	})
	if err != nil {
		t.Fatal(err)
	}
	d.All(t.Context(), groups)
	proved, refuted, queries, together := 0, 0, int64(0), 0
	for _, g := range groups {
		for _, o := range g.Obligations {
			want := entails(symbols, g.Theory, o.Goal)
			if (o.Verdict == result.Holds) != want || o.Verdict == result.Unknown {
				t.Errorf("%s: %s, but entailed: %t (%s)", o.Name, o.Verdict, want, o.Reason)
			}
			queries += o.Queries
			if o.Verdict == result.Holds {
				proved++
			} else {
				refuted++
			}
			if strings.Contains(o.Method, "together with") {
				together++
			}
		}
	}
	t.Logf("%d proved, %d of them together; %d not; %d queries", proved, together, refuted, queries)
	if refuted < 5 || together < proved/4 {
		t.Error("this shows nothing")
	}
}
