package explicit

import (
	"testing"

	"erelong.dev/erelong/internal/engine/explore/program"
	"erelong.dev/erelong/internal/interp"
	"erelong.dev/erelong/internal/testkit"
)

// TestNothingToPermute: where no sort has two elements, a search with symmetry is the search
// without, also with a set of bits for many initial states.
func TestNothingToPermute(t *testing.T) {
	sys := testkit.Compile(t, `
sort node
mutable relation up(node, 0..15)
mutable constant n: 0..3
init n = 0
action step() { n := if n = 3 then 0 else n + 1; }
safety [low] n <= 3
instance one { node = 1 }
instance two { node = 2 }
`)
	for name, same := range map[string]bool{"one": true, "two": false} {
		m, err := interp.NewModel(sys, sys.Instance(name))
		if err != nil {
			t.Fatal(err)
		}
		plain, err := program.Interpreted(t.Context(), m, nil, nil)
		if err != nil {
			t.Fatal(err)
		}
		p, err := program.NewSymmetric(m, plain)
		if err != nil {
			t.Fatal(err)
		}
		if (p == plain) != same {
			t.Errorf("%s: the program is the same: %v", name, !same)
		}
	}
	x, err := Explore(t.Context(), sys, sys.Instance("one"),
		Options{Reduction: Reduction{Symmetry: true}, Threads: 1})
	if err != nil || !x.Stats.Bits || x.Stats.States != 1<<18 {
		t.Errorf("%+v, %v", x, err)
	}
}
