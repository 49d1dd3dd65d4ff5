package tla

import (
	"slices"
	"strings"
	"testing"
)

// TestClaimsLeftOut has claims about the size of a set that the language cannot read, in a
// definition that another claim has, too. Only these two are left out.
func TestClaimsLeftOut(t *testing.T) {
	module := `---- MODULE M ----
EXTENDS Integers, FiniteSets
VARIABLES sent, n
Init == sent = {} /\ n = 0
Next == sent' = sent \cup {[from |-> n, to |-> n]} /\ n' = n + 1
Spec == Init /\ [][Next]_<<sent, n>>
Few(k) == Cardinality({m \in sent : m.from = k}) <= n
One == Few(1)
Two == n >= 0 /\ Few(2)
Least == n >= 0
THEOREM Spec => []One
THEOREM Spec => []Two
THEOREM Spec => []Least
====
`
	ctx := t.Context()
	spec, warnings, err := Open(ctx, ctx, "M.tla", module, nothing)
	if err != nil {
		t.Fatal(err)
	}
	var unread, claimed []string
	for _, u := range spec.System.Unread {
		unread = append(unread, u.Name+": "+u.Why)
	}
	for _, p := range spec.System.Properties {
		claimed = append(claimed, p.Name)
	}
	if len(unread) != 2 || !strings.HasPrefix(unread[0], "One: these values have no range") ||
		!strings.HasPrefix(unread[1], "Two: ") || !slices.Contains(claimed, "Least") {
		t.Errorf("left out: %q, claimed: %q", unread, claimed)
	}
	if text := warnings.Error(); !strings.Contains(text, "One is left out: these values") {
		t.Errorf("no warning, but %s", text)
	}
}
