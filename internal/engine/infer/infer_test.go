package infer

import (
	"fmt"
	"os"
	"slices"
	"strings"
	"testing"

	"erelong.dev/erelong/internal/discharge"
	"erelong.dev/erelong/internal/engine/induction"
	"erelong.dev/erelong/internal/front/ere"
	"erelong.dev/erelong/internal/front/ere/strip"
	"erelong.dev/erelong/internal/logic"
	"erelong.dev/erelong/internal/testkit"
)

func options(t *testing.T) Options {
	t.Helper()
	drivers := testkit.Solvers(t)
	return Options{Options: induction.Options{Options: discharge.Options{Drivers: drivers,
		Jobs: 2}}}
}

// A solver of Horn clauses finds what the search finds, too, and each is proved.
func TestHornClauses(t *testing.T) {
	const text = `enum place { filling, draining }
immutable constant N: int
axiom N >= 2
mutable constant at: place
mutable constant level: int
mutable constant steps: int
init at = filling & level = 0 & steps = 0
action fill() { require at = filling & level < N; level := level + 2; steps := steps + 1; }
action turn() { if at = filling { at := draining; } else { at := filling; } }
action drain() { require at = draining & level > 0; level := level - 1; }
safety [bounded] level <= N + 1
safety [counted] steps >= 0
`
	sys := testkit.Compile(t, text)
	for _, without := range []bool{false, true} {
		opts := options(t)
		opts.NoHorn = without
		out, err := Find(t.Context(), sys, opts)
		if err != nil || !out.Proved || len(out.Results) != 2 {
			t.Errorf("without Horn clauses: %t: %v, %+v", without, err, out)
		}
	}
}

// Lemmas are found for other people's models without their own invariants.
func TestLockServer(t *testing.T) {
	sys, list, err := ere.Compile("lock.ere", `
sort client
mutable relation free
mutable relation grant(client), release(client), holds(client)
init free
init !grant(C) & !release(C) & !holds(C)
action give(c: client) { require free; grant(c) := true; free := false; }
action take(c: client) { require grant(c); grant(c) := false; holds(c) := true; }
action put(c: client) { require holds(c); holds(c) := false; release(c) := true; }
action accept(c: client) { require release(c); release(c) := false; free := true; }
safety [exclusive] holds(A) & holds(B) -> A = B
`)
	if err != nil {
		t.Fatal(err, list)
	}
	first, err := Find(t.Context(), sys, options(t))
	if err != nil {
		t.Fatal(err)
	}
	if !first.Proved || len(first.Lemmas) == 0 {
		t.Fatalf("not proved: %s", first.Reason)
	}
	again, err := Find(t.Context(), sys, options(t))
	if err != nil {
		t.Fatal(err)
	}
	if fmt.Sprint(lemmas(first)) != fmt.Sprint(lemmas(again)) {
		t.Errorf("two runs found different lemmas:\n%v\n%v", lemmas(first), lemmas(again))
	}
}

func lemmas(o *Outcome) (out []string) {
	for _, l := range o.Lemmas {
		out = append(out, l.Term.String())
	}
	return out
}

// Lemmas about quorums: that all members of some quorum have voted, and that one node votes once.
// Both are needed, and neither is a part of the file.
func TestQuorums(t *testing.T) {
	out := found(t, `
sort node
sort quorum
sort value
immutable relation member(node, quorum)
axiom exists N. member(N, Q1) & member(N, Q2)
mutable relation vote(node, value), voted(node), decided(value)
init !vote(N, V) & !voted(N) & !decided(V)
action cast(n: node, v: value) { require !voted(n); vote(n, v) := true; voted(n) := true; }
action decide(v: value, q: quorum) {
  require member(N, q) -> vote(N, v);
  decided(v) := true;
}
safety [agreement] decided(V) & decided(W) -> V = W
`)
	if !strings.Contains(fmt.Sprint(lemmas(out)), "exists") {
		t.Errorf("no lemma says that there is a quorum: %v", lemmas(out))
	}
}

// Lemmas that say of an element only that there is a larger one: no other node than the largest
// one leads.
func TestLargest(t *testing.T) {
	found(t, `
sort node
immutable relation le(node, node)
axiom le(X, X) & (le(X, Y) & le(Y, Z) -> le(X, Z)) & (le(X, Y) & le(Y, X) -> X = Y)
axiom le(X, Y) | le(Y, X)
mutable relation largest(node), leads(node)
init !largest(N) & !leads(N)
action look(n: node) { require forall M. le(M, n); largest(n) := true; }
action lead(n: node) { require largest(n); leads(n) := true; }
safety [one] leads(N) & leads(M) -> N = M
`)
}

// A property whose lemma projects a relation with three arguments onto one of them.
func TestProjection(t *testing.T) {
	found(t, `
sort key
sort node
sort value
mutable relation sent(node, key, value), owner(node, key)
init !sent(N, K, V) & (forall K. exists N. owner(N, K))
action send(n: node, m: node, k: key, v: value) {
  require owner(n, k);
  owner(N, k) := false;
  sent(m, k, v) := true;
}
action receive(n: node, k: key, v: value) {
  require sent(n, k, v);
  sent(n, k, v) := false;
  owner(n, k) := true;
}
safety [kept] (exists N, K, V. sent(N, K, V)) | (forall K. exists N. owner(N, K))
`)
}

