package vc_test

import (
	"fmt"
	"math/rand"
	"slices"
	"testing"

	"erelong.dev/erelong/internal/interp"
	"erelong.dev/erelong/internal/logic"
	"erelong.dev/erelong/internal/smt"
	"erelong.dev/erelong/internal/system"
	"erelong.dev/erelong/internal/system/systemtest"
	"erelong.dev/erelong/internal/testkit"
	"erelong.dev/erelong/internal/vc"
)

// ground is a generated system whose elements have names, so that a formula can say what a state
// is, and a solver can be asked about single states and steps.
type ground struct {
	*testing.T
	sys     *system.System
	model   *interp.Model
	rng     *rand.Rand
	session *smt.Session
	names   map[*logic.Sort][]*logic.Var // of elements
}

func newGround(t *testing.T, seed int64, d smt.Driver) *ground {
	g := &ground{T: t, rng: rand.New(rand.NewSource(seed)), names: map[*logic.Sort][]*logic.Var{}}
	sys, err := systemtest.Generate(g.rng, systemtest.Options{Actions: 2})
	if err != nil {
		t.Fatal(err)
	}
	if g.sys = sys; g.rng.Intn(3) == 0 {
		sys.Properties[0].Kind = system.Trusted
	}
	if g.model, err = interp.NewModel(sys, systemtest.Unnamed(sys)); err != nil {
		t.Fatal(err)
	}
	for s, n := range sys.Instances[0].Sizes {
		for i := range n {
			g.names[s] = append(g.names[s], &logic.Var{Name: fmt.Sprint(s.Name, "_", i), Sort: s})
		}
	}
	g.session = smt.NewSession(d, smt.Config{Cores: true})
	t.Cleanup(g.session.Close)
	return g
}

// literal is a value of a sort.
func (g *ground) literal(s *logic.Sort, v int64) *logic.Term {
	if s.Kind == logic.KindUninterpreted {
		return logic.Ref(g.names[s][v])
	}
	return logic.Literal(s, v)
}

// is says that a state, in state Pre, is the given one.
func (g *ground) is(s interp.State) *logic.Term {
	var all []*logic.Term
	args := g.model.SlotArguments()
	for i, sym := range g.model.SlotSymbols() {
		var at []*logic.Term
		for k, a := range sym.Args {
			at = append(at, g.literal(a, args[i][k]))
		}
		all = append(all, logic.Eq(logic.App(sym, logic.Pre, at...), g.literal(sym.Result, s[i])))
	}
	return logic.And(all...)
}

// theory adds the names of elements.
func (g *ground) theory(t *vc.Theory) *vc.Theory {
	t = t.Clone()
	for _, s := range g.sys.Sorts {
		names := g.names[s]
		if len(names) == 0 {
			continue
		}
		x := &logic.Var{Name: "X", Sort: s}
		var one []*logic.Term
		for _, n := range names {
			one = append(one, logic.Eq(logic.Ref(x), logic.Ref(n)))
		}
		t.Consts = append(t.Consts, names...)
		t.Assume(logic.Distinct(logic.Refs(names)...), logic.Forall([]*logic.Var{x},
			logic.Or(one...)))
	}
	return t
}

// possible asks whether a theory has a model, in a rendering. If not, the hypotheses that the
// solver names have none alone.
func (g *ground) possible(t *vc.Theory, r vc.Rendering) bool {
	g.Helper()
	script, names, err := t.Labelled(r)
	if err != nil {
		g.Fatal(err)
	}
	ask := func(script *smt.Script) smt.Answer {
		a, err := g.session.Check(g.Context(), smt.Query{Base: script.Lines()})
		if err != nil || a.Status == smt.Unknown {
			g.Fatalf("%v: %s (%v)", a.Status, a.Reason, err)
		}
		return a
	}
	a := ask(script)
	if a.Status == smt.Sat {
		return true
	}
	part, err := t.Only(func(h vc.Hypothesis) bool {
		return slices.ContainsFunc(a.Core, func(label string) bool { return names[label] == h.Name })
	}).Script(r)
	if err != nil {
		g.Fatal(err)
	}
	if again := ask(part); again.Status != smt.Unsat {
		g.Fatalf("the hypotheses that a proof needs are not enough")
	}
	return false
}

// value is a random value of a sort in the instance.
func (g *ground) value(s *logic.Sort) int64 {
	switch s.Kind {
	case logic.KindBool:
		return g.rng.Int63n(2)
	case logic.KindEnum:
		return g.rng.Int63n(int64(len(s.Members)))
	case logic.KindUninterpreted:
		return g.rng.Int63n(int64(g.sys.Instances[0].Sizes[s]))
	}
	return g.rng.Int63n(g.sys.Instances[0].Values[s.Hi.Symbol].Int.Int64() + 1)
}

// change gives another state, with a mutable slot that differs, if there is one.
func (g *ground) change(s interp.State) interp.State {
	out := s.Clone()
	symbols := g.model.SlotSymbols()
	for range 20 {
		if i := g.rng.Intn(len(out)); symbols[i].Mutable {
			if out[i] = g.value(symbols[i].Result); out[i] != s[i] {
				return out
			}
		}
	}
	return out
}

