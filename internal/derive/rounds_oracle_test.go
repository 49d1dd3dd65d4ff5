package derive_test

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"math/rand"
	"slices"
	"strings"
	"testing"

	"erelong.dev/erelong/internal/derive"
	"erelong.dev/erelong/internal/derive/roundstest"
	"erelong.dev/erelong/internal/interp"
	"erelong.dev/erelong/internal/system"
	"erelong.dev/erelong/internal/testkit"
)

var roundsCount = flag.Int("rounds.count", 0, "how many protocols are generated; 0 for the usual number")

// roundsStates limits the states between steps of a generated protocol.
const roundsStates = 200

// generator makes protocols and instances.
type generator func(*rand.Rand) (*roundstest.Protocol, roundstest.Parameters)

// TestRounds compares the systems of generated protocols with their rounds as stated: the states
// between steps are the same, and so are the steps between these states.
func TestRounds(t *testing.T) { sameRounds(t, roundstest.Generate, testkit.Size(12, 150), 3) }

// TestForges does the same where processes lie, often under conditions.
func TestForges(t *testing.T) { sameRounds(t, roundstest.GenerateLiars, testkit.Size(24, 200), 8) }

// TestRoles does the same for protocols of two roles.
func TestRoles(t *testing.T) { sameRounds(t, roundstest.GenerateRoles, testkit.Size(48, 300), 4) }

// sameRounds compares generated protocols, and at least one of some of them.
func sameRounds(
	t *testing.T, generate generator,
	usual int64, oneOf int,
) {
	count := int(usual)
	if *roundsCount > 0 {
		count = *roundsCount
	}
	compared, states := 0, 0
	kinds := map[string]int{}
	for seed := range int64(count) {
		p, in := generate(rand.New(rand.NewSource(seed)))
		want, small := (&roundstest.Model{Protocol: p, Parameters: in}).Graph(roundsStates)
		if !small {
			continue
		}
		got, err := systemGraph(t, p, in)
		if errors.Is(err, errLarge) {
			continue
		}
		if err != nil {
			t.Fatalf("seed %d: %v\n%s", seed, err, p.Text(in))
		}
		if d := difference(got, want); d != "" {
			t.Fatalf("seed %d: %s\n%s", seed, d, p.Text(in))
		}
		compared++
		states += len(want.States)
		kinds[strings.Join(p.Faults, " and ")]++
		for _, f := range p.Forges {
			if f != nil {
				kinds["forge "+f.Kind]++
			}
		}
		for what, is := range map[string]bool{"lossy": p.Lossy, "duplicating": p.Duplicating,
			"two copies": p.Copies == 2, "drift": p.Drift,
			"fifo": p.Fifo, "lossy and duplicating": p.Lossy && p.Duplicating} {
			if is {
				kinds[what]++
			}
		}
	}
	t.Logf("%d protocols with %d states between steps: %v", compared, states, kinds)
	if compared < count/oneOf {
		t.Errorf("only %d of %d protocols were compared", compared, count)
	}
}

// Each fault that is planted in the oracle is noticed.
func TestRoundsFaults(t *testing.T) {
	testkit.InCI(t)
	noticed := map[roundstest.Fault]bool{}
	look := func(p *roundstest.Protocol, in roundstest.Parameters, seed int64) {
		right, small := (&roundstest.Model{Protocol: p, Parameters: in}).Graph(roundsStates)
		if !small {
			return
		}
		for _, f := range roundstest.Faults() {
			if noticed[f] {
				continue
			}
			m := &roundstest.Model{Protocol: p, Parameters: in, Fault: f}
			if g, small := m.Graph(2 * roundsStates); !small || difference(g, right) != "" {
				noticed[f] = true
				t.Logf("seed %d: fault %d", seed, f)
			}
		}
	}
	seeds := []int64{4, 8, 13, 21, 22, 26, 33, 36, 40, 56, 68} // that notice some first
	for seed := range int64(400) {
		seeds = append(seeds, seed)
	}
	for _, seed := range seeds {
		if len(noticed) == len(roundstest.Faults()) {
			break
		}
		for _, generate := range []generator{
			roundstest.Generate, roundstest.GenerateLiars, roundstest.GenerateRoles} {
			p, in := generate(rand.New(rand.NewSource(seed)))
			look(p, in, seed)
		}
	}
	for _, f := range roundstest.Faults() {
		if !noticed[f] {
			t.Errorf("nobody notices fault %d", f)
		}
	}
}

// difference names a state or a step that only one of two graphs has.
func difference(got, want *roundstest.Graph) string {
	only := func(a, b *roundstest.Graph, what string) string {
		known := map[string]bool{}
		for _, s := range b.States {
			known[s] = true
		}
		for _, s := range a.States {
			if !known[s] {
				return what + " has the state " + s
			}
		}
		for e := range a.Edges {
			if !b.Edges[e] {
				return what + " has a step\n  " + e[0] + "\n  " + e[1]
			}
		}
		return ""
	}
	if d := only(got, want, "only the system"); d != "" {
		return d
	}
	return only(want, got, "only the oracle")
}

