package ranking

import (
	"fmt"
	"math/rand"
	"testing"

	"erelong.dev/erelong/internal/interp"
	"erelong.dev/erelong/internal/logic"
	"erelong.dev/erelong/internal/system"
	"erelong.dev/erelong/internal/testkit"
)

// What is said of the growth of a sum of numbers of steps is true of the numbers themselves, along
// random runs.
func TestSumsAlongRuns(t *testing.T) {
	for _, fairness := range []string{"fair", "strong fair"} {
		t.Run(fairness, func(t *testing.T) {
			sys := testkit.Compile(t, fmt.Sprintf(`
				sort node
				mutable relation can(node), among(node, node)
				mutable constant it: node
				%s action act(n: node) {
					require can(n);
					can(n) := *;
				}
				action change(n: node, m: node) { can(n) := *; among(n, m) := *; it := m; }
				action rest() { require true; }
				liveness [l] true ~> !can(it)
				rank [l] {
					await (N: node) act(N) with among(N, N);
					await (N: node, M: node) act(N) with among(N, M);
					await (N: node) act(it) with among(it, N);
				}
				instance three { node = 3 }`, fairness))
			p := newProblem(sys, sys.Properties[0], sys.Rankings[0], nil)
			m, err := interp.NewModel(sys, sys.Instances[0])
			if err != nil {
				t.Fatal(err)
			}
			for _, v := range newCandidates(p, sys.Rankings[0]).named {
				seen := map[string]int{}
				for seed := range testkit.Size(20, 100) {
					sumAlong(t, p, m, v, rand.New(rand.NewSource(seed)), seen)
				}
				for _, what := range []string{"claimed -1", "claimed 0", "not claimed"} {
					if seen[what] < 5 {
						t.Errorf("%s: only %d times: %s", v, seen[what], what)
					}
				}
			}
		})
	}
}

// sumAlong takes one random run, and compares what is claimed of each step with the sums before and
// after it, where the run is long enough to tell them.
func sumAlong(
	t *testing.T, p *problem, m *interp.Model, v *variable, rng *rand.Rand, seen map[string]int,
) {
	t.Helper()
	w := v.left[0]
	const length = 60
	run := []interp.State{initialState(t, m)}
	var steps []interp.Step
	for range length {
		var all []interp.Step
		for _, a := range p.original.Actions {
			if err := m.Steps(t.Context(), run[len(run)-1], a, func(s interp.Step) error {
				s.State = s.State.Clone()
				all = append(all, s)
				return nil
			}); err != nil {
				t.Fatal(err)
			}
		}
		s := all[rng.Intn(len(all))]
		if rng.Intn(2) == 0 { // most steps are of one action
			s = all[len(all)-1]
		}
		steps, run = append(steps, s), append(run, s.State)
	}
	holds := func(f *logic.Term, states ...interp.State) bool {
		is, err := m.Holds(f, states...)
		if err != nil {
			t.Fatal(err)
		}
		return is
	}
	acts := p.original.Actions[0]
	// left is the number of steps until the action is taken or, of weak fairness, impossible;
	// strong fairness counts only steps from states in which it can be taken.
	left := func(from int, element int64, name *logic.Term) (n int, known bool) {
		can := instantiate(w.enabled, w.action.Params, []*logic.Term{name})
		for i := from; i < length; i++ {
			switch {
			case holds(can, run[i]):
				n++
			case acts.Fairness == system.Weak:
				return n, true
			}
			if s := steps[i]; s.Action == acts && s.Args[0].Value == element {
				return n, true
			}
		}
		return 0, false
	}
	elements, err := m.Literals(m.System.Sorts[0], "a test")
	if err != nil {
		t.Fatal(err)
	}
	sum := func(at int) (total int, known bool) {
		for _, values := range tuplesOf(elements, len(w.over)) {
			if !holds(instantiate(w.when, w.over, values), run[at]) {
				continue
			}
			arg := instantiate(w.args[0], w.over, values)
			for j, e := range elements {
				if holds(logic.Eq(arg, e), run[at]) {
					n, known := left(at, int64(j), e)
					if !known {
						return 0, false
					}
					total += n
				}
			}
		}
		return total, true
	}
	for i, s := range steps[:length/2] {
		before, ok := sum(i)
		after, too := sum(i + 1)
		if !ok || !too {
			continue
		}
		by := p.sys.Actions[indexOf(p.original.Actions, s.Action)]
		var args []*logic.Term
		for _, x := range s.Args[:len(by.Params)] {
			args = append(args, elements[x.Value])
		}
		what := "not claimed"
		for _, h := range []int{0, -1} {
			if holds(instantiate(v.grows(by, h), by.Params, args), run[i], run[i+1]) {
				what = fmt.Sprint("claimed ", h)
				if after > before+h {
					t.Fatalf("%s: from %d to %d in %s, and it is said to grow by at most %d", v,
						before, after, s.Action.Name, h)
				}
			}
		}
		seen[what]++
	}
}

func initialState(t *testing.T, m *interp.Model) (out interp.State) {
	t.Helper()
	if err := m.Initial(t.Context(), func(s interp.State) error {
		out = s.Clone()
		return interp.ErrStop
	}); err != nil && out == nil {
		t.Fatal(err)
	}
	return out
}

func tuplesOf(elements []*logic.Term, n int) [][]*logic.Term {
	out := [][]*logic.Term{nil}
	for range n {
		var longer [][]*logic.Term
		for _, tuple := range out {
			for _, e := range elements {
				longer = append(longer, append(tuple[:len(tuple):len(tuple)], e))
			}
		}
		out = longer
	}
	return out
}

func indexOf(actions []*system.Action, a *system.Action) int {
	for i, b := range actions {
		if a == b {
			return i
		}
	}
	return -1
}
