package infer

import (
	"strings"
	"testing"

	"erelong.dev/erelong/internal/testkit"
)

// A value that is sent around is somebody's own, whatever the values are.
func TestOriginOfValues(t *testing.T) {
	const gossip = `
sort node
immutable function own(node): value
mutable function best(node): value
mutable relation msg(node, node, value)
init best(N) = own(N) & !msg(N, M, V)
action send(n: node, m: node) { msg(n, m, best(n)) := true; }
action receive(n: node, m: node, v: value) { require msg(m, n, v); best(n) := v; }
safety [real] exists M. best(N) = own(M)
`
	ctx := testkit.Solving(t)
	for name, value := range map[string]string{
		"elements": "sort value\n", "members": "enum value { low, middle, high }\n",
		"numbers": "type value = 0..3\n",
	} {
		out, err := Find(ctx, testkit.Compile(t, value+gossip), Options{Effort: shortSearch})
		if err != nil {
			t.Fatal(err)
		}
		if !out.Proved {
			t.Errorf("%s: %s", name, out.Reason.Text)
			continue
		}
		if len(out.Lemmas) != 1 || !strings.Contains(out.Lemmas[0].Term.String(), "own(") {
			t.Errorf("%s: %v", name, out.Lemmas)
		}
	}
}
