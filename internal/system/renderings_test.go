package system_test

import (
	"context"
	"strings"
	"testing"

	"erelong.dev/erelong/internal/logic"
	"erelong.dev/erelong/internal/system"
)

type (
	syms = []*logic.Symbol
	vars = []*logic.Var
)

// action prints the only action of a dump, without indentation.
func action(sys *system.System) string {
	_, text, _ := strings.Cut(sys.String(), "action act")
	text, _, _ = strings.Cut(text, "\n\n")
	var lines []string
	for _, l := range strings.Split(text, "\n")[1:] {
		if l = strings.TrimSpace(l); l != "" && !strings.HasPrefix(l, "modifies") {
			lines = append(lines, l)
		}
	}
	return strings.Join(lines, "\n")
}

func checkAction(t *testing.T, sys *system.System, want string) {
	t.Helper()
	if err := system.Validate(sys); err != nil {
		t.Error(err)
	}
	var lines []string
	for _, l := range strings.Split(strings.TrimSpace(want), "\n") {
		lines = append(lines, strings.TrimSpace(l))
	}
	if got, want := action(sys), strings.Join(lines, "\n"); got != want {
		t.Errorf("got\n%s\nwant\n%s", got, want)
	}
}

func TestSolveForms(t *testing.T) {
	b := newBakery()
	c, d, x, y, z := b.v("c"), b.v("d"), b.v("X"), b.v("Y"), b.v("Z")
	is := func(v, w *logic.Var) *logic.Term { return logic.Eq(logic.Ref(v), logic.Ref(w)) }
	all := func(f *logic.Term, vs ...*logic.Var) *logic.Term { return logic.Forall(vs, f) }
	w, wx := func(step int, v *logic.Var) *logic.Term { return b.app(b.waiting, step, v) },
		b.app(b.waiting, 0, x)
	wx1 := w(1, x)
	served, served1 := logic.App(b.served, 0), logic.App(b.served, 1)
	i := &logic.Var{Name: "i", Sort: b.upTo}
	j := &logic.Var{Name: "j", Sort: logic.Int}
	red := logic.Member(b.colour, 0)
	turn, turn1 := logic.App(b.turn, 0), logic.App(b.turn, 1)
	for _, test := range []struct {
		name     string
		modifies syms
		formula  *logic.Term
		want     string
	}{
		{"equivalence", syms{b.waiting}, all(logic.Iff(wx1, logic.Or(wx, is(x, c))), x), `
			# relation, as written
			forall X:client. waiting'(X) <-> waiting(X) | X = c
			# code
			waiting(X) := waiting(X) | X = c;`},
		{"the other way round", syms{b.served}, logic.Iff(served, logic.Not(served1)), `
			# relation, as written
			served' <-> !served
			# code
			served := !served;`},
		{"literals", syms{b.served, b.waiting}, logic.And(logic.Not(served1), all(wx1, x)), `
			# relation, as written
			!served'
			forall X:client. waiting'(X)
			# code
			# at once:
			served := false;
			waiting(X) := true;`},
		{"further equations stay guards", syms{b.turn},
			logic.And(logic.Eq(turn1, logic.IntLit(0)), logic.Eq(turn1, turn)), `
			# relation, as written
			turn' = turn
			turn' = 0
			# code
			turn := 0;
			require turn = old(turn);`},
		{"one value depends on another", syms{b.served, b.waiting},
			logic.And(all(logic.Iff(wx1, served1), x), served1), `
			# relation, as written
			served'
			forall X:client. waiting'(X) <-> served'
			# code
			served := true;
			waiting(X) := served;`},
		{"a circle", syms{b.served, b.turn},
			logic.And(logic.Iff(served1, logic.Eq(turn1, turn)),
				logic.Eq(turn1, logic.Ite(served1, turn, logic.IntLit(0)))), `
			# relation, as written
			served' <-> turn' = turn
			turn' = if served' then turn else 0
			0 <= turn' & turn' <= limit
			# code
			served := *;
			turn := *;
			require served <-> turn = old(turn);
			require turn = if served then old(turn) else 0;`},
		{"a point and the rest", syms{b.waiting},
			logic.And(logic.Not(w(1, c)),
				all(logic.Implies(logic.Not(is(x, c)), logic.Iff(wx1, wx)), x)), `
			# relation, as written
			forall C:client. waiting'(C) <-> C != c & waiting(C)
			# code
			waiting(C) := C != c & waiting(C);`},
		{"all but one point of two arguments", syms{b.before},
			all(logic.Implies(logic.Not(logic.And(is(y, d), is(x, c))),
				logic.Iff(b.app(b.before, 1, x, y), b.app(b.before, 0, x, y))), x, y), `
			# relation, as written
			exists before_new:bool
			forall X:client, Y:client. before'(X, Y) <-> if !(Y = d & X = c) then before(X, Y) else before_new
			# code
			choose before_new:bool;
			before(X, Y) := if !(Y = d & X = c) then before(X, Y) else before_new;`},
		{"three cases and a point left open", syms{b.waiting}, logic.Ite(served,
			all(logic.Implies(logic.Not(is(x, c)), wx1), x),
			logic.Ite(logic.App(b.busy, 0),
				all(logic.Implies(logic.Not(is(c, x)), logic.Iff(wx1, wx)), x),
				all(logic.Implies(logic.Not(is(x, c)), logic.Not(wx1)), x))), `
			# relation, as written
			exists waiting_new:bool
			forall X:client. waiting'(X) <-> if X != c then served | busy & waiting(X) else waiting_new
			# code
			choose waiting_new:bool;
			waiting(X) := if X != c then served | busy & waiting(X) else waiting_new;`},
		{"a row and the rest", syms{b.before}, logic.And(
			all(logic.Iff(b.app(b.before, 1, c, y), w(0, y)), y),
			all(logic.Implies(logic.Not(is(x, c)),
				logic.Iff(b.app(b.before, 1, x, y), b.app(b.before, 0, x, y))), x, y)), `
			# relation, as written
			forall C:client, Y:client. before'(C, Y) <-> if C = c then waiting(Y) else before(C, Y)
			# code
			before(C, Y) := if C = c then waiting(Y) else before(C, Y);`},
		{"two equalities of one variable leave out no single point", syms{b.waiting},
			all(logic.Implies(logic.Not(logic.And(is(x, c), is(x, d))), wx1), x), `
			# relation, as written
			forall X:client. !(X = c & X = d) -> waiting'(X)
			# code
			waiting(C) := *;
			require forall X:client. !(X = c & X = d) -> waiting(X);`},
		{"the diagonal only", syms{b.before}, all(b.app(b.before, 1, x, x), x), `
			# relation, as written
			forall X:client. before'(X, X)
			# code
			before(C, C1) := *;
			require forall X:client. before(X, X);`},
		{"choices and their guards", syms{b.waiting},
			logic.And(served, logic.Exists(vars{y, z}, logic.And(w(0, z),
				b.app(b.before, 0, y, y), served,
				all(logic.Iff(wx1, b.app(b.before, 0, y, x)), x)))), `
			# relation, as written
			exists Y:client, Z:client
			served
			waiting(Z)
			before(Y, Y)
			served
			forall X:client. waiting'(X) <-> before(Y, X)
			# code
			require served;
			require served;
			choose Y:client with before(Y, Y);
			choose Z:client with waiting(Z);
			waiting(X) := before(Y, X);`},
		{"a guard over the old state keeps its quantifier", syms{b.served},
			logic.And(logic.Exists(vars{x}, wx), served1), `
			# relation, as written
			exists X:client. waiting(X)
			served'
			# code
			require exists X:client. waiting(X);
			served := true;`},
		{"conditional and let", syms{b.waiting}, logic.Let(y, logic.Ref(c),
			logic.Ite(served, all(logic.Iff(wx1, is(x, y)), x), all(wx1, x))), `
			# relation, as written
			forall X:client. waiting'(X) <-> served -> X = c
			# code
			waiting(X) := served -> X = c;`},
		{"a range for an argument", syms{b.hue}, all(logic.Eq(b.app(b.hue, 1, i), red), i), `
			# relation, as written
			forall i:0..limit. hue'(i) = red
			# code
			hue(i) := red;`},
		{"more than the range", syms{b.hue}, all(logic.Eq(b.app(b.hue, 1, j), red), j), `
			# relation, as written
			forall j:int. hue'(j) = red
			# code
			hue(I) := *;
			require forall j:int. hue(j) = red;`},
		{"a point that may lie outside the range", syms{b.hue}, logic.And(
			logic.Eq(logic.App(b.hue, 1, turn), red),
			all(logic.Implies(logic.Not(logic.Eq(logic.Ref(i), turn)),
				logic.Eq(b.app(b.hue, 1, i), b.app(b.hue, 0, i))), i)), `
			# relation, as written
			hue'(turn) = red
			forall i:0..limit. i != turn -> hue'(i) = hue(i)
			# code
			hue(I) := *;
			require hue(old(turn)) = red;
			require forall i:0..limit. old(i != turn) -> hue(i) = old(hue(i));`},
		{"a symbol that keeps its value", syms{b.served}, logic.Iff(served1, w(1, c)), `
			# relation, as written
			served' <-> waiting(c)
			# code
			served := waiting(c);`},
		{"a derived symbol after all else", syms{b.waiting, b.served},
			logic.And(logic.App(b.busy, 1), served1, w(1, c)), `
			# relation, as written
			busy'
			waiting'(c)
			served'
			# code
			served := true;
			waiting(C) := *;
			require busy;
			require waiting(c);`},
		{"a guard that another one protects", syms{b.served}, logic.Exists(vars{z}, logic.And(
			w(0, z), logic.Eq(logic.App(b.hue, 0, turn), red), logic.Iff(served1, w(0, z)))), `
			# relation, as written
			exists Z:client
			waiting(Z)
			hue(turn) = red
			served' <-> waiting(Z)
			# code
			choose Z:client with waiting(Z) & hue(turn) = red;
			served := waiting(Z);`},
	} {
		t.Run(test.name, func(t *testing.T) {
			b.formula(vars{c, d}, test.modifies, test.formula)
			checkAction(t, b.sys, test.want)
		})
	}
}

