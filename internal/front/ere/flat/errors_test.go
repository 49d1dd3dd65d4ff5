package flat_test

import (
	"strings"
	"testing"

	"erelong.dev/erelong/internal/front/ere"
)

// TestErrorsSayWhatToWrite has what people write who know another language.
func TestErrorsSayWhatToWrite(t *testing.T) {
	const before = `sort node
type entry = { term: 0..2, val: bool }
type msg = ask(src: node, t: 0..2) | ok
mutable constant s: seq[entry, 2]
mutable constant votes: set[node]
mutable constant m: msg
`
	for _, c := range []struct{ text, want string }{
		{"safety first(s).trem = 1", "term"},
		{"safety size({1, true}) = 2", "expected"},
		{"safety len(s) = 0", "size(s)"},
		{"safety s[0].val", "first(s)"},
		{"safety s == []", "="},
		{"type tree = { left: tree, right: tree }", "contains itself"},
		{"mutable constant x: set[set[node]]", "set"},
		{"safety match m { ask(a, b) -> true }", "ok"},
		{"safety forall n: node. m = ask(n)", "ask(src: node, t: int)"},
	} {
		_, list, err := ere.Compile("test.ere", before+c.text)
		if err == nil {
			t.Errorf("%s: no error", c.text)
			continue
		}
		var all []string
		for _, d := range list.All {
			all = append(all, d.Message, d.Fix)
			if d.Span.IsZero() {
				t.Errorf("%s: %s has no position", c.text, d.Message)
			}
		}
		if text := strings.Join(all, "\n"); !strings.Contains(text, c.want) {
			t.Errorf("%s: the message does not say %q:\n%s", c.text, c.want, text)
		}
	}
}
