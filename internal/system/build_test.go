package system_test

import (
	"context"
	"erelong.dev/erelong/internal/logic"
	"erelong.dev/erelong/internal/system"
)

// bakery is a small hand-made system: clients, a queue, colours, and a counter in a range.
type bakery struct {
	sys                                            *system.System
	client, colour, upTo                           *logic.Sort
	waiting, before, served, myt, hue, turn, limit *logic.Symbol
	busy                                           *logic.Symbol // derived
}

func newBakery() *bakery {
	b := &bakery{}
	b.client = &logic.Sort{Kind: logic.KindUninterpreted, Name: "client"}
	b.colour = &logic.Sort{Kind: logic.KindEnum, Name: "colour", Members: []string{"red", "green"}}
	b.limit = &logic.Symbol{Name: "limit", Kind: logic.Constant, Result: logic.Int}
	b.upTo = &logic.Sort{Kind: logic.KindRange, Name: "0 .. limit", Lo: logic.IntLit(0),
		Hi: logic.App(b.limit, logic.Pre)}
	relation := func(name string, args ...*logic.Sort) *logic.Symbol {
		return &logic.Symbol{Name: name, Kind: logic.Relation, Args: args, Result: logic.Bool,
			Mutable: true}
	}
	b.waiting = relation("waiting", b.client)
	b.before = relation("before", b.client, b.client)
	b.served = relation("served")
	b.busy = relation("busy")
	b.busy.Derived = true
	b.myt = &logic.Symbol{Name: "myt", Kind: logic.Function, Args: []*logic.Sort{b.client},
		Result: b.upTo, Mutable: true}
	b.hue = &logic.Symbol{Name: "hue", Kind: logic.Function, Args: []*logic.Sort{b.upTo},
		Result: b.colour, Mutable: true}
	b.turn = &logic.Symbol{Name: "turn", Kind: logic.Constant, Result: b.upTo, Mutable: true}
	x := b.v("X")
	body := logic.Exists([]*logic.Var{x}, b.app(b.waiting, 0, x))
	b.sys = &system.System{
		Sorts: []*logic.Sort{b.client, b.colour},
		Symbols: []*logic.Symbol{b.limit, b.waiting, b.before, b.served, b.busy, b.myt, b.hue,
			b.turn},
		Derived: []*system.Derived{{Symbol: b.busy, Axiom: logic.Iff(logic.App(b.busy, 0), body),
			Body: body}},
		Instances: []*system.Instance{{Name: "small", Sizes: map[*logic.Sort]int{b.client: 2},
			Values: map[*logic.Symbol]*logic.Term{b.limit: logic.IntLit(1)}}},
	}
	return b
}

// v makes a variable over clients.
func (b *bakery) v(name string) *logic.Var { return &logic.Var{Name: name, Sort: b.client} }

// app applies a symbol to variables.
func (b *bakery) app(s *logic.Symbol, step int, vs ...*logic.Var) *logic.Term {
	return logic.App(s, step, logic.Refs(vs)...)
}

// formula makes an action from a formula, in both renderings.
func (b *bakery) formula(
	params []*logic.Var, modifies []*logic.Symbol, f *logic.Term,
) *system.Action {
	a := &system.Action{Name: "act", Params: params, Modifies: modifies}
	b.sys.Actions = []*system.Action{a}
	a.Relation = system.Solve(b.sys, a, f)
	if err := system.CodeOf(b.sys, a); err != nil {
		panic(err)
	}
	return a
}

// code makes an action from code, in both renderings.
func (b *bakery) code(params []*logic.Var, code ...system.Stmt) (*system.Action, error) {
	a := &system.Action{Name: "act", Params: params, Code: code, Modifies: system.Assigned(code),
		Imperative: true}
	b.sys.Actions = []*system.Action{a}
	return a, system.RelationOf(context.Background(), b.sys, a)
}
