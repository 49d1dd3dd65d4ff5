package infer

import (
	"errors"
	"math/rand"
	"slices"
	"testing"

	"erelong.dev/erelong/internal/engine/bmc"
	"erelong.dev/erelong/internal/interp"
	"erelong.dev/erelong/internal/testkit"
)

// Before a value changes, all values are written down: by a page that lists them, if there is one.
const pages = `sort page
sort key
sort value
sort node
immutable constant none: value
immutable relation before(key, key)
axiom before(X, X)
axiom before(X, Y) & before(Y, Z) -> before(X, Z)
axiom before(X, Y) & before(Y, X) -> X = Y
axiom before(X, Y) | before(Y, X)
immutable function entry(page, key): value
mutable function now(key): value
mutable relation written(node, page)
init now(K) = none & !written(N, P)
action change(n: node, p: page, k: key, v: value) {
  require (forall K. now(K) = entry(p, K)) & v != now(k);
  written(n, p) := true;
  now(k) := v;
}
safety [begun] written(N, P) -> exists P. written(N, P) & forall K. entry(P, K) = none
`

func recorded(t *testing.T, text string) *samples {
	t.Helper()
	sys := testkit.Compile(t, text)
	c := newSearch(sys, Options{}, nil).claims
	for _, p := range sys.Properties {
		c.goals = append(c.goals, &goal{property: p, term: p.Term})
	}
	s := newSamples(sys, c)
	s.orders = findOrders(t.Context(), s.instances)
	if last := s.enlarge(t.Context(), s.small(2, 3)); last != nil {
		t.Fatal(last)
	}
	s.records = findRecords(s.instances, s.orders)
	return s
}

// Records are elements that only unrestricted immutable functions tell apart.
func TestFindRecords(t *testing.T) {
	const rest = "mutable relation seen(a, b), known(b)\ninit !seen(A, B) & !known(B)\n" +
		"action see(x: a, y: b) { seen(x, y) := f(x, y); }\nsafety seen(X, Y) -> f(X, Y)\n"
	for _, test := range []struct {
		name, text string
		want       []string
	}{
		{"pages", pages, []string{"page"}},
		{"fewer symbols speak of a than of b",
			"sort a\nsort b\nimmutable relation f(a, b)\n" + rest, []string{"a"}},
		{"an axiom", "sort a\nsort b\nimmutable relation f(a, b)\naxiom exists Y. f(X, Y)\n" + rest,
			nil},
		{"a derived relation", "sort a\nsort b\nimmutable relation f(a, b)\n" +
			"derived relation d(a): d(X) <-> exists Y. f(X, Y)\n" + rest, nil},
		{"an initial condition", "sort a\nsort b\nimmutable relation f(a, b)\ninit f(X, Y)\n" + rest,
			nil},
		{"a relation among elements of a",
			"sort a\nsort b\nimmutable relation f(a, b), g(a, a)\n" + rest, []string{"b"}},
		{"a function to a", "sort a\nsort b\nimmutable relation f(a, b)\n" +
			"immutable function g(b): a\n" + rest, []string{"b"}},
		{"integers", "sort a\nsort b\nimmutable relation f(a, b)\nimmutable function g(a): int\n" +
			rest, []string{"b"}},
	} {
		t.Run(test.name, func(t *testing.T) {
			sys := testkit.Compile(t, test.text)
			var got []string
			for sort := range findRecords(newInstances(sys), nil).fields {
				got = append(got, sort.Name)
			}
			if !slices.Equal(got, test.want) {
				t.Errorf("the sorts of records are %v, not %v", got, test.want)
			}
		})
	}
}

