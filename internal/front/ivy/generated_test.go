package ivy

import (
	"fmt"
	"maps"
	"math/rand"
	"os"
	"slices"
	"strings"
	"testing"

	"erelong.dev/erelong/internal/front/ere"
	"erelong.dev/erelong/internal/interp"
	"erelong.dev/erelong/internal/system"
	"erelong.dev/erelong/internal/testkit"
)

// performed is an exported action.
type performed struct {
	name   string
	params []named
	body   deed
}

// file is a generated file with its meaning.
type file struct {
	text       string
	init       deed
	actions    []performed
	invariants []phrase
}

func generate(rng *rand.Rand) *file {
	a := &author{Rand: rng}
	out := &file{}
	version := a.pick("1.6", "1.7")
	a.right = version == "1.6"
	a.write("#lang ivy%s", version)
	for _, l := range []string{"type node", "type state = {idle, busy, done}", "type count",
		"interpret count -> bv[2]", "relation r(X:node, Y:node)", "relation q(X:node)",
		"function f(X:node) : state", "individual leader : node", "individual at : state",
		"individual c : count"} {
		a.write("%s", l)
	}
	a.assumed = []string{"require"}
	a.write("after init {")
	a.write("f(X) := idle; r(X, Y) := X = Y; at := done; c := 3;")
	first := sequence([]deed{change(func(m *moment) {
		m.f, m.r, m.at, m.c = [2]int{}, [2][2]int{{1, 0}, {0, 1}}, 2, 3
	}), a.initial()})
	out.init = first
	a.write("}")

	a.assumed = nil
	params := []named{{"a", "node", 61}, {"b", "bool", 62}}
	k := named{"k", "count", 63}
	a.write("action helper(a:node, b:bool) returns (k:count) = {")
	a.known = append(slices.Clone(params), k)
	body := a.block(1)
	a.write("}")
	before, after := sequence(nil), sequence(nil)
	if a.Intn(2) == 0 {
		a.write("before helper {")
		a.known = slices.Clone(params)
		before = a.block(1)
		a.write("}")
	}
	if a.Intn(2) == 0 {
		a.write("after helper {")
		a.known = append(slices.Clone(params), k)
		after = a.block(1)
		a.write("}")
	}
	a.helper = func(m moment, args []int, r *record) (out []returned) {
		begin := moment{memory: m.memory, old: m.memory}
		begin.local = locals{}.with(params[0], args[0]).with(params[1], args[1])
		for v := range 4 { // a result that nothing assigns may be any
			begin.local = begin.local.with(k, v)
			for _, end := range sequence([]deed{before, body, after})(begin, r) {
				out = append(out, returned{end.memory, int(end.local[k.at])})
			}
		}
		return distinct(out)
	}
	for _, p := range []performed{{name: "first", params: []named{{"n", "node", 61}}},
		{name: "second", params: []named{{"s", "state", 61}, {"t", "bool", 62}}}} {
		out.actions = append(out.actions, a.exported(p))
	}
	for i := range 2 {
		a.known = nil
		x := a.term("bool", 3)
		a.write("invariant [inv%d] %s", i, x.text)
		out.invariants = append(out.invariants, x)
	}
	out.text = strings.Join(a.lines, "\n") + "\n"
	return out
}

// initial writes an initialisation, in which nothing is claimed but assumptions.
func (a *author) initial() deed {
	var deeds []deed
	for range 2 + a.Intn(4) {
		switch a.Intn(6) {
		case 0:
			c := a.term("bool", 1)
			a.write("if %s {", c.text)
			then := a.assignment()
			a.write("}")
			deeds = append(deeds, func(m moment, r *record) []moment {
				if c.of(m) == 1 {
					return then(m, r)
				}
				return []moment{m}
			})
		case 1:
			deeds = append(deeds, a.variable())
		case 2:
			deeds = append(deeds, a.anything())
		default:
			deeds = append(deeds, a.assignment())
		}
	}
	a.known = nil
	return sequence(deeds)
}

// exported writes an action that the environment calls, perhaps with monitors.
func (a *author) exported(p performed) performed {
	var list []string
	for _, n := range p.params {
		list = append(list, n.name+":"+n.typ)
	}
	signature := p.name + "(" + strings.Join(list, ", ") + ")"
	part := func(head string, assumed ...string) deed {
		a.write("%s {", head)
		a.known, a.assumed = slices.Clone(p.params), append(assumed, "require")
		d := a.block(2)
		a.write("}")
		return d
	}
	a.write("export %s", p.name)
	a.old = a.Intn(2) == 0
	body := part("action " + signature + " =")
	helper := a.helper
	a.helper = nil // a monitor calls for the environment
	before, after := sequence(nil), sequence(nil)
	if a.Intn(3) == 0 {
		a.old = false
		before = part("before "+signature, "assert")
	}
	if a.Intn(3) == 0 {
		a.old = true
		after = part("after " + signature)
	}
	a.helper, a.old = helper, false
	p.body = sequence([]deed{before, body, after})
	return p
}

// arguments lists the values of parameters.
func arguments(params []named) []locals {
	out := []locals{{}}
	for _, p := range params {
		var more []locals
		for _, l := range out {
			for v := range sizes[p.typ] {
				more = append(more, l.with(p, v))
			}
		}
		out = more
	}
	return out
}

