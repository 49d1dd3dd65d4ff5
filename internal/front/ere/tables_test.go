package ere

import (
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"erelong.dev/erelong/internal/interp"
	"erelong.dev/erelong/internal/logic"
	"erelong.dev/erelong/internal/system"
)

const tables = `sort node
enum color { red, green }
immutable relation r(node, color)
immutable function f(color): int
immutable relation on
immutable constant n: int
immutable constant c: color
immutable constant w: node
mutable relation m
init !m
action a() { require !m; m := true; }
`

// Instances give parameters their values: of each sort, as tables and alone.
func TestInstances(t *testing.T) {
	for _, c := range []struct {
		values string
		facts  []string // that hold in the only initial state; none where it is an error
		want   string   // the error, and its suggestion
	}{
		{"on = true, n = -4, c = green, w = node1, r = { (node0, red), (node1, green) }, f = { red: 1, green: -2 }",
			[]string{"on", "n = -4", "c = green", "r(w, c)", "!r(w, red)", "exists X: node. X != w & r(X, red) & !r(X, green)",
				"f(red) = 1", "f(green) = -2"}, ""},
		{"on = false, n = 0, c = red, w = node0, r = { }, f = { green: 7, red: 8 }",
			[]string{"!on", "n = 0", "c = red", "!r(X, C)", "f(red) = 8", "f(green) = 7"}, ""},
		{"on = 3", nil, "this is no value of the sort bool: true or false"},
		{"on = red", nil, "this is no value of the sort bool"},
		{"n = true", nil, "this is no value of the sort int"},
		{"c = blue", nil, "this is no value of the sort color: red, green"},
		{"w = node2", nil, "this is no value of the sort node: node0 to node1"},
		{"r = { node0 }", nil, "this is no point of r(node, color)|Write r = {(node0, color), ...}."},
		{"r = { (node0, red): true }", nil, "this is no point of r|Write r = {(node0, color), ...}."},
		{"f = { red }", nil, "this is no point of f|Write f = {color: VALUE, ...}."},
		{"f = { red: true }", nil, "this is no value of the sort int: a number"},
		{"f = { node0: 1 }", nil, "this is no value of the sort color: red, green"},
		{"r = { (node0, red), (node1, red), (node0, red) }", nil, "this point of 'r' is given twice"},
		{"n = { red: 1 }", nil, "'n' has no arguments, so its value is no table|Write n = "},
		{"on = { }", nil, "'on' has no arguments, so its value is no table|Write on = "},
	} {
		text := tables
		for _, f := range c.facts {
			text += "safety " + f + " | m & !m\n"
		}
		sys, list, err := Compile("x.ere", text+"instance one { node = 2, "+c.values+" }")
		if c.facts == nil {
			want, help, _ := strings.Cut(c.want, "|")
			if err == nil || !strings.Contains(list.All[0].Message, want) ||
				!strings.Contains(list.All[0].Fix, help) {
				t.Errorf("%s: %v", c.values, list)
			}
			continue
		}
		if err != nil {
			t.Errorf("%s: %v", c.values, list)
			continue
		}
		model, err := interp.NewModel(sys, sys.Instances[0])
		if err != nil {
			t.Fatal(err)
		}
		states := 0
		if err := model.Initial(t.Context(), func(s interp.State) error {
			states++
			for i, p := range sys.Properties {
				if is, err := model.Holds(p.Term, s); err != nil || !is {
					t.Errorf("%s: not %s (%v)", c.values, c.facts[i], err)
				}
			}
			return nil
		}); err != nil || states != 1 {
			t.Errorf("%s: %d initial states (%v)", c.values, states, err)
		}
	}
}

// sameSteps checks that two systems with the same symbols have the same steps in all states of two
// truth values for each of two nodes.
func sameSteps(t *testing.T, left, right *system.System) {
	t.Helper()
	after := func(sys *system.System, s interp.State) map[string]bool {
		m, err := interp.NewModel(sys, sys.Instances[0])
		if err != nil {
			t.Fatal(err)
		}
		out := map[string]bool{}
		for _, a := range sys.Actions {
			if err := m.Steps(t.Context(), s, a, func(x interp.Step) error {
				out[a.Name+m.Key(x.State)] = true
				return nil
			}); err != nil {
				t.Fatal(err)
			}
		}
		return out
	}
	steps := 0
	for bits := range int64(16) {
		s := interp.State{bits & 1, bits >> 1 & 1, bits >> 2 & 1, bits >> 3}
		x, y := after(left, s), after(right, s)
		if steps += len(y); !maps.Equal(x, y) {
			t.Fatalf("other steps from %v: %d and %d", s, len(x), len(y))
		}
	}
	if steps < 16 {
		t.Errorf("only %d steps", steps)
	}
}

const pAndQ = `sort node
mutable relation p(node)
mutable relation q(node)
derived relation single(node): forall X. single(X) <-> p(X)
derived relation other(node): forall X. other(X) <-> q(X)
init p(X) & !q(X)
definition odd(X: node) = p(X) & !q(X)
instance two { node = 2 }
`

