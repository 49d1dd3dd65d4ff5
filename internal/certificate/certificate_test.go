package certificate

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"os"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/santhosh-tekuri/jsonschema/v6"

	"erelong.dev/erelong/internal/discharge"
	"erelong.dev/erelong/internal/engine/induction"
	"erelong.dev/erelong/internal/front"
	"erelong.dev/erelong/internal/front/ere"
	"erelong.dev/erelong/internal/result"
	"erelong.dev/erelong/internal/smt"
	"erelong.dev/erelong/internal/system"
	"erelong.dev/erelong/internal/testkit"
)

const rlimit = 3_000_000

func compile(t *testing.T, text string) *system.System {
	t.Helper()
	sys, _, err := ere.Compile("folder/test.ere", text)
	if err != nil {
		t.Fatal(err)
	}
	return sys
}

// prove makes a certificate from the engine's proofs.
func prove(t *testing.T, sys *system.System) (*Certificate, []result.Result) {
	t.Helper()
	results, err := induction.Prove(t.Context(), sys,
		induction.Options{Options: discharge.Options{Drivers: testkit.Solvers(t)}})
	if err != nil {
		t.Fatal(err)
	}
	c, err := New("test", Source{System: sys, Results: results})
	if err != nil {
		t.Fatal(err)
	}
	return c, results
}

// claim makes a certificate by hand, which claims that the properties hold by induction with these
// invariants.
func claim(t *testing.T, sys *system.System, claimed, invariant []string) *Certificate {
	t.Helper()
	p := Proof{Induction: 1}
	for list, names := range map[*[]Formula][]string{&p.Properties: claimed,
		&p.Invariant: invariant, &p.Trusted: names(ofKind(sys, system.Trusted))} {
		var err error
		if *list, err = formulasOf(sys).of(names); err != nil {
			t.Fatal(err)
		}
	}
	props, err := find(sys, p.Invariant)
	if err != nil {
		t.Fatal(err)
	}
	for _, q := range inductionQuestions(sys, props, nil) {
		q.Solver = "z3"
		p.Obligations = append(p.Obligations, q.Obligation)
	}
	return &Certificate{Schema: SchemaID, Specification: Specification{
		Name: "test.ere", SHA256: hash(sys.Source.Text), Text: sys.Source.Text}, Proofs: []Proof{p}}
}

func recheck(t *testing.T, c *Certificate, drivers ...smt.Driver) *Outcome {
	t.Helper()
	out, err := c.Recheck(t.Context(), Options{Drivers: drivers, Rlimit: rlimit})
	if err != nil {
		t.Fatal(err)
	}
	return out
}

// lock covers the language: every kind of symbol and sort, actions as programs and as formulas,
// choices, a definition, a trusted invariant, ranges, an unmodified property, theorems.
const lock = `
sort node
enum phase { idle, waiting, critical }
immutable constant top: int
immutable constant first: 0..top
immutable relation le(node, node)
axiom top >= 0
axiom le(X, X)
mutable function at(node): phase
mutable constant turn: 0..top
mutable relation seen(0..top)
mutable relation noise(node)
mutable relation quiet
derived relation busy: busy <-> exists N. at(N) = critical
trusted invariant [fair] !quiet
init at(N) = idle & turn = first & !seen(K)
action try(n: node) { require at(n) = idle; at(n) := waiting; }
action enter(n: node) { require at(n) = waiting & !busy; at(n) := critical; seen(turn) := true; }
action leave(n: node) { require at(n) = critical; at(n) := idle; choose k: 0..top with k >= turn { turn := k; } }
action hiss() { noise := *; assume noise(N) -> at(N) = critical; }
action age() { seen(K) := if K = 0 then false else seen(K - 1); }
transition speak(n: node)
  modifies quiet
  quiet' <-> quiet & at(n) = idle
safety [mutex] at(M) = critical & at(N) = critical -> M = N
safety [both] (busy -> exists N. at(N) = critical) & first >= 0 & first <= top
invariant [grows] turn >= first
invariant [loud] !quiet
invariant [wrong] !noise(N)
zerostate theorem [reflexive] exists Y. le(X, Y)
onestate theorem [named] busy -> exists N. at(N) != idle
twostate theorem [forever] new(busy) & (forall N. at(N) = new(at(N))) -> busy
`

