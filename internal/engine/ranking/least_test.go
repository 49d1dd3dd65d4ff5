package ranking

import (
	"slices"
	"strings"
	"testing"

	"erelong.dev/erelong/internal/discharge"
	"erelong.dev/erelong/internal/engine/explicit"
	"erelong.dev/erelong/internal/engine/ranking/synth"
	"erelong.dev/erelong/internal/logic"
	"erelong.dev/erelong/internal/result"
	"erelong.dev/erelong/internal/system"
	"erelong.dev/erelong/internal/testkit"
	"erelong.dev/erelong/internal/vc"
)

// Whoever waits asks all others to let it go first, and each lets go first whoever comes before it
// in an order that steps change. The guard of no action asks for a first one.
const lets = `
	sort client
	mutable relation waits(client), told(client, client)
	mutable function stamp(client): 0..1
	fair action tell(c: client, d: client) {
		require waits(c) & !told(c, d) & (waits(d) -> ORDER);
		told(c, d) := true;
	}
	fair action serve(c: client) {
		require waits(c) & (forall D. told(c, D));
		waits(c) := false;
	}
	liveness [l] waits(C) ~> !waits(C)
	instance two { client = 2 }
	instance three { client = 3 }
	`

const (
	relation   = "immutable relation left(client, client)\n"
	total      = relation + "axiom left(C, D) | left(D, C)\n"
	transitive = "axiom left(C, D) & left(D, E) -> left(C, E)\n"
)

var orders = []struct {
	name, order, axioms string
	facts               int // for one of two values of the property
	proved              bool
}{
	{"an order", "stamp(c) <= stamp(d)", "", 2, true},
	{"the other way", "!(stamp(c) < stamp(d))", "", 2, true},
	{"a strict order, which lets none of two equal ones go first", "c = d | stamp(c) < stamp(d)", "",
		2, false},
	{"equal ones in another order", "stamp(c) < stamp(d) | stamp(c) = stamp(d) & left(c, d)",
		total + transitive, 4, true},
	{"equal ones in a relation that is no order",
		"stamp(c) < stamp(d) | stamp(c) = stamp(d) & left(c, d)",
		total, 4, false},
	{"equal ones in an order that is not total",
		"stamp(c) < stamp(d) | stamp(c) = stamp(d) & left(c, d)",
		relation + transitive, 4, false},
	{"no comparison", "stamp(c) = 0", "", 0, false},
}

func orderly(t *testing.T, order, axioms string) *system.System {
	t.Helper()
	return testkit.Compile(t, strings.ReplaceAll(lets, "ORDER", order)+axioms)
}

// A first value exists where the comparison is a total order of the values that wait: then some
// action can be taken. Where it is none, that is not proved.
func TestLeast(t *testing.T) {
	for i, c := range orders {
		t.Run(c.name, func(t *testing.T) {
			if i > 0 { // the solvers try long
				testkit.InCI(t)
			}
			sys, _ := normal(orderly(t, c.order, c.axioms))
			p := newProblem(sys, sys.Properties[0], nil, nil)
			if n := len(least(p)); n != c.facts {
				t.Errorf("%d facts instead of %d", n, c.facts)
			}
			opts := options(t).Options
			opts.Rlimit = 200_000 // what has a proof has a short one
			d, err := discharge.New(t.Context(), p.sys, opts)
			if err != nil {
				t.Fatal(err)
			}
			proved := false
			for _, g := range p.progressClaims(nil) {
				d.All(t.Context(), []*discharge.Group{g})
				o := g.Obligations[0]
				if o.Verdict == result.Holds {
					proved = true
					if plainly(o.Name) == o.Name {
						t.Errorf("%s without the facts", o.Name)
					}
				}
			}
			if proved != c.proved {
				t.Errorf("proved: %t", proved)
			}
		})
	}
}

