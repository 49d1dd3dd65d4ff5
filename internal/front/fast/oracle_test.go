package fast

import (
	"context"
	"flag"
	"fmt"
	"maps"
	"math/rand"
	"slices"
	"strings"
	"testing"

	"erelong.dev/erelong/internal/interp"
	"erelong.dev/erelong/internal/system"
)

var systems = flag.Int("fast.systems", 150, "how many counter systems are generated")

// formula is a generated formula or term, with what it means.
type formula struct {
	text  string
	truth func(x []int) bool
}

type term struct {
	text  string
	value func(x []int) int
}

var names = []string{"x", "y", "z"}

func generateTerm(rng *rand.Rand) term {
	i, n := rng.Intn(3), rng.Intn(4)
	switch rng.Intn(5) {
	case 0:
		return term{fmt.Sprint(n), func([]int) int { return n }}
	case 1:
		return term{names[i], func(x []int) int { return x[i] }}
	case 2:
		return term{fmt.Sprintf("%s + %d", names[i], n), func(x []int) int { return x[i] + n }}
	case 3:
		return term{fmt.Sprintf("%s - %d", names[i], n), func(x []int) int { return x[i] - n }}
	}
	j := rng.Intn(3)
	return term{fmt.Sprintf("2*%s - %s", names[i], names[j]),
		func(x []int) int { return 2*x[i] - x[j] }}
}

func generateFormula(rng *rand.Rand, depth int) formula {
	if depth == 0 {
		a, b := generateTerm(rng), generateTerm(rng)
		op := []string{"=", "!=", "<", "<=", ">", ">="}[rng.Intn(6)]
		return formula{a.text + " " + op + " " + b.text, func(x []int) bool {
			v, w := a.value(x), b.value(x)
			return map[string]bool{"=": v == w, "!=": v != w, "<": v < w, "<=": v <= w,
				">": v > w, ">=": v >= w}[op]
		}}
	}
	a, b := generateFormula(rng, depth-1), generateFormula(rng, depth-1)
	switch rng.Intn(3) {
	case 0:
		return formula{"!(" + a.text + ")", func(x []int) bool { return !a.truth(x) }}
	case 1:
		return formula{"(" + a.text + ") && " + b.text,
			func(x []int) bool { return a.truth(x) && b.truth(x) }}
	}
	return formula{"(" + a.text + " || " + b.text + ")",
		func(x []int) bool { return a.truth(x) || b.truth(x) }}
}

// step is a generated transition.
type step struct {
	from, to int
	guard    formula
	value    [3]*term // nil where a variable keeps its value
}

// largest bounds the variables of generated systems, by their guards.
const largest = 5

// TestOracle compares the reachable states of generated counter systems, and the outcome of a test,
// with a search that knows neither the parser nor the language of specifications.
func TestOracle(t *testing.T) {
	reached, violated := 0, 0
	for seed := range int64(*systems) {
		rng := rand.New(rand.NewSource(seed))
		var steps []step
		var b strings.Builder
		b.WriteString("model m {\n var x, y, z;\n states a, b, c;\n")
		for i := range 6 + rng.Intn(6) {
			s := step{from: rng.Intn(3), to: rng.Intn(3), guard: generateFormula(rng, rng.Intn(2))}
			var sets []string
			for v := range names {
				if rng.Intn(2) == 0 {
					e := generateTerm(rng)
					s.value[v] = &e
					sets = append(sets, names[v]+"' = "+e.text)
				}
			}
			steps = append(steps, s)
			fmt.Fprintf(&b, " transition t%d := { from := %c; to := %c; guard := %s && x <= %d && y <= %d && z <= %d; action := %s; };\n",
				i, 'a'+s.from, 'a'+s.to, s.guard.text, largest, largest, largest,
				strings.Join(sets, ", "))
		}
		good := generateFormula(rng, 1)
		b.WriteString("}\nstrategy s {\n Region init := {state = a && x = 1 && y = 0 && z = 2};\n Transitions t := {t0")
		for i := range steps[1:] {
			fmt.Fprintf(&b, ", t%d", i+1)
		}
		fmt.Fprintf(&b, "};\n boolean kept := subSet(post*(init, t), {%s});\n}\n", good.text)

		want, kept := search(steps, good)
		got, holds := explored(t, b.String())
		if !slices.Equal(got, want) || holds != kept {
			t.Fatalf("seed %d: %v, %v, want %v, %v\n%s", seed, got, holds, want, kept, b.String())
		}
		reached += len(want)
		if !kept {
			violated++
		}
	}
	if violated == 0 || violated == *systems || reached < 5**systems {
		t.Errorf("%d systems with %d states, %d violated", *systems, reached, violated)
	}
}

// search gives the reachable states, and whether a formula is true in all of them.
func search(steps []step, good formula) (states []string, kept bool) {
	type state struct {
		at int
		x  [3]int
	}
	start := state{0, [3]int{1, 0, 2}}
	known := map[state]bool{start: true}
	todo := []state{start}
	kept = true
	for len(todo) > 0 {
		s := todo[0]
		todo = todo[1:]
		kept = kept && good.truth(s.x[:])
		for _, st := range steps {
			if st.from != s.at || !st.guard.truth(s.x[:]) || max(s.x[0], s.x[1], s.x[2]) > largest {
				continue
			}
			n := state{st.to, s.x}
			for v, e := range st.value {
				if e != nil {
					n.x[v] = e.value(s.x[:])
				}
			}
			if min(n.x[0], n.x[1], n.x[2]) >= 0 && !known[n] {
				known[n] = true
				todo = append(todo, n)
			}
		}
	}
	for s := range known {
		states = append(states, fmt.Sprintf("%c%v", 'a'+s.at, s.x))
	}
	slices.Sort(states)
	return states, kept
}

// explored gives the same of what is read of a text.
func explored(t *testing.T, text string) (states []string, kept bool) {
	t.Helper()
	f, list, err := Read(t.Context(), "generated.fst", text)
	if err != nil {
		t.Fatalf("%v\n%s", list, text)
	}
	sys := f.Systems[0].Spec.System
	m, err := interp.NewModel(sys, &system.Instance{Name: "only"})
	if err != nil {
		t.Fatal(err)
	}
	known := map[string]bool{}
	var todo []interp.State
	kept = true
	see := func(s interp.State) error {
		var x [3]string
		at := ""
		for _, b := range m.Bindings(s, true) {
			if i := slices.Index(names, b.Name); i >= 0 {
				x[i] = b.Value.String()
			} else if b.Name == location {
				at = b.Value.String()
			}
		}
		if k := fmt.Sprintf("%s%v", at, x); !known[k] {
			known[k] = true
			todo = append(todo, slices.Clone(s))
			is, err := m.Holds(sys.Property("kept").Term, s)
			kept = kept && is
			return err
		}
		return nil
	}
	if err := m.Initial(context.Background(), see); err != nil {
		t.Fatal(err)
	}
	for len(todo) > 0 {
		s := todo[0]
		todo = todo[1:]
		for _, a := range sys.Actions {
			if err := m.Steps(t.Context(), s, a,
				func(x interp.Step) error { return see(x.State) }); err != nil {
				t.Fatal(err)
			}
		}
	}
	return slices.Sorted(maps.Keys(known)), kept
}
