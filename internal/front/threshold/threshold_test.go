package threshold_test

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"erelong.dev/erelong/internal/diag"
	"erelong.dev/erelong/internal/front/ere"
	"erelong.dev/erelong/internal/front/threshold"
	"erelong.dev/erelong/internal/interp"
	"erelong.dev/erelong/internal/system"
	"erelong.dev/erelong/internal/testkit"
)

// A state of a generated automaton: processes in A, B, C and D, and the shared variable x.
type state [5]int

// atom is a formula of states, as text and as what it means.
type atom struct {
	text string
	is   func(s state) bool
}

// formula is one about runs: what it says of a run at a place. A run stays in its last state.
type formula struct {
	text string
	is   func(run []state, i int) bool
}

// generator makes automata, each as a text and as rules that are carried out here.
type generator struct{ *rand.Rand }

var places = []string{"A", "B", "C", "D"}

func (g *generator) atom() atom {
	k, n := g.IntN(4), g.IntN(3)
	switch g.IntN(4) {
	case 0:
		return atom{fmt.Sprintf("%s == 0", places[k]), func(s state) bool { return s[k] == 0 }}
	case 1:
		return atom{fmt.Sprintf("%s != 0", places[k]), func(s state) bool { return s[k] != 0 }}
	case 2:
		return atom{fmt.Sprintf("x < %d", n), func(s state) bool { return s[4] < n }}
	}
	a, b := g.atom(), g.atom()
	switch g.IntN(5) {
	case 0, 1:
		return atom{"(" + a.text + " || " + b.text + ")", func(s state) bool {
			return a.is(s) || b.is(s)
		}}
	case 2:
		return atom{"(" + a.text + " -> " + b.text + ")", func(s state) bool {
			return !a.is(s) || b.is(s)
		}}
	case 3:
		return atom{"!(" + a.text + ")", func(s state) bool { return !a.is(s) }}
	}
	return atom{"(" + a.text + " && " + b.text + ")", func(s state) bool {
		return a.is(s) && b.is(s)
	}}
}

func now(a atom) formula {
	return formula{"(" + a.text + ")", func(run []state, i int) bool { return a.is(run[i]) }}
}

func always(f formula) formula {
	return formula{"[](" + f.text + ")", func(run []state, i int) bool {
		for ; i < len(run); i++ {
			if !f.is(run, i) {
				return false
			}
		}
		return true
	}}
}

func eventually(f formula) formula {
	return formula{"<>(" + f.text + ")", func(run []state, i int) bool {
		for ; i < len(run); i++ {
			if f.is(run, i) {
				return true
			}
		}
		return false
	}}
}

func implies(f, g formula) formula {
	return formula{"(" + f.text + " -> " + g.text + ")", func(run []state, i int) bool {
		return !f.is(run, i) || g.is(run, i)
	}}
}

func or(f, g formula) formula {
	return formula{"(" + f.text + " || " + g.text + ")", func(run []state, i int) bool {
		return f.is(run, i) || g.is(run, i)
	}}
}

func and(f, g formula) formula {
	return formula{"(" + f.text + " && " + g.text + ")", func(run []state, i int) bool {
		return f.is(run, i) && g.is(run, i)
	}}
}

// claim is a formula of one of the forms that files have.
func (g *generator) claim() formula {
	p, q, r := now(g.atom()), now(g.atom()), now(g.atom())
	fair := eventually(always(now(g.atom())))
	switch g.IntN(9) {
	case 0:
		return implies(p, always(q))
	case 1:
		return or(always(p), always(q))
	case 2:
		return always(implies(p, always(q)))
	case 3:
		return implies(fair, always(implies(p, eventually(q))))
	case 4:
		return implies(fair, implies(p, eventually(q)))
	case 5:
		return implies(and(and(fair, always(p)), r), eventually(q))
	case 6:
		return or(always(implies(p, always(q))), eventually(r))
	case 7:
		return and(always(p), eventually(q))
	}
	return or(p, always(or(q, r)))
}

// rule moves a process where x is large enough, or small enough.
type rule struct {
	from, to, bound, add int
	below                bool
}

