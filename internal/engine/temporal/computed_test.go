package temporal

import (
	"context"
	"math/rand/v2"
	"strings"
	"testing"

	"erelong.dev/erelong/internal/engine"
	"erelong.dev/erelong/internal/engine/explore"
	"erelong.dev/erelong/internal/interp"
	"erelong.dev/erelong/internal/logic"
	"erelong.dev/erelong/internal/result"
	"erelong.dev/erelong/internal/system"
	"erelong.dev/erelong/internal/system/systemtest/computed"
	"erelong.dev/erelong/internal/testkit"
)

// sameVerdicts compares the verdicts on the temporal properties of two systems. Counterexamples are
// replayed by the engine. It gives the number of violations.
func sameVerdicts(t *testing.T, seed uint64, plain, same *system.System) (violated, held int) {
	t.Helper()
	want, err := Check(t.Context(), plain, plain.Instances[0], Options{})
	if err != nil {
		t.Fatalf("seed %d: %v\n%s", seed, err, plain)
	}
	find := findGraph
	if seed%2 == 0 { // look at each part of the graph
		find = func(ctx context.Context, m *interp.Model, l limits) (*graph, error) {
			l.firstLook = 1
			return findGraph(ctx, m, l)
		}
	}
	d, err := decide(t.Context(), same, same.Instances[0], Options{}, find)
	if err != nil {
		t.Fatalf("seed %d: %v\n%s", seed, err, same)
	}
	for i, w := range want {
		g := d.Results[i]
		if plain.Computed != nil { // a system without runs may have no state there
			w.Verdict, g.Verdict = allRuns(w.Verdict), allRuns(g.Verdict)
		}
		switch {
		case w.Verdict != g.Verdict:
			t.Errorf("seed %d: %s is %s, computed %s (%s)\n%s\n%s", seed, w.Property, w.Verdict,
				g.Verdict, g.Reason.Text, plain, same)
		case g.Verdict == result.Violated:
			violated++
		case g.Verdict == result.Holds:
			held++
		}
	}
	return violated, held
}

// allRuns is the verdict on all runs where there may be none.
func allRuns(v result.Verdict) result.Verdict {
	if v == result.NothingChecked {
		return result.Holds
	}
	return v
}

// A computed system satisfies the temporal properties of the one that it was made of, under the
// fairness of its actions. Where its runs may stay in any state, it is as with one more action that
// does nothing.
func TestComputedAgrees(t *testing.T) {
	violated, held := 0, 0
	for seed := range uint64(testkit.Size(100, 500)) {
		g := &generator{Rand: rand.New(rand.NewPCG(seed, 7))}
		plain, inst := g.system(t, 2+int(seed%4))
		same, err := computed.Of(plain, inst)
		if err != nil {
			t.Fatal(err)
		}
		if seed%2 == 1 {
			same.Computed.Stutters = true
			skip := &system.Action{Name: "skip", Imperative: true}
			if err := system.RelationOf(t.Context(), plain, skip); err != nil {
				t.Fatal(err)
			}
			plain.Actions = append(plain.Actions, skip)
		}
		v, h := sameVerdicts(t, seed, plain, same)
		violated, held = violated+v, held+h
	}
	if violated < 100 || held < 100 {
		t.Errorf("only %d violations, and %d properties that hold", violated, held)
	}
}

