package induction_test

import (
	"fmt"
	"strings"
	"testing"

	"erelong.dev/erelong/internal/discharge"
	"erelong.dev/erelong/internal/engine/induction"
	"erelong.dev/erelong/internal/result"
	"erelong.dev/erelong/internal/smt"
	"erelong.dev/erelong/internal/testkit"
)

// models are small systems; want lists the results as "property: verdict", with "(reason)" if it is
// compared.
var models = []struct {
	name, text string
	want       []string
	trace      string // of the first result that has one, in the form of show
}{
	{"lock server", `
sort node
mutable relation server
mutable relation held(node)
init server
init !held(N)
action lock(n: node) { require server; server := false; held(n) := true; }
action unlock(n: node) { require held(n); held(n) := false; server := true; }
safety [mutex] held(A) & held(B) -> A = B
invariant [free] server -> !held(N)`,
		[]string{"mutex: holds", "free: holds"}, ""},

	{"lock server without its invariant", `
sort node
mutable relation server
mutable relation held(node)
init server
init !held(N)
action lock(n: node) { require server; server := false; held(n) := true; }
action unlock(n: node) { require held(n); held(n) := false; server := true; }
safety [mutex] held(A) & held(B) -> A = B`,
		[]string{"mutex: not inductive"}, ""},

	{"counter", `
immutable constant limit: int
mutable constant x: int
axiom limit > 10
init x = 0
action up() { require x < limit; x := x + 1; }
action down() { require x > 0; x := x - 1; }
safety [low] x >= 0
safety [high] x <= limit
safety [even] x != 3`,
		[]string{"low: holds", "high: holds", "even: not inductive"}, ""},

	{"large numbers", `
mutable constant x: int
init x = 1000000000000000000000
action up() { x := x + x; }
safety [high] x >= 1000000000000000000000
safety [exact] x = 1000000000000000000000`,
		[]string{"high: holds", "exact: not inductive"}, `
x = 1000000000000000000000
up
x = 2000000000000000000000
violates exact`},

	{"enum automaton", `
enum phase { idle, trying, critical }
sort process
mutable function at(process): phase
init at(P) = idle
action try(p: process) { require at(p) = idle; at(p) := trying; }
action enter(p: process) { require at(p) = trying & forall Q. at(Q) != critical; at(p) := critical; }
action leave(p: process) { require at(p) = critical; at(p) := idle; }
safety [mutex] at(P) = critical & at(Q) = critical -> P = Q
safety [never] at(P) != critical`,
		[]string{"mutex: holds", "never: not inductive"}, `
process = process0
at = {process0: trying}
enter p = process0
at = {process0: critical}
violates never`},

	{"function update for all", `
sort client
mutable function waits(client): int
init waits(C) = 0
action serve(c: client) { waits(C) := if C = c then 0 else waits(C) + 1; }
safety [natural] waits(C) >= 0`,
		[]string{"natural: holds"}, ""},

	{"havoc", `
sort client
mutable relation busy(client)
mutable relation seen(client)
init !busy(C) & !seen(C)
action shuffle() { busy := *; assume busy(C) -> seen(C); }
action see(c: client) { seen(c) := true; }
safety [subset] busy(C) -> seen(C)
safety [few] busy(C) & busy(D) -> C = D`,
		[]string{"subset: holds", "few: not inductive"}, ""},

	{"range buffer", `
immutable constant Delta: int
axiom Delta >= 0
mutable relation E(0..Delta)
mutable constant quiet: 0..Delta
init !E(K) & quiet = 0
action age() {
  E(K) := if K = 0 then false else E(K - 1) | K = Delta & E(K);
  quiet := if quiet < Delta then quiet + 1 else quiet;
}
action send() { E(0) := true; quiet := 0; }
safety [counted] E(K) -> K >= quiet
safety [broken] !E(Delta)`,
		[]string{"counted: holds", "broken: not inductive", "range:quiet: holds"}, ""},

	{"range that overflows", `
mutable constant x: 0..3
init x = 0
action up() { x := x + 1; }
safety [small] x < 100`,
		[]string{"small: unknown (its proof needs the invariant range:x, which is not inductive)", "range:x: not inductive"}, `
x = 3
up
x = 4
violates range:x`},

	{"range kept", `
immutable constant n: int
axiom n > 5
mutable constant x: 0..n
init x = 0
action up() { require x < n; x := x + 1; }
action jump() { x := *; }
safety [high] x < 6`,
		[]string{"high: not inductive", "range:x: holds"}, ""},

	{"empty range", `
immutable constant n: int
mutable relation r(0..n)
mutable relation done
init r(K)
init !done
action finish(k: 0..n) { require n < 0; done := true; }
safety [never] !done`,
		[]string{"never: holds"}, ""},

	{"trusted", `
mutable constant x: int
trusted invariant [fair] x <= 5
init x = 0
action up() { x := x + 1; }
safety [bound] x <= 5
safety [strict] x <= 4`,
		[]string{"bound: holds", "strict: not inductive"}, ""},

	{"derived", `
sort node
mutable relation a(node)
mutable relation b(node)
derived relation both(node): both(X) <-> a(X) & b(X)
init !a(X)
action setA(n: node) { require !b(n); a(n) := true; }
action setB(n: node) { require !a(n); b(n) := true; }
safety [none] !both(X)`,
		[]string{"none: holds"}, ""},

	{"relation", `
sort node
mutable relation mark(node, bool)
mutable relation done
init !mark(N, B) & !done
action finish(n: node) { require mark(n, true) & !mark(n, false); done := true; }
safety [never] !done`,
		[]string{"never: not inductive"}, `
node = node0
mark = {(node0, true)}, done = false
finish n = node0
mark = {(node0, true)}, done = true
violates never`},

	{"dependence", `
mutable relation p
mutable relation q
mutable relation r
init p & q & r
action pq() { q := p; }
action qr() { r := q; }
action lose() { p := !p; }
safety [safe] r
invariant [middle] q
invariant [root] p`,
		[]string{"safe: unknown (its proof needs the invariant root, which is not inductive)",
			"middle: unknown (its proof needs the invariant root, which is not inductive)", "root: not inductive"}, `
p = true, q = true, r = true
lose
p = false, q = true, r = true
violates root`},

	{"false at the start", `
mutable relation p
init !p
action set() { p := true; }
safety [always] p`,
		[]string{"always: not inductive"}, `
p = false
violates always`},

	{"no initial state", `
immutable relation a
mutable relation p
axiom a
init !a
action set() { p := false; }
safety [never] !p
theorem [fact] a
unsat trace { any transition
  assert p }
sat trace { any transition }`,
		[]string{"never: nothing checked (no initial state: the axioms and initial conditions contradict each other)", "fact: holds",
			"trace:9: nothing checked (no initial state: the axioms and initial conditions contradict each other)",
			"trace:11: no run (no such run exists: no initial state: the axioms and initial conditions contradict each other)"}, ""},

	{"contradictory axioms", `
immutable relation a
axiom a
axiom !a
theorem [nonsense] !a
unsat trace { assert true }`,
		[]string{"nonsense: nothing checked (the axioms contradict each other)", "trace:6: nothing checked (the axioms contradict each other)"}, ""},

	{"theorems", `
sort node
immutable relation le(node, node)
mutable constant x: node
mutable constant n: int
axiom le(X, X)
axiom le(X, Y) & le(Y, X) -> X = Y
zerostate theorem [fact] le(X, Y) & X != Y -> !le(Y, X)
onestate theorem [one] le(x, x)
onestate theorem [two] n * n >= 0
twostate theorem [still] x = new(x)`,
		[]string{"fact: holds", "one: holds", "two: holds", "still: violated"}, ""},

	{"values that z3 gives as terms", `
sort node
immutable constant first: node
immutable constant second: node
immutable relation big(node)
axiom first != second & (X = first | X = second)
mutable relation flag
mutable relation held(node)
derived relation marked(node): marked(Y) <-> (if Y = second -> flag then held(second) else !big(second))
twostate theorem [kept] new(marked(second)) -> (flag -> new(flag)) | marked(first) | held(first)
twostate theorem [grown] marked(X) -> new(marked(X))`,
		[]string{"kept: violated", "grown: violated"}, ""},

	{"scenarios", `
sort node
mutable relation token(node)
mutable constant turn: int
init token(X) <-> X = X
init turn = 0
action drop(n: node) { require token(n) & turn < 2; token(n) := false; turn := turn + 1; }
sat trace { drop(*)
  drop
  assert turn = 1 }
unsat trace { drop
  drop
  drop }
unsat trace { assert turn = 1
  drop
  assert turn = 1 }
sat trace { assert init
  any transition
  any transition
  assert turn = 1 }`,
		[]string{"trace:8: no run (no such run exists)", "trace:11: holds", "trace:14: holds", "trace:17: holds"}, ""},
}

