package vc_test

import (
	"fmt"
	"maps"
	"math/rand"
	"slices"
	"strings"
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
	free    *interp.Model // without trusted invariants and axioms, so that steps lead anywhere
	rng     *rand.Rand
	session *smt.Session
	names   map[*logic.Sort][]*logic.Var // of elements
}

func newGround(t *testing.T, seed int64, d smt.Driver) *ground {
	g := &ground{T: t, rng: rand.New(rand.NewSource(seed)), names: map[*logic.Sort][]*logic.Var{}}
	var sys *system.System
	var err error
	for range 200 {
		if sys, err = systemtest.Generate(g.rng, systemtest.Options{Actions: 2}); err != nil {
			t.Fatal(err)
		}
		// Few systems have inputs, which each step chooses anew.
		if seed%3 > 0 || len(sys.Actions[0].Relation.Inputs) > 0 {
			break
		}
	}
	if g.sys = sys; g.rng.Intn(2) == 0 {
		sys.Properties[0].Kind = system.Trusted
	}
	if g.model, err = interp.NewModel(sys, systemtest.Unnamed(sys)); err != nil {
		t.Fatal(err)
	}
	free := *sys
	free.Axioms, free.Properties = nil, nil
	if g.free, err = interp.NewModel(&free, g.model.Instance); err != nil {
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

// is says that a state, in state Pre, is the given one, and what the properties say of it, which
// read derived symbols.
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
	for _, p := range g.sys.Properties {
		holds, err := g.model.Holds(p.Term, s)
		if err != nil {
			g.Fatal(err)
		}
		all = append(all, logic.Iff(p.Term, logic.BoolLit(holds)))
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
// solver names have none alone. The solver may have no answer, since theories have quantifiers.
func (g *ground) possible(t *vc.Theory, r vc.Rendering) smt.Status {
	g.Helper()
	script, names, err := t.Labelled(r)
	if err != nil {
		g.Fatal(err)
	}
	for label, name := range names {
		if name == "" {
			g.Fatalf("%s stands for a hypothesis without a name", label)
		}
	}
	ask := func(script *smt.Script) smt.Answer {
		a, err := g.session.Check(g.Context(), smt.Query{Base: script.Lines()})
		if err != nil {
			g.Fatal(err)
		}
		return a
	}
	a := ask(script)
	if a.Status != smt.Unsat {
		return a.Status
	}
	part, err := t.Only(func(h vc.Hypothesis) bool {
		return slices.ContainsFunc(a.Core, func(label string) bool {
			return names[label] == h.Name
		})
	}).Script(r)
	if err != nil {
		g.Fatal(err)
	}
	if again := ask(part); again.Status != smt.Unsat {
		g.Fatalf("the hypotheses that a proof needs are not enough")
	}
	return smt.Unsat
}

// expect asks whether a theory has a model, and counts the answers that are as they should be.
func (g *ground) expect(t *vc.Theory, r vc.Rendering, want bool, seen map[string]int, what string,
	about func() string) {
	g.Helper()
	switch got := g.possible(t, r); {
	case got == smt.Unknown:
		seen["unknown"]++
	case want != (got == smt.Sat):
		g.Fatalf("%s: %v\n%s", about(), got, g.sys)
	default:
		seen[fmt.Sprint(what, " ", want)]++
	}
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

// loose lists states that the initial conditions allow, but perhaps not the axioms and the trusted
// invariants.
func (g *ground) loose() (out []interp.State) {
	if err := g.free.Initial(g.Context(), func(s interp.State) error {
		if out = append(out, s.Clone()); len(out) == 100 {
			return interp.ErrStop
		}
		return nil
	}); err != nil {
		g.Fatal(err)
	}
	return out
}

// distrusted changes a state until the trusted invariants do not allow it, if that is possible.
func (g *ground) distrusted(s interp.State) interp.State {
	for range 30 {
		if !g.trusts(s) {
			break
		}
		s = g.change(s)
	}
	return s
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

// part is a step of some form, and what the interpreter says of its successors.
type part struct {
	system.ScenarioComponent
	next func(interp.State) map[string]interp.State
}

func (g *ground) part() part {
	// take adds the steps of an action, with values for some of its parameters.
	take := func(next map[string]interp.State, s interp.State, c system.ActionCall, of []int64) {
		if err := g.free.Steps(g.Context(), s, c.Action, func(step interp.Step) error {
			for i, want := range of {
				if c.Args[i] != nil && step.Args[i].Value != want {
					return nil
				}
			}
			next[g.model.Key(step.State)] = step.State.Clone()
			return nil
		}); err != nil {
			g.Fatal(err)
		}
	}
	a, b := system.ActionCall{Action: g.sys.Actions[0]}, system.ActionCall{Action: g.sys.Actions[1]}
	var values []int64
	out := part{}
	switch g.rng.Intn(5) {
	case 0:
		out.Calls = []system.ActionCall{a}
	case 1: // with some arguments
		for _, v := range a.Action.Params {
			values = append(values, g.value(v.Sort))
			a.Args = append(a.Args, g.literal(v.Sort, values[len(values)-1]))
			if g.rng.Intn(3) == 0 {
				a.Args[len(a.Args)-1] = nil
			}
		}
		out.Calls = []system.ActionCall{a}
	case 2: // any transition, or none
		out.Any = true
	case 3:
		out.Calls = []system.ActionCall{b, b}
	case 4:
		out.ScenarioComponent = vc.AnyStep(g.sys)
	}
	out.next = func(s interp.State) map[string]interp.State {
		next := map[string]interp.State{}
		calls := out.Calls
		if out.Any {
			next[g.model.Key(s)] = s
			calls = []system.ActionCall{a, b}
		}
		for _, c := range calls {
			take(next, s, c, values[:len(c.Args)])
		}
		return next
	}
	return out
}

// What a theory says of single states and steps is what the interpreter says: which states are
// initial, and which state is a successor of which by one action, with arguments, or by any of
// several, in both renderings. Most states that are asked about differ from a successor in one
// value.
func TestTheoryIsTheStep(t *testing.T) {
	drivers := testkit.Solvers(t, "z3")
	seen := map[string]int{}
	for seed := range testkit.Size(13, 60) {
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
			loose := g.loose()
			for _, key := range sample(initial, 2) {
				s := initial[key]
				candidates := []interp.State{s, g.change(s)}
				for _, l := range loose {
					if initial[g.model.Key(l)] == nil && len(candidates) < 4 {
						candidates = append(candidates, l)
					}
				}
				for _, first := range candidates {
					want := initial[g.model.Key(first)] != nil
					if len(initial) == 200 && !want {
						continue
					}
					theory := g.theory(vc.InitialState(g.sys))
					theory.Assume(g.is(first))
					g.expect(theory, vc.Macro, want, seen, "initial", func() string {
						return fmt.Sprint(first, " is initial")
					})
				}
				for range 3 {
					g.step(g.change(s), seen)
				}
				if len(g.sys.Trusted()) > 0 {
					g.step(g.distrusted(s), seen)
				}
			}
		})
	}
	t.Log(seen)
	if answered := seen["step true"] + seen["step false"]; seen["unknown"]*100 > answered {
		t.Errorf("%d answers are unknown, beside %d", seen["unknown"], answered)
	}
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

// step asks about one or two steps from a state.
func (g *ground) step(s interp.State, seen map[string]int) {
	g.Helper()
	theory := &vc.Theory{}
	now := vc.Versions{}
	states, last := []vc.Versions{now}, now
	reached := map[string]interp.State{g.model.Key(s): s}
	for range 1 + g.rng.Intn(2) {
		if keys := sample(reached, len(reached)); len(states) > 1 && len(keys) > 0 &&
			g.rng.Intn(2) == 0 { // the state in between is given
			key := keys[g.rng.Intn(len(keys))]
			reached = map[string]interp.State{key: reached[key]}
			theory.Assume(vc.In(g.is(reached[key]), last))
		}
		p := g.part()
		last, _ = theory.TakeOne(g.sys, p.ScenarioComponent, last, len(states))
		states = append(states, last)
		next := map[string]interp.State{}
		for _, from := range reached {
			if g.trusts(from) {
				maps.Copy(next, p.next(from))
			}
		}
		reached = next
	}
	theory.Background(g.sys, g.sys.Trusted(), states...)
	theory.AssumeAs("ranges", vc.Ranges(g.sys)...)
	theory = g.theory(theory)
	theory.Assume(g.is(s))
	candidates := []interp.State{s, g.change(s)}
	for _, key := range sample(reached, 3) {
		candidates = append(candidates, reached[key], g.change(reached[key]))
	}
	for _, key := range sample(reached, len(reached)) {
		if !g.trusts(reached[key]) {
			candidates = append(candidates, reached[key])
			break
		}
	}
	for _, c := range candidates {
		want := reached[g.model.Key(c)] != nil && g.trusts(c)
		question := theory.Clone()
		question.AssumeAs("the state after", logic.Conjuncts(vc.In(g.is(c), last))...)
		r := []vc.Rendering{vc.Macro, vc.Relational}[g.rng.Intn(2)]
		g.expect(question, r, want, seen, "step", func() string {
			return fmt.Sprintf("%d steps from %v to %v", len(states)-1,
				g.model.Bindings(s, true), g.model.Bindings(c, true))
		})
	}
}

// Ranges is true of the states whose values are in their declared ranges, and false of all others.
func TestRanges(t *testing.T) {
	outside := 0
	for seed := range int64(60) {
		g := newGround(t, seed, testkit.Solvers(t, "z3")[0])
		ranges := logic.And(vc.Ranges(g.sys)...)
		check := func(s interp.State, want bool) {
			if got, err := g.model.Holds(ranges, s); err != nil || got != want {
				t.Fatalf("seed %d: %s is %v in %v (%v)", seed, ranges, got, s, err)
			}
		}
		if err := g.model.Initial(t.Context(), func(s interp.State) error {
			check(s, true)
			for i, sym := range g.model.SlotSymbols() {
				if !sym.Mutable || sym.Result.Kind != logic.KindRange {
					continue
				}
				for _, v := range []int64{-1, g.sys.Instances[0].Values[sym.Result.Hi.Symbol].Int.
					Int64() + 1} {
					wrong := s.Clone()
					wrong[i] = v
					check(wrong, false)
					outside++
				}
			}
			return interp.ErrStop
		}); err != nil {
			t.Fatal(err)
		}
	}
	if outside < 50 {
		t.Errorf("only %d values outside", outside)
	}
}

// Where actions and symbols are many, each symbol has one frame condition, and one action is taken.
func TestManyFrames(t *testing.T) {
	const n = 101
	var text strings.Builder
	for i := range n {
		fmt.Fprintf(&text, "mutable relation r%d\naction a%d() { r%d := true; }\n", i, i, i)
	}
	sys := testkit.Compile(t, text.String())
	session := smt.NewSession(testkit.Solvers(t, "z3")[0], smt.Config{})
	defer session.Close()
	for _, changes := range []int{0, 1, 2} {
		theory := &vc.Theory{}
		then, _ := theory.TakeOne(sys, vc.AnyStep(sys), vc.Versions{}, 1)
		for i, sym := range sys.Symbols {
			now, later := logic.App(sym, logic.Pre), vc.In(logic.App(sym, logic.Pre), then)
			theory.Assume(logic.Not(now))
			if i < changes {
				theory.Assume(later)
			} else {
				theory.Assume(logic.Not(later))
			}
		}
		script, err := theory.Script(vc.Macro)
		if err != nil {
			t.Fatal(err)
		}
		a, err := session.Check(t.Context(), smt.Query{Base: script.Lines()})
		if want := changes == 1; err != nil || (a.Status == smt.Sat) != want {
			t.Errorf("%d of %d symbols change: %v (%v)", changes, n, a.Status, err)
		}
	}
}