func TestRelationOfForms(t *testing.T) {
	b := newBakery()
	c, d, x, y := b.v("c"), b.v("d"), b.v("X"), b.v("Y")
	now := func(s *logic.Symbol, vs ...*logic.Var) *logic.Term {
		return b.app(s, logic.Post, vs...)
	}
	set := func(value *logic.Term, s *logic.Symbol, vs vars, args ...*logic.Var) system.Stmt {
		return system.Assign{Updates: []system.Update{{Symbol: s, Vars: vs, Args: logic.Refs(args),
			Value: value}}}
	}
	turn := logic.App(b.turn, 1)
	k := &logic.Var{Name: "k", Sort: b.upTo}
	for _, test := range []struct {
		name string
		code []system.Stmt
		want string
	}{
		{"points and all", []system.Stmt{
			system.Require{Cond: now(b.waiting, c)},
			set(logic.False, b.waiting, nil, c),
			set(logic.Ite(logic.Eq(logic.Ref(x), logic.Ref(c)), logic.IntLit(0), turn), b.myt,
				vars{x}, x),
		}, `
			# relation
			waiting(c)
			forall C:client. waiting'(C) <-> C != c & waiting(C)
			forall X:client. myt'(X) = if X = c then 0 else turn
			# code, as written
			require waiting(c);
			waiting(c) := false;
			myt(X) := if X = c then 0 else turn;`},
		{"sequence and old", []system.Stmt{
			set(logic.Add(turn, logic.IntLit(1)), b.turn, nil),
			set(logic.Add(turn, logic.App(b.turn, 0)), b.turn, nil),
		}, `
			# relation
			turn' = turn + 1 + turn
			# code, as written
			turn := turn + 1;
			turn := turn + old(turn);`},
		{"exchange", []system.Stmt{system.Assign{Updates: []system.Update{
			{Symbol: b.waiting, Args: logic.Refs(vars{c}), Value: now(b.served)},
			{Symbol: b.served, Value: now(b.waiting, c)},
		}}}, `
			# relation
			forall C:client. waiting'(C) <-> if C = c then served else waiting(C)
			served' <-> waiting(c)
			# code, as written
			# at once:
			waiting(c) := served;
			served := waiting(c);`},
		{"the diagonal", []system.Stmt{set(now(b.waiting, x), b.before, vars{x}, x, x)}, `
			# relation
			forall X:client, C:client. before'(X, C) <-> if C = X then waiting(X) else before(X, C)
			# code, as written
			before(X, X) := waiting(X);`},
		{"branches", []system.Stmt{system.If{
			Cond: now(b.served),
			Then: []system.Stmt{set(logic.False, b.served, nil),
				system.Require{Cond: now(b.waiting, d)}},
			Else: []system.Stmt{system.Choose{Var: k, Such: logic.Lt(turn, logic.Ref(k))},
				set(logic.Ref(k), b.turn, nil)},
		}}, `
			# relation
			exists k:0..(if 0 <= limit then limit else 0)
			served -> waiting(d)
			!served -> 0 <= k
			!served -> k <= limit
			!served -> turn < k
			served' <-> !served & served
			turn' = if served then turn else k
			# code, as written
			if served {
			served := false;
			require waiting(d);
			} else {
			choose k:0..limit with turn < k;
			turn := k;
			}`},
		{"any value", []system.Stmt{
			system.Havoc{Symbol: b.myt, Args: logic.Refs(vars{c})},
			system.Havoc{Symbol: b.served},
			system.Require{Cond: logic.Lt(now(b.myt, d), turn)},
		}, `
			# relation
			any function act_any_myt(client): 0..limit
			any relation act_any_served
			forall C:client. C = c -> 0 <= act_any_myt(C)
			forall C:client. C = c -> act_any_myt(C) <= limit
			(if d = c then act_any_myt(d) else myt(d)) < turn
			forall C:client. myt'(C) = if C = c then act_any_myt(C) else myt(C)
			served' <-> act_any_served
			# code, as written
			myt(c) := *;
			served := *;
			require myt(d) < turn;`},
		{"let keeps the value of its moment", []system.Stmt{
			system.Let{Var: y, Value: logic.Ref(c)},
			system.Let{Var: k, Value: turn},
			set(logic.IntLit(0), b.turn, nil),
			set(logic.Ref(k), b.myt, nil, y),
		}, `
			# relation
			turn' = 0
			forall C:client. myt'(C) = if C = c then turn else myt(C)
			# code, as written
			let Y:client = c;
			let k:0..limit = turn;
			turn := 0;
			myt(Y) := k;`},
		{"a derived symbol after a change", []system.Stmt{
			system.Require{Cond: now(b.busy)},
			set(logic.False, b.waiting, nil, c),
			system.Require{Cond: now(b.busy)},
		}, `
			# relation
			busy
			exists X:client. X != c & waiting(X)
			forall C:client. waiting'(C) <-> C != c & waiting(C)
			# code, as written
			require busy;
			waiting(c) := false;
			require busy;`},
	} {
		t.Run(test.name, func(t *testing.T) {
			if _, err := b.code(vars{c, d}, test.code...); err != nil {
				t.Fatal(err)
			}
			checkAction(t, b.sys, test.want)
		})
	}
}