// In each initial state with many records, no two are the same, and the order is ascending.
func TestRecorded(t *testing.T) {
	s := recorded(t, pages)
	for _, inst := range append(s.records.shapes(1), s.records.shapes(2)...) {
		of := s.records.many(inst)
		from := bmc.Start{Values: s.inOrder(of)}
		states, err := s.records.draw(t.Context(), of, from, rand.New(rand.NewSource(0)))
		if err != nil || len(states) == 0 {
			t.Fatalf("%s: %d initial states, %v", inst.Name, len(states), err)
		}
		entry := of.tables[s.records.all()[0]]
		pages, keys := int(entry.args[0].n), int(entry.args[1].n)
		for _, st := range states {
			seen := map[string]bool{}
			for p := range pages {
				from := entry.offset + p*keys
				seen[of.model.Key(st[from:from+keys])] = true
			}
			if len(seen) != pages || !(sample{of, st}).ascending(s.orders) {
				t.Fatalf("%s: %d of %d pages in %v", inst.Name, len(seen), pages, st)
			}
		}
	}
}

// What is explored with few records is reachable there, by the interpreter; and it refutes a claim
// that random records do not, since a run to where it is false needs several certain ones.
func TestExploreRecords(t *testing.T) {
	s := recorded(t, pages+`invariant [few]
  written(N, P1) & written(N, P2) & written(N, P3) -> P1 = P2 | P2 = P3 | P1 = P3
`)
	s.claims.goals = s.claims.goals[:1]
	few := s.sys.Property("few").Term
	refuted := func(w *world) bool {
		return slices.ContainsFunc(w.states, func(st interp.State) bool {
			return !(sample{w.structure, st}).holds(few)
		})
	}
	for _, w := range s.worlds {
		if refuted(w) {
			t.Errorf("%s refutes the claim", w.model.Instance.Name)
		}
	}
	for i, inst := range s.records.shapes(1) {
		w := s.exploreRecords(t.Context(), inst, int64(i))
		if w == nil {
			t.Fatalf("%s has no run with few records", inst.Name)
		}
		if !refuted(w) {
			t.Errorf("%s: the claim is true in %d states", w.model.Instance.Name, len(w.states))
		}
	}
}

// A run is followed up to a step that is impossible.
func TestFollow(t *testing.T) {
	s := recorded(t, pages)
	inst := s.records.shapes(1)[0]
	of := s.records.many(inst)
	rng := rand.New(rand.NewSource(0))
	initial, err := s.records.draw(t.Context(), of, bmc.Start{Values: s.inOrder(of)}, rng)
	if err != nil {
		t.Fatal(err)
	}
	many, err := exploreFrom(t.Context(), of, start{initial: initial}, s.orders,
		s.claims.terms(), rng, exploreAll)
	if err != nil {
		t.Fatal(err)
	}
	few, err := s.records.few(inst)
	if err != nil {
		t.Fatal(err)
	}
	x, err := newExpander(t.Context(), few)
	if err != nil {
		t.Fatal(err)
	}
	defer x.close()
	steps := 0
	for _, run := range s.records.runs(t.Context(), many, few, rng) {
		var got []interp.State
		add := func(st interp.State, came arrival) {
			if n := len(got); n > 0 && !stepTo(t, few.model, came, st) {
				t.Errorf("no step of %s leads from %v to %v", s.sys.Actions[came.action].Name,
					came.from, st)
			}
			got = append(got, st)
		}
		if err := x.follow(t.Context(), run, add); err != nil || len(got) != len(run) {
			t.Fatalf("%d of %d states are followed: %v", len(got), len(run), err)
		}
		steps += len(run) - 1
		if len(run) < 3 {
			continue
		}
		got = nil
		broken := []interp.State{run[0], run[1], run[0], run[1]}
		if err := x.follow(t.Context(), broken, add); err != nil || len(got) != 2 {
			t.Fatalf("%d states of a broken run are followed: %v", len(got), err)
		}
	}
	if steps < 100 {
		t.Errorf("the runs have %d steps in all", steps)
	}
}

func stepTo(t *testing.T, m *interp.Model, came arrival, st interp.State) (found bool) {
	t.Helper()
	err := m.Steps(t.Context(), came.from, m.System.Actions[came.action],
		func(step interp.Step) error {
			if found = slices.Equal(step.State, st); found {
				return interp.ErrStop
			}
			return nil
		})
	if err != nil && !errors.Is(err, interp.ErrStop) {
		t.Error(err)
	}
	return found
}