// meaning gives the graph of a file by its functions.
func (f *file) meaning() graph {
	var g graph
	r := &record{failed: map[string]bool{}}
	seen := map[memory]bool{}
	var todo []memory
	add := func(m memory) {
		if !seen[m] {
			seen[m] = true
			todo = append(todo, m)
		}
	}
	var all []memory // what the initialisation assigns for certain may be anything before
	for bits := range 1 << 3 {
		all = append(all, memory{q: [2]int{bits & 1, bits >> 1 & 1}, leader: bits >> 2})
	}
	for _, m := range all {
		for _, end := range f.init(moment{memory: m, old: m}, r) {
			g.initial = append(g.initial, fmt.Sprint(end.memory))
			add(end.memory)
		}
	}
	for len(todo) > 0 && len(seen) <= mostStates && r.spent <= mostRun {
		m := todo[0]
		todo = todo[1:]
		for i, inv := range f.invariants {
			if inv.of(moment{memory: m}) == 0 {
				r.failed[fmt.Sprintf("inv%d", i)] = true
			}
		}
		for _, a := range f.actions {
			r.action = a.name
			var ends []memory
			for _, args := range arguments(a.params) {
				for _, end := range a.body(moment{memory: m, old: m, local: args}, r) {
					ends = append(ends, end.memory)
				}
			}
			for _, end := range distinct(ends) {
				g.steps = append(g.steps, fmt.Sprintf("%v --%s--> %v", m, a.name, end))
				add(end)
			}
		}
	}
	if len(seen) > mostStates || r.spent > mostRun {
		return graph{}
	}
	g.violated = slices.Collect(maps.Keys(r.failed))
	return sorted(g)
}

// mostStates bounds the graphs that are compared.
const mostStates = 60

func sorted(g graph) graph {
	for _, list := range []*[]string{&g.initial, &g.steps, &g.violated} {
		slices.Sort(*list)
		*list = slices.Compact(*list)
	}
	return g
}

// memoryOf gives the values of the symbols of the file in a state.
func memoryOf(m *interp.Model, s interp.State) (out memory) {
	args := m.SlotArguments()
	for i, sym := range m.SlotSymbols() {
		v := int(s[i])
		switch sym.Name {
		case "r":
			out.r[args[i][0]][args[i][1]] = v
		case "q":
			out.q[args[i][0]] = v
		case "f":
			out.f[args[i][0]] = v
		case "leader":
			out.leader = v
		case "at":
			out.at = v
		case "c":
			out.c = v
		}
	}
	return out
}

// explored gives the graph of what is read, by the interpreter.
func explored(t *testing.T, sys *system.System) graph {
	t.Helper()
	ins, err := ere.Instances(sys, "node=2")
	if err != nil {
		t.Fatal(err)
	}
	m, err := interp.NewModel(sys, ins[0])
	if err != nil {
		t.Fatal(err)
	}
	var g graph
	seen := map[string]bool{}
	var todo []interp.State
	add := func(s interp.State) {
		if k := m.Key(s); !seen[k] {
			seen[k] = true
			todo = append(todo, s.Clone())
		}
	}
	if err := m.Initial(t.Context(), func(s interp.State) error {
		g.initial = append(g.initial, fmt.Sprint(memoryOf(m, s)))
		add(s)
		return nil
	}); err != nil {
		t.Fatal(err)
	}
	violated := map[string]bool{}
	for len(todo) > 0 {
		s := todo[0]
		todo = todo[1:]
		for _, p := range sys.Properties {
			if !p.IsInvariant() || violated[plain.Replace(p.Name)] {
				continue
			}
			ok, err := m.Holds(p.Term, s)
			if err != nil {
				t.Fatal(err)
			}
			if !ok {
				violated[plain.Replace(p.Name)] = true
			}
		}
		for _, a := range sys.Actions {
			if err := m.Steps(t.Context(), s, a, func(step interp.Step) error {
				if strings.Contains(a.Name, "_to_failure") {
					// It sets a flag, and the run ends there.
					if memoryOf(m, step.State) != memoryOf(m, s) {
						t.Errorf("%s changes more than a flag", a.Name)
					}
					for _, p := range sys.Properties {
						ok, err := m.Holds(p.Term, step.State)
						violated[plain.Replace(p.Name)] = violated[plain.Replace(p.Name)] ||
							err == nil && !ok
					}
					return nil
				}
				g.steps = append(g.steps, fmt.Sprintf("%v --%s--> %v", memoryOf(m, s), a.Name,
					memoryOf(m, step.State)))
				add(step.State)
				return nil
			}); err != nil {
				t.Fatal(err)
			}
		}
	}
	for name, is := range violated {
		if is {
			g.violated = append(g.violated, name)
		}
	}
	return sorted(g)
}

// Generated files have the state graphs, and the violated claims, that their meanings have.
func TestGenerated(t *testing.T) {
	compared, steps, claims := 0, 0, 0
	for seed := range testkit.Size(90, 500) {
		f := generate(rand.New(rand.NewSource(seed)))
		want := f.meaning()
		if len(want.initial) == 0 {
			continue // no state, or too many
		}
		spec, list, err := Read(t.Context(), "generated.ivy", f.text, os.ReadFile)
		if err != nil {
			t.Fatalf("seed %d: %v\n%s", seed, list, f.text)
		}
		got := explored(t, spec.System)
		for _, d := range []string{difference(got.initial, want.initial),
			difference(got.steps, want.steps), difference(got.violated, want.violated)} {
			if d != "" {
				t.Fatalf("seed %d:\n%s\n%s\n%s", seed, d, f.text, spec.System)
			}
		}
		compared++
		steps += len(want.steps)
		claims += len(want.violated)
	}
	t.Logf("%d files, %d steps, %d violated claims", compared, steps, claims)
	if compared < 30 || steps < 3000 || claims < 60 {
		t.Errorf("too little was compared: %d files, %d steps, %d violated claims", compared, steps,
			claims)
	}
}
