package infer

import (
	"testing"

	"erelong.dev/erelong/internal/testkit"
)

// Mutable functions may speak of quorums, and mutable relations may not.
func TestMemberships(t *testing.T) {
	for symbol, want := range map[string]int{
		"mutable relation counted(node)":         1,
		"mutable function decided(node): quorum": 1,
		"mutable function first(quorum): node":   1,
		"mutable relation counted(quorum)":       0,
	} {
		sys := testkit.Compile(t, "sort node\nsort quorum\nimmutable relation member(node, quorum)\n"+
			"mutable relation voted(node)\n"+symbol+"\ninit !voted(N)\n"+
			"action vote(n: node) { voted(n) := true; }\nsafety voted(N) | !voted(N)\n")
		v := &vocabulary{sys: sys}
		if got := v.memberships(); len(got) != want {
			t.Errorf("%s: %d memberships, not %d: %v", symbol, len(got), want, got)
		}
	}
}

// What a faulty node has said may change: a lemma about a quorum leaves such members out.
func TestMembersOfAKind(t *testing.T) {
	out, err := Find(testkit.Solving(t), testkit.Compile(t, `
		sort node
		sort value
		sort quorum
		immutable relation faulty(node)
		immutable relation member(node, quorum)
		axiom forall Q1:quorum, Q2:quorum. exists N:node.
			member(N, Q1) & member(N, Q2) & !faulty(N)
		mutable relation vote(node, value)
		mutable relation decided(value)
		init !vote(N, V) & !decided(V)
		action cast(n: node, v: value) {
			require !faulty(n) & (forall W:value. !vote(n, W));
			vote(n, v) := true;
		}
		action lie(n: node, v: value) { require faulty(n); vote(n, v) := *; }
		action decide(v: value, q: quorum) {
			require forall N:node. member(N, q) -> vote(N, v);
			decided(v) := true;
		}
		safety [agreement] decided(V) & decided(W) -> V = W
		`), Options{})
	if err != nil || !out.Proved {
		t.Errorf("%+v %v", out, err)
	}
}
