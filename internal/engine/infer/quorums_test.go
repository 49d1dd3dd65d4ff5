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