// There are atoms about the names of elements, and about what an axiom says of one of them: the
// message with the largest name is on its way.
func TestNames(t *testing.T) {
	sys := testkit.Compile(t, `
sort node
sort id
immutable relation le(id, id)
immutable function name(node): id
axiom exists N. forall M. le(name(M), name(N))
axiom forall N. exists I. le(name(N), I)
mutable relation message(id, node)
init !message(V, N)
action send(n: node, m: node) { message(name(n), m) := true; }
safety message(V, N) -> exists M. name(M) = V
`)
	v := &vocabulary{sys: sys, claims: []*logic.Term{sys.Properties[0].Term}, inner: true,
		shapes: map[string]int{}}
	v.collectQuantified()
	var atoms []string
	for _, form := range v.templates(1) {
		for _, a := range form.atoms {
			atoms = append(atoms, a.term.String())
		}
	}
	for atom, want := range map[string]bool{
		"exists Some_node:node. message(name(Node), Some_node)": true,
		"forall M:node. le(name(M), name(Node))":                true,
		"exists I:id. le(name(Node), I)":                        false, // is true of all nodes
	} {
		if slices.Contains(atoms, atom) != want {
			t.Errorf("%s is an atom: %t, among %q", atom, !want, atoms)
		}
	}
}

// There are atoms about what all members of a quorum have passed.
func TestFunctionsOfMembers(t *testing.T) {
	sys := testkit.Compile(t, `
sort node
sort quorum
sort round
immutable relation le(round, round)
axiom le(X, X) & (le(X, Y) | le(Y, X)) & (le(X, Y) & le(Y, X) -> X = Y)
axiom le(X, Y) & le(Y, Z) -> le(X, Z)
immutable relation member(node, quorum)
mutable function at(node): round
mutable relation voted(node, round)
init !voted(N, R)
action move(n: node, r: round) { require le(at(n), r); at(n) := r; }
action vote(n: node) { voted(n, at(n)) := true; }
safety voted(N, R) -> le(R, at(N))
`)
	v := &vocabulary{sys: sys, claims: []*logic.Term{sys.Properties[0].Term},
		orders: findOrders(t.Context(), newInstances(sys)), inner: true, shapes: map[string]int{}}
	const want = "exists Some_quorum:quorum. forall Some_node:node. " +
		"member(Some_node, Some_quorum) -> voted(Some_node, Round) | le(at(Some_node), Round)"
	var atoms []string
	for _, form := range v.templates(1) {
		for _, a := range form.atoms {
			atoms = append(atoms, a.term.String())
		}
	}
	if !slices.Contains(atoms, want) {
		t.Errorf("%s is no atom, among %q", want, atoms)
	}
}

// found finds lemmas for a system.
func found(t *testing.T, text string) *Outcome {
	t.Helper()
	out, err := Find(t.Context(), testkit.Compile(t, text), options(t))
	if err != nil {
		t.Fatal(err)
	}
	if !out.Proved || len(out.Lemmas) == 0 {
		t.Fatalf("not proved: %s", out.Reason)
	}
	return out
}

// A goal that a step leaves only where there are four elements is found to be left there, before
// any solver is asked, and the instance gets questions from then on.
func TestWiden(t *testing.T) {
	sys := testkit.Compile(t, `
sort node
sort other
mutable relation on(node)
mutable relation ready
init !on(N) & !ready
action mark(n: node) { require ready; on(n) := true; }
safety on(A) & on(B) & on(C) & on(D) -> A = B | A = C | A = D | B = C | B = D | C = D
`)
	s := newSearch(sys, Options{}, nil)
	s.goals.all = []*goal{{property: sys.Properties[0], term: sys.Properties[0].Term}}
	if err := s.enlarge(t.Context(), s.samples.small(2, 3)); err != nil {
		t.Fatal(err)
	}
	s.questions.probe(t.Context(), 4, 4)
	for _, name := range []string{"node=4,other=2", ""} {
		n := len(s.samples.asked)
		if got := s.widen(t.Context()); got != (name != "") {
			t.Fatalf("widen is %v, want %q", got, name)
		}
		if asked := s.samples.asked; name != "" &&
			(len(asked) != n+1 || asked[n].Name != name) {
			t.Errorf("%d instances after %d, the last one %q", len(asked), n,
				asked[len(asked)-1].Name)
		}
		s.goals.all = s.goals.all[:0]
	}
}

// A lemma with four literals: nothing shorter excludes that a node has asked for no reason.
func TestFourLiterals(t *testing.T) {
	out := found(t, `
sort node
immutable relation old(node), slow(node)
mutable relation told(node), asked(node), wrong(node)
init !told(N) & !asked(N) & !wrong(N)
action tell(n: node) { told(n) := true; }
action ask(n: node) { require told(n) | old(n) | slow(n); asked(n) := true; }
action fail(n: node) {
  require asked(n) & !told(n) & !old(n) & !slow(n);
  wrong(n) := true;
}
safety [right] !wrong(N)
`)
	if n := len(out.Lemmas); n != 1 {
		t.Errorf("%d lemmas: %v", n, lemmas(out))
	}
}