// What is taken for an order is one by a solver's proof, too, and what is not is none.
func TestSorted(t *testing.T) {
	strict := transitive + "axiom !left(C, C)\n"
	for _, c := range []struct{ order, axioms string }{
		{"stamp(c) <= stamp(d)", ""},
		{"!(stamp(c) < stamp(d))", ""},
		{"c = d | stamp(c) < stamp(d)", ""},
		{"stamp(c) < stamp(d) | stamp(c) = stamp(d) & left(c, d)", relation},
		{"stamp(c) < stamp(d) | stamp(c) = stamp(d) & left(c, d)", total},
		{"stamp(c) < stamp(d) | stamp(c) = stamp(d) & left(c, d)", relation + transitive},
		{"stamp(c) < stamp(d) | left(c, d)", total + transitive},
		{"stamp(c) < stamp(d) & left(c, d)", relation + strict},
		{"stamp(c) = stamp(d) & left(c, d)", relation + strict},
		{"stamp(c) = stamp(d) | left(c, d)", relation + strict},
		{"stamp(c) < stamp(d) | stamp(c) = stamp(d) & left(d, c)",
			relation + strict + "axiom C != D -> left(C, D) | left(D, C)\n"},
		{"stamp(c) < stamp(d) | stamp(c) = stamp(d) & left(d, c)",
			relation + strict + "axiom exists C: client. forall D: client. left(C, D)\n"},
	} {
		sys, _ := normal(orderly(t, c.order, c.axioms))
		d, err := discharge.New(t.Context(), sys, options(t).Options)
		if err != nil {
			t.Fatal(err)
		}
		for _, by := range synth.Comparisons(sys) {
			a, b := by.A, by.B
			third := &logic.Var{Name: "Z", Sort: a.Sort}
			theory := &vc.Theory{}
			theory.Background(sys, nil, vc.Versions{})
			o := &discharge.Obligation{Goal: logic.Forall([]*logic.Var{a, b, third},
				logic.Implies(logic.And(strictly(by, a, b), strictly(by, b, third)),
					strictly(by, a, third)))}
			d.All(t.Context(), []*discharge.Group{{Theory: theory, Path: vc.OneState(),
				Obligations: []*discharge.Obligation{o}}})
			if o.Verdict == result.Unknown || sorted(sys, by) != (o.Verdict == result.Holds) {
				t.Errorf("%s with %q: sorted is %t, the solver says %s", by.Before, c.axioms,
					sorted(sys, by), o.Verdict)
			}
			t.Log(by.Before, c.axioms, o.Verdict)
		}
	}
}

// A rumour goes down a tree. That some node is told next follows from an order that only the axioms
// know: of the nodes that have not heard it, one is nearest to the root.
const rumour = `
	sort node @finite
	immutable constant root: node
	immutable relation parent(node, node)
	ORDER
	mutable relation heard(node)
	init heard(N) <-> N = root
	invariant heard(root)
	fair action tell(a: node, b: node) {
		require heard(a) & parent(a, b) & !heard(b);
		heard(b) := true;
	}
	liveness [told] true ~> heard(N)
	`

func TestFirstOfAxioms(t *testing.T) {
	testkit.InCI(t)
	for _, c := range []struct {
		name, order string
	}{
		{"a distance", `immutable function depth(node): int
			axiom N != root -> exists P. parent(P, N) & depth(P) < depth(N)`},
		{"a relation", `immutable relation above(node, node)
			axiom !above(A, A)
			axiom above(A, B) & above(B, C) -> above(A, C)
			axiom N != root -> exists P. parent(P, N) & above(P, N)`},
	} {
		t.Run(c.name, func(t *testing.T) {
			sys := testkit.Compile(t, strings.Replace(rumour, "ORDER", c.order, 1))
			if got := prove1(t, options(t), sys); got.Verdict != result.Holds {
				t.Errorf("%s: %s", got.Verdict, got.Reason)
			}
		})
	}
}

// Each fact is true in all states of small instances, whatever is compared.
func TestFactsAboutFirstValues(t *testing.T) {
	for _, c := range orders {
		if c.facts == 0 {
			continue
		}
		t.Run(c.name, func(t *testing.T) {
			sys, _ := normal(orderly(t, c.order, c.axioms))
			p := newProblem(sys, sys.Properties[0], nil, nil)
			for _, f := range append(least(p), ends(p)...) {
				sys.Properties = append(sys.Properties, &system.Property{Name: "fact",
					Kind: system.Safety, Term: p.forAll(sys.Properties[0], f),
					Span: sys.Properties[0].Span})
			}
			sizes := 2
			if strings.Contains(c.axioms, "left") { // more states
				sizes = 1
			}
			for _, in := range sys.Instances[:sizes] {
				results, err := explicit.Check(t.Context(), sys, in,
					explicit.Options{Only: []string{"fact"}})
				if err != nil {
					t.Fatal(err)
				}
				for _, r := range results {
					if r.Verdict != result.Holds || r.States == 0 {
						t.Errorf("%s in %s of %d states", r.Verdict, in.Name, r.States)
					}
				}
			}
		})
	}
}

// What is wanted speaks of the system alone, also where a property has several variables: the facts
// are about any values of these. Else no state could be looked at, and nothing would be wanted.
func TestWantedOfTwoVariables(t *testing.T) {
	text := strings.NewReplacer("ORDER", "stamp(c) <= stamp(d)", "waits(C) ~> !waits(C)",
		"forall C: client, E: client. waits(C) & waits(E) ~> !waits(C)").Replace(lets)
	sys := testkit.Compile(t, text)
	wanted, err := Wanted(t.Context(), sys, sys.Properties[0], sys.Instances[:1],
		options(t).Options)
	if err != nil || len(wanted) == 0 {
		t.Fatalf("%d are wanted, %v", len(wanted), err)
	}
	for _, w := range wanted {
		logic.Walk(w.Term, func(u *logic.Term) bool {
			if u.Op == logic.OpApp && !slices.Contains(sys.Symbols, u.Symbol) {
				t.Errorf("%s is no symbol of the system, in %s", u.Symbol.Name, w.Term)
			}
			return true
		})
	}
}