// TestEmptyRangeOnOtherPath has a choice from an empty range in a branch that is not taken. It must
// not block the action.
func TestEmptyRangeOnOtherPath(t *testing.T) {
	b := newBakery()
	none := &logic.Sort{Kind: logic.KindRange, Name: "1..0", Lo: logic.IntLit(1),
		Hi: logic.IntLit(0)}
	k := &logic.Var{Name: "k", Sort: none}
	choose := []system.Stmt{system.Choose{Var: k, Such: logic.True}}
	for _, served := range []int{0, 1} {
		a, err := b.code(nil, system.If{Cond: logic.App(b.served, 1), Then: choose},
			system.Assign{Updates: []system.Update{{Symbol: b.turn, Value: logic.IntLit(0)}}})
		if err != nil {
			t.Fatal(err)
		}
		w := world{sys: b.sys, instance: b.sys.Instances[0],
			pre: state{"limit[]": 1, "served[]": served, "turn[]": 1}}
		if got, want := len(w.byRelation(a)), 1-served; got != want {
			t.Errorf("served = %d: %d successors by the relation, want %d", served, got, want)
		}
		if got, want := len(w.byCode(a)), 1-served; got != want {
			t.Errorf("served = %d: %d successors by the code, want %d", served, got, want)
		}
	}
}

