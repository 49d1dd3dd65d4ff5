package infer

import (
	"strings"
	"testing"

	"erelong.dev/erelong/internal/testkit"
)

// What is so for two elements in both orders is one lemma, which does not read the order.
func TestBothOrders(t *testing.T) {
	sys := testkit.Compile(t, `
sort node
immutable relation before(node, node)
axiom !before(X, X)
axiom before(X, Y) & before(Y, Z) -> before(X, Z)
axiom before(X, Y) | before(Y, X) | X = Y
mutable relation asked(node, node), granted(node, node), inside(node)
init !asked(M, N) & !granted(M, N) & !inside(N)
action ask(m: node, n: node) {
  require !asked(m, n) & !granted(n, m) & !asked(n, m);
  asked(m, n) := true;
}
action grant(m: node, n: node) {
  require asked(m, n);
  asked(m, n) := false;
  granted(m, n) := true;
}
action enter(n: node) { require forall M. M = n | granted(n, M); inside(n) := true; }
safety [mutex] inside(M) & inside(N) -> M = N
`)
	out, err := Find(t.Context(), sys, Options{})
	if err != nil || !out.Proved {
		t.Fatalf("%v, %v", out, err)
	}
	for _, l := range out.Lemmas {
		if strings.Contains(l.Term.String(), "before") {
			t.Errorf("%s: %s", l.Name, l.Term)
		}
	}
}
