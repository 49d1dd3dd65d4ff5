package discharge

import (
	"testing"

	"erelong.dev/erelong/internal/logic"
	"erelong.dev/erelong/internal/result"
	"erelong.dev/erelong/internal/smt"
	"erelong.dev/erelong/internal/testkit"
	"erelong.dev/erelong/internal/vc"
)

// TestFramesAreRemembered asks about a goal twice, the second time with one more hypothesis. Its
// model, which needs a large integer, is looked for where there was one before.
func TestFramesAreRemembered(t *testing.T) {
	driver, end := smt.Reuse(testkit.Solvers(t)[0])
	defer end()
	sys := testkit.Compile(t, "mutable constant n: int\ninit n = 0")
	n := logic.App(sys.Symbols[0], 0)
	d, err := New(t.Context(), sys, Options{Drivers: []smt.Driver{driver}, Jobs: 1})
	if err != nil {
		t.Fatal(err)
	}
	var queries []int64
	for _, low := range []int64{100, 101} {
		theory := &vc.Theory{}
		theory.AssumeAs("invariant", logic.Le(logic.IntLit(low), n))
		o := &Obligation{Goal: logic.Lt(n, logic.IntLit(0)),
			Obligation: result.Obligation{Name: "o"}}
		d.All(t.Context(), []*Group{{Theory: theory, Obligations: []*Obligation{o},
			Path: vc.Path{Kind: result.ToInduction, States: []vc.Versions{{sys.Symbols[0]: 0}}}}})
		if o.Verdict != result.NotInductive || o.Trace == nil {
			t.Fatalf("%s, %v", o.Verdict, o.Trace)
		}
		queries = append(queries, o.Queries)
	}
	if queries[1] >= queries[0] {
		t.Errorf("%d queries, and then %d", queries[0], queries[1])
	}
}