func TestModels(t *testing.T) {
	all := [][]smt.Driver{testkit.Solvers(t)}
	if len(all[0]) > 1 {
		for _, d := range all[0] {
			all = append(all, []smt.Driver{d})
		}
	}
	for i, m := range models {
		t.Run(m.name, func(t *testing.T) {
			t.Parallel()
			sys := testkit.Compile(t, m.text)
			for k, drivers := range all {
				if !testkit.One(i+k, len(all)) {
					continue // in an ordinary run each has a third of the models
				}
				label := smt.Label(drivers[0])
				if len(drivers) > 1 {
					label = "all solvers"
				}
				results, err := induction.Prove(t.Context(), sys,
					induction.Options{Options: discharge.Options{Drivers: drivers, Jobs: 1}})
				if err != nil {
					t.Fatal(err)
				}
				var got []string
				shown := ""
				for i, r := range results {
					line := fmt.Sprintf("%s: %s", r.Property, r.Verdict)
					if i < len(m.want) && strings.Contains(m.want[i], "(") {
						line += fmt.Sprintf(" (%s)", r.Reason)
					} else if r.Verdict != result.Holds && r.Trace == nil {
						t.Errorf("%s: %s %s without a trace: %s", label, r.Property, r.Verdict,
							r.Reason)
					}
					got = append(got, line)
					if r.Trace != nil && strings.Contains(show(r.Trace), "?") {
						t.Errorf("%s: a value is not known:\n%s", label, show(r.Trace))
					}
					if r.Trace != nil && shown == "" {
						shown = show(r.Trace)
					}
					if r.Scope != result.ScopeAll || r.Engine != induction.Name || r.Line == 0 {
						t.Errorf("%s: %+v", label, r)
					}
				}
				if g, w := strings.Join(got, "\n"), strings.Join(m.want, "\n"); g != w {
					t.Errorf("%s: got\n%s\nwant\n%s", label, g, w)
				}
				if m.trace != "" && "\n"+shown != m.trace {
					t.Errorf("%s: the trace is\n%s", label, shown)
				}
			}
		})
	}
}

// show prints a trace in a compact form.
func show(tr *result.Trace) string {
	bindings := func(bs []result.Binding) string {
		parts := make([]string, len(bs))
		for i, b := range bs {
			parts[i] = b.Name + " = " + b.Value.String()
		}
		return strings.Join(parts, ", ")
	}
	var lines []string
	for _, u := range tr.Universe {
		lines = append(lines, u.Sort+" = "+strings.Join(u.Elements, " "))
	}
	if len(tr.Params) > 0 {
		lines = append(lines, bindings(tr.Params))
	}
	for i, s := range tr.Steps {
		if i > 0 {
			lines = append(lines, strings.TrimSpace(s.Action+" "+bindings(s.Args)))
		}
		lines = append(lines, bindings(s.State))
	}
	return strings.Join(append(lines, "violates "+tr.Violates), "\n")
}
