package synth

import (
	"slices"
	"strings"
	"testing"

	"erelong.dev/erelong/internal/interp"
	"erelong.dev/erelong/internal/logic"
	"erelong.dev/erelong/internal/system"
	"erelong.dev/erelong/internal/testkit"
)

// problem is the question about the first liveness property of a system. Its actions choose
// nothing, so a guard says when one can be taken.
func problem(t *testing.T, text string) *Problem {
	t.Helper()
	sys := testkit.Compile(t, text)
	i := slices.IndexFunc(sys.Properties, func(p *system.Property) bool {
		return p.Kind == system.Liveness
	})
	p := &Problem{System: sys, Property: sys.Properties[i], Instances: sys.Instances,
		Enabled: map[*system.Action]*logic.Term{}}
	for _, a := range sys.Actions {
		p.Enabled[a] = logic.And(a.Relation.Guard...)
	}
	p.Due = p.Enabled
	return p
}

func fit(t *testing.T, p *Problem) (*system.Ranking, error) {
	t.Helper()
	s, err := New(t.Context(), p)
	if err != nil {
		return nil, err
	}
	return s.Fit(t.Context())
}

// Whoever waits is served when all who came before have been, in a shop with one clerk.
const shop = `
	sort client
	mutable relation waits(client), served(client), before(client, client)
	init !waits(C) & !served(C) & !before(C, D)
	action come(c: client) {
		require !waits(c) & !served(c);
		before(D, c) := waits(D);
		waits(c) := true;
	}
	fair action serve(c: client) {
		require waits(c) & (forall D. waits(D) -> !before(D, c));
		waits(c) := false;
		served(c) := true;
		before(c, D) := false;
	}
	action forget(c: client) { require served(c); served(c) := false; }
	action rest() { require true; }
	liveness [l] waits(C) ~> served(C)
	instance two { client = 2 }
	`

func TestSearch(t *testing.T) {
	p := problem(t, shop)
	found, err := fit(t, p)
	if err != nil {
		t.Fatal(err)
	}
	if found == nil {
		t.Fatal("nothing fits")
	}
	got := p.System.HintText(found)
	for _, part := range []string{"pending waits(C);", "count (X1:client) with before(X1, C);",
		"await (X1:client) serve(X1);"} {
		if !strings.Contains(got, part) {
			t.Errorf("%s is missing in\n%s", part, got)
		}
	}
	again, err := fit(t, problem(t, shop))
	if err != nil || p.System.HintText(again) != got {
		t.Errorf("the search finds something else again: %v", err)
	}
}

// Values go along a chain of any length. In small instances, much happens to become smaller one
// after the other, such as the number of values that the first and the last node lack.
const chain = testkit.Chain + `
	mutable relation has(node, item)
	init !has(N, I)
	action give(i: item) { require !has(head, i); has(head, i) := true; }
	fair action forward(m: node, n: node, i: item) {
		require next(m, n) & has(m, i) & !has(n, i);
		has(n, i) := true;
	}
	action rest() { require true; }
	liveness [l] has(head, I) ~> has(tail, I)
	instance three { node = 3, item = 1 }
	`

// One measure stands in place of several that explain no more.
func TestShorten(t *testing.T) {
	p := problem(t, chain)
	found, err := fit(t, p)
	if err != nil || found == nil {
		t.Fatalf("%v, %v", found, err)
	}
	want := "rank [l] {\n" +
		"  count (X1:node, X2:item) with !has(X1, X2);\n" +
		"  await (X1:node, X2:node, X3:item) forward(X1, X2, X3);\n" +
		"  pending has(head, I);\n}\n"
	if got := p.System.HintText(found); got != want {
		t.Errorf("it finds\n%s", got)
	}
}

// Without what makes a property true, nothing fits.
func TestNothingFits(t *testing.T) {
	for _, change := range [][2]string{
		{"fair action serve", "action serve"},
		{"before(D, c) := waits(D);", "before(c, D) := waits(D);"}, // who comes late is served first
		{"served(c) := true;", ""},
	} {
		text := strings.Replace(shop, change[0], change[1], 1)
		found, err := fit(t, problem(t, text))
		if err != nil {
			t.Fatal(err)
		}
		if found != nil {
			t.Errorf("without %q something fits", change[0])
		}
	}
}

// In large instances a number may grow as long as another one falls.
const refilled = `
	immutable constant k: int
	axiom k >= 0
	type number = 0..k
	mutable constant n: number
	mutable constant m: number
	init n = k & m = k
	fair action down() { require n > 0; n := n - 1; }
	action up() { require k > 5 & n < k & m > 0; n := n + 1; m := m - 1; }
	liveness [l] true ~> n = 0
	instance one { k = 1 }
	`