func TestRecheck(t *testing.T) {
	c, _ := prove(t, compile(t, lock))
	if len(c.Proofs) != 2 {
		t.Fatalf("%d proofs", len(c.Proofs))
	}
	stated := map[identity]Obligation{}
	for _, p := range c.Proofs {
		for _, o := range p.Obligations {
			stated[o.identity()] = o
		}
	}
	all := [][]smt.Driver{testkit.Solvers(t)}
	for _, d := range testkit.Solvers(t) {
		all = append(all, []smt.Driver{d})
	}
	for _, drivers := range all {
		out := recheck(t, c, drivers...)
		var held []string
		for _, r := range out.Results {
			if r.Verdict != result.Holds {
				t.Errorf("%s: %s (%s)", r.Property, r.Verdict, r.Reason.Text)
			}
			held = append(held, r.Property)
			for _, o := range r.Evidence.Obligations {
				before := stated[identity{o.Name, o.Action, o.Property, o.Conjunct}]
				if o.Solver.Name == before.Solver && (len(drivers) > 1 || o.Seed == before.Seed) {
					t.Errorf("%s is rechecked by %s with seed %d, as before", o.Name, o.Solver,
						o.Seed)
				}
			}
		}
		want := []string{"mutex", "both", "grows", "loud", "range:turn", "reflexive", "named", "forever"}
		if !slices.Equal(held, want) {
			t.Errorf("rechecked %v, not %v", held, want)
		}
		if len(drivers) == 1 && len(out.Solvers) != 1 {
			t.Errorf("solvers %v", out.Solvers)
		}
	}
}

// A written certificate can be read again, and satisfies the schema.
func TestFormat(t *testing.T) {
	c, _ := prove(t, compile(t, lock))
	c.Proofs[0].Obligations[0].Core = []string{"mutex"}
	c.Proofs[0].Reductions = []Reduction{{"symmetry", "4.1"}}
	c.Proofs = append(c.Proofs, proveLive(t, compile(t, mutex)).Proofs...)
	r := c.Proofs[len(c.Proofs)-1].Ranking // with all that a proof may have
	r.Hints = "rank [live] { await acquire(); }"
	r.Possible = []result.RankPossible{{Action: "acquire", When: "!locked"}}
	r.Bound.Limits = []result.RankLimit{{Variable: "entries", Limit: "top"}}
	var b bytes.Buffer
	if err := c.Write(&b); err != nil {
		t.Fatal(err)
	}
	text := b.String()
	doc, err := jsonschema.UnmarshalJSON(strings.NewReader(text))
	if err != nil {
		t.Fatal(err)
	}
	schemaDoc, err := jsonschema.UnmarshalJSON(bytes.NewReader(Schema()))
	if err != nil {
		t.Fatal(err)
	}
	compiler := jsonschema.NewCompiler()
	if err := compiler.AddResource("certificate.json", schemaDoc); err != nil {
		t.Fatal(err)
	}
	if err := compiler.MustCompile("certificate.json").Validate(doc); err != nil {
		t.Error(err)
	}
	again, err := Read(&b)
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(c, again); diff != "" {
		t.Error(diff)
	}
	if strings.Contains(text, "folder") {
		t.Error("the certificate tells where the file was")
	}
	for _, bad := range []string{"", "{}", "[]", text + "{}",
		strings.Replace(text, `"proofs"`, `"claims"`, 1), strings.Replace(text, SchemaID, SchemaID+"0", 1)} {
		if _, err := Read(strings.NewReader(bad)); !errors.Is(err, ErrRefused) {
			t.Errorf("error %v for %.40q", err, bad)
		}
	}
}

