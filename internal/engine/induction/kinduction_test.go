package induction

import (
	"fmt"
	"math/rand"
	"slices"
	"testing"

	"erelong.dev/erelong/internal/discharge"
	"erelong.dev/erelong/internal/engine/explicit"
	"erelong.dev/erelong/internal/front/ere"
	"erelong.dev/erelong/internal/logic"
	"erelong.dev/erelong/internal/result"
	"erelong.dev/erelong/internal/system"
	"erelong.dev/erelong/internal/system/systemtest"
	"erelong.dev/erelong/internal/testkit"
)

// graph is all states of a tiny system for one choice of its immutable symbols, with the steps
// between them.
type graph struct {
	oracle *oracle
	fixed  structure
	states []structure
	next   [][]int
}

func (o *oracle) graphs() (out []graph) {
	key := func(s structure) (text string) {
		for _, sym := range o.sys.Symbols {
			text += fmt.Sprint(s[sym])
		}
		return text
	}
	for i, f := range o.fixed {
		g := graph{o, f, o.states[i], make([][]int, len(o.states[i]))}
		index := map[string]int{}
		for j, s := range g.states {
			index[key(s)] = j
		}
		for _, a := range o.sys.Actions {
			for _, t := range o.steps[a] {
				pre := index[key(t.pre)]
				if post := index[key(t.post)]; key(t.fixed) == key(f) &&
					!slices.Contains(g.next[pre], post) {
					g.next[pre] = append(g.next[pre], post)
				}
			}
		}
		out = append(out, g)
	}
	return out
}

func (g graph) holds(state int, props ...*system.Property) bool {
	w := world{fixed: g.fixed, states: []structure{g.states[state]}}
	return !slices.ContainsFunc(props, func(p *system.Property) bool { return !w.holds(p.Term) })
}

// base reports whether the property holds in the first k states of every run.
func (g graph) base(p *system.Property, k int) bool {
	var now []int
	for i, s := range g.states {
		if g.oracle.initial(g.fixed, s) {
			now = append(now, i)
		}
	}
	for range k {
		var next []int
		for _, i := range now {
			if !g.holds(i, p) {
				return false
			}
			for _, j := range g.next[i] {
				if !slices.Contains(next, j) {
					next = append(next, j)
				}
			}
		}
		now = next
	}
	return true
}

// step reports whether the property holds after all paths of k states, distinct if simple, that
// satisfy the hypotheses.
func (g graph) step(p *system.Property, hypotheses []*system.Property, k int, simple bool) bool {
	var extend func(path []int) bool
	extend = func(path []int) bool {
		for _, j := range g.next[path[len(path)-1]] {
			if len(path) == k {
				if !g.holds(j, p) {
					return false
				}
				continue
			}
			if g.holds(j, hypotheses...) && !(simple && slices.Contains(path, j)) &&
				!extend(append(path, j)) {
				return false
			}
		}
		return true
	}
	for i := range g.states {
		if g.holds(i, hypotheses...) && !extend([]int{i}) {
			return false
		}
	}
	return true
}

// kInductive computes the verdicts by enumeration: failing properties are dropped until the rest is
// inductive together.
func (o *oracle) kInductive(k int, simple bool) map[string]result.Verdict {
	out := map[string]result.Verdict{}
	var alive []*system.Property
	for _, p := range o.sys.Properties {
		if p.IsInvariant() {
			alive = append(alive, p)
			out[p.Name] = result.Holds
			if !o.hasInitial() {
				out[p.Name] = result.NothingChecked
			}
		}
	}
	if !o.hasInitial() {
		return out
	}
	graphs := o.graphs()
	for round := 0; ; round++ {
		var next []*system.Property
		for _, p := range alive {
			fails := func(g graph) bool { return !g.base(p, k) || !g.step(p, alive, k, simple) }
			switch {
			case !slices.ContainsFunc(graphs, fails):
				next = append(next, p)
			case round == 0:
				out[p.Name] = result.NotInductive
			default:
				out[p.Name] = result.Unknown
			}
		}
		if len(next) == len(alive) {
			return out
		}
		alive = next
	}
}