// A list that fails in the instance of a trace is fitted to it.
func TestJoin(t *testing.T) {
	p := problem(t, refilled)
	s, err := New(t.Context(), p)
	if err != nil {
		t.Fatal(err)
	}
	text := func() string {
		t.Helper()
		found, err := s.Fit(t.Context())
		if err != nil || found == nil {
			t.Fatalf("nothing fits: %v", err)
		}
		return p.System.HintText(found)
	}
	if got := text(); strings.Contains(got, "variable m;") {
		t.Fatalf("the small instances do not need m:\n%s", got)
	}
	for k, want := range map[int64]bool{4: false, 6: true} {
		in := *p.System.Instances[0]
		in.Values = map[*logic.Symbol]*logic.Term{}
		for sym := range p.System.Instances[0].Values {
			in.Values[sym] = logic.IntLit(k)
		}
		m, err := interp.NewModel(p.System, &in)
		if err != nil {
			t.Fatal(err)
		}
		var first interp.State
		if err := m.Initial(t.Context(), func(x interp.State) error {
			first = x.Clone()
			return nil
		}); err != nil {
			t.Fatal(err)
		}
		trace := m.TraceOf(first)
		if joined, err := s.Join(t.Context(), trace); err != nil || joined != want {
			t.Errorf("k = %d: %v, %v", k, joined, err)
		}
	}
	if got := text(); !strings.Contains(got, "variable m;") {
		t.Errorf("m is missing in\n%s", got)
	}
}

// A measure that is banned is not found again.
func TestBan(t *testing.T) {
	s, err := New(t.Context(), problem(t, shop))
	if err != nil {
		t.Fatal(err)
	}
	seen := map[string]bool{}
	for range 5 {
		found, err := s.Fit(t.Context())
		if err != nil || found == nil {
			break
		}
		for _, m := range found.Measures {
			if seen[m.String()] {
				t.Errorf("%s is found again", m)
			}
		}
		last := found.Measures[len(found.Measures)-1]
		seen[last.String()] = true
		s.Ban(last)
	}
	if len(seen) < 2 {
		t.Errorf("banned: %v", seen)
	}
}

// The instance of the file has its goal at the end of the row, where a walk round never begins
// anew. Measures fit other goals, too: the file says only that the goal has the largest number.
func TestOtherValuesThanTheFileGives(t *testing.T) {
	r, err := fit(t, problem(t, `
		immutable constant last: int
		axiom last >= 0
		type place = 0..last
		immutable function number(place): int
		axiom number(P) = number(Q) -> P = Q
		immutable constant goal: place
		axiom number(P) <= number(goal)
		mutable constant at: place
		fair action move() {
			require at != goal;
			at := if at = last then 0 else at + 1;
		}
		action rest() { require true; }
		liveness [l] true ~> at = goal
		instance three { last = 2, number = { 0: 0, 1: 1, 2: 2 }, goal = 2 }
		`))
	if err != nil || r == nil {
		t.Fatalf("no measures fit: %v", err)
	}
	var found []string
	for _, m := range r.Measures {
		found = append(found, m.String())
	}
	if !slices.ContainsFunc(found, func(m string) bool { return strings.Contains(m, "goal < at") }) {
		t.Errorf("the measures are %v", found)
	}
}

// A comparison is found however its clauses are written.
func TestComparisons(t *testing.T) {
	for _, c := range []struct{ guard, want string }{
		{"n(a) < n(b)", "n(a) < n(b)"},
		{"p(a) & n(a) < n(b)", "n(a) < n(b)"},
		{"p(a) -> n(a) <= n(b) & !r(b, a)", "n(a) <= n(b) & !r(b, a)"},
		{"(p(a) -> n(a) <= n(b)) & (p(a) -> !r(b, a))", "n(a) <= n(b) & !r(b, a)"},
		{"!(p(a) & (n(a) < n(b) | n(a) = n(b) & r(a, b)))",
			"!(n(a) < n(b) | n(a) = n(b) & r(a, b))"},
		{"n(a) < m(b)", ""},
		{"n(a) < n(b) + 1", ""},
		{"q(a, b)", ""},
		{"n(a) = n(b) & r(a, b)", ""},
		{"n(a) < 1 & n(b) < 1", ""},
	} {
		sys := testkit.Compile(t, "sort s\nimmutable relation r(s, s)\n"+
			"mutable relation p(s), q(s, s)\nmutable function n(s): int\n"+
			"mutable function m(s): int\naction x(a: s, b: s) { require "+c.guard+"; }\n")
		got := ""
		for _, x := range Comparisons(sys) {
			got += x.Before.String()
		}
		if got != c.want {
			t.Errorf("%s: %q instead of %q", c.guard, got, c.want)
		}
	}
}

// TestIntegersBetweenBounds fits measures to a ring whose place is an integer that only an initial
// condition bounds, and whose initial states are too many to list.
func TestIntegersBetweenBounds(t *testing.T) {
	const text = `
	immutable constant n: int
	axiom n >= 1
	mutable relation dark(0..n-1)
	mutable constant at: int
	init 0 <= at & at <= n - 1
	mutable function colour(0..n-1): 0..3
	fair action pass(i: 0..n-1) { require i != 0 & at = i; dark(i) := false; at := i - 1; }
	fair action again() {
		require at = 0 & (exists X: 0..n-1. dark(X));
		dark(0) := false;
		at := n - 1;
	}
	action rest() { require true; }
	liveness [l] true ~> forall X: 0..n-1. !dark(X)
	instance four { n = 4 }
	`
	r, err := fit(t, problem(t, text))
	if err != nil || r == nil {
		t.Fatal("nothing fits", err)
	}
}
