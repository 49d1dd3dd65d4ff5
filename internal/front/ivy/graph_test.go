package ivy

import (
	"fmt"
	"os"
	"slices"
	"strings"
	"testing"

	"erelong.dev/erelong/internal/front/ere"
	"erelong.dev/erelong/internal/interp"
	"erelong.dev/erelong/internal/result"
	"erelong.dev/erelong/internal/system"
)

// graph is the state graph of an instance: its initial states, its steps, and the properties that
// some state violates. It is the oracle of this package: the graph of a file of Ivy is that of a
// specification with the same meaning, written by hand.
type graph struct{ initial, steps, violated []string }

func graphOf(t *testing.T, sys *system.System, instance string) graph {
	t.Helper()
	ins := []*system.Instance{{Name: "only"}}
	if instance != "" {
		var err error
		if ins, err = ere.Instances(sys, instance); err != nil {
			t.Fatal(err)
		}
	}
	m, err := interp.NewModel(sys, ins[0])
	if err != nil {
		t.Fatal(err)
	}
	show := func(s interp.State) string {
		var out []string
		for _, b := range slices.Concat(m.Bindings(s, true), m.Bindings(s, false)) {
			// The first values of what an initialisation leaves open have names of their own.
			if text := binding(b); !strings.Contains(text, "_fails_") &&
				!strings.HasPrefix(text, "{first") && !strings.HasPrefix(text, "{initial_") {
				out = append(out, text)
			}
		}
		slices.Sort(out)
		return strings.Join(out, " ")
	}
	var g graph
	seen := map[string]bool{}
	var queue []interp.State
	add := func(s interp.State) {
		if k := m.Key(s); !seen[k] {
			seen[k] = true
			queue = append(queue, s)
		}
	}
	if err := m.Initial(t.Context(), func(s interp.State) error {
		s = slices.Clone(s)
		g.initial = append(g.initial, show(s))
		add(s)
		return nil
	}); err != nil {
		t.Fatal(err)
	}
	for len(queue) > 0 {
		s := queue[0]
		queue = queue[1:]
		if len(seen) > 20000 {
			t.Fatal("too many states")
		}
		for _, p := range sys.Properties {
			if !p.IsInvariant() {
				continue
			}
			if ok, err := m.Holds(p.Term, s); err != nil {
				t.Fatal(err)
			} else if !ok && !slices.Contains(g.violated, plain.Replace(p.Name)) {
				g.violated = append(g.violated, plain.Replace(p.Name))
			}
		}
		for _, a := range sys.Actions {
			if err := m.Steps(t.Context(), s, a, func(step interp.Step) error {
				next := slices.Clone(step.State)
				if !strings.Contains(a.Name, "_to_failure") {
					g.steps = append(g.steps,
						fmt.Sprintf("%s --%s--> %s", show(s), plain.Replace(a.Name), show(next)))
				}
				add(next)
				return nil
			}); err != nil {
				t.Fatal(err)
			}
		}
	}
	for _, list := range []*[]string{&g.initial, &g.steps, &g.violated} {
		slices.Sort(*list)
		*list = slices.Compact(*list)
	}
	return g
}

// plain is a name as both languages have it.
var plain = strings.NewReplacer(".", "_", ":", "_")

func binding(b result.Binding) string { return plain.Replace(fmt.Sprintf("%v", b)) }

// difference lists some of what only one of two sorted lists has.
func difference(a, b []string) string {
	only := func(a, b []string, text string) (out []string) {
		for _, x := range a {
			if _, found := slices.BinarySearch(b, x); !found && len(out) < 5 {
				out = append(out, text+x)
			}
		}
		return out
	}
	return strings.Join(append(only(a, b, "only Ivy: "), only(b, a, "only by hand: ")...), "\n")
}

func TestGraphs(t *testing.T) {
	for _, c := range pairs {
		t.Run(c.name, func(t *testing.T) {
			spec, list, err := Read(t.Context(), c.name+".ivy", c.ivy, os.ReadFile)
			if err != nil {
				t.Fatal(list)
			}
			hand, list, err := ere.Compile(c.name+".ere", c.ere)
			if err != nil {
				t.Fatal(list)
			}
			got, want := graphOf(t, spec.System, c.instance), graphOf(t, hand, c.instance)
			if len(want.initial) == 0 || len(want.steps) == 0 {
				t.Fatal("the pair shows nothing")
			}
			for _, d := range []string{difference(got.initial, want.initial),
				difference(got.steps, want.steps), difference(got.violated, want.violated)} {
				if d != "" {
					t.Errorf("%s\n%s", d, spec.System)
				}
			}
		})
	}
}