// A certificate holds the files that its text includes, and is about nothing else: without one, or
// with another one, it is refused.
func TestIncluded(t *testing.T) {
	t.Chdir(t.TempDir())
	const helper = "#lang ivy1.7\naxiom X:node = Y\n"
	if err := os.WriteFile("helper.ivy", []byte(helper), 0o600); err != nil {
		t.Fatal(err)
	}
	systems, _, err := front.Systems(t.Context(), "lock.ivy", `#lang ivy1.7
include helper
type node
relation granted(X:node)
after init { granted(X) := false }
action grant(x:node) = { granted(x) := true }
export grant
invariant [exclusive] granted(X) & granted(Y) -> X = Y
`, front.Options{})
	if err != nil {
		t.Fatal(err)
	}
	// What is on the disk is not read again.
	if err := os.WriteFile("helper.ivy", []byte("#lang ivy1.7\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	sys := systems[0].Spec.System
	c := claim(t, sys, []string{"exclusive"}, []string{"exclusive"})
	c.Specification.Name = "lock.ivy"
	again := func(included ...Module) error {
		c.Specification.Included = included
		out, err := c.Recheck(t.Context(), Options{Drivers: testkit.Solvers(t)})
		if err == nil && out.Results[0].Verdict != result.Holds {
			err = fmt.Errorf("it %s", out.Results[0].Verdict)
		}
		return err
	}
	if err := again(Module{"helper.ivy", hash(helper), helper}); err != nil {
		t.Errorf("a certificate with what its text includes: %v", err)
	}
	if err := again(); !errors.Is(err, ErrRefused) || !strings.Contains(err.Error(), "helper") {
		t.Errorf("a certificate without what its text includes: %v", err)
	}
	const other = "#lang ivy1.7\n"
	if err := again(Module{"helper.ivy", hash(helper), other}); !errors.Is(err, ErrRefused) {
		t.Errorf("a certificate with another text: %v", err)
	}
	if err := again(Module{"helper.ivy", hash(other), other}); err == nil {
		t.Error("the claim holds without the axiom")
	}
	made, err := New("test", Source{System: sys, Results: []result.Result{}})
	if err != nil || made != nil {
		t.Errorf("a certificate of nothing: %v, %v", made, err)
	}
}

func TestNothingProved(t *testing.T) {
	sys := compile(t, "mutable relation p\ninit !p\naction set() { p := true; }\nsafety [never] !p\nsat trace { set }")
	if c, _ := prove(t, sys); c != nil {
		t.Errorf("a certificate of %v", c.Proofs)
	}
}

// A solver that gives up leaves the claim unknown.
func TestUnknown(t *testing.T) {
	c := claim(t, compile(t, lock), []string{"mutex"}, []string{"mutex"})
	out, err := c.Recheck(t.Context(), Options{Drivers: testkit.Solvers(t)[:1], Rlimit: 1})
	if err != nil {
		t.Fatal(err)
	}
	if r := out.Results[0]; r.Verdict != result.Unknown || !strings.Contains(r.Reason.Text, "the resource limit was reached; rechecked") {
		t.Errorf("%s: %s (%s)", r.Property, r.Verdict, r.Reason.Text)
	}
}

// lucky is a solver that ends at once unless its seed is large enough.
type lucky struct {
	smt.Driver
	seed int
}

func (l lucky) Setup(c smt.Config) []string {
	if c.Seed < l.seed {
		return []string{"(exit)"}
	}
	return l.Driver.Setup(c)
}

// Where the first seed gives no proof, a few more are tried.
func TestMoreSeeds(t *testing.T) {
	c := claim(t, compile(t, lock), []string{"mutex"}, []string{"mutex"})
	for _, tt := range []struct {
		seed int
		want result.Verdict
	}{{moreSeeds, result.Holds}, {moreSeeds + 2, result.Unknown}} {
		out, err := c.Recheck(t.Context(), Options{Rlimit: rlimit,
			Drivers: []smt.Driver{lucky{testkit.Solvers(t)[0], tt.seed}}})
		if err != nil {
			t.Fatal(err)
		}
		if r := out.Results[0]; r.Verdict != tt.want {
			t.Errorf("from seed %d on: %s (%s)", tt.seed, r.Verdict, r.Reason.Text)
		}
	}
}

// What an action does not change is proved from itself alone.
func TestUnchanged(t *testing.T) {
	sys := compile(t, lock)
	for _, q := range inductionQuestions(sys, ofKind(sys, system.Safety), nil) {
		part := len(q.less) > 0
		unchanged := q.Action != "" && q.goal.String() == q.Formula
		if part != unchanged {
			t.Errorf("%s: part %v, unchanged %v", q.Name, part, unchanged)
		}
	}
}

func TestInterrupted(t *testing.T) {
	c := claim(t, compile(t, lock), []string{"mutex"}, []string{"mutex"})
	drivers := testkit.Solvers(t)
	ctx, cancel := context.WithCancel(t.Context())
	_, plans, err := c.plans(ctx)
	if err != nil {
		t.Fatal(err)
	}
	cancel()
	if _, err := c.Recheck(ctx, Options{Drivers: drivers, Rlimit: rlimit}); !errors.Is(err,
		context.Canceled) || errors.Is(err, ErrRefused) {
		t.Errorf("interrupted while the text is read: %v", err)
	}
	r := &rechecker{opts: Options{Drivers: drivers, Rlimit: rlimit, Jobs: 1},
		total: len(plans[0].questions)}
	if r := r.prove(ctx, plans[0])[0]; r.Verdict != result.Unknown ||
		!strings.Contains(r.Reason.Text, "interrupted") {
		t.Errorf("%s: %s (%s)", r.Property, r.Verdict, r.Reason.Text)
	}
}

// TestManyBranches checks a proof about hundreds of branches in a row again.
func TestManyBranches(t *testing.T) {
	sys := compile(t, "mutable constant x: 0..7\nmutable constant c: int\nmutable constant d: int\ninit x = 0 & c = 0 & d = 0\naction a() {\n"+
		strings.Repeat("if x = c { c := c + 1; x := if x < 7 then x + 1 else 0; } else { d := d + 1; }\n", 300)+
		"}\nsafety [sum] c + d >= 0\n")
	c, results := prove(t, sys)
	for _, r := range results {
		if r.Verdict != result.Holds {
			t.Fatalf("%s: %s, %s", r.Property, r.Verdict, r.Reason)
		}
	}
	for _, r := range recheck(t, c, testkit.Solvers(t)...).Results {
		if r.Verdict != result.Holds {
			t.Errorf("%s: %s, %s", r.Property, r.Verdict, r.Reason)
		}
	}
}

// TestManyConjuncts checks hundreds of conjuncts again with a few questions. One that is false is
// found among them.
func TestManyConjuncts(t *testing.T) {
	conjuncts := make([]string, 220)
	for i := range conjuncts {
		conjuncts[i] = fmt.Sprintf("x <= %d", i+5)
	}
	for _, safety := range []string{strings.Join(conjuncts, " & "),
		strings.Join(conjuncts, " & ") + " & x <= 4"} {
		sys := compile(t, "mutable constant x: int\ninit x = 0\naction a() { if x < 5 { x := x + 1; } }\nsafety [p] "+safety)
		out := recheck(t, claim(t, sys, []string{"p"}, []string{"p"}), testkit.Solvers(t)...)
		queries, refuted := int64(0), 0
		for _, o := range out.Results[0].Evidence.Obligations {
			queries += o.Queries
			if o.Verdict != result.Holds {
				refuted++
			}
		}
		if holds := safety == strings.Join(conjuncts, " & "); holds !=
			(out.Results[0].Verdict == result.Holds) || holds && queries > 10 ||
			!holds && refuted != 1 {
			t.Errorf("%s after %d queries, %d are refuted", out.Results[0].Verdict, queries,
				refuted)
		}
	}
}