func (g *generator) automaton(claims []formula) (text string, rules []rule) {
	var b strings.Builder
	b.WriteString("skel Proc {\n  local pc;\n  shared x;\n  parameters N;\n" +
		"  assumptions (1) { N >= 1; }\n  locations (4) { A: [0]; B: [1]; C: [2]; D: [3]; }\n" +
		"  inits (5) { A == 1; B == N - 1; C == 0; D == 0; x == 0; }\n  rules (0) {\n")
	for i := range 2 + g.IntN(4) {
		from := g.IntN(3)
		r := rule{from, from + 1 + g.IntN(3-from), g.IntN(3), g.IntN(3), g.IntN(3) == 0}
		op := map[bool]string{true: "<", false: ">="}[r.below]
		fmt.Fprintf(&b, "    %d: %s -> %s when (x %s %d) do { x' == x + %d; };\n", i,
			places[r.from], places[r.to], op, r.bound, r.add)
		rules = append(rules, r)
	}
	b.WriteString("    9: D -> D when (1) do { unchanged(x) };\n  }\n  specifications (0) {\n")
	for i, c := range claims {
		fmt.Fprintf(&b, "    c%d: %s;\n", i, c.text)
	}
	b.WriteString("  }\n}\n")
	return b.String(), rules
}

// runs gives all runs, each up to a state in which it may stay.
func runs(rules []rule, run []state, each func(run []state)) {
	each(run)
	s := run[len(run)-1]
	for _, r := range rules {
		if s[r.from] > 0 && (s[4] < r.bound) == r.below {
			to := s
			to[r.from]--
			to[r.to]++
			to[4] += r.add
			runs(rules, append(run, to), each)
		}
	}
}

// holds reports whether a claim of a system is true in all states of an instance.
func holds(t *testing.T, sys *system.System, claim string, n int) bool {
	t.Helper()
	in, err := ere.Instances(sys, fmt.Sprintf("N = %d", n))
	if err != nil {
		t.Fatal(err)
	}
	m, err := interp.NewModel(sys, in[0])
	if err != nil {
		t.Fatal(err)
	}
	p := sys.Property(claim)
	known := map[string]bool{}
	var next []interp.State
	ok := true
	take := func(s interp.State) error {
		if key := fmt.Sprint(s); !known[key] {
			known[key] = true
			next = append(next, s)
			truth, err := m.Holds(p.Term, s)
			ok = ok && truth
			return err
		}
		return nil
	}
	err = m.Initial(t.Context(), take)
	for len(next) > 0 && err == nil {
		s := next[0]
		next = next[1:]
		err = m.EachStep(t.Context(), s, func(to interp.Step) error { return take(to.State) })
	}
	if err != nil {
		t.Fatal(err)
	}
	return ok
}

// TestGenerated compares claims about reachable states with formulas about all runs, which are
// followed here by the definitions of LTL.
func TestGenerated(t *testing.T) {
	seen := map[bool]int{}
	for seed := range uint64(testkit.Size(150, 3000)) {
		g := &generator{rand.New(rand.NewPCG(seed, 7))}
		claims := []formula{g.claim(), g.claim(), g.claim()}
		text, rules := g.automaton(claims)
		systems, _, err := threshold.Read(context.Background(), "generated.ta", text)
		if err != nil {
			t.Fatalf("seed %d: %v\n%s", seed, err, text)
		}
		for n := 1; n <= 3; n++ {
			want := map[string]bool{}
			for i := range claims {
				want[fmt.Sprintf("c%d", i)] = true
			}
			runs(rules, []state{{1, n - 1, 0, 0, 0}}, func(run []state) {
				for i, c := range claims {
					if name := fmt.Sprintf("c%d", i); want[name] {
						want[name] = c.is(run, 0)
					}
				}
			})
			for _, s := range systems {
				for _, c := range s.Claims {
					got := holds(t, s.Spec.System, c, n)
					seen[got]++
					if got != want[c] {
						t.Fatalf("seed %d, N = %d: %s is %t, want %t\n%s", seed, n, c, got, want[c],
							text)
					}
				}
			}
		}
	}
	if seen[true] < 100 || seen[false] < 100 {
		t.Errorf("true and false: %v", seen)
	}
}

// TestCycles keeps formulas about runs where a process may return.
func TestCycles(t *testing.T) {
	text := `thresholdAutomaton P { local pc; shared x; parameters N;
		locations (0) { A: [0]; B: [1]; } inits (0) { A == N; B == 0; x == 0; }
		rules (0) { 0: A -> B when (true) do { x' == x + 1; }; 1: B -> A when (true) do { }; }
		specifications (0) { safe: [](A + B == N); live: <>[](A == 0) -> <>(x > 0); } }`
	systems, _, err := threshold.Read(context.Background(), "p.ta", text)
	if err != nil || len(systems) != 2 {
		t.Fatalf("%d systems, %v", len(systems), err)
	}
	if p := systems[0].Spec.System.Property("safe"); p == nil || p.IsTemporal() {
		t.Errorf("safe is %+v", p)
	}
	if p := systems[1].Spec.System.Property("live"); p == nil || !p.IsTemporal() {
		t.Errorf("live is %+v", p)
	}
}