// A definition with a prime is about the state after a step.
func TestPrimedDefinitions(t *testing.T) {
	sameSteps(t, compile(t, "x.ere", pAndQ+`
transition turn(n: node) modifies p, q
  & (forall X. odd'(X) <-> !odd(X)) & (forall X. q'(X) <-> odd(X) & X = n)
transition late(n: node) modifies q & other'(n) & single'(n)
`), compile(t, "x.ere", pAndQ+`
transition turn(n: node) modifies p, q
  & (forall X. (p'(X) & !q'(X)) <-> !(p(X) & !q(X)))
  & (forall X. q'(X) <-> p(X) & !q(X) & X = n)
transition late(n: node) modifies q & q'(n) & p(n)
`))
}

// The dialect of a file may show in its last declaration only.
func TestDialectOfTheLast(t *testing.T) {
	const fixed = "transition set(n: node) modifies p & p(n)\n"
	sameSteps(t, compile(t, "x.ere", pAndQ+fixed+
		"transition last(n: node) modifies q & (q(X) <-> old(q(X)) | X = n)\n"),
		compile(t, "x.ere", pAndQ+strings.ReplaceAll(fixed, "p(n)", "p'(n)")+
			"transition last(n: node) modifies q & (q'(X) <-> q(X) | X = n)\n"))
}

// A mistake is said, and nothing that depends on it is looked at.
func TestMistakes(t *testing.T) {
	const head = "sort node\nmutable relation m(node)\nmutable constant x: int\ninit !m(X) & x = 0\n"
	for _, c := range []struct{ text, want string }{
		{"safety [bad] zz = 1\ntheorem [t] safety -> x = 0", "'zz' is not declared"},
		{"action a() { x := x'; }", "x"},
		{"action a() { x := x''; }", "x"},
		{"action a() { x := 1; }\nliveness [l] x = 0 ~> x = 1\nrank [m] { choose y: int with y = x; }", "there is no liveness property 'm'"},
		{"safety [s] x = 0\nrank [s] { choose y: int with y = x; }", "there is no liveness property 's'"},
		{"action a() { x := 1; }\nliveness [l] x = 0 ~> x = 1\nrank [l] { choose y: int with y = x'; }", "there is no state after this one"},
	} {
		if _, list, err := Compile("x.ere", head+c.text); err == nil ||
			!strings.Contains(list.Error(), c.want) {
			t.Errorf("%s: %v, want %s", c.text, list, c.want)
		}
	}
	text, err := os.ReadFile(filepath.Join("..", "..", "..", "examples", "chandra_toueg.ere"))
	if err != nil {
		t.Fatal(err)
	}
	if _, list, err := Compile("x.ere", string(text)); err == nil ||
		!strings.Contains(list.Error(), "an algorithm is not a system") {
		t.Errorf("an algorithm: %v", list)
	}
}

// Each hint for a ranking function belongs to its property, with what it is about.
func TestRankings(t *testing.T) {
	sys := compile(t, "x.ere", `sort node
mutable relation done(node)
mutable relation told
init !done(X) & !told
fair action finish(n: node) { require !done(n); done(n) := true; }
fair action tell() { told := true; }
action idle() { told := told; }
liveness [some] !told ~> told
liveness [all] !told ~> forall X. done(X)
rank [all] {
  choose one: node with !done(one);
  count(X: node) with !done(X);
  variable if told then 0 else 1;
  await finish(one);
  await tell();
  never tell() with told;
}
`)
	if len(sys.Rankings) != 1 || sys.Rankings[0].Property.Name != "all" {
		t.Fatalf("the rankings %+v", sys.Rankings)
	}
	r := sys.Rankings[0]
	var got []string
	for _, c := range r.Choices {
		got = append(got, "choose "+c.Vars[0].Name)
	}
	for _, m := range r.Measures {
		switch {
		case m.Action != nil:
			got = append(got, fmt.Sprint("await ", m.Action.Name, m.Args))
		case m.Number != nil:
			got = append(got, "number "+m.Number.String())
		default:
			got = append(got, "count "+m.Such.String())
		}
	}
	for _, n := range r.Never {
		got = append(got, "never "+n.Action.Name+" with "+n.Such.String())
	}
	want := "choose one; count !done(X); number if told then 0 else 1; await finish[one]; await tell[]; " +
		"never tell with told"
	if text := strings.Join(got, "; "); text != want {
		t.Errorf("%s, want %s", text, want)
	}
}

// A prophecy has a variable for each of its parameters, in the body and as an argument of what is
// viable.
func TestProphecy(t *testing.T) {
	sys := compile(t, "x.ere", `sort team
mutable relation token(team, team)
init token(X, Y)
action deal(x: team, y: team) { token(x, y) := false; }
safety [kept] exists X, Y. token(X, Y)
fbii { forward prophecy v: team, w: team { invariant token(v, w) & v != w }
  backward { invariant exists Y. !token(w, Y) } }
`)
	p := sys.Fbiis[0].Steps[0].Prophecy
	if len(p.Params) != 2 || len(p.Vars) != 2 || len(p.Viable.Args) != 2 {
		t.Fatalf("%d parameters, %d variables, %d arguments", len(p.Params), len(p.Vars),
			len(p.Viable.Args))
	}
	vars := logic.FreeVars(logic.And(p.With...))
	for i, v := range p.Vars {
		if v.Name != p.Params[i].Name || !slices.Contains(vars, v) {
			t.Errorf("%s is %s in %s", p.Params[i], v.Name, p.With)
		}
	}
	if text := logic.And(p.With...).String(); text != "token(v, w) & v != w" {
		t.Error(text)
	}
}