// On tiny systems k-induction proves exactly what is k-inductive.
func TestKInductionIsExact(t *testing.T) {
	testkit.InCI(t)
	all, ctx := ways(t), testkit.Solving(t)
	seen := map[string]int{}
	// K matters, or a proof needs a property that is not k-inductive.
	seeds := []int64{19, 39, 53, 83, 136, 195}
	for seed := range int64(4) {
		seeds = append(seeds, seed)
	}
	for _, seed := range seeds {
		sys := generate(seed)
		sys.Scenarios = nil
		o := newOracle(sys)
		plain := o.kInductive(1, false)
		for _, simple := range []bool{false, true} {
			k := 2 + int(seed)%2
			opts := all[int(seed)%len(all)]
			opts.Induction, opts.SimplePath = k, simple
			// Solvers may let states differ outside the declared range of an argument.
			vague := simple && slices.ContainsFunc(sys.Symbols, func(s *logic.Symbol) bool {
				return s.Mutable && slices.ContainsFunc(s.Args, func(a *logic.Sort) bool {
					return a.Kind == logic.KindRange
				})
			})
			results, err := Prove(ctx, sys, opts)
			if err != nil {
				t.Fatal(err)
			}
			want, weaker := o.kInductive(k, simple), o.kInductive(k, false)
			for _, r := range results {
				if r.Kind == system.Theorem {
					continue
				}
				if r.Verdict != want[r.Property] && !(vague && r.Verdict == weaker[r.Property]) {
					t.Errorf("seed %d, k = %d, simple %t: %s is %s (%s), and by enumeration %s\n%s",
						seed, k, simple, r.Property, r.Verdict, r.Reason, want[r.Property], sys)
				}
				if r.Verdict == result.Holds && r.Evidence.Induction != k {
					t.Errorf("evidence %+v", r.Evidence)
				}
				seen[string(r.Verdict)]++
				if r.Verdict == result.Holds && plain[r.Property] != result.Holds {
					seen["more than by plain induction"]++
				}
				if r.Verdict == result.Holds && weaker[r.Property] != result.Holds {
					seen["more than without distinct states"]++
				}
			}
		}
	}
	t.Log(seen)
	for _, want := range []string{"holds", "not inductive", "unknown", "more than by plain induction", "more than without distinct states"} {
		if seen[want] == 0 {
			t.Errorf("no system gave %q: %v", want, seen)
		}
	}
}

// Exploration confirms in an instance what k-induction proves of all.
func TestKInductionIsSound(t *testing.T) {
	ctx := testkit.Solving(t)
	proved := 0
	for seed := range testkit.Size(3, 12) {
		sys, err := systemtest.Generate(rand.New(rand.NewSource(seed)),
			systemtest.Options{Bits: 6, Actions: 2})
		if err != nil {
			t.Fatal(err)
		}
		inst := systemtest.Unnamed(sys)
		results, err := Prove(ctx, sys,
			Options{Induction: 2, SimplePath: seed%2 == 0,
				Options: discharge.Options{Solving: discharge.Solving{Rlimit: 3_000_000}}})
		if err != nil {
			t.Fatal(err)
		}
		for _, r := range results {
			if r.Verdict != result.Holds {
				continue
			}
			found, err := explicit.Check(t.Context(), sys, inst,
				explicit.Options{Only: []string{r.Property}})
			if err != nil {
				t.Fatal(err)
			}
			if proved++; found[0].Verdict == result.Violated {
				t.Errorf("seed %d: %s is proved, and violated in an instance\n%s", seed, r.Property,
					sys)
			}
		}
	}
	if proved < 5 {
		t.Errorf("only %d properties were proved", proved)
	}
}

// A state that only the violation's own predecessor reaches needs a hypothesis over two states, and
// distinct ones if the system can wait in it.
func TestKInductionNeedsSteps(t *testing.T) {
	ctx := testkit.Solving(t)
	const swing = `
mutable constant n: int
init n = 0
action swing() { n := if n = 0 then 1 else if n = 1 then 0 else n + 1; }
`
	for _, tt := range []struct {
		text   string
		k      int
		simple bool
		want   result.Verdict
	}{
		{swing, 1, false, result.NotInductive},
		{swing, 2, false, result.Holds},
		{swing + "action wait() { }\n", 1, true, result.NotInductive},
		{swing + "action wait() { }\n", 3, false, result.NotInductive},
		{swing + "action wait() { }\n", 2, true, result.Holds},
	} {
		sys, _, err := ere.Compile("test.ere", tt.text+"safety [never] n != 3\n")
		if err != nil {
			t.Fatal(err)
		}
		results, err := Prove(ctx, sys, Options{Induction: tt.k, SimplePath: tt.simple})
		if err != nil {
			t.Fatal(err)
		}
		r := results[0]
		if r.Verdict != tt.want {
			t.Errorf("k = %d, simple %t: %s (%s) instead of %s", tt.k, tt.simple, r.Verdict,
				r.Reason, tt.want)
		}
		if r.Verdict == result.NotInductive && len(r.Trace.Steps) != tt.k+1 {
			t.Errorf("k = %d: a counterexample to induction with %d states", tt.k,
				len(r.Trace.Steps))
		}
	}
	// A run that leaves the base.
	sys, _, err := ere.Compile("test.ere", "mutable constant n: int\ninit n = 0\naction up() { n := n + 1; }\nsafety [low] n < 2\n")
	if err != nil {
		t.Fatal(err)
	}
	results, err := Prove(ctx, sys, Options{Induction: 3})
	if err != nil {
		t.Fatal(err)
	}
	if r := results[0]; r.Verdict != result.NotInductive || r.Trace == nil ||
		len(r.Trace.Steps) != 3 {
		t.Errorf("%+v", r)
	}
}
