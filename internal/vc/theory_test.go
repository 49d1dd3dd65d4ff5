package vc

import (
	"testing"

	"erelong.dev/erelong/internal/logic"
	"erelong.dev/erelong/internal/smt"
	"erelong.dev/erelong/internal/testkit"
)

// Every formula that shifted adds follows from the axiom: otherwise it could make a proof wrong.
func TestShiftedFollows(t *testing.T) {
	top := &logic.Symbol{Name: "top", Kind: logic.Constant, Result: logic.Int}
	ages := &logic.Sort{Kind: logic.KindRange, Name: "0..top", Lo: logic.IntLit(0),
		Hi: logic.App(top, 0)}
	node := &logic.Sort{Kind: logic.KindUninterpreted, Name: "node"}
	buffer := &logic.Symbol{Name: "buffer", Args: []*logic.Sort{ages}, Result: logic.Bool,
		Mutable: true}
	clock := &logic.Symbol{Name: "clock", Kind: logic.Function,
		Args: []*logic.Sort{node, logic.Int}, Result: logic.Int, Mutable: true}
	a := &logic.Var{Name: "A", Sort: ages}
	n, i := &logic.Var{Name: "N", Sort: node}, &logic.Var{Name: "I", Sort: logic.Int}
	at := func(k int64) *logic.Term {
		return logic.App(buffer, 0, logic.Add(logic.Ref(a), logic.IntLit(k)))
	}
	tests := []struct {
		name   string
		update Update
		want   int // number of further axioms
	}{
		{"older", Update{buffer, 1, []*logic.Var{a},
			logic.And(logic.Lt(logic.IntLit(0), logic.Ref(a)),
				logic.App(buffer, 0, logic.Sub(logic.Ref(a), logic.IntLit(1))))}, 1},
		{"several", Update{buffer, 1, []*logic.Var{a}, logic.Or(at(1), at(-2), at(1), at(0))}, 2},
		{"two variables",
			Update{clock, 1, []*logic.Var{n, i},
				logic.Add(logic.App(clock, 0, logic.Ref(n),
					logic.Add(logic.IntLit(3), logic.Ref(i))), logic.Ref(i))}, 1},
		{"none", Update{buffer, 1, []*logic.Var{a}, logic.Not(logic.App(buffer, 0, logic.Ref(a)))},
			0},
	}
	for _, d := range testkit.Solvers(t) {
		for _, tt := range tests {
			more := tt.update.shifted()
			if len(more) != tt.want {
				t.Errorf("%s: %d axioms", tt.name, len(more))
			}
			s := smt.NewSession(d, smt.Config{})
			defer s.Close()
			for _, axiom := range more {
				script := smt.NewScript()
				for _, f := range []*logic.Term{tt.update.Axiom(), logic.Not(axiom)} {
					if err := script.Assert(f); err != nil {
						t.Fatal(err)
					}
				}
				answer, err := s.Check(t.Context(),
					smt.Query{Body: script.Lines(), Rlimit: 1_000_000})
				if err != nil || answer.Status != smt.Unsat {
					t.Errorf("%s, %s: %s, %v\n%s", tt.name, d.Name(), answer.Status, err,
						script.Lines())
				}
			}
		}
	}
}
