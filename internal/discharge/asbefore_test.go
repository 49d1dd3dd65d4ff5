package discharge

import (
	"math/rand"
	"slices"
	"testing"

	"erelong.dev/erelong/internal/logic"
	"erelong.dev/erelong/internal/smt"
	"erelong.dev/erelong/internal/vc"
)

// toggles is a step over some truth values, and what is claimed before and after it: a disjunction
// of conjunctions, within a conjunction or not.
type toggles struct {
	*rand.Rand
	symbols []*logic.Symbol
	theory  *vc.Theory
	goal    *logic.Term
}

func newToggles(seed int64) *toggles {
	g := &toggles{Rand: rand.New(rand.NewSource(seed)), theory: &vc.Theory{}}
	for _, name := range []string{"p", "q", "r"} {
		g.symbols = append(g.symbols,
			&logic.Symbol{Name: name, Kind: logic.Relation, Result: logic.Bool, Mutable: true})
	}
	versions := map[*logic.Symbol]int{}
	for _, sym := range g.symbols[:2] {
		value := g.literal(nil)
		if g.Intn(2) == 0 {
			value = logic.Ite(g.literal(nil), value, g.literal(nil))
		}
		g.theory.Updates = append(g.theory.Updates,
			vc.Update{Symbol: sym, Version: 1, Value: value})
		versions[sym] = 1
	}
	seed = g.Int63()
	claim := func(versions map[*logic.Symbol]int) *logic.Term {
		g.Seed(seed)
		disjunction := func() *logic.Term {
			var cases []*logic.Term
			for range 2 + g.Intn(2) {
				second := g.literal(versions)
				if g.Intn(3) == 0 {
					second = logic.Or(second, logic.And(g.literal(versions), g.literal(versions)))
				}
				cases = append(cases, logic.And(g.literal(versions), second))
			}
			return logic.Or(cases...)
		}
		if g.Intn(2) == 0 {
			return logic.And(disjunction(), disjunction())
		}
		return disjunction()
	}
	g.goal = claim(versions)
	if g.Intn(8) == 0 {
		seed++ // something else is known
	}
	g.theory.AssumeAs("claim", claim(nil))
	return g
}

func (g *toggles) literal(versions map[*logic.Symbol]int) *logic.Term {
	sym := g.symbols[g.Intn(len(g.symbols))]
	t := logic.App(sym, versions[sym])
	if g.Intn(2) == 0 {
		return logic.Not(t)
	}
	return t
}

// follows evaluates a part in all states before the step in which the claim is true.
func (g *toggles) follows(p part) bool {
	assumed := append(slices.Clone(p.assume), g.theory.Hypotheses[0].Term)
	for state := range 1 << len(g.symbols) {
		var holds func(*logic.Term) bool
		holds = func(t *logic.Term) bool {
			return logic.Map(t, func(t *logic.Term) *logic.Term {
				if t.Op != logic.OpApp {
					return logic.Simplified(t)
				}
				if i := slices.Index(g.symbols, t.Symbol); t.Step == 0 {
					return logic.BoolLit(state>>i&1 == 1)
				}
				u := slices.IndexFunc(g.theory.Updates,
					func(u vc.Update) bool { return u.Symbol == t.Symbol })
				return logic.BoolLit(holds(g.theory.Updates[u].Value))
			}).IsTrue()
		}
		if !slices.ContainsFunc(assumed, func(t *logic.Term) bool { return !holds(t) }) &&
			!holds(p.goal) {
			return false
		}
	}
	return true
}

// TestAsBefore splits claims for a solver that knows no disjunction: what it proves is true, and
// what it refutes is false.
func TestAsBefore(t *testing.T) {
	seen := map[string]int{}
	for seed := range int64(3000) {
		g := newToggles(seed)
		a := &asker{modeller: modeller{&processes{group: &Group{Theory: g.theory}}}}
		whole := part{goal: g.goal, before: before(g.theory, g.goal)}
		if whole.before == nil {
			seen["nothing known"]++
			continue
		}
		guesses, branches := 0, 0
		s := &splitting{asker: a, left: mostOpen, guesses: true}
		s.ask = func(p part) (smt.Status, error) {
			if p.guessed {
				guesses++
			}
			branches = max(branches, p.depth)
			switch follows := g.follows(p); {
			case p.goal.Op == logic.OpOr && (follows || g.Intn(8) > 0):
				return smt.Unknown, nil
			case follows:
				return smt.Unsat, nil
			}
			return smt.Sat, nil
		}
		proved, follows := s.proves(whole), g.follows(whole)
		switch {
		case proved && !follows:
			t.Errorf("seed %d: %s is proved", seed, g.goal)
		case s.refuted && follows:
			t.Errorf("seed %d: %s is refuted", seed, g.goal)
		case proved:
			seen["proved"]++
			if branches > 1 {
				seen["proved by what the step distinguishes"]++
			}
		case s.refuted:
			seen["refuted"]++
		case follows:
			seen["open"]++
		}
		if guesses > 0 && proved {
			seen["proved by guesses"]++
		}
	}
	t.Log(seen)
	for _, want := range []string{"nothing known", "proved by guesses", "proved by what the step distinguishes",
		"refuted"} {
		if seen[want] < 20 {
			t.Errorf("%s: %d", want, seen[want])
		}
	}
	if seen["open"] > seen["proved"] {
		t.Error("most of what follows is not proved")
	}
}
