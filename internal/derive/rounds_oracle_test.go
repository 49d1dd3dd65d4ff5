package derive_test

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"math/rand"
	"slices"
	"strconv"
	"strings"
	"testing"

	"erelong.dev/erelong/internal/derive"
	"erelong.dev/erelong/internal/derive/roundstest"
	"erelong.dev/erelong/internal/interp"
	"erelong.dev/erelong/internal/result"
	"erelong.dev/erelong/internal/system"
	"erelong.dev/erelong/internal/testkit"
)

var roundsCount = flag.Int("rounds.count", 0, "how many protocols are generated; 0 for the usual number")

// roundsStates limits the states between steps of a generated protocol.
const roundsStates = 120

// TestRounds compares the systems of generated protocols with their rounds as stated: the states
// between steps are the same, and so are the steps between these states.
func TestRounds(t *testing.T) {
	count := int(testkit.Size(12, 1000))
	if *roundsCount > 0 {
		count = *roundsCount
	}
	compared, states := 0, 0
	for seed := range int64(count) {
		p, in := roundstest.Generate(rand.New(rand.NewSource(seed)))
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
	}
	t.Logf("%d protocols with %d states between steps", compared, states)
	if compared < count/3 {
		t.Errorf("only %d of %d protocols were compared", compared, count)
	}
}

// Each fault that is planted in the oracle is noticed.
func TestRoundsFaults(t *testing.T) {
	noticed := map[roundstest.Fault]bool{}
	for seed := int64(0); seed < 400 && len(noticed) < len(roundstest.Faults()); seed++ {
		p, in := roundstest.Generate(rand.New(rand.NewSource(seed)))
		right, small := (&roundstest.Model{Protocol: p, Parameters: in}).Graph(roundsStates)
		if !small {
			continue
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
	for _, f := range roundstest.Faults() {
		if !noticed[f] {
			t.Errorf("nobody notices fault %d", f)
		}
	}
}

// difference names a state or a step that only one of two graphs has.
func difference(got, want *roundstest.Graph) string {
	only := func(a, b *roundstest.Graph, what string) string {
		for _, s := range a.States {
			if !slices.Contains(b.States, s) {
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
	r := &reader{p: p, in: in, m: m, sys: sys}
	seen := make([]string, len(states)) // empty within a step
	for i, s := range states {
		if seen[i], err = r.see(s); err != nil {
			return nil, err
		}
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

// reader reads states of the derived system as the oracle writes them.
type reader struct {
	p   *roundstest.Protocol
	in  roundstest.Parameters
	m   *interp.Model
	sys *system.System
}

// see is what roundstest sees of a state; empty within a step.
func (r *reader) see(s interp.State) (string, error) {
	values := map[string]result.Value{}
	for _, b := range r.m.Bindings(s, true) {
		values[b.Name] = b.Value
	}
	if len(values["stepping"].Rows) > 0 {
		return "", nil
	}
	number := func(v result.Value) int {
		text := strings.TrimPrefix(v.Text, "process")
		n, err := strconv.Atoi(text)
		if err != nil {
			panic(err)
		}
		return n
	}
	at := func(name string, args ...int) int {
		for _, row := range values[name].Rows {
			same := true
			for i, a := range args {
				same = same && number(row.Key[i]) == a
			}
			if same {
				return number(row.Result)
			}
		}
		panic("no " + name)
	}
	truths := func(name string) []bool {
		out := make([]bool, r.in.N)
		for _, row := range values[name].Rows {
			out[number(row.Key[0])] = true
		}
		return out
	}
	var vars [][]int
	for i := range r.in.N {
		var row []int
		for _, v := range r.p.Vars {
			if !v.Peer {
				row = append(row, at(v.Name, i))
				continue
			}
			for j := range r.in.N {
				row = append(row, at(v.Name, i, j))
			}
		}
		vars = append(vars, row)
	}
	var b strings.Builder
	fmt.Fprint(&b, "vars=", vars, " crashed=", truths("crashed"))
	if r.p.Timing != roundstest.Asynchrony {
		fmt.Fprint(&b, " acted=", truths("acted"))
	}
	timed := r.p.Timing == roundstest.PartialSynchrony
	if timed {
		// Without a stabilisation time, nothing depends on the clock.
		clock := r.in.Delta
		if r.p.HasGst {
			clock = number(values["clock"])
		}
		fmt.Fprint(&b, " clock=", clock, " waited=[")
		for i := range r.in.N {
			fmt.Fprint(&b, at("waited", i), " ")
		}
		b.WriteString("]")
	}
	var in []string
	for kind, m := range r.p.Messages {
		name := m.Name
		if timed {
			name += "_of_age"
		}
		for _, row := range values[name].Rows {
			var parts []int
			for _, x := range row.Key {
				parts = append(parts, number(x))
			}
			age, args := 0, parts[2:]
			if timed {
				age, args = parts[len(parts)-1], parts[2:len(parts)-1]
			}
			in = append(in, roundstest.Letter(kind, parts[0], parts[1], args, age))
		}
	}
	slices.Sort(in)
	fmt.Fprint(&b, " transit=", in)
	return b.String(), nil
}
