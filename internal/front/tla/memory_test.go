package tla

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"erelong.dev/erelong/internal/front/tla/tlatest"
	"erelong.dev/erelong/internal/system"
	"erelong.dev/erelong/internal/testkit"
)

// TestMemory compares the steps of each state of generated models, and the truth of formulas in it,
// as a computer that remembers what it computed gives them with the ones of a plain computer.
func TestMemory(t *testing.T) {
	for name, generated := range map[string]func(seed uint64) tlatest.Model{
		"Generated": tlatest.Generated, "Sent": tlatest.Sent,
	} {
		states, steps, failed, told := 0, 0, 0, 0
		truths, ofSteps, settled := [2]int{}, [2]int{}, [2]int{}
		for seed := range uint64(testkit.Size(150, 2300)) {
			c := &compared{model: generated(seed)}
			c.compare(t, seed)
			states, steps, failed = states+c.states, steps+c.steps, failed+c.failed
			told += c.told
			for i := range truths {
				truths[i], ofSteps[i] = truths[i]+c.truths[i], ofSteps[i]+c.ofSteps[i]
				settled[i] += c.settled[i]
			}
		}
		if name == "Generated" && told < 1000 {
			t.Errorf("only %d formulas that steps tell", told)
		}
		t.Logf("%s: the variables that change tell of %d formulas", name, settled)
		if name == "Generated" && min(settled[0], settled[1]) < 200 {
			t.Errorf("the variables that change tell only of %d formulas", settled)
		}
		if min(ofSteps[0], ofSteps[1]) < 500 {
			t.Errorf("%s: formulas of steps only false and true %d", name, ofSteps)
		}
		if states < 2000 || steps < 3000 || failed > states/2 || min(truths[0], truths[1]) < 500 {
			t.Errorf("%s: only %d states, %d steps, %d errors, formulas false and true %d", name,
				states, steps, failed, truths)
		}
	}
}

// compared is a model whose steps two computers give.
type compared struct {
	model                 tlatest.Model
	states, steps, failed int
	truths, ofSteps       [2]int // of formulas of states, and of steps: false, and true
	told                  int    // the formulas that steps tell
	settled               [2]int // formulas that the variables that a step changes tell
}

// compareGenerated compares models that are made of random choices, and looks at enough formulas
// that are false and true; of gives the ones that count. A stream has its own choices for a seed.
func compareGenerated(
	t *testing.T, models int64, stream uint64, least int, of func(*compared) [2]int,
	model func(r *rand.Rand, seed uint64, one func(of ...string) string) tlatest.Model,
) {
	t.Helper()
	truths := [2]int{}
	for seed := range uint64(models) {
		r := rand.New(rand.NewPCG(seed, stream))
		one := func(of ...string) string { return of[r.IntN(len(of))] }
		c := &compared{model: model(r, seed, one)}
		c.compare(t, seed)
		for i, n := range of(c) {
			truths[i] += n
		}
	}
	t.Logf("formulas: %d false, %d true", truths[0], truths[1])
	if min(truths[0], truths[1]) < least {
		t.Errorf("only %d formulas were false and true", truths)
	}
}

func ofStates(c *compared) [2]int { return c.truths }
func ofSteps(c *compared) [2]int  { return c.ofSteps }

// mostCompared bounds the states of a model.
const mostCompared = 400

func (m *compared) compare(t *testing.T, seed uint64) {
	t.Helper()
	spec, err := read(t, "-- S.tla --\n"+m.model.Module+"-- S.cfg --\n"+m.model.Config+
		"-- T.tla --\n"+m.model.Inner)
	if err != nil {
		t.Fatalf("%d: %v\n%s", seed, err, m.model.Module)
	}
	if strings.Contains(m.model.Config, "VIEW") { // the plain computer has none
		return
	}
	c := spec.System.Computed
	quick, plain := c.Computer(t.Context()), c.Plain()
	seen := map[string]bool{}
	var queue, looked [][]int64
	var said [][]string // the steps of the states that were looked at, in their order
	_ = plain.Initial(t.Context(), func(s []int64) error {
		queue = append(queue, slices.Clone(s))
		return nil
	})
	for ; len(queue) > 0 && m.states < mostCompared; queue = queue[1:] {
		state := queue[0]
		if seen[fmt.Sprint(state)] {
			continue
		}
		seen[fmt.Sprint(state)] = true
		m.states++
		m.judge(t, seed, spec.System, quick, plain, state)
		want, next, err := stepsOf(t, plain, state)
		got, _, failed := stepsOf(t, quick, state)
		if m.steps += len(want); err != nil {
			m.failed++
		}
		looked, said = append(looked, state), append(said, slices.Clone(got))
		slices.Sort(got)
		slices.Sort(want)
		if fmt.Sprint(err) != fmt.Sprint(failed) || err == nil && !slices.Equal(got, want) {
			t.Fatalf("%d: %v %v, not %v %v\n%s", seed, got, failed, want, err, m.model.Module)
		}
		if err == nil {
			m.moves(t, seed, spec.System, plain, state, next)
			m.judgeSteps(t, seed, spec.System, quick, plain, state, next)
		}
		queue = append(queue, next...)
	}
	// The order of the steps does not depend on the states that were looked at before.
	other := c.Computer(t.Context())
	for i, state := range slices.Backward(looked) {
		if again, _, err := stepsOf(t, other, state); err == nil && !slices.Equal(again, said[i]) {
			t.Fatalf("%d: the steps are %v, and before %v\n%s", seed, again, said[i],
				m.model.Module)
		}
	}
}

