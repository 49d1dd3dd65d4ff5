package discharge

import (
	"fmt"
	"os"
	"path/filepath"
	"testing"

	"erelong.dev/erelong/internal/logic"
	"erelong.dev/erelong/internal/result"
	"erelong.dev/erelong/internal/smt"
	"erelong.dev/erelong/internal/system"
	"erelong.dev/erelong/internal/testkit"
	"erelong.dev/erelong/internal/vc"
)

// branching is a step that gives large a value of many branches, and small, next and derived one of
// few.
type branching struct {
	large, small, next, derived *logic.Symbol
	theory                      *vc.Theory
}

func newBranching(n int) *branching {
	number := func(name string) *logic.Symbol {
		return &logic.Symbol{Name: name, Kind: logic.Constant, Result: logic.Int, Mutable: true}
	}
	b := &branching{number("large"), number("small"), number("next"), number("derived"),
		&vc.Theory{}}
	value := logic.App(b.large, 0)
	for i := range n {
		value = logic.Ite(logic.Lt(value, logic.IntLit(int64(i))),
			logic.Add(value, logic.IntLit(1)), value)
	}
	set := func(sym *logic.Symbol, value *logic.Term) {
		b.theory.Updates = append(b.theory.Updates,
			vc.Update{Symbol: sym, Version: 1, Value: value})
	}
	set(b.large, logic.Share(value))
	set(b.small, logic.Add(logic.App(b.next, 0), logic.IntLit(1)))
	set(b.next, logic.App(b.small, 1))
	b.theory.AssumeAs("positive", logic.Lt(logic.IntLit(0), logic.App(b.next, 0)))
	b.theory.AssumeAs("definition",
		logic.Eq(logic.App(b.derived, 1), logic.Add(logic.App(b.large, 1), logic.IntLit(1))))
	return b
}

// TestCone leaves out a large update exactly if the goal cannot depend on it.
func TestCone(t *testing.T) {
	b := newBranching(300)
	for _, test := range []struct {
		goal *logic.Term
		left int
	}{
		{logic.Lt(logic.IntLit(0), logic.App(b.small, 1)), 1},
		{logic.Lt(logic.IntLit(0), logic.App(b.next, 1)), 2},
		{logic.Lt(logic.IntLit(0), logic.App(b.large, 1)), 1},
		{logic.Lt(logic.IntLit(0), logic.App(b.derived, 1)), 1},
		{logic.Lt(logic.App(b.small, 1), logic.App(b.derived, 1)), 2},
		{logic.Lt(logic.App(b.large, 0), logic.App(b.next, 0)), 0},
	} {
		if n := len(coneOf(b.theory, test.goal).Updates); n != test.left {
			t.Errorf("%s: %d updates", test.goal, n)
		}
	}
	large := logic.Lt(logic.IntLit(0), logic.App(b.derived, 1))
	if len(relatedTo(b.theory, large).Updates) != 3 {
		t.Error("small updates are left out")
	}
}

// TestLeadScope gives the first attempt all hypotheses where one has a product.
func TestLeadScope(t *testing.T) {
	for _, products := range []bool{false, true} {
		b := newBranching(300)
		if products {
			b.theory.AssumeAs("product", logic.Lt(logic.IntLit(0),
				logic.Mul(logic.App(b.large, 0), logic.App(b.next, 0))))
		}
		o := &Obligation{Goal: logic.Lt(logic.IntLit(0), logic.App(b.next, 1))}
		a := newAsker(&Discharger{}, &Group{Theory: b.theory, Obligations: []*Obligation{o}})
		if all := a.leadScope(o) == whole; all != products {
			t.Errorf("products %v, all hypotheses %v", products, all)
		}
	}
}

// TestLargeUpdate counts the solvers' input: an update that the goal does not read is omitted,
// unless there is no proof without it.
func TestLargeUpdate(t *testing.T) {
	for _, test := range []struct {
		branches int
		above    int64
		is       result.Verdict
	}{{150, 1, result.Holds}, {600, 1, result.Holds}, {150, 2, result.NotInductive}} {
		t.Run(fmt.Sprintf("%d %s", test.branches, test.is), func(t *testing.T) {
			b := newBranching(test.branches)
			goal := logic.Lt(logic.IntLit(test.above), logic.App(b.next, 1))
			dir := t.TempDir()
			d, err := New(t.Context(),
				&system.System{Symbols: []*logic.Symbol{b.large, b.small, b.next, b.derived}},
				Options{Drivers: testkit.Solvers(t)[:1], Jobs: 1, LogDir: dir})
			if err != nil {
				t.Fatal(err)
			}
			o := &Obligation{Obligation: result.Obligation{Name: "x", Property: "x"}, Goal: goal}
			pre := vc.Versions{}
			post := vc.Versions{b.large: 1, b.small: 1, b.next: 1, b.derived: 1}
			d.All(t.Context(), []*Group{{Theory: b.theory, Obligations: []*Obligation{o},
				Path: vc.Path{Kind: result.ToInduction, States: []vc.Versions{pre, post},
					Steps: [][]vc.Alternative{{{Action: "a"}}}}}})
			if o.Verdict != test.is || (o.Trace != nil) != (test.is == result.NotInductive) {
				t.Errorf("%s: %s", o.Verdict, o.Reason)
			}
			files, err := filepath.Glob(filepath.Join(dir, "*.smt2"))
			if err != nil || len(files) == 0 {
				t.Fatal(files, err)
			}
			most := int64(0)
			for _, f := range files {
				info, err := os.Stat(f)
				if err != nil {
					t.Fatal(err)
				}
				most = max(most, info.Size())
			}
			if whole := most > 2000; whole != (test.is != result.Holds) {
				t.Errorf("%d bytes", most)
			}
		})
	}
}

// TestNarrowOnce: where the first attempt fails, fewer hypotheses are tried before the same is
// repeated; once that was futile, no further obligation spends anything on it.
func TestNarrowOnce(t *testing.T) {
	d, err := New(t.Context(), &system.System{}, Options{Drivers: []smt.Driver{unsure(t)}, Jobs: 1})
	if err != nil {
		t.Fatal(err)
	}
	theory := chain(logic.Implies(r, s))
	var obligations []*Obligation
	for _, name := range []string{"a", "b", "c"} {
		obligations = append(obligations, &Obligation{Goal: logic.And(s, truth("more")),
			Obligation: result.Obligation{Name: name, Property: name, Action: name}})
	}
	g := &Group{Theory: theory, Obligations: obligations}
	g.Path.States = []vc.Versions{{}}
	d.All(t.Context(), []*Group{g})
	first, second, third := obligations[0], obligations[1], obligations[2]
	if first.Queries != second.Queries+1 || second.Queries != third.Queries {
		t.Errorf("%d, %d and %d queries", first.Queries, second.Queries, third.Queries)
	}
}