func TestRenderingErrors(t *testing.T) {
	b := newBakery()
	c := b.v("c")
	change := system.Assign{Updates: []system.Update{{Symbol: b.waiting, Args: logic.Refs(vars{c}),
		Value: logic.True}}}
	expect := func(err error, want string) {
		t.Helper()
		if err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("got %v, want an error with %q", err, want)
		}
	}
	body := b.sys.Derived[0].Body
	b.sys.Derived[0].Body = nil
	_, err := b.code(vars{c}, change, system.Require{Cond: logic.App(b.busy, 1)})
	expect(err, "action act: relation of code: the value of busy after a change is not known")
	if _, err = b.code(vars{c}, system.Require{Cond: logic.App(b.busy, 1)}, change); err != nil {
		t.Errorf("busy is read before the change: %v", err)
	}
	b.sys.Derived[0].Body = logic.And(body, logic.App(b.busy, 0))
	_, err = b.code(vars{c}, change, system.Require{Cond: logic.App(b.busy, 1)})
	expect(err, "circular")

	a := &system.Action{Name: "act", Params: vars{c}, Code: []system.Stmt{change}, Imperative: true}
	expect(system.RelationOf(context.Background(), b.sys, a), "waiting is written but not among the modified symbols")
	a = &system.Action{Name: "act"}
	expect(system.CodeOf(b.sys, a), "there is none")
	a.Relation = &system.Relation{Inputs: syms{b.limit}}
	expect(system.CodeOf(b.sys, a), "it has the input limit")
	a.Relation = &system.Relation{Guard: []*logic.Term{logic.App(b.served, 2)}}
	expect(system.CodeOf(b.sys, a), "a state after the next")
}
