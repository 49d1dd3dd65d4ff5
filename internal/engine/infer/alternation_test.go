package infer

import (
	"testing"

	"erelong.dev/erelong/internal/testkit"
)

// On a ring whose messages stay, a lemma that says what holds of each node's successor is inductive
// in all finite instances, and not in general: an infinite ring need not have successors. No solver
// refutes that. The lemmas of the proof close no cycle of alternations.
func TestStraighten(t *testing.T) {
	testkit.InCI(t)
	const text = `
sort node
sort id
immutable relation le(id, id)
axiom le(X, X) & (le(X, Y) & le(Y, Z) -> le(X, Z)) & (le(X, Y) & le(Y, X) -> X = Y)
axiom le(X, Y) | le(Y, X)
immutable relation btw(node, node, node)
axiom btw(X, Y, Z) -> X != Y & X != Z & Y != Z
axiom btw(W, X, Y) & btw(W, Y, Z) -> btw(W, X, Z)
axiom btw(W, X, Y) -> !btw(W, Y, X)
axiom btw(W, X, Y) | btw(W, Y, X) | W = X | W = Y | X = Y
axiom btw(X, Y, Z) -> btw(Y, Z, X)
immutable function name(node): id
axiom name(X) = name(Y) -> X = Y
mutable relation leads(node), sent(id, node)
init !leads(N) & !sent(V, N)
action send(n: node, m: node) {
  require n != m & forall Z. Z != n & Z != m -> btw(n, m, Z);
  sent(name(n), m) := true;
}
action lead(n: node) { require sent(name(n), n); leads(n) := true; }
action pass(n: node, v: id, m: node) {
  require sent(v, n) & n != m & forall Z. Z != n & Z != m -> btw(n, m, Z);
  if le(name(n), v) { sent(v, m) := true; }
}
safety [one] leads(N) & leads(M) -> N = M
`
	out := found(t, text)
	given := alternationsOf(testkit.Compile(t, text), nil)
	for _, l := range out.Lemmas {
		if given.closes(l.Term, given) {
			t.Errorf("%s closes a cycle", l.Term)
		}
	}
}

// Which formulas close a cycle of alternations.
func TestAlternations(t *testing.T) {
	for _, c := range []struct {
		formula string
		closes  bool
	}{
		{"forall A:node, B:node. on(A, B)", false},
		{"forall A:node. exists B:node. on(A, B)", true},
		{"exists B:node. forall A:node. on(A, B)", true}, // its negation, at the end of a step
		{"!(exists A:node. forall B:node. on(A, B))", true},
		{"forall A:node. (forall B:node. on(A, B)) -> on(A, A)", true},
		{"forall A:node. (exists B:node. on(A, B)) -> on(A, A)", false},
		{"forall A:node. on(A, A) <-> exists B:node. on(B, B)", false}, // B does not depend on A
		{"forall A:node. on(A, A) <-> exists B:node. on(A, B)", true},
		{"forall A:node. exists L:lock. free(L) & on(A, A)", false},
		{"forall A:node. exists L:lock. held(A, L)", false}, // as the function home
		{"forall L:lock. exists A:node. held(A, L)", true},
	} {
		sys := testkit.Compile(t, `
sort node
sort lock
immutable function home(node): lock
mutable relation on(node, node), held(node, lock), free(lock)
init !on(N, M) & !held(N, L) & free(L)
action move(n: node, l: lock) { held(n, l) := free(l); }
safety [p] `+c.formula)
		given := alternationsOf(sys, nil)
		if got := given.closes(sys.Properties[0].Term, given); got != c.closes {
			t.Errorf("%s closes a cycle: %t", c.formula, got)
		}
	}
}

// The edges of the file do not count.
func TestGivenAlternations(t *testing.T) {
	sys := testkit.Compile(t, `
sort node
immutable relation next(node, node)
axiom forall N. exists M. next(N, M)
mutable relation on(node, node)
init !on(N, M)
action move(n: node, m: node) { on(n, m) := true; }
safety [p] forall N. exists M. on(N, M)
`)
	given := alternationsOf(sys, nil)
	if given.closes(sys.Properties[0].Term, given) {
		t.Error("an edge that an axiom has closes a cycle")
	}
}
