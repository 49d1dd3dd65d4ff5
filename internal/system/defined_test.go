package system

import (
	"fmt"
	"testing"

	"erelong.dev/erelong/internal/logic"
)

// The condition of a chain of names is as large as the chain, not as the tree that it stands for:
// what the substitution of one name shares, the next one shares, too.
func TestDefinednessShares(t *testing.T) {
	digit := &logic.Sort{Kind: logic.KindRange, Name: "0..9", Lo: logic.IntLit(0),
		Hi: logic.IntLit(9)}
	f := &logic.Symbol{Name: "f", Args: []*logic.Sort{digit}, Result: logic.Int}
	sys := &System{Symbols: []*logic.Symbol{f}}
	const names = 9
	vars := make([]*logic.Var, names+1)
	for i := range vars {
		vars[i] = &logic.Var{Name: fmt.Sprintf("v%d", i), Sort: logic.Int}
	}
	last := logic.App(f, 0, logic.Ref(vars[names]))
	body := logic.Eq(last, logic.IntLit(0))
	for i := names; i > 0; i-- {
		below := logic.Ref(vars[i-1])
		body = logic.Let(vars[i], logic.Add(below, below), body)
	}
	cond := sys.definedness(nil, unwritten).of(body)
	sizes := logic.Sizes{}
	if tree := sizes.Of(cond); tree < 1<<names || len(sizes) > 4*names {
		t.Errorf("%d nodes as a tree, %d as a graph", tree, len(sizes))
	}
}
