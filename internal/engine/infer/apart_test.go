package infer

import (
	"slices"
	"testing"

	"erelong.dev/erelong/internal/engine"
	"erelong.dev/erelong/internal/result"
	"erelong.dev/erelong/internal/testkit"
)

// pairs has two properties without an inductive invariant of the vocabulary, since the number of
// marked nodes and of sealed ones stays even, and one with such an invariant.
const pairs = `
sort node
mutable relation marked(node), sealed(node), holds(node), grant(node)
mutable relation free
init !marked(N) & !sealed(N) & !holds(N) & !grant(N)
init free
action mark(n: node, m: node) { require n != m; marked(n) := !marked(n); marked(m) := !marked(m); }
action seal(n: node, m: node) { require n != m; sealed(n) := !sealed(n); sealed(m) := !sealed(m); }
action give(n: node) { require free; grant(n) := true; free := false; }
action take(n: node) { require grant(n); grant(n) := false; holds(n) := true; }
action put(n: node) { require holds(n); holds(n) := false; free := true; }
safety [even] forall X. marked(X) -> exists Y. Y != X & marked(Y)
safety [exclusive] holds(X) & holds(Y) -> X = Y
safety [even_seals] forall X. sealed(X) -> exists Y. Y != X & sealed(Y)
`

// A property is proved with its lemmas where others have no proof, unless the effort is limited.
func TestApart(t *testing.T) {
	for _, c := range []struct {
		name   string
		effort int64
		part   bool
	}{{"unlimited", 0, true}, {"limited", 100_000, false}} {
		t.Run(c.name, func(t *testing.T) {
			opts := options(t)
			opts.Effort = c.effort
			sys := testkit.Compile(t, pairs)
			out, err := Find(t.Context(), sys, opts)
			if err != nil {
				t.Fatal(err)
			}
			if out.Proved || out.Part != c.part || !out.Reason.Given() {
				t.Fatalf("proved %t, part %t: %s", out.Proved, out.Part, out.Reason)
			}
			if !c.part {
				return
			}
			if len(out.Results) != 1 || out.Results[0].Property != "exclusive" ||
				out.Results[0].Verdict != result.Holds || len(out.Lemmas) == 0 {
				t.Errorf("%+v with %v", out.Results, lemmas(out))
			}
			for _, l := range out.Partial {
				if slices.ContainsFunc(out.Lemmas, func(x Lemma) bool { return x.Term == l.Term }) {
					t.Errorf("%s is given twice", l.Name)
				}
			}
		})
	}
}

// No two lemmas have the same name after a proof of some properties has numbered its lemmas anew.
func TestDistinguish(t *testing.T) {
	sys := testkit.Compile(t, pairs)
	of := func(name, needs string) *goal { return &goal{name: name, needs: needs} }
	all := []*goal{{property: sys.Properties[0]}, {property: sys.Properties[1]},
		of("lemma1", "even"), of("lemma2", "lemma1"), of("lemma3", "exclusive"),
		of("lemma4", "lemma3"), of("lemma5", "lemma2")}
	names := map[*goal]string{}
	for _, g := range all {
		names[g] = g.label()
	}
	s := newSearch(sys, Options{}, nil).goals
	s.all = []*goal{all[1], all[4], all[5]}
	s.rename(s.all)
	s.distinguish(all, names)
	var got []string
	for _, g := range all[2:] {
		got = append(got, g.name+" for "+g.needs)
	}
	want := []string{"lemma3 for even", "lemma4 for lemma3", "lemma1 for exclusive",
		"lemma2 for lemma1", "lemma5 for lemma4"}
	if !slices.Equal(got, want) {
		t.Errorf("the lemmas are %q, want %q", got, want)
	}
}

// The engine reports an unknown result of each property without a proof.
func TestApartResults(t *testing.T) {
	sys := testkit.Compile(t, pairs)
	task := &engine.Task{Method: engine.Infer, System: sys}
	for _, p := range sys.Properties {
		task.Claims = append(task.Claims, engine.Claim{Name: p.Name, Property: p})
	}
	e := &Engine{Options: options(t).Options.Options}
	found, err := e.Run(t.Context(), task, engine.Sink{})
	if err != nil {
		t.Fatal(err)
	}
	got := map[string]result.Verdict{}
	for _, r := range found.Results {
		got[r.Property] = r.Verdict
	}
	if len(found.Results) != 3 || got["exclusive"] != result.Holds ||
		got["even"] != result.Unknown || got["even_seals"] != result.Unknown {
		t.Errorf("%v", found.Results)
	}
	if found.Inferred == nil || !slices.Equal(found.Inferred.Open, []string{"even", "even_seals"}) {
		t.Errorf("%+v", found.Inferred)
	}
}

// A search that is stuck before any draft of a proof lists what it can prove of its lemmas.
func TestLeft(t *testing.T) {
	sys := testkit.Compile(t, `
immutable constant N: int
axiom N >= 1
mutable constant x: 0..2 * N
mutable constant y: int
init x = 0 & y = 0
action step() { require x + 2 <= 2 * N; x := x + 2; y := y + 2; }
action back() { require x >= 2; x := x - 2; y := y - 2; }
safety [both] y <= 2 * N & x + 1 != 2 * N
`)
	for _, c := range []struct {
		effort int64
		some   bool
	}{{0, true}, {100_000, false}} {
		opts := options(t)
		opts.NoHorn, opts.Effort = true, c.effort
		out, err := Find(t.Context(), sys, opts)
		if err != nil {
			t.Fatal(err)
		}
		if out.Proved || !out.Reason.Given() {
			t.Fatalf("proved %t: %s", out.Proved, out.Reason)
		}
		if some := slices.ContainsFunc(out.Partial, func(l Lemma) bool {
			return l.Term.String() == "y <= x"
		}); some != c.some {
			t.Errorf("with effort %d: %v", c.effort, out.Partial)
		}
	}
}