func (g *ground) trusts(s interp.State) bool {
	for _, p := range g.sys.Trusted() {
		holds, err := g.model.Holds(p.Term, s)
		if err != nil {
			g.Fatal(err)
		}
		if !holds {
			return false
		}
	}
	return true
}

// part is a step of some form, with the successors that the interpreter gives it.
func (g *ground) part(s interp.State) (system.ScenarioComponent, map[string]interp.State) {
	next := map[string]interp.State{}
	take := func(a *system.Action, args []*logic.Term, values []int64) {
		if err := g.model.Steps(g.Context(), s, a, func(step interp.Step) error {
			for i, want := range values {
				if args[i] != nil && step.Args[i].Value != want {
					return nil
				}
			}
			next[g.model.Key(step.State)] = step.State.Clone()
			return nil
		}); err != nil {
			g.Fatal(err)
		}
	}
	a, b := g.sys.Actions[0], g.sys.Actions[1]
	switch g.rng.Intn(5) {
	case 0:
		take(a, nil, nil)
		return system.ScenarioComponent{Calls: []system.ActionCall{{Action: a}}}, next
	case 1: // with some arguments
		var args []*logic.Term
		var values []int64
		for _, v := range a.Params {
			values = append(values, g.value(v.Sort))
			args = append(args, g.literal(v.Sort, values[len(values)-1]))
			if g.rng.Intn(3) == 0 {
				args[len(args)-1] = nil
			}
		}
		take(a, args, values)
		return system.ScenarioComponent{Calls: []system.ActionCall{{Action: a, Args: args}}}, next
	case 2: // any transition, or none
		next[g.model.Key(s)] = s
		take(a, nil, nil)
		take(b, nil, nil)
		return system.ScenarioComponent{Any: true}, next
	case 3:
		take(b, nil, nil)
		return system.ScenarioComponent{Calls: []system.ActionCall{{Action: b}, {Action: b}}}, next
	}
	take(a, nil, nil)
	take(b, nil, nil)
	return vc.AnyStep(g.sys), next
}

// What a theory says of single states and steps is what the interpreter says: which states are
// initial, and which state is a successor of which by one action, with arguments, or by any of
// several, in both renderings. Most states that are asked about differ from a successor in one value.
func TestTheoryIsTheStep(t *testing.T) {
	drivers := testkit.Solvers(t, "z3")
	seen := map[string]int{}
	for seed := range testkit.Size(25, 300) {
		t.Run(fmt.Sprint("seed ", seed), func(t *testing.T) {
			g := newGround(t, seed, drivers[0])
			initial := map[string]interp.State{}
			if err := g.model.Initial(t.Context(), func(s interp.State) error {
				if initial[g.model.Key(s)] = s.Clone(); len(initial) == 200 {
					return interp.ErrStop
				}
				return nil
			}); err != nil {
				t.Fatal(err)
			}
			for _, key := range sample(initial, 2) {
				s := initial[key]
				for _, first := range []interp.State{s, g.change(s)} {
					want := initial[g.model.Key(first)] != nil
					if len(initial) == 200 && !want {
						continue
					}
					theory := g.theory(vc.InitialState(g.sys))
					theory.Assume(g.is(first))
					if got := g.possible(theory, vc.Macro); got != want {
						t.Fatalf("%v is initial: %v\n%s", first, got, g.sys)
					}
					seen[fmt.Sprint("initial ", want)]++
				}
				for range 3 {
					g.step(g.change(s), seen)
				}
			}
		})
	}
	t.Log(seen)
	for _, what := range []string{"initial true", "initial false", "step true", "step false"} {
		if seen[what] < 20 {
			t.Errorf("only %d times: %s", seen[what], what)
		}
	}
}

// sample gives some keys, always the same.
func sample[T any](m map[string]T, n int) []string {
	var keys []string
	for k := range m {
		keys = append(keys, k)
	}
	slices.Sort(keys)
	return keys[:min(n, len(keys))]
}

// step asks about the steps from a state.
func (g *ground) step(s interp.State, seen map[string]int) {
	g.Helper()
	part, next := g.part(s)
	theory := &vc.Theory{}
	now := vc.Versions{}
	then, _ := theory.TakeOne(g.sys, part, now, 1)
	theory.Background(g.sys, g.sys.Trusted(), now, then)
	theory.AssumeAs("ranges", vc.Ranges(g.sys)...)
	theory = g.theory(theory)
	theory.Assume(g.is(s))
	candidates := []interp.State{s, g.change(s)}
	for _, key := range sample(next, 3) {
		candidates = append(candidates, next[key], g.change(next[key]))
	}
	for _, c := range candidates {
		want := next[g.model.Key(c)] != nil && g.trusts(s) && g.trusts(c)
		question := theory.Clone()
		question.AssumeAs("the state after", logic.Conjuncts(vc.In(g.is(c), then))...)
		r := []vc.Rendering{vc.Macro, vc.Relational}[g.rng.Intn(2)]
		if got := g.possible(question, r); got != want {
			g.Fatalf("a step from %v to %v by %v: %v\n%s", g.model.Bindings(s, true),
				g.model.Bindings(c, true), part, got, g.sys)
		}
		seen[fmt.Sprint("step ", want)]++
	}
}