// Formulas about steps, conditions of fairness and boundaries mean the same as formulas about
// states that know the next state.
func TestComputedSteps(t *testing.T) {
	violated, held, ofStep := 0, 0, 0
	for seed := range uint64(testkit.Size(100, 500)) {
		rng := rand.New(rand.NewPCG(seed, 8))
		g := &generator{Rand: rng}
		plain, inst := g.system(t, 2+int(seed%3))
		sys, err := computed.Of(plain, inst)
		if err != nil {
			t.Fatal(err)
		}
		c := sys.Computed
		var steps []*logic.Term
		for _, f := range c.Conditions {
			steps = append(steps, f.Taken)
		}
		if c.Stutters = rng.IntN(2) == 0; len(steps) == 0 {
			continue
		}
		c.Conditions = c.Conditions[:min(len(c.Conditions), 2)] // the formulas become too large
		for _, p := range sys.Properties {
			p.Term = logic.Map(p.Term, func(t *logic.Term) *logic.Term {
				if t.Op != logic.OpApp || rng.IntN(2) == 0 {
					return t
				}
				step := steps[rng.IntN(len(steps))]
				switch rng.IntN(4) {
				case 0:
					return logic.Not(step)
				case 1:
					return logic.Or(step, t)
				case 2:
					return logic.And(t, logic.Not(step))
				}
				return step
			})
			if sys.OfStep(p.Term) {
				ofStep++
				p.Kind = system.Temporal
			}
		}
		sys.Properties = append(sys.Properties, &system.Property{Name: "steps",
			Kind: system.Temporal, Term: ofSteps(rng, steps, sys.Properties[3].Term)})
		switch rng.IntN(6) {
		case 0:
			c.Boundary = []*system.Formula{{Term: logic.Not(steps[0])}}
		case 1:
			c.Boundary = []*system.Formula{{Term: c.Conditions[0].Enabled}}
		case 2:
			c.Conditions = c.Conditions[:len(c.Conditions)/2]
		}
		if err := system.Validate(sys); err != nil {
			t.Fatal(err)
		}
		ahead, err := computed.Ahead(t.Context(), sys)
		if err != nil {
			t.Fatal(err)
		}
		v, h := sameVerdicts(t, seed, ahead, sys)
		violated, held = violated+v, held+h
	}
	if violated < 100 || held < 100 || ofStep < 100 {
		t.Errorf("only %d violations, %d properties that hold, %d about steps", violated, held,
			ofStep)
	}
}

// ofSteps is a formula about how long some steps are taken, and which ones again and again.
func ofSteps(rng *rand.Rand, steps []*logic.Term, other *logic.Term) *logic.Term {
	some := func() *logic.Term {
		t := steps[rng.IntN(len(steps))]
		if rng.IntN(2) == 0 {
			t = logic.Not(t)
		}
		return t
	}
	always := func(t *logic.Term) *logic.Term { return logic.Temporal(logic.OpAlways, t) }
	eventually := func(t *logic.Term) *logic.Term { return logic.Temporal(logic.OpEventually, t) }
	while := logic.Temporal(logic.OpUntil, some(), logic.And(some(), always(some())))
	again := logic.Temporal(logic.OpUntil, some(), always(logic.Or(some(), eventually(some()))))
	switch rng.IntN(5) {
	case 0:
		return logic.Not(while)
	case 1:
		return logic.Not(again)
	case 2:
		return logic.Or(logic.Not(while), other)
	case 3:
		return logic.Not(logic.And(while, always(eventually(some()))))
	}
	return logic.Implies(always(eventually(some())), always(eventually(some())))
}

// A checkpoint is refused in the user's words. Runs are looked at without representatives; with a
// view, only some states are.
func TestComputedRefused(t *testing.T) {
	g := &generator{Rand: rand.New(rand.NewPCG(1, 7))}
	plain, inst := g.system(t, 3)
	sys, err := computed.Of(plain, inst)
	if err != nil {
		t.Fatal(err)
	}
	_, err = Check(t.Context(), sys, sys.Instances[0],
		Options{Checkpoint: explore.Checkpoint{Dir: t.TempDir()}})
	if err == nil || !strings.Contains(err.Error(), computed.Language) {
		t.Errorf("with a checkpoint: %v", err)
	}
	want, err := Check(t.Context(), sys, sys.Instances[0], Options{})
	if err != nil {
		t.Fatal(err)
	}
	states := sys.Computed.Computed
	sys.Computed.Computed = alike{states, true}
	got, err := Check(t.Context(), sys, sys.Instances[0], Options{})
	if err != nil {
		t.Fatal(err)
	}
	sys.Computed.Computed = alike{states, false}
	some, err := Check(t.Context(), sys, sys.Instances[0],
		Options{Limits: engine.Limits{States: 1}})
	if err != nil {
		t.Fatal(err)
	}
	for i, w := range want {
		if got[i].Verdict != w.Verdict || some[i].Verdict == result.Holds {
			t.Errorf("%s: %s, with representatives %s, with one state %s: %s", w.Property,
				w.Verdict, got[i].Verdict, some[i].Verdict, some[i].Reason.Text)
		}
	}
}

// alike is a computed system that has representatives, which do not exist: runs must not meet one.
type alike struct {
	system.Computed
	finite bool
}

func (alike) Representative([]int64) []int64   { return nil }
func (alike) Symmetric([]int) bool             { return false }
func (a alike) Whole() (system.Computed, bool) { return a.Computed, a.finite }