// Lemmas are found for other people's models that have only their safety properties left.
func TestModels(t *testing.T) {
	testkit.InLong(t)
	for _, name := range []string{"block_cache_system", "fast_paxos_epr", "flexible_paxos_epr",
		"ironfleet_distributed_lock", "learning_switch_forall", "multi_paxos_epr", "paxos_epr",
		"paxos_fol", "paxos_forall", "ring_leader_election", "stoppable_paxos_forall",
		"stoppable_paxos_forall_choosable", "ticket", "toy_leader_consensus_epr"} {
		t.Run(name, func(t *testing.T) {
			path := testkit.Shared(t, "models", "mypyvy", "examples", name+".pyv")
			text, err := os.ReadFile(path)
			if err != nil {
				t.Fatal(err)
			}
			less, err := strip.Source(path, string(text), true)
			if err != nil {
				t.Fatal(err)
			}
			found(t, less)
		})
	}
}

// Integers and enums as names of processes, or as values that a step chooses, are no reason for a
// search to fail: each of these protocols has a form with elements of a sort.
func TestNumbersForElements(t *testing.T) {
	ctx := testkit.Solving(t)
	const places = `
		enum place { idle, want, wait, crit }
		mutable function pc(proc): place
		mutable relation flag(proc)
		mutable constant turn: proc
		action request(p: proc) { require pc(p) = idle; flag(p) := true; pc(p) := want; }
		action leave(p: proc) { require pc(p) = crit; flag(p) := false; pc(p) := idle; }
		`
	for name, text := range map[string]string{
		"Peterson's lock of two numbers": "type proc = 1..2" + places + `
			init pc(P) = idle & !flag(P) & turn = 1
			action give(p: proc) { require pc(p) = want; turn := 3 - p; pc(p) := wait; }
			action enter(p: proc) {
				require pc(p) = wait & (!flag(3 - p) | turn = p);
				pc(p) := crit;
			}
			safety [mutex] pc(1) = crit -> pc(2) != crit`,
		"Peterson's lock of two members": "enum proc { left, right }" + places + `
			init pc(P) = idle & !flag(P) & turn = left
			action give(p: proc, q: proc) {
				require pc(p) = want & q != p;
				turn := q;
				pc(p) := wait;
			}
			action enter(p: proc, q: proc) {
				require pc(p) = wait & q != p & (!flag(q) | turn = p);
				pc(p) := crit;
			}
			safety [mutex] pc(left) = crit -> pc(right) != crit`,
		"a token in a ring": `
			immutable constant N: int
			axiom N >= 1
			type proc = 0..N - 1
			mutable relation token(proc), crit(proc)
			init (token(P) <-> P = 0) & !crit(P)
			action enter(p: proc) { require token(p) & !crit(p); crit(p) := true; }
			action leave(p: proc) { require crit(p); crit(p) := false; }
			action pass(p: proc) {
				require token(p) & !crit(p);
				token(p) := false;
				if p < N - 1 { token(p + 1) := true; } else { token(0) := true; }
			}
			safety [mutex] crit(P) & crit(Q) -> P = Q`,
		"termination in a ring": `
			immutable constant n: int
			axiom n >= 1
			type node = 0..n - 1
			enum color { white, black }
			mutable relation active(node)
			mutable function col(node): color
			mutable constant tpos: node
			mutable constant tcol: color
			init tcol = black
			action initiate() {
				require tpos = 0 & (tcol = black | col(0) = black);
				tpos := n - 1;
				tcol := white;
				col(0) := white;
			}
			action pass(i: node) {
				require i != 0 & tpos = i & (!active(i) | col(i) = black | tcol = black);
				tpos := i - 1;
				tcol := if col(i) = black then black else tcol;
				col(i) := white;
			}
			action send(i: node, j: node) {
				require active(i) & j != i;
				active(j) := true;
				col(i) := if j > i then black else col(i);
			}
			action stop(i: node) { require active(i); active(i) := false; }
			safety [ended] tpos = 0 & tcol = white & col(0) = white & !active(0) ->
				(forall I:node. !active(I))`,
		"ballots from nowhere": `
			sort node
			mutable function ballot(node): int
			mutable relation joined(node)
			mutable relation voted(node)
			mutable constant last: int
			init ballot(N) = 0 & !joined(N) & !voted(N) & last = 0
			action join(n: node, b: int) {
				require b > last & !joined(n);
				ballot(n) := b;
				last := b;
				joined(n) := true;
			}
			action vote(n: node) { require joined(n) & ballot(n) = last; voted(n) := true; }
			safety [later] voted(N) -> ballot(N) > 0
			safety [bounded] joined(N) -> ballot(N) <= last`,
	} {
		t.Run(name, func(t *testing.T) {
			out, err := Find(ctx, testkit.Compile(t, text), Options{})
			if err != nil || !out.Proved {
				t.Errorf("%+v %v", out, err)
			}
		})
	}
}
