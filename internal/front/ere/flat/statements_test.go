package flat_test

import (
	"strings"
	"testing"

	"erelong.dev/erelong/internal/engine/explicit"
	"erelong.dev/erelong/internal/result"
	"erelong.dev/erelong/internal/testkit"
)

// verdictsOf explores a file, and gives the verdicts of all claims.
func verdictsOf(t *testing.T, text string) map[string]result.Verdict {
	t.Helper()
	sys := testkit.Compile(t, text)
	x, err := explicit.Explore(t.Context(), sys, sys.Instances[0], explicit.Options{})
	if err != nil {
		t.Fatal(err)
	}
	out := map[string]result.Verdict{}
	for _, r := range x.Results {
		out[r.Property] = r.Verdict
	}
	return out
}

// TestLetNeedsItsValueWhereItIsUsed: a value that is named has to be there where it is used.
func TestLetNeedsItsValueWhereItIsUsed(t *testing.T) {
	const text = `mutable constant s: seq[0..3, 3]
mutable constant k: 0..3
init s = [] & k = 0
action add() { let x = last(s); require size(s) < 2; s := append(s, k); if COND { k := x; } }
safety [fine] k <= 3
instance one { }
`
	good := verdictsOf(t, strings.ReplaceAll(text, "COND", "size(s) > 1"))
	if good["argument:part"] == result.Violated || good["fine"] != result.Holds {
		t.Errorf("%v", good)
	}
	if bad := verdictsOf(t, strings.ReplaceAll(text, "COND", "true")); bad["argument:part"] != result.Violated {
		t.Errorf("%v", bad)
	}
}

// TestBoundIsOneClaim: a sequence that outgrows its bound violates the claim about its size, and no
// other one.
func TestBoundIsOneClaim(t *testing.T) {
	got := verdictsOf(t, `sort node
mutable function s(node): seq[{ by: node, no: 0..1 }, 2]
init s(N) = []
action add(n: node, m: node) { s(n) := append(s(n), { by: m, no: 1 }); }
safety [fine] size(s(N)) <= 3
instance one { node = 1 }
`)
	for name, verdict := range got {
		if (verdict == result.Violated) != (name == "range:size(s)") {
			t.Errorf("%s is %s", name, verdict)
		}
	}
	if len(got) < 2 {
		t.Errorf("%v", got)
	}
}