// TestErrors reads errors and their places.
func TestErrors(t *testing.T) {
	head := "skel P {\nlocal pc;\nshared x;\nparameters N;\nlocations (1) { A: [0]; B: [1]; }\n"
	for _, x := range []struct{ text, message, place string }{
		{"automaton P {", "expected 'skel'", "1:1"},
		{head + "rules (1) { 0: A -> C when (true) do { }; }\n}", "no location 'C'", "6:21"},
		{head + "rules (1) { 0: A -> B when (y > 0) do { }; }\n}", "there is no 'y'", "6:29"},
		{head + "rules (1) { 0: A -> B when (true) do { N' == N; }; }\n}", "no shared variable 'N'",
			"6:40"},
		{head + "specifications (1) { f: [](<>([](x == 0))); }\n}", "in the formula f", "6:28"},
		{head + "specifications (1) { f: [](x == 0) && A == 0; }\n}", "premise", "6:39"},
		{head + "shared A;\n}", "declared twice", "5:17"},
		{head + "define N == 3;\n}", "stands for an expression", "4:12"},
		{head + "define M == 3;\ndefine M == 4;\n}", "defined twice", "7:8"},
		{head + "rules (1) { 0: A -> B when (true) do { x' == x + 1; x' == 0; }; }\n}",
			"changed twice", "6:53"},
	} {
		_, list, err := threshold.Read(context.Background(), "p.ta", x.text)
		var errs *diag.List
		if !errors.As(err, &errs) || len(list.All) == 0 {
			t.Errorf("%s: %v", x.text, err)
			continue
		}
		d := list.All[0]
		line, column := d.Span.Source.Position(d.Span.Start)
		if place := fmt.Sprintf("%d:%d", line, column); !strings.Contains(d.Message, x.message) ||
			place != x.place {
			t.Errorf("%s: %s: %s", x.text, place, d.Message)
		}
	}
}

// What mentions no state is warned of in the words of the language, and no fix touches the text.
func TestWarnings(t *testing.T) {
	text := "skel P {\nlocal pc;\nshared x;\nparameters N;\nassumptions (1) { N >= 1; }\n" +
		"locations (1) { A: [0]; }\ninits (1) { N > 0; A == N; x == 0; }\n" +
		"specifications (1) { f: [](N > 0); }\n}"
	_, list, err := threshold.Read(t.Context(), "p.ta", text)
	if err != nil {
		t.Fatal(err)
	}
	var got []string
	for _, d := range list.All {
		got = append(got, d.Error()+" "+d.Fix)
		if d.Edit != nil {
			t.Errorf("%v would put %q into the text", d, d.Edit.New)
		}
	}
	want := []string{"p.ta:7:13: warning W0308: this formula of inits mentions neither a location " +
		"nor a shared variable Write it among the assumptions.",
		"p.ta:8:25: warning W0308: this formula mentions neither a location nor a shared " +
			"variable, so no rule can change it "}
	if !slices.Equal(got, want) {
		t.Errorf("the warnings are %q", got)
	}
}

// A claim does not depend on how a conjunction is written, and a formula with an implication has an
// opposite.
func TestWordings(t *testing.T) {
	text := `skel P {
		local pc;
		shared x;
		parameters N;
		assumptions (1) { N >= 1; }
		locations (3) { A: [0]; B: [1]; C: [2]; }
		inits (1) { A == N; B == 0; C == 0; x == 0; }
		rules (1) { 0: A -> C when (true) do { x' == x + 1; }; }
		specifications (5) {
			two: []((B == 0 && B == 0) -> [](x >= 1)) || [](C == 0);
			one: []((B == 0) -> [](x >= 1)) || [](C == 0);
			three: []((B == 0 && B == 0 && N >= 0) -> [](x >= 1)) || [](C == 0);
			implied: [](A == 0 -> C != 0) || [](B != 0);
			denied: <>(!(A == 0 -> C == 0)) || [](A != 0);
		}
	}`
	systems, _, err := threshold.Read(t.Context(), "wordings.ta", text)
	if err != nil {
		t.Fatal(err)
	}
	for _, s := range systems {
		for _, c := range s.Claims {
			want := c == "implied" || c == "denied"
			if got := holds(t, s.Spec.System, c, 2); got != want {
				t.Errorf("%s is %t, want %t", c, got, want)
			}
		}
	}
}