// judge compares the truth of the formulas that are about states.
func (m *compared) judge(
	t *testing.T, seed uint64, sys *system.System, quick, plain system.Computer, state []int64,
) {
	t.Helper()
	for _, d := range sys.Derived {
		p := d.Predicate
		if p == nil || p.OfStep {
			continue
		}
		want, err := plain.Holds(p.Number, state, nil)
		got, failed := quick.Holds(p.Number, state, nil)
		if got != want || (err == nil) != (failed == nil) {
			t.Fatalf("%d: formula %d is %v %v, not %v %v in %v\n%s", seed, p.Number, got, failed,
				want, err, state, m.model.Module)
		}
		if err == nil && want {
			m.truths[1]++
		} else if err == nil {
			m.truths[0]++
		}
	}
}

// judgeSteps compares the truth of the formulas that are about steps. Where the plain one has an
// error, the quick one may be false before it comes to that: see docs/tla.md.
func (m *compared) judgeSteps(
	t *testing.T, seed uint64, sys *system.System, quick, plain system.Computer, state []int64,
	next [][]int64,
) {
	t.Helper()
	for _, d := range sys.Derived {
		p := d.Predicate
		if p == nil || !p.OfStep {
			continue
		}
		for _, to := range next {
			want, err := plain.Holds(p.Number, state, to)
			got, failed := quick.Holds(p.Number, state, to)
			if err != nil {
				continue
			}
			if got != want || failed != nil {
				t.Fatalf("%d: formula %d of a step is %v %v, not %v\n%s", seed, p.Number, got,
					failed, want, m.model.Module)
			}
			m.settle(t, seed, sys, p.Number, state, to, want)
			if want {
				m.ofSteps[1]++
			} else {
				m.ofSteps[0]++
			}
		}
	}
}

// settle compares what the variables that a step changes tell about a formula.
func (m *compared) settle(
	t *testing.T, seed uint64, sys *system.System, predicate int, state, to []int64, want bool,
) {
	t.Helper()
	moves := make([]bool, len(state))
	for i := range state {
		moves[i] = state[i] != to[i]
	}
	got, known := sys.Computed.Computed.(system.Settling).Settled(predicate, moves)
	switch {
	case !known:
		return
	case got != want:
		t.Fatalf("%d: formula %d of the steps that change %v is %v, not %v\n%s", seed, predicate,
			moves, got, want, m.model.Module)
	case want:
		m.settled[1]++
	default:
		m.settled[0]++
	}
}

// moves compares the formulas that the steps are said to tell with what they tell.
func (m *compared) moves(
	t *testing.T, seed uint64, sys *system.System, plain system.Computer, state []int64,
	next [][]int64,
) {
	t.Helper()
	changes := func(to []int64) bool { return !slices.Equal(to, state) }
	for _, d := range sys.Derived {
		p := d.Predicate
		if p == nil || !p.Moves {
			continue
		}
		if m.told++; !p.OfStep {
			got, err := plain.Holds(p.Number, state, nil)
			if want := slices.ContainsFunc(next, changes); got != want || err != nil {
				t.Fatalf("%d: a step is possible: %v %v, not %v\n%s", seed, got, err, want,
					m.model.Module)
			}
			continue
		}
		for _, to := range append(next, state) {
			if got, err := plain.Holds(p.Number, state, to); got != changes(to) || err != nil {
				t.Fatalf("%d: a step is taken: %v %v\n%s", seed, got, err, m.model.Module)
			}
		}
	}
}

// stepsOf are the steps from a state, as texts in their order, and the states that they lead to.
func stepsOf(
	t *testing.T, c system.Computer, state []int64,
) (out []string, next [][]int64, err error) {
	t.Helper()
	err = c.Steps(t.Context(), state, func(action int, args, to []int64) error {
		out = append(out, fmt.Sprint(action, args, to))
		next = append(next, slices.Clone(to))
		return nil
	})
	return out, next, err
}