// systemGraph is the graph of the derived system between steps.
func systemGraph(
	t *testing.T, p *roundstest.Protocol, in roundstest.Parameters,
) (*roundstest.Graph, error) {
	ds, _, err := derive.Read(t.Context(), "generated.ere", p.Text(in), derive.Options{})
	if err != nil {
		return nil, err
	}
	sys := ds[0].Spec.System
	m, states, next, err := steps(t.Context(), 8*roundsStates, sys)
	if err != nil {
		return nil, err
	}
	if p.Timing != roundstest.Asynchrony {
		if err := roundsEnd(t.Context(), m, states); err != nil {
			return nil, err
		}
	}
	r := &reader{p: p, in: in, m: m, sys: sys}
	seen := make([]string, len(states)) // empty within a step
	for i, s := range states {
		seen[i] = r.see(s)
	}
	out := &roundstest.Graph{Edges: map[[2]string]bool{}}
	known := map[string]bool{}
	for i := range states {
		if seen[i] == "" {
			continue
		}
		if !known[seen[i]] {
			known[seen[i]] = true
			out.States = append(out.States, seen[i])
		}
		// Through the states within a step, to its end.
		visited := map[int32]bool{}
		queue := slices.Clone(next[i])
		for len(queue) > 0 {
			n := queue[0]
			queue = queue[1:]
			switch {
			case seen[n] != "":
				out.Edges[[2]string{seen[i], seen[n]}] = true
			case !visited[n]:
				visited[n] = true
				queue = append(queue, next[n]...)
			}
		}
	}
	return out, nil
}

// roundsEnd is an error if steps repeat for ever within a round.
func roundsEnd(ctx context.Context, m *interp.Model, states []interp.State) error {
	number := map[string]int{}
	for i, s := range states {
		number[m.Key(s)] = i
	}
	within := make([][]int, len(states))
	for i, s := range states {
		if err := m.EachStep(ctx, s, func(step interp.Step) error {
			if step.Action.Name != "end_round" {
				within[i] = append(within[i], number[m.Key(step.State)])
			}
			return nil
		}); err != nil {
			return err
		}
	}
	const open, done = 1, 2
	seen := make([]int, len(states))
	var visit func(i int) error
	visit = func(i int) error {
		seen[i] = open
		for _, j := range within[i] {
			if seen[j] == open {
				return fmt.Errorf("a round has no end: %v", m.Bindings(states[i], true))
			}
			if seen[j] == 0 {
				if err := visit(j); err != nil {
					return err
				}
			}
		}
		seen[i] = done
		return nil
	}
	for i := range states {
		if seen[i] == 0 {
			if err := visit(i); err != nil {
				return err
			}
		}
	}
	return nil
}

// steps visits all states of the instance with the interpreter, unless there are more than most.
func steps(
	ctx context.Context, most int, sys *system.System,
) (m *interp.Model, states []interp.State, next [][]int32, err error) {
	if m, err = interp.NewModel(sys, sys.Instance("small")); err != nil {
		return
	}
	number := map[string]int32{}
	add := func(s interp.State) (int32, error) {
		key := m.Key(s)
		n, known := number[key]
		if !known {
			n = int32(len(states))
			number[key] = n
			states = append(states, slices.Clone(s))
		}
		if len(states) > most {
			return 0, errLarge
		}
		return n, nil
	}
	err = m.Initial(ctx, func(s interp.State) error {
		_, err := add(s)
		return err
	})
	if err == nil && len(states) != 1 {
		err = fmt.Errorf("%d initial states", len(states))
	}
	for i := 0; i < len(states) && err == nil; i++ {
		var to []int32
		err = m.EachStep(ctx, states[i], func(step interp.Step) error {
			n, err := add(step.State)
			to = append(to, n)
			return err
		})
		next = append(next, to)
	}
	return
}

// Without time there are at least the states that there are in rounds, as far as processes go, and
// what is in transit in rounds was sent.
func TestUntimed(t *testing.T) {
	withoutTime(t, roundstest.Generate, testkit.Size(8, 75))
	withoutTime(t, roundstest.GenerateLiars, testkit.Size(8, 75))
	withoutTime(t, roundstest.GenerateRoles, testkit.Size(8, 75))
}

func withoutTime(t *testing.T, generate generator, count int64) {
	compared, more := 0, 0
	for seed := range count {
		p, in := generate(rand.New(rand.NewSource(int64(seed))))
		known := map[string][]string{} // what was sent, in the states that look alike otherwise
		look := func(o derive.Options, see func(at string, sent []string)) error {
			ds, _, err := derive.Read(t.Context(), "generated.ere", p.Text(in), o)
			if err != nil {
				return err
			}
			sys := ds[0].Spec.System
			m, states, _, err := steps(t.Context(), 2500, sys)
			r := &reader{p: p, in: in, m: m, sys: sys, untimed: o.Untimed}
			for _, s := range states {
				if err == nil {
					see(r.processes(s))
				}
			}
			return err
		}
		err := look(derive.Options{Untimed: true}, func(at string, sent []string) {
			known[at] = append(known[at], "|"+strings.Join(sent, "|")+"|")
		})
		without := len(known)
		seen := map[string]bool{}
		if err == nil {
			err = look(derive.Options{}, func(at string, transit []string) {
				seen[at] = true
				if !slices.ContainsFunc(known[at], func(sent string) bool {
					return !slices.ContainsFunc(transit, func(x string) bool {
						return !strings.Contains(sent, "|"+x+"|")
					})
				}) {
					t.Fatalf("seed %d: not without time: %s %v\n%s", seed, at, transit, p.Text(in))
				}
			})
		}
		if errors.Is(err, errLarge) {
			continue
		} else if err != nil {
			t.Fatalf("seed %d: %v\n%s", seed, err, p.Text(in))
		}
		compared++
		if without > len(seen) {
			more++
		}
	}
	t.Logf("%d protocols, %d of them with more states without time", compared, more)
	if compared < int(count)/4 || more == 0 {
		t.Errorf("%d protocols were compared, and %d have more states without time", compared, more)
	}
}
